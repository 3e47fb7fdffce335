"""ForgotPassword, ConfirmForgotPassword and ChangePassword, and the code that an administrator's reset sends.

From Amazon's documentation: with PreventUserExistenceErrors a delivery is pretended for users who are unknown, disabled
or without a verified address, and confirming answers CodeMismatchException for those who are unknown or disabled and
ExpiredCodeException where no code was asked for; a code is good for an hour. From public issue reports: the other
texts. Our reading: an address comes before a phone number; a user who is unknown gets the code wrong for ever; a
refused password leaves the code usable; five wrong codes end it with LimitExceededException.
"""

from __future__ import annotations

from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from ..outbox import Message, Outbox, Switches
from ..passwords import Passwords
from ..sign_in import missing
from . import Behaviour
from .one_time_codes import EXPIRED, MISMATCH, code_refusal, pretended_destination
from .proofs import WRONG

_CODE_SECONDS = 3600.0
_WRONG_CODES = 5
_LIMIT = ("LimitExceededException", "Attempt limit exceeded, please try after some time.")
_NO_CONTACT = (
    "InvalidParameterException",
    "Cannot reset password for the user as there is no registered/verified email or phone_number",
)
_UNKNOWN = ("UserNotFoundException", "Username/client id combination not found.")


class PasswordRecovery(Behaviour):
    def __init__(self, backend: Backend, passwords: Passwords, outbox: Outbox, switches: Switches) -> None:
        self._backend = backend
        self._passwords = passwords
        self._outbox = outbox
        self._switches = switches

    def before(self, call: Call) -> Answer | None:
        operation = {
            "ForgotPassword": self._forgot,
            "ConfirmForgotPassword": self._confirm,
            "ChangePassword": self._change,
        }.get(call.operation)
        if operation is None:
            return None
        return refusal(*_LIMIT) if self._switches.limit_exceeded else operation(call)

    def after(self, call: Call, answer: Answer) -> Answer:
        if answer.status == 200 and call.operation in ("AdminResetUserPassword", "AdminSetUserPassword"):
            pool_id = call.text("UserPoolId")
            pool = self._backend.pool(pool_id)
            user = self._backend.user(pool, call.text("Username")) if pool else None
            if user is not None and call.operation == "AdminSetUserPassword":
                user.pop("_passwordless", None)
            elif user is not None and self._contact(user) is not None:
                self._send(pool_id, user)
        return answer

    def _forgot(self, call: Call) -> Answer:
        found = self._start(call)
        if isinstance(found, Answer):
            return found
        pool_id, hidden, user = found
        name = call.text("Username")
        contact = self._contact(user) if user is not None else None
        if user is None or not user.get("Enabled", True) or contact is None:
            if hidden:
                return self._pretended(pool_id, name)
            if user is None:
                return refusal(*_UNKNOWN)
            return refusal(*_NO_CONTACT) if contact is None else refusal("NotAuthorizedException", "User is disabled.")
        if user.get("UserStatus") == "FORCE_CHANGE_PASSWORD":
            return refusal("NotAuthorizedException", "User password cannot be reset in the current state.")
        if user.get("UserStatus") == "UNCONFIRMED":
            return refusal(*_NO_CONTACT)
        return _delivery(self._send(pool_id, user))

    def _confirm(self, call: Call) -> Answer:
        found = self._start(call)
        if isinstance(found, Answer):
            return found
        pool_id, hidden, user = found
        if user is None or not user.get("Enabled", True):
            if hidden:
                return refusal(*MISMATCH)
            return refusal(*_UNKNOWN) if user is None else refusal("NotAuthorizedException", "User is disabled.")
        message: Message | None = user.get("_recovery_code")
        if message is None:
            return refusal(*EXPIRED)
        if user.get("_recovery_failures", 0) >= _WRONG_CODES:
            return refusal(*_LIMIT)
        refused = code_refusal(message, call.text("ConfirmationCode"))
        if refused:
            user["_recovery_failures"] = user.get("_recovery_failures", 0) + 1
            return refusal(*refused)
        answer = self._passwords.change(self._backend.pool(pool_id), user, call.text("Password"))
        if answer is not None:
            return answer
        user["_recovery_code"] = None
        user["UserStatus"] = "CONFIRMED"
        return success({})

    def _change(self, call: Call) -> Answer:
        owner = self._backend.owner(call)
        if isinstance(owner, Answer):
            return owner
        _pool_id, pool, user = owner
        if self._passwords.has_one(user):
            previous = call.text("PreviousPassword")
            if not previous:
                return missing("OldPassword")
            if not self._passwords.matches(user, previous):
                return refusal(*WRONG)
        return self._passwords.change(pool, user, call.text("ProposedPassword")) or success({})

    def _start(self, call: Call) -> tuple[str, bool, dict | None] | Answer:
        """(pool id, whether unknown users are hidden, user) of the call."""
        client_id = call.text("ClientId")
        found = self._backend.client(client_id)
        if found is None:
            return refusal("ResourceNotFoundException", f"User pool client {client_id} does not exist.")
        refused = self._backend.secret_hash_refusal(call)
        if refused:
            return refused
        pool_id, pool, client = found
        hidden = client.get("PreventUserExistenceErrors") == "ENABLED"
        return pool_id, hidden, self._backend.user(pool, call.text("Username"))

    def _contact(self, user: dict) -> tuple[str, str] | None:
        """(medium, address) of a verified address, if the user has one."""
        attributes = self._backend.attributes(user)
        for medium, name in (("EMAIL", "email"), ("SMS", "phone_number")):
            if attributes.get(name) and str(attributes.get(f"{name}_verified")).lower() == "true":
                return medium, attributes[name]
        return None

    def _send(self, pool_id: str, user: dict) -> Message:
        medium, address = self._contact(user) or ("EMAIL", "")
        message = self._outbox.send(pool_id, user["Username"], "FORGOT_PASSWORD", medium, address, _CODE_SECONDS)
        user["_recovery_code"], user["_recovery_failures"] = message, 0
        return message

    def _pretended(self, pool_id: str, name: str) -> Answer:
        address = pretended_destination(name, "EMAIL")
        return _delivery(
            self._outbox.send(pool_id, name, "FORGOT_PASSWORD", "EMAIL", address, _CODE_SECONDS, pretended=True)
        )


def _delivery(message: Message) -> Answer:
    attribute = "email" if message.medium == "EMAIL" else "phone_number"
    return success(
        {
            "CodeDeliveryDetails": {
                "Destination": message.masked,
                "DeliveryMedium": message.medium,
                "AttributeName": attribute,
            }
        }
    )
