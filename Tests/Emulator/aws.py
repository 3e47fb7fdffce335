"""Identity pools and STS, as far as somebody with an ID token of a user pool's gets credentials from them.

Operations, members and bounds are those of the services' own models; the answers have their forms. Our reading: which
refusals there are and what they say; that an identity is the same for a person each time; that ServerSideTokenCheck
asks whether the token's sign-in still stands. The credentials open nothing: there is nothing here.
"""

from __future__ import annotations

import secrets
import string
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

import jwt

from . import issuers
from .answers import Answer, Call, refusal, success
from .backend import Backend
from .behaviours.refresh_tokens import RefreshTokens
from .model_check import Finding, ServiceModel

IDENTITY_TARGET = "AWSCognitoIdentityService."
FORM = "application/x-www-form-urlencoded"
_XML = "text/xml"


@dataclass
class IdentityPool:
    """Which user pool it takes tokens of, and what their people get."""

    pool: str
    client: str
    role: str
    server_side_token_check: bool = False
    life: int = 3600
    identities: dict[str, str] = field(default_factory=dict)


@dataclass
class Role:
    """A role that trusts a user pool's tokens for one app client."""

    pool: str
    client: str
    longest: int = 3600


class AWS:
    """Both services. `model` and `run` are theirs of the emulator's own for the user pools."""

    def __init__(self, backend: Backend, tokens: RefreshTokens) -> None:
        self._backend = backend
        self._tokens = tokens
        self._identity_model = ServiceModel("cognito-identity/2014-06-30")
        self._sts_model = ServiceModel("sts/2011-06-15")
        self.identity_pools: dict[str, IdentityPool] = {}
        self.roles: dict[str, Role] = {}

    @staticmethod
    def service(method: str, headers: dict[str, str]) -> str | None:
        """Which of them a request is for; None: neither."""
        if headers.get("x-amz-target", "").startswith(IDENTITY_TARGET):
            return "identity"
        is_form = method == "POST" and headers.get("content-type", "").partition(";")[0] == FORM
        return "sts" if is_form else None

    @staticmethod
    def form(body: bytes) -> dict:
        """The parameters of the query protocol, whose numbers have no type."""
        found = dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True))
        return {
            name: int(value) if name == "DurationSeconds" and value.isdigit() else value
            for name, value in found.items()
        }

    def findings(self, call: Call, service: str, headers: dict[str, str]) -> list[Finding]:
        found = [Finding("http", f"path {call.path}")] if call.path != "/" else []
        if "authorization" in headers:
            found.append(Finding("http", f"{call.operation} with an Authorization header"))
        if not headers.get("user-agent", "").strip():
            found.append(Finding("http", "no User-Agent"))
        model = self._sts_model if service == "sts" else self._identity_model
        members = {
            name: value for name, value in call.body.items() if service != "sts" or name not in ("Action", "Version")
        }
        if not model.knows(call.operation):
            found.append(Finding("http", f"{call.operation} is no operation of {service}"))
            return found
        if service == "sts" and call.body.get("Version") != "2011-06-15":
            found.append(Finding("http", "no Version"))
        return found + model.findings(call.operation, members)

    def run(self, call: Call, service: str, findings: list[Finding]) -> Answer:
        if service == "sts":
            return self._sts(call, findings)
        if findings:
            return refusal("InvalidParameterException", str(findings[0]))
        return self._identity(call)

    def _identity(self, call: Call) -> Answer:
        if call.operation not in ("GetId", "GetCredentialsForIdentity"):
            return refusal("UnknownOperationException", "")
        identity = call.text("IdentityId")
        name = call.text("IdentityPoolId") or next(
            (name for name, pool in self.identity_pools.items() if identity in pool.identities.values()), ""
        )
        pool = self.identity_pools.get(name)
        if pool is None:
            what = f"Identity '{identity}'" if identity else f"IdentityPool '{name}'"
            return refusal("ResourceNotFoundException", f"{what} not found.")
        claims = self._claims(pool, call)
        if isinstance(claims, str):
            return refusal("NotAuthorizedException", claims)
        person = str(claims["sub"])
        if call.operation == "GetId":
            made = f"{name.split(':')[0]}:{uuid.uuid4()}"
            return success({"IdentityId": pool.identities.setdefault(person, made)})
        if pool.identities.get(person) != identity:
            return refusal(
                "NotAuthorizedException",
                "Logins don't match. Please include at least one valid login for this identity.",
            )
        role = call.text("CustomRoleArn")
        if role and role not in claims.get("cognito:roles", []):
            return refusal("NotAuthorizedException", "Access to role is forbidden.")
        credentials = _credentials()
        credentials["SecretKey"] = credentials.pop("SecretAccessKey")
        return success({"IdentityId": identity, "Credentials": {**credentials, "Expiration": time.time() + pool.life}})

    def _claims(self, pool: IdentityPool, call: Call) -> dict | str:
        """The claims of the token that came, or why it will not do."""
        logins = call.body.get("Logins") or {}
        # What a pool of the updated type is called here is not documented.
        token = logins.get(issuers.issuer(pool.pool, issuers.ORIGINAL).removeprefix("https://"))
        if token is None:
            return "Token is not from a supported provider of this identity pool."
        claims = self._verified(token, pool.pool, pool.client)
        if isinstance(claims, str):
            return claims
        if pool.server_side_token_check and not self._stands(claims):
            return "Invalid login token. Token has been revoked."
        return claims

    def _verified(self, token: str, pool: str, client: str) -> dict | str:
        key = self._backend.signing_key(pool, "id")[0].public_key()
        known = [issuers.issuer(pool, kind) for kind in issuers.TYPES]
        try:
            claims = jwt.decode(token, key, algorithms=["RS256"], audience=client, issuer=known)
        except jwt.ExpiredSignatureError:
            return "Invalid login token. Token expired"
        except jwt.PyJWTError:
            return "Invalid login token. Couldn't verify signed token."
        return claims if claims.get("token_use") == "id" else "Invalid login token. Not an ID token."

    def _stands(self, claims: dict) -> bool:
        found = self._tokens.of_origin(str(claims.get("origin_jti")))
        return found is not None and self._tokens.is_alive(found)

    def _sts(self, call: Call, findings: list[Finding]) -> Answer:
        if call.operation != "AssumeRoleWithWebIdentity":
            return _sts_refusal("InvalidAction", f"Could not find operation {call.operation}")
        if findings:
            return _sts_refusal("ValidationError", str(findings[0]))
        arn = call.text("RoleArn")
        role = self.roles.get(arn)
        if role is None:
            return _sts_refusal("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", 403)
        claims = self._verified(call.text("WebIdentityToken"), role.pool, role.client)
        if isinstance(claims, str):
            is_old = claims.endswith("expired")
            return _sts_refusal("ExpiredTokenException" if is_old else "InvalidIdentityToken", claims)
        seconds = int(call.body.get("DurationSeconds", 3600))
        if seconds > role.longest:
            return _sts_refusal(
                "ValidationError", "The requested DurationSeconds exceeds the MaxSessionDuration set for this role."
            )
        end = (
            datetime.fromtimestamp(time.time() + seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        )
        given = "".join(
            f"<{name}>{escape(value)}</{name}>" for name, value in {**_credentials(), "Expiration": end}.items()
        )
        text = (
            '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
            f"<AssumeRoleWithWebIdentityResult><SubjectFromWebIdentityToken>{claims['sub']}</SubjectFromWebIdentityToken>"
            f"<Credentials>{given}</Credentials></AssumeRoleWithWebIdentityResult>"
            "<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></AssumeRoleWithWebIdentityResponse>"
        )
        return Answer(200, text.encode(), _XML)

    @staticmethod
    def secrets(answer: Answer) -> list[str]:
        """What of an answer of STS nobody may find anywhere else."""
        text = answer.body.decode("utf-8", "replace") if answer.content_type == _XML else ""
        found = []
        for name in ("SecretAccessKey", "SessionToken"):
            value = text.partition(f"<{name}>")[2].partition("</")[0]
            found += [value] if value else []
        return found


def _credentials() -> dict[str, str]:
    capitals = string.ascii_uppercase + string.digits
    return {
        "AccessKeyId": "ASIA" + "".join(secrets.choice(capitals) for _ in range(16)),
        "SecretAccessKey": secrets.token_urlsafe(30),
        "SessionToken": secrets.token_urlsafe(700) + "==",
    }


def _sts_refusal(name: str, message: str, status: int = 400) -> Answer:
    text = (
        '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>'
        f"<Code>{name}</Code><Message>{escape(message)}</Message></Error><RequestId>r</RequestId></ErrorResponse>"
    )
    return Answer(status, text.encode(), _XML)
