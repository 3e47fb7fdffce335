"""IssuerConfiguration: a pool's type of issuer, which can change at any time, and the host of the updated one."""

from __future__ import annotations

from .. import issuers
from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from . import Behaviour

_FORBIDDEN = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>'


class Issuers(Behaviour):
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def before(self, call: Call) -> Answer | None:
        name = next((value for name, value in call.headers if name.lower() == "host"), "")
        is_issuer, region = issuers.host(name)
        issuers.answering.set(region)
        if is_issuer:
            pool_id = call.path.split("/")[1]
            pool = self._backend.pool(pool_id) or {}
            if pool.get("_issuer_type") != issuers.UPDATED or pool_id.split("_")[0] != region:
                return Answer(403, _FORBIDDEN, "application/xml")
        kind = call.text("IssuerConfiguration", "Type") or issuers.ORIGINAL
        if kind not in issuers.TYPES:
            return refusal("InvalidParameterException", f"Invalid issuer type {kind}")
        return None

    def after(self, call: Call, answer: Answer) -> Answer:
        pool_id = call.text("UserPoolId")
        if answer.status == 200 and call.operation == "CreateUserPool":
            pool_id = answer.payload["UserPool"]["Id"]
        pool = self._backend.pool(pool_id)
        if answer.status != 200 or pool is None:
            return answer
        if call.operation in ("CreateUserPool", "UpdateUserPool") and "IssuerConfiguration" in call.body:
            pool["_issuer_type"] = call.text("IssuerConfiguration", "Type")
        if isinstance(answer.payload.get("UserPool"), dict):
            kind = pool.get("_issuer_type", issuers.ORIGINAL)
            return success({"UserPool": {**answer.payload["UserPool"], "IssuerConfiguration": {"Type": kind}}})
        return answer
