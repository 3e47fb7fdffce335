"""A foreign OpenID provider, as small as it can be: what stands behind an identity provider of a user pool.

Our own, because oidc-provider-mock asks for no password, forgets `state` where the user refuses (against RFC 6749,
section 4.1.2.1), takes its style sheet from the internet, and needs twenty more packages.
"""

from __future__ import annotations

import base64
import html
import secrets
import time
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

from .answers import Answer, json_answer, oauth_error, redirect
from .front import Request

_COOKIE = "provider_session"
_TOKEN_SECONDS = 300
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head><body>
<h1>Sign in to the foreign provider</h1>
<p>{message}</p>
<form method="post">
<label>Name <input name="username" value="{hint}" autocomplete="off"></label>
<label>Password <input name="password" type="password"></label>
<button name="action" value="sign_in">Sign in</button>
<button name="action" value="deny">Deny</button>
</form></body></html>
"""


@dataclass
class ForeignUser:
    password: str
    claims: dict


@dataclass
class _Client:
    secret: str
    redirect_uri: str


@dataclass
class _Grant:
    client_id: str
    redirect_uri: str
    user: str
    nonce: str


class ForeignProvider:
    """Users with passwords and claims; `origin` is the provider's issuer and where it listens."""

    def __init__(self) -> None:
        self.origin = ""
        self.users: dict[str, ForeignUser] = {}
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._clients: dict[str, _Client] = {}
        self._grants: dict[str, _Grant] = {}
        self._browsers: dict[str, str] = {}

    def register(self, redirect_uri: str) -> tuple[str, str]:
        """Id and secret of a new client."""
        client_id, secret = f"relying-party-{len(self._clients) + 1}", secrets.token_urlsafe(32)
        self._clients[client_id] = _Client(secret, redirect_uri)
        return client_id, secret

    def verified(self, id_token: str, client_id: str) -> dict:
        """The claims of an ID token; raises jwt.PyJWTError."""
        return jwt.decode(
            id_token, self._key.public_key(), algorithms=["ES256"], audience=client_id, issuer=self.origin
        )

    def answer(self, request: Request) -> Answer:
        path, _, query = request.target.partition("?")
        headers = {name.lower(): value for name, value in request.headers}
        form = dict(parse_qsl(request.body.decode("latin-1"), keep_blank_values=True))
        if path == "/authorize" and request.method in ("GET", "POST"):
            return self._authorize(dict(parse_qsl(query, keep_blank_values=True)), form, headers.get("cookie", ""))
        if path == "/token" and request.method == "POST":
            return self._token(form, headers.get("authorization", ""))
        return Answer(404, b"", None)

    def _authorize(self, asked: dict, form: dict, cookie: str) -> Answer:
        client = self._clients.get(asked.get("client_id", ""))
        if client is None or asked.get("redirect_uri") != client.redirect_uri:
            return Answer(400, b"unknown client or redirect_uri", "text/plain")
        if asked.get("response_type") != "code" or "openid" not in asked.get("scope", "").split():
            return redirect(client.redirect_uri, error="invalid_request", state=asked.get("state", ""))
        if form.get("action") == "deny":
            refused = {"error": "access_denied", "error_description": "The user denied the request."}
            return redirect(client.redirect_uri, **refused, state=asked.get("state", ""))
        known = SimpleCookie(cookie).get(_COOKIE)
        name = self._browsers.get(known.value, "") if known else ""
        if form or not name or asked.get("prompt") == "login":
            name = form.get("username", "")
            user = self.users.get(name)
            if user is None or user.password != form.get("password"):
                message = "The name or the password is wrong." if form else ""
                page = _PAGE.format(message=message, hint=html.escape(name or asked.get("login_hint", "")))
                return Answer(200, page.encode(), "text/html; charset=utf-8")
        code, browser = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._browsers[browser] = name
        self._grants[code] = _Grant(asked["client_id"], client.redirect_uri, name, asked.get("nonce", ""))
        answer = redirect(client.redirect_uri, code=code, state=asked.get("state", ""))
        answer.headers.append(("Set-Cookie", f"{_COOKIE}={browser}; Path=/; Secure; HttpOnly"))
        return answer

    def _token(self, form: dict, authorization: str) -> Answer:
        grant = self._grants.pop(form.get("code", ""), None)
        client_id, secret = basic_credentials(authorization) or ("", "")
        client = self._clients.get(client_id)
        if client is None or not secrets.compare_digest(client.secret, secret):
            return oauth_error("invalid_client", status=401)
        if grant is None or (grant.client_id, grant.redirect_uri) != (client_id, form.get("redirect_uri")):
            return oauth_error("invalid_grant")
        now = int(time.time())
        claims = {"sub": grant.user, **self.users[grant.user].claims, "iss": self.origin, "aud": client_id}
        claims |= {"iat": now, "exp": now + _TOKEN_SECONDS, **({"nonce": grant.nonce} if grant.nonce else {})}
        return json_answer({"id_token": jwt.encode(claims, self._key, "ES256"), "token_type": "Bearer"})


def basic_credentials(authorization: str) -> tuple[str, str] | None:
    """Name and secret of HTTP Basic."""
    scheme, _, encoded = authorization.partition(" ")
    try:
        name, separator, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except ValueError:
        return None
    return (name, secret) if scheme.lower() == "basic" and separator else None
