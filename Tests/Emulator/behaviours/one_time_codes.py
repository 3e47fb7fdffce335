"""Codes by SMS and e-mail: SMS_MFA and EMAIL_OTP after the password, EMAIL_OTP and SMS_OTP in its place.

From Amazon's documentation: the parameter and answer names, and that a code lives as long as its session. From public
issue reports: the texts for a wrong and for an old code. Our reading: 6 digits after a password, 8 as a first factor;
how a destination is masked; for a user who does not exist a code is sent to nobody, at an address made from the name.
"""

from __future__ import annotations

import hashlib
import hmac

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..outbox import Message, Outbox
from ..sign_in import Challenge, Session, Sessions, SignIn, missing

_MEDIA = {"SMS_MFA": "SMS", "SMS_OTP": "SMS", "EMAIL_OTP": "EMAIL"}
MISMATCH = ("CodeMismatchException", "Invalid verification code provided, please try again.")
WRONG_MFA_CODE = ("CodeMismatchException", "Invalid code or auth state for the user.")
EXPIRED = ("ExpiredCodeException", "Invalid code provided, please request a code again.")


class OneTimeCodes(Challenge):
    names = tuple(_MEDIA)

    def __init__(self, backend: Backend, sessions: Sessions, outbox: Outbox) -> None:
        self._backend = backend
        self._sessions = sessions
        self._outbox = outbox

    def can_reach(self, user: dict, name: str) -> bool:
        return bool(self.destination(user, name))

    def destination(self, user: dict, name: str) -> str:
        return self._backend.attributes(user).get("phone_number" if _MEDIA[name] == "SMS" else "email") or ""

    def start(self, sign_in: SignIn, name: str, factor: str, address: str = "", **members: object) -> Answer:
        """Send a code and ask for it. `factor` is what a right one proves; `address` is one to be set up with it."""
        medium = _MEDIA[name]
        if sign_in.user is not None:
            destination = address or self.destination(sign_in.user, name)
        else:
            destination = pretended_destination(sign_in.username, medium)
        message = self._outbox.send(
            sign_in.pool_id,
            sign_in.username,
            name,
            medium,
            destination,
            self._sessions.lifetime(sign_in.client_id),
            digits=8 if factor == "first" else 6,
            pretended=sign_in.user is None,
        )
        parameters = {"USER_ID_FOR_SRP": sign_in.username, **message.delivery}
        if name == "EMAIL_OTP" or factor == "first":
            parameters.pop("USER_ID_FOR_SRP")
        data = {"message": message, "factor": factor, "address": address}
        return self._sessions.challenge(sign_in, name, parameters, data, **members)

    def answer(self, session: Session, call: Call) -> Answer | None:
        key = f"{session.challenge}_CODE"
        code = call.text("ChallengeResponses", key)
        if not code:
            return missing(key)
        refused = code_refusal(session.data["message"], code)
        if refused == MISMATCH and session.challenge == "SMS_MFA":
            refused = WRONG_MFA_CODE
        if refused:
            return session.wrong_answer(*refused)
        user, address = session.sign_in.user, session.data["address"]
        if user is None:
            return refusal("NotAuthorizedException", "Incorrect username or password.")
        if address:
            attributes = self._backend.attributes(user) | {"email": address, "email_verified": "true"}
            user["Attributes"] = [{"Name": k, "Value": v} for k, v in attributes.items()]
            user["_mfa_enabled"] = [*user.get("_mfa_enabled", []), session.challenge]
        session.sign_in.done.add(session.data["factor"])
        return None


def code_refusal(message: Message, code: str) -> tuple[str, str] | None:
    """Name and text of what refuses `code`, if anything does."""
    if not hmac.compare_digest(message.code.encode(), code.encode("utf-8", "surrogatepass")):
        return MISMATCH
    return EXPIRED if message.expired else None


def pretended_destination(name: str, medium: str) -> str:
    """An address for a user who does not exist: the same for every try, and telling nothing."""
    digest = hashlib.sha256(f"destination:{name}".encode("utf-8", "surrogatepass")).digest()
    if medium == "SMS":
        return "+1555" + "".join(str(b % 10) for b in digest[:7])
    if "@" in name:
        return name
    return f"{chr(97 + digest[0] % 26)}@{chr(97 + digest[1] % 26)}"
