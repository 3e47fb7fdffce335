"""Levels of authentication: TARGET_ACR_VALUES, MAX_AGE and ACCESS_TOKEN in USER_AUTH, and `acr` and `amr` in tokens.

From Amazon's documentation: four levels and the factors that make each; that the target is the first of the list that
the user can reach, that unknown names are ignored, and that there being none is an error; that ACCESS_TOKEN needs
TARGET_ACR_VALUES and the token's own user, counts what its `amr` has, and nothing once it is older than MAX_AGE; that
a token that has the level already is an error, as is a user without the factors; that MFA that is required stays
required; that a refresh keeps both claims and `auth_time`; that a lower plan answers
FeatureUnavailableInTierException. Reported from a live account: where the feature has not arrived, the parameters are
ignored, and tokens have neither claim (`levels="ignored"`). Our reading, stricter where the documents leave room:
tokens of a sign-in that asked for no level have neither claim, and so no credit; the access token must be good, and
of the same app client; MAX_AGE is digits; the words of the refusals; a first factor that cannot lead to the target is
not offered.
"""

from __future__ import annotations

import time

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..passwords import Passwords
from ..sign_in import SignIn
from .one_time_codes import OneTimeCodes
from .software_token import SoftwareToken

_METHODS = {
    "SOFTWARE_TOKEN_MFA": "otp",
    "MFA_SETUP": "otp",
    "SMS_MFA": "sms",
    "SMS_OTP": "sms",
    "EMAIL_OTP": "email_otp",
}
_CODES = {"SMS_MFA": "sms", "EMAIL_OTP": "email_otp"}
_FIRST = {1: {"PASSWORD", "PASSWORD_SRP"}, 2: {"EMAIL_OTP", "SMS_OTP"}}
_NO_PLAN = (
    "FeatureUnavailableInTierException",
    "Step-up authentication is not available in the user pool's feature plan.",
)


def method_of(challenge: str) -> str | None:
    """What a right answer to `challenge` adds to `amr`."""
    return _METHODS.get(challenge)


def level_of(methods: list[str]) -> int:
    """The highest level that `methods` satisfy; 0: none."""
    proved = set(methods)
    if {"pwd", "otp"} <= proved:
        return 4
    if "pwd" in proved and proved & {"sms", "email_otp"}:
        return 3
    if proved & {"sms", "email_otp"}:
        return 2
    return 1 if "pwd" in proved else 0


class Levels:
    def __init__(self, backend: Backend, passwords: Passwords, codes: OneTimeCodes, app: SoftwareToken) -> None:
        self._backend = backend
        self._passwords = passwords
        self._codes = codes
        self._app = app

    def begin(self, sign_in: SignIn, pool: dict, parameters: dict) -> Answer | None:
        """What refuses the request; else the sign-in has its target, and what counts for it."""
        wanted, token = parameters.get("TARGET_ACR_VALUES"), parameters.get("ACCESS_TOKEN")
        if pool.get("_levels") == "ignored":
            return None
        if not wanted:
            return _wrong("ACCESS_TOKEN needs TARGET_ACR_VALUES.") if token else None
        if pool.get("UserPoolTier") == "LITE":
            return refusal(*_NO_PLAN)
        age = parameters.get("MAX_AGE", "")
        if age and not age.isdecimal():
            return _wrong("MAX_AGE has to be a number that is not negative.")
        numbers = {name: number for number, name in self._names(pool).items()}
        levels = [numbers[name] for name in wanted.split(" ") if name in numbers]
        if not levels:
            return _wrong("TARGET_ACR_VALUES has no valid value.")
        reachable = [level for level in levels if self._can_reach(pool, sign_in.user, level)]
        if sign_in.user is None:
            sign_in.target = levels[0]
            return None
        if not reachable:
            return _wrong("The user has no factors for the requested authentication level.")
        sign_in.target = reachable[0]
        return self._credit(sign_in, token, age) if token else None

    def offered(self, sign_in: SignIn, factors: list[str]) -> list[str]:
        """Those first factors that can lead to the target."""
        if not sign_in.target:
            return factors
        return [f for f in factors if f in _FIRST[2 if sign_in.target == 2 else 1]]

    def step(self, sign_in: SignIn, pool: dict) -> Answer | None:
        """The challenge for what is missing of the target; None: nothing is."""
        if sign_in.target < 2 or level_of(sign_in.methods) >= sign_in.target:
            return None
        if sign_in.target == 4:
            return self._app.start(sign_in)
        if sign_in.target == 2:
            return self._codes.start(sign_in, self._first_codes(pool, sign_in.user)[0], "first")
        kinds = [name for name in _CODES if self._has(pool, sign_in.user, name)]
        preferred = sign_in.user.get("_preferred_mfa")
        return self._codes.start(sign_in, preferred if preferred in kinds else kinds[0], "mfa")

    def finish(self, sign_in: SignIn, pool: dict, result: dict) -> dict:
        if not sign_in.target:
            return result
        level = level_of(sign_in.methods)
        amr = list(dict.fromkeys(sign_in.methods))
        claims = {"acr": self._names(pool)[level], "amr": [*amr, *(["mfa"] if len(amr) > 1 else [])]}
        changed = dict(result)
        for member, use in (("AccessToken", "access"), ("IdToken", "id")):
            changed[member] = self._backend.sign(
                {**self._backend.claims(result[member]), **claims}, sign_in.pool_id, use
            )
        return changed

    def _credit(self, sign_in: SignIn, token: str, age: str) -> Answer | None:
        owner = self._backend.owner(Call("InitiateAuth", {"AccessToken": token}))
        if isinstance(owner, Answer):
            return owner
        claims = self._backend.claims(token)
        if owner[2] is not sign_in.user or claims.get("client_id") != sign_in.client_id:
            return refusal("NotAuthorizedException", "Invalid Access Token")
        if age and time.time() - claims.get("auth_time", 0) > int(age):
            return None
        methods = [method for method in claims.get("amr", []) if method != "mfa"]
        if level_of(methods) >= sign_in.target:
            return _wrong("The access token satisfies the requested authentication level.")
        # What is missing comes after a password: without one it is all missing.
        sign_in.methods = methods if "pwd" in methods or sign_in.target == 2 else []
        return None

    def _names(self, pool: dict) -> dict[int, str]:
        custom = pool.get("_acr_names") or {}
        return {number: custom.get(f"Level{number}", f"urn:cognito:loa:{number}") for number in range(1, 5)}

    def _can_reach(self, pool: dict, user: dict | None, level: int) -> bool:
        if user is None:
            return False
        if level == 2:
            return bool(self._first_codes(pool, user))
        if not self._passwords.has_one(user):
            return False
        match level:
            case 1:
                return True
            case 3:
                return any(self._has(pool, user, name) for name in _CODES)
            case _:
                return "SOFTWARE_TOKEN_MFA" in user.get("_mfa_enabled", []) and bool(user.get("_totp_secret"))

    def _first_codes(self, pool: dict, user: dict) -> list[str]:
        policy = pool.get("Policies", {}).get("SignInPolicy") or {}
        allowed = policy.get("AllowedFirstAuthFactors") or []
        return [name for name in ("EMAIL_OTP", "SMS_OTP") if name in allowed and self._codes.can_reach(user, name)]

    def _has(self, pool: dict, user: dict, name: str) -> bool:
        return name in user.get("_mfa_enabled", []) and self._codes.can_reach(user, name)


def _wrong(message: str) -> Answer:
    return refusal("InvalidParameterException", message)
