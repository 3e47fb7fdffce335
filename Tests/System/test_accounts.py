"""Accounts from the pool's directory in a booted Debian, with its sshd, login, su, sudo, cron and logind."""

import json
import re
from collections.abc import Iterator

import pytest

from Integration.machine import password_hash
from Packages.test_deb import newest_package

from .guest import Guest
from .test_system import ALICE, LOCAL, ROOTS, Installation

KEYS = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
IAM = "/etc/security/pam_cognito.iam"
SOCKET = "pam-cognito-userdb.socket"
PATH = "/run/systemd/userdb/org.pam_cognito.Accounts"
#: The user ids of the people in the pool: the namespace of the system has none from 65536 up.
ANA, MAX = 60600, 60601


class Machine(Installation):
    """The system, with people who have no account on it but the pool's."""

    rounds = 0

    def configure(self, more: str = "") -> None:
        super().configure(
            "accounts = directory\naccount_uids = 60600-60999\naccount_uid_claim = custom:uid\n"
            "group_map = admins:sudo\n"
            f"iam_credentials_file = {IAM}\n{more}"
        )

    def sync(self) -> str:
        """A round by the unit, inside its sandbox: what it says."""
        self.rounds += 1
        mark = f"round {self.rounds} begins"
        self.guest.run("logger", "-t", "cognito-agent", mark)
        self.guest.run("systemctl", "start", "pam-cognito-accounts.service", check=False)
        self.guest.run("journalctl", "--sync")
        return self.guest.run("journalctl", "-t", "cognito-agent", "-o", "cat").split(mark)[1]

    def move(self, name: str, group: str, there: bool = True) -> None:
        operation = "AdminAddUserToGroup" if there else "AdminRemoveUserFromGroup"
        self.client.admin(operation, {"UserPoolId": self.pool["pool_id"], "Username": name, "GroupName": group})

    def processes(self, uid: int) -> str:
        return self.guest.run("ps", "-o", "pid=,args=", "-U", str(uid), check=False)


@pytest.fixture(scope="module")
def installation() -> Iterator[Machine]:
    with Guest() as guest:
        shadow = guest.read("/etc/shadow")
        guest.write(
            "/etc/shadow", re.sub(r"(?m)^root:[^:]*:", lambda _: f"root:{password_hash(ROOTS)}:", shadow), 0o640
        )
        guest.write("/etc/ssh/sshd_config.d/one-by-one.conf", "KbdInteractiveAuthentication yes\n")
        started = Machine(guest)
        started.boot()
        guest.run("useradd", "-m", "-s", "/bin/sh", "-G", "sudo", "bob")
        guest.run("chpasswd", input=f"bob:{LOCAL}\n")
        (guest.root / "root/pam-cognito.deb").write_bytes(newest_package().read_bytes())
        guest.run("apt-get", "install", "-y", "-q", "/root/pam-cognito.deb", "libnss-systemd", "cron")
        started.client.iam_identity(**KEYS, actions=["ListUsersInGroup"])
        guest.write(IAM, "[default]\n" + "".join(f"aws_{name} = {value}\n" for name, value in KEYS.items()), 0o600)
        started.client.admin("CreateGroup", {"UserPoolId": started.pool["pool_id"], "GroupName": "admins"})
        for number, name in enumerate(("ana", "max")):
            started.client.user(
                started.pool["pool_id"], name, ALICE, groups=["staff"], attributes={"custom:uid": str(ANA + number)}
            )
        started.configure()
        yield started
        started.emulator.close()


@pytest.fixture
def guest(installation: Machine) -> Guest:
    return installation.guest


def test_switched_on(installation: Machine, guest: Guest) -> None:
    """As the doctor says, until it has nothing to say; a machine that does not use it has no socket."""
    assert not guest.exists(PATH)
    guest.run("pam-auth-update", "--enable", "cognito", "mkhomedir")
    guest.run("systemctl", "enable", "--now", "pam-cognito-reap.timer", "pam-cognito-agent.socket")

    def complaints() -> list[dict]:
        report = json.loads(guest.run("cognito-session", "doctor", "--json", check=False))
        (area,) = [area for area in report["areas"] if area["area"] == "accounts"]
        return [finding for finding in area["findings"] if finding["severity"] != "note"]

    for _ in range(4):
        for finding in complaints():
            guest.run("sh", "-c", finding["mend"])
    guest.run("systemctl", "enable", "--now", SOCKET)
    assert complaints() == []
    said = installation.sync()
    assert "entered=2" in said, said
    assert guest.run("getent", "passwd", "ana", "max").count("\n") == 2
    assert guest.run("id", "ana") == f"uid={ANA}(ana) gid={ANA}(ana) groups={ANA}(ana)\n"


def test_first_login(installation: Machine, guest: Guest) -> None:
    shell = guest.open_ssh("ana", ALICE)
    held = installation.holding(shell)
    assert shell.output("id -un; pwd; stat -c '%U' .") == "ana\n/home/ana\nana\n"
    # logind and the person's own systemd.
    assert "ana" in guest.run("loginctl", "--no-legend", "list-users")
    assert shell.output("systemctl --user is-active basic.target") == "active\n"
    assert "status=0" in shell.output("systemd-run --user -q /bin/true; echo status=$?")
    shell.leave()
    installation.signed_out(held)
    shell = guest.console_login("ana", ALICE)
    assert shell.output("id -un") == "ana\n"
    shell.leave()
    guest.console.expect("guest login: ")
    assert guest.run("su", "-", "ana", "-c", "id -un") == "ana\n"


def test_groups_and_cron(installation: Machine, guest: Guest) -> None:
    """A group of the pool's is a group here, from the next round on, for as long as it lasts."""
    installation.move("ana", "admins")
    assert "groups changed; user='ana'" in installation.sync()
    shell = guest.open_ssh("ana", ALICE)
    shell.type("sudo -k id -un")
    shell.answer("assword for ana: ", ALICE)
    shell.terminal.expect("root\r\n")
    guest.write("/var/tmp/ana", "* * * * * id -Gn >/var/tmp/by-cron\n")
    guest.run("crontab", "-u", "ana", "/var/tmp/ana")
    guest.wait_until(lambda: guest.exists("/var/tmp/by-cron"), "cron's job", 120)
    guest.wait_until(lambda: "sudo" in guest.read("/var/tmp/by-cron"), "the job's output")
    # Processes keep their groups, so that they end with it.
    installation.move("ana", "admins", there=False)
    assert "processes ended; user='ana'" in installation.sync()
    guest.wait_until(lambda: not installation.processes(ANA), "the end of what had the group")
    shell.terminal.close()
    assert guest.ssh("ana", ALICE, "id -Gn")[1].split()[-1] == "ana"
