"""What an address or a number has to look like, and whose it may not be.

From public issue reports: the texts. From Amazon's documentation: a phone number begins with + and has digits only, and
a verified address that is an alias is one user's only. Our reading: the form of an address; that a new attribute is
compared with the verified ones of others at once, not only once it is verified itself.
"""

from __future__ import annotations

import re

from ..answers import Answer, Call, refusal
from ..backend import Backend
from . import Behaviour

_FORMS = {
    "email": (re.compile(r"[^\s@,;]+@[^\s@.,;]+(\.[^\s@.,;]+)+"), "Invalid email address format."),
    "phone_number": (re.compile(r"\+[1-9][0-9]{1,14}"), "Invalid phone number format."),
}
_OPERATIONS = ("SignUp", "AdminCreateUser", "UpdateUserAttributes", "AdminUpdateUserAttributes")


class Attributes(Behaviour):
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def before(self, call: Call) -> Answer | None:
        given = call.body.get("UserAttributes")
        if call.operation not in _OPERATIONS or not isinstance(given, list):
            return None
        return self._form_refusal({a["Name"]: a.get("Value", "") for a in given})

    def refusal(self, pool: dict, user: dict, given: dict[str, str]) -> Answer | None:
        """What refuses attributes that the user wants to have."""
        return self._form_refusal(given) or self._alias_refusal(pool, user, given)

    @staticmethod
    def _form_refusal(given: dict[str, str]) -> Answer | None:
        for name, (form, text) in _FORMS.items():
            if given.get(name) and not form.fullmatch(given[name]):
                return refusal("InvalidParameterException", text)
        return None

    def _alias_refusal(self, pool: dict, user: dict, given: dict[str, str]) -> Answer | None:
        unique = set(pool.get("UsernameAttributes") or []) | set(pool.get("AliasAttributes") or [])
        for other in pool["_users"].values():
            theirs = self._backend.attributes(other)
            for name in unique & set(given):
                verified = name == "preferred_username" or str(theirs.get(f"{name}_verified")).lower() == "true"
                if other is not user and verified and theirs.get(name) == given[name]:
                    text = f"An account with the given {name} already exists."
                    return refusal("AliasExistsException", text)
        return None
