"""The demonstration behind `Tests/demo`: a sign-in over ssh from beginning to end, each step checked and shown."""

import contextlib
import fcntl
import json
import os
import re
import select
import shlex
import signal
import sys
import termios
import textwrap
import time
import tty

from .agent_process import AgentProcess
from .emulated_cognito import EmulatedCognito
from .hosts import Sshd, SshSession
from .machine import Machine, MachineError, Terminal
from .residue import secret_keys

USER, PASSWORD, WRONG_PASSWORD = "ana", "Correct-Horse-7", "Wrong-Horse-7"
CA_FILE = "/etc/ssl/cognito-ca.pem"
DEADLINE = 30.0


class StepError(Exception):
    """A step did not hold: what was expected, and what was there instead."""


class Display:
    """What the person at the terminal sees."""

    def __init__(self) -> None:
        self._styled = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._steps = 0

    def _style(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._styled else text

    def step(self, title: str) -> None:
        self._steps += 1
        print(f"\n{self._style(f'{self._steps}. {title}', '1')}\n", flush=True)

    def typed(self, line: str, prompt: str = "$ ") -> None:
        print(f"    {self._style(prompt, '2')}{self._style(line, '36')}", flush=True)

    def shown(self, text: str) -> None:
        print(textwrap.indent(text.strip("\n"), "    "), flush=True)

    def held(self, claim: str) -> None:
        print(f"  {self._style('✓', '32')} {claim}", flush=True)

    def failed(self, claim: str, found: str) -> None:
        print(f"  {self._style('✗', '31')} {claim}", flush=True)
        if found:
            print(textwrap.indent(found.strip("\n"), "      "), flush=True)


class Demonstration:
    def __init__(self, machine: Machine, emulated: EmulatedCognito, stop_inside: bool):
        self.machine, self.cognito, self.stop_inside = machine, emulated.client, stop_inside
        self.display = Display()

    def check(self, claim: str, holds: object, found: object = "") -> None:
        if not holds:
            self.display.failed(claim, str(found))
            raise StepError(claim)
        self.display.held(claim)

    def run(self) -> None:
        self.prepare()
        with AgentProcess(self.machine), Sshd(self.machine) as self.sshd:
            self.wrong_password()
            with self.sign_in() as session:
                self.look_around(session)
                tokens = self.ask_the_server_while_signed_in(session)
                if self.stop_inside:
                    self.hand_over(session)
                else:
                    self.log_out(session)
            self.ask_the_server_after_logout(tokens)

    # The steps

    def prepare(self) -> None:
        self.display.step("A user pool with a user, and a machine that knows an account of that name")
        self.pool = self.cognito.pool("demo", groups=["linux-users"])
        self.cognito.user(
            self.pool["pool_id"],
            USER,
            PASSWORD,
            groups=["linux-users"],
            email="ana@example.com",
            attributes={"name": "Ana García"},
        )
        self.machine.install()
        self.machine.shipped_pam()
        self.machine.write(CA_FILE, open(self.cognito.ca, "rb").read())
        configuration = {
            "user_pool_id": self.pool["pool_id"],
            "client_id": self.pool["client_id"],
            "unix_group": "cognito",
            "allowed_groups": "linux-users",
            "endpoint": self.cognito.endpoint,
            "ca_file": CA_FILE,
        }
        text = "".join(f"{key} = {value}\n" for key, value in configuration.items())
        self.machine.write("/etc/security/pam_cognito.conf", text)
        self.machine.add_user(USER, groups=["cognito"], shell="/bin/bash")
        # Debian's own message of the day is not what this is about.
        self.machine.write("/etc/motd", "")
        self.machine.remove("/etc/update-motd.d/10-uname")
        self.display.typed("cat /etc/security/pam_cognito.conf", "# ")
        self.display.shown(text)

    def wrong_password(self) -> None:
        self.display.step("A wrong password")
        self.cognito.note_secret("password", WRONG_PASSWORD)
        self.cognito.clear_requests()
        mark = self.machine.log_mark()
        result = self.sshd.run(USER, WRONG_PASSWORD, method="keyboard-interactive")
        self.display.typed(self.ssh)
        self.display.shown(f"{plain(result.shown)}\n{plain(result.errors)}")
        self.check("ssh refuses it", not result.accepted, result.output)
        asked = [request["operation"] for request in self.cognito.requests()]
        self.check("because Cognito did, not for some fault", "RespondToAuthChallenge" in asked, asked)
        for entry in self.machine.log(mark, containing="pam_cognito"):
            self.display.shown(f"log: {entry.message}")
        self.check("no session was opened", not self.registered(), self.registered())

    @contextlib.contextmanager
    def sign_in(self):
        self.display.step("The right password")
        self.cognito.clear_requests()
        started = time.monotonic()
        session = self.sshd.open(USER, PASSWORD, method="keyboard-interactive")
        seconds = time.monotonic() - started
        with session:
            self.display.typed(self.ssh)
            self.display.shown(greeting(session.seen))
            self.check(f"ssh lets {USER} in, after {seconds:.1f} s", session.accepted, session.seen)
            for request in self.cognito.requests():
                self.display.shown(f"Cognito was asked: {request['operation']}")
            yield session

    def look_around(self, session: SshSession) -> None:
        self.display.step("What ana holds: tokens in the session keyring, and nowhere else")
        status = self.typed_in(session, "cognito-session")
        self.check("cognito-session reports valid tokens", status.status == 0, status.output)
        ring = self.typed_in(session, "keyctl show @s")
        self.check(
            "the token key belongs to root, the keyring to this session",
            re.search(rf" 0 +0 +.*{self.key}", ring.output),
        )
        environment = session.command("env; cat /proc/$PPID/environ 2>/dev/null | tr '\\0' '\\n'").output
        self.check("no token is in the environment", "eyJ" not in environment, environment)

    def ask_the_server_while_signed_in(self, session: SshSession) -> dict:
        self.display.step("The server's view: the tokens are alive")
        self.display.typed(f"keyctl pipe %user:{self.key}   (by this demo, not shown)")
        bundle = json.loads(session.command(f"keyctl pipe %user:{self.key}").output)
        tokens = {"access": bundle["access_token"], "refresh": bundle["refresh_token"]}
        alive = self.cognito.tokens_alive(**tokens)
        self.check("GetUser with the access token is answered", alive["access"], alive)
        self.check("the refresh token is good for new ones", alive["refresh"], alive)
        return tokens

    def log_out(self, session: SshSession) -> None:
        self.display.step("Logging out")
        self.cognito.clear_requests()
        self.display.typed("exit", f"{USER}$ ")
        started = time.monotonic()
        session.logout()
        self.display.held(f"the session is closed, after {time.monotonic() - started:.1f} s")

    def hand_over(self, session: SshSession) -> None:
        self.display.step(f"Now it is yours: look around, then type exit. {USER}'s password is {PASSWORD}")
        for line in (
            "cognito-session --json",
            "keyctl show @s",
            f"keyctl pipe %user:{self.key} | head -c 200",
            self.ssh,
        ):
            self.display.typed(line, f"{USER}$ ")
        print(flush=True)
        self.cognito.clear_requests()
        # Until here the demo has read along, on a terminal of no kind.
        settings = {"TERM": os.environ.get("TERM", "dumb"), "LANG": language()}
        exported = " ".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())
        session.terminal.type_line(f"export {exported}; stty echo; PS1='{USER}$ '; cd; clear")
        connect(session.terminal)
        session.ended(DEADLINE)
        session.wait_for_server(DEADLINE)

    def ask_the_server_after_logout(self, tokens: dict) -> None:
        self.display.step("The server's view: the tokens are dead")
        # What does not come about is said below.
        with contextlib.suppress(MachineError):
            self.machine.wait_until(lambda: not self.registered(), timeout=DEADLINE)
        for request in self.cognito.requests():
            self.display.shown(f"Cognito was asked: {request['operation']}")
        alive = self.cognito.tokens_alive(**tokens)
        self.check(f"GetUser is refused: {alive['access_refusal']}", not alive["access"], alive)
        self.check(f"the refresh token is refused: {alive['refresh_refusal']}", not alive["refresh"], alive)
        self.check("no key is left in the machine", not self.registered(), self.registered())
        violations = self.cognito.violations()
        self.check("every request was one that Cognito's own service model allows", not violations, violations)

    # What they need

    @property
    def ssh(self) -> str:
        return f"ssh -p {self.sshd.port} {USER}@127.0.0.1"

    @property
    def key(self) -> str:
        """The token key's description."""
        return f"cognito:{self.pool['pool_id']}:{self.pool['client_id']}"

    def registered(self) -> list:
        """The root-only keys of sessions that are open, or not closed yet."""
        return [key for key in secret_keys(self.machine) if key.type == "user"]

    def typed_in(self, session: SshSession, line: str):
        result = session.command(line)
        self.display.typed(line, f"{USER}$ ")
        self.display.shown(result.output)
        return result


def language() -> str:
    """The language of whoever has started the demo, by locale(7)."""
    return next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "C.UTF-8")


def plain(text: str) -> str:
    """A terminal's text without its control sequences and empty lines."""
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07]*\x07", "", text).replace("\r", "")
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def greeting(seen: str) -> str:
    """What a sign-in showed, up to the shell's first prompt."""
    return plain(seen.split("stty -echo")[0])


def connect(terminal: Terminal) -> None:
    """Joins the person's own terminal with a session's, until that one ends."""
    ours = sys.stdin.fileno()
    interactive = os.isatty(ours)
    if interactive:
        size = fcntl.ioctl(ours, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(terminal.child_fd, termios.TIOCSWINSZ, size)
        modes = termios.tcgetattr(ours)
        tty.setraw(ours)
    try:
        sources = [ours, terminal.child_fd]
        while True:
            ready = select.select(sources, [], [])[0]
            if terminal.child_fd in ready:
                try:
                    shown = os.read(terminal.child_fd, 65536)
                except OSError:
                    return
                if not shown:
                    return
                os.write(sys.stdout.fileno(), shown)
            if ours in ready:
                typed = os.read(ours, 65536)
                if typed:
                    os.write(terminal.child_fd, typed)
                else:
                    # Nobody will type any more, so nobody can type exit.
                    os.write(terminal.child_fd, b"\x04")
                    sources.remove(ours)
    finally:
        if interactive:
            termios.tcsetattr(ours, termios.TCSADRAIN, modes)


def stop(number: int, _: object) -> None:
    """Ends by way of all the `with` blocks, so that nothing is left behind."""
    sys.exit(128 + number)


def main() -> int:
    started = time.monotonic()
    display = Display()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        with Machine("demo") as machine, EmulatedCognito(machine) as emulated:
            directory = machine.directory
            try:
                Demonstration(machine, emulated, "--shell" in sys.argv[1:]).run()
            except StepError:
                for entry in machine.log():
                    print(f"      log: {entry.tag}: {entry.message}")
                raise
        if directory.exists():
            raise StepError(f"{directory} was left behind")
    except StepError as failure:
        print(f"\nThis step did not hold: {failure}. Stopped after {time.monotonic() - started:.0f} s.")
        return 1
    except MachineError as problem:
        print(f"\nThe machine for this demo could not do what it should: {problem}.")
        return 1
    print()
    display.held(
        f"Every step held, in {time.monotonic() - started:.0f} s; the machine and all that was in it are gone."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
