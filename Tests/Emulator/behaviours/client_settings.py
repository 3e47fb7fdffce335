"""App client settings that ministack drops, kept where the other behaviours look for them."""

from __future__ import annotations

from ..answers import Answer, Call, success
from ..backend import Backend
from . import Behaviour

_KEPT = ("RefreshTokenRotation",)


class ClientSettings(Behaviour):
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def after(self, call: Call, answer: Answer) -> Answer:
        description = answer.payload.get("UserPoolClient")
        if answer.status != 200 or not isinstance(description, dict):
            return answer
        found = self._backend.client(description.get("ClientId", ""))
        if found is None:
            return answer
        client = found[2]
        if call.operation in ("CreateUserPoolClient", "UpdateUserPoolClient"):
            client.update({key: call.body[key] for key in _KEPT if key in call.body})
        kept = {key: client[key] for key in _KEPT if key in client}
        return success({"UserPoolClient": {**description, **kept}}) if kept else answer
