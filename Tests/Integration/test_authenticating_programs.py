"""Programs that only authenticate, or seem to: sudo -v, chsh, mail and print servers, hosts that are killed in between.

Their sign-ins are no sessions: nobody is kept out by them, none of them counts when the last session ends, and no token
outlives the program.
"""

import contextlib
import subprocess
import time
from collections.abc import Iterator

import pytest

from .hosts import Sshd, allow_sudo
from .machine import Machine
from .pam_driver import PamDriver
from .product import AGENT, ALONE, CONFIGURATION, RIGHT, WORKER, Product


@pytest.fixture(autouse=True)
def usual(product: Product) -> Iterator[None]:
    yield
    product.reap("--now")


def authenticate(product: Product, service: str = "alone", user: str = "alice") -> PamDriver:
    """A program that has authenticated somebody, and lives."""
    driver = PamDriver(product.machine, service, user, observe=False)
    assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
    return driver


def endings(product: Product) -> list[str]:
    return [name for name in product.operations() if name in ("GlobalSignOut", "RevokeToken")]


def assert_nothing_left(product: Product) -> None:
    # Waits for a round that a login may have started.
    assert product.reap("--now").returncode == 0
    assert not product.entries()
    assert not product.tokens_given()


class TestHarmless:
    def test_sixty_sign_ins_keep_nobody_out(self, product: Product, machine: Machine) -> None:
        """In one program, which lives and ends none of its transactions."""
        with PamDriver(machine, "alone", "alice", observe=False) as driver, Sshd(machine) as server:
            for _ in range(60):
                driver.start("alone", "alice")
                assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
            server.open("alice", RIGHT).visit()
            assert len(product.entries()) <= 60
        assert_nothing_left(product)

    def test_sixty_programs_keep_nobody_out(self, product: Product, machine: Machine) -> None:
        with Sshd(machine) as server:
            for _ in range(60):
                authenticate(product).close()
            server.open("alice", RIGHT).visit()
        assert_nothing_left(product)

    @pytest.mark.parametrize("lives", [True, False])
    def test_the_last_session_is_the_last(self, product: Product, machine: Machine, lives: bool) -> None:
        product.configure(sign_out="last")
        with contextlib.ExitStack() as stack:
            program = stack.enter_context(authenticate(product))
            began = time.monotonic()
            if not lives:
                program.close()
            # Before, it might be about to have a session.
            machine.wait_until(lambda: time.monotonic() - began > 5, "the sixth second")
            session = stack.enter_context(PamDriver(machine, "alone", "alice", observe=False))
            session.sign_in(RIGHT)
            product.emulator.clear_requests()
            session.call("close_session")
            assert endings(product) == ["GlobalSignOut"]
        assert_nothing_left(product)


class TestNothingStays:
    @pytest.mark.parametrize("option", ["-v", "-l"])
    def test_sudo(self, product: Product, machine: Machine, option: str) -> None:
        allow_sudo(machine, "alice")
        done = machine.run(["sudo", "-S", "-k", option], user="alice", input=RIGHT + "\n")
        assert done.returncode == 0, done
        assert_nothing_left(product)

    def test_chsh(self, product: Product, machine: Machine) -> None:
        """No session ever follows here: nothing is left to the reaper."""
        with machine.preserved("/etc/pam.d/chsh"):
            machine.pam("chsh", "@include cognito-auth\n@include cognito-account\n@include cognito-session\n")
            done = machine.run(["chsh", "-s", "/bin/bash"], user="alice", input=RIGHT + "\n")
            assert done.returncode == 0, done
        assert not product.entries() and not product.tokens_given()

    def test_killed(self, product: Product) -> None:
        with authenticate(product) as driver:
            driver.host.end()
        assert_nothing_left(product)

    @pytest.mark.parametrize("status", ["PAM_SUCCESS", "PAM_ABORT"])
    def test_end_of_the_transaction(self, product: Product, machine: Machine, status: str) -> None:
        """Nobody waits for the reaper, and the program does not wait for Cognito."""
        with authenticate(product) as driver:
            product.emulator.fault("RevokeToken", "delay", seconds=3)
            driver.end(status)
            machine.wait_until(lambda: not product.tokens_given(), "the revocation of the tokens")
            product.emulator.clear_faults()
        assert_nothing_left(product)

    def test_silent_end_of_the_transaction(self, product: Product) -> None:
        """As sudo and forked children end theirs: it says nothing about the session."""
        with authenticate(product) as driver:
            product.emulator.clear_requests()
            driver.end_silently()
            assert product.reap().stdout == "" and not endings(product)
        assert_nothing_left(product)

    def test_end_in_a_copy_of_the_process(self, product: Product) -> None:
        with authenticate(product) as driver:
            product.emulator.clear_requests()
            driver.end_in_child()
            assert product.reap().stdout == "" and not endings(product)
            assert driver.call("open_session").code == "PAM_SUCCESS"
            driver.call("close_session")
        assert_nothing_left(product)

    def test_a_server_that_authenticates_a_hundred_times(self, product: Product, machine: Machine) -> None:
        with PamDriver(machine, "alone", "alice", start=False, observe=False) as driver:
            for _ in range(100):
                driver.start("alone", "alice")
                assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
                driver.end()
            machine.wait_until(lambda: not product.tokens_given(), "the revocation of the tokens")
            assert_nothing_left(product)


class TestKeyboardInteractive:
    def test_reaper_between_child_and_session(self, product: Product, machine: Machine) -> None:
        """The process that authenticated is gone, and the monitor waits for the key's passphrase."""
        options = {"AuthenticationMethods": "keyboard-interactive,publickey"}
        with Sshd(machine, port=2226, options=options) as server:
            server.authorize("alice")
            key = f"{server.folder}/client_key"
            machine.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "phrase", "-f", key], check=True)

            def reap_and_answer(_: str) -> str:
                found = product.reap("--now")
                assert (found.returncode, found.stdout) == (0, ""), found
                return "phrase"

            with server.open("alice", RIGHT, reap_and_answer, method="keyboard-interactive,publickey") as session:
                assert session.accepted, session.seen
                tokens = product.tokens(session.command(product.read_tokens).output)
                assert product.alive(tokens)["refresh"]
                session.logout()
        assert_nothing_left(product)


class TestServicesWithoutSession:
    @pytest.fixture
    def service(self, product: Product, machine: Machine) -> str:
        machine.pam("cups", ALONE)
        return "cups"

    def test_nothing_is_left(self, product: Product, service: str) -> None:
        with authenticate(product, service) as driver:
            assert not product.entries() and not product.tokens_given()
            assert driver.call("acct_mgmt").code == "PAM_SUCCESS"

    def test_one_that_opens_a_session_all_the_same(self, product: Product, machine: Machine, service: str) -> None:
        with authenticate(product, service) as driver:
            mark = machine.log_mark()
            assert [driver.call(name).code for name in ("setcred", "open_session")] == ["PAM_SUCCESS"] * 2
            [line] = machine.log(mark, containing="session without tokens; user='alice'")
            assert "session=open" in str(line)
            assert "cognito:" not in driver.job("alice", "keyctl show @s").stdout
            assert driver.call("close_session").code == "PAM_SUCCESS"
        assert not product.entries() and not product.tokens_given()

    @pytest.mark.parametrize(("argument", "entries"), [("session=never", 0), ("session=open", 1), ("session=auto", 1)])
    def test_said_for_a_service(self, product: Product, machine: Machine, argument: str, entries: int) -> None:
        machine.pam("said", ALONE.replace("pam_cognito.so", f"pam_cognito.so {argument}"))
        with authenticate(product, "said"):
            assert len(product.entries()) == entries
        assert_nothing_left(product)

    def test_a_listed_one_that_is_said_to_open_sessions(self, product: Product, machine: Machine) -> None:
        machine.pam("cups", ALONE.replace("pam_cognito.so", "pam_cognito.so session=open"))
        with authenticate(product, "cups") as driver:
            assert driver.call("open_session").code == "PAM_SUCCESS"
            assert len(product.tokens_given()) == 1
            driver.call("close_session")
        assert not product.entries() and not product.tokens_given()


class TestTooMany:
    def test_fifty_sessions(self, product: Product, machine: Machine) -> None:
        """One more is refused, told so, its token is revoked at once, and no failure is counted by anybody."""
        product.configure(max_failures="1")
        with contextlib.ExitStack() as stack:
            for _ in range(50):
                driver = stack.enter_context(authenticate(product))
                assert driver.call("open_session").code == "PAM_SUCCESS"
            for service in ("alone", "sshd"):
                newcomer = stack.enter_context(PamDriver(machine, service, "alice", observe=False))
                mark = machine.log_mark()
                refused = newcomer.authenticate(RIGHT)
                assert not refused.succeeded and "too many sessions" in str(refused), refused
                assert machine.log(mark, containing="reason=too_many_sessions")
                assert refused.code == "PAM_CRED_UNAVAIL" or service == "sshd"
            machine.wait_until(lambda: len(product.tokens_given()) == 50, "the revocation of the new tokens")
            assert product.failures() == {}
            other = stack.enter_context(authenticate(product, user="carol"))
            assert other.call("open_session").code == "PAM_SUCCESS"
            other.call("close_session")
            assert len(product.entries()) == 50
        product.reap("--now")
        machine.forget_keys()


class TestOtherRoot:
    """A program that has changed its root directory since, into a tree that somebody else has filled."""

    @pytest.fixture
    def tree(self, product: Product, machine: Machine) -> str:
        """It has what a module could believe or start: accounts, a configuration, a worker, a hook."""
        tree = "/run/tree"
        spy = machine.shared / "spy"
        source = '#include <fcntl.h>\nint main(void) { return creat("/seen", 0666) < 0; }\n'
        subprocess.run(["cc", "-static", "-o", str(spy), "-x", "c", "-"], input=source, text=True, check=True)
        for folder in ("etc/security", "etc/pam-cognito/sign-out.d", "run/pam-cognito", "usr/libexec/pam-cognito"):
            machine.make_directory(f"{tree}/{folder}")
        for place in (WORKER, AGENT, "/etc/pam-cognito/sign-out.d/hook"):
            machine.write(tree + place, spy.read_bytes(), 0o755)
        machine.run(["chmod", "1777", tree], check=True)
        machine.write(f"{tree}/etc/passwd", machine.read("/etc/passwd"), 0o644)
        machine.write(f"{tree}{CONFIGURATION}", machine.read(CONFIGURATION) + "keyring = user\n", 0o644)
        # It would be seen.
        assert machine.run(["chroot", tree, WORKER]).returncode == 0
        assert self.believed(machine, tree)
        machine.remove(f"{tree}/seen")
        return tree

    @staticmethod
    def believed(machine: Machine, tree: str) -> str:
        """What somebody in there has started, locked or counted."""
        return machine.run(["sh", "-c", f"ls -d {tree}/seen {tree}/run/pam-cognito/* 2>/dev/null"]).stdout

    def test_between_sign_in_and_session(self, product: Product, machine: Machine, tree: str) -> None:
        with authenticate(product) as driver:
            driver.change_root(tree)
            assert driver.call("open_session").code == "PAM_SUCCESS"
            assert not product.token_keys()
            assert driver.call("close_session").code == "PAM_SUCCESS"
            driver.end()
            assert not self.believed(machine, tree)
            assert len(product.entries()) == 1
        assert_nothing_left(product)

    def test_during_the_session(self, product: Product, machine: Machine, tree: str) -> None:
        with authenticate(product) as driver:
            assert driver.call("open_session").code == "PAM_SUCCESS"
            driver.change_root(tree)
            assert driver.call("close_session").code == "PAM_SUCCESS"
            assert not product.token_keys()
            driver.end()
            assert not self.believed(machine, tree)
            assert product.tokens_given()
        assert_nothing_left(product)
