"""The plain ClientSecret member of GetTokensFromRefreshToken and RevokeToken, which ministack ignores.

Our reading: GetTokensFromRefreshToken refuses with NotAuthorizedException; RevokeToken declares UnauthorizedException
and no NotAuthorizedException. The message texts follow those of SECRET_HASH.
"""

from __future__ import annotations

import hmac

from ..answers import Answer, Call, refusal
from ..backend import Backend
from . import Behaviour

_REFUSAL = {"GetTokensFromRefreshToken": "NotAuthorizedException", "RevokeToken": "UnauthorizedException"}


class ClientSecret(Behaviour):
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def before(self, call: Call) -> Answer | None:
        name = _REFUSAL.get(call.operation)
        if name is None:
            return None
        client_id = call.text("ClientId")
        found = self._backend.client(client_id)
        if found is None:
            return refusal("ResourceNotFoundException", f"User pool client {client_id} does not exist.")
        secret, given = found[2].get("ClientSecret"), call.text("ClientSecret")
        if secret and not given:
            return refusal(name, f"Client {client_id} is configured with secret but secret was not received")
        if secret and not hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass")):
            return refusal(name, f"Unable to verify secret for client {client_id}")
        if given and not secret:
            return refusal(
                "InvalidParameterException",
                f"App client {client_id} is not configured for secret but secret was received",
            )
        return None
