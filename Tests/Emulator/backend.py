"""ministack, in this process, and nothing of it but Cognito.

ministack's life cycle is never started, so none of its other listeners, schedulers or container clean-ups exist, and
only requests for Cognito are handed to it: it would otherwise answer for a hundred other services.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import string
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import issuers, modular_power
from .answers import AMZ_JSON, Answer, Call, refusal
from .signing_keys import SigningKeys

if TYPE_CHECKING:
    from types import ModuleType

_TARGET = "AWSCognitoIdentityProviderService."


class Backend:
    """Runs calls through ministack, over its ASGI entrance or (control channel) straight into its dispatcher."""

    def __init__(self, state_directory: Path, region: str) -> None:
        state_directory.mkdir(mode=0o700, exist_ok=True)
        # Its defaults bind 0.0.0.0, keep state in a fixed place and check neither proofs nor tokens. They are read
        # when the modules are imported, hence here and not at the top of the file.
        os.environ.update(
            {
                "AUTH": "true",
                "BIND_HOST": "127.0.0.1",
                "COGNITO_EMAIL_ENABLED": "false",
                "IOT_MTLS_ENABLED": "0",
                "LOG_LEVEL": "ERROR",
                "MINISTACK_REGION": region,
                "PERSIST_STATE": "0",
                "SFTP_ENABLED": "0",
                "STATE_DIR": str(state_directory),
            }
        )
        for inherited in ("AWS_SHARED_CREDENTIALS_FILE", "CLOUDTRAIL_RECORDING", "DOCKER_HOST", "MINISTACK_HOST"):
            os.environ.pop(inherited, None)
        keys = SigningKeys()
        with keys.in_place():
            # It makes a key of its own when it is imported.
            import ministack.app
            from ministack.core import responses
            from ministack.services import cognito

        cognito.rsa = keys
        # They would import the whole of botocore for a header that is set here anyway.
        for unneeded in ("fix_error_content_type", "fix_success_content_type"):
            for module in (ministack.app, responses):
                setattr(module, unneeded, lambda *_arguments: None)
        cognito.pow = modular_power.load()
        # The private value of SRP: 3,072 random bits make two powers take eight times as long as 256 (RFC 5054, 3.1).
        cognito.secrets = SimpleNamespace(**{**vars(secrets), "randbelow": _at_most_256_bits})
        # ministack's ids have capitals, and its secrets characters that the service's own model forbids.
        cognito._client_id = lambda: _lower_case_random(26)
        cognito._client_secret = lambda: _lower_case_random(51)
        sign = cognito._signed_jwt
        # ministack's tokens have the original issuer of the pool's Region, with one domain for all partitions.
        cognito._signed_jwt = lambda claims, pool_id="", use="": sign(
            {**claims, "iss": self.issuer(pool_id)} if pool_id and "iss" in claims else claims, pool_id, use
        )
        self._app = ministack.app.app
        self._scope: ModuleType = responses
        self.cognito: ModuleType = cognito
        self._region = region

    async def run(self, call: Call) -> Answer:
        """Answer `call`; an exception inside ministack becomes an InternalErrorException and is named in the notes."""
        try:
            return await (self._direct(call) if call.internal else self._over_asgi(call))
        except Exception as error:
            call.notes["exception"] = f"{type(error).__name__}: {error}"
            return refusal("InternalErrorException", "Something went wrong", 500)

    def pool(self, pool_id: str) -> dict | None:
        return self.cognito._get_pool_unscoped(pool_id)

    def issuer(self, pool_id: str) -> str:
        """The `iss` of the tokens that the pool issues now, in answer to the request at hand."""
        pool = self.pool(pool_id) or {}
        return issuers.issuer(pool_id, pool.get("_issuer_type", issuers.ORIGINAL), issuers.answering.get())

    def client(self, client_id: str) -> tuple[str, dict, dict] | None:
        """(pool id, pool, app client) of a client id."""
        pool_id, pool, client = self.cognito._find_pool_by_client_id(client_id)
        return (pool_id, pool, client) if client is not None else None

    def user(self, pool: dict, name: str) -> dict | None:
        """The user that `name` (user name, sub or alias) stands for."""
        user, _error = self.cognito._resolve_user(pool, name)
        return user

    def attributes(self, user: dict) -> dict[str, str]:
        return self.cognito._attr_list_to_dict(user.get("Attributes", []))

    def owner(self, call: Call) -> tuple[str, dict, dict] | Answer:
        """(pool id, pool, user) of the call's AccessToken, or what the service refuses it with."""
        token = call.text("AccessToken")
        if not token:
            return refusal("NotAuthorizedException", "Invalid Access Token")
        pool_id = str(self.claims(token).get("iss", "")).rsplit("/", 1)[-1]
        pool = self.pool(pool_id)
        refused = self.cognito._access_token_error({"AccessToken": token})
        if refused:
            return _normalised(refused[0], refused[2])
        user = pool["_users"].get(self.claims(token).get("username")) if pool else None
        if pool is None or user is None:
            return refusal("UserNotFoundException", "User does not exist.")
        return pool_id, pool, user

    def secret_hash_refusal(self, call: Call) -> Answer | None:
        """The refusal where the app client has a secret and SECRET_HASH (SecretHash) does not prove it."""
        found = self.client(call.text("ClientId"))
        if found is None:
            return None
        body = {"UserPoolId": found[0], **call.body}
        for key in ("AuthParameters", "ChallengeResponses"):
            if key in body and not isinstance(body[key], dict):
                body[key] = {}
        refused = self.cognito._validate_client_secret_hash(call.operation, body)
        return _normalised(refused[0], refused[2]) if refused else None

    def tokens(
        self,
        pool_id: str,
        client_id: str,
        user: dict,
        metadata: dict | None = None,
        nonce: str = "",
        scope: str | None = None,
    ) -> dict:
        """The AuthenticationResult of a completed sign-in; `scope` is that of an OAuth grant."""
        self.pool(pool_id)
        return self.cognito._build_auth_result(
            pool_id, client_id, user, nonce=nonce, client_metadata=metadata or {}, scope=scope
        )

    def federated_user(self, pool_id: str, provider: str, user_id: str, attributes: dict[str, str]) -> str:
        """The name of the user whom the provider calls so: one linked to it, or PROVIDER_ID, made where it is new."""
        pool = self.pool(pool_id)
        assert pool is not None
        linked = self.cognito._linked_username_for_federation(pool, provider, user_id, attributes)
        name = linked or f"{provider}_{user_id}"
        now = self.cognito._now_epoch()
        user = pool["_users"].get(name)
        if user is not None:
            self.cognito._merge_federated_attrs(user, attributes, now)
            return name
        # ministack's ID token takes every address for a verified one that does not say otherwise.
        unverified = {f"{kind}_verified": "false" for kind in ("email", "phone_number") if kind in attributes}
        described = {"sub": self.cognito.new_uuid(), **unverified, **attributes}
        user = self.add_user(pool, name, described, _password="", UserStatus="EXTERNAL_PROVIDER")
        self.cognito._start_federated_profile(pool, pool_id, user, provider, user_id)
        return name

    def add_user(self, pool: dict, name: str, attributes: dict[str, str], **members: object) -> dict:
        """A user who does not come by CreateUser."""
        now = self.cognito._now_epoch()
        user = pool["_users"][name] = {
            "Username": name,
            "Attributes": self.cognito._dict_to_attr_list(attributes),
            "UserCreateDate": now,
            "UserLastModifiedDate": now,
            "Enabled": True,
            "MFAOptions": [],
            "_groups": [],
            "_tokens": [],
            **members,
        }
        return user

    def srp_challenge(self, pool_id: str, client_id: str, username: str, user: dict | None, srp_a: str) -> dict:
        """PASSWORD_VERIFIER's parameters; the proof is checked by ministack when the SECRET_BLOCK comes back."""
        self.pool(pool_id)
        block, session = self.cognito._create_challenge_session(pool_id, client_id, username)
        session["auth_flow"] = "USER_SRP_AUTH"
        parameters, session["srp"] = self.cognito._srp_challenge(pool_id, user, username, srp_a, block)
        return parameters

    def srp_session(self, block: str) -> dict | None:
        """What is pending behind a SECRET_BLOCK."""
        return self.cognito._challenge_sessions.get(block)

    def revoke_origin(self, origin_jti: str) -> None:
        """Refuse all tokens of one sign-in from now on."""
        self.cognito._revoked_tokens.add(origin_jti)

    def claims(self, token: str) -> dict:
        return self.cognito._token_claims(token)

    def sign(self, claims: dict, pool_id: str, use: str) -> str:
        """A token over `claims` with the pool's own key for `use` (access or id)."""
        return self.cognito._signed_jwt(claims, pool_id, use)

    def signing_key(self, pool_id: str, use: str) -> tuple[Any, dict]:
        """(private key, JWK) of the pool; made on first use."""
        return self.cognito._pool_signing_key(pool_id, use)

    def enter_scope(self, region: str | None) -> None:
        """ministack keeps account and region per task; calls that bypass its entrance have to set them."""
        self._scope.set_request_account_id("")
        self._scope.set_request_region(region or self._region)

    async def _direct(self, call: Call) -> Answer:
        pool_id = call.text("UserPoolId")
        self.enter_scope(pool_id.split("_", 1)[0] if "_" in pool_id else call.region)
        answer = await self.cognito._dispatch_idp(call.operation, call.body)
        return _normalised(answer[0], answer[2])

    async def _over_asgi(self, call: Call) -> Answer:
        body = json.dumps(call.body).encode() if call.method == "POST" else b""
        headers = [
            (n.lower().encode("latin-1"), v.encode("latin-1"))
            for n, v in call.headers
            if n.lower() not in ("content-length", "transfer-encoding", "connection", "expect")
        ]
        headers.append((b"content-length", str(len(body)).encode()))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": call.method,
            "scheme": "https",
            "path": call.path,
            "raw_path": call.path.encode(),
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 0),
            "server": ("127.0.0.1", 443),
        }
        collected: dict[str, Any] = {"status": 500, "headers": [], "body": b""}
        pending = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict:
            if pending:
                return pending.pop()
            await asyncio.sleep(3600)
            return {"type": "http.disconnect"}

        async def send(message: dict) -> None:
            if message["type"] == "http.response.start":
                collected["status"], collected["headers"] = message["status"], message["headers"]
            elif message["type"] == "http.response.body":
                collected["body"] += message.get("body", b"")

        await self._app(scope, receive, send)
        content_type = next(
            (v.decode("latin-1") for n, v in collected["headers"] if n.lower() == b"content-type"), None
        )
        if call.method == "GET":
            headers = [("Cache-Control", "public, max-age=86400")]
            return Answer(collected["status"], collected["body"], content_type, headers)
        return _normalised(collected["status"], collected["body"])


def _at_most_256_bits(limit: int) -> int:
    return secrets.randbelow(min(limit, 1 << 256))


def _lower_case_random(length: int) -> str:
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(length))


def _normalised(status: int, body: bytes | str) -> Answer:
    """The answer with the service's headers instead of ministack's."""
    answer = Answer(status, body.encode() if isinstance(body, str) else body, AMZ_JSON)
    if status >= 300 and answer.error_name:
        return refusal(answer.error_name, answer.message, status)
    return answer
