"""Access tokens that came after a sign-out everywhere and are refused all the same: the service counts in seconds.

From public issue reports (aws-sdk-js#4323): a sign-in shortly after GlobalSignOut may be revoked with it, since
revocation goes by time. Our reading: it is the access token that is refused, with "Access Token has been revoked", if
it was issued in the same whole second; the refresh token beside it lives. Off unless switched on, since whatever
signs in twice in a second would meet it by chance; the switch says for how many seconds after a sign-out, so that a
test need not be quick.
"""

from __future__ import annotations

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..outbox import Switches
from . import Behaviour


class RevocationTime(Behaviour):
    def __init__(self, backend: Backend, switches: Switches) -> None:
        self._backend = backend
        self._switches = switches

    def before(self, call: Call) -> Answer | None:
        if not self._switches.revocation_seconds or not call.text("AccessToken"):
            return None
        owner = self._backend.owner(call)
        if isinstance(owner, Answer):
            return None
        issued = int(self._backend.claims(call.text("AccessToken")).get("iat", 0))
        # A user who never signed out everywhere did so at the beginning of time.
        if issued < int(owner[2].get("_signout_at", 0)) + self._switches.revocation_seconds:
            return refusal("NotAuthorizedException", "Access Token has been revoked")
        return None
