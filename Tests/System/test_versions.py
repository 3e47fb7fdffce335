"""Another version is installed while users are signed in: from 0.1.0 to the next release, a later build, and back."""

import itertools
import re
import subprocess
import time
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY

from .guest import GENEROUS, Guest, Shell
from .test_system import (
    ALICE,
    LOCAL,
    MONITOR,
    Installation,
    guest,  # noqa: F401
    installation,  # noqa: F401
)

UNITS = ("pam-cognito-reap.timer", "pam-cognito-agent.socket", "pam-cognito-userdb.socket")
#: dora has no account but the one that her first sign-in makes.
CONFIGURATION = "sign_out = session\naccounts = sign-in\naccount_names = d*\naccount_uids = 60600-60999\n"
#: The versions that a machine goes through, the oldest first: `next` is built after COMING has been released.
COMING = (REPOSITORY / "packaging/versions").read_text().split()[-1]
VERSIONS = ("0.1.0", COMING, "next")


@pytest.fixture(scope="module")
def packages() -> dict[str, Path]:
    def package(version: str) -> Path:
        script = REPOSITORY / "Tests/System/package-of"
        done = subprocess.run([script, version], check=True, stdout=subprocess.PIPE, text=True)
        return Path(done.stdout.strip())

    return {version: package(version) for version in VERSIONS}


@pytest.fixture(scope="module", autouse=True)
def dora(installation: Installation) -> None:  # noqa: F811
    """A user of the pool who has no account here."""
    installation.client.user(installation.pool["pool_id"], "dora", ALICE, groups=["staff"], email="dora@example.com")
    installation.guest.run("apt-get", "install", "-y", "-q", "libnss-systemd")


def put(guest: Guest, package: Path, *options: str) -> None:  # noqa: F811
    """Nothing is said of an upgrade: that it is one, apt sees by the versions that were built."""
    (guest.root / "root/package.deb").write_bytes(package.read_bytes())
    options = ("-o", "Dpkg::Options::=--force-confold", *options)
    guest.run("apt-get", "install", "-y", "-q", *options, "/root/package.deb")
    listed = guest.run("dpkg-query", "-W", "-f", "${Version}", "pam-cognito")
    expected = subprocess.run(["dpkg-deb", "-f", package, "Version"], check=True, capture_output=True, text=True)
    assert listed == expected.stdout.strip()


def monitors(guest: Guest) -> set[str]:  # noqa: F811
    return set(guest.run("pgrep", "-f", MONITOR, check=False).split())


def ended_by_rounds(guest: Guest) -> int:  # noqa: F811
    """How many sessions cleanup runs have signed out since the start; a logout has a reason of its own in the log."""
    said = guest.run("journalctl", "-b", "-q", "--no-pager", "-t", "cognito-agent")
    lines = re.findall(r": signed out; user='(?:alice|dora)' .*", said)
    return sum("has closed" not in line for line in lines)


@pytest.mark.parametrize(("first", "then"), [*itertools.pairwise(VERSIONS), *itertools.pairwise(reversed(VERSIONS))])
def test_open_sessions(
    installation: Installation,  # noqa: F811
    guest: Guest,  # noqa: F811
    packages: dict[str, Path],
    first: str,
    then: str,
) -> None:
    """They keep their tokens and renew them; each is signed out at its end, the reaper does it for a killed host.

    So is the session that is being signed out meanwhile. A prompt that is open is answered afterwards.
    """
    goes_back = VERSIONS.index(first) > VERSIONS.index(then)
    # The test before has left another one.
    put(guest, packages[first], "--allow-downgrades")
    installation.configure(CONFIGURATION)
    guest.run("pam-auth-update", "--enable", "cognito", "mkhomedir")
    guest.run("systemctl", "enable", "--now", *UNITS)

    local = guest.open_ssh("bob", LOCAL)
    shells = {}
    before = monitors(guest)
    for name in ("left", "killed", "renewed", "leaving"):
        shells[name] = guest.open_ssh("alice", ALICE)
        (new,) = monitors(guest) - before
        before.add(new)
        if name == "killed":
            victim = new
    shells["account"] = guest.open_ssh("dora", ALICE)
    local.type("su - alice")
    local.answer("assword: ", ALICE)
    shells["su"] = Shell(local.terminal)
    held = {name: installation.holding(shell) for name, shell in shells.items()}
    account = guest.run("getent", "passwd", "dora")
    assert account.startswith("dora:x:60")

    # A sign-out that Cognito does not answer, and two prompts.
    rounds = ended_by_rounds(guest)
    installation.client.clear_requests()
    installation.client.fault("RevokeToken", "hang")
    shells.pop("leaving").leave()
    guest.wait_until(lambda: installation.client.requests("RevokeToken"), "the request to revoke")
    prompts = {name: guest.client(name, None) for name in ("alice", "bob")}
    for terminal in prompts.values():
        terminal.expect("assword: ")

    put(guest, packages[then], *(["--allow-downgrades"] if goes_back else []))
    installation.client.clear_faults()
    prompts["bob"].sendline(LOCAL)
    Shell(prompts["bob"]).leave()
    prompts["alice"].sendline(ALICE)
    shells["prompt"] = Shell(prompts["alice"])
    held["prompt"] = installation.holding(shells["prompt"])
    assert guest.run("systemctl", "is-active", *UNITS) == "active\n" * len(UNITS)
    assert guest.run("getent", "passwd", "dora") == account
    leaving = held.pop("leaving")
    assert all(installation.alive(bundle) for bundle in held.values())
    assert {name: installation.holding(shell) for name, shell in shells.items()} == held
    started = time.monotonic()
    installation.signed_out(leaving, timeout=3 * GENEROUS)
    print(f"{first} to {then}: the sign-out under way took {time.monotonic() - started:.1f} s more")

    for name in ("renewed", "account", "su"):
        said = shells[name].output("cognito-session refresh; echo status=$?")
        assert "status=0" in said, said
        renewed = installation.holding(shells[name])
        assert renewed["access_token"] != held[name]["access_token"] and installation.alive(renewed)
        held[name] = renewed
    assert "status=0" in shells["left"].output("cognito-session status --online --check; echo status=$?")

    guest.run("kill", "-9", victim)
    shells.pop("killed").terminal.close()
    for name, shell in shells.items():
        shell.leave()
        started = time.monotonic()
        installation.signed_out(held[name], timeout=2 * GENEROUS)
        print(f"{first} to {then}: {name} was signed out after {time.monotonic() - started:.1f} s")
    installation.signed_out(held["killed"], timeout=2 * GENEROUS)
    # The killed one and the sign-out that was under way: nothing else was left to the cleanup runs.
    guest.wait_until(lambda: ended_by_rounds(guest) - rounds == 2, "the cleanup runs' lines", 2 * GENEROUS)
    local.leave()
    for name, password in (("alice", ALICE), ("dora", ALICE), ("bob", LOCAL)):
        assert guest.ssh(name, password)[0], name
    assert not guest.ssh("alice", LOCAL)[0]
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")


def test_removal_of_what_an_earlier_version_opened(
    installation: Installation,  # noqa: F811
    guest: Guest,  # noqa: F811
    packages: dict[str, Path],
) -> None:
    """A user who signed in under the earlier version is signed out when a later one is removed."""
    put(guest, packages["0.1.0"], "--allow-downgrades")
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    put(guest, packages["next"])
    assert installation.alive(held)
    said = guest.run("apt-get", "purge", "-y", "-q", "pam-cognito")
    assert "signed out; user='alice'" in said, said
    assert not installation.alive(held)
    shell.leave()
    assert guest.ssh("bob", LOCAL)[0]
