"""Accounts that stand in root's store and nowhere else, and the service that answers for them.

What a record and a user id look like is written down here once more: a change of either is a change for machines that
have accounts already.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .machine import Machine, MachineProcess

STORE = "/var/lib/pam-cognito/accounts"
SERVICE = "org.pam_cognito.Accounts"
SOCKET = f"/run/systemd/userdb/{SERVICE}"
PROGRAM = "/usr/libexec/pam-cognito/cognito-accounts"
NSSWITCH = "passwd: files systemd\ngroup: files systemd\nshadow: files systemd\nhosts: files dns\n"
_MASK = 2**64 - 1


def _hash(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & _MASK
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor & _MASK
    return value ^ value >> 33


def user_id(subject: str, pool: str, lowest: int = 65536, highest: int = 99999) -> int:
    """The user id of a person."""
    return lowest + (_hash(f"{pool}\0{subject}".encode()) * (highest - lowest + 1) >> 64)


def at_weight(nice: int, command: Sequence[str]) -> list[str]:
    """A command with this nice value, also where the kernel groups processes by their session (sched(7)).

    The service has -5, and its unit ten times the usual weight. A flood with 10 has as little beside it as there.
    """
    return ["sh", "-c", f'echo {nice} >/proc/self/autogroup; exec nice -n {nice} "$@"', "sh", *command]


@dataclass
class Record:
    """A person's account."""

    name: str
    uid: int
    subject: str = "5c0a-1"
    pool: str = "eu-west-1_AbCdEf123"
    real: str = "Somebody"
    shell: str = "/bin/sh"
    home: str = ""
    state: str = "enabled"
    groups: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def file(self) -> bytes:
        lines = [
            "pam-cognito account 1",
            f"name {self.name}",
            f"sub {self.subject}",
            f"pool {self.pool}",
            f"uid {self.uid}",
            f"real {self.real}",
            f"shell {self.shell}",
            f"home {self.home or '/home/' + self.name}",
            f"state {self.state}",
            *(f"group {group}" for group in self.groups),
            *(f"key {key}" for key in self.keys),
            "changed 1700000000",
            "source directory",
        ]
        text = "".join(f"{line}\n" for line in lines).encode()
        return text + f"sum {_hash(text) >> 1}\n".encode()


class Accounts:
    """The store of a machine, and its service, started by hand as root does where there is no systemd."""

    def __init__(self, machine: Machine):
        self.machine = machine
        machine.write("/etc/nsswitch.conf", NSSWITCH)
        self.process: MachineProcess | None = None

    def put(self, record: Record, mode: int = 0o644) -> Record:
        self.machine.write(f"{STORE}/{record.name}", record.file(), mode)
        self.machine.link(f"{STORE}/{record.uid}", record.name)
        return record

    def files(self) -> set[str]:
        """The names in the store: of people, and of their user ids."""
        return set(self.machine.run(["ls", STORE], check=True).stdout.split())

    def await_age(self, name: str) -> None:
        """Until what begins has certainly begun after the record was written (to the tick of the kernel's clock)."""
        written = float(self.machine.run(["stat", "-c", "%.Z", f"{STORE}/{name}"], check=True).stdout)
        self.machine.wait_until(lambda: time.time() > written + 0.03, "the clock's next tick")

    def put_many(self, count: int, first: int = 66000) -> None:
        """People called p0, p1 and so on."""
        people = [Record(f"p{number}", first + number, subject=f"s{number}") for number in range(count)]
        rows = [(one.name, one.file().decode(), one.uid) for one in people]
        self.machine.run(["python3", "-IS", "-c", _PUT], cwd=STORE, input=json.dumps(rows), check=True)

    def start(self) -> MachineProcess:
        self.machine.remove(SOCKET)
        process = self.machine.start(at_weight(-5, [PROGRAM]))
        self.machine.wait_until(lambda: process.ended or self.machine.exists(SOCKET), "the service's socket")
        assert not process.ended
        # As the unit's CPUWeight is among a dozen busy processes; in here nobody may ask for it.
        os.setpriority(os.PRIO_PROCESS, self.machine.outer_pid(process.pid), -15)
        self.process = process
        return process

    def stop(self) -> None:
        if self.process:
            self.process.end()
            self.process = None
        self.machine.remove(SOCKET)

    @contextlib.contextmanager
    def stalled(self) -> Iterator[None]:
        """As long as this lasts, the service does nothing, and its socket takes connections."""
        self.process.signal(signal.SIGSTOP)
        self.machine.wait_until(lambda: self.process.is_stopped, "the stop")
        try:
            yield
        finally:
            self.process.signal(signal.SIGCONT)

    def getent(self, *arguments: str, user: str | None = None) -> list[str]:
        return self.machine.run(["getent", *arguments], user=user).stdout.splitlines()

    def ask(self, method: str, user: str | None = None, more: bool = False, **parameters: object) -> list[dict]:
        """The replies to one call."""
        call = {"method": f"io.systemd.UserDatabase.{method}", "parameters": {**parameters, "service": SERVICE}}
        if more:
            call["more"] = True
        return [json.loads(reply) for reply in self.converse([json.dumps(call).encode() + b"\0"], user)]

    def converse(self, parts: Iterable[bytes], user: str | None = None) -> list[str]:
        """Sends that on one connection, and what comes until each call has its last reply, or the end."""
        sent = json.dumps([part.hex() for part in parts])
        done = self.machine.run(["python3", "-IS", "-c", _CLIENT, SOCKET], user=user, input=sent, check=True)
        return done.stdout.splitlines()


_PUT = """
import json, os, sys
for name, text, uid in json.load(sys.stdin):
    with open(name, "w") as file:
        file.write(text)
    os.symlink(name, str(uid))
"""

_CLIENT = """
import json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
s.settimeout(60)
s.connect(sys.argv[1])
parts = json.load(sys.stdin)
calls = sum(bytes.fromhex(part).count(0) for part in parts)
try:
    for part in parts:
        s.sendall(bytes.fromhex(part))
except BrokenPipeError:
    pass
rest = b""
while True:
    try:
        got = s.recv(65536)
    except ConnectionResetError:
        got = b""
    if not got:
        break
    rest += got
    *whole, rest = rest.split(b"\\0")
    for reply in whole:
        print(reply.decode())
        calls -= not json.loads(reply).get("continues")
    if calls == 0:
        break
"""
