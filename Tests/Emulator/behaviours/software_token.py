"""Authenticator apps: SOFTWARE_TOKEN_MFA, AssociateSoftwareToken, VerifySoftwareToken and the user's MFA preferences.

From Amazon's documentation: RFC 6238 with SHA-1, 6 digits and 30 seconds, one step of drift each way; associating and
verifying take an access token, or the session of MFA_SETUP and answer a new one. From public issue reports: the texts,
and that a code counts once, that which set the app up included. Our reading: no code older than a used one counts
either; verifying with an access token only registers the app, and SetUserMFAPreference turns it on; each new session
uses the one before up. A switch lets codes count again (`refuse_totp_replay`).
"""

from __future__ import annotations

import base64
import hmac
import secrets
import time

from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from ..outbox import Switches
from ..sign_in import Challenge, Session, Sessions, SignIn, missing
from . import Behaviour

_STEP_SECONDS = 30
_SECRET_BYTES = 32
_MISMATCH = ("EnableSoftwareTokenMFAException", "Code mismatch and fail enable Software Token MFA")
_NOT_ENABLED = ("SoftwareTokenMFANotFoundException", "Software Token MFA has not been enabled by the userPool")
_SETTINGS = {
    "SoftwareTokenMfaSettings": "SOFTWARE_TOKEN_MFA",
    "SMSMfaSettings": "SMS_MFA",
    "EmailMfaSettings": "EMAIL_OTP",
}


class SoftwareToken(Challenge, Behaviour):
    names = ("SOFTWARE_TOKEN_MFA",)

    def __init__(self, backend: Backend, sessions: Sessions, switches: Switches) -> None:
        self._backend = backend
        self._sessions = sessions
        self._switches = switches

    def start(self, sign_in: SignIn) -> Answer:
        name = (sign_in.user or {}).get("_totp_name") or "TOTP device"
        parameters = {"USER_ID_FOR_SRP": sign_in.username, "FRIENDLY_DEVICE_NAME": name}
        return self._sessions.challenge(sign_in, "SOFTWARE_TOKEN_MFA", parameters)

    def answer(self, session: Session, call: Call) -> Answer | None:
        code = call.text("ChallengeResponses", "SOFTWARE_TOKEN_MFA_CODE")
        if not code:
            return missing("SOFTWARE_TOKEN_MFA_CODE")
        user = session.sign_in.user
        step = self._matching_step(user.get("_totp_secret"), code)
        if step is None:
            return session.wrong_answer("CodeMismatchException", "Invalid code received for user")
        if self._switches.refuse_totp_replay and step <= user.get("_totp_step", -1):
            return session.wrong_answer("ExpiredCodeException", "Your software token has already been used once.")
        user["_totp_step"] = step
        session.sign_in.done.add("mfa")
        return None

    def before(self, call: Call) -> Answer | None:
        match call.operation:
            case "AssociateSoftwareToken":
                return self._associate(call)
            case "VerifySoftwareToken":
                return self._verify(call)
            case "SetUserMFAPreference":
                owner = self._backend.owner(call)
                return owner if isinstance(owner, Answer) else self._preference(call, owner[2])
            case "AdminSetUserMFAPreference":
                pool = self._backend.pool(call.text("UserPoolId"))
                user = self._backend.user(pool, call.text("Username")) if pool else None
                return self._preference(call, user) if user else None
        return None

    def _associate(self, call: Call) -> Answer:
        secret = base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode().rstrip("=")
        if call.text("AccessToken"):
            owner = self._backend.owner(call)
            if isinstance(owner, Answer):
                return owner
            if not allowed_methods(owner[1]) & {"SOFTWARE_TOKEN_MFA"}:
                return refusal(*_NOT_ENABLED)
            owner[2]["_totp_pending"] = secret
            return success({"SecretCode": secret})
        session = self._sessions.find(call, "MFA_SETUP")
        if isinstance(session, Answer):
            return session
        if "SOFTWARE_TOKEN_MFA" not in session.data["methods"]:
            return refusal(*_NOT_ENABLED)
        session.used = True
        data = {"methods": session.data["methods"], "secret": secret}
        return success({"SecretCode": secret, "Session": self._sessions.open(session.sign_in, "MFA_SETUP", data).token})

    def _verify(self, call: Call) -> Answer:
        code, name = call.text("UserCode"), call.text("FriendlyDeviceName")
        if call.text("AccessToken"):
            owner = self._backend.owner(call)
            if isinstance(owner, Answer):
                return owner
            user = owner[2]
            step = self._matching_step(user.get("_totp_pending"), code)
            if step is None:
                return refusal(*_MISMATCH)
            user["_totp_secret"], user["_totp_name"], user["_totp_step"] = user.pop("_totp_pending"), name, step
            return success({"Status": "SUCCESS"})
        session = self._sessions.find(call, "MFA_SETUP")
        if isinstance(session, Answer):
            return session
        step = self._matching_step(session.data.get("secret"), code)
        if step is None:
            return session.wrong_answer(*_MISMATCH)
        session.used = True
        data = {**session.data, "verified": True, "name": name, "step": step}
        following = self._sessions.open(session.sign_in, "MFA_SETUP", data)
        return success({"Status": "SUCCESS", "Session": following.token})

    def _preference(self, call: Call, user: dict) -> Answer:
        enabled = list(user.get("_mfa_enabled", []))
        preferred = user.get("_preferred_mfa", "")
        for member, name in _SETTINGS.items():
            settings = call.body.get(member)
            if not isinstance(settings, dict):
                continue
            if not settings.get("Enabled"):
                enabled = [m for m in enabled if m != name]
                preferred = "" if preferred == name else preferred
                continue
            if name == "SOFTWARE_TOKEN_MFA" and not user.get("_totp_secret"):
                return refusal("InvalidParameterException", "User has not verified software token mfa")
            enabled += [] if name in enabled else [name]
            if settings.get("PreferredMfa"):
                preferred = name
            elif preferred == name:
                preferred = ""
        user["_mfa_enabled"], user["_preferred_mfa"] = enabled, preferred
        return success({})

    def _matching_step(self, secret: str | None, code: str) -> int | None:
        """The time step whose code this is, among those that count now."""
        if not secret:
            return None
        now = int(time.time() // _STEP_SECONDS)
        given = code.encode("utf-8", "surrogatepass")
        for offset in (0, -1, 1):
            if hmac.compare_digest(self._backend.cognito._totp_code(secret, offset).encode(), given):
                return now + offset
        return None


def allowed_methods(pool: dict) -> set[str]:
    """The kinds of MFA that the pool offers."""
    methods = set()
    if (pool.get("SoftwareTokenMfaConfiguration") or {}).get("Enabled"):
        methods.add("SOFTWARE_TOKEN_MFA")
    if pool.get("SmsMfaConfiguration") is not None:
        methods.add("SMS_MFA")
    if pool.get("EmailMfaConfiguration") is not None:
        methods.add("EMAIL_OTP")
    return methods
