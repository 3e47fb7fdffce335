"""su that its user stops while it has a lock: who ends a session is not kept from it for longer than five seconds."""

import contextlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from .agent_process import AgentProcess
from .machine import GENEROUS, Machine, MachineError
from .pam_driver import PamDriver
from .product import AGENT, RIGHT, Product
from .test_lock_tokens import locked

#: The text of the log line.
KILLED = "the program was killed, because another process had waited 5 seconds for a lock that the program held"

#: Takes the turn at a lock as a set-uid program of alice's does, and says so; the rest is its user's, who stops it.
_HOLDER = """
import fcntl, os, struct, sys, time
os.setresuid(int(sys.argv[1]), 0, 0)
turn = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o600)
command = fcntl.F_OFD_SETLK if sys.argv[3] == "file" else fcntl.F_SETLK
fcntl.fcntl(turn, command, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0))
print("!", flush=True)
time.sleep(100000)
"""

#: Has the lock of an entry, as root's side may; or with a length of 0 all from there on.
_LOCK = """
import fcntl, os, struct, sys, time
lock = os.open("/run/pam-cognito/lock", os.O_RDWR | os.O_CREAT, 0o600)
first, length = map(int, sys.argv[1:])
fcntl.fcntl(lock, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, first, length, 0))
time.sleep(100000)
"""


@pytest.fixture(scope="module", autouse=True)
def configured(machine: Machine, product: Product) -> None:
    product.configure(lock_tokens="yes", sign_out="session")


@contextlib.contextmanager
def stopped(product: Product, kind: str = "process") -> Iterator:
    """A program that alice has started, and stopped with the turn at her only session."""
    machine = product.machine
    (entry,) = product.entries()
    uid = machine.account("alice")["uid"]
    turn = f"/run/pam-cognito/turn-{entry.serial}"
    holder = machine.start(["python3", "-IS", "-c", _HOLDER, str(uid), turn, kind])

    def has_turn() -> bool:
        inode = machine.run(["stat", "-c", "%i", turn]).stdout.strip()
        return bool(inode and re.search(rf":{inode} 0 0$", locks(machine), re.MULTILINE))

    machine.wait_until(has_turn, "the turn")
    machine.run(["kill", "-STOP", str(holder.pid)], user="alice", check=True)
    machine.wait_until(lambda: holder.is_stopped, "the stop")
    try:
        yield holder
    finally:
        holder.end()


@contextlib.contextmanager
def lock(machine: Machine, first: int, length: int, taken: str) -> Iterator[None]:
    """A process of root's side has these locks: by then /proc/locks has a line with `taken`."""
    process = machine.start(["python3", "-IS", "-c", _LOCK, str(first), str(length)])
    try:
        machine.wait_until(lambda: re.search(taken, locks(machine), re.MULTILINE), "the lock")
        yield
    finally:
        process.end()


def locks(machine: Machine) -> str:
    return machine.run(["cat", "/proc/locks"]).stdout


def told(machine: Machine, mark: int, holder, serial: int, program: str = "python3[^']*") -> None:
    """Who was ended, in one line."""
    uid = machine.account("alice")["uid"]
    (line,) = machine.lines(mark, containing="program ended; ")
    fields = rf"session={serial} process={holder.pid} uid={uid} program='{program}'"
    assert re.search(rf"program ended; {fields}: {KILLED}$", line), line


@contextlib.contextmanager
def session(product: Product) -> Iterator[PamDriver]:
    with product.signed_in() as driver:
        yield driver
    product.machine.wait_until(lambda: product.reap("--now").returncode == 0 and not product.entries(), "no session")


class TestEnds:
    """Each goes through, and the tokens are dead at Cognito."""

    @pytest.mark.parametrize("end", ["logout", "root", "person", "host", "shutdown"])
    def test_goes_through(self, machine: Machine, product: Product, agent: AgentProcess, end: str) -> None:
        with session(product) as driver:
            (entry,) = product.entries()
            mark = machine.log_mark()
            with stopped(product) as holder:
                match end:
                    case "logout":
                        assert driver.call("close_session", timeout=GENEROUS).succeeded
                    case "root":
                        done = machine.run(["cognito-session", "sessions", "--end", "alice"], timeout=GENEROUS)
                        assert done.returncode == 0, done
                    case "person":
                        command = ["cognito-session", "sign-out", "--machine"]
                        done = machine.run(command, user="alice", timeout=GENEROUS)
                        assert done.returncode == 0, done
                    case "host":
                        machine.kill(driver.pid)
                    case "shutdown":
                        machine.run([AGENT, "drain"], timeout=GENEROUS)

                def is_over() -> bool:
                    # A host that was killed is gone a little later. The first look may be too early for that.
                    if end == "host":
                        product.reap("--now")
                    return not product.entries() and not product.tokens_given()

                machine.wait_until(is_over, "the end")
                holder.wait(GENEROUS)
                told(machine, mark, holder, entry.serial)

    def test_a_program_of_ours_is_not_ended(self, machine: Machine, product: Product, agent: AgentProcess) -> None:
        """It has the turn without a name."""
        with session(product) as driver:
            mark = machine.log_mark()
            with stopped(product, "file") as holder:
                assert driver.call("close_session", timeout=GENEROUS).succeeded
                machine.kill(driver.pid)
                driver.host.wait()
                assert product.reap("--now").returncode == 1
                assert not holder.ended and len(product.entries()) == 1
                assert not machine.log(mark, containing="program ended; ")


def test_sign_ins_and_rounds_end_nobody(machine: Machine, product: Product, agent: AgentProcess) -> None:
    """They are of people who have proved nothing yet, or ask about a session that goes on."""
    with session(product), stopped(product) as holder:
        with product.authenticated():
            pass
        product.reap()
        assert machine.run(["cognito-session", "sessions", "--json"]).returncode == 0
        assert not holder.ended


def test_lock_takes_the_permission_first(machine: Machine, product: Product, agent: AgentProcess) -> None:
    with session(product) as driver:
        mark = machine.log_mark()
        (entry,) = product.entries()
        with stopped(product) as holder:
            assert not locked(product)
            done = driver.job("alice", "cognito-session lock")
            assert done.returncode == 0, done
            assert locked(product)
            holder.wait(GENEROUS)
            told(machine, mark, holder, entry.serial)


def test_set_uid_program(machine: Machine, product: Product, agent: AgentProcess) -> None:
    """A real one is known by its turn: its user stops it while it waits for the lock itself, which goes then."""
    with PamDriver(machine, "alone", "alice", caller="alice", observe=False) as driver:
        assert all(done.succeeded for done in driver.sign_in(RIGHT))
        (entry,) = product.entries()
        mark = machine.log_mark()
        with lock(machine, entry.serial, 1, rf" {entry.serial} {entry.serial}$"):
            driver._tell("call", "close_session", 0)
            machine.wait_until(lambda: f" POSIX  ADVISORY  WRITE {driver.pid} " in locks(machine), "its turn")
            machine.run(["kill", "-STOP", str(driver.pid)], user="alice", check=True)
        done = machine.run(["cognito-session", "sessions", "--end", "alice"], timeout=GENEROUS)
        assert done.returncode == 0, done
        machine.wait_until(
            lambda: product.reap("--now").returncode == 0 and not product.entries() and not product.tokens_given(), "it"
        )
        machine.wait_until(lambda: driver.host.ended, "the end of the program")
        told(machine, mark, driver, entry.serial, "pam-driver-setu")
    assert not machine.run(["sh", "-c", "ls /run/pam-cognito/turn-*"]).stdout


def test_su_stopped_while_it_enters_a_session(machine: Machine, product: Product, agent: AgentProcess) -> None:
    """Its user has to sign in for that. Nobody signs in as them until root ends it, and the log names the program."""

    def turns() -> list[str]:
        names = machine.run(["sh", "-c", "cd /run/pam-cognito && ls turn-* || :"]).stdout.split()
        # Entries have numbers of 31 bits.
        return [name for name in names if int(name.removeprefix("turn-")) > 1 << 31]

    mark = machine.log_mark()
    uid = machine.account("alice")["uid"]
    with PamDriver(machine, "alone", "alice", caller="alice", observe=False) as driver, ThreadPoolExecutor() as pool:
        # All locks of names.
        with lock(machine, 1 << 32, 0, " 4294967296 EOF"):
            signing_in = pool.submit(driver.authenticate, RIGHT)
            machine.wait_until(turns, "its turn")
            machine.run(["kill", "-STOP", str(driver.pid)], user="alice", check=True)
        with PamDriver(machine, "alone", "alice", observe=False) as other:
            assert not other.authenticate(RIGHT).succeeded
        fields = rf"process={driver.pid} uid={uid} program='pam-driver-setu'"
        (line,) = machine.lines(mark, containing="reason=busy")
        assert (
            f"has locked the registry ({fields}). To end the program, run 'cognito-session sessions --end USER'" in line
        )
        assert machine.run(["cognito-session", "sessions", "--end", "alice"], timeout=GENEROUS).returncode == 1
        assert isinstance(signing_in.exception(GENEROUS), MachineError)
        (line,) = machine.lines(mark, containing="program ended; ")
        assert f"user='alice' {fields}: {KILLED}" in line
    with session(product):
        pass
    assert not turns()


def test_turn_of_a_killed_program(machine: Machine, product: Product) -> None:
    """Its file does not stay."""
    machine.write("/run/pam-cognito/turn-4294967297", "", 0o600)
    machine.write("/run/pam-cognito/turn-of-nobody", "", 0o600)
    assert product.reap().returncode == 0
    assert machine.run(["sh", "-c", "ls /run/pam-cognito/turn-*"]).stdout == "/run/pam-cognito/turn-of-nobody\n"
    machine.remove("/run/pam-cognito/turn-of-nobody")


def test_locks_of_two_names(machine: Machine, product: Product) -> None:
    """Whoever has a name with the same hash as alice's has none of her locks: they go by a secret of root's."""
    number = 0xCBF29CE484222325
    for byte in b"alice":
        number = (number ^ byte) * 0x100000001B3 % 2**64
    with lock(machine, 1 << 31 | number % 2**31, 1, r" (\d{10}) \1$"), session(product):
        keys = [key for key in machine.keys() if key.description == "pam-cognito:secret"]
        assert [(key.uid, key.permissions, key.error) for key in keys] == [(0, "003f0000", "")]
