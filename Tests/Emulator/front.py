"""TCP, TLS and HTTP/1.1: accepts connections, reads requests, delivers answers well or badly.

Written on bare sockets and h11 instead of an ASGI server, because the point is to do what such servers prevent: count
connections that never speak, reset them, stop in the middle of an answer, change the certificate while running.
Bound to 127.0.0.1 and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.utils import formatdate

import h11

from .answers import Answer
from .certificates import TLSSettings
from .traffic_log import ConnectionRecord, RequestRecord, TrafficLog

ADDRESS = "127.0.0.1"
_HANDSHAKE_SECONDS = 15.0
_IDLE_SECONDS = 120.0
_HANG_SECONDS = 600.0
_REFUSED_SECONDS = 1.0
_MAXIMUM_BODY = 1 << 20
_MAXIMUM_HEAD = 1 << 16
_MAXIMUM_CONNECTIONS = 512
_CHUNK = 1 << 16
_MAXIMUM_HUGE = 1 << 30


@dataclass
class Request:
    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes


@dataclass
class Delivery:
    """How an answer goes out: whole, half, reset, close, hang, trickle or huge."""

    answer: Answer
    record: RequestRecord
    manner: str = "whole"
    arguments: dict = field(default_factory=dict)


@dataclass
class ConnectionFault:
    manner: str | None = None
    seconds: float = 0.0


Exchange = Callable[[ConnectionRecord, Request], Awaitable[Delivery]]


class Front:
    """The listener and its connections."""

    def __init__(
        self, exchange: Exchange, connection_fault: Callable[[], ConnectionFault], tls: TLSSettings, log: TrafficLog
    ) -> None:
        self._exchange = exchange
        self._connection_fault = connection_fault
        self._tls = tls
        self._log = log
        self._listening: socket.socket | None = None
        self._accepting: asyncio.Task | None = None
        self._connections: set[asyncio.Task] = set()
        self._hangs: set[asyncio.Event] = set()
        self.port = 0

    def open(self, port: int) -> None:
        """Listen on `port` (0: any free one)."""
        if self._listening is not None:
            return
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setblocking(False)
        listening.bind((ADDRESS, port))
        listening.listen(128)
        self.port = listening.getsockname()[1]
        self._listening = listening
        self._accepting = asyncio.create_task(self._accept(listening))

    async def close(self, drop: bool) -> None:
        """Stop listening; with `drop` also cut the connections that are open."""
        if self._accepting is not None:
            self._accepting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._accepting
            self._accepting = None
        if self._listening is not None:
            self._listening.close()
            self._listening = None
        if drop:
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    def release_hangs(self) -> None:
        """Cut the connections that a fault holds without an answer."""
        for event in self._hangs:
            event.set()

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                raw, _peer = await loop.sock_accept(listening)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            record = self._log.connection()
            if len(self._connections) >= _MAXIMUM_CONNECTIONS:
                raw.close()
                record.closed = True
                continue
            task = asyncio.create_task(self._serve(raw, record))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

    async def _serve(self, raw: socket.socket, record: ConnectionRecord) -> None:
        raw.setblocking(False)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport: asyncio.BaseTransport | None = None
        try:
            fault = self._connection_fault()
            if fault.seconds:
                await asyncio.sleep(fault.seconds)
            if fault.manner == "reset":
                _reset_on_close(raw)
                return
            if fault.manner == "hang":
                await self._hang_before_tls(raw)
                return
            loop = asyncio.get_running_loop()
            reader = asyncio.StreamReader(limit=_CHUNK)
            protocol = asyncio.StreamReaderProtocol(reader)
            transport, _ = await loop.connect_accepted_socket(
                lambda: protocol,
                raw,
                ssl=self._tls.context,
                ssl_handshake_timeout=_HANDSHAKE_SECONDS,
                ssl_shutdown_timeout=1.0,
            )
            writer = asyncio.StreamWriter(transport, protocol, reader, loop)
            _note_tls(record, transport.get_extra_info("ssl_object"))
            await self._converse(_Channel(reader, writer, transport, raw), record)
        except (ssl.SSLError, ConnectionError, TimeoutError, OSError, EOFError) as error:
            if record.tls_version is None and record.handshake_error is None:
                record.handshake_error = f"{type(error).__name__}: {error}"[:500]
        except Exception as error:
            self._log.violation(f"the emulator failed: {type(error).__name__}: {error}")
        finally:
            record.closed = True
            if transport is not None:
                transport.close()
            else:
                raw.close()

    async def _hang_before_tls(self, raw: socket.socket) -> None:
        loop = asyncio.get_running_loop()

        async def until_closed() -> None:
            while await loop.sock_recv(raw, 4096):
                pass

        await self._hold(until_closed())

    async def _hold(self, until: Awaitable[None]) -> None:
        """Wait until the peer gives up, the fault is cleared, or the longest hang is over."""
        event = asyncio.Event()
        self._hangs.add(event)
        waiting = [asyncio.ensure_future(until), asyncio.create_task(event.wait())]
        try:
            await asyncio.wait(waiting, timeout=_HANG_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._hangs.discard(event)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _converse(self, channel: _Channel, connection: ConnectionRecord) -> None:
        """Requests and answers on one connection until either side ends it."""
        state = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAXIMUM_HEAD)
        while True:
            try:
                request = await _read_request(state, channel)
            except (h11.RemoteProtocolError, _TooLargeError) as error:
                self._log.violation(f"HTTP: {error}")
                status = 413 if isinstance(error, _TooLargeError) else 400
                channel.writer.write(
                    f"HTTP/1.1 {status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
                )
                await channel.writer.drain()
                # Closed with input unread, the connection would be reset and the client might never see the answer.
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(channel.until_closed(), _REFUSED_SECONDS)
                return
            if request is None:
                return
            started = time.monotonic()
            delivery = await self._exchange(connection, request)
            try:
                finished = await self._deliver(state, channel, delivery)
            except (ConnectionError, OSError, h11.LocalProtocolError):
                delivery.record.delivered = f"{delivery.manner}, cut by the client"
                return
            finally:
                delivery.record.seconds = round(time.monotonic() - started, 4)
            if not finished or state.our_state is not h11.DONE or state.their_state is not h11.DONE:
                return
            state.start_next_cycle()

    async def _deliver(self, state: h11.Connection, channel: _Channel, delivery: Delivery) -> bool:
        """Send the answer in its manner; True if the connection can go on."""
        record, arguments = delivery.record, delivery.arguments
        record.delivered = delivery.manner
        match delivery.manner:
            case "hang":
                await self._hold(channel.until_closed())
                channel.reset()
                return False
            case "close":
                return False
            case "huge":
                await _send_huge(state, channel, delivery)
                return False
        head, body = _encode(state, delivery.answer)
        match delivery.manner:
            case "half":
                record.bytes_sent = await channel.send(head + body[: len(body) // 2])
                return False
            case "reset":
                whole = head + body
                record.bytes_sent = await channel.send(whole[: int(len(whole) * float(arguments["sent"]))])
                # The part sent has to be on its way, or the reset overtakes it.
                await asyncio.sleep(0.02)
                channel.reset()
                return False
            case "trickle":
                for byte in head + body:
                    record.bytes_sent += await channel.send(bytes([byte]))
                    await asyncio.sleep(float(arguments["seconds"]))
                return True
        record.bytes_sent = await channel.send(head + body)
        return True


class _TooLargeError(Exception):
    """A request body beyond what any operation needs."""


@dataclass
class _Channel:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    transport: asyncio.Transport
    raw: socket.socket

    async def send(self, data: bytes) -> int:
        self.writer.write(data)
        await self.writer.drain()
        return len(data)

    async def until_closed(self) -> None:
        with contextlib.suppress(OSError):
            while await self.reader.read(4096):
                pass

    def reset(self) -> None:
        """Cut the connection with a TCP reset instead of an orderly end."""
        shared = self.transport.get_extra_info("socket")
        if shared is not None:
            _reset_on_close(shared)
        self.transport.abort()


def _reset_on_close(raw: socket.socket) -> None:
    with contextlib.suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _note_tls(record: ConnectionRecord, session: ssl.SSLObject) -> None:
    record.tls_version = session.version()
    cipher = session.cipher()
    record.cipher = cipher[0] if cipher else None
    record.resumed = session.session_reused


async def _read_request(state: h11.Connection, channel: _Channel) -> Request | None:
    """The next request, or None when the client is done."""
    head: h11.Request | None = None
    body = bytearray()
    while True:
        event = state.next_event()
        if event is h11.NEED_DATA:
            if state.they_are_waiting_for_100_continue:
                await channel.send(state.send(h11.InformationalResponse(status_code=100, headers=[])))
            state.receive_data(await asyncio.wait_for(channel.reader.read(_CHUNK), _IDLE_SECONDS))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > _MAXIMUM_BODY:
                raise _TooLargeError(f"a body of more than {_MAXIMUM_BODY} bytes")
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in head.headers]
            return Request(head.method.decode("latin-1"), head.target.decode("latin-1"), headers, bytes(body))
        else:
            return None


def _encode(state: h11.Connection, answer: Answer) -> tuple[bytes, bytes]:
    headers = [*_headers(answer), ("Content-Length", str(len(answer.body)))]
    head = state.send(h11.Response(status_code=answer.status, headers=headers, reason=b""))
    body = state.send(h11.Data(data=answer.body)) if answer.body else b""
    return head or b"", (body or b"") + (state.send(h11.EndOfMessage()) or b"")


def _headers(answer: Answer) -> list[tuple[str, str]]:
    headers = [("Date", formatdate(usegmt=True))]
    if answer.content_type:
        headers.append(("Content-Type", answer.content_type))
    return headers + answer.headers


async def _send_huge(state: h11.Connection, channel: _Channel, delivery: Delivery) -> None:
    """A 200 whose body is one endless-looking JSON string."""
    remaining = min(int(float(delivery.arguments["megabytes"]) * (1 << 20)), _MAXIMUM_HUGE)
    await channel.send(state.send(h11.Response(status_code=200, headers=_headers(delivery.answer), reason=b"")) or b"")
    block = b'{"AuthenticationResult":{"AccessToken":"'
    while remaining > 0:
        delivery.record.bytes_sent += await channel.send(state.send(h11.Data(data=block)) or b"")
        remaining -= len(block)
        block = b"A" * min(_CHUNK, max(remaining, 1))
    await channel.send((state.send(h11.Data(data=b'"}}')) or b"") + (state.send(h11.EndOfMessage()) or b""))
