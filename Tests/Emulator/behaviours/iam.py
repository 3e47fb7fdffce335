"""IAM identities: who may call an operation that has to be signed, and whether the signature is right.

The signature is computed by botocore, from the bytes that came. That every `x-amz-` header must be signed, and the
names and texts of the refusals, follow the documentation of Signature Version 4.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ..answers import Answer, Call, refusal
from ..model_check import ServiceModel
from . import Behaviour

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/,]+)/(?P<date>\d{8})/(?P<region>[^/,]+)/cognito-idp/aws4_request, ?"
    r"SignedHeaders=(?P<signed>[a-z0-9;-]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)
_LONGEST_SKEW = timedelta(minutes=5)


@dataclass
class Identity:
    """What an administrator gave a machine."""

    secret_access_key: str
    session_token: str | None = None
    actions: list[str] = field(default_factory=list)
    expired: bool = False


class IAM(Behaviour):
    def __init__(self, model: ServiceModel) -> None:
        self._model = model
        self.identities: dict[str, Identity] = {}

    def before(self, call: Call) -> Answer | None:
        if call.internal or not self._model.knows(call.operation) or not self._model.is_signed(call.operation):
            return None
        headers = {name.lower(): value.strip() for name, value in call.headers}
        found = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        if not found:
            return refusal(
                "IncompleteSignatureException", "Authorization header is not as Signature Version 4 wants it"
            )
        identity = self.identities.get(found["key"])
        if identity is None or identity.session_token != headers.get("x-amz-security-token"):
            return refusal("UnrecognizedClientException", "The security token included in the request is invalid.")
        if identity.expired:
            return refusal("ExpiredTokenException", "The security token included in the request is expired")
        problem = _problem(call, headers, found, identity)
        if problem:
            return refusal("InvalidSignatureException", problem)
        if call.operation not in identity.actions:
            return refusal("AccessDeniedException", f"not authorized to perform: cognito-idp:{call.operation}")
        # ministack, which knows none of these identities, would judge once more.
        call.internal = True
        return None


def _problem(call: Call, headers: dict[str, str], found: re.Match[str], identity: Identity) -> str | None:
    """What is wrong with a signature; None when it is right."""
    # Late, since it takes a third of a second.
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    signed = found["signed"].split(";")
    unsigned = [name for name in headers if name.startswith("x-amz-") and name not in signed]
    if unsigned or "host" not in signed or [name for name in signed if name not in headers]:
        return f"signed are {signed}, not {unsigned}"
    stamp = headers.get("x-amz-date", "")
    try:
        moment = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return "X-Amz-Date is missing"
    if stamp[:8] != found["date"] or abs(datetime.now(UTC) - moment) > _LONGEST_SKEW:
        return f"Signature expired: {stamp} is too far from now"
    pool = call.text("UserPoolId")
    if pool and found["region"] != pool.split("_")[0]:
        return f"Credential should be scoped to a valid region, not {found['region']}"
    if headers.get("x-amz-content-sha256") not in (None, hashlib.sha256(call.raw).hexdigest()):
        return "X-Amz-Content-SHA256 is not that of the body"
    auth = SigV4Auth(
        Credentials(found["key"], identity.secret_access_key, identity.session_token), "cognito-idp", found["region"]
    )
    request = AWSRequest(
        call.method,
        f"https://{headers['host']}{call.path}",
        headers={name: headers[name] for name in signed},
        data=call.raw,
    )
    request.context["timestamp"] = stamp
    expected = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    if not hmac.compare_digest(expected, found["signature"]):
        return "The request signature we calculated does not match the signature you provided."
    return None
