"""The connection that is opened while somebody types: what becomes of it until the answer is there.

A sign-in's requests are not sent twice, so a connection that something between dropped without a word would cost the
whole sign-in. libcurl's clock is set forward rather than waited for.
"""

import socket
import struct
import threading
import time
from pathlib import Path

import pytest

from Emulator.client import EmulatorClient

from .compiled import library
from .machine import Closing
from .test_worker_protocol import PASSWORD, PROGRAM, Account
from .worker_process import WorkerProcess


class Relay(Closing):
    """Passes connections on to a port of this machine, and does with the first of them what it is told."""

    def __init__(self, target: int):
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._silent = threading.Event()
        self._sockets: list[tuple[socket.socket, socket.socket]] = []
        self._readers: list[threading.Thread] = []
        # How much of what the server has sent on the first connection has been passed on.
        self._passed = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        for pair in self._sockets:
            for end in pair:
                end.close()

    @property
    def connections(self) -> int:
        return len(self._sockets)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            is_first = not self._sockets
            self._sockets.append((client, server))
            for source, target in ((client, server), (server, client)):
                reader = threading.Thread(target=self._pass, args=(source, target, is_first), daemon=True)
                reader.start()
                self._readers.append(reader)

    def _pass(self, source: socket.socket, target: socket.socket, is_first: bool) -> None:
        try:
            while data := source.recv(65536):
                if not (is_first and self._silent.is_set()):
                    target.sendall(data)
                    if source is self._sockets[0][1]:
                        self._passed += len(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def first_is_idle(self) -> bool:
        """Whether the client has read all that the server has sent on the first connection."""
        client, server = self._sockets[0]
        # tcpi_bytes_received, and proc_net_tcp(5): the queues of both ends.
        received = struct.unpack_from("=Q", server.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192), 128)[0]
        ends = {f"0100007F:{client.getpeername()[1]:04X}", f"0100007F:{self.port:04X}"}
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
        queues = [row[4] for row in rows if {row[1], row[2]} == ends]
        return received == self._passed and queues == ["00000000:00000000"] * 2

    def treat_first(self, how: str) -> None:
        """ "silent": nothing passes any more, and nobody is told; "closed" and "reset": the client's end is told so."""
        client, server = self._sockets[0]
        if how == "silent":
            self._silent.set()
        elif how == "closed":
            server.shutdown(socket.SHUT_RDWR)
            # Whoever reads from it has told the client then.
            self._readers[1].join()
        elif how == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.shutdown(socket.SHUT_RD)
            # It is closed when nobody reads from it any more, and what came until then is passed on.
            self._readers[0].join()
            client.close()


@pytest.fixture(scope="module")
def clock_ahead(folder: Path) -> Path:
    """A library that sets a program's clock forward."""
    return Path(library("clock_ahead", folder))


@pytest.mark.parametrize("preconnect", [1, 2], ids=["connect", "begin"])
@pytest.mark.parametrize(
    ("how", "minute_later", "connections"),
    [("left alone", False, 1), ("closed", False, 2), ("reset", False, 2), ("silent", True, 2), ("closed", True, 2)],
)
def test_connection_while_somebody_types(
    service: EmulatorClient, clock_ahead: Path, how: str, minute_later: bool, connections: int, preconnect: int
) -> None:
    service.clear_requests()
    account = Account(service)
    later = clock_ahead.with_name(f"later-{how.replace(' ', '-')}-{minute_later}-{preconnect}")
    with Relay(service.port) as relay:
        fields = account.service_fields(endpoint=f"https://127.0.0.1:{relay.port}")
        fields |= account.person_fields() | {"flow": 1, "preconnect": preconnect, "sign_out_mode": "global"}
        with WorkerProcess(PROGRAM, {"LD_PRELOAD": str(clock_ahead), "CLOCK_AHEAD": str(later)}) as worker:
            worker.send("sign_in", **fields)
            assert worker.receive().kind == "ask"
            # Until it is answered, and the answer has come.
            operation = "jwks" if preconnect == 1 else "InitiateAuth"
            while not [entry for entry in service.requests(operation) if entry["seconds"] is not None]:
                time.sleep(0.01)
            while not relay.first_is_idle():
                time.sleep(0.01)
            relay.treat_first(how)
            if minute_later:
                later.touch()
            worker.send("answer", answer=PASSWORD)
            result = next(message for message in worker.messages() if message.kind != "keep")
    assert result.kind == "signed_in", result
    assert relay.connections == connections
    # A challenge that has grown old with the connection is asked for anew; on a new connection a young one will do.
    assert len(service.requests("InitiateAuth")) == (2 if preconnect == 2 and minute_later else 1)
    assert len(service.requests("RespondToAuthChallenge")) == 1
