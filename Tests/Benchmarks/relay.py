"""A way to a server that takes time: `relay.py SECONDS PORT TARGET`, with SECONDS to the target's port and back.

Carries TCP and UDP of 127.0.0.1. A connection is there at once for whoever asks, so what it says first waits for the
round trip that setting up a connection takes.
"""

import contextlib
import queue
import socket
import sys
import threading
import time

_CHUNK = 1 << 16


def _start(function, *arguments) -> threading.Thread:
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def _until(due: float) -> None:
    if (left := due - time.monotonic()) > 0:
        time.sleep(left)


def _deliver(parts: "queue.SimpleQueue[tuple[float, bytes]]", sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            due, data = parts.get()
            _until(due)
            if not data:
                sink.shutdown(socket.SHUT_WR)
                return
            sink.sendall(data)


def _copy(source: socket.socket, sink: socket.socket, way: float, not_before: float) -> None:
    parts: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
    delivery = _start(_deliver, parts, sink)
    data = b"-"
    while data:
        try:
            data = source.recv(_CHUNK)
        except OSError:
            data = b""
        parts.put((max(time.monotonic(), not_before) + way, data))
    delivery.join()


def _carry(inward: socket.socket, target: int, seconds: float) -> None:
    there = time.monotonic() + seconds
    try:
        outward = socket.create_connection(("127.0.0.1", target))
    except ConnectionRefusedError:
        inward.close()
        return
    with inward, outward:
        for end in (inward, outward):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = _start(_copy, outward, inward, seconds / 2, there)
        _copy(inward, outward, seconds / 2, there)
        answers.join()


def _answer(listening: socket.socket, data: bytes, asker: tuple, target: int, seconds: float) -> None:
    time.sleep(seconds / 2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward, contextlib.suppress(OSError):
        outward.settimeout(30)
        outward.sendto(data, ("127.0.0.1", target))
        said = outward.recv(_CHUNK)
        time.sleep(seconds / 2)
        listening.sendto(said, asker)


def _datagrams(listening: socket.socket, target: int, seconds: float) -> None:
    while True:
        data, asker = listening.recvfrom(_CHUNK)
        _start(_answer, listening, data, asker, target, seconds)


def main() -> None:
    seconds, port, target = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", port))
    listening = socket.create_server(("127.0.0.1", port), backlog=256)
    _start(_datagrams, datagrams, target, seconds)
    print("ready", flush=True)
    while True:
        inward, _ = listening.accept()
        _start(_carry, inward, target, seconds)


if __name__ == "__main__":
    main()
