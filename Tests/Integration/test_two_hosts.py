"""One person on two hosts: what a sign-out on one of them does to the session on the other."""

import contextlib
import os

import pytest

from .agent_process import AgentProcess, sign_in
from .hosts import Sshd
from .machine import Machine
from .product import RIGHT, Product, Tokens

#: More than is left of an access token, of an hour, a moment after the sign-in; and more than any lives.
SOON, ANYWAY = "3600", "366d"


@pytest.fixture(scope="module")
def here(sshd: Sshd, agent: AgentProcess) -> Sshd:
    return sshd


@pytest.fixture(scope="module")
def there(other_product: Product):
    with AgentProcess(other_product.machine), Sshd(other_product.machine) as server:
        yield server


@contextlib.contextmanager
def both(here: Sshd, there: Sshd):
    """alice's session on each."""
    with here.open("alice", RIGHT) as mine, there.open("alice", RIGHT) as other:
        yield mine, other
        for shell in (mine, other):
            if not shell.terminal.process.ended:
                shell.logout()


def accepted(product: Product, tokens: Tokens) -> tuple[bool, bool]:
    """Whether Cognito accepts the access token, and the refresh token."""
    found = product.alive(tokens)
    return found["access"], found["refresh"]


def test_they_share_nothing_but_cognito(
    product: Product, other_product: Product, machine: Machine, other_machine: Machine, here: Sshd, there: Sshd
) -> None:
    for kind in ("user", "net", "mnt", "pid", "uts", "ipc"):
        assert len({os.readlink(f"/proc/{host.init_pid}/ns/{kind}") for host in (machine, other_machine)}) == 2, kind
    with both(here, there) as (mine, other):
        tokens = [product.tokens(shell.command(product.read_tokens).output) for shell in (mine, other)]
        assert tokens[0].access != tokens[1].access
        assert len(product.entries()) == len(other_product.entries()) == 1
        assert len(product.tokens_given()) == 2


#: The next thing that is done on the other host, and its exit status.
NEXT = {
    "status --online": 3,
    "refresh": 3,
    f"token --min-life {ANYWAY} >/dev/null": 3,
    f"exec --min-life {ANYWAY} true": 125,
}


@pytest.mark.parametrize("command", NEXT)
def test_everywhere_ends_the_other(
    product: Product, other_product: Product, here: Sshd, there: Sshd, command: str
) -> None:
    """Nobody tells the other host; Cognito does, as soon as it is asked. Then the session is gone there, too."""
    with both(here, there) as (mine, other):
        theirs = product.tokens(other.command(product.read_tokens).output)
        assert mine.command("cognito-session sign-out --global --yes").status == 0
        assert accepted(product, theirs) == (False, False)
        assert other.command("cognito-session --check").status == 0

        told = other.command(f"COLUMNS=200 cognito-session {command}")
        assert told.status == NEXT[command], told
        said = " ".join(told.output.split())
        assert "Cognito no longer accepts this session" in said and "run 'cognito-session sign-in'." in said, told
        other_product.machine.wait_until(lambda: not other_product.entries(), "the end of the session")
        assert product.key_description not in other.command("keyctl show @s").output
        after = other.command("cognito-session")
        assert after.status == 1 and "There are no Cognito tokens in this session." in after.output


@pytest.mark.parametrize("online", ["status --online", "refresh", f"exec --min-life {SOON} true"])
def test_here_leaves_the_other_alone(
    product: Product, other_product: Product, here: Sshd, there: Sshd, online: str
) -> None:
    with both(here, there) as (mine, other):
        assert mine.command("cognito-session sign-out --local").status == 0
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert other.command(f"cognito-session {online}").status == 0
        theirs = product.tokens(other.command(product.read_tokens).output)
        assert accepted(product, theirs) == (True, True)
        assert len(other_product.entries()) == 1


@pytest.mark.parametrize(("mode", "stands"), [("global", False), ("last", False), ("session", True)])
def test_logout(product: Product, other_product: Product, here: Sshd, there: Sshd, mode: str, stands: bool) -> None:
    """`last` counts the sessions of one machine only: it says so in the manual."""
    product.configure(sign_out=mode)
    with both(here, there) as (mine, other):
        mine.logout()
        assert product.entries() == []
        status = other.command("cognito-session status --online").status
        assert status == (0 if stands else 3)
        other_product.machine.wait_until(lambda: len(other_product.entries()) == stands, "the registry")


def test_signed_in_again_in_place(product: Product, other_product: Product, here: Sshd, there: Sshd) -> None:
    """What the person is told to do works: the same shell has tokens again, and the first host is not concerned."""
    with both(here, there) as (mine, other):
        assert mine.command("cognito-session sign-out --global --yes").status == 0
        assert other.command("cognito-session refresh").status == 3
        other_product.machine.wait_until(lambda: not other_product.entries(), "the end of the session")
        assert "status=0." in sign_in(other, RIGHT)
        assert other.command("cognito-session status --online").status == 0
        assert mine.command("cognito-session --check").status == 1
        theirs = product.tokens(other.command(product.read_tokens).output)
        other.logout()
        assert other_product.entries() == [] and accepted(product, theirs) == (False, False)


@pytest.mark.parametrize("action", ["notify", "terminate"])
def test_reaper_finds_out(product: Product, other_product: Product, here: Sshd, there: Sshd, action: str) -> None:
    """Nobody does anything on the other host; its next round ends the session there."""
    for host in (product, other_product):
        host.configure(check_interval="1s", sign_out="last", on_revoked=action)
    with both(here, there) as (mine, other):
        # The round before, which asks whether the pool tracks sessions.
        assert other_product.reap("--now").stdout == ""
        assert mine.command("cognito-session sign-out --global --yes").status == 0
        done = other_product.reap("--now")
        assert done.returncode == 0 and "session ended; user='alice'" in done.stdout, done
        assert other_product.entries() == []
        other.terminal.expect_exact("Amazon Cognito: you were signed out elsewhere")
        if action == "terminate":
            other.ended()
        assert mine.command("echo here").output.strip() == "here"


@contextlib.contextmanager
def tracking(product: Product, most: int):
    """The pool tracks sessions, of which a person has so many at most."""
    pool = {"UserPoolId": product.pool["pool_id"], "TokenSession": {"MaxPerUser": most}}
    product.emulator.admin("SetUserPoolSessionConfiguration", {**pool, "UserSessionTracking": "ENABLED"})
    try:
        yield
    finally:
        product.emulator.admin("SetUserPoolSessionConfiguration", {**pool, "UserSessionTracking": "DISABLED"})


def test_pool_that_tracks_sessions(product: Product, other_product: Product, here: Sshd, there: Sshd) -> None:
    """The 21st sign-in ends the tokens of the one that was used least lately, and nobody's shell. A sign-out does.

    How the service goes about it is our reading of its model, see Emulator/behaviours/session_tracking.py."""
    hosts = (product, other_product)
    for host in hosts:
        host.configure(check_interval="1s", sign_out="session", on_revoked="terminate")
    with tracking(product, most=20), contextlib.ExitStack() as stack:

        def opened(host: Sshd, count: int) -> list:
            return [stack.enter_context(host.open("alice", RIGHT)) for _ in range(count)]

        mine = opened(here, 5)
        theirs = opened(there, 10)
        mine += opened(here, 5)
        assert [host.reap("--now").stdout for host in hosts] == ["", ""]
        theirs += opened(there, 1)
        done = product.reap("--now")
        assert done.stdout.count("session ended; user='alice'") == 1, done
        assert done.stdout.count("session left open; user='alice'") == 1 and "reason=session_limit" in done.stdout
        assert other_product.reap("--now").stdout == ""
        mine[0].terminal.expect_exact("a newer sign-in has ended this session")
        assert all(shell.command("echo here").output.strip().endswith("here") for shell in (*mine, *theirs))
        assert [shell.command("cognito-session --check").status for shell in (mine[0], mine[1])] == [1, 0]

        product.sign_out_elsewhere()
        done = product.reap("--now")
        assert done.stdout.count("session terminated; user='alice'") == 9, done
        for shell in mine[1:]:
            shell.ended()
        assert other_product.reap("--now").stdout.count("session terminated; user='alice'") == 11
        mine[0].logout()


def test_limit_where_nothing_tells(product: Product, other_product: Product, here: Sshd, there: Sshd) -> None:
    """The only session here is gone, by a sign-in elsewhere or by a sign-out: the shell stays, and that is said."""
    for host in (product, other_product):
        host.configure(check_interval="1s", sign_out="session", on_revoked="terminate")
    with tracking(product, most=1), here.open("alice", RIGHT) as mine:
        assert product.reap("--now").stdout == ""
        assert there.run("alice", RIGHT).accepted
        assert "session left open; user='alice'" in product.reap("--now").stdout
        mine.terminal.expect_exact("signed out elsewhere, or you have more sessions than the user pool allows")
        assert mine.command("echo here").output.strip().endswith("here")
        mine.logout()


def test_reaper_leaves_what_stands(product: Product, other_product: Product, here: Sshd, there: Sshd) -> None:
    """A sign-out on one host alone is nothing to the other."""
    for host in (product, other_product):
        host.configure(check_interval="1s", sign_out="last", on_revoked="terminate")
    with both(here, there) as (mine, other):
        assert mine.command("cognito-session sign-out --local").status == 0
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert other_product.reap("--now").stdout == ""
        assert other.command("cognito-session --check").status == 0
