"""Another version is installed while people are signed in: the newest over version 0.1.0, and back."""

import re
import subprocess
import time
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY
from Packages.test_deb import newest_package

from .guest import Guest, Shell
from .test_system import (
    ALICE,
    LOCAL,
    MONITOR,
    Installation,
    guest,  # noqa: F401
    installation,  # noqa: F401
)

UNITS = ("pam-cognito-reap.timer", "pam-cognito-agent.socket")


@pytest.fixture(scope="module")
def packages() -> dict[str, Path]:
    script = REPOSITORY / "Tests/System/earlier-package"
    done = subprocess.run([script], check=True, stdout=subprocess.PIPE, text=True)
    return {"0.1.0": Path(done.stdout.strip()), "newest": newest_package()}


def put(guest: Guest, package: Path, *options: str) -> None:  # noqa: F811
    """Nothing is said of an upgrade: that the newest is one, apt sees by the versions that were built."""
    (guest.root / "root/package.deb").write_bytes(package.read_bytes())
    options = ("-o", "Dpkg::Options::=--force-confold", *options)
    guest.run("apt-get", "install", "-y", "-q", *options, "/root/package.deb")
    listed = guest.run("dpkg-query", "-W", "-f", "${Version}", "pam-cognito")
    expected = subprocess.run(["dpkg-deb", "-f", package, "Version"], check=True, capture_output=True, text=True)
    assert listed == expected.stdout.strip()


def monitors(guest: Guest) -> set[str]:  # noqa: F811
    return set(guest.run("pgrep", "-f", MONITOR, check=False).split())


def ended_by_rounds(guest: Guest) -> int:  # noqa: F811
    """How many sessions the agent has signed out since the start: where nobody has asked it to, its rounds have.

    journald does not tell the unit of a process that has ended by the time it looks.
    """
    said = guest.run("journalctl", "-b", "-q", "--no-pager", "-t", "cognito-agent")
    return len(re.findall(r": signed out; user='alice'", said))


@pytest.mark.parametrize(("first", "then"), [("0.1.0", "newest"), ("newest", "0.1.0")])
def test_open_sessions(
    installation: Installation,  # noqa: F811
    guest: Guest,  # noqa: F811
    packages: dict[str, Path],
    first: str,
    then: str,
) -> None:
    """They keep their tokens and renew them; each is signed out at its end, the reaper does it for a killed host."""
    # The test before has left the other one.
    put(guest, packages[first], "--allow-downgrades")
    installation.configure("sign_out = session\n")
    guest.run("pam-auth-update", "--enable", "cognito")
    guest.run("systemctl", "enable", "--now", *UNITS)

    local = guest.open_ssh("bob", LOCAL)
    shells = {}
    before = monitors(guest)
    for name in ("left", "killed", "renewed"):
        shells[name] = guest.open_ssh("alice", ALICE)
        (new,) = monitors(guest) - before
        before.add(new)
        if name == "killed":
            victim = new
    local.type("su - alice")
    local.answer("assword: ", ALICE)
    shells["su"] = Shell(local.terminal)
    held = {name: installation.holding(shell) for name, shell in shells.items()}

    put(guest, packages[then], *(["--allow-downgrades"] if then == "0.1.0" else []))
    assert guest.run("systemctl", "is-active", *UNITS) == "active\n" * len(UNITS)
    assert all(installation.alive(bundle) for bundle in held.values())
    assert {name: installation.holding(shell) for name, shell in shells.items()} == held

    for name in ("renewed", "su"):
        said = shells[name].output("cognito-session refresh; echo status=$?")
        assert "status=0" in said, said
        renewed = installation.holding(shells[name])
        assert renewed["access_token"] != held[name]["access_token"] and installation.alive(renewed)
        held[name] = renewed
    assert "status=0" in shells["left"].output("cognito-session status --online --check; echo status=$?")

    rounds = ended_by_rounds(guest)
    guest.run("kill", "-9", victim)
    shells["killed"].terminal.close()
    for name in ("left", "renewed", "su"):
        shells[name].leave()
        started = time.monotonic()
        installation.signed_out(held[name], timeout=120)
        print(f"{first} to {then}: {name} was signed out after {time.monotonic() - started:.1f} s")
    installation.signed_out(held["killed"], timeout=120)
    # An earlier version's programs do not understand what the module of an open session asks of them.
    expected = 1 if then == "newest" else len(held)
    guest.wait_until(lambda: ended_by_rounds(guest) - rounds == expected, "what the rounds say of it")
    local.leave()
    assert guest.ssh("alice", ALICE)[0] and guest.ssh("bob", LOCAL)[0]
    assert not guest.ssh("alice", LOCAL)[0]
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")


def test_removal_of_what_an_earlier_version_opened(
    installation: Installation,  # noqa: F811
    guest: Guest,  # noqa: F811
    packages: dict[str, Path],
) -> None:
    """Whoever signed in under the earlier version is signed out when the newest is removed."""
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    put(guest, packages["newest"])
    assert installation.alive(held)
    said = guest.run("apt-get", "purge", "-y", "-q", "pam-cognito")
    assert "signed out; user='alice'" in said, said
    assert not installation.alive(held)
    shell.leave()
    assert guest.ssh("bob", LOCAL)[0]
