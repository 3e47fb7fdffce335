"""Setting a password: the pool's policy and history, and users who have no password at all.

The policy's texts, and that of blank edges, are quoted from Amazon's documentation and from public issue reports; that
only the first broken rule is named, and the wording of the history's refusal, are our reading.
"""

from __future__ import annotations

import hmac
import re
import secrets

from .answers import Answer, refusal
from .backend import Backend

_LONGEST_PASSWORD = 256
_FORM = re.compile(r"\S+.*\S+", re.ASCII)


class Passwords:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def matches(self, user: dict | None, password: str) -> bool:
        if user is None or not self.has_one(user):
            return False
        return hmac.compare_digest(_raw(user.get("_password") or ""), _raw(password))

    def has_one(self, user: dict) -> bool:
        return not user.get("_passwordless")

    def remove(self, user: dict) -> None:
        """A user who signs in without a password; ministack would let an empty one match everything."""
        user["_password"] = secrets.token_urlsafe(48)
        user["_passwordless"] = True

    def policy_refusal(self, pool: dict, password: str) -> Answer | None:
        if len(password) > _LONGEST_PASSWORD:
            return refusal(
                "InvalidParameterException",
                "1 validation error detected: Value at 'password' failed to satisfy constraint: "
                f"Member must have length less than or equal to {_LONGEST_PASSWORD}",
            )
        if not _FORM.fullmatch(password):
            return refusal(
                "InvalidParameterException",
                "1 validation error detected: Value at 'password' failed to satisfy constraint: "
                r"Member must satisfy regular expression pattern: ^[\S]+.*[\S]+$",
            )
        broken = self._backend.cognito._password_policy_errors(pool, password)
        if not broken:
            return None
        text = "Password not long enough" if "length" in broken[0] else broken[0]
        return refusal("InvalidPasswordException", f"Password did not conform with policy: {text}")

    def change(self, pool: dict, user: dict, password: str) -> Answer | None:
        """Set a new password, or refuse it and leave everything as it is."""
        refused = self.policy_refusal(pool, password)
        if refused:
            return refused
        size = int((pool.get("Policies", {}).get("PasswordPolicy") or {}).get("PasswordHistorySize") or 0)
        current = [user["_password"]] if self.has_one(user) and user.get("_password") else []
        history = [*user.get("_password_history", []), *current][-size:] if size else []
        if password in history:
            return refusal("PasswordHistoryPolicyViolationException", "Password has previously been used")
        user["_password_history"] = history
        user["_password"] = password
        user.pop("_passwordless", None)
        user["UserLastModifiedDate"] = self._backend.cognito._now_epoch()
        return None


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
