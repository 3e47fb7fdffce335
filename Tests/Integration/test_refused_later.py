"""Sign-ins with the right password that another module refuses, or that no session follows.

With the agent's socket each of them is revoked in seconds, by nobody but the process that watches them: no cleanup runs
here. Sign-ins that a session follows, in whatever process that begins, are left alone.
"""

import contextlib
import re
import signal
from collections.abc import Callable, Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Session, Sshd, allow_sudo, login, su
from .hosts import sudo as sudo_shell
from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, Product
from .worker_process import encode

KEYBOARD = "keyboard-interactive"
#: What account modules say of alice.
NOLOGIN = ("/etc/nologin", "The machine is being worked on.\n")
ACCESS = ("/etc/security/access.conf", "-:alice:ALL\n")


@pytest.fixture(autouse=True)
def usual(product: Product, agent: AgentProcess) -> Iterator[None]:
    yield
    product.reap("--now")


def await_revocation(product: Product, user: str = "alice") -> None:
    """Nobody is signed out elsewhere for a sign-in that came to nothing."""
    product.machine.wait_until(lambda: not product.tokens_given(user), f"the revocation of {user}'s tokens")
    assert set(product.endings()) == {"RevokeToken"}


def watch(product: Product) -> None:
    """Whatever is over by now has been noticed: another sign-in is, that came to nothing later."""
    with product.authenticated("carol"):
        pass
    product.machine.wait_until(lambda: not product.tokens_given("carol"), "the revocation of carol's tokens")


def ssh_refused(method: str, **options: str) -> Callable[[Machine], None]:
    def attempt(machine: Machine) -> None:
        with Sshd(machine, port=2231, options=options) as server:
            assert not server.run("alice", RIGHT, method=method, wait_for_server=False).accepted

    return attempt


def login_refused(machine: Machine) -> None:
    with login(machine, "alice", RIGHT) as session:
        assert not session.accepted


def su_refused(machine: Machine) -> None:
    with su(machine, "bob", "alice", RIGHT) as session:
        assert not session.accepted


def sudo(option: str, *defaults: str) -> Callable[[Machine], None]:
    def attempt(machine: Machine) -> None:
        allow_sudo(machine, "alice", defaults=("passwd_tries=1", "!lecture", *defaults))
        command = [] if option in ("-v", "-l") else ["true"]
        done = machine.run(["sudo", "-S", "-k", *option.split(), *command], user="alice", input=RIGHT + "\n")
        assert done.returncode == 0, done

    return attempt


def killed(machine: Machine) -> None:
    with PamDriver(machine, "alone", "alice", observe=False) as driver:
        assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
        driver.host.signal(signal.SIGKILL)


def ended_silently(machine: Machine) -> None:
    """As sudo ends a transaction; the program lives on for a moment."""
    with PamDriver(machine, "alone", "alice", observe=False) as driver:
        assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
        driver.end_silently()


#: What is tried, and what refuses it: a file that an account module reads.
REFUSED: dict[str, tuple[Callable[[Machine], None], tuple[str, str] | None]] = {
    "sshd, nologin": (ssh_refused(KEYBOARD), NOLOGIN),
    "sshd, nologin, password method": (ssh_refused("password"), NOLOGIN),
    "sshd, pam_access": (ssh_refused(KEYBOARD), ACCESS),
    "sshd, expired account": (ssh_refused(KEYBOARD), None),
    "sshd, missing second method": (
        ssh_refused(f"{KEYBOARD},publickey", AuthenticationMethods=f"{KEYBOARD},publickey"),
        None,
    ),
    "login, nologin": (login_refused, NOLOGIN),
    "su, pam_access": (su_refused, ACCESS),
    "sudo -v": (sudo("-v"), None),
    "sudo -l": (sudo("-l"), None),
    "sudo -b": (sudo("-b"), None),
    "sudo !pam_session": (sudo("", "!pam_session"), None),
    "a killed program": (killed, None),
    "a program that ends silently": (ended_silently, None),
}
#: Account modules behind ours, by what the file above is for.
STRICT = "account required pam_access.so\naccount required pam_nologin.so\n"


@pytest.mark.parametrize("what", REFUSED)
def test_revoked(product: Product, machine: Machine, what: str) -> None:
    attempt, file = REFUSED[what]
    services = [f"/etc/pam.d/{name}" for name in ("sshd", "login", "su")]
    with machine.preserved(*services, "/etc/shadow", "/etc/sudoers", "/etc/nologin", "/etc/security/access.conf"):
        for service in services:
            machine.write(service, machine.read(service).replace("auth    requisite       pam_nologin.so", "") + STRICT)
        if file:
            machine.write(*file, 0o644)
        if "expired" in what:
            shadow = machine.read("/etc/shadow")
            machine.write("/etc/shadow", re.sub(r"^(alice:.*:)(:)$", r"\g<1>1\2", shadow, flags=re.M), 0o640)
        attempt(machine)
    assert "RespondToAuthChallenge" in product.operations()
    await_revocation(product)


class TestLeftAlone:
    """Tokens of a session that begins, in whatever process and however late, while others are ended."""

    def assert_delivered(self, product: Product, driver: PamDriver) -> None:
        watch(product)
        assert driver.call("open_session").code == "PAM_SUCCESS"
        tokens = product.tokens(driver.job("alice", product.read_tokens).stdout)
        watch(product)
        assert product.alive(tokens)["refresh"]
        driver.call("close_session")
        product.machine.wait_until(lambda: not product.tokens_given(), "the revocation of the tokens")

    def test_the_second_ssh_method_takes_long(self, product: Product, machine: Machine) -> None:
        """The process that authenticated is gone, and the monitor waits for the key's passphrase."""
        options = {"AuthenticationMethods": f"{KEYBOARD},publickey"}
        with Sshd(machine, port=2232, options=options) as server:
            server.authorize("alice")
            key = f"{server.folder}/client_key"
            machine.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "phrase", "-f", key], check=True)

            def watch_and_answer(_: str) -> str:
                watch(product)
                return "phrase"

            with server.open("alice", RIGHT, watch_and_answer, method=f"{KEYBOARD},publickey") as session:
                assert session.accepted, session.seen
                tokens = product.tokens(session.command(product.read_tokens).output)
                watch(product)
                assert product.alive(tokens)["refresh"]
                session.logout()
        machine.wait_until(lambda: not product.tokens_given(), "the revocation of the tokens")

    @pytest.mark.parametrize("copy", ["none", "ends", "ends silently", "lives"])
    def test_copies_of_the_process(self, product: Product, machine: Machine, copy: str) -> None:
        """What forked copies do with the transaction says nothing of it: su, login, vsftpd and gdm have them."""
        with product.authenticated() as driver:
            if copy != "none":
                driver.end_in_child({"ends": "0", "ends silently": "0x40000000", "lives": ""}[copy])
            self.assert_delivered(product, driver)

    def test_the_copy_goes_on(self, product: Product, machine: Machine) -> None:
        """The first process waits for it: its sign-in is not over. Where that ends, as with sudo -b, it is."""
        with product.authenticated() as driver:
            driver.fork()
            watch(product)
            assert len(product.tokens_given()) == 1
            assert driver.call("open_session").code == "PAM_SUCCESS"
            driver.call("close_session")
            driver.end_silently()
        await_revocation(product)

    @pytest.mark.parametrize("program", ["su", "login", "sudo"])
    def test_sessions(self, product: Product, machine: Machine, program: str) -> None:
        allow_sudo(machine, "alice")
        begin: dict[str, Callable[[], Session]] = {
            "su": lambda: su(machine, "bob", "alice", RIGHT),
            "login": lambda: login(machine, "alice", RIGHT),
            "sudo": lambda: sudo_shell(machine, "alice", "bob", RIGHT),
        }
        with begin[program]() as session:
            assert session.accepted, session.seen
            if program == "sudo":
                # The session is another's, and its beginning the end of the tokens.
                machine.wait_until(lambda: not product.tokens_given(), "the revocation of the tokens")
            watch(product)
            assert len(product.tokens_given()) == (0 if program == "sudo" else 1)
            session.logout()
        machine.wait_until(lambda: not product.tokens_given(), "the revocation of the tokens")


def watchers(machine: Machine) -> list[int]:
    return [
        process.pid
        for process in machine.processes()
        if process.name == "cognito-agent" and process.arguments[1:] == (b"watch",)
    ]


class TestWatcher:
    def test_one_for_all(self, product: Product, machine: Machine) -> None:
        """Many sign-ins at the same time, and one after the other, are watched by one process, with no place taken."""
        watch(product)
        (first,) = watchers(machine)
        with contextlib.ExitStack() as stack:
            for _ in range(24):
                stack.enter_context(product.authenticated())
            watch(product)
            assert len(product.tokens_given()) == 24
        await_revocation(product)
        assert watchers(machine) == [first]

    def test_killed(self, product: Product, machine: Machine, agent: AgentProcess) -> None:
        """The next one watches what it has left, too."""
        with product.authenticated():
            for pid in machine.wait_until(lambda: watchers(machine), "the watcher"):
                machine.kill(pid)
            machine.wait_until(lambda: not watchers(machine), "the watcher's end")
        watch(product)
        await_revocation(product)

    def test_stopped(self, product: Product, machine: Machine) -> None:
        """Nobody who signs in waits for it; when it goes on, it does what it has missed."""
        watch(product)
        (pid,) = watchers(machine)
        machine.kill(pid, signal.SIGSTOP)
        try:
            for _ in range(3):
                killed(machine)
            assert len(product.tokens_given()) == 3
        finally:
            machine.kill(pid, signal.SIGCONT)
        await_revocation(product)

    def test_stopped_listener(self, product: Product, machine: Machine, agent: AgentProcess) -> None:
        """Its queue is full, and what is not heard is left to the cleanup run."""
        agent.process.signal(signal.SIGSTOP)
        try:
            machine.run(["python3", "-IS", "-c", FILL], user="bob", check=True)
            begun = len(product.tokens_given())
            killed(machine)
            assert len(product.tokens_given()) == begun + 1
        finally:
            agent.process.signal(signal.SIGCONT)
        assert product.reap("--now").returncode == 0
        assert not product.tokens_given()

    def test_only_root_is_heard(self, product: Product, machine: Machine, agent: AgentProcess) -> None:
        with product.authenticated():
            machine.wait_until(lambda: watchers(machine), "the watcher")
            (entry,) = product.entries()
            for pid in watchers(machine):
                machine.kill(pid)
            machine.wait_until(lambda: not watchers(machine), "the watcher's end")
            assert agent.exchange([encode("watch_request", {"key": entry.serial})], user="bob") == []
            assert watchers(machine) == []
            # Numbers of nothing end nothing.
            for key in (2**40, 1):
                assert agent.exchange([encode("watch_request", {"key": key})], user="root") == []
            machine.wait_until(lambda: watchers(machine), "the watcher")
            assert len(product.tokens_given()) == 1
        await_revocation(product)


#: Connects to the agent until nobody else finds room there.
FILL = """
import socket
held = []
while True:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.setblocking(False)
    try:
        s.connect("/run/pam-cognito/agent.sock")
    except BlockingIOError:
        break
    held.append(s)
"""


def test_without_the_agents_socket(product: Product, machine: Machine, agent: AgentProcess) -> None:
    """As ever: nobody is kept waiting, and the next cleanup run ends it."""
    with agent.away():
        killed(machine)
        assert len(product.tokens_given()) == 1
        assert product.reap().returncode == 0
        assert not product.tokens_given()
