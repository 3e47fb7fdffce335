"""Managed login: the pages and OAuth endpoints of a user pool's domain, as far as a federated sign-in needs them.

From RFC 6749, RFC 7636 and Amazon's documentation: the parameters and their checks; that only S256 is taken; that a
code is good once, for five minutes, for its app client, redirect_uri and verifier; which errors are redirected and
which are shown; the identities of a user. From public reports: an unknown scope is error=invalid_request with
error_description=invalid_scope; a code is used up by a wrong redirect_uri or verifier, and not by a wrong secret.
Our reading: what the identity provider refuses comes back as its own error and description; prompt and login_hint are
handed on to it; attributes that are lists become "[a, b]"; a new user's address counts as verified only where the
mapping says so. There is one domain for all pools, and no sign-in form for users with a password.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import secrets
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

import jwt

from .answers import Answer, Call, json_answer, oauth_error, redirect, success
from .backend import Backend
from .behaviours.refresh_tokens import RefreshTokens
from .foreign_provider import ForeignProvider, basic_credentials
from .front import Request

FORM = "application/x-www-form-urlencoded"
_CODE_SECONDS = 300.0
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
# The endpoints with the parameters that they know; True: it has to be there.
_ENDPOINTS: dict[str, tuple[str, dict[str, bool]]] = {
    "/oauth2/authorize": (
        "GET",
        {
            "response_type": True,
            "client_id": True,
            "redirect_uri": True,
            "scope": False,
            "state": True,
            "nonce": True,
            "code_challenge": True,
            "code_challenge_method": True,
            "identity_provider": True,
            "login_hint": False,
            "prompt": False,
            "lang": False,
        },
    ),
    "/oauth2/idpresponse": ("GET", {"code": False, "state": True, "error": False, "error_description": False}),
    "/oauth2/token": (
        "POST",
        {
            "grant_type": True,
            "client_id": False,
            "client_secret": False,
            "code": False,
            "code_verifier": False,
            "redirect_uri": False,
            "refresh_token": False,
            "scope": False,
        },
    ),
    "/oauth2/revoke": ("POST", {"token": True, "client_id": False, "client_secret": False}),
    "/logout": ("GET", {"client_id": True, "logout_uri": True}),
}
_SECRETS = {
    "code": "authorization_code",
    "code_verifier": "code_verifier",
    "client_secret": "client_secret",
    "refresh_token": "refresh_token",
    "token": "refresh_token",
}
_RESULT = {"access_token": "AccessToken", "id_token": "IdToken", "refresh_token": "RefreshToken"}


@dataclass
class _Grant:
    """A sign-in from /authorize to its code, and what the code is bound to."""

    pool_id: str
    client_id: str
    asked: dict
    scope: str
    username: str = ""
    expires: float = field(default_factory=lambda: time.monotonic() + _CODE_SECONDS)


class ManagedLogin:
    def __init__(
        self,
        backend: Backend,
        refresh_tokens: RefreshTokens,
        provider: ForeignProvider,
        operation: Callable[[Call], Awaitable[Answer]],
        note: Callable[[str, object], None],
    ) -> None:
        self._backend = backend
        self._refresh_tokens = refresh_tokens
        self._provider = provider
        self._operation = operation
        self._note = note
        self._relays: dict[str, _Grant] = {}
        self._codes: dict[str, _Grant] = {}
        self.origin = ""

    @property
    def callback(self) -> str:
        """The redirect_uri that identity providers know."""
        return f"{self.origin}/oauth2/idpresponse"

    def call(self, request: Request) -> Call:
        """The request in the form of an operation, which is named by its path; the parameters are its members."""
        path, _, query = request.target.partition("?")
        text = query if request.method == "GET" else request.body.decode("latin-1")
        parameters = parse_qsl(text, keep_blank_values=True)
        call = Call(path.lstrip("/")[:100], dict(parameters), request.headers, request.method, path, request.body)
        call.notes["repeated"] = len(parameters) != len(call.body)
        for name, kind in _SECRETS.items():
            self._note(kind, call.text(name))
        return call

    def findings(self, call: Call, headers: dict[str, str]) -> list[str]:
        """What a sound client, browser or identity provider would not send."""
        if call.path not in _ENDPOINTS:
            return [f"http: path {call.path[:100]!r}"]
        method, known = _ENDPOINTS[call.path]
        found = [] if call.method == method else [f"http: method {call.method[:20]!r}, {method} wanted"]
        found += [f"unknown: parameter {name[:100]!r}" for name in call.body if name not in known]
        found += [f"constraint: no {name}" for name, needed in known.items() if needed and not call.text(name)]
        if call.notes["repeated"]:
            found.append("constraint: a parameter occurs twice")
        content_type = headers.get("content-type", "")
        if method == "POST" and content_type.partition(";")[0] != FORM:
            found.append(f"http: Content-Type {content_type[:100]!r}, {FORM} wanted")
        if not headers.get("user-agent", "").strip():
            found.append("http: no User-Agent")
        if "authorization" in headers and "client_secret" in call.body:
            found.append("http: a client secret in the header and in the body")
        if "code_challenge" in call.body and not _CHALLENGE.fullmatch(call.text("code_challenge")):
            found.append("constraint: code_challenge is no SHA-256 in base64url")
        if "code_verifier" in call.body and not _VERIFIER.fullmatch(call.text("code_verifier")):
            found.append("constraint: code_verifier is none by RFC 7636")
        return found

    async def run(self, call: Call) -> Answer:
        """The answer; where it has tokens, in the form of an operation's, which `wire` makes one of OAuth."""
        self._backend.enter_scope(None)
        match call.method, call.path:
            case "GET", "/oauth2/authorize":
                return self._authorize(call)
            case "GET", "/oauth2/idpresponse":
                return self._idp_response(call)
            case "POST", "/oauth2/token":
                return await self._token(call)
            case "POST", "/oauth2/revoke":
                return await self._revoke(call)
            case "GET", "/logout":
                return self._logout(call)
        return _page("not found", 404)

    @staticmethod
    def wire(answer: Answer) -> Answer:
        """An operation's answer as the token endpoint gives it."""
        result, payload = answer.result, answer.payload
        if result is not None:
            tokens = {name: result[member] for name, member in _RESULT.items() if member in result}
            return json_answer(tokens | {"expires_in": result.get("ExpiresIn"), "token_type": result.get("TokenType")})
        if "__type" in payload:
            return oauth_error(payload["__type"], answer.message, answer.status)
        return answer

    def expire(self, older: float | None = None) -> int:
        """Let the codes that nobody redeemed expire, or become older by so many seconds; how many there are."""
        for grant in self._codes.values():
            grant.expires = 0.0 if older is None else grant.expires - older
        return len(self._codes)

    def _authorize(self, call: Call) -> Answer:
        asked = dict(call.body)
        found = self._backend.client(call.text("client_id"))
        if found is None:
            return _page("invalid_request: client_id", 400)
        pool_id, pool, client = found
        uri, state = call.text("redirect_uri"), call.text("state")
        if uri not in (client.get("CallbackURLs") or []):
            return _page("redirect_mismatch", 400)
        refused = self._refused(asked, client)
        if refused is not None:
            return redirect(uri, error_description=refused[1], state=state, error=refused[0])
        name = call.text("identity_provider")
        provider = pool.get("_identity_providers", {}).get(name)
        if provider is None or name not in (client.get("SupportedIdentityProviders") or []):
            return _page(f"invalid_request: identity_provider {name}", 400)
        allowed = client.get("AllowedOAuthScopes") or []
        relay = secrets.token_urlsafe(32)
        self._relays[relay] = _Grant(pool_id, client["ClientId"], asked, call.text("scope") or " ".join(allowed))
        details = provider["ProviderDetails"]
        return redirect(
            details["authorize_url"],
            client_id=details["client_id"],
            redirect_uri=self.callback,
            scope=details["authorize_scopes"],
            response_type="code",
            state=relay,
            login_hint=call.text("login_hint"),
            prompt=call.text("prompt"),
        )

    @staticmethod
    def _refused(asked: dict, client: dict) -> tuple[str, str] | None:
        """Error and description for the client's redirect_uri."""
        if asked.get("response_type") not in ("code", "token"):
            return "invalid_request", "Invalid response_type"
        flows = client.get("AllowedOAuthFlows") or []
        if asked["response_type"] != "code" or "code" not in flows or not client.get("AllowedOAuthFlowsUserPoolClient"):
            return "unauthorized_client", ""
        if set(asked.get("scope", "").split()) - set(client.get("AllowedOAuthScopes") or []):
            return "invalid_request", "invalid_scope"
        challenge, method = asked.get("code_challenge", ""), asked.get("code_challenge_method", "")
        if bool(challenge) != bool(method) or (method and method != "S256"):
            return "invalid_request", "code_challenge_method must be S256"
        if challenge and not _CHALLENGE.fullmatch(challenge):
            return "invalid_request", "Invalid code_challenge"
        return None

    def _idp_response(self, call: Call) -> Answer:
        grant = self._relays.pop(call.text("state"), None)
        if grant is None or time.monotonic() >= grant.expires:
            return _page("invalid_request: Invalid state", 400)
        uri, state = grant.asked["redirect_uri"], grant.asked.get("state", "")
        if not call.text("code"):
            error, description = call.text("error") or "server_error", call.text("error_description")
            return redirect(uri, error_description=description, state=state, error=error)
        name = grant.asked["identity_provider"]
        pool = self._backend.pool(grant.pool_id) or {}
        provider = pool["_identity_providers"][name]
        claims = self._foreign_claims(provider["ProviderDetails"], call.text("code"))
        if claims is None:
            return redirect(uri, error_description=f"Error from {name}", state=state, error="invalid_request")
        attributes = {
            attribute: _attribute(claims[claim])
            for attribute, claim in provider["AttributeMapping"].items()
            if claim in claims and attribute != "username"
        }
        grant.username = self._backend.federated_user(grant.pool_id, name, str(claims["sub"]), attributes)
        grant.expires = time.monotonic() + _CODE_SECONDS
        code = str(uuid.uuid4())
        self._codes[code] = grant
        self._note("authorization_code", code)
        return redirect(uri, code=code, state=state)

    def _foreign_claims(self, details: dict, code: str) -> dict | None:
        """What the provider says in exchange for its code."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.callback}
        basic = base64.b64encode(f"{details['client_id']}:{details['client_secret']}".encode()).decode()
        headers = [("Content-Type", FORM), ("Authorization", f"Basic {basic}")]
        answer = self._provider.answer(Request("POST", "/token", headers, urlencode(form).encode()))
        try:
            return self._provider.verified(answer.payload.get("id_token", ""), details["client_id"])
        except jwt.PyJWTError:
            return None

    def _client(self, call: Call) -> tuple[str, dict] | Answer:
        """(pool id, app client) that the request proves to come from."""
        authorization = next((value for name, value in call.headers if name.lower() == "authorization"), "")
        basic = basic_credentials(authorization)
        client_id, secret = basic or (call.text("client_id"), call.text("client_secret"))
        found = self._backend.client(client_id)
        if found is None or (authorization and basic is None) or call.text("client_id") not in ("", client_id):
            return oauth_error("invalid_client")
        self._note("client_secret", secret)
        if not secrets.compare_digest((found[2].get("ClientSecret") or "").encode(), secret.encode()):
            return oauth_error("invalid_client", "invalid_client_secret")
        return found[0], found[2]

    async def _token(self, call: Call) -> Answer:
        found = self._client(call)
        if isinstance(found, Answer):
            return found
        pool_id, client = found
        match call.text("grant_type"):
            case "authorization_code":
                return self._redeemed(call, pool_id, client)
            case "refresh_token":
                return await self._refreshed(call, client)
            case "":
                return oauth_error("invalid_request")
        return oauth_error("unsupported_grant_type")

    def _redeemed(self, call: Call, pool_id: str, client: dict) -> Answer:
        if not call.text("code") or not call.text("redirect_uri"):
            return oauth_error("invalid_request")
        grant = self._codes.get(call.text("code"))
        if grant is None or grant.client_id != client["ClientId"]:
            return oauth_error("invalid_grant")
        del self._codes[call.text("code")]
        if (
            time.monotonic() >= grant.expires
            or call.text("redirect_uri") != grant.asked["redirect_uri"]
            or not _proves(call.text("code_verifier"), grant.asked.get("code_challenge", ""))
        ):
            return oauth_error("invalid_grant")
        user = (self._backend.pool(pool_id) or {})["_users"].get(grant.username)
        if user is None or not user.get("Enabled", True):
            return oauth_error("invalid_grant", "User is disabled.")
        result = self._backend.tokens(
            pool_id, grant.client_id, user, nonce=grant.asked.get("nonce", ""), scope=grant.scope
        )
        if "openid" not in grant.scope.split():
            del result["IdToken"]
        # The rest of the emulator knows refresh tokens by this.
        signed_in = Call(call.operation, {"ClientId": grant.client_id}, call.headers)
        return self._refresh_tokens.after(signed_in, success({"AuthenticationResult": result}))

    async def _refreshed(self, call: Call, client: dict) -> Answer:
        members = {"RefreshToken": call.text("refresh_token"), "ClientId": client["ClientId"]}
        answer = await self._as_operation("GetTokensFromRefreshToken", members, client, call)
        return answer if answer.status == 200 else oauth_error("invalid_grant", answer.message)

    async def _revoke(self, call: Call) -> Answer:
        found = self._client(call)
        if isinstance(found, Answer):
            return found
        members = {"Token": call.text("token"), "ClientId": found[1]["ClientId"]}
        answer = await self._as_operation("RevokeToken", members, found[1], call)
        return Answer(200, b"", None) if answer.status == 200 else oauth_error("invalid_request", answer.message)

    async def _as_operation(self, name: str, members: dict, client: dict, call: Call) -> Answer:
        secret = client.get("ClientSecret")
        body = members | ({"ClientSecret": secret} if secret else {})
        return await self._operation(Call(name, body, call.headers, internal=True))

    def _logout(self, call: Call) -> Answer:
        found = self._backend.client(call.text("client_id"))
        if found is None or call.text("logout_uri") not in (found[2].get("LogoutURLs") or []):
            return _page("invalid_request", 400)
        return Answer(302, b"", None, [("Location", call.text("logout_uri"))])


def s256(verifier: str) -> str:
    """RFC 7636, section 4.2."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _proves(verifier: str, challenge: str) -> bool:
    if not challenge:
        return not verifier
    return bool(_VERIFIER.fullmatch(verifier)) and secrets.compare_digest(s256(verifier), challenge)


def _attribute(value: object) -> str:
    if isinstance(value, str):
        return value
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else json.dumps(value)


def _page(text: str, status: int) -> Answer:
    page = f"<!doctype html><title>Error</title><h1>An error was encountered</h1><p>{html.escape(text)}</p>\n"
    return Answer(status, page.encode(), "text/html; charset=utf-8")
