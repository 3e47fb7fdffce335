"""What ministack lacks, one module per behaviour.

Unless a module says otherwise, its behaviour is a reading of Amazon's documentation and of open-source clients, not
something measured on AWS: a test that rests on it proves agreement with that reading.
"""

from __future__ import annotations

from ..answers import Answer, Call


class Behaviour:
    """A step around the back end: `before` may answer instead of it or change the call, `after` may change the answer.

    Behaviours run in order on the way in and in reverse order on the way out; one that answers in `before` is not
    asked again in `after`, those in front of it are.
    """

    def before(self, call: Call) -> Answer | None:
        """None to let the call pass."""

    def after(self, call: Call, answer: Answer) -> Answer:
        return answer

    def reset(self) -> None:
        """Back to what a fresh emulator does; pools, users and tokens stay."""
