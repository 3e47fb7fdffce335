"""Plays the root side of cognito-worker: starts it without rights and speaks its messages, one packet each."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

NOBODY = 65534

# The document from which somebody else could write this: all numbers are from there.
_DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "PROTOCOL.md").read_text()


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _rows(table: str) -> list[list[str]]:
    """A table's lines in their cells, without its head."""
    lines = table.strip().splitlines()
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def _table(name: str) -> list[list[str]]:
    return _rows(_DOCUMENT.partition(f"<!-- {name} -->\n")[2].partition("<!-- / -->")[0])


def codes(name: str) -> dict[int, str]:
    """The codes of that name, such as `Shortfall`."""
    table = _DOCUMENT.partition(f"\n### {name}\n\n")[2].partition("\n\n")[0].partition("<!-- / -->")[0]
    return {int(number): _snake(word) for number, word, _ in _rows(table)}


_LIMITS = {name: int(value) for name, value in _table("limits")}
VERSION = _LIMITS["version"]
LARGEST = _LIMITS["largest message, in bytes"]
KINDS = {
    _snake(name): int(number)
    for side in ("root side", "worker", "client", "agent")
    for number, name, *_ in _table(side)
}
_FORMS = {_snake(name): (int(number), size) for number, name, size, _ in _table("fields")}
FIELDS = {name: number for name, (number, _) in _FORMS.items()}
LONG_NUMBERS = {name for name, (_, size) in _FORMS.items() if size == "8"}
CODES = {name for name, (_, size) in _FORMS.items() if size == "1"}
REASONS = codes("FailureReason")
OUTCOMES = codes("SignOutOutcome")
_KIND_NAMES = {number: name for name, number in KINDS.items()}
_FIELD_NAMES = {number: name for name, number in FIELDS.items()}


@dataclass
class Message:
    kind: str
    fields: dict[str, bytes | int] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)

    @property
    def reason(self) -> str:
        return REASONS[self.fields["reason"]]

    @property
    def outcome(self) -> str:
        return OUTCOMES[self.fields["outcome"]]

    def text(self, name: str) -> str:
        return self.fields[name].decode()


def encode(kind: str, fields: dict[str, object]) -> bytes:
    packet = bytes([VERSION, KINDS[kind]])
    for name, value in fields.items():
        if value is None:
            continue
        if name in LONG_NUMBERS:
            value = struct.pack(">q", value)
        elif name in CODES:
            value = bytes([value])
        elif isinstance(value, str):
            value = value.encode()
        packet += struct.pack(">BI", FIELDS[name], len(value)) + value
    return packet


def decode(packet: bytes) -> Message:
    assert packet[0] == VERSION
    message = Message(_KIND_NAMES[packet[1]])
    offset = 2
    while offset < len(packet):
        tag, length = struct.unpack_from(">BI", packet, offset)
        value: bytes | int = packet[offset + 5 : offset + 5 + length]
        offset += 5 + length
        name = _FIELD_NAMES[tag]
        if name == "group":
            message.groups.append(value.decode())
            continue
        if name in LONG_NUMBERS or name in CODES:
            value = int.from_bytes(value, "big")
        message.fields[name] = value
    return message


class WorkerProcess:
    """One worker, for one step."""

    def __init__(self, program: Path, environment: Mapping[str, str] | None = None, *, alarm: int = 0):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # By descriptor: the folders above may be closed to a process without rights.
        executable = os.open(program, os.O_PATH)
        try:
            self.process = subprocess.Popen(
                ["cognito-worker"],
                executable=f"/proc/self/fd/{executable}",
                pass_fds=[executable],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd="/",
                env={"PATH": "/usr/bin:/bin", **(environment or {})},
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
                # An alarm survives exec, and ends what does nothing about it.
                preexec_fn=lambda: signal.alarm(alarm),
            )
        finally:
            os.close(executable)
            theirs.close()
        self.socket = ours
        self.socket.settimeout(30)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()

    def hang_up(self) -> None:
        self.socket.close()

    def send(self, kind: str, **fields: object) -> None:
        self.socket.send(encode(kind, fields))

    def receive(self) -> Message | None:
        """The next message; None at end of file."""
        packet = self.socket.recv(LARGEST)
        return decode(packet) if packet else None

    def messages(self) -> Iterator[Message]:
        while (message := self.receive()) is not None:
            yield message

    def end(self, timeout: float = 20) -> int:
        return self.process.wait(timeout)
