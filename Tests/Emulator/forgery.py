"""Answers whose tokens are not what they should be.

Each kind changes the access and ID tokens of a completed sign-in or refresh (`tokens` chooses); unless the kind is
about the signature, the result is signed with the pool's true key, so that nothing but the named flaw is wrong.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import uuid
from typing import Any

from .answers import Answer
from .backend import Backend
from .behaviours.refresh_tokens import RefreshTokens

_BOTH = ("AccessToken", "IdToken")

# The kinds with their arguments and defaults, in the form of `faults.KINDS`.
KINDS: dict[str, dict[str, object]] = {
    "other_user": {"username": "mallory", "tokens": _BOTH},
    "other_issuer": {"issuer": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Elsewhere", "tokens": _BOTH},
    "other_pool": {"pool": "", "tokens": _BOTH},
    "other_audience": {"client_id": "2ndclient0000000000000000", "tokens": _BOTH},
    "bad_signature": {"tokens": _BOTH},
    "alg_none": {"tokens": _BOTH},
    "hs256": {"tokens": _BOTH},
    "unknown_kid": {"tokens": _BOTH},
    "expired": {"seconds": 3600, "tokens": _BOTH},
    "wrong_token_use": {"value": "refresh", "tokens": _BOTH},
    "swapped": {},
    "missing_claim": {"claim": "sub", "tokens": _BOTH},
    "claims": {"set": {}, "tokens": _BOTH},
    "not_a_token": {"text": "not.a.token", "tokens": _BOTH},
    "missing_token": {"tokens": ("RefreshToken",)},
    "huge_token": {"kilobytes": 64, "tokens": _BOTH},
    "result_member": {"member": "ExpiresIn", "value": 0},
}
_MAXIMUM_KILOBYTES = 4096


def forge(kind: str, arguments: dict, answer: Answer, backend: Backend, refresh_tokens: RefreshTokens) -> Answer:
    """`answer` with its tokens forged; answers without tokens pass unchanged."""
    result = answer.result
    if result is None or not isinstance(result.get("AccessToken"), str):
        return answer
    result = dict(result)
    if kind == "swapped":
        result["AccessToken"], result["IdToken"] = result.get("IdToken"), result["AccessToken"]
    elif kind == "result_member":
        result[arguments["member"]] = arguments["value"]
    elif kind == "missing_token":
        for member in arguments["tokens"]:
            result.pop(member, None)
    elif kind == "not_a_token":
        result.update({member: arguments["text"] for member in arguments["tokens"]})
    else:
        pool_id = str(backend.claims(result["AccessToken"]).get("iss", "")).rsplit("/", 1)[-1]
        for member in arguments["tokens"]:
            if not isinstance(result.get(member), str):
                continue
            if kind == "huge_token" and member == "RefreshToken":
                result[member] = refresh_tokens.lengthen(result[member], _kilobytes(arguments))
            else:
                result[member] = _forged(kind, arguments, result[member], pool_id, backend)
    return answer.with_result(result)


def _forged(kind: str, arguments: dict, token: str, pool_id: str, backend: Backend) -> str:
    claims = backend.claims(token)
    if not claims:
        return token
    use = "id" if claims.get("token_use") == "id" else "access"
    key, jwk = backend.signing_key(pool_id, use)
    header = {"kid": jwk["kid"], "alg": "RS256"}
    match kind:
        case "bad_signature":
            return _with_broken_signature(token)
        case "alg_none":
            return _signing_input({**header, "alg": "none"}, claims) + "."
        case "hs256":
            return _hmac_signed({**header, "alg": "HS256"}, claims, _public_pem(key))
        case "unknown_kid":
            stranger = _new_rsa_key()
            return _rsa_signed({**header, "kid": base64.b64encode(uuid.uuid4().bytes * 2).decode()}, claims, stranger)
        case "other_pool":
            return backend.sign({**claims, "iss": backend.issuer(arguments["pool"])}, arguments["pool"], use)
    return _rsa_signed(header, _changed(kind, arguments, claims, pool_id, backend), key)


def _changed(kind: str, arguments: dict, claims: dict, pool_id: str, backend: Backend) -> dict:
    changed = dict(claims)
    match kind:
        case "other_user":
            name = arguments["username"]
            pool = backend.pool(pool_id)
            user = backend.user(pool, name) if pool else None
            name_claim = "cognito:username" if claims.get("token_use") == "id" else "username"
            changed[name_claim] = user["Username"] if user else name
            changed["sub"] = backend.attributes(user).get("sub") if user else str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
        case "other_issuer":
            changed["iss"] = arguments["issuer"]
        case "other_audience":
            changed["aud" if claims.get("token_use") == "id" else "client_id"] = arguments["client_id"]
        case "expired":
            for claim in ("iat", "exp", "auth_time"):
                if claim in changed:
                    changed[claim] -= arguments["seconds"] + max(0, claims["exp"] - claims["iat"])
        case "wrong_token_use":
            changed["token_use"] = arguments["value"]
        case "missing_claim":
            changed.pop(arguments["claim"], None)
        case "claims":
            changed.update(arguments["set"])
        case "huge_token":
            changed["custom:padding"] = "x" * (_kilobytes(arguments) * 768)
    return changed


def _kilobytes(arguments: dict) -> int:
    return max(1, min(int(arguments["kilobytes"]), _MAXIMUM_KILOBYTES))


def _with_broken_signature(token: str) -> str:
    """The same token with one bit of its signature turned over."""
    signed, _, signature = token.rpartition(".")
    raw = bytearray(base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4)))
    raw[len(raw) // 2] ^= 1
    return f"{signed}.{_base64url(bytes(raw))}"


def _rsa_signed(header: dict, claims: dict, key: Any) -> str:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    signing_input = _signing_input(header, claims)
    return f"{signing_input}.{_base64url(key.sign(signing_input.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def _hmac_signed(header: dict, claims: dict, secret: bytes) -> str:
    """The classical confusion attack: the public key, which everybody has, used as an HMAC secret."""
    signing_input = _signing_input(header, claims)
    return f"{signing_input}.{_base64url(hmac.new(secret, signing_input.encode(), hashlib.sha256).digest())}"


def _signing_input(header: dict, claims: dict) -> str:
    return f"{_base64url(json.dumps(header).encode())}.{_base64url(json.dumps(claims).encode())}"


def _public_pem(key: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _new_rsa_key() -> Any:
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
