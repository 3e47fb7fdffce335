"""The test machines themselves: every host signs a local account in and out, and no machine notices another."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .hosts import Sshd, allow_sudo, login, pamtester, su, su_command, sudo, sudo_command
from .machine import Machine, MachineError
from .pam_driver import CronOrder, PamDriver
from .residue import SecretSearch, keys_unchanged

STOCK = """
auth     required pam_unix.so nodelay
account  required pam_unix.so
session  required pam_loginuid.so
session  required pam_unix.so
session  optional pam_keyinit.so force revoke
password required pam_unix.so
"""
SERVICES = ("sshd", "login", "su", "su-l", "sudo", "sudo-i", "cron", "other")
RIGHT, WRONG = "correct horse", "wrong horse"


@pytest.fixture(scope="module")
def machine(machine: Machine) -> Machine:
    """The shared machine with two local accounts, and pam_unix for every service."""
    for service in SERVICES:
        machine.pam(service, STOCK)
    machine.add_user("alice", password=RIGHT)
    machine.add_user("bob", password="bob's own")
    allow_sudo(machine, "alice")
    return machine


@pytest.fixture(scope="module", params=["bare", "systemd-style"])
def sshd(machine: Machine, request: pytest.FixtureRequest) -> Iterator[Sshd]:
    with Sshd(machine, start=request.param) as server:
        yield server


class TestSsh:
    @pytest.mark.parametrize("method", ["password", "keyboard-interactive"])
    def test_right_and_wrong_password(self, sshd: Sshd, method: str) -> None:
        result = sshd.run("alice", RIGHT, method=method, command="id -un; echo to stderr >&2; exit 3", input="unread")
        assert (result.status, result.output, result.errors) == (3, "alice\n", "to stderr\n")
        assert len(result.prompts) == 1 and "assword: " in result.prompts[0]
        refused = sshd.run("alice", WRONG, method=method)
        assert not refused.accepted and "Permission denied" in refused.errors

    def test_more_questions_than_one(self, machine: Machine, sshd: Sshd) -> None:
        """An expired password: the current one, then a new one twice, in one conversation."""
        new = "another Horse 7"
        with machine.preserved("/etc/shadow"):
            machine.write("/etc/shadow", re.sub(r"(?m)^(alice:[^:]*):\d*", r"\1:0", machine.read("/etc/shadow")), 0o640)
            with sshd.open("alice", RIGHT, RIGHT, method="keyboard-interactive") as session:
                assert not session.accepted and session.asking.endswith("New password: ")
                session.answer(new, new)
                assert session.accepted and len(session.prompts) == 4
                session.logout()
            assert sshd.run("alice", new).accepted

    def test_key(self, sshd: Sshd) -> None:
        sshd.authorize("alice")
        result = sshd.run("alice", method="publickey", command="cat", input="through")
        assert (result.output, result.prompts) == ("through", [])

    def test_session_on_a_terminal(self, machine: Machine, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT, method="keyboard-interactive") as session:
            assert session.accepted
            assert session.command("tty").output.startswith("/dev/pts/")
            assert session.command("false").status == 1
            assert session.command("keyctl describe @s").output.rstrip().endswith("_ses")
            assert machine.state(session.monitor_pid).parent == sshd.listener_pid
            assert machine.state(session.child_pid).uids[0] == machine.uid("alice")
            assert session.logout() == 0
        assert sshd.connection_pids() == []

    def test_client_vanishes(self, machine: Machine, sshd: Sshd) -> None:
        mark = machine.log_mark()
        with sshd.open("alice", RIGHT) as session:
            session.kill_client()
            session.wait_for_server()
        assert machine.log(mark, tag="sshd*", containing="session closed for user alice")

    def test_many_at_once(self, sshd: Sshd) -> None:
        sessions = [sshd.open("alice", RIGHT) for _ in range(3)]
        assert len({session.monitor_pid for session in sessions}) == 3
        for session in sessions:
            session.logout()


def test_sshd_under_another_service_name(machine: Machine) -> None:
    machine.pam("sshd-other", "auth required pam_deny.so\n" + STOCK)
    with Sshd(machine, pam_service="sshd-other", port=2223) as server:
        assert not server.run("alice", RIGHT).accepted


@pytest.mark.skipif(not Path("/proc/self/loginuid").exists(), reason="this kernel keeps no login uid")
def test_login_uid_can_be_set(machine: Machine) -> None:
    """Even when the tests are run from a session that has one: pam_loginuid would refuse every login otherwise."""
    assert machine.run(["cat", "/proc/self/loginuid"]).stdout == "4294967295"


def test_keyring_of_a_daemon(machine: Machine) -> None:
    """Started systemd-style, a daemon has an anonymous ring of its own; bare, none at all if the tests have none."""
    ask = ["keyctl", "describe", "@s"]
    assert machine.run(ask, new_session_keyring=True).stdout.rstrip().endswith("_ses")
    if machine.inherited_session_keyring() is None:
        assert machine.run(ask).stdout.rstrip().endswith("_uid_ses.0")


class TestLogin:
    def test_right_password(self, machine: Machine) -> None:
        with login(machine, "alice", RIGHT) as session:
            assert session.accepted and session.prompts == ["Password: "]
            assert session.command("id -un; tty").output.startswith("alice\n/dev/pts/")
            session.logout()

    def test_asks_for_the_name(self, machine: Machine) -> None:
        with login(machine, None, "alice", RIGHT) as session:
            assert session.accepted and session.prompts[0].endswith("login: ")

    def test_wrong_password(self, machine: Machine) -> None:
        with login(machine, "alice", WRONG) as session:
            assert session.refused and not session.accepted and "Login incorrect" in session.seen


class TestSu:
    @pytest.mark.parametrize("login_shell", [False, True])
    def test_right_password(self, machine: Machine, login_shell: bool) -> None:
        with su(machine, "bob", "alice", RIGHT, login_shell=login_shell) as session:
            assert session.accepted
            assert session.command("id -un; pwd").output == f"alice\n{'/home/alice' if login_shell else '/'}\n"
            assert machine.state(session.host_pid).uids[:2] == (machine.uid("bob"), 0)
            assert session.logout() == 0

    def test_wrong_password(self, machine: Machine) -> None:
        with su(machine, "bob", "alice", WRONG) as session:
            assert session.refused and "Authentication failure" in session.seen

    def test_command(self, machine: Machine) -> None:
        status, seen, prompts = su_command(machine, "bob", "alice", "id -un; exit 4", RIGHT)
        assert (status, prompts) == (4, ["Password: "]) and "alice" in seen

    def test_close_on_hangup(self, machine: Machine) -> None:
        mark = machine.log_mark()
        with su(machine, "bob", "alice", RIGHT) as session:
            session.hang_up()
            session.terminal.process.wait()
        assert machine.log(mark, containing="session closed for user alice")


class TestSudo:
    def test_right_password(self, machine: Machine) -> None:
        with sudo(machine, "alice", "bob", RIGHT, interactive="-i") as session:
            assert session.accepted and session.command("id -un; pwd").output == "bob\n/home/bob\n"
            session.logout()

    def test_wrong_password(self, machine: Machine) -> None:
        with sudo(machine, "alice", "root", WRONG) as session:
            assert session.refused and "incorrect password" in session.seen

    def test_command(self, machine: Machine) -> None:
        status, seen, _ = sudo_command(machine, "alice", "root", ["id", "-u"], RIGHT)
        assert (status, seen) == (0, "[sudo] password for alice: \r\n0\r\n")


def test_pamtester(machine: Machine) -> None:
    operations = ["authenticate", "acct_mgmt", "open_session", "close_session"]
    assert pamtester(machine, "su", "alice", operations, RIGHT).succeeded
    assert not pamtester(machine, "su", "alice", operations, WRONG).succeeded


class TestDriver:
    def test_calls_and_what_they_change(self, machine: Machine) -> None:
        with PamDriver(machine, "su", "alice", items={"TTY": "/dev/pts/9"}) as driver:
            results = driver.sign_in(RIGHT)
            assert [result.code for result in results] == ["PAM_SUCCESS"] * 4
            assert results[0].prompts == ["Password: "] and not results[0].changes
            assert driver.item("TTY") == "/dev/pts/9"
            assert "session_keyring" in results[3].changes
            driver.put_environment("SEEN=yes")
            assert driver.job("alice", "echo $SEEN $(id -un)").stdout == "yes alice\n"
            assert [result.code for result in driver.sign_out()] == ["PAM_SUCCESS"] * 2
            driver.end()

    def test_refusal_and_broken_conversation(self, machine: Machine) -> None:
        with PamDriver(machine, "su", "alice") as driver:
            assert driver.authenticate(WRONG).code == "PAM_AUTH_ERR"
            assert driver.authenticate(None).code != "PAM_SUCCESS"

    def test_nothing_inherited(self, machine: Machine) -> None:
        with PamDriver(machine, "su", "alice", clean_environment=True, limits={"RLIMIT_NOFILE": 20}) as driver:
            state = driver.state()
            assert list(state.process.descriptors) == [0, 1, 2]
            assert state.environment == () and state.process.threads == 1
            assert int(state.process.signals["SigIgn"], 16) == int(state.process.signals["SigBlk"], 16) == 0
            assert state.process.limits["Max open files"] == ("20", "20")

    def test_set_uid_like_su(self, machine: Machine) -> None:
        with PamDriver(machine, "su", "alice", caller="bob", env={"EVIL": "1"}) as driver:
            assert driver.state().process.uids[:2] == (machine.uid("bob"), 0)
            assert "EVIL=1" in driver.state().environment
            assert driver.authenticate(RIGHT).succeeded

    def test_cron_order(self, machine: Machine) -> None:
        with CronOrder(machine, "alice") as cron:
            results, done = cron.run("id -un")
        assert list(results) == ["acct_mgmt", "setcred", "open_session", "setcred_delete", "close_session"]
        assert all(result.succeeded for result in results.values()) and done.stdout == "alice\n"


class TestIsolation:
    def test_keys(self, machine: Machine) -> None:
        with Machine("other") as other, keys_unchanged(machine):
            command = (
                "keyctl link @u @s; key=$(keyctl add user of-the-other payload @u); keyctl timeout $key 90; echo $key"
            )
            added = int(other.run(["sh", "-c", command], new_session_keyring=True, check=True).stdout)
            assert [(key.serial, key.size, key.uid) for key in other.keys()] == [(added, 7, 0)]
            assert other.keys(payloads=True)[0].payload == b"payload"
            assert 60 <= other.keys()[0].timeout <= 90
            assert machine.keys() == []
            outside = subprocess.run(["keyctl", "show", "@u"], capture_output=True, text=True).stdout
            assert "of-the-other" not in outside
            other.forget_keys()
            assert other.keys() == []

    def test_accounts_and_files(self, machine: Machine) -> None:
        assert "bob" not in [line.split(":")[0] for line in Path("/etc/passwd").read_text().splitlines()]
        name = "pam-cognito-harness-test"
        with Machine("other") as other:
            for folder in ("/etc", "/usr/lib", "/var", "/var/log", "/run", "/home", "/root", "/tmp", "/dev/shm"):
                other.write(f"{folder}/{name}", "inside")
                assert not Path(folder, name).exists() and not machine.exists(f"{folder}/{name}")
            for folder in ("/", "/opt", "/sys", "/proc/sys/kernel"):
                with pytest.raises(OSError):
                    other.write(f"{folder}/{name}", "inside")

    def test_links_do_not_lead_outside(self, machine: Machine) -> None:
        machine.link("/home/alice/link", "/run/through-a-link")
        machine.write("/home/alice/link", "inside")
        assert machine.read("/run/through-a-link") == "inside" and not Path("/run/through-a-link").exists()

    def test_names_of_any_bytes(self, machine: Machine) -> None:
        name = b"caf\xe9 \xff"
        uid = machine.add_user(name, password=RIGHT)
        assert machine.run(["id", "-u"], user=name).stdout == f"{uid}\n"
        with PamDriver(machine, "su", name) as driver:
            assert driver.authenticate(RIGHT).succeeded
        machine.remove_user(name)

    def test_ending_leaves_nothing(self) -> None:
        with Machine() as other:
            directory, init = other.directory, os.pidfd_open(other.init_pid)
            sleeper = other.start(["sh", "-c", "setsid sleep 1000 & setsid sleep 1000 & sleep 1000"])
            other.wait_until(lambda: len(other.descendants(sleeper.pid)) >= 3, "the sleepers")
        assert not directory.exists()
        assert str(directory) not in Path("/proc/self/mountinfo").read_text()
        with pytest.raises(ProcessLookupError):
            signal.pidfd_send_signal(init, 0)
        os.close(init)
        with pytest.raises(MachineError):
            other.run(["true"])

    def test_ends_with_the_test_runner(self) -> None:
        program = "from Integration.machine import Machine; m = Machine(); print(m.init_pid, m.directory); input()"
        tests = Path(__file__).parents[1]
        runner = subprocess.Popen(
            [sys.executable, "-u", "-c", program], cwd=tests, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        pid, directory = runner.stdout.readline().split()
        runner.kill()
        runner.communicate()
        deadline = time.monotonic() + 30
        while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not Path(f"/proc/{pid}").exists()
        for folder in ("stage", "shared"):
            for file in Path(directory, folder).iterdir():
                file.unlink()
            Path(directory, folder).rmdir()
        Path(directory).rmdir()

    def test_orphans_are_reaped(self, machine: Machine) -> None:
        machine.run(["sh", "-c", "(sleep 0.01 &) ; exit 0"])
        machine.wait_until(lambda: all(process.name != "sleep" for process in machine.processes()), "the orphan's end")
        assert all(process.state != "Z" for process in machine.processes())


def test_network_drop(machine: Machine) -> None:
    program = (
        "import socket; server = socket.create_server(('127.0.0.1', 0)); "
        "socket.create_connection(server.getsockname(), 1)"
    )
    ping = [sys.executable, "-c", program]
    assert machine.run(ping).returncode == 0
    machine.network(up=False)
    assert machine.run(ping).returncode != 0
    machine.network(up=True)
    assert machine.run(ping).returncode == 0


def test_run(machine: Machine) -> None:
    big = "x" * 300_000
    assert machine.run(["cat"], input=big).stdout == big
    assert machine.run(["sh", "-c", "sleep 1000 & echo $!"]).stdout.strip().isdigit()
    machine.end_processes()
    assert machine.run(["sh", "-c", "kill -9 $$"]).returncode == -signal.SIGKILL
    with pytest.raises(subprocess.TimeoutExpired):
        machine.run(["sleep", "1000"], timeout=0.2)
    with pytest.raises(MachineError):
        machine.run(["no-such-program"])
    assert machine.run(["printf", "\\377"]).stdout == "\udcff"


def test_python_from_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the tests' own environment, as pyenv makes it: a machine's homes are its own, and its /tmp."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    with Machine("python") as machine:
        assert machine.exists(str(tmp_path / "bin"))


def test_log(machine: Machine) -> None:
    mark = machine.log_mark()
    machine.run(["logger", "-p", "authpriv.warning", "-t", "tagged[77]", "the message"], user="alice")
    [entry] = machine.log(mark)
    assert (entry.facility_name, entry.level) == ("authpriv", "warning")
    assert (entry.tag, entry.message) == ("tagged", "the message")
    assert (entry.pid, entry.sender_uid) == (77, machine.uid("alice"))
    assert machine.log(mark, containing="no such words") == []


class TestSecretSearch:
    SECRET = "a secret/of some length"

    def test_finds_and_forgets(self, machine: Machine) -> None:
        search = SecretSearch(machine)
        assert search.find([self.SECRET]) == []
        places = {
            "/run/plain": self.SECRET,
            "/var/log/in-a-url": "x=a%20secret%2Fof%20some%20length&",
            "/home/alice/late": "\0" * 9_000_000 + self.SECRET,
        }
        for path, content in places.items():
            machine.write(path, content)
        machine.run(["logger", f"oops {self.SECRET}"])
        found = {finding.place for finding in search.find([self.SECRET])}
        assert found == {"/run/plain", "/var-log/in-a-url", "/home/alice/late", "shared:/syslog.jsonl"}
        assert self.SECRET not in repr(search.find([]))
        search.allow("shared:/syslog.jsonl", "/home/*")
        for path in places:
            machine.remove(path)
        assert search.find([]) == []
        assert search.find(["oops a se"]) == []

    def test_looks_at_processes(self, machine: Machine) -> None:
        search = SecretSearch(machine, excluded=["shared:*"])
        hidden = machine.start(["sleep", "1000"], env={"TOKEN": self.SECRET})
        shown = machine.start(["sh", "-c", "sleep 1000; :", self.SECRET])
        found = " ".join(finding.place for finding in search.find([self.SECRET]))
        assert f"process {hidden.pid} environ" in found and f"process {shown.pid} cmdline" in found
        machine.end_processes()


@pytest.mark.leaves_keys("it puts one there to see that it is noticed")
def test_left_keys_are_noticed(machine: Machine) -> None:
    with pytest.raises(AssertionError, match="keys are left"), keys_unchanged(machine, patience=0.05):
        machine.run(["keyctl", "add", "user", "left", "payload", "@u"], check=True)


def test_preserved_files(machine: Machine) -> None:
    with machine.preserved("/etc/passwd", "/etc/new-file"):
        machine.add_user("passing", password=RIGHT)
        machine.write("/etc/new-file", "")
    assert "passing" not in machine.read("/etc/passwd") and not machine.exists("/etc/new-file")
