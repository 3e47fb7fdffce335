"""USER_AUTH: the first factor is chosen, by PREFERRED_CHALLENGE or by SELECT_CHALLENGE.

From Amazon's documentation: the names of challenges and answers, that AvailableChallenges lists what the pool allows
and the user has, that a preference which is not available leads to SELECT_CHALLENGE, and that a user who does not exist
is answered with one of the challenges that the pool allows. Our reading: that one is the preferred one or else the same
for every try; a wrong password leaves the session usable; passkeys are offered and never accepted, as there is no
browser; `passkey_first` asks for one at once where nothing is preferred, which pools are not known to do.
"""

from __future__ import annotations

import hashlib
import json
import secrets

from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from ..passwords import Passwords
from ..sign_in import Challenge, Session, Sessions, SignIn, missing
from . import Behaviour
from .levels import Levels
from .one_time_codes import OneTimeCodes
from .proofs import WRONG, Proofs

_FACTORS = ("PASSWORD", "EMAIL_OTP", "SMS_OTP", "WEB_AUTHN")


class ChoiceAuth(Challenge, Behaviour):
    names = ("SELECT_CHALLENGE", "PASSWORD", "PASSWORD_SRP", "WEB_AUTHN")

    def __init__(
        self,
        backend: Backend,
        sessions: Sessions,
        passwords: Passwords,
        codes: OneTimeCodes,
        proofs: Proofs,
        levels: Levels,
    ) -> None:
        self._backend = backend
        self._sessions = sessions
        self._passwords = passwords
        self._codes = codes
        self._proofs = proofs
        self._levels = levels

    def begin(self, sign_in: SignIn, call: Call, parameters: dict) -> Answer | None:
        pool = self._backend.pool(sign_in.pool_id)
        refused = self._levels.begin(sign_in, pool, parameters)
        if refused:
            return refused
        if sign_in.methods:
            return self._levels.step(sign_in, pool)
        available = self._levels.offered(sign_in, self._available(pool, sign_in.user))
        if not available:
            return refusal("InvalidParameterException", "No authentication factor is available for the user.")
        preferred = call.text("AuthParameters", "PREFERRED_CHALLENGE")
        if not preferred and sign_in.user is not None and sign_in.user.get("_passkey_first"):
            preferred = "WEB_AUTHN"
        if sign_in.user is None and preferred not in available:
            digest = hashlib.sha256(sign_in.username.encode("utf-8", "surrogatepass")).digest()
            preferred = available[digest[0] % len(available)]
        if preferred in available:
            return self._start(sign_in, preferred, parameters, None, available)
        data = {"available": available}
        return self._sessions.challenge(sign_in, "SELECT_CHALLENGE", {}, data, AvailableChallenges=available)

    def answer(self, session: Session, call: Call) -> Answer | None:
        responses = call.body["ChallengeResponses"]
        chosen = session.challenge
        if chosen == "SELECT_CHALLENGE":
            chosen = call.text("ChallengeResponses", "ANSWER")
            if not chosen:
                return missing("ANSWER")
            if chosen not in session.data["available"]:
                return session.wrong_answer("InvalidParameterException", "Invalid challenge selected")
        else:
            wanted = {"PASSWORD": "PASSWORD", "PASSWORD_SRP": "SRP_A", "WEB_AUTHN": "CREDENTIAL"}[chosen]
            if not call.text("ChallengeResponses", wanted):
                return missing(wanted)
        return self._start(session.sign_in, chosen, responses, session)

    def before(self, call: Call) -> Answer | None:
        if call.operation != "GetUserAuthFactors":
            return None
        owner = self._backend.owner(call)
        if isinstance(owner, Answer):
            return owner
        user = owner[2]
        factors = [f for f in self._available(owner[1], user) if f != "PASSWORD_SRP"]
        described = {"Username": user["Username"], "ConfiguredUserAuthFactors": factors}
        if user.get("_mfa_enabled"):
            described["UserMFASettingList"] = user["_mfa_enabled"]
        if user.get("_preferred_mfa"):
            described["PreferredMfaSetting"] = user["_preferred_mfa"]
        return success(described)

    def _available(self, pool: dict, user: dict | None) -> list[str]:
        policy = pool.get("Policies", {}).get("SignInPolicy") or {}
        allowed = policy.get("AllowedFirstAuthFactors") or ["PASSWORD"]
        found: list[str] = []
        for factor in _FACTORS:
            if factor not in allowed:
                continue
            if factor == "PASSWORD":
                found += ["PASSWORD_SRP", "PASSWORD"] if user is None or self._passwords.has_one(user) else []
            elif factor == "WEB_AUTHN":
                found += [factor] if user is not None and user.get("_passkey") else []
            elif user is None or self._codes.can_reach(user, factor):
                found.append(factor)
        return found

    def _start(
        self,
        sign_in: SignIn,
        name: str,
        given: dict,
        session: Session | None,
        available: list[str] | None = None,
    ) -> Answer | None:
        """Ask for the factor, or check it where the request has it already."""
        members = {"AvailableChallenges": available} if available else {}
        match name:
            case "PASSWORD" if isinstance(given.get("PASSWORD"), str):
                return self._check_password(sign_in, given["PASSWORD"], session)
            case "PASSWORD_SRP" if isinstance(given.get("SRP_A"), str):
                return self.ask_for_proof(sign_in, given["SRP_A"], members)
            case "EMAIL_OTP" | "SMS_OTP":
                return self._codes.start(sign_in, name, "first", **members)
            case "WEB_AUTHN" if given.get("CREDENTIAL"):
                answer = "The passkey could not be verified."
                return session.wrong_answer(WRONG[0], answer) if session else refusal(WRONG[0], answer)
            case "WEB_AUTHN":
                options = {
                    "challenge": secrets.token_urlsafe(32),
                    "timeout": 180000,
                    "rpId": "login.example.com",
                    "allowCredentials": [{"type": "public-key", "id": secrets.token_urlsafe(32)}],
                    "userVerification": "preferred",
                }
                parameters = {"CREDENTIAL_REQUEST_OPTIONS": json.dumps(options)}
                return self._sessions.challenge(sign_in, name, parameters, **members)
        return self._sessions.challenge(sign_in, name, {}, **members)

    def _check_password(self, sign_in: SignIn, password: str, session: Session | None) -> Answer | None:
        if not self._passwords.matches(sign_in.user, password):
            return session.wrong_answer(*WRONG) if session else refusal(*WRONG)
        if sign_in.user.get("UserStatus") == "RESET_REQUIRED":
            return refusal("PasswordResetRequiredException", "Password reset required for the user")
        sign_in.done.add("password")
        sign_in.methods.append("pwd")
        return None

    def ask_for_proof(self, sign_in: SignIn, srp_a: str, members: dict | None = None) -> Answer:
        """PASSWORD_VERIFIER with a session, other than in USERSRP_AUTH."""
        refused = self._proofs.public_value_refusal(srp_a)
        if refused:
            return refused
        known = sign_in.user if sign_in.user is not None and self._passwords.has_one(sign_in.user) else None
        parameters = self._backend.srp_challenge(sign_in.pool_id, sign_in.client_id, sign_in.username, known, srp_a)
        answer = self._sessions.challenge(sign_in, "PASSWORD_VERIFIER", parameters, **(members or {}))
        pending = self._backend.srp_session(parameters["SECRET_BLOCK"])
        pending["emulator_session"] = answer.payload["Session"]
        return answer
