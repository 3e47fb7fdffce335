"""The transcripts of docs/transcripts.md and the pictures of terminals, from real sign-ins at the emulator.

`cd Tests && ../.build/venv/bin/python -m Integration.transcripts` writes them. test_transcripts.py holds them to the
product.
"""

import json
import re
import sys
from pathlib import Path

from .agent_process import AgentProcess
from .challenges import APP, SECRET, totp
from .demo import CA_FILE, greeting, plain
from .emulated_cognito import EmulatedCognito
from .hosts import Sshd
from .machine import Machine
from .pictures import COLUMNS, lines_of, svg

FOLDER = Path(__file__).resolve().parents[2] / "docs"
PAGE = "transcripts.md"
INTERACTIVE = "keyboard-interactive"
MAILED, OWN, WRONG = "Mailed-Password-1!", "Correct-Horse-9!", "Wrong-Horse-7!"
INTRODUCTION = """\
# Transcripts

`Tests/Integration/transcripts.py` generates this page from real ssh logins to a machine that runs pam-cognito and
a Cognito emulator. Passwords that users type are not shown.
"""
#: What differs from run to run.
VARIABLE = [
    (r"[a-z]{2}-[a-z]+-\d_\w+", "POOL"),
    (r"\d{4}-\d\d-\d\d|\b\d\d?:\d\d(?::\d\d)?\b", "TIME"),
    (r"\b(session=|uid=|key=|process=|keyring |key )\d+", r"\1N"),
    (r"\b\d{6}\b", "CODE"),
    (r"\b\d+(?:\.\d+)? (?:s|ms|min|minutes?|seconds?|hours?|days?)\b|\b\d+[smhd]\b", "DURATION"),
    (r"DURATION(?: DURATION)+", "DURATION"),
    (r"client_id=\w+|\b[0-9a-z]{26}\b", "CLIENT"),
    (r"[█▉▊▋▌▍▎▏░▒▓━─]+", "BAR"),
]


def masked(text: str) -> str:
    for pattern, word in VARIABLE:
        text = re.sub(pattern, word, text)
    return text


def block(*lines: str) -> str:
    return "```\n" + "\n".join(line.rstrip() for line in "\n".join(lines).splitlines() if line.strip()) + "\n```\n"


def until_the_shell(seen: str) -> str:
    return "\n".join(line for line in greeting(seen).splitlines() if not line.endswith(("$", "$ ")))


class Recording:
    def __init__(self, machine: Machine, emulated: EmulatedCognito):
        self.machine, self.cognito = machine, emulated.client
        self.parts = [INTRODUCTION]
        self.pictures: dict[str, str] = {}
        pool = self.cognito.pool("transcripts", groups=["linux-users"], **APP)
        self.pool = pool
        group = {"groups": ["linux-users"]}
        self.cognito.user(pool["pool_id"], "ana", MAILED, status="FORCE_CHANGE_PASSWORD", **group)
        factors = {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET}
        person = {"email": "eva@example.com", "attributes": {"name": "Eva García"}}
        self.cognito.user(pool["pool_id"], "eva", OWN, **factors, **group, **person)
        machine.install()
        machine.shipped_pam()
        machine.write(CA_FILE, Path(self.cognito.ca).read_bytes())
        machine.write(
            "/etc/security/pam_cognito.conf",
            f"user_pool_id = {pool['pool_id']}\nclient_id = {pool['client_id']}\nunix_group = cognito\n"
            f"allowed_groups = linux-users\nsign_out = last\nendpoint = {self.cognito.endpoint}\nca_file = {CA_FILE}\n",
        )
        for name in ("ana", "eva"):
            machine.add_user(name, groups=["cognito"], shell="/bin/bash")
        machine.write("/etc/motd", "")
        machine.remove("/etc/update-motd.d/10-uname")

    def part(self, title: str, text: str, *lines: str) -> None:
        shown = block(*lines).replace("@127.0.0.1", "@host").replace("127.0.0.1", "host")
        self.parts.append(f"## {title}\n\n{text}\n\n{shown}")

    def picture(self, name: str, title: str, *lines: str) -> None:
        shown = [line.replace("@127.0.0.1", "@host") for line in lines]
        self.pictures[name] = svg(title, shown)

    def run(self) -> dict[str, str]:
        """The files of the documents, by name."""
        with AgentProcess(self.machine), Sshd(self.machine) as sshd:
            self.refusal(sshd)
            self.first_password(sshd)
            self.second_factor(sshd)
            self.doctor()
        return {PAGE: "\n".join(self.parts), **self.pictures}

    def refusal(self, sshd: Sshd) -> None:
        mark = self.machine.log_mark()
        result = sshd.run("eva", WRONG, method=INTERACTIVE)
        assert not result.accepted
        shown = f"{plain(result.shown)}\n{plain(result.errors)}"
        self.part("A wrong password", "The user sees:", "$ ssh eva@host", shown)
        logged = self.machine.lines(mark, containing="pam_cognito")
        self.parts.append("The machine's log contains:\n\n" + block(*logged))

    def first_password(self, sshd: Sshd) -> None:
        with sshd.open("ana", MAILED, OWN, OWN, method=INTERACTIVE) as session:
            assert session.accepted
            text = "Cognito has e-mailed the user a temporary password, which must be changed at the first sign-in."
            self.part("The first password", text, "$ ssh ana@host", until_the_shell(session.seen))
            session.logout()

    def second_factor(self, sshd: Sshd) -> None:
        with sshd.open("eva", OWN, lambda _: totp(), method=INTERACTIVE) as session:
            assert session.accepted
            text = "In this example, the user has set up an authenticator app (TOTP)."
            shown = until_the_shell(session.seen)
            self.part("Password and code", text, "$ ssh eva@host", shown)
            self.picture("login.svg", "Signing in", "$ ssh eva@host", *shown.splitlines(), "eva@host:~$")
            session.command(f"export TERM=xterm LANG=C.UTF-8; stty cols {COLUMNS}")
            shown = lines_of(session.command("cognito-session").output)
            self.picture("status.svg", "cognito-session", "eva@host:~$ cognito-session", *shown)
            session.command("export NO_COLOR=1 TERM=dumb LANG=C.UTF-8; stty cols 100")
            status = session.command("cognito-session")
            assert status.status == 0
            text = "In the session, `cognito-session` shows the status:"
            self.part("Status", text, "$ cognito-session", plain(status.output))
            key = f"cognito:{self.pool['pool_id']}:{self.pool['client_id']}"
            tokens = json.loads(session.command(f"keyctl pipe %user:{key}").output)
            mark = self.machine.log_mark()
            signed_out = session.command("cognito-session sign-out --local")
            assert signed_out.status == 0
            lines = self.machine.wait_until(
                lambda: self.machine.lines(mark, containing="signed out; "), "the answer of Cognito"
            )
            text = "The user signs out. Exit status 1 of `--check` means that the session has no tokens."
            left = session.command("cognito-session --check; echo $?")
            shown = ["$ cognito-session sign-out --local", plain(signed_out.output)]
            self.part("Sign-out", text, *shown, "$ cognito-session --check; echo $?", plain(left.output))
            self.parts.append("The machine's log contains:\n\n" + block(*lines))
            alive = self.cognito.tokens_alive(access=tokens["access_token"], refresh=tokens["refresh_token"])
            assert not alive["access"] and not alive["refresh"]
            answers = [f"access token: {alive['access_refusal']}", f"refresh token: {alive['refresh_refusal']}"]
            text = "If a program has kept copies of the tokens, Cognito rejects the copies with these messages:"
            self.parts.append(f"{text}\n\n{block(*answers)}")
            session.logout()

    def doctor(self) -> None:
        self.machine.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
        self.machine.make_directory("/run/sshd")
        settings = "UsePAM yes\nHostKey /etc/ssh/host_key\nKbdInteractiveAuthentication no\n"
        self.machine.write("/etc/ssh/sshd_config", settings, 0o600)
        command = "stty cols 100; TERM=xterm LANG=C.UTF-8 cognito-session doctor"
        terminal = self.machine.spawn_pty(["sh", "-c", command])
        terminal.wait()
        colored = "\n".join(lines_of(terminal.seen)) + "\n"
        found = re.search(r"(?ms)^sshd .*?(?=^\S)", colored)
        assert found, colored
        self.picture("doctor.svg", "cognito-session doctor", "# cognito-session doctor", *found[0].splitlines())
        text = "`KbdInteractiveAuthentication no` is set in `/etc/ssh/sshd_config`."
        text += " The doctor reports this sshd setting as a problem:"
        self.part("The doctor finds a problem", text, "# cognito-session doctor", plain(found[0]))


def files() -> dict[str, str]:
    with Machine("transcripts") as machine, EmulatedCognito(machine) as emulated:
        return Recording(machine, emulated).run()


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text)
    sys.exit(0)
