"""NEW_PASSWORD_REQUIRED: a user with a temporary password chooses one, and fills in what the pool requires.

From Amazon's documentation: the two JSON strings among the parameters, the `userAttributes.` prefix of the answers, and
that attributes which have a value cannot be changed here. From public issue reports: the texts for a missing and for an
already provided attribute. Our reading: a refused password or attribute leaves the session usable.
"""

from __future__ import annotations

import json

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..passwords import Passwords
from ..sign_in import Challenge, Session, Sessions, SignIn, missing
from .attributes import Attributes

_PREFIX = "userAttributes."
_LONGEST_ATTRIBUTE = 2048


class NewPassword(Challenge):
    names = ("NEW_PASSWORD_REQUIRED",)

    def __init__(self, backend: Backend, sessions: Sessions, passwords: Passwords, attributes: Attributes) -> None:
        self._backend = backend
        self._sessions = sessions
        self._passwords = passwords
        self._attributes = attributes

    def step(self, sign_in: SignIn, pool: dict) -> Answer | None:
        if (
            sign_in.user is None
            or sign_in.flow == "CUSTOM_AUTH"
            or sign_in.user.get("UserStatus") != "FORCE_CHANGE_PASSWORD"
        ):
            return None
        if sign_in.user.get("_temporary_expired"):
            return refusal(
                "NotAuthorizedException",
                "Temporary password has expired and must be reset by an administrator.",
            )
        attributes = {k: v for k, v in self._backend.attributes(sign_in.user).items() if k != "sub"}
        required = [_PREFIX + name for name in _required(pool) if not attributes.get(name)]
        return self._sessions.challenge(
            sign_in,
            "NEW_PASSWORD_REQUIRED",
            {
                "USER_ID_FOR_SRP": sign_in.username,
                "requiredAttributes": json.dumps(required),
                "userAttributes": json.dumps(attributes),
            },
        )

    def answer(self, session: Session, call: Call) -> Answer | None:
        user = session.sign_in.user
        pool = self._backend.pool(session.sign_in.pool_id)
        password = call.text("ChallengeResponses", "NEW_PASSWORD")
        if not password:
            return missing("NEW_PASSWORD")
        current = self._backend.attributes(user)
        given = {
            key.removeprefix(_PREFIX): value
            for key, value in call.body["ChallengeResponses"].items()
            if key.startswith(_PREFIX) and isinstance(value, str)
        }
        refused = self._attribute_refusal(pool, current, given) or self._attributes.refusal(pool, user, given)
        if refused:
            return refused
        refused = self._passwords.change(pool, user, password)
        if refused:
            return refused
        user["Attributes"] = [{"Name": k, "Value": v} for k, v in {**current, **given}.items()]
        user["UserStatus"] = "CONFIRMED"
        return None

    @staticmethod
    def _attribute_refusal(pool: dict, current: dict, given: dict) -> Answer | None:
        known = {a["Name"] for a in pool.get("SchemaAttributes", [])}
        for name, value in given.items():
            if name == "sub" or name not in known or len(value) > _LONGEST_ATTRIBUTE:
                return refusal("InvalidParameterException", f"Invalid attributes given, {name[:100]} is not valid")
            if current.get(name) and current[name] != value:
                return refusal("NotAuthorizedException", f"Cannot modify an already provided {name}")
        for name in _required(pool):
            if not current.get(name) and not given.get(name):
                return refusal("InvalidParameterException", f"Invalid attributes given, {name} is missing")
        return None


def _required(pool: dict) -> list[str]:
    return [a["Name"] for a in pool.get("SchemaAttributes", []) if a.get("Required") and a["Name"] != "sub"]
