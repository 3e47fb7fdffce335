"""Carries connections from a listening socket, standard input, to a port of 127.0.0.1, the argument.

The socket may be another network namespace's: it stays in the one that it was made in.
"""

import contextlib
import socket
import sys
import threading

_CHUNK = 1 << 16


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    # The other direction may still have something to say; an end that is gone already needs no telling.
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def _carry(inward: socket.socket, port: int) -> None:
    with inward:
        try:
            outward = socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            return
        with outward:
            answers = threading.Thread(target=_copy, args=(outward, inward))
            answers.start()
            _copy(inward, outward)
            answers.join()


def main() -> None:
    listening, port = socket.socket(fileno=0), int(sys.argv[1])
    while True:
        inward, _ = listening.accept()
        threading.Thread(target=_carry, args=(inward, port), daemon=True).start()


if __name__ == "__main__":
    main()
