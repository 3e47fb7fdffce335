"""su and sudo, stopped by whoever started them at the moment when Cognito is asked: nobody waits for them."""

import contextlib
import re
import signal
from collections.abc import Callable, Iterator

import pytest

from .agent_process import SOCKET, AgentProcess
from .hosts import Sshd, SshSession, allow_sudo, su
from .machine import Machine
from .product import RIGHT, Product
from .test_try_session import DEFAULTS, SUDO, allow_reuse
from .worker_process import encode


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product, agent: AgentProcess) -> Iterator[Sshd]:
    allow_sudo(machine, "alice", "bob", defaults=DEFAULTS)
    allow_reuse(machine, "sudo")
    with Sshd(machine) as server:
        yield server


def program(machine: Machine, name: str) -> int | None:
    """The outermost process of that name."""
    found = {process.pid: process.parent for process in machine.processes() if process.name == name}
    return next((pid for pid, parent in found.items() if parent not in found), None)


def is_stopped(machine: Machine, pid: int) -> bool:
    return re.search(r"^State:\s+T", machine.read(f"/proc/{pid}/status"), re.M) is not None


@contextlib.contextmanager
def stopped(machine: Machine, name: str) -> Iterator[None]:
    """The outermost process of that name is stopped, to the end of the block."""
    pid = machine.wait_until(lambda: program(machine, name), name)
    machine.kill(pid, signal.SIGSTOP)
    machine.wait_until(lambda: is_stopped(machine, pid), "the stop")
    try:
        yield
        assert is_stopped(machine, pid)
    finally:
        machine.kill(pid)


def log_out(product: Product, session: SshSession) -> None:
    session.hang_up()


def end_by_root(product: Product, session: SshSession) -> None:
    (entry,) = product.entries()
    done = product.machine.run(["cognito-session", "sessions", "--end", str(entry.serial)])
    assert done.returncode == 0, done.stderr


def sign_out_everywhere(product: Product, session: SshSession) -> None:
    assert session.command("cognito-session sign-out --global --yes").status == 0


def kill_and_clean_up(product: Product, session: SshSession) -> None:
    product.machine.kill(session.monitor_pid)
    product.machine.wait_until(lambda: product.reap("--now").returncode == 0 and not product.entries(), "the cleanup")


@pytest.mark.parametrize("end", [log_out, end_by_root, sign_out_everywhere, kill_and_clean_up])
def test_sudo_by_the_session(
    machine: Machine, product: Product, agent: AgentProcess, sshd: Sshd, end: Callable[[Product, SshSession], None]
) -> None:
    """The agent asks Cognito for it, and gives up in time; the program that was stopped holds nothing."""
    product.configure(sign_out="session")
    with sshd.open("alice", RIGHT) as session:
        tokens = product.tokens(session.command(product.read_tokens).output)
        product.emulator.clear_requests()
        product.emulator.fault("GetUser", "hang", times=1)
        assert session.command(f"setsid -f {SUDO} < /dev/null > /dev/null 2>&1").status == 0
        machine.wait_until(lambda: "GetUser" in product.operations(), "the question to Cognito")
        with stopped(machine, "sudo"):
            # Cognito does not answer: the agent gives up.
            machine.wait_until(lambda: not agent.servers(), "the end of the agent's question")
            product.emulator.clear_faults()
            end(product, session)
            machine.wait_until(lambda: not product.entries(), "the end of the session")
            assert not product.alive(tokens)["refresh"]
    machine.wait_until(lambda: not product.entries(), "an empty registry")


@pytest.mark.parametrize("listens", [True, False])
def test_su_at_its_end(machine: Machine, product: Product, agent: AgentProcess, sshd: Sshd, listens: bool) -> None:
    """With sign_out_wait it waits for what Cognito says, and has nothing meanwhile that others need."""
    product.configure(sign_out="session", sign_out_wait="30s")
    with contextlib.nullcontext() if listens else agent.away():
        shell = su(machine, "bob", "alice", RIGHT)
        assert shell.accepted
        tokens = product.tokens(shell.command(product.read_tokens).output)
        product.emulator.clear_requests()
        product.emulator.fault("RevokeToken", "hang", times=1)
        shell.leave()
        machine.wait_until(lambda: "RevokeToken" in product.operations(), "the end at Cognito")
        with stopped(machine, "su"):
            product.emulator.clear_faults()
            machine.wait_until(lambda: product.reap("--now").returncode == 0 and not product.entries(), "the end")
            assert not product.alive(tokens)["refresh"]


def test_no_agent(machine: Machine, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
    """The password is asked for, and the log says what to do."""
    with sshd.open("alice", RIGHT) as session:
        mark = machine.log_mark()
        product.emulator.clear_requests()
        with agent.away():
            assert session.command(SUDO).status == 1
        assert product.operations() == []
        (line,) = machine.lines(mark, containing="session not reused")
        assert "reason=no_agent" in line and "systemctl enable --now pam-cognito-agent.socket" in line
        assert session.command(SUDO).status == 0
        session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")


#: Root's rights and bob's real user id, as su has them: as many connections as there is room for, then root's own.
_CONNECTIONS = """
import os, socket, sys
def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(sys.argv[1])
    return s
os.setresuid(int(sys.argv[3]), 0, 0)
held = [connect() for _ in range(40)]
if not (child := os.fork()):
    os.setresuid(0, 0, 0)
    own = connect()
    own.send(bytes.fromhex(sys.argv[2]))
    os._exit(0 if own.recv(200000) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_places(machine: Machine, agent: AgentProcess) -> None:
    """Set-uid programs take their callers' places in the agent, and none of root's."""
    request = encode("registry_request", {}).hex()
    bob = str(machine.uid("bob"))
    assert machine.run(["python3", "-IS", "-c", _CONNECTIONS, SOCKET, request, bob]).returncode == 0
