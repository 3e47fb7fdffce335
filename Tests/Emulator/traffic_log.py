"""Everything that reached the emulator: TCP connections, requests, and what was wrong with them.

All three are bounded; `dropped` says how many old entries had to go, so that a test never takes a shortened log for a
complete one.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import asdict, dataclass, field

_MAXIMUM_ENTRIES = 5000
_MAXIMUM_LOGGED_BODY = 65536


@dataclass
class ConnectionRecord:
    """One accepted TCP connection, also one that never got as far as TLS or a request."""

    id: int
    time: float
    tls_version: str | None = None
    cipher: str | None = None
    resumed: bool | None = None
    handshake_error: str | None = None
    requests: int = 0
    closed: bool = False


@dataclass
class RequestRecord:
    """One request as it arrived; the members after `body` are filled in when it is answered."""

    id: int
    time: float
    connection: int
    tls_version: str | None
    method: str
    path: str
    operation: str
    headers: dict[str, str]
    body: object
    detail: str | None = None
    status: int | None = None
    error: str | None = None
    message: str | None = None
    faults: list[str] = field(default_factory=list)
    delivered: str | None = None
    bytes_sent: int = 0
    seconds: float | None = None


class TrafficLog:
    """The three logs behind `requests()`, `connections()` and `violations()`."""

    def __init__(self) -> None:
        self._next_connection = 1
        self._next_request = 1
        self.clear()
        self._violations: deque[dict] = deque(maxlen=_MAXIMUM_ENTRIES)

    def clear(self) -> None:
        self._connections: deque[ConnectionRecord] = deque(maxlen=_MAXIMUM_ENTRIES)
        self._requests: deque[RequestRecord] = deque(maxlen=_MAXIMUM_ENTRIES)
        self._accepted = 0
        self._dropped = 0

    def clear_violations(self) -> None:
        self._violations.clear()

    def connection(self) -> ConnectionRecord:
        record = ConnectionRecord(self._next_connection, time.time())
        self._next_connection += 1
        self._accepted += 1
        self._connections.append(record)
        return record

    def request(
        self,
        connection: ConnectionRecord,
        method: str,
        path: str,
        operation: str,
        headers: dict[str, str],
        body: object,
        size: int,
    ) -> RequestRecord:
        shown = body if size <= _MAXIMUM_LOGGED_BODY else f"({size} bytes, not kept)"
        record = RequestRecord(
            self._next_request,
            time.time(),
            connection.id,
            connection.tls_version,
            method,
            path[:2000],
            operation,
            headers,
            shown,
        )
        self._next_request += 1
        connection.requests += 1
        self._dropped += len(self._requests) == _MAXIMUM_ENTRIES
        self._requests.append(record)
        return record

    def violation(self, what: str, request: RequestRecord | None = None) -> None:
        self._violations.append(
            {
                "time": time.time(),
                "what": what,
                "request": request.id if request else None,
                "operation": request.operation if request else None,
            }
        )

    def requests(self) -> dict:
        return {
            "requests": [asdict(r) for r in self._requests],
            "connections": self._accepted,
            "dropped": self._dropped,
        }

    def connections(self) -> list[dict]:
        return [asdict(c) for c in self._connections]

    def violations(self) -> list[dict]:
        return list(self._violations)
