"""Accounts from the pool's directory in a booted Debian, with its sshd, login, su, sudo, cron and logind."""

import json
import re
import time
from collections.abc import Iterator

import pytest

from Packages.test_deb import newest_package

from .guest import Guest
from .test_system import ALICE, LOCAL, ROOTS, Installation

KEYS = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
IAM = "/etc/security/pam_cognito.iam"
SOCKET = "pam-cognito-userdb.socket"
SERVICE = "pam-cognito-userdb.service"
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
        guest.write("/etc/ssh/sshd_config.d/one-by-one.conf", "KbdInteractiveAuthentication yes\n")
        started = Machine(guest)
        started.boot()
        guest.run("useradd", "-m", "-s", "/bin/sh", "-G", "sudo", "bob")
        guest.run("chpasswd", input=f"bob:{LOCAL}\nroot:{ROOTS}\n")
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
            advice = finding["mend"]
            if line := re.fullmatch(r"/etc/nsswitch.conf: add systemd at the end of the (\w+) line", advice):
                guest.run("sed", "-E", "-i", f"s/^{line[1]}:.*/& systemd/", "/etc/nsswitch.conf")
            else:
                guest.run("sh", "-c", advice)
    guest.run("systemctl", "enable", "--now", SOCKET)
    assert complaints() == []
    # Rounds are made by hand from here on.
    guest.run("systemctl", "disable", "--now", "pam-cognito-accounts.timer")
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


#: What people with local accounts do, each of which looks names up; nss-systemd's own patience is 45 s.
LOCAL_LIFE = {
    "initgroups": "timeout 5 getent initgroups bob",
    "ls": "timeout 5 ls -l /home /var/tmp",
    "su": "timeout 5 su bob -c true",
    "sudo": "timeout 5 sudo -u bob -n true",
    "id": "timeout 5 id bob",
}


class Local:
    """Somebody with an account of the machine's own, while something is wrong; how long they wait is printed."""

    def __init__(self, guest: Guest):
        self.guest, self.longest = guest, dict.fromkeys([*LOCAL_LIFE, "ssh"], 0.0)

    def lives(self) -> None:
        for name, command in LOCAL_LIFE.items():
            begun = time.monotonic()
            self.guest.run("sh", "-c", command)
            self._note(name, begun)
        begun = time.monotonic()
        assert self.guest.ssh("bob", LOCAL)[0]
        self._note("ssh", begun)

    def _note(self, name: str, begun: float) -> None:
        self.longest[name] = max(self.longest[name], time.monotonic() - begun)

    def show(self, fault: str) -> None:
        times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in self.longest.items())
        print(f"longest, {fault} (with nsenter, and ssh's own part): {times}")


@pytest.fixture
def local(guest: Guest) -> Local:
    found = Local(guest)
    found.lives()
    found.show("before")
    found.longest = dict.fromkeys(found.longest, 0.0)
    return found


def answers(guest: Guest) -> None:
    guest.wait_until(lambda: "ana:" in guest.run("getent", "passwd", "ana", check=False), "the service's answer")


@pytest.mark.parametrize("number", ["KILL", "STOP", "SEGV"])
def test_a_service_that_is_hit(guest: Guest, local: Local, number: str) -> None:
    """Killed, or stopped while people ask: it is another one that answers, and nobody with a local account fails."""
    # systemd closes the socket where more than five start within ten seconds: another signal has its own.
    guest.run("sleep", "10")
    for _ in range(3):
        answers(guest)
        guest.run("systemctl", "kill", "-s", number, SERVICE)
        local.lives()
    answers(guest)
    local.show(f"the service gets SIG{number}")


def test_a_service_that_cannot_run(guest: Guest, local: Local) -> None:
    """Nobody waits for it, and it is there again by itself when it can; nothing opens a socket that root has closed."""
    program = "/usr/libexec/pam-cognito/cognito-accounts"

    def state(unit: str) -> str:
        return guest.run("systemctl", "show", "--value", "-p", "ActiveState", unit).strip()

    def is_closed() -> bool:
        guest.run("getent", "passwd", "ana", check=False)
        return state(SOCKET) == "failed"

    answers(guest)
    guest.run("mv", program, f"{program}.away")
    guest.run("systemctl", "kill", "-s", "KILL", SERVICE)
    try:
        for _ in range(2):
            guest.wait_until(is_closed, "the socket's end")
            local.lives()
            guest.wait_until(lambda: state(SOCKET) == "active", "the socket", 60)
    finally:
        guest.run("mv", f"{program}.away", program)
    answers(guest)
    again = f"for _ in 1 2 3 4 5 6 7 8; do getent passwd ana; systemctl kill -s KILL {SERVICE}; done; true"
    guest.run("sh", "-c", again, check=False)
    assert state(SOCKET) == "failed"
    guest.run("systemctl", "stop", SOCKET)
    time.sleep(35)
    assert "active" not in {state(SOCKET), state(SERVICE)}
    guest.run("systemctl", "start", SOCKET)
    answers(guest)
    local.show("a service that cannot run")


def test_a_flood(guest: Guest, local: Local) -> None:
    """Look-ups of names that nobody has, by somebody without rights; people with accounts are known all the while."""
    guest.write("/var/tmp/flood", "while :; do getent passwd no-$1-$$; done >/dev/null 2>&1\n")
    guest.run(
        "systemd-run",
        "--uid=bob",
        "--unit=flood",
        "sh",
        "-c",
        "for n in 1 2 3 4 5 6 7 8; do sh /var/tmp/flood $n & done; wait",
    )
    try:
        for _ in range(3):
            assert "ana:" in guest.run("getent", "passwd", "ana")
            local.lives()
    finally:
        guest.run("systemctl", "stop", "flood")
    local.show("a flood of look-ups")


def test_a_full_disk_and_a_damaged_store(installation: Machine, guest: Guest, local: Local) -> None:
    """What cannot be written changes nothing; a record that is not believed is nobody, and others are who they are."""
    folder = "/var/lib/pam-cognito"
    guest.run(
        "sh",
        "-c",
        f"cp -a {folder} /root/before && mount -t tmpfs -o size=64k,mode=0700 none {folder} "
        f"&& cp -a /root/before/. {folder}",
    )
    try:
        guest.run("systemctl", "stop", SERVICE)
        guest.run("sh", "-c", f"dd if=/dev/zero of={folder}/full bs=1k 2>/dev/null; true")
        answers(guest)
        installation.move("max", "admins")
        said = installation.sync()
        assert "no account: 'max'" in said and "errno 28" in said, said
        local.lives()
        assert guest.ssh("ana", ALICE, "id -un")[1].splitlines()[-1] == "ana"
        guest.run("rm", f"{folder}/full")
        assert "groups changed; user='max'" in installation.sync()
        guest.run("truncate", "-s", "-1", f"{folder}/accounts/max")
        local.lives()
        assert guest.run("getent", "passwd", "ana", "max", check=False).count("\n") == 1
        assert not guest.ssh("max", ALICE)[0] and guest.ssh("ana", ALICE)[0]
        assert "--forget max' removes the record" in installation.sync()
    finally:
        guest.run("systemctl", "stop", SERVICE)
        guest.run("umount", "-l", folder)
        installation.move("max", "admins", there=False)
    answers(guest)
    local.show("a full disk, and a damaged store")


def test_what_is_left_of_somebody_disabled(installation: Machine, guest: Guest) -> None:
    """Their own systemd, which lingers, ends, and jobs do not begin; mail, crontab and home stay theirs."""
    guest.run("loginctl", "enable-linger", "ana")
    guest.wait_until(lambda: "systemd --user" in installation.processes(ANA), "a systemd of ana's without a session")
    guest.run("install", "-d", "-m", "2775", "-g", "mail", "/var/mail")
    guest.run("install", "-o", "ana", "-m", "0600", "/dev/null", "/var/mail/ana")
    guest.write("/var/tmp/ana", "* * * * * date >>/var/tmp/by-cron\n")
    guest.run("crontab", "-u", "ana", "/var/tmp/ana")
    subject = {"UserPoolId": installation.pool["pool_id"], "Username": "ana"}
    installation.client.admin("AdminDisableUser", subject)
    said = installation.sync()
    assert "account locked; user='ana'" in said and "linger forbidden; user='ana'" in said, said
    guest.wait_until(lambda: not installation.processes(ANA), "the end of all that was ana's")
    assert not guest.exists("/var/lib/systemd/linger/ana")
    refusals = "journalctl -t CRON -t cron --since=-3min | grep -c \"account refused; user='ana'\""
    guest.wait_until(lambda: int(guest.run("sh", "-c", refusals, check=False) or 0) > 0, "cron's refusal", 150)
    ran = guest.run("cat", "/var/tmp/by-cron")
    assert not guest.ssh("ana", ALICE)[0]
    assert guest.run("stat", "-c", "%U", "/var/mail/ana", "/home/ana") == "ana\nana\n"
    # Who is locked is still whose the files are.
    installation.client.admin("AdminEnableUser", subject)
    assert "account opened again; user='ana'" in installation.sync()
    guest.wait_until(lambda: guest.run("cat", "/var/tmp/by-cron") != ran, "cron's next job", 150)
    guest.run("crontab", "-u", "ana", "-r")
    assert guest.ssh("ana", ALICE, "id -un; stat -c %U /var/mail/ana")[1].splitlines()[-2:] == ["ana", "ana"]
