"""Refresh tokens as the service hands them out: opaque, expiring, and rotated where the app client says so.

ministack's refresh tokens are signed JSON and live for ever. Here the client gets five dot-separated parts that look
like the service's encrypted tokens (about 1.8 kB) and stand for ministack's token, so that no client can come to
depend on its insides.

From Amazon's documentation: with rotation on, REFRESH_TOKEN_AUTH is refused and GetTokensFromRefreshToken answers a
new refresh token; the old one stays good for RetryGracePeriodSeconds, then RefreshTokenReuseException; the total life
is that of the first token; `auth_time` and `origin_jti` stay the same over refreshes.
Our reading: that GetTokensFromRefreshToken needs ALLOW_REFRESH_TOKEN_AUTH where rotation is off; the refusals' texts;
that a reuse does not revoke the newer tokens; that every use within the grace period answers one more new token; that
revoking any token of the family ends all of it; that RevokeToken of an unknown token succeeds and of another client's
token is an UnauthorizedException.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..answers import Answer, Call, refusal
from ..backend import Backend
from . import Behaviour

_JWE_HEADER = base64.urlsafe_b64encode(b'{"cty":"JWT","enc":"A256GCM","alg":"RSA-OAEP"}').rstrip(b"=").decode()
_REFRESH_FLOWS = ("REFRESH_TOKEN_AUTH", "REFRESH_TOKEN")
_MAXIMUM_TOKENS = 50_000
_NOT_ALLOWED = ("InvalidParameterException", "Auth flow not enabled for this client")


@dataclass
class Family:
    """All refresh tokens that go back to one sign-in."""

    inner: str
    pool_id: str
    client_id: str
    username: str
    origin: str
    auth_time: int
    issued: float
    expires: float
    proof: dict = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)
    superseded: dict[str, float] = field(default_factory=dict)


class RefreshTokens(Behaviour):
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._families: dict[str, Family] = {}
        self.on_sign_in: list[Callable[[Family, Call], None]] = []
        self.on_refresh: list[Callable[[Family, Call], None]] = []

    def before(self, call: Call) -> Answer | None:
        if call.operation in ("InitiateAuth", "AdminInitiateAuth") and call.text("AuthFlow") in _REFRESH_FLOWS:
            return self._before_refresh_flow(call)
        if call.operation == "GetTokensFromRefreshToken":
            found = self._backend.client(call.text("ClientId"))
            if found is not None and not _allows_refresh(found[2]) and _rotation_of(found[2]) is None:
                return refusal(*_NOT_ALLOWED)
            return self._before_refresh(call, call.body, "RefreshToken")
        if call.operation == "RevokeToken":
            return self._before_revocation(call)
        return None

    def after(self, call: Call, answer: Answer) -> Answer:
        result = answer.result
        if result is None:
            return answer
        family = call.notes.get("family")
        if family is not None:
            result = self._with_first_auth_time(result, family)
            for note in self.on_refresh:
                note(family, call)
            if call.operation == "GetTokensFromRefreshToken" and self._rotation(family) is not None:
                family.superseded.setdefault(call.notes["refresh_token"], time.time())
                result["RefreshToken"] = self._mint(family)
        elif isinstance(result.get("RefreshToken"), str):
            family = self._found(call, result)
            for note in self.on_sign_in:
                note(family, call)
            result = {**result, "RefreshToken": self._mint(family)}
        return answer.with_result(result)

    def family(self, token: str) -> Family | None:
        return self._families.get(token)

    def refusal_for(self, token: str) -> Answer | None:
        """What a refresh with `token` would be refused with; asking changes nothing."""
        family = self._families.get(token)
        if family is None:
            return refusal("NotAuthorizedException", "Invalid Refresh Token.")
        return self._refusal(family, token) or self._inner_refusal(family)

    def of_origin(self, origin: str) -> Family | None:
        """The sign-in of that `origin_jti`."""
        return next((family for family in self._families.values() if family.origin == origin), None)

    def is_alive(self, family: Family) -> bool:
        if time.time() >= family.expires or family.origin in self._backend.cognito._revoked_tokens:
            # What was revoked stays so; most are, and to verify their signatures each time takes long.
            return False
        return self._inner_refusal(family) is None

    def sessions(self, pool_id: str, username: str) -> list[dict]:
        """One entry per sign-in of the user, oldest first."""
        families = {id(f): f for f in self._families.values() if (f.pool_id, f.username) == (pool_id, username)}
        return [
            {
                "origin_jti": f.origin,
                "client_id": f.client_id,
                "issued": f.issued,
                "expires": f.expires,
                "refresh_tokens": list(f.tokens),
                "alive": self.is_alive(f),
            }
            for f in families.values()
        ]

    def living(self) -> list[str]:
        """The origins of all sign-ins whose tokens are good."""
        families = {id(family): family for family in self._families.values()}
        return [family.origin for family in families.values() if self.is_alive(family)]

    def expire(self, pool_id: str, username: str | None) -> int:
        """Make the refresh tokens of the pool (or of one user) as old as they can get."""
        chosen = {id(f): f for f in self._families.values() if f.pool_id == pool_id and username in (None, f.username)}
        for family in chosen.values():
            family.expires = 0.0
        return len(chosen)

    def lengthen(self, token: str, kilobytes: int) -> str:
        """A working refresh token of that size in place of `token`."""
        family = self._families.get(token)
        return self._mint(family, kilobytes * 768) if family else token

    def resign(self, pool_id: str) -> None:
        """After a change of the pool's signing keys: keep ministack's own tokens valid, as AWS keeps its."""
        for family in {id(f): f for f in self._families.values() if f.pool_id == pool_id}.values():
            family.inner = self._backend.sign(self._backend.claims(family.inner), pool_id, "access")

    def _before_refresh_flow(self, call: Call) -> Answer | None:
        found = self._backend.client(call.text("ClientId"))
        parameters = call.body.get("AuthParameters")
        if found is None or not isinstance(parameters, dict):
            return None
        client = found[2]
        if not _allows_refresh(client) or _rotation_of(client) is not None:
            return refusal(*_NOT_ALLOWED)
        return self._before_refresh(call, parameters, "REFRESH_TOKEN")

    def _before_refresh(self, call: Call, members: dict, key: str) -> Answer | None:
        token = members.get(key)
        family = self._families.get(token) if isinstance(token, str) else None
        if family is None:
            return refusal("NotAuthorizedException", "Invalid Refresh Token.") if token else None
        if family.client_id == call.text("ClientId"):
            refused = self._refusal(family, token)
            if refused:
                return refused
        call.notes["family"], call.notes["refresh_token"] = family, token
        members[key] = family.inner
        return None

    def _before_revocation(self, call: Call) -> Answer | None:
        token = call.text("Token")
        family = self._families.get(token)
        found = self._backend.client(call.text("ClientId"))
        if found is not None and not found[2].get("EnableTokenRevocation", True):
            return refusal("UnsupportedOperationException", "Token revocation is not enabled for this client")
        if family is None:
            if self._backend.claims(token).get("token_use") in ("access", "id"):
                return refusal("UnsupportedTokenTypeException", "Unsupported token type")
            return None
        if family.client_id != call.text("ClientId"):
            return refusal("UnauthorizedException", "Refresh Token has different Client")
        call.body["Token"] = family.inner
        return None

    def _refusal(self, family: Family, token: str) -> Answer | None:
        if time.time() >= family.expires:
            return refusal("NotAuthorizedException", "Refresh Token has expired")
        grace = self._rotation(family)
        since = family.superseded.get(token)
        if grace is not None and since is not None and time.time() > since + grace:
            return refusal("RefreshTokenReuseException", "Refresh token has been reused")
        return None

    def _inner_refusal(self, family: Family) -> Answer | None:
        pool = self._backend.pool(family.pool_id)
        if pool is None:
            return refusal("ResourceNotFoundException", f"User pool {family.pool_id} does not exist.")
        _user, error = self._backend.cognito._refresh_auth_user(pool, family.pool_id, family.client_id, family.inner)
        if error is None:
            return None
        answer = Answer(error[0], error[2] if isinstance(error[2], bytes) else error[2].encode())
        return refusal(answer.error_name or "NotAuthorizedException", answer.message)

    def _rotation(self, family: Family) -> int | None:
        found = self._backend.client(family.client_id)
        return _rotation_of(found[2]) if found else None

    def _found(self, call: Call, result: dict) -> Family:
        """The family that begins with a completed sign-in."""
        claims = self._backend.claims(result["AccessToken"])
        client_id = call.text("ClientId")
        pool_id = str(claims.get("iss", "")).rsplit("/", 1)[-1]
        life = self._backend.cognito._token_validity(pool_id, client_id, "refresh")
        now = time.time()
        return Family(
            result["RefreshToken"],
            pool_id,
            client_id,
            str(claims.get("username", "")),
            str(claims.get("origin_jti", "")),
            int(claims.get("auth_time", now)),
            now,
            now + life,
            {claim: claims[claim] for claim in ("acr", "amr") if claim in claims},
        )

    def _mint(self, family: Family, size: int = 980) -> str:
        token = ".".join((_JWE_HEADER, _random(256), _random(12), _random(size), _random(16)))
        family.tokens.append(token)
        if len(self._families) >= _MAXIMUM_TOKENS:
            self._families.pop(next(iter(self._families)))
        self._families[token] = family
        return token

    def _with_first_auth_time(self, result: dict, family: Family) -> dict:
        changed = dict(result)
        for member, use in (("AccessToken", "access"), ("IdToken", "id")):
            claims = self._backend.claims(result.get(member, ""))
            if claims:
                changed[member] = self._backend.sign(
                    {**claims, **family.proof, "auth_time": family.auth_time}, family.pool_id, use
                )
        return changed


def _allows_refresh(client: dict) -> bool:
    flows = client.get("ExplicitAuthFlows") or []
    return "ALLOW_REFRESH_TOKEN_AUTH" in flows or not any(f.startswith("ALLOW_") for f in flows)


def _rotation_of(client: dict) -> int | None:
    """The grace period in seconds where the client has rotation on, else None."""
    rotation = client.get("RefreshTokenRotation") or {}
    return int(rotation.get("RetryGracePeriodSeconds") or 0) if rotation.get("Feature") == "ENABLED" else None


def _random(count: int) -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(count)).rstrip(b"=").decode()
