"""A proxy that connections go through to a server of this machine, or do not: `proxy.py KIND LOG [CERTIFICATE]`.

Standard input is the listening socket. KIND is `connect` (HTTP's CONNECT), `tls` (the same over TLS), `socks` (SOCKS 5
with names), `refuses`, `asks` (for a name and a password), `ends` or `hangs`. Each host that was asked for is a line of
LOG.
"""

import contextlib
import socket
import ssl
import sys
import threading
from pathlib import Path

ANSWERS = {
    "refuses": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
    "asks": b'HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n',
}


def copy(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


def carry(inward: socket.socket, host: str, port: int, ready: bytes) -> None:
    with socket.create_connection((host, port)) as outward:
        inward.sendall(ready)
        answers = threading.Thread(target=copy, args=(outward, inward))
        answers.start()
        copy(inward, outward)
        answers.join()


def exactly(inward: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += inward.recv(count - len(data)) or b"\0" * count
    return data


def serve(inward: socket.socket, kind: str, log: Path) -> None:
    with inward, contextlib.suppress(OSError):
        if kind == "socks":
            inward.recv(exactly(inward, 2)[1])
            inward.sendall(b"\5\0")
            # Version, CONNECT, reserved, and a name rather than an address.
            _, _, _, form = exactly(inward, 4)
            host = (
                exactly(inward, exactly(inward, 1)[0]).decode() if form == 3 else socket.inet_ntoa(exactly(inward, 4))
            )
            port = int.from_bytes(exactly(inward, 2))
            ready = b"\5\0\0\1" + b"\0" * 6
        else:
            request = b""
            while not request.endswith(b"\r\n\r\n"):
                request += exactly(inward, 1)
            host, number = request.split()[1].decode().rsplit(":", 1)
            port, ready = int(number), b"HTTP/1.1 200 Connection established\r\n\r\n"
        with log.open("a") as lines:
            lines.write(f"{host}:{port}\n")
        if kind == "hangs":
            inward.recv(1)
        elif kind in ANSWERS:
            inward.sendall(ANSWERS[kind])
        elif kind != "ends":
            carry(inward, host, port, ready)


def accepted(inward: socket.socket, kind: str, log: Path, context: ssl.SSLContext | None) -> None:
    with contextlib.suppress(OSError):
        serve(context.wrap_socket(inward, server_side=True) if context else inward, kind, log)


def main() -> None:
    listening, (kind, log, *certificate) = socket.socket(fileno=0), sys.argv[1:]
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate[0])
    while True:
        inward, _ = listening.accept()
        threading.Thread(target=accepted, args=(inward, kind, Path(log), context), daemon=True).start()


if __name__ == "__main__":
    main()
