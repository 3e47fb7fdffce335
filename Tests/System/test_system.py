"""One machine's life, in this order: installed, enabled, used, restarted, upgraded, cleaned."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from Packages.test_deb import newest_package, successor  # noqa: F401

from .guest import PROMPT, REBOOT, Emulator, Guest, Shell, tokens

ALICE, LOCAL, ROOTS = "Correct-Horse-9!", "a-local-password-7", "a-password-of-root-3"
CONFIGURATION = "/etc/security/pam_cognito.conf"
#: The process of sshd that holds a session of alice, by the name it has on either release.
MONITOR = "sshd(-session)?: alice .priv"


def bus_name(name: str) -> str:
    """A name as a part of an object's path; sd_bus_path_encode(3)."""
    return "".join(
        letter if letter.isalpha() or (place and letter.isdigit()) else f"_{ord(letter):02x}"
        for place, letter in enumerate(name)
    )


class Installation:
    """The system, its emulator, and what is in the pool."""

    def __init__(self, guest: Guest):
        self.guest = guest
        self.boots = 0
        self.emulator: Emulator | None = None

    def boot(self) -> None:
        """Boots, with an emulator beside the system: each boot has a network of its own, and so an emulator."""
        self.guest.boot()
        self.boots += 1
        self.emulator = Emulator(self.guest, f"emulator-{self.boots}")
        self.client = self.emulator.client
        self.pool = self.client.pool(groups=["staff"])
        self.client.user(self.pool["pool_id"], "alice", ALICE, groups=["staff"], email="alice@example.com")

    def configure(self, more: str = "") -> None:
        """As the README says, and where the emulator is; and `more` lines."""
        self.guest.write("/etc/ssl/pool.pem", Path(self.client.ca).read_text())
        self.guest.write(
            CONFIGURATION,
            f"user_pool_id = {self.pool['pool_id']}\nclient_id = {self.pool['client_id']}\nunix_group = cognito\n"
            f"allowed_groups = staff\nendpoint = {self.client.endpoint}\nca_file = /etc/ssl/pool.pem\n{more}",
        )

    @property
    def read_tokens(self) -> str:
        return f"keyctl pipe %user:cognito:{self.pool['pool_id']}:{self.pool['client_id']}"

    def alive(self, bundle: dict) -> bool:
        state = self.client.tokens_alive(access=bundle["access_token"], refresh=bundle["refresh_token"])
        return state["access"] or state["refresh"]

    def signed_out(self, bundle: dict, timeout: float = 60) -> None:
        self.guest.wait_until(lambda: not self.alive(bundle), "the sign-out at Cognito", timeout)

    def holding(self, shell: Shell) -> dict:
        return tokens(shell.output(self.read_tokens))


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    with Guest() as guest:
        guest.write("/etc/ssh/sshd_config.d/one-by-one.conf", "KbdInteractiveAuthentication yes\n")
        started = Installation(guest)
        started.boot()
        guest.run("groupadd", "cognito")
        guest.run("useradd", "-m", "-s", "/bin/sh", "-G", "cognito,sudo", "alice")
        guest.run("useradd", "-m", "-s", "/bin/sh", "bob")
        guest.run("chpasswd", input=f"bob:{LOCAL}\nroot:{ROOTS}\n")
        yield started
        started.emulator.close()


@pytest.fixture
def guest(installation: Installation) -> Guest:
    return installation.guest


def test_install(installation: Installation, guest: Guest) -> None:
    before = guest.run("sh", "-c", "cat /etc/pam.d/common-*")
    guest.write("/root/pam-cognito.deb", "")
    (guest.root / "root/pam-cognito.deb").write_bytes(newest_package().read_bytes())
    started = time.monotonic()
    guest.run("apt-get", "install", "-y", "-q", "/root/pam-cognito.deb")
    print(f"installed in {time.monotonic() - started:.1f} s")
    assert guest.run("sh", "-c", "cat /etc/pam.d/common-*") == before
    assert "pam-cognito" not in guest.run("systemctl", "list-units", "--no-legend", "pam-cognito*")
    listed = guest.run("systemctl", "list-unit-files", "--no-legend", "pam-cognito*")
    assert listed and "enabled " not in listed.replace("disabled", "").replace("enabled\n", "\n"), listed
    assert guest.ssh("bob", LOCAL)[0]


def test_enable(installation: Installation, guest: Guest) -> None:
    installation.configure()
    guest.run("pam-auth-update", "--enable", "cognito")
    guest.run("systemctl", "enable", "--now", "pam-cognito-reap.timer", "pam-cognito-agent.socket")
    accepted, said = guest.ssh("alice", ALICE, "NO_COLOR=1 cognito-session")
    assert accepted and "Signed in to Amazon Cognito as alice" in said, said
    assert not guest.ssh("alice", LOCAL)[0]
    assert guest.ssh("bob", LOCAL)[0]


def test_ssh(installation: Installation, guest: Guest) -> None:
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    assert held["username"] == "alice" and installation.alive(held)
    # logind has the session, and its user's systemd was started without a word about Cognito.
    assert "alice" in guest.run("loginctl", "--no-legend", "list-sessions")
    shell.leave()
    installation.signed_out(held)


def test_agent(installation: Installation, guest: Guest) -> None:
    """Renewal, a question to Cognito and sign-out, each by a process that systemd starts for it, inside its sandbox."""
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    assert "status=0" in shell.output("cognito-session refresh; echo status=$?")
    renewed = installation.holding(shell)
    assert renewed["access_token"] != held["access_token"] and installation.alive(renewed)
    assert "status=0" in shell.output("cognito-session status --online --check; echo status=$?")
    said = shell.output("cognito-session sign-out --global --yes; echo status=$?")
    assert "status=0" in said, said
    assert not installation.alive(renewed)
    shell.leave()
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")


def test_many_leave_at_once(installation: Installation, guest: Guest) -> None:
    """A process of the agent's unit ends the sessions that end while another one is being ended."""
    installation.configure("sign_out = session\n")
    shells = [guest.open_ssh("alice", ALICE) for _ in range(8)]
    held = [installation.holding(shell) for shell in shells]
    installation.client.fault("RevokeToken", "delay", seconds=2)
    try:
        for shell in shells:
            shell.leave()
        for bundle in held:
            installation.signed_out(bundle)
    finally:
        installation.client.clear_faults()
    ended = ("journalctl", "--no-pager", "_SYSTEMD_UNIT=pam-cognito-agent.service")
    guest.wait_until(lambda: "signed out; user='alice'" in guest.run(*ended), "a sign-out by the agent's unit")
    installation.configure()
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")


def test_doctor(guest: Guest) -> None:
    """What does not run is found, and runs again after the command that is shown."""

    def complaints() -> list[dict]:
        report = json.loads(guest.run("cognito-session", "doctor", "--json", check=False))
        return next(area["findings"] for area in report["areas"] if area["area"] == "agent")

    guest.run("systemctl", "enable", "--now", "pam-cognito-drain.service")
    assert complaints() == []
    for action, unit in [
        (["stop"], "pam-cognito-agent.socket"),
        (["stop"], "pam-cognito-reap.timer"),
        (["disable"], "pam-cognito-reap.timer"),
        (["mask", "--now"], "pam-cognito-reap.timer"),
        (["stop"], "pam-cognito-drain.service"),
    ]:
        guest.run("systemctl", *action, unit)
        (finding,) = complaints()
        assert unit in finding["what"], finding
        guest.run("sh", "-c", finding["mend"])
        assert complaints() == []


def test_console(installation: Installation, guest: Guest) -> None:
    shell = guest.console_login("alice", ALICE)
    held = installation.holding(shell)
    shell.leave()
    guest.console.expect("guest login: ")
    installation.signed_out(held)
    assert guest.console_login("alice", LOCAL) is None
    shell = guest.console_login("root", ROOTS)
    assert "uid=0" in shell.output("id")
    shell.leave()
    guest.console.expect("guest login: ")


def test_su_and_sudo(installation: Installation, guest: Guest) -> None:
    guest.write(CONFIGURATION, guest.read(CONFIGURATION) + "sign_out = session\n")
    shell = guest.open_ssh("bob", LOCAL)
    shell.type("su - alice")
    shell.answer("assword: ", ALICE)
    inner = Shell(shell.terminal)
    held = installation.holding(inner)
    inner.type("sudo -k id -un")
    inner.answer("assword for alice: ", ALICE)
    inner.terminal.expect("root\r\n")
    inner.terminal.expect(PROMPT)
    assert installation.alive(held)
    inner.leave()
    shell.terminal.expect(PROMPT)
    shell.leave()
    installation.signed_out(held)
    installation.configure()


def test_cognito_is_down(installation: Installation, guest: Guest) -> None:
    installation.client.down()
    try:
        assert guest.ssh("bob", LOCAL)[0]
        assert not guest.ssh("alice", ALICE)[0]
    finally:
        installation.client.up()
    assert guest.ssh("alice", ALICE)[0]


def test_journal(installation: Installation, guest: Guest) -> None:
    """A refusal is found by its field, as journald itself reads what pam_cognito sends, and `-x` explains it."""
    from_here = ["journalctl", "-b", "0", "--no-pager", "COGNITO_REASON=refused"]
    before = len(guest.run(*from_here, "-o", "json").splitlines())
    assert not guest.ssh("alice", LOCAL)[0]
    (*_, entry) = [json.loads(line) for line in guest.run(*from_here, "-o", "json").splitlines()][before:]
    assert entry["COGNITO_USER"] == "alice" and entry["COGNITO_SERVICE"] == "sshd", entry
    assert entry["_UID"] == "0" and entry["SYSLOG_FACILITY"] == "10" and "authentication failure" in entry["MESSAGE"]
    explained = guest.run(*from_here, "-x", "-n", "1")
    assert "Subject: Cognito rejected the user name or password" in explained, explained


def test_node_exporter(installation: Installation, guest: Guest) -> None:
    """Prometheus' own exporter, as Debian starts it, reads what the reaper's round has written."""
    folder = "/var/lib/prometheus/node-exporter"
    guest.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "prometheus-node-exporter")
    installation.configure(f"metrics_directory = {folder}\n")
    guest.run("systemctl", "start", "pam-cognito-reap.service")
    fetch = "exec 3<>/dev/tcp/127.0.0.1/9100; printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"

    def served() -> str:
        return guest.run("bash", "-c", fetch, check=False)

    guest.wait_until(lambda: "\npam_cognito_sessions{" in served(), "the metrics")
    assert "\nnode_textfile_scrape_error 0\n" in served().replace("\r", "")
    assert re.search(r'^pam_cognito_refusals_total{[^}]*"refused"[^}]*} ', served(), re.M)
    installation.configure()


def test_switch(installation: Installation, guest: Guest) -> None:
    """The recovery of docs/troubleshooting.md: out of every stack immediately."""
    guest.run("touch", "/run/pam-cognito/disabled")
    assert not guest.ssh("alice", ALICE)[0]
    assert guest.ssh("bob", LOCAL)[0]
    guest.run("rm", "/run/pam-cognito/disabled")
    assert guest.ssh("alice", ALICE)[0]


def test_timer(installation: Installation, guest: Guest) -> None:
    """The host is killed, so that nobody closes the session: the reaper does it, inside its sandbox."""
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    monitor = guest.run("pgrep", "-f", MONITOR).strip()
    guest.run("kill", "-9", monitor)
    shell.terminal.close()
    assert installation.alive(held)
    installation.signed_out(held, timeout=120)
    state = guest.run("systemctl", "show", "-p", "Result,ExecMainStatus", "pam-cognito-reap.service")
    assert "Result=success" in state, state
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")


@pytest.mark.parametrize("action", ["notify", "lock", "terminate"])
def test_ended_elsewhere(installation: Installation, guest: Guest, action: str) -> None:
    """Found out by the service of the timer, told on the terminal, done by logind; hooks run outside of its sandbox."""
    installation.configure(f"sign_out = last\ncheck_interval = 1s\non_revoked = {action}\n")
    look = '{ id -un; ls -d "$HOME"; cat /proc/self/cgroup; } >/var/tmp/look 2>&1; mv /var/tmp/look /var/tmp/seen\n'
    guest.write("/etc/pam-cognito/sign-out.d/10-look", "#!/bin/sh\n" + look, 0o755)
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    # There was a round before, which asked the pool whether it tracks sessions: the timer comes by once a minute.
    guest.run("sleep", "1.1")
    # More starts within ten seconds than systemd allows by itself.
    guest.run("systemctl", "reset-failed", "pam-cognito-reap.service")
    guest.run("systemctl", "start", "pam-cognito-reap.service")
    installation.client.admin(
        "AdminUserGlobalSignOut", {"UserPoolId": installation.pool["pool_id"], "Username": "alice"}
    )
    guest.run("sleep", "1.1")
    guest.run("systemctl", "start", "pam-cognito-reap.service")
    shell.terminal.expect("Amazon Cognito: you were signed out elsewhere")
    guest.wait_until(lambda: guest.exists("/var/tmp/seen"), "the hook")
    seen = guest.read("/var/tmp/seen")
    assert seen.startswith("alice\n/home/alice\n") and "pam-cognito" not in seen, seen
    assert not installation.alive(held)
    if action == "terminate":
        shell.terminal.expect(pexpect.EOF)
    else:
        shell.leave()
        shell.terminal.expect(pexpect.EOF)
    log = guest.run("journalctl", "-t", "cognito-agent", "-o", "cat", "--since", "-30s")
    done = {"notify": "session ended", "lock": "session locked", "terminate": "session terminated"}
    assert f"{done[action]}; user='alice'" in log, log
    guest.wait_until(lambda: "alice" not in guest.run("loginctl", "--no-legend", "list-sessions"), "the session's end")
    guest.run("rm", "-r", "/etc/pam-cognito", "/var/tmp/seen")
    installation.configure()


def test_lock_tokens(installation: Installation, guest: Guest) -> None:
    """systemd-logind says that the screen is locked: the tokens are out of reach, and not by its word back again."""
    installation.configure("lock_tokens = yes\nsign_out = session\n")
    shell = guest.open_ssh("alice", ALICE)
    assert installation.alive(installation.holding(shell))
    session = shell.output("echo $XDG_SESSION_ID").strip()

    def hint(locked: bool) -> None:
        """As a screen lock tells it, which runs as the person."""
        path = f"/org/freedesktop/login1/session/{bus_name(session)}"
        call = f"busctl call org.freedesktop.login1 {path} org.freedesktop.login1.Session SetLockedHint b"
        assert "status=0" in shell.output(f"{call} {str(locked).lower()}; echo status=$?")

    hint(True)
    guest.run("systemctl", "reset-failed", "pam-cognito-reap.service")
    guest.run("systemctl", "start", "pam-cognito-reap.service")
    said = shell.output(f"{installation.read_tokens} 2>&1 || echo none")
    assert "none" in said and "access_token" not in said, said
    hint(False)
    guest.run("systemctl", "start", "pam-cognito-reap.service")
    said = shell.output("cognito-session token >/dev/null; echo status=$?")
    assert "status=0" not in said and "lock" in said, said
    shell.type("cognito-session unlock")
    shell.answer("assword: ", ALICE)
    shell.terminal.expect(PROMPT)
    held = installation.holding(shell)
    assert installation.alive(held)
    shell.leave()
    installation.signed_out(held)
    log = guest.run("journalctl", "-t", "cognito-agent", "-o", "cat", "--since", "-60s")
    assert "tokens locked; user='alice'" in log and "by=screen" in log, log
    installation.configure()


def test_reboot(installation: Installation, guest: Guest) -> None:
    """An orderly restart signs out who is signed in, also where the session's host was killed before, so that only the
    drain is left to do it; afterwards everything is enabled as it was."""
    guest.run("systemctl", "enable", "--now", "pam-cognito-drain.service")
    guest.run("systemctl", "stop", "pam-cognito-reap.timer")
    # One GlobalSignOut would end both.
    guest.write(CONFIGURATION, guest.read(CONFIGURATION) + "sign_out = session\n")
    orphan = guest.open_ssh("alice", ALICE)
    left = installation.holding(orphan)
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    monitors = guest.run("pgrep", "-f", MONITOR).split()
    guest.run("kill", "-9", min(monitors, key=int))
    orphan.terminal.close()
    assert installation.alive(left) and installation.alive(held)
    guest.run("systemctl", "reboot")
    assert guest.ended() == REBOOT
    assert not installation.alive(left) and not installation.alive(held)
    shell.terminal.close()
    installation.emulator.close()
    installation.boot()
    installation.configure()
    assert guest.run("systemctl", "is-active", "pam-cognito-reap.timer") == "active\n"
    guest.run("test", "-d", "/run/pam-cognito")
    assert guest.ssh("alice", ALICE)[0]
    assert guest.ssh("bob", LOCAL)[0]


def test_power_cut(installation: Installation, guest: Guest) -> None:
    """All of it is killed at once. After the next start the timer's service, in its sandbox, ends what was open, with
    the keys in a file of root's; the file of the journal is all that is left to know it by."""
    keys = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
    folder, iam = "/var/lib/pam-cognito/journal", "/etc/security/pam_cognito.iam"
    with_journal = f"journal = yes\niam_credentials_file = {iam}\n"
    guest.write(iam, "[default]\n" + "".join(f"aws_{name} = {value}\n" for name, value in keys.items()), 0o600)
    installation.configure(with_journal)
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    assert guest.run("stat", "-c", "%a %U", folder) == "700 root\n"
    (name,) = guest.run("ls", folder).split()
    guest.kill()
    assert installation.alive(held)
    shell.terminal.close()
    before, pool = installation.emulator, installation.pool
    # The next start has a network, an emulator and so a pool of its own, in which alice has a session elsewhere.
    record = guest.read(f"{folder}/{name}")
    installation.boot()
    before.close()
    client, other = installation.client, installation.pool
    flows = ["ALLOW_ADMIN_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]
    target = {
        "UserPoolId": other["pool_id"],
        "ClientId": client.app_client(other["pool_id"], auth_flows=flows)["client_id"],
    }
    flow = {"AuthFlow": "ADMIN_USER_PASSWORD_AUTH", "AuthParameters": {"USERNAME": "alice", "PASSWORD": ALICE}}
    given = client.admin("AdminInitiateAuth", {**target, **flow})["AuthenticationResult"]
    elsewhere = {"access_token": given["AccessToken"], "refresh_token": given["RefreshToken"]}
    assert installation.alive(elsewhere)
    for old, new in ((pool["pool_id"], other["pool_id"]), (pool["client_id"], other["client_id"])):
        record = record.replace(old, new)
    record = re.sub(r"(?m)^endpoint .*$", f"endpoint {client.endpoint}", record)
    client.iam_identity(**keys, actions=["AdminUserGlobalSignOut"])
    installation.configure(with_journal)
    guest.write(f"{folder}/{name}", record, 0o600)
    guest.run("systemctl", "start", "pam-cognito-reap.service")
    installation.signed_out(elsewhere)
    log = guest.run("journalctl", "-t", "cognito-agent", "-o", "cat", "-b", "0")
    assert re.search(r"signed out; user='alice' .*outcome=revoked_everywhere: the session ended in a crash", log), log
    assert guest.run("ls", "-A", folder) == ""
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")
    guest.run("rm", iam)
    installation.configure()


def test_upgrade(installation: Installation, guest: Guest, successor) -> None:  # noqa: F811
    """While somebody is signed in: the session goes on, and ends as it should."""
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    mine = guest.read(CONFIGURATION)
    (guest.root / "root/successor.deb").write_bytes(successor.read_bytes())
    guest.run("apt-get", "install", "-y", "-q", "-o", "Dpkg::Options::=--force-confold", "/root/successor.deb")
    assert guest.read(CONFIGURATION) == mine
    assert guest.run("systemctl", "is-active", "pam-cognito-reap.timer") == "active\n"
    assert installation.alive(held)
    shell.leave()
    installation.signed_out(held)
    assert guest.ssh("alice", ALICE)[0]


def test_purge(installation: Installation, guest: Guest) -> None:
    """Whoever is signed in is signed out; nothing else is left."""
    shell = guest.open_ssh("alice", ALICE)
    held = installation.holding(shell)
    said = guest.run("apt-get", "purge", "-y", "-q", "pam-cognito")
    assert "signed out; user='alice'" in said, said
    assert not installation.alive(held)
    assert "cognito" not in guest.run("sh", "-c", "cat /etc/pam.d/common-*")
    assert not guest.exists(CONFIGURATION)
    # systemd forgets a unit a moment after its end.
    units = ("systemctl", "list-units", "--all", "--no-legend", "pam-cognito*")
    guest.wait_until(lambda: guest.run(*units) == "", "the end of all units")
    assert (
        guest.run("find", "/etc", "/usr", "/run", "/var/lib", "-name", "*pam*cognito*", "-not", "-path", "*/dpkg/*")
        == ""
    )
    # The module that its host has loaded goes on, and makes its folder for a moment.
    shell.leave()
    assert guest.ssh("bob", LOCAL)[0]
    assert not guest.ssh("alice", ALICE)[0]
    assert "failed" not in guest.run("systemctl", "list-units", "--no-legend", "--failed")
