"""`cognito-session doctor`: silent on a good set-up, and right about broken ones."""

import json
import signal
from collections.abc import Sequence

import pytest

from .agent_process import AgentProcess
from .emulated_cognito import EmulatedCognito
from .hosts import Session, login
from .instance import Instance
from .machine import Machine, password_hash
from .product import CONFIGURATION, LOCAL, RIGHT, WRONG, Product
from .residue import SecretSearch
from .test_journal import FOLDER, IAM, give_keys

SSHD = "UsePAM yes\nKbdInteractiveAuthentication yes\nHostKey /etc/ssh/host_key\n"
AREAS = [
    "machine",
    "configuration",
    "files",
    "account",
    "keyrings",
    "agent",
    "stacks",
    "ssh",
    "worker",
    "cognito",
    "people",
]


def set_up(product: Product, sshd: str = SSHD) -> Product:
    """With what the doctor wants to see beside the product."""
    machine = product.machine
    machine.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
    machine.write("/etc/ssh/sshd_config", sshd, 0o600)
    machine.make_directory("/run/sshd")
    # What the doctor puts back is as quick as what the tests have made of it.
    machine.write("/usr/share/doc/pam-cognito/pam.d/cognito-auth", machine.read("/etc/pam.d/cognito-auth"))
    machine.remove("/etc/pam.d/alone")
    # Somebody who repairs the machine while Cognito is away.
    machine.run(["usermod", "-p", password_hash(LOCAL), "root"], check=True)
    return product


@pytest.fixture(scope="module")
def product(product: Product, agent: AgentProcess) -> Product:
    # As shipped, without the test's own delay.
    product.machine.shipped_pam()
    return set_up(product)


class Report:
    """What the doctor said."""

    def __init__(self, machine: Machine, *arguments: str, around: Sequence[str] = ()):
        """`around` is what stands before the command."""
        self.done = machine.run([*around, "cognito-session", "doctor", "--json", *arguments], timeout=120)
        self.report = json.loads(self.done.stdout)
        self.areas = {area["area"]: area for area in self.report["areas"]}
        self.findings = [finding for area in self.report["areas"] for finding in area["findings"]]

    @property
    def status(self) -> int:
        assert self.report["exit_status"] == self.done.returncode
        return self.done.returncode

    @property
    def complaints(self) -> list[dict]:
        """What was found, notes aside."""
        found = [entry for entry in self.findings if entry["severity"] != "note"]
        assert (self.status == 0) == (found == [])
        return found

    def of(self, area: str) -> list[str]:
        """What was found in an area, notes aside."""
        return [entry["what"] for entry in self.areas[area]["findings"] if entry["severity"] != "note"]


def test_good_set_up(product: Product) -> None:
    report = Report(product.machine)
    assert report.findings == [] and report.status == 0
    assert list(report.areas) == AREAS
    assert report.areas["people"]["summary"] == "alice, carol"
    assert report.areas["stacks"]["summary"] == "login, passwd, screen-lock, sshd, su, su-l, sudo, sudo-i"
    shown = product.machine.run(["cognito-session", "doctor"], check=True)
    *areas, empty, last = shown.stdout.splitlines()
    assert len(areas) == len(AREAS) and (empty, last) == ("", "No problems found.")


def test_needs_root(product: Product) -> None:
    done = product.machine.run(["cognito-session", "doctor"], user="bob")
    assert done.returncode == 77 and "as root" in done.stderr


def test_program_that_is_not_there(product: Product) -> None:
    """A program of its own, since what it can do is root's."""
    program = "/usr/libexec/pam-cognito/cognito-doctor"
    with product.machine.preserved(program):
        product.machine.remove(program)
        done = product.machine.run(["cognito-session", "doctor"])
        assert done.returncode == 70 and f"'{program}' could not be started: No such file" in done.stderr


def test_several_mistakes_at_once(product: Product) -> None:
    machine = product.machine
    with machine.preserved(CONFIGURATION, "/etc/security/pam_cognito.secret"):
        text = machine.read(CONFIGURATION).replace("unix_group", "unix_gruop")
        machine.write(CONFIGURATION, text + "welcome = perhaps\nclient_id = again\n", 0o644)
        found = Report(machine)
        assert found.status == 8
        lines = found.of("configuration")
        assert len(lines) == 5
        assert any("These accounts accept only their local passwords" in line and "bob" in line for line in lines)
        assert "did you mean unix_group?" in lines[0]
        assert "welcome cannot be 'perhaps'; allowed: yes or no" in lines[1]
        assert "client_id is set twice" in lines[2]
        assert lines[3].startswith(
            "Because of a mistake in the configuration, sign-ins to these accounts are refused: "
        )
    with machine.preserved(CONFIGURATION):
        machine.write(CONFIGURATION, machine.read(CONFIGURATION), 0o666)
        found = Report(machine)
        finding, refused, opened = found.areas["configuration"]["findings"]
        assert refused["what"].startswith(
            "Because of a mistake in the configuration, sign-ins to these accounts are refused: "
        )
        assert opened["what"].startswith("These accounts accept only their local passwords, although they ")
        machine.run(["sh", "-c", finding["mend"]], check=True)
        assert Report(machine).status == 0


def test_people(product: Product) -> None:
    machine = product.machine
    machine.add_user("dora", password=LOCAL)
    machine.add_to_group("dora", "cognito")
    product.configure(users="bob nobody-here root")
    found = Report(machine)
    assert [entry.split()[0:3] for entry in found.of("people")] == [
        ["The", "users", "option"],
        ["root", "has", "uid"],
        ["dora", "is", "in"],
    ]
    assert found.areas["people"]["summary"] == "bob, alice, carol"
    product.configure(unix_group="no-such-group")
    found = Report(machine)
    assert found.status == 8 and "this machine has no such group" in found.of("people")[0]
    product.configure(group_map="admins:sudo,no-such dev:disk,root0")
    machine.write("/etc/group", machine.read("/etc/group") + "root0:x:0:\n", 0o644)
    assert [line for line in Report(machine).of("people") if "group_map" in line] == [
        "group_map names no-such, but this machine has no such group.",
        "group_map names root0, which is root's own group (gid 0).",
    ]
    machine.remove_user("dora")


def test_other_configuration(product: Product) -> None:
    usual = product.machine.read(CONFIGURATION)
    product.machine.write("/etc/security/other.conf", usual + "sign_out = never\n")
    found = Report(product.machine, "--config", "/etc/security/other.conf")
    assert found.status == 8
    assert found.of("configuration")[0].startswith(
        f"/etc/security/other.conf, line {len(usual.splitlines()) + 1}: sign_out cannot be 'never'"
    )


class TestCognito:
    """The way there, and what Cognito has against all sign-ins, without signing anybody in."""

    def test_reached(self, product: Product) -> None:
        found = Report(product.machine)
        assert found.areas["cognito"]["summary"].startswith(product.emulator.endpoint.removeprefix("https://"))
        assert " 2 keys; client id, secret and flow are accepted" in found.areas["cognito"]["summary"]
        assert product.operations() == ["InitiateAuth", "RevokeToken"]

    def test_down(self, product: Product) -> None:
        product.emulator.down()
        found = Report(product.machine)
        assert found.status == 8 and len(found.findings) == 1
        assert "no connection" in found.of("cognito")[0]

    @pytest.mark.parametrize(
        "changes, words",
        [
            ({"ca_file": None}, "certificate was not accepted"),
            ({"ca_file": "/no/such/file"}, "ca_file"),
            ({"user_pool_id": "eu-west-1_NoSuchPool"}, 'check "user_pool_id" and "endpoint"'),
            ({"endpoint": "https://no-such-host.invalid"}, "could not be resolved"),
            ({"client_id": "1example23456789"}, "no app client with the id"),
            ({"client_secret_file": None}, "does not match client_secret_file"),
        ],
    )
    def test_wrong(self, product: Product, changes: dict[str, str | None], words: str) -> None:
        product.configure(**changes)
        found = Report(product.machine)
        assert found.status == 8 and len(found.findings) == 1
        assert words in found.of("cognito")[0]

    def test_worker_cannot_start(self, product: Product) -> None:
        worker = "/usr/libexec/pam-cognito/cognito-worker"
        # Written anew it could not be while one of them runs.
        try:
            product.machine.run(["chmod", "0700", worker], check=True)
            found = Report(product.machine)
            assert found.of("files") == [f"{worker} has a mode that is too restrictive."]
            assert found.of("cognito")[0].startswith("No worker is available: ")
            product.machine.run(["sh", "-c", found.areas["files"]["findings"][0]["mend"]], check=True)
            assert Report(product.machine).status == 0
        finally:
            product.machine.run(["chmod", "0755", worker], check=True)


class TestIdentity:
    """What sessions are ended with that a crash left."""

    def test_file(self, product: Product, secret_search: SecretSearch) -> None:
        machine = product.machine
        secret_search.allow("*/etc/security/other.keys")
        try:
            give_keys(product, secret_search)
            assert Report(machine).findings == []
            for change, words, severity in [
                (f"chmod 0640 {IAM}", "can be read by", "broken"),
                (f"chown bob {IAM}", "does not belong to root", "broken"),
                (f"chmod 0602 {IAM}", "can be changed by", "broken"),
                (f"mv {IAM} /etc/security/other.keys && ln -s other.keys {IAM}", "is not a regular file", "warning"),
                (f"sed -i 's/aws_secret/secret/' {IAM}", "lacks aws_access_key_id or aws_secret_access", "warning"),
                (f": >{IAM}", "lacks aws_access_key_id", "warning"),
                (f"rm {IAM}", "does not exist", "warning"),
            ]:
                machine.run(["sh", "-c", change], check=True)
                found = Report(machine)
                (finding,) = found.areas["configuration"]["findings"]
                assert words in finding["what"] and finding["severity"] == severity, (change, finding)
                assert "wJalrXUtnFEMI" not in found.done.stdout
                if severity == "broken":
                    machine.run(["sh", "-c", finding["mend"]], check=True)
                    assert Report(machine).status == 0
                machine.run(["rm", "-f", IAM])
                give_keys(product, secret_search)
            product.configure(iam_credentials_file=IAM)
            (words,) = Report(machine).of("configuration")
            assert words == "This machine has an IAM identity, but keeps no journal."
        finally:
            machine.run(["rm", "-f", IAM, "/etc/security/other.keys"])

    def test_metadata(self, product: Product, emulated_cognito: EmulatedCognito) -> None:
        """The command that the doctor shows keeps everybody out who has no business there."""
        machine = product.machine
        product.configure(journal="yes", iam_instance_metadata="yes")
        try:
            assert Report(machine).of("configuration") == [
                "Workers cannot reach the instance metadata at 169.254.169.254."
            ]
            instance = Instance(machine, emulated_cognito)
            assert Report(machine).findings == []
            machine.run(["nft", "delete", "table", "inet", "instance_metadata"], check=True)
            found = Report(machine)
            (finding,) = found.areas["configuration"]["findings"]
            assert finding["severity"] == "broken" and found.status == 8
            assert "can reach the instance metadata at 169.254.169.254" in finding["what"]
            # Whoever runs as that account can stop or end the trial, and neither hides it.
            for number in (signal.SIGSTOP, signal.SIGKILL):
                hidden = f"import os\nwhile True:\n try: os.kill(-1, {number})\n except OSError: pass"
                attacker = machine.start(["python3", "-IS", "-c", hidden], user="nobody")
                (said,) = Report(machine).of("configuration")
                attacker.end()
                assert "Unprivileged accounts can reach" in said, said
            machine.run(["sh", "-c", finding["mend"]], check=True)
            assert Report(machine).findings == [] and not instance.reached_by("nobody", "169.254.169.254")
            machine.run(["ip", "address", "del", "169.254.169.254/32", "dev", "lo"], check=True)
            machine.run(["nft", "flush", "ruleset"], check=True)
            assert "at fd00:ec2::254" in Report(machine).of("configuration")[0]
            instance.process.end()
        finally:
            machine.run(["nft", "flush", "ruleset"], check=True)

    def test_folder(self, product: Product) -> None:
        machine = product.machine
        machine.run(["install", "-d", "-m", "0755", FOLDER], check=True)
        found = Report(machine)
        assert found.of("files") == [f"{FOLDER} can be read by accounts other than root."] and found.status == 7
        machine.run(["sh", "-c", found.areas["files"]["findings"][0]["mend"]], check=True)
        assert Report(machine).findings == []
        machine.run(["rm", "-r", FOLDER], check=True)


class TestExplain:
    """The rule that decides, and the same verdict as a login's."""

    @pytest.mark.parametrize(
        "name, rule",
        [
            ("alice", "unix_group"),
            ("bob", "unix_group"),
            ("root", "root"),
            ("daemon", "minimum_uid"),
            ("nobody-here", "account"),
            ("a/b", "name"),
        ],
    )
    def test_rule(self, product: Product, name: str, rule: str) -> None:
        done = product.machine.run(["cognito-session", "doctor", "--explain", name, "--json"])
        said = json.loads(done.stdout)
        # The shell of daemon sends everybody away.
        assert done.returncode == said["exit_status"] == (7 if name == "daemon" else 0)
        assert (said["rule"], said["covered"]) == (rule if name != "bob" else "password", name == "alice")

    def test_words(self, product: Product) -> None:
        machine = product.machine
        said = {}
        for rule in ("never", "unavailable"):
            product.configure(
                users="bob",
                allowed_groups="staff others",
                username_template="{user}@example.com",
                local_password=rule,
            )
            said[rule] = machine.run(["cognito-session", "doctor", "--explain", "bob"]).stdout.splitlines()
        local = "While Cognito cannot be reached, the local password is accepted (local_password)."
        assert [line for line in said["unavailable"] if line != local] == said["never"]
        assert said["unavailable"] == [
            "bob signs in with Cognito on this machine.",
            "bob is listed in the users option.",
            "The user name in Cognito is bob@example.com.",
            "Cognito groups decide which users are admitted: allowed_groups = staff others. "
            "A service's PAM line can specify different groups.",
            local,
            "The doctor found nothing else that prevents a sign-in by bob.",
        ]

    def test_without_a_configuration(self, product: Product) -> None:
        machine = product.machine
        with machine.preserved(CONFIGURATION):
            machine.write(CONFIGURATION, "nonsense\n")
            done = machine.run(["cognito-session", "doctor", "--explain", "alice", "--json"])
            said = json.loads(done.stdout)
            assert (done.returncode, said["rule"]) == (8, "configuration")
            assert "the line has no '='" in said["findings"][0]["what"]

    @pytest.mark.parametrize(
        "name, command, words",
        [
            ("client secret", "chmod 644 /etc/security/pam_cognito.secret", "can be read by"),
            (
                "another configuration",
                "sed -i '/^auth.*pam_cognito/s/$/ config=none.conf/' /etc/pam.d/cognito-auth",
                "'none.conf' is not an absolute path",
            ),
            ("argument", "sed -i '/^auth.*pam_cognito/s/$/ colour=red/' /etc/pam.d/cognito-auth", "'colour=red'"),
        ],
    )
    def test_what_is_broken_for_all(self, product: Product, name: str, command: str, words: str) -> None:
        machine = product.machine
        with machine.preserved("/etc/security/pam_cognito.secret", "/etc/pam.d/cognito-auth"):
            machine.run(["sh", "-c", command], check=True)
            whole = machine.run(["cognito-session", "doctor"], timeout=120)
            explained = {
                user: machine.run(["cognito-session", "doctor", "--explain", user]) for user in ("alice", "bob")
            }
        assert whole.returncode == 8 and words in whole.stdout, whole.stdout
        assert explained["alice"].returncode == 8 and words in explained["alice"].stdout, explained["alice"].stdout
        assert explained["bob"].returncode == 0 and words not in explained["bob"].stdout, explained["bob"].stdout


class Trial(Session):
    """`doctor --login` on a terminal."""

    def __init__(self, machine: Machine, name: str, *answers: str):
        super().__init__(machine.spawn_pty(["cognito-session", "doctor", "--login", name]), answers)
        self.status = self.terminal.wait()


class TestLogin:
    def test_right_password(self, product: Product) -> None:
        mark = product.machine.log_mark()
        with Trial(product.machine, "alice", RIGHT) as trial:
            assert trial.status == 0, trial.seen
            assert "The sign-in works." in trial.seen
            steps = [line.split(" s  ")[0].strip() for line in trial.seen.splitlines() if " s  " in line]
            assert len(steps) == 4 and steps == sorted(steps, key=float)
        assert [entry["alive"] for entry in product.emulator.sessions(product.pool["pool_id"], "alice")].count(
            True
        ) == 0
        assert product.entries() == []
        (line,) = product.machine.log(mark, tag="cognito-session", containing="sign-in tried")
        assert "user='alice'" in line.message and "allowed_groups='staff'" in line.message

    def test_a_pool_that_tracks_sessions(self, product: Product) -> None:
        """A 21st sign-in anywhere ends a session of the person's: who sets a machine up hears of it."""
        tracking = {"UserPoolId": product.pool["pool_id"], "TokenSession": {"MaxPerUser": 20}}
        product.emulator.admin("SetUserPoolSessionConfiguration", {**tracking, "UserSessionTracking": "ENABLED"})
        try:
            with Trial(product.machine, "alice", RIGHT) as trial:
                assert trial.status == 0, trial.seen
                assert "the pool tracks sessions" in trial.seen
        finally:
            product.emulator.admin("SetUserPoolSessionConfiguration", {**tracking, "UserSessionTracking": "DISABLED"})
        with Trial(product.machine, "alice", RIGHT) as trial:
            assert trial.status == 0 and "tracks sessions" not in trial.seen, trial.seen

    def test_other_sessions_go_on(self, product: Product, emulator) -> None:
        with login(product.machine, "alice", RIGHT) as session:
            own = product.tokens(session.command(product.read_tokens).output)
            with Trial(product.machine, "alice", RIGHT) as trial:
                assert trial.status == 0
            assert product.alive(own)["refresh"]
            session.logout()

    @pytest.mark.parametrize(
        "changes, name, password, status, words",
        [
            ({}, "alice", WRONG, 3, "reason=refused"),
            ({}, "bob", None, 7, "is not a managed account"),
            ({"allowed_groups": "others"}, "alice", RIGHT, 3, "reason=group"),
            ({"client_id": "1example23456789"}, "alice", RIGHT, 8, "client_id"),
            ({"client_secret_file": None}, "alice", RIGHT, 8, "client_secret_file"),
        ],
    )
    def test_faults(
        self, product: Product, changes: dict, name: str, password: str | None, status: int, words: str
    ) -> None:
        product.configure(**changes)
        with Trial(product.machine, name, *([password] if password else [])) as trial:
            assert (trial.status, words in trial.seen) == (status, True), trial.seen
        assert product.entries() == []

    def test_needs_a_terminal(self, product: Product) -> None:
        done = product.machine.run(["cognito-session", "doctor", "--login", "alice"])
        assert done.returncode == 64 and "terminal" in done.stderr


#: What sudoers(5) says of bob, who has an ssh key and no password; and the doctor's exit status.
SUDO_RULES = {
    "%sudo ALL=(ALL:ALL) NOPASSWD: ALL": 0,
    "bob ALL=(ALL) NOPASSWD:ALL": 0,
    "User_Alias ADMINS = carol, bob\nADMINS ALL=NOPASSWD: ALL": 0,
    "ALL \\\n  ALL = NOPASSWD: ALL": 0,
    "bob ALL=(www-data) NOPASSWD: ALL": 7,
    "bob ALL=(ALL) NOPASSWD: /bin/ls": 7,
    "#bob ALL=(ALL) NOPASSWD: ALL": 7,
    "bob ALL=(ALL) NOPASSWD: /bin/ls, PASSWD: ALL": 7,
    "%nobody ALL=(ALL) NOPASSWD: ALL": 7,
    "bob ALL=(ALL) ALL": 7,
    # Of which host a rule is, sudo knows.
    "bob elsewhere=(ALL) NOPASSWD: ALL": 7,
    "%sudo elsewhere, 192.0.2.7 = NOPASSWD: ALL": 7,
    "Host_Alias OTHERS = elsewhere, other\nbob OTHERS=(ALL) NOPASSWD: ALL": 7,
    "Host_Alias OTHERS = elsewhere\nbob ALL, !OTHERS = (ALL) NOPASSWD: ALL": 0,
    "bob elsewhere=(ALL) NOPASSWD: ALL\nbob ALL=(ALL) NOPASSWD: ALL": 0,
    "Defaults:bob !authenticate\nbob ALL=(ALL) ALL": 0,
    # What another file grants; and a group's rule that says everything but who its members are.
    "@include /etc/sudoers.more": 0,
    "%users, %sudo ALL=(root) NOPASSWD: ALL": 0,
}


def test_nobody_could_repair(product: Product) -> None:
    """While Cognito is away somebody else than its accounts must be able to become root."""
    machine = product.machine
    with machine.preserved("/etc/shadow", "/etc/group", "/etc/passwd", "/etc/sudoers", "/etc/ssh/sshd_config"):
        machine.run(["usermod", "-p", "!", "root"], check=True)
        (warning,) = Report(machine).of("people")
        assert warning == "No user can become root on this machine without Cognito."
        product.configure(local_password="unavailable")
        assert Report(machine).status == 0
        product.configure()
        machine.write("/etc/sudoers", "%sudo ALL=(ALL:ALL) ALL\n", 0o440)
        machine.add_to_group("alice", "sudo")
        assert Report(machine).status == 7
        machine.add_to_group("bob", "sudo")
        assert Report(machine).status == 0
        # A key is no password: sudo asks for one.
        machine.run(["usermod", "-p", "!", "bob"], check=True)
        machine.make_directory("/home/bob/.ssh")
        machine.write("/home/bob/.ssh/authorized_keys", "  \nssh-ed25519 AAAA bob\n", 0o600)
        machine.write("/etc/sudoers.more", "bob ALL=(ALL) NOPASSWD: ALL\n", 0o440)
        for rule, status in SUDO_RULES.items():
            machine.write("/etc/sudoers", rule + "\n", 0o440)
            assert Report(machine).status == status, rule
        # sudo that does not say is nothing against anybody.
        with machine.preserved("/usr/bin/sudo"):
            for script, status in (
                ("exit 1", 0),
                ("exec sleep 600", 0),
                ("echo 'User bob is not allowed to run sudo on x.'", 7),
            ):
                machine.write("/etc/sudoers", "bob ALL=(ALL) NOPASSWD: ALL\n", 0o440)
                machine.write("/usr/bin/sudo", f"#!/bin/sh\n{script}\n", 0o755)
                assert Report(machine).status == status, script
        machine.write("/etc/sudoers", "bob ALL=(ALL) ALL\n", 0o440)
        machine.run(["usermod", "-p", password_hash(LOCAL), "bob"], check=True)
        assert Report(machine).status == 0
        machine.run(["usermod", "-s", "/usr/sbin/nologin", "bob"], check=True)
        assert Report(machine).status == 7
        machine.write("/root/.ssh/authorized_keys", "ssh-ed25519 AAAA root\n", 0o600)
        assert Report(machine).status == 0
        machine.write("/etc/ssh/sshd_config", SSHD + "\nPermitRootLogin no\n", 0o600)
        assert Report(machine).status == 7
