"""The brute-force lock of a user after failed passwords. Off until switched on.

Documented ("subject to change"): after the 5th failure the user is locked for 1 s, after n failures for 2^(n-5) s, up
to about 15 minutes; a try during a lock gets "Password attempts exceeded" even with the right password and does not
lengthen it; 15 minutes without a try reset the count. That a successful sign-in resets it is from public reports.
Our reading: under SRP the refusal comes with the answer to PASSWORD_VERIFIER, not with InitiateAuth; of USER_AUTH, the
steps that carry a password count.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..answers import Answer, Call, refusal
from ..backend import Backend
from . import Behaviour

_FREE_FAILURES = 5
_LONGEST_LOCK = 900.0
_FORGOTTEN_AFTER = 900.0
_PASSWORD_STEPS = {
    "InitiateAuth:USER_PASSWORD_AUTH": ("AuthParameters", "USERNAME"),
    "AdminInitiateAuth:ADMIN_USER_PASSWORD_AUTH": ("AuthParameters", "USERNAME"),
    "RespondToAuthChallenge:PASSWORD_VERIFIER": ("ChallengeResponses", "USERNAME"),
    "AdminRespondToAuthChallenge:PASSWORD_VERIFIER": ("ChallengeResponses", "USERNAME"),
}
_CHOICE_STEPS = {
    "InitiateAuth:USER_AUTH": "AuthParameters",
    "AdminInitiateAuth:USER_AUTH": "AuthParameters",
    "RespondToAuthChallenge:SELECT_CHALLENGE": "ChallengeResponses",
    "RespondToAuthChallenge:PASSWORD": "ChallengeResponses",
    "AdminRespondToAuthChallenge:SELECT_CHALLENGE": "ChallengeResponses",
    "AdminRespondToAuthChallenge:PASSWORD": "ChallengeResponses",
}


@dataclass
class _Record:
    failures: int = 0
    locked_until: float = 0.0
    last_try: float = 0.0


class Lockout(Behaviour):
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.reset()

    def reset(self) -> None:
        self._enabled = False
        self._speed = 1.0
        self._records: dict[tuple[str, str], _Record] = {}

    def switch(self, enabled: bool, speed: float = 1.0) -> None:
        """`speed` makes the lock's clock run faster, so that a test need not wait for minutes."""
        if speed <= 0:
            raise ValueError("speed has to be positive")
        self._enabled, self._speed = enabled, speed
        self._records.clear()

    def state(self) -> list[dict]:
        now = time.monotonic()
        return [
            {"pool": pool, "user": user, "failures": r.failures, "locked_for": max(0.0, r.locked_until - now)}
            for (pool, user), r in self._records.items()
        ]

    def before(self, call: Call) -> Answer | None:
        key = self._key(call)
        if key is None:
            return None
        record = self._records.setdefault(key, _Record())
        now = time.monotonic()
        if now - record.last_try > _FORGOTTEN_AFTER / self._speed:
            record.failures = 0
        record.last_try = now
        if now < record.locked_until:
            return refusal("NotAuthorizedException", "Password attempts exceeded")
        call.notes["lockout"] = record
        return None

    def after(self, call: Call, answer: Answer) -> Answer:
        record = call.notes.get("lockout")
        if record is not None:
            if answer.status == 200:
                record.failures, record.locked_until = 0, 0.0
            elif answer.message == "Incorrect username or password.":
                record.failures += 1
                if record.failures >= _FREE_FAILURES:
                    seconds = min(2.0 ** min(record.failures - _FREE_FAILURES, 20), _LONGEST_LOCK)
                    record.locked_until = time.monotonic() + seconds / self._speed
        return answer

    def _key(self, call: Call) -> tuple[str, str] | None:
        if not self._enabled:
            return None
        step = next((_PASSWORD_STEPS[s] for s in call.selectors if s in _PASSWORD_STEPS), None)
        if step is None:
            where = next((_CHOICE_STEPS[s] for s in call.selectors if s in _CHOICE_STEPS), None)
            step = (where, "USERNAME") if where and call.text(where, "PASSWORD") else None
        found = self._backend.client(call.text("ClientId")) if step else None
        if step is None or found is None:
            return None
        pool_id, pool, _client = found
        user = self._backend.user(pool, call.text(*step))
        return (pool_id, user["Username"]) if user else None
