"""Which second factor a sign-in needs: a preferred one, SELECT_MFA_TYPE, or MFA_SETUP where the user has none yet.

From Amazon's documentation: MFAS_CAN_CHOOSE and MFAS_CAN_SETUP are JSON strings; an app is set up by
AssociateSoftwareToken, VerifySoftwareToken and then MFA_SETUP with the session of the latter; an address by answering
MFA_SETUP with EMAIL. Our reading: SELECT_MFA_TYPE takes what MFAS_CAN_CHOOSE lists, and EMAIL_MFA for EMAIL_OTP;
another answer leaves the session usable; an app set up here is the user's only one and becomes preferred.
"""

from __future__ import annotations

import json

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..sign_in import Challenge, Session, Sessions, SignIn, missing
from .attributes import Attributes
from .one_time_codes import OneTimeCodes
from .software_token import SoftwareToken, allowed_methods

_ORDER = ("SMS_MFA", "SOFTWARE_TOKEN_MFA", "EMAIL_OTP")
_LONGEST_ADDRESS = 2048


class MFAChoice(Challenge):
    names = ("SELECT_MFA_TYPE", "MFA_SETUP")

    def __init__(
        self,
        backend: Backend,
        sessions: Sessions,
        codes: OneTimeCodes,
        app: SoftwareToken,
        attributes: Attributes,
    ) -> None:
        self._backend = backend
        self._sessions = sessions
        self._codes = codes
        self._app = app
        self._attributes = attributes

    def step(self, sign_in: SignIn, pool: dict) -> Answer | None:
        setting = pool.get("MfaConfiguration", "OFF")
        if setting == "OFF" or sign_in.user is None or sign_in.done & {"mfa", "first", "custom"}:
            return None
        methods = self._usable(pool, sign_in.user)
        preferred = sign_in.user.get("_preferred_mfa")
        if preferred in methods:
            return self._start(sign_in, preferred)
        if len(methods) == 1:
            return self._start(sign_in, methods[0])
        if methods:
            parameters = {"USER_ID_FOR_SRP": sign_in.username, "MFAS_CAN_CHOOSE": json.dumps(methods)}
            return self._sessions.challenge(sign_in, "SELECT_MFA_TYPE", parameters, {"methods": methods})
        if setting == "ON":
            methods = [m for m in _ORDER if m in allowed_methods(pool)]
            parameters = {"USER_ID_FOR_SRP": sign_in.username, "MFAS_CAN_SETUP": json.dumps(methods)}
            return self._sessions.challenge(sign_in, "MFA_SETUP", parameters, {"methods": methods})
        return None

    def answer(self, session: Session, call: Call) -> Answer | None:
        if session.challenge == "MFA_SETUP":
            return self._set_up(session, call)
        chosen = call.text("ChallengeResponses", "ANSWER")
        if not chosen:
            return missing("ANSWER")
        if chosen == "EMAIL_MFA":
            chosen = "EMAIL_OTP"
        if chosen not in session.data["methods"]:
            return session.wrong_answer("InvalidParameterException", "Invalid MFA type selected")
        return self._start(session.sign_in, chosen)

    def _set_up(self, session: Session, call: Call) -> Answer | None:
        user = session.sign_in.user
        address = call.text("ChallengeResponses", "EMAIL")
        if address:
            if "EMAIL_OTP" not in session.data["methods"]:
                return refusal("InvalidParameterException", "Email MFA is not enabled for this user pool")
            if len(address) > _LONGEST_ADDRESS:
                return session.wrong_answer("InvalidParameterException", "Invalid email address format.")
            refused = self._attributes.refusal(self._backend.pool(session.sign_in.pool_id), user, {"email": address})
            if refused:
                session.wrong += 1
                return refused
            return self._codes.start(session.sign_in, "EMAIL_OTP", "mfa", address)
        if not session.data.get("verified"):
            return session.wrong_answer("InvalidParameterException", "User has not verified software token mfa")
        user["_totp_secret"], user["_totp_name"] = session.data["secret"], session.data["name"]
        user["_totp_step"] = session.data["step"]
        user["_mfa_enabled"] = [*user.get("_mfa_enabled", []), "SOFTWARE_TOKEN_MFA"]
        user["_preferred_mfa"] = "SOFTWARE_TOKEN_MFA"
        session.sign_in.done.add("mfa")
        return None

    def _usable(self, pool: dict, user: dict) -> list[str]:
        """The factors that the pool allows and the user has set up, in the service's order."""
        found = []
        for name in _ORDER:
            if name in allowed_methods(pool) and name in user.get("_mfa_enabled", []):
                ready = user.get("_totp_secret") if name == "SOFTWARE_TOKEN_MFA" else self._codes.can_reach(user, name)
                found += [name] if ready else []
        return found

    def _start(self, sign_in: SignIn, name: str) -> Answer:
        return self._app.start(sign_in) if name == "SOFTWARE_TOKEN_MFA" else self._codes.start(sign_in, name, "mfa")
