"""Many ssh logins at once, beside pam_krb5 in turns: how many a second, how long the slowest wait, what they take."""

import contextlib
import json
import os
import select
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from Integration.agent_process import AgentProcess
from Integration.challenges import SECRET, totp
from Integration.hosts import Sshd
from Integration.machine import GENEROUS, Machine, MachineError
from Integration.product import RIGHT, Product

from . import kerberos
from .comparison import BUNDLE, DEFAULT
from .figures import Subject
from .processor import Group
from .tools import only

SIZES = (1, 8, 32, 64)
CORES = len(os.sched_getaffinity(0))
PEOPLE = tuple(f"crowd{number}" for number in range(2 * max(SIZES)))
#: A server for each, and what is its PAM; the last is what is sshd's own.
SERVICES = {"pam_cognito": "pam_cognito.so", "pam_krb5": "pam_krb5.so", "sshd alone": "pam_permit.so"}


#: The crowd of one user: a pool's app client and the user in it, and whether a code is typed with the password.
ONE_USER = {
    "one user": ({}, {}, False),
    "one user with TOTP": ({"mfa": "OPTIONAL"}, {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET}, True),
}


#: The ssh server, its control group, the control group of the authentication server, and the sign-outs there so far.
Server = tuple[Sshd, Group, Group, Callable[[], int] | None]


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


def _waits(pid: int) -> bool:
    """Whether it is an agent that waits for the next sign-in or sign-out."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return True
    return arguments[0].endswith(b"cognito-agent") and arguments[1] in (b"listen", b"watch")


def _rush(
    machine: Machine,
    sshd: Sshd,
    group: Group,
    server: Group,
    sign_outs: Callable[[], int] | None,
    people: Sequence[str],
    password: str = RIGHT,
) -> Rush:
    """`group` has the server of ssh and all it starts, `server` who is asked."""
    program = Path(__file__).with_name("crowd_clients.py")
    reader, writer = os.pipe()
    before, server_before, most = group.seconds, server.seconds, 0
    signed_out = sign_outs() if sign_outs else 0
    with os.fdopen(reader) as said:
        command = [sys.executable, "-B", str(program), f"{sshd.folder}/ssh_config", *people]
        try:
            clients = machine.start(command, env={"SSHPASS": password}, stdout=writer)
        finally:
            os.close(writer)
        while not select.select([clients], [], [], 0.1)[0]:
            most = max(most, _proportional(group.processes()))
        if status := clients.wait():
            raise MachineError(f"the clients ended with {status}")
        ended = json.loads(said.read())
    errors = sum(1 for status, _ in ended if status)
    # Those who have left are still being signed out.
    deadline = time.monotonic() + GENEROUS
    while sign_outs and sign_outs() - signed_out < len(ended) - errors:
        if time.monotonic() > deadline:
            raise MachineError(f"{sign_outs() - signed_out} sign-outs of {len(ended) - errors} sessions")
        time.sleep(0.05)
    group.wait(left=1, ignoring=_waits)
    return Rush([taken for _, taken in ended], errors, group.seconds - before, server.seconds - server_before, most)


def _sign_outs(product: Product) -> Callable[[], int]:
    """Counts the requests to revoke tokens that the server has got."""
    operations = ("GlobalSignOut", "RevokeToken")
    return lambda: sum(len(product.emulator.requests(operation)) for operation in operations)


@contextlib.contextmanager
def _servers(product: Product):
    """For each service its ssh server with the group that it is in, and the group of who is asked."""
    machine = product.machine
    for name in PEOPLE:
        if machine.run(["id", name]).returncode:
            machine.add_user(name, groups=["cognito"])
        product.member(name)
    with contextlib.ExitStack() as stack:
        agent = stack.enter_context(AgentProcess(machine))
        kdc = stack.enter_context(kerberos.running(machine, PEOPLE, RIGHT))
        asked = {name: stack.enter_context(Group()) for name in SERVICES}
        asked["pam_cognito"].take(machine, product.emulator.pid)
        asked["pam_krb5"].take(machine, kdc.pid)
        servers = {}
        for port, (name, module) in enumerate(SERVICES.items(), 2300):
            service = f"sshd-crowd-{port}"
            only(machine, service, module)
            sshd = stack.enter_context(Sshd(machine, pam_service=service, port=port))
            group = stack.enter_context(Group())
            group.take(machine, sshd.listener_pid)
            if name == "pam_cognito":
                group.take(machine, agent.process.pid)
            sign_outs = _sign_outs(product) if name == "pam_cognito" else None
            servers[name] = sshd, group, asked[name], sign_outs
        yield servers


def measure(product: Product, count: int = 3) -> Sequence[Subject]:
    machine = product.machine
    machine.write(BUNDLE, Path(product.emulator.ca).read_bytes())
    product.configure(**DEFAULT)
    rushes: dict[tuple[int, str], list[Rush]] = {}
    with _servers(product) as servers:
        for turn in range(count + 1):
            for size in SIZES:
                for name, server in servers.items():
                    rush = _rush(machine, *server, PEOPLE[:size])
                    # The first turn fills the caches.
                    if turn:
                        rushes.setdefault((size, name), []).append(rush)
        ours, alone = servers["pam_cognito"], rushes[max(SIZES), "sshd alone"]
        more = [_of_twice_as_many(machine, servers, count)]
        more += [_of_one_user(product, title, ours, alone, count) for title in ONE_USER]
    product.configure()
    return [_subject(size, {name: rushes[size, name] for name in SERVICES}) for size in SIZES] + more


def _of_twice_as_many(machine: Machine, servers: Mapping[str, Server], count: int) -> Subject:
    """Twice the largest crowd: what waits longest waits less than sshd's LoginGraceTime, which is 120 s."""
    rushes = {
        name: [_rush(machine, *servers[name], PEOPLE) for _ in range(count)] for name in ("pam_cognito", "sshd alone")
    }
    return _subject(len(PEOPLE), rushes)


def _of_one_user(product: Product, title: str, server: Server, alone: Sequence[Rush], count: int) -> Subject:
    """The largest crowd again, of one user who opens all of the connections."""
    pool, user, types_code = ONE_USER[title]
    name, size = PEOPLE[0], max(SIZES)
    settings = {"combined_code": "yes"} if types_code else {}
    with product.other_pool(pool, **DEFAULT, **settings):
        product.member(name, **user)
        # Each code counts once at Cognito, and here all clients have the same.
        product.emulator.switch(refuse_totp_replay=False)
        turns = []
        for _ in range(count + 1):
            password = RIGHT + (totp() if types_code else "")
            turns.append(_rush(product.machine, *server, [name] * size, password))
    subject = _subject(size, {"pam_cognito": turns[1:], "sshd alone": alone})
    subject.title += f", {title}"
    return subject


def _subject(size: int, rushes: dict[str, list[Rush]]) -> Subject:
    subject = Subject(f"ssh logins at once: {size}")
    sshd = statistics.median(rush.processor for rush in rushes["sshd alone"])
    for name, turns in rushes.items():
        subject.add(f"{name}: logins a second", [size / rush.seconds for rush in turns], "/s")
        if any(rush.server for rush in turns):
            own = [size / (rush.seconds - rush.server / CORES) for rush in turns]
            subject.add(f"{name}: the same, without the server's processor time", own, "/s")
        subject.add(f"{name}: p95", [rush.slow * 1000 for rush in turns])
        subject.add(f"{name}: errors", [rush.errors for rush in turns], "")
        if name == "sshd alone":
            subject.add("sshd alone: its processor time a login", [rush.processor * 1000 / size for rush in turns])
            continue
        outside = [(rush.processor - sshd) * 1000 / size for rush in turns]
        subject.add(f"{name}: processor time a login, without sshd's own", outside)
        subject.add(f"{name}: the server's processor time a login", [rush.server * 1000 / size for rush in turns])
        subject.add(f"{name}: the server's, of the time it took", [rush.server / rush.seconds for rush in turns], "")
        if any(rush.workers for rush in turns):
            subject.add(f"{name}: workers and agents at the peak (PSS)", [rush.workers / 1024 for rush in turns], "MB")
    subject.note(
        "Clients and servers take from the same cores. The emulator is one process: near 1 of the time, it limits."
    )
    return subject
