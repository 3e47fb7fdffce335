"""The RPM package's scripts and the stacks for it, with systemd running, on what is no RPM distribution.

rpm is Debian's, with a database of its own; the service files are Fedora's, as far as their modules are here. What only
such a distribution has (authselect, SELinux, its own libpam) is not seen by this.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY
from Packages.test_deb import newest_package

from .guest import Guest, tokens
from .test_system import ALICE, CONFIGURATION, LOCAL, Installation

UNITS = ("pam-cognito-reap.timer", "pam-cognito-agent.socket", "pam-cognito-drain.service")

PASSWORD_AUTH = """\
auth        required      pam_env.so
auth        required      pam_faildelay.so delay=2000000
auth        sufficient    pam_unix.so nullok
auth        required      pam_deny.so
account     required      pam_unix.so
account     sufficient    pam_localuser.so
account     required      pam_permit.so
password    sufficient    pam_unix.so yescrypt shadow nullok use_authtok
password    required      pam_deny.so
session     optional      pam_keyinit.so revoke
session     required      pam_limits.so
-session     optional      pam_systemd.so
session     [success=1 default=ignore] pam_succeed_if.so service in crond quiet use_uid
session     required      pam_unix.so
"""
#: Of these lines those that name Cognito are what pam_cognito(8) tells to write; the others are the distribution's.
SSHD = """\
auth       include      cognito-auth
auth       include      postlogin
account    required     pam_nologin.so
account    include      cognito-account
password   include      cognito-password
password   include      password-auth
session    required     pam_loginuid.so
session    include      cognito-session
session    optional     pam_motd.so
session    include      password-auth
session    include      postlogin
"""
SU = """\
auth       sufficient   pam_rootok.so
auth       include      cognito-auth
account    sufficient   pam_succeed_if.so uid = 0 use_uid quiet
account    include      cognito-account
password   include      cognito-password
password   include      password-auth
session    include      cognito-session
session    include      password-auth
session    include      postlogin
"""
PASSWD = """\
auth       include      password-auth
account    include      password-auth
password   substack     password-auth
"""
USER = "account include password-auth\nsession required pam_loginuid.so\nsession include password-auth\n"
OTHER = "".join(f"{facility} required pam_deny.so\n" for facility in ("auth", "account", "password", "session"))
POSTLOGIN = "session optional pam_umask.so silent\n-session optional pam_lastlog.so silent noupdate showfailed\n"


def package(folder: str) -> Path:
    (found,) = (REPOSITORY / ".build" / folder).glob("pam-cognito-[0-9]*.rpm")
    return found


class Machine(Installation):
    """A system with rpm, and what was on it before the package."""

    def __init__(self, guest: Guest):
        super().__init__(guest)
        self.boot()
        depends = subprocess.run(
            ["dpkg-deb", "--field", newest_package(), "Depends"], check=True, capture_output=True, text=True
        ).stdout
        libraries = re.findall(r"lib[\w.-]+|ca-certificates", depends)
        guest.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "rpm", *libraries)
        guest.run("useradd", "-m", "-s", "/bin/sh", "bob")
        guest.run("chpasswd", input=f"bob:{LOCAL}\nroot:{LOCAL}\n")
        guest.run("sed", "-i", "1i KbdInteractiveAuthentication yes", "/etc/ssh/sshd_config")
        guest.run("systemctl", "reload", "ssh")
        self.bare = self.files()

    def files(self) -> set[str]:
        """Everything where a package puts something."""
        places = ["/etc", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/usr/share", "/var/lib", "/run"]
        return set(self.guest.run("find", *places, "-xdev").splitlines())

    def put(self, option: str, folder: str) -> str:
        (self.guest.root / "root/package.rpm").write_bytes(package(folder).read_bytes())
        return self.guest.run("rpm", option, "--nodeps", "/root/package.rpm")


@pytest.fixture(scope="module")
def installation() -> Iterator[Machine]:
    with Guest() as guest:
        started = Machine(guest)
        yield started
        started.emulator.close()


@pytest.fixture
def guest(installation: Machine) -> Guest:
    return installation.guest


def test_installation_enables_nothing(installation: Machine, guest: Guest) -> None:
    stacks = guest.run("sh", "-c", "cat /etc/pam.d/*")
    assert "rror" not in installation.put("-i", "rpm")
    assert guest.run("sh", "-c", "cat /etc/pam.d/*") == stacks
    assert guest.run("getent", "passwd", "_pam-cognito").endswith(":/nonexistent:/usr/sbin/nologin\n")
    folders = ("/run/pam-cognito", "/var/lib/pam-cognito")
    assert guest.run("stat", "-c", "%a %U", *folders) == "755 root\n700 root\n"
    listed = guest.run("systemctl", "list-unit-files", "--no-legend", "pam-cognito*").splitlines()
    assert {line.split()[1] for line in listed} == {"disabled", "static"}, listed
    assert "cognito" not in guest.run("systemctl", "list-units", "--no-legend", "pam-cognito*")
    assert guest.run("rpm", "-V", "--nodeps", "pam-cognito") == ""
    assert guest.ssh("bob", LOCAL)[0]


def test_enabled_by_hand(installation: Machine, guest: Guest) -> None:
    """As pam_cognito(8) says for services that know no @include."""
    client = installation.client
    installation.configure("sign_out = session\n")
    guest.run("groupadd", "cognito")
    guest.run("useradd", "-m", "-s", "/bin/sh", "-G", "cognito", "alice")
    guest.run("sh", "-c", "rm /etc/pam.d/*; cp -t /etc/pam.d /usr/share/doc/pam-cognito/pam.d/cognito-*")
    services = {"password-auth": PASSWORD_AUTH, "postlogin": POSTLOGIN, "sshd": SSHD, "su": SU, "passwd": PASSWD}
    for name, text in {**services, "systemd-user": USER, "other": OTHER}.items():
        guest.write(f"/etc/pam.d/{name}", text)
    guest.run("systemctl", "enable", "--now", *UNITS)
    accepted, said = guest.ssh("alice", ALICE, installation.read_tokens)
    assert accepted, said
    installation.signed_out(tokens(said))
    assert not guest.ssh("alice", LOCAL)[0]
    assert guest.ssh("bob", LOCAL)[0] and not guest.ssh("bob", ALICE)[0]
    shell = guest.open_ssh("bob", LOCAL)
    shell.type("su alice -c id")
    shell.answer("assword: ", ALICE)
    shell.terminal.expect("(alice)")
    shell.leave()
    client.down()
    assert guest.ssh("bob", LOCAL)[0] and not guest.ssh("alice", ALICE)[0]
    client.up()
    # What it tells to change fits these files, too: none of Debian's takes their place.
    guest.run("sed", "-i", "s/default=2]/default=ignore]/", "/etc/pam.d/cognito-auth")
    for file in ("cognito-auth", "passwd"):
        report = json.loads(guest.run("cognito-session", "doctor", "--json", check=False))
        advice = [finding["mend"] for area in report["areas"] for finding in area["findings"] if finding["mend"]]
        found = [entry for entry in advice if file in entry]
        assert found, report
        for step in found[0].split("; "):
            change = re.fullmatch(r"(/\S+), (before )?line (\d+): (?:add |.+ -> )(.+)", step)
            if change is None:
                guest.run("sh", "-c", step)
                continue
            lines = guest.read(change[1]).split("\n")
            place = int(change[3]) - 1
            lines[place : place if change[2] else place + 1] = [change[4]]
            guest.write(change[1], "\n".join(lines))
    assert "PAM stacks      passwd, sshd, su\n" in guest.run("cognito-session", "doctor")
    assert guest.read("/etc/pam.d/sshd") == SSHD
    assert guest.ssh("alice", ALICE)[0] and guest.ssh("bob", LOCAL)[0]


def test_upgrade(installation: Machine, guest: Guest) -> None:
    """What is switched on stays so, and an open session does not notice."""
    subprocess.run(["sh", REPOSITORY / "packaging/rpm.sh", "2"], check=True, capture_output=True)
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    mine = guest.read(CONFIGURATION)
    installation.put("-U", "rpm-2")
    assert guest.run("rpm", "-q", "pam-cognito").strip().endswith("-2.x86_64")
    assert guest.read(CONFIGURATION) == mine
    assert guest.run("systemctl", "is-enabled", *UNITS) == "enabled\n" * 3
    assert guest.run("systemctl", "is-active", *UNITS) == "active\n" * 3
    assert installation.alive(held)
    assert "status=0" in shell.output("cognito-session refresh; echo status=$?")
    shell.leave()
    installation.signed_out(held)


def test_removal(installation: Machine, guest: Guest) -> None:
    """Whoever is signed in is signed out, nothing is left but the changed configuration, and local accounts come in."""
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    said = guest.run("rpm", "-e", "pam-cognito")
    assert "signed out; user='alice'" in said, said
    assert "remove the lines with pam_cognito.so from these files: /etc/pam.d/" in said, said
    assert not installation.alive(held)
    # systemd forgets a unit a moment after its end.
    units = ("systemctl", "list-units", "--all", "--no-legend", "pam-cognito*")
    guest.wait_until(lambda: guest.run(*units) == "", "the end of all units")
    left = {path for path in installation.files() - installation.bare if "cognito" in path}
    ours = {f"/etc/pam.d/cognito-{name}" for name in ("account", "auth", "password", "session")}
    assert left == {*ours, f"{CONFIGURATION}.rpmsave"}, left
    # The module that its host has loaded goes on, and makes its folder for a moment.
    shell.leave()
    assert guest.ssh("bob", LOCAL)[0] and not guest.ssh("alice", ALICE)[0]
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")
