"""Faults on demand: which operations they hit, how often, and what they do.

A fault is aimed by a selector: `*` (every operation and the key set), an operation name, an operation with its flow or
challenge (`InitiateAuth:REFRESH_TOKEN_AUTH`, `RespondToAuthChallenge:PASSWORD_VERIFIER`), `jwks`, `issuer_jwks`, a path
of managed login (`oauth2/token`), or `connection` and, for managed login, `oauth2/connection` (before TLS: hang, reset
and delay only). The `error` of a path of managed login is one of OAuth. Matching faults apply in the order they were
set: delays add up, forgeries add up, and the first of the others ends the list.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from dataclasses import dataclass, field

from . import forgery
from .answers import AMZ_JSON, Answer, refusal, success
from .behaviours.pre_authentication import lambda_refusal

# Every kind with its arguments and their defaults; `processed` says whether the back end carries the operation out
# before the client is denied the answer.
KINDS: dict[str, dict[str, object]] = {
    "delay": {"seconds": 1.0},
    "hang": {"processed": False},
    "reset": {"processed": True, "sent": 0.5},
    "close": {"processed": False},
    "half_answer": {"processed": True},
    "trickle": {"processed": True, "seconds": 0.05},
    "error": {"name": "InternalErrorException", "message": "", "status": 400, "error_header": True, "processed": False},
    "html_500": {"status": 500, "processed": False},
    "empty_500": {"status": 500, "processed": False},
    "garbage": {"text": "\x00\x01 this is { not JSON ]", "processed": False},
    "body": {"text": "{}", "status": 200, "content_type": AMZ_JSON, "processed": False},
    "huge": {"megabytes": 50, "processed": False},
    "redirect": {"location": "https://elsewhere.invalid/", "status": 302, "processed": False},
    "throttle": {"message": "Rate exceeded", "processed": False},
    "waf_403": {"processed": False},
    "lambda_refusal": {"text": "Sign-in is not allowed today", "processed": False},
    "unknown_challenge": {"name": "RETINA_SCAN", "parameters": {"EYE": "left"}, "processed": False},
    **forgery.KINDS,
}
CONNECTIONS = ("connection", "oauth2/connection")
CONNECTION_KINDS = ("delay", "hang", "reset")


@dataclass
class Fault:
    id: int
    selector: str
    kind: str
    remaining: int | None
    skip: int
    arguments: dict = field(default_factory=dict)
    hits: int = 0
    #: Set when a delay is to end before its time.
    lifted: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_forgery(self) -> bool:
        return self.kind in forgery.KINDS


class FaultBoard:
    """The faults that are set at the moment."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def add(self, operation: str, kind: str, times: int | None, skip: int, arguments: dict) -> int:
        if kind not in KINDS:
            raise ValueError(f"fault {kind!r}: not one of {', '.join(sorted(KINDS))}")
        if operation in CONNECTIONS and kind not in CONNECTION_KINDS:
            raise ValueError(f"fault {kind!r} cannot hit a connection: one of {', '.join(CONNECTION_KINDS)}")
        unknown = set(arguments) - set(KINDS[kind])
        if unknown:
            known = ", ".join(sorted(KINDS[kind])) or "none"
            raise ValueError(f"fault {kind!r}: unknown {', '.join(sorted(unknown))}; arguments are: {known}")
        fault = Fault(next(self._ids), operation, kind, times, skip, {**KINDS[kind], **arguments})
        self._faults.append(fault)
        return fault.id

    def lift(self, fault: int) -> None:
        """Ends the delay with that id: for what waits already and for what is yet to come."""
        next(one for one in self._faults if one.id == fault).lifted.set()

    def clear(self) -> None:
        self._faults.clear()

    def take(self, selectors: set[str]) -> list[Fault]:
        """The faults that apply to this request, used up by one."""
        taken = []
        for fault in self._faults:
            if fault.selector not in selectors or fault.remaining == 0:
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            fault.hits += 1
            if fault.remaining is not None:
                fault.remaining -= 1
            taken.append(fault)
            if fault.kind != "delay" and not fault.is_forgery:
                break
        return taken

    def state(self) -> list[dict]:
        return [
            {"id": f.id, "operation": f.selector, "kind": f.kind, "remaining": f.remaining, "hits": f.hits}
            for f in self._faults
        ]


def substitute(fault: Fault, genuine: Answer | None) -> Answer:
    """The answer that `fault` puts in place of the genuine one (None when the operation was not carried out)."""
    arguments = fault.arguments
    match fault.kind:
        case "error":
            return refusal(arguments["name"], arguments["message"], arguments["status"], arguments["error_header"])
        case "throttle":
            return refusal("TooManyRequestsException", arguments["message"])
        case "waf_403":
            return refusal("ForbiddenException", "Request not allowed due to WAF block.", 403)
        case "lambda_refusal":
            return lambda_refusal(str(arguments["text"]))
        case "unknown_challenge":
            members = {"ChallengeName": arguments["name"], "ChallengeParameters": arguments["parameters"]}
            return success({**members, "Session": secrets.token_urlsafe(690)})
        case "html_500":
            page = b"<html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>\n"
            return Answer(arguments["status"], page, "text/html")
        case "empty_500":
            return Answer(arguments["status"], b"", None)
        case "garbage":
            return Answer(200, str(arguments["text"]).encode("utf-8", "surrogatepass"))
        case "body":
            return Answer(
                arguments["status"], str(arguments["text"]).encode("utf-8", "surrogatepass"), arguments["content_type"]
            )
        case "redirect":
            return Answer(arguments["status"], b"", None, [("Location", str(arguments["location"]))])
    return genuine or Answer(200, b"{}")
