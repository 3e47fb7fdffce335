"""Servers that go by the pool's ID token, and check it by themselves: what kubectl, git and curl talk to.

usage: token_server.py DIRECTORY PORT ENDPOINT CA ISSUER CLIENT_ID

In DIRECTORY there are then `authority.pem`, by which the server's certificate is to be checked, and `log`: a line of
JSON for each request, with what was shown (never the token), and whether it was let in. `/git` is Git's own
http-backend, for a name and a token as the password; everything else stands in for Kubernetes' API server, or any
other, and wants the token as such.
"""

import base64
import json
import os
import ssl
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jwt

from Integration.replay_server import tls

DIRECTORY, PORT, ENDPOINT, CA, ISSUER, CLIENT = sys.argv[1:]
NAMES = ["localhost", "git.example.com", "k8s.example.com", "other.example.com"]


def verified(token: str) -> dict:
    """The claims of an ID token of our pool's; an error for anything else, an access token among it."""
    keys = jwt.PyJWKClient(
        f"{ENDPOINT}/{ISSUER.rsplit('/', 1)[1]}/.well-known/jwks.json",
        ssl_context=ssl.create_default_context(cafile=CA),
    )
    key = keys.get_signing_key_from_jwt(token).key
    claims = jwt.decode(token, key, algorithms=["RS256"], audience=CLIENT, issuer=ISSUER)
    if claims["token_use"] != "id":
        raise jwt.InvalidTokenError("no ID token")
    return claims


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def person(self) -> tuple[str, str | None]:
        """How somebody said who they are, and who that is, if it holds."""
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        try:
            if scheme == "Bearer":
                return "bearer", verified(value)["cognito:username"]
            if scheme == "Basic" and self.path.startswith("/git/"):
                name, _, token = base64.b64decode(value).decode().partition(":")
                return "basic", name if verified(token)["cognito:username"] == name else None
        except (jwt.PyJWTError, KeyError) as error:
            return f"{scheme.lower()}: {type(error).__name__}", None
        return scheme.lower() or "nothing", None

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        shown, person = self.person()
        with open(f"{DIRECTORY}/log", "a") as log:
            print(json.dumps({"path": self.path.split("?")[0], "shown": shown, "person": person}), file=log)
        if person is None:
            scheme = "Basic" if self.path.startswith("/git/") else "Bearer"
            return self.say(401, b"{}", ("WWW-Authenticate", f'{scheme} realm="{CLIENT}"'))
        if self.path.startswith("/git/"):
            return self.from_git(body, person)
        self.say(200, json.dumps({"kind": "Whoami", "person": person}).encode())

    def from_git(self, body: bytes, person: str) -> None:
        path, _, query = self.path.removeprefix("/git").partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": f"{DIRECTORY}/repositories",
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": person,
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [tuple(line.decode().split(": ", 1)) for line in head.split(b"\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self.say(status, content, *[field for field in fields if field[0] != "Status"])

    def say(self, status: int, content: bytes, *fields: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (*fields, ("Content-Length", str(len(content)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = answer  # noqa: N815


server = ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler)
server.socket = tls(Path(DIRECTORY), NAMES)[0].wrap_socket(server.socket, server_side=True)
(Path(DIRECTORY) / "ready").touch()
server.serve_forever()
