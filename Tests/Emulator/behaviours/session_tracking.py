"""Pools that track sessions: at most MaxPerUser of them a person, a list of them, and the end of a single one.

From the service's own model: the operations, their members and bounds; that tracking is off until
SetUserPoolSessionConfiguration turns it on, with 20 sessions a person by default; that a person at the limit loses the
token session that was used least lately, use being a refresh or a rotation, when they next sign in; that lowering the
limit ends nothing before that; that DeviceType is made of the User-Agent of the last use; that a session cannot revoke
itself; that only active sessions are listed.
Our reading: an evicted session's tokens are refused like those of one that was revoked, so that the texts tell nobody
which it was; ListUserSessions in a pool that does not track is an InvalidParameterException; DeviceType is the whole
User-Agent; a sign-in from before tracking was turned on counts as one that was used when it began. The few seconds
after which a new session is listed are a switch (`session_list_delay`), in which it is evicted none the less.
"""

from __future__ import annotations

import secrets
import string
import time
from dataclasses import dataclass

from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from ..outbox import Switches
from . import Behaviour
from .refresh_tokens import Family, RefreshTokens

_DEFAULT_LIMIT = 20
_CHARACTERS = string.ascii_lowercase + string.digits


@dataclass
class TokenSession:
    identifier: str
    family: Family
    created: float
    active: float
    device: str
    address: str


class SessionTracking(Behaviour):
    def __init__(self, backend: Backend, tokens: RefreshTokens, switches: Switches) -> None:
        self._backend = backend
        self._tokens = tokens
        self._switches = switches
        self._sessions: dict[int, TokenSession] = {}
        tokens.on_sign_in.append(self._began)
        tokens.on_refresh.append(self._used)

    def before(self, call: Call) -> Answer | None:
        match call.operation:
            case "SetUserPoolSessionConfiguration" | "GetUserPoolSessionConfiguration":
                return self._configuration(call)
            case "ListUserSessions" | "RevokeUserSession":
                owner = self._backend.owner(call)
                if isinstance(owner, Answer):
                    return owner
                current = str(self._backend.claims(call.text("AccessToken")).get("origin_jti", ""))
                return self._about(call, owner[1], owner[0], owner[2], current)
            case "AdminListUserSessions" | "AdminRevokeUserSession":
                pool_id = call.text("UserPoolId")
                pool = self._backend.pool(pool_id)
                if pool is None:
                    return refusal("ResourceNotFoundException", f"User pool {pool_id} does not exist.")
                user = self._backend.user(pool, call.text("Username"))
                if user is None:
                    return refusal("UserNotFoundException", "User does not exist.")
                return self._about(call, pool, pool_id, user, "")
        return None

    def track(self, pool: dict, limit: int | None) -> None:
        """At most so many sessions a person in the pool; None: it does not track."""
        pool["_session_limit"] = limit

    def _configuration(self, call: Call) -> Answer:
        pool_id = call.text("UserPoolId")
        pool = self._backend.pool(pool_id)
        if pool is None:
            return refusal("ResourceNotFoundException", f"User pool {pool_id} does not exist.")
        if call.operation == "SetUserPoolSessionConfiguration":
            on = call.text("UserSessionTracking") == "ENABLED"
            pool["_session_maximum"] = call.body["TokenSession"]["MaxPerUser"]
            self.track(pool, pool["_session_maximum"] if on else None)
        limit = pool.get("_session_limit")
        return success(
            {
                "UserPoolId": pool_id,
                "UserSessionTracking": "DISABLED" if limit is None else "ENABLED",
                "TokenSession": {"MaxPerUser": limit or pool.get("_session_maximum", _DEFAULT_LIMIT)},
            }
        )

    def _about(self, call: Call, pool: dict, pool_id: str, user: dict, current: str) -> Answer:
        if pool.get("_session_limit") is None:
            return refusal("InvalidParameterException", "Session tracking is not enabled for the user pool.")
        active = self._active(pool_id, user["Username"])
        if call.operation in ("ListUserSessions", "AdminListUserSessions"):
            ripe = time.time() - self._switches.session_list_delay
            listed = [s for s in active if s.created <= ripe]
            return success({"Sessions": [self._described(s, current) for s in listed]})
        found = next((s for s in active if s.identifier == call.text("SessionId")), None)
        if found is None:
            return refusal("ResourceNotFoundException", "Session does not exist.")
        if found.family.origin == current:
            return refusal("InvalidParameterException", "The current session cannot be revoked.")
        self._end(found)
        return success({})

    def _began(self, family: Family, call: Call) -> None:
        pool = self._backend.pool(family.pool_id) or {}
        limit = pool.get("_session_limit")
        if limit is not None:
            earlier = sorted(self._active(family.pool_id, family.username), key=lambda s: s.active)
            for session in earlier[: max(0, len(earlier) - limit + 1)]:
                self._end(session)
        identifier = "tkn" + "".join(secrets.choice(_CHARACTERS) for _ in range(25))
        now = time.time()
        self._sessions[id(family)] = TokenSession(identifier, family, now, now, _device(call), "127.0.0.1")

    def _used(self, family: Family, call: Call) -> None:
        session = self._sessions.get(id(family))
        if session is not None:
            session.active, session.device = time.time(), _device(call)

    def _active(self, pool_id: str, username: str) -> list[TokenSession]:
        return [
            s
            for s in self._sessions.values()
            if (s.family.pool_id, s.family.username) == (pool_id, username) and self._tokens.is_alive(s.family)
        ]

    def _end(self, session: TokenSession) -> None:
        self._backend.revoke_origin(session.family.origin)

    @staticmethod
    def _described(session: TokenSession, current: str) -> dict:
        return {
            "SessionId": session.identifier,
            "SessionType": "TOKEN",
            "ClientId": session.family.client_id,
            "CreateDate": round(session.created, 3),
            "LastActiveDate": round(session.active, 3),
            "DeviceType": session.device,
            "LastIPAddress": session.address,
            "LastLocation": {"City": "unknown", "Country": "unknown"},
            "IsCurrentSession": session.family.origin == current,
        }


def _device(call: Call) -> str:
    agents = [value for name, value in call.headers if name.lower() == "user-agent"]
    return agents[0][:1024] if agents else "unknown"
