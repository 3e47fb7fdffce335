"""What a proof of a password has to be beside right: made now.

From public reports: a clock that is more than about five minutes wrong looks like a wrong password. How wide the window
is, nobody has documented; a switch (`timestamp_seconds`) widens it, or (None) does without.
"""

from __future__ import annotations

from datetime import UTC, datetime

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..outbox import Switches

WRONG = ("NotAuthorizedException", "Incorrect username or password.")


class Proofs:
    def __init__(self, backend: Backend, switches: Switches) -> None:
        self._backend = backend
        self._switches = switches

    def refusal(self, call: Call) -> Answer | None:
        """What refuses a well-formed answer to PASSWORD_VERIFIER or DEVICE_PASSWORD_VERIFIER, whatever it proves."""
        return None if self._is_of_now(call.text("ChallengeResponses", "TIMESTAMP")) else refusal(*WRONG)

    def _is_of_now(self, timestamp: str) -> bool:
        """Also for what is no time at all, which is refused in its own words."""
        canonical = self._backend.cognito._srp_canonical_timestamp(timestamp)
        if canonical is None or self._switches.timestamp_seconds is None:
            return True
        _weekday, month, *rest = canonical.split()
        months = self._backend.cognito._SRP_MONTHS
        written = datetime.strptime(f"{months.index(month) + 1} {' '.join(rest)}", "%m %d %H:%M:%S UTC %Y")
        apart = datetime.now(UTC) - written.replace(tzinfo=UTC)
        return abs(apart.total_seconds()) <= self._switches.timestamp_seconds
