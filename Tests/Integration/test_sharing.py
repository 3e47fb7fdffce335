"""keyring = user: all of a person's sessions read the tokens of the newest one, and nobody else does."""

import json
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Sshd, allow_sudo
from .machine import Machine
from .product import LOCAL, RIGHT, Product
from .test_attach import status
from .test_try_session import DEFAULTS, SUDO, allow_reuse


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product, agent: AgentProcess) -> Iterator[Sshd]:
    allow_sudo(machine, "alice", defaults=DEFAULTS)
    allow_reuse(machine, "sudo")
    with Sshd(machine) as server:
        server.authorize("alice")
        server.authorize("bob")
        yield server


@pytest.fixture
def shared(product: Product) -> Iterator[None]:
    product.configure(keyring="user", sign_out="session")
    yield
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")


def by_a_job(product: Product) -> dict:
    """What a process sees that belongs to no session, as cron starts them."""
    return json.loads(product.machine.run(["cognito-session", "--json"], user="alice").stdout)


def test_only_where_it_is_asked_for(product: Product, sshd: Sshd) -> None:
    with sshd.open("alice", RIGHT) as first, sshd.open("alice", method="publickey") as other:
        assert status(first)["shared"] is False
        assert other.command(product.read_tokens).status != 0
        assert status(other)["state"] == by_a_job(product)["state"] == "none"
        other.logout()
        first.logout()
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")


def test_all_of_the_persons_sessions(product: Product, sshd: Sshd, shared: None) -> None:
    with sshd.open("alice", RIGHT) as first, sshd.open("alice", method="publickey") as other:
        tokens = product.tokens(first.command(product.read_tokens).output)
        own, theirs, job = status(first), status(other), by_a_job(product)
        assert own["shared"] is False and theirs["shared"] is job["shared"] is True
        assert own["key"] == theirs["key"] == job["key"] and theirs["keyring"] == job["keyring"] != own["keyring"]
        assert product.tokens(other.command(product.read_tokens).output).access == tokens.access
        assert other.command("cognito-session token").status != 0, "on a terminal"
        assert other.command("cognito-session token | wc -c").output.strip() == str(len(tokens.access) + 1)
        assert "borrowed from another of your sessions" in " ".join(other.command("cognito-session").output.split())

        # Root's, and not to be changed or passed on.
        for attempt in (f"keyctl update {own['key']} x", f"keyctl link {own['key']} @s"):
            assert "denied" in other.command(attempt).output.lower(), attempt
        for attempt in ("pipe", "describe"):
            found = product.machine.run(["keyctl", attempt, str(own["key"])], user="bob")
            assert found.returncode != 0 and "denied" in found.stderr.lower()

        first.logout()
        assert other.command(product.read_tokens).status != 0
        assert status(other)["state"] == by_a_job(product)["state"] == "none"
        other.logout()
    assert not product.alive(tokens)["refresh"]


def test_what_the_agent_does_for_readers(product: Product, sshd: Sshd, shared: None) -> None:
    """A session that only reads what another one shares may renew and check it, and end it: it is the same person's."""
    with sshd.open("alice", RIGHT) as first, sshd.open("alice", method="publickey") as other:
        before = product.tokens(first.command(product.read_tokens).output)
        product.emulator.clear_requests()
        assert other.command("cognito-session status --online").status == 0
        assert other.command("cognito-session refresh").status == 0
        assert product.operations() == ["GetUser", "GetTokensFromRefreshToken"]
        for session in (first, other):
            assert product.tokens(session.command(product.read_tokens).output).access != before.access
        assert other.command("cognito-session sign-in").status == 64, "it has tokens"
        after = product.tokens(first.command(product.read_tokens).output)
        assert other.command("cognito-session sign-out --local").status == 0
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert status(first)["state"] == status(other)["state"] == by_a_job(product)["state"] == "none"
        assert not product.alive(after)["refresh"]
        other.logout()
        first.logout()


def test_the_newest_and_then_the_one_before(product: Product, sshd: Sshd, shared: None) -> None:
    with sshd.open("alice", RIGHT) as first, sshd.open("alice", RIGHT) as second:
        keys = [status(session)["key"] for session in (first, second)]
        assert keys[0] != keys[1] and by_a_job(product)["key"] == keys[1]
        second.logout()
        assert by_a_job(product)["key"] == status(first)["key"] == keys[0]
        first.logout()
    assert by_a_job(product)["state"] == "none"


def test_planted_key(product: Product, sshd: Sshd, shared: None) -> None:
    """What a person puts there in its place is displaced; what they put there later is not believed."""
    plant = ["keyctl", "add", "user", product.key_description, "{}", "@u"]
    planted = int(product.machine.run(plant, user="alice", check=True).stdout)
    with sshd.open("alice", RIGHT) as session:
        key = by_a_job(product)["key"]
        assert key == status(session)["key"] != planted
        assert product.machine.run(plant, user="alice").returncode != 0, "updated"
        product.machine.run(["keyctl", "unlink", str(key), "@u"], user="alice", check=True)
        planted = int(product.machine.run(plant, user="alice", check=True).stdout)
        found = by_a_job(product)
        assert found["state"] == "none" and planted in [key["key"] for key in found["ignored_keys"]]
        session.logout()
    product.machine.run(["keyctl", "clear", "@u"], user="alice", check=True)


def test_user_keyring_that_is_closed(product: Product, sshd: Sshd, shared: None) -> None:
    """It costs the sharing, not the sign-in."""
    product.machine.run(["keyctl", "setperm", "@u", "0x3b3b0000"], user="alice", check=True)
    mark = product.machine.log_mark()
    try:
        with sshd.open("alice", RIGHT) as session:
            assert status(session)["state"] == "valid" and by_a_job(product)["state"] == "none"
            session.logout()
    finally:
        product.machine.run(["keyctl", "setperm", "@u", "0x1f3f0000"], user="alice", check=True)
    assert product.machine.log(mark, containing="cannot be shared with the user's other sessions")


@pytest.fixture(params=["pam_keyinit", "without pam_keyinit"])
def su_stack(request: pytest.FixtureRequest, machine: Machine) -> Iterator[None]:
    """su as shipped, and one without pam_keyinit, where nothing but the module keeps the sessions apart."""
    with machine.preserved("/etc/pam.d/su"):
        if request.param != "pam_keyinit":
            lines = machine.read("/etc/pam.d/cognito-session").splitlines(keepends=True)
            kept = "".join(line for line in lines if "pam_keyinit" not in line)
            assert len(kept) < sum(map(len, lines)) and "pam_cognito.so" in kept
            text = machine.read("/etc/pam.d/su").replace("@include cognito-session\n", kept)
            machine.write("/etc/pam.d/su", text, 0o644)
        yield


def test_su_to_somebody_else(product: Product, sshd: Sshd, shared: None, su_stack: None) -> None:
    """A session that leads to the user keyring is not passed on, though it holds no tokens itself."""
    with sshd.open("alice", RIGHT) as first, sshd.open("alice", method="publickey") as other:
        key = status(other)["key"]
        seen = other.terminal.converse(f"su bob -c 'id -un; keyctl show @s; keyctl pipe {key}'", "Password: ", LOCAL)
        assert "bob" in seen and "cognito:" not in seen and "access_token" not in seen
        other.logout()
        first.logout()


def test_su_before_there_are_tokens(product: Product, sshd: Sshd, shared: None, su_stack: None) -> None:
    """Nor is one that will lead to tokens: alice becomes bob first, and signs in elsewhere then."""
    look = f"""
        echo ready; read key
        keyctl show @s; keyctl search @s user {product.key_description}; keyctl pipe $key
        id -un; echo over
    """
    product.machine.write("/usr/local/bin/look", f"#!/bin/sh\n{look}", 0o755)
    with sshd.open("alice", method="publickey") as other:
        other.terminal.type_line("su bob -c look")
        other.terminal.answer("Password: ", LOCAL)
        other.terminal.expect("ready\r\n")
        with sshd.open("alice", RIGHT) as first:
            other.terminal.type_line(str(status(first)["key"]))
            other.terminal.expect("over\r\n")
            seen = other.terminal.before
            assert "bob\r\n" in seen and "cognito:" not in seen and "access_token" not in seen, seen
            assert "Required key not available" in seen, seen
            first.logout()
        other.logout()


def test_no_way_to_become_root(product: Product, sshd: Sshd, shared: None) -> None:
    """try_session takes the tokens of the very session, not what another one shares."""
    join = f"keyctl session _uid.{product.machine.uid('alice')}"
    with sshd.open("alice", RIGHT) as first, sshd.open("alice", method="publickey") as other:
        assert first.command(SUDO).output.strip() == "root"
        assert status(other)["state"] == "valid"
        assert other.command(SUDO).status == 1
        # The user keyring itself as the session's.
        joined = other.command(f"{join} sh -c 'keyctl show @s; {SUDO}'")
        assert product.key_description in joined.output and joined.status == 1 and "\nroot" not in joined.output
        other.logout()
        first.logout()
