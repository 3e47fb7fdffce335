"""A stand-in for the metadata service of an EC2 instance, IMDSv2 as the documentation says it.

usage: instance_metadata.py FILE

FILE is JSON, read for each request: `role`, `keys` (the document of the role's keys), and for each path of `answers`
what comes in place of the right thing: `status`, `body`, `seconds` to wait before, `size` of a body without sense. Each
request adds a line to FILE.log: method, path and status.
"""

import http.server
import json
import secrets
import socket
import sys
import time
from pathlib import Path
from typing import ClassVar

ADDRESSES = ("169.254.169.254", "fd00:ec2::254")
TOKEN_PATH = "/latest/api/token"
ROLES = "/latest/meta-data/iam/security-credentials/"
_TTL = range(1, 21601)


class Metadata(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    plan: Path
    #: Each token, and when it ends.
    tokens: ClassVar[dict[str, float]] = {}

    def do_PUT(self) -> None:
        if self.path != TOKEN_PATH:
            return self._answer(404)
        ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        # As the real one does it: what came through a proxy gets no token.
        if not ttl.isdigit() or int(ttl) not in _TTL or "X-Forwarded-For" in self.headers:
            return self._answer(403 if "X-Forwarded-For" in self.headers else 400)
        token = secrets.token_urlsafe(40) + "=="
        self.tokens[token] = time.monotonic() + int(ttl)
        return self._answer(200, token.encode())

    def do_GET(self) -> None:
        plan = json.loads(self.plan.read_text())
        if self.tokens.get(self.headers.get("X-aws-ec2-metadata-token", ""), 0) < time.monotonic():
            return self._answer(401)
        if self.path == ROLES and "role" in plan:
            return self._answer(200, plan["role"].encode())
        if "role" in plan and self.path == ROLES + plan["role"]:
            return self._answer(200, json.dumps(plan["keys"], indent=2).encode())
        return self._answer(404)

    def _answer(self, status: int, body: bytes = b"") -> None:
        other = json.loads(self.plan.read_text()).get("answers", {}).get(self.path, {})
        status = other.get("status", status)
        body = other["body"].encode() if "body" in other else bytes(other["size"]) if "size" in other else body
        with Path(f"{self.plan}.log").open("a") as log:
            log.write(f"{self.command} {self.path} {status}\n")
        time.sleep(other.get("seconds", 0))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if 300 <= status < 400:
            self.send_header("Location", "http://127.0.0.1/")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing to standard error."""


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def handle_error(self, *_: object) -> None:
        """Whoever waited has gone."""


if __name__ == "__main__":
    Metadata.plan = Path(sys.argv[1])
    Server(("::", 80), Metadata).serve_forever()
