"""Many ssh logins at once, beside pam_krb5 in turns: how many a second, how long the slowest wait, what they take."""

import contextlib
import json
import os
import select
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from Integration.hosts import Sshd
from Integration.machine import Machine, MachineError
from Integration.product import RIGHT, Product

from . import kerberos
from .comparison import BUNDLE, DEFAULT
from .figures import Subject
from .processor import Group

SIZES = (1, 8, 32, 64)
PEOPLE = tuple(f"crowd{number}" for number in range(max(SIZES)))
#: A server for each, and what is its PAM; the last is what is sshd's own.
SERVICES = {"pam_cognito": "pam_cognito.so", "pam_krb5": "pam_krb5.so", "sshd alone": "pam_permit.so"}


@dataclass(frozen=True)
class Rush:
    """One crowd's logins: seconds of each and of all, how many failed, seconds of processors, kilobytes at the peak."""

    times: Sequence[float]
    errors: int
    processor: float
    server: float
    workers: int

    @property
    def seconds(self) -> float:
        return max(self.times)

    @property
    def slow(self) -> float:
        """What nineteen of twenty do not exceed."""
        ordered = sorted(self.times)
        return ordered[-(-len(ordered) * 19 // 20) - 1]


def _proportional(pids: Sequence[int]) -> int:
    """Kilobytes of our programs, shared pages divided among those who share them."""
    total = 0
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{pid}/comm").read_text().startswith("cognito-"):
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def _rush(machine: Machine, sshd: Sshd, group: Group, server: Group, size: int) -> Rush:
    """`group` has the server of ssh and all it starts, `server` who is asked."""
    program = Path(__file__).with_name("crowd_clients.py")
    reader, writer = os.pipe()
    before, server_before, most = group.seconds, server.seconds, 0
    with os.fdopen(reader) as said:
        command = [sys.executable, "-B", str(program), f"{sshd.folder}/ssh_config", *PEOPLE[:size]]
        try:
            clients = machine.start(command, env={"SSHPASS": RIGHT}, stdout=writer)
        finally:
            os.close(writer)
        while not select.select([clients], [], [], 0.1)[0]:
            most = max(most, _proportional(group.processes()))
        if status := clients.wait():
            raise MachineError(f"the clients ended with {status}")
        ended = json.loads(said.read())
    # Whoever has left is still being signed out.
    group.wait(left=1)
    errors = sum(1 for status, _ in ended if status)
    return Rush([taken for _, taken in ended], errors, group.seconds - before, server.seconds - server_before, most)


@contextlib.contextmanager
def _servers(product: Product):
    """For each service its ssh server with the group that it is in, and the group of who is asked."""
    machine = product.machine
    for name in PEOPLE:
        if machine.run(["id", name]).returncode:
            machine.add_user(name, groups=["cognito"])
        product.member(name)
    with contextlib.ExitStack() as stack:
        kdc = stack.enter_context(kerberos.running(machine, PEOPLE, RIGHT))
        asked = {name: stack.enter_context(Group()) for name in SERVICES}
        asked["pam_cognito"].take(machine, product.emulator.pid)
        asked["pam_krb5"].take(machine, kdc.pid)
        servers = {}
        for port, (name, module) in enumerate(SERVICES.items(), 2300):
            service = f"sshd-crowd-{port}"
            machine.pam(service, "".join(f"{kind} required {module}\n" for kind in ("auth", "account", "session")))
            sshd = stack.enter_context(Sshd(machine, pam_service=service, port=port))
            group = stack.enter_context(Group())
            group.take(machine, sshd.listener_pid)
            servers[name] = sshd, group, asked[name]
        yield servers


def measure(product: Product, count: int = 3) -> Sequence[Subject]:
    machine = product.machine
    machine.write(BUNDLE, Path(product.emulator.ca).read_bytes())
    product.configure(**DEFAULT)
    rushes: dict[tuple[int, str], list[Rush]] = {}
    with _servers(product) as servers:
        for turn in range(count + 1):
            for size in SIZES:
                for name, (sshd, group, asked) in servers.items():
                    rush = _rush(machine, sshd, group, asked, size)
                    # The first turn fills the caches.
                    if turn:
                        rushes.setdefault((size, name), []).append(rush)
    product.configure()
    return [_subject(size, {name: rushes[size, name] for name in SERVICES}) for size in SIZES]


def _subject(size: int, rushes: dict[str, list[Rush]]) -> Subject:
    subject = Subject(f"ssh logins at once: {size}")
    own = statistics.median(rush.processor for rush in rushes["sshd alone"])
    for name, turns in rushes.items():
        subject.add(f"{name}: logins a second", [size / rush.seconds for rush in turns], "/s")
        subject.add(f"{name}: p95", [rush.slow * 1000 for rush in turns])
        subject.add(f"{name}: errors", [rush.errors for rush in turns], "")
        if name == "sshd alone":
            subject.add("sshd alone: its processor time a login", [rush.processor * 1000 / size for rush in turns])
            continue
        outside = [(rush.processor - own) * 1000 / size for rush in turns]
        subject.add(f"{name}: processor time a login, without sshd's own", outside)
        subject.add(f"{name}: the server's processor time a login", [rush.server * 1000 / size for rush in turns])
        subject.add(f"{name}: the server's, of the time it took", [rush.server / rush.seconds for rush in turns], "")
        if any(rush.workers for rush in turns):
            subject.add(f"{name}: workers and agents at the peak (PSS)", [rush.workers / 1024 for rush in turns], "MB")
    subject.note(
        "Clients and servers take from the same cores. The emulator is one process: near 1 of the time, it limits."
    )
    return subject
