"""What a proof of a password has to be beside right: made now, in the name of the one whose password it is, and from
a public value that can prove something.

From public reports: a clock that is more than about five minutes wrong looks like a wrong password. How wide the window
is, nobody has documented; a switch (`timestamp_seconds`) widens it, or (None) does without. From RFC 5054: A = 0 modulo
N is refused. Our reading: at the first step, and in which words; that any name of the same user will do.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..outbox import Switches

WRONG = ("NotAuthorizedException", "Incorrect username or password.")


_DIGITS = 768
_SRP_A = re.compile(r"[0-9a-fA-F]{1,2000}")


class Proofs:
    def __init__(self, backend: Backend, switches: Switches) -> None:
        self._backend = backend
        self._switches = switches
        cognito = backend.cognito
        self._challenge_inner = cognito._srp_challenge
        cognito._srp_salt, cognito._srp_challenge = self._salt, self._challenge

    def refusal(self, call: Call) -> Answer | None:
        """What refuses a well-formed answer to PASSWORD_VERIFIER or DEVICE_PASSWORD_VERIFIER, whatever it proves."""
        mine = self._is_of_its_user(call) and self._is_of_now(call.text("ChallengeResponses", "TIMESTAMP"))
        return None if mine else refusal(*WRONG)

    def public_value(self, masked_verifier: int, small_b: int) -> tuple[int, int]:
        """The server's public value B = k*v + g^b, and its b: the next one whose B may be sent.

        A short B takes sixteen attempts on average; each costs a multiplication, not a power of milliseconds.
        """
        cognito = self._backend.cognito
        power = cognito.pow(cognito._SRP_G, small_b, cognito._SRP_N)
        while True:
            big_b = (masked_verifier + power) % cognito._SRP_N
            if not self._switches.short_srp_values or len(format(big_b, "x")) < _DIGITS:
                return big_b, small_b
            power, small_b = power * cognito._SRP_G % cognito._SRP_N, small_b + 1

    def _salt(self, seed: str) -> str:
        """A user's salt, the same for ever; a number, of which nothing is padded."""
        digest = hashlib.sha256(f"salt:{seed}".encode()).digest()[:16]
        if self._switches.short_srp_values:
            digest = b"\x00\x0a" + digest[2:]
        return format(int.from_bytes(digest, "big"), "x")

    def _challenge(self, *arguments: object) -> tuple:
        parameters, state = self._challenge_inner(*arguments)
        if self._switches.short_srp_values:
            cognito, small_b = self._backend.cognito, int(state["b"], 16)
            masked = int(state["srp_b"], 16) - cognito.pow(cognito._SRP_G, small_b, cognito._SRP_N)
            big_b, small_b = (format(number, "x") for number in self.public_value(masked, small_b))
            parameters["SRP_B"] = state["srp_b"] = big_b
            state["b"] = small_b
        return parameters, state

    def public_value_refusal(self, srp_a: str) -> Answer | None:
        if not _SRP_A.fullmatch(srp_a):
            return refusal(
                "InvalidParameterException",
                "1 validation error detected: Value at 'sRPA' failed to satisfy constraint: "
                "Member must satisfy regular expression pattern: ^[0-9a-fA-F]+$",
            )
        if int(srp_a, 16) % self._backend.cognito._SRP_N == 0:
            return refusal("InvalidParameterException", "Invalid SRP_A value.")
        return None

    def _is_of_its_user(self, call: Call) -> bool:
        """A device's proof has a session, which knows its user."""
        pending = self._backend.srp_session(call.text("ChallengeResponses", "PASSWORD_CLAIM_SECRET_BLOCK"))
        pool = self._backend.pool(pending["pool_id"]) if pending else None
        if pool is None:
            return True
        name = call.text("ChallengeResponses", "USERNAME")
        user = self._backend.user(pool, name)
        return (user["Username"] if user else name) == pending["username"]

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
