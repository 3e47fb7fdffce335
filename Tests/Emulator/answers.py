"""What the service is asked and what it answers, between the wire and the behaviours."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from urllib.parse import urlencode

AMZ_JSON = "application/x-amz-json-1.1"


@dataclass
class Call:
    """One operation, however it came in.

    `body` is the parsed JSON object and may be changed by a behaviour before the back end sees it; `internal` marks
    calls of the control channel, which need no credentials and leave no trace in the request log.
    """

    operation: str
    body: dict
    headers: list[tuple[str, str]] = field(default_factory=list)
    method: str = "POST"
    path: str = "/"
    raw: bytes = b""
    region: str | None = None
    internal: bool = False
    notes: dict = field(default_factory=dict)

    def text(self, *keys: str) -> str:
        """The string found by following `keys`, or "" where a member is missing or is no string."""
        value: object = self.body
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, str) else ""

    @property
    def selectors(self) -> set[str]:
        """The names a fault can be aimed at: the operation, and the operation with its flow or challenge."""
        names = {self.operation}
        detail = self.text("AuthFlow") or self.text("ChallengeName")
        if detail:
            names.add(f"{self.operation}:{detail}")
        if detail == "REFRESH_TOKEN":
            names.add(f"{self.operation}:REFRESH_TOKEN_AUTH")
        return names


@dataclass
class Answer:
    """One HTTP answer. `payload` is the parsed body, {} when it is not a JSON object."""

    status: int
    body: bytes
    content_type: str | None = AMZ_JSON
    headers: list[tuple[str, str]] = field(default_factory=list)

    @property
    def payload(self) -> dict:
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def error_name(self) -> str | None:
        if self.status < 300:
            return None
        name = self.payload.get("__type")
        return name.rsplit("#", 1)[-1] if isinstance(name, str) else None

    @property
    def message(self) -> str:
        value = self.payload.get("message")
        return value if isinstance(value, str) else ""

    @property
    def result(self) -> dict | None:
        """The AuthenticationResult of a completed sign-in or refresh."""
        value = self.payload.get("AuthenticationResult")
        return value if self.status == 200 and isinstance(value, dict) else None

    def with_result(self, result: dict) -> Answer:
        return success({**self.payload, "AuthenticationResult": result})


def success(payload: dict) -> Answer:
    return Answer(200, json.dumps(payload).encode())


def refusal(name: str, message: str, status: int = 400, error_header: bool = True) -> Answer:
    """A Cognito error the way its front end words it: `__type` and `message`, and the name again in a header.

    The header ends in a colon, as the service sends it; clients have to cut it off.
    """
    headers = [("x-amzn-ErrorType", f"{name}:"), ("x-amzn-ErrorMessage", header_safe(message))] if error_header else []
    return Answer(status, json.dumps({"__type": name, "message": message}).encode(), headers=headers)


def json_answer(payload: dict, status: int = 200) -> Answer:
    """An answer of an OAuth endpoint, which nobody may keep (RFC 6749, section 5.1)."""
    headers = [("Cache-Control", "no-store"), ("Pragma", "no-cache")]
    return Answer(status, json.dumps(payload).encode(), "application/json;charset=UTF-8", headers)


def oauth_error(error: str, description: str = "", status: int = 400) -> Answer:
    return json_answer({"error": error, **({"error_description": description} if description else {})}, status)


def redirect(uri: str, **parameters: str) -> Answer:
    """To `uri` with those of the parameters that say something."""
    query = urlencode({name: value for name, value in parameters.items() if value})
    location = f"{uri}{'&' if '?' in uri else '?'}{query}"
    return Answer(302, b"", None, [("Location", location), ("Cache-Control", "no-store")])


def header_safe(text: str) -> str:
    """A message without what a header line cannot carry."""
    return "".join(c if 32 <= ord(c) < 127 else "?" for c in text)[:1000].strip()
