"""Sessions that end unasked, elsewhere or for nobody types: what a round of the reaper finds out, and what follows."""

import contextlib
import json
import os
import re
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .compiled import library
from .hosts import Session, Sshd, login, su
from .machine import Machine
from .pam_driver import PamDriver
from .product import AGENT, RIGHT, Product

TOLD = "Amazon Cognito: you were signed out elsewhere"
#: The rights that the timer's service leaves to the reaper.
AS_THE_SERVICE = ["setpriv", "--bounding-set=-all,+setuid,+setgid,+kill", "--no-new-privs"]


@pytest.fixture(autouse=True)
def settings(product: Product) -> None:
    """Whoever is not asked about for a second is asked about in the next round."""
    product.configure(check_interval="1s", sign_out="last", welcome="no")


def sign_out_elsewhere(product: Product) -> None:
    # There was a round before, which asked the pool whether it tracks sessions: the timer comes by once a minute.
    check(product)
    product.sign_out_elsewhere()


def check(product: Product):
    """A round in which every session has its turn, as the timer's service has it."""
    return product.machine.run([*AS_THE_SERVICE, AGENT, "reap", "--now"], timeout=60)


def has_key(product: Product, session: Session) -> bool:
    return session.command(f"keyctl search @s user {product.key_description}").status == 0


def test_the_person_is_told(product: Product, machine: Machine, sshd: Sshd) -> None:
    """On their terminal, also when mesg(1) keeps others off it; tokens and entry are gone, the shell goes on."""
    with sshd.open("alice", RIGHT) as session:
        session.command("mesg n")
        session.command(f"keyctl pipe $(keyctl search @s user {product.key_description}) >/dev/null")
        mark = machine.log_mark()
        sign_out_elsewhere(product)
        done = check(product)
        assert done.returncode == 0 and "session ended; user='alice' " in done.stdout, done
        assert "outcome=revoked: the session was ended elsewhere" in done.stdout, done
        session.terminal.expect_exact(TOLD)
        assert not has_key(product, session) and not product.entries() and not product.tokens_given()
        assert machine.log(mark, containing="session ended; user='alice'")
        session.logout()


def test_refresh_tokens_that_run_out(product: Product, machine: Machine, sshd: Sshd) -> None:
    """That is no sign-out, and where it came sooner than people are told, the log says so."""
    short = {"access_token_seconds": 50, "id_token_seconds": 50}
    with product.other_pool(short, sign_out="session", welcome="no", refresh_token_validity="1h"):
        product.member()
        with sshd.open("alice", RIGHT) as session:
            assert check(product).stdout == ""
            product.emulator.expire_refresh_tokens(product.pool["pool_id"], "alice")
            done = check(product)
            assert done.returncode == 0 and "outcome=revoked: the refresh token has expired" in done.stdout, done
            session.terminal.expect_exact("Amazon Cognito: this sign-in has expired. This session stays open")
            said = machine.log(containing="session ended; user='alice' ")[-1].message
            # Whole seconds of two moments.
            assert re.search("refresh token has expired.* refresh_token_validity is (3599|3600)", said), said
            assert not has_key(product, session) and not product.entries()
            session.logout()


def test_what_stands_is_left_alone(product: Product, sshd: Sshd) -> None:
    with sshd.open("alice", RIGHT) as session:
        product.emulator.clear_requests()
        assert (check(product).stdout, product.operations()) == ("", ["GetUser"])
        assert has_key(product, session) and TOLD not in session.seen
        session.logout()


@pytest.mark.parametrize("fault", ["down", "throttle", "html_500", "hang"])
def test_no_answer_changes_nothing(product: Product, fault: str) -> None:
    """Also where the session has ended in truth: that is found out later."""
    product.configure(check_interval="1s", network_timeout="5s")
    with product.signed_in() as driver:
        sign_out_elsewhere(product)
        product.emulator.down() if fault == "down" else product.emulator.fault("*", fault)
        done = check(product)
        assert done.returncode == 0 and "not checked; user='alice'" in done.stdout, done
        assert len(product.entries()) == 1
        product.emulator.up()
        product.emulator.clear_faults()
        assert "session ended; user='alice'" in check(product).stdout
        assert not product.entries()
        driver.call("close_session")


def test_terminate(product: Product, machine: Machine, sshd: Sshd) -> None:
    """The ssh session ends, after the person was told; another person's goes on."""
    product.configure(check_interval="1s", sign_out="last", on_revoked="terminate")
    with sshd.open("alice", RIGHT) as session, sshd.open("carol", RIGHT) as other:
        sign_out_elsewhere(product)
        done = check(product)
        assert "session terminated; user='alice'" in done.stdout, done
        session.ended()
        assert f"{TOLD}, or are no longer allowed to sign in. This session ends now." in session.seen
        session.wait_for_server()
        assert has_key(product, other) and other.command("echo here").output.strip() == "here"
        other.logout()
    assert not product.entries()


@pytest.mark.parametrize("host", ["sshd", "su"])
def test_terminate_before_the_first_round(product: Product, machine: Machine, sshd: Sshd, host: str) -> None:
    """That the pool tracks no sessions is known from the sign-in on: it was a sign-out."""
    product.configure(check_interval="1s", sign_out="last", on_revoked="terminate")
    with sshd.open("alice", RIGHT) if host == "sshd" else su(machine, "bob", "alice", RIGHT) as session:
        product.sign_out_elsewhere()
        done = check(product)
        assert "session terminated; user='alice'" in done.stdout and "left open" not in done.stdout, done
        session.ended()
        # su's terminal is its caller's, and is left alone.
        told = f"{TOLD}, or are no longer allowed to sign in. This session ends now." in session.seen
        assert told == (host == "sshd"), session.seen
    assert not product.entries()


@pytest.mark.parametrize("action", ["notify", "terminate"])
def test_ended_from_another_session_here(product: Product, machine: Machine, sshd: Sshd, action: str) -> None:
    """`sessions --everywhere --end`: the agent knows that it was asked for, in a pool that tracks sessions, too."""
    options = {"session_limit": 20}
    settings = {"check_interval": "1s", "sign_out": "last", "on_revoked": action, "welcome": "no"}
    with product.other_pool(options, **settings), AgentProcess(machine):
        product.member()
        with sshd.open("alice", RIGHT) as mine, sshd.open("alice", RIGHT) as other:
            listed = json.loads(mine.command("cognito-session sessions --everywhere --json").output)
            [name] = [session["session"] for session in listed["sessions"] if not session["current"]]
            mark = machine.log_mark()
            assert mine.command(f"cognito-session sessions --everywhere --end {name}").status == 0
            words = "you used another of your sessions to sign out this session. "
            if action == "terminate":
                other.ended()
                assert f"{words}This session ends now." in other.seen
                machine.wait_until(lambda: machine.log(mark, containing="session terminated"), "the line about it")
            else:
                other.terminal.expect_exact(f"{words}This session stays open, but its tokens have been removed.")
                assert not has_key(product, other)
                other.logout()
            machine.wait_until(lambda: len(product.entries()) == 1, "the end of the other one")
            assert has_key(product, mine) and len(product.tokens_given()) == 1
            assert not machine.log(mark, containing="left open")
            assert check(product).stdout == ""
            mine.logout()


def test_signed_out_everywhere_from_here(product: Product, machine: Machine, sshd: Sshd) -> None:
    """The others here end as after a sign-out, in a pool that tracks sessions, too: the agent did it."""
    settings = {"check_interval": "1s", "sign_out": "last", "on_revoked": "terminate", "welcome": "no"}
    with product.other_pool({"session_limit": 20}, **settings), AgentProcess(machine):
        product.member()
        with sshd.open("alice", RIGHT) as mine, sshd.open("alice", RIGHT) as other:
            assert mine.command("cognito-session sign-out --global --yes </dev/null").status == 0, mine.seen
            machine.wait_until(lambda: len(product.entries()) == 1, "the end of its own")
            done = check(product)
            assert done.stdout.count("session terminated; user='alice'") == 1 and "left open" not in done.stdout, done
            other.ended()
            mine.logout()
    assert not product.entries()


def test_terminate_others_than_ssh(product: Product, machine: Machine) -> None:
    """login's shell ends; su's does, and not the shell that su was called from."""
    product.configure(check_interval="1s", sign_out="last", on_revoked="terminate")
    for host in (lambda: login(machine, "alice", RIGHT), lambda: su(machine, "bob", "alice", RIGHT)):
        with host() as session:
            assert session.accepted, session.seen
            sign_out_elsewhere(product)
            assert "session terminated; user='alice'" in check(product).stdout
            session.ended()
    assert not product.entries()


def test_lock_needs_logind(product: Product, sshd: Sshd) -> None:
    product.configure(check_interval="1s", sign_out="last", on_revoked="lock")
    with sshd.open("alice", RIGHT) as session:
        sign_out_elsewhere(product)
        assert "session not locked; user='alice'" in check(product).stdout
        assert not has_key(product, session)
        session.logout()


def test_found_out_by_the_person(product: Product, machine: Machine, sshd: Sshd) -> None:
    """Whoever finds it out first, the administrator's wish is the same."""
    product.configure(check_interval="1s", sign_out="last", on_revoked="terminate")
    with AgentProcess(machine), sshd.open("alice", RIGHT) as session:
        sign_out_elsewhere(product)
        session.terminal.type_line("cognito-session refresh")
        session.ended()
        assert machine.wait_until(lambda: not product.entries(), "the end of the session")
        machine.wait_until(lambda: machine.log(containing="session terminated; user='alice'"), "the line about it")


@contextlib.contextmanager
def stopped(product: Product, session: Session) -> Iterator[None]:
    """Ctrl-S: nothing that is written appears until Ctrl-Q."""
    os.write(session.terminal.child_fd, b"\x13")
    yield
    os.write(session.terminal.child_fd, b"\x11")


@contextlib.contextmanager
def of_another(product: Product, session: Session) -> Iterator[None]:
    terminal = session.command("tty").output.strip()
    product.machine.run(["chown", "bob", terminal], check=True)
    yield
    product.machine.run(["chown", "alice", terminal], check=True)


@pytest.mark.parametrize("terminal", [stopped, of_another])
def test_a_terminal_that_takes_nothing(product: Product, sshd: Sshd, terminal) -> None:
    """It holds nobody up, and is left alone."""
    with sshd.open("alice", RIGHT) as session:
        with terminal(product, session):
            sign_out_elsewhere(product)
            assert "session ended; user='alice'" in check(product).stdout
        assert not has_key(product, session)
        assert TOLD not in session.seen
        session.logout()


def test_an_access_token_that_has_run_out(product: Product, machine: Machine) -> None:
    """A renewal asks in its place; refused for good, it ends the session, too."""
    client = product.emulator.app_client(product.pool["pool_id"], access_token_seconds=30)
    product.configure(check_interval="1s", client_id=client["client_id"], client_secret_file=None)
    with product.signed_in() as driver:
        product.emulator.clear_requests()
        assert check(product).stdout == "" and len(product.entries()) == 1
        assert "GetUser" not in product.operations() and len(product.operations()) == 1
        sign_out_elsewhere(product)
        assert "session ended; user='alice'" in check(product).stdout
        assert not product.entries()
        driver.call("close_session")


def test_turns(product: Product, machine: Machine) -> None:
    """By itself a round asks about those whose turn it is, once in the interval; --dry-run says which."""
    with product.signed_in() as driver:
        machine.run(["sleep", "1"])
        product.emulator.clear_requests()
        assert "would be checked; user='alice'" in product.reap("--dry-run").stdout
        product.configure(check_interval="24h")
        assert product.reap("--dry-run").stdout == "" == product.reap().stdout
        product.configure(check_interval="0")
        assert product.reap("--now").stdout == "" and product.operations() == []
        product.configure(check_interval="1s")
        assert product.reap().stdout == "" and product.operations() == ["GetUser"]
        driver.call("close_session")


def test_settings_that_would_end_everything(product: Product, machine: Machine) -> None:
    """One logout anywhere would: nobody comes in with them, and the log names the remedy."""
    product.configure(on_revoked="terminate")
    with PamDriver(machine, "alone", "alice") as driver:
        mark = machine.log_mark()
        assert driver.authenticate(RIGHT).code == "PAM_CRED_UNAVAIL"
        assert machine.log(mark, containing="Set sign_out = last")


class Idle:
    """A session at whose terminal nobody types, and rounds of the reaper as many seconds later as is wanted."""

    def __init__(self, product: Product, session: Session, clock: str):
        self.product, self.clock = product, clock
        self.terminal = session.command("tty").output.strip()

    def since(self, minutes: int) -> None:
        self.product.machine.run(["touch", "-a", "-d", f"{minutes} minutes ago", self.terminal], check=True)

    def reap(self, seconds: int = 0):
        ahead = {"LD_PRELOAD": self.clock, "CLOCK_AHEAD": "/", "CLOCK_AHEAD_SECONDS": str(seconds)}
        return self.product.machine.run([AGENT, "reap"], env=ahead, timeout=60)


@pytest.fixture(scope="module")
def clock(machine: Machine) -> str:
    return library("clock_ahead", machine.shared)


@pytest.mark.parametrize("action", ["notify", "terminate"])
def test_idle(product: Product, sshd: Sshd, clock: str, action: str) -> None:
    """Warned, then signed out of this session alone; another of theirs, without a terminal, is spared."""
    product.configure(check_interval="0", sign_out="last", on_revoked=action, idle_sign_out="30m")
    with product.signed_in() as driver, sshd.open("alice", RIGHT) as session:
        idle = Idle(product, session, clock)
        assert idle.reap().stdout == "" and "typed" not in session.seen
        idle.since(29)
        assert idle.reap().stdout == ""
        session.terminal.expect_exact("in two minutes, unless you press Enter.")
        idle.since(31)
        assert idle.reap(60).stdout == ""
        done = idle.reap(125)
        assert "session ended; user='alice'" in done.stdout and "reason=idle" in done.stdout, done
        if action == "notify":
            session.terminal.expect_exact("so you were signed out.")
            assert not has_key(product, session)
            session.logout()
        else:
            session.ended()
            assert "This session ends now." in session.seen
        assert len(product.entries()) == len(product.tokens_given()) == 1
        driver.call("close_session")


def test_enter_is_enough(product: Product, sshd: Sshd, clock: str) -> None:
    product.configure(check_interval="0", sign_out="last", idle_sign_out="30m")
    with sshd.open("alice", RIGHT) as session:
        idle = Idle(product, session, clock)
        idle.since(29)
        idle.reap()
        session.terminal.expect_exact("unless you press Enter.")
        assert session.command("echo typed").output.strip() == "typed"
        assert idle.reap(200).stdout == ""
        assert has_key(product, session)
        session.logout()
