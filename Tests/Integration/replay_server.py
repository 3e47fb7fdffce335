"""Plays recorded answers of Cognito over TLS, in their order, and checks nothing but the form of what it is asked.

The answers are those of `Tests/Conformance/answers.json`; the tokens in them are signed here, with the key set that the
server has at the pool's address.
"""

from __future__ import annotations

import copy
import json
import re
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from Emulator.certificates import Authority

CONFORMANCE = json.loads((Path(__file__).resolve().parents[1] / "Conformance" / "answers.json").read_text())
FORMS = CONFORMANCE["forms"]
ANSWERS = {answer["name"]: answer for answer in CONFORMANCE["answers"]}
POOL, CLIENT, NAME = "eu-west-1_Replay123", "6h89qn2bfglbmvfebq9aaknqk0", "alice"
SUBJECT = "34c84488-e0e1-70ae-d2ee-991ad1a898c8"
#: What ends tokens is answered, whether it was recorded or not.
_ENDS = {"GlobalSignOut", "RevokeToken"}
_TYPE = "application/x-amz-json-1.1"


def filled(value: object, values: dict[str, str]) -> object:
    """`value` with `$name` replaced in its texts, where there is a value of that name."""
    if isinstance(value, dict):
        return {key: filled(one, values) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, values) for one in value]
    if not isinstance(value, str):
        return value
    return re.sub(r"\$(\w+)", lambda found: values.get(found[1], found[0]), value)


def covers(request: object, form: object) -> bool:
    """Whether a request has the members of a form, and its flow or challenge."""
    if not isinstance(form, dict):
        return True
    return isinstance(request, dict) and all(
        key in request
        and covers(request[key], member)
        and (key not in ("AuthFlow", "ChallengeName") or request[key] == member)
        for key, member in form.items()
    )


class Tokens:
    """The pool's key, and alice's tokens."""

    def __init__(self) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        self.key_set = json.dumps({"keys": [{**public, "kid": "k", "alg": "RS256", "use": "sig"}]}).encode()

    def values(self, claims: dict) -> dict[str, str]:
        now = int(time.time())
        common = {
            "iss": f"https://cognito-idp.eu-west-1.amazonaws.com/{POOL}",
            "sub": SUBJECT,
            "origin_jti": str(uuid.uuid4()),
            "cognito:groups": ["staff"],
            "auth_time": now,
            "iat": now,
            "exp": now + 3600,
        }
        access = {
            "token_use": "access",
            "client_id": CLIENT,
            "username": NAME,
            "scope": "aws.cognito.signin.user.admin",
        }
        identity = {"token_use": "id", "aud": CLIENT, "cognito:username": NAME}
        made = {"AccessToken": {**access, **claims.get("access", {})}, "IdToken": {**identity, **claims.get("id", {})}}
        return {
            name: jwt.encode({**common, "jti": str(uuid.uuid4()), **members}, self._key, "RS256", {"kid": "k"})
            for name, members in made.items()
        }


class ReplayServer:
    """One listening socket, until the end of the `with` block."""

    def __init__(self, listening: socket.socket, context: ssl.SSLContext, tokens: Tokens) -> None:
        self._script: list[dict] = []
        self._tokens = tokens
        self.unexpected: list[str] = []
        replay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.say(200, tokens.key_set, {"Content-Type": "application/json"})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.say(*replay.answer(self.headers["X-Amz-Target"].rpartition(".")[2], body))

            def say(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        self.port = listening.getsockname()[1]
        self._server = ThreadingHTTPServer(listening.getsockname(), Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = context.wrap_socket(listening, server_side=True)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> ReplayServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def play(self, names: list[str]) -> None:
        """The answers to what follows."""
        self._script = [copy.deepcopy(ANSWERS[name]) for name in names]
        self.unexpected = []

    @property
    def left(self) -> list[str]:
        """What was not asked for."""
        return [answer["name"] for answer in self._script]

    def answer(self, operation: str, body: dict) -> tuple[int, bytes, dict[str, str]]:
        if self._script:
            form = FORMS[self._script[0]["form"]]
            if form["operation"] == operation and covers(body, form["body"]):
                return self._said(self._script.pop(0))
        if operation not in _ENDS:
            self.unexpected.append(f"{operation} {json.dumps(body)[:300]}")
            return 500, b"", {}
        return 200, b"{}", {"Content-Type": _TYPE}

    def _said(self, recorded: dict) -> tuple[int, bytes, dict[str, str]]:
        values = {"client_id": CLIENT, "user_name": NAME, "sub": SUBJECT, "RefreshToken": "eyJjdHkiOiJKV1QifQ.a.b.c.d"}
        values |= {"new_session": "AYABe" + uuid.uuid4().hex, "new_totp_secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"}
        values |= self._tokens.values(filled(recorded.get("claims", {}), values))
        said = filled(recorded["answer"], values)
        if "raw" in said:
            body = said["raw"].encode()
        elif "error" in said:
            body = json.dumps({"__type": said["error"], "message": said.get("message")}).encode()
        else:
            body = json.dumps(said["body"]).encode()
        status = said.get("status", 400 if "error" in said else 200)
        return status, body, {"Content-Type": _TYPE, **said.get("headers", {})}


def tls(folder: Path, names: Sequence[str] = ("localhost",)) -> tuple[ssl.SSLContext, Path]:
    """The server's side of TLS, and the file of the authority to trust."""
    authority, key = Authority("test server's authority"), ec.generate_private_key(ec.SECP256R1())
    certificate = authority.issue(key, list(names), -1, 30).public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.pem").write_bytes(private + certificate)
    (folder / "authority.pem").write_bytes(authority.pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context, folder / "authority.pem"
