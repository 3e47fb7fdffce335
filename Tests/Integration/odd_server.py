"""A server with the right certificate and no manners: `odd_server.py KIND PORT CERTIFICATE`.

Standard input is the listening socket; PORT is that of the true service, for a KIND that lets it answer in the end.
"""

import contextlib
import gzip
import itertools
import select
import socket
import ssl
import sys
import threading
import time
from collections.abc import Iterable

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.1\r\n"


def _slowly(text: bytes) -> Iterable[bytes]:
    for byte in text:
        time.sleep(0.1)
        yield bytes([byte])


def _bomb() -> bytes:
    """A megabyte that is a gigabyte."""
    return gzip.compress(b"\0" * (1 << 20)) * 1024


#: What each sends instead of an answer.
ANSWERS = {
    "slow_head": lambda: _slowly(_OK + b"X-Padding: " + b"x" * 1000),
    "slow_body": lambda: itertools.chain([_OK, b"Content-Length: 1000\r\n\r\n"], _slowly(b"{" * 1000)),
    "endless_head": lambda: itertools.chain([_OK], itertools.repeat(b"X-More: " + b"x" * 1000 + b"\r\n")),
    "endless_line": lambda: itertools.chain([_OK, b"X-More: "], itertools.repeat(b"x" * 1000)),
    "endless_body": lambda: itertools.chain([_OK, b"\r\n"], itertools.repeat(b"{" * 10_000)),
    "endless_chunks": lambda: itertools.chain(
        [_OK, b"Transfer-Encoding: chunked\r\n\r\n"], itertools.repeat(b"a\r\n[[[[[[[[[[\r\n")
    ),
    "endless_continue": lambda: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "gzip_bomb": lambda: [_OK + b"Content-Encoding: gzip\r\n", b"Content-Length: %d\r\n\r\n" % len(_bomb()), _bomb()],
    "truncated": lambda: [_OK + b"Content-Length: 1000\r\n\r\n{"],
    "two_lengths": lambda: [_OK + b"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}"],
    "no_http": lambda: [b"SSH-2.0-OpenSSH_9.2\r\n"],
}


def _relay(inward: socket.socket, kind: str, port: int) -> None:
    """The true service's answers, the first of them behind a 100 that nobody asked for."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(socket.create_connection(("127.0.0.1", port))) as outward:
        outward.sendall(inward.recv(1 << 16))
        inward.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        # By one thread: two must not be at one TLS connection at a time.
        others = {inward: outward, outward: inward}
        while True:
            for source in [one for one in others if one.pending()] or select.select(list(others), [], [])[0]:
                if not (data := source.recv(1 << 16)):
                    return
                others[source].sendall(data)


def _serve(inward: socket.socket, kind: str, port: int, context: ssl.SSLContext) -> None:
    with inward, contextlib.suppress(OSError):
        if kind == "no_tls":
            inward.recv(1)
            time.sleep(60)
        with context.wrap_socket(inward, server_side=True) as channel:
            if kind == "continue":
                _relay(channel, kind, port)
                return
            channel.recv(1 << 16)
            for part in ANSWERS[kind]():
                channel.sendall(part)


def main() -> None:
    listening, (kind, port, certificate) = socket.socket(fileno=0), sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    while True:
        inward, _ = listening.accept()
        threading.Thread(target=_serve, args=(inward, kind, int(port), context), daemon=True).start()


if __name__ == "__main__":
    main()
