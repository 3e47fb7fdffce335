"""The programs people sign in with, driven as a person would: await a prompt, answer it, read the outcome."""

import contextlib
import itertools
import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .machine import GENEROUS, Closing, Machine, MachineError, MachineProcess, Terminal, Text

Answer = Text | Callable[[str], Text]

_PROMPT = re.compile(r"([^\r\n]*[:?>] ?)\Z")
_SHELL = re.compile(r"(?:\A|[\r\n])[^\r\n]*[$#] \Z")
_LOGIN_AGAIN = re.compile(r"login: \Z")


@dataclass(frozen=True)
class CommandResult:
    output: str
    status: int


class Session:
    """A sign-in on a terminal, and the shell that follows if it is accepted.

    `prompts` are the questions that were asked, with the text that came before each; `seen` is all that the person saw.
    Every answer is consumed by one prompt; a question without an answer left is in `asking`, and `answer` goes on.
    Afterwards it is `accepted` (there is a shell), `refused` (the host has ended, or starts over), or `asking`. What
    was shown after the last answer is `outcome`.
    """

    def __init__(self, terminal: Terminal, answers: Sequence[Answer] = (), timeout: float = GENEROUS):
        self.terminal = terminal
        self.prompts: list[str] = []
        self.accepted = self.refused = False
        self.asking: str | None = None
        self.outcome = ""
        self.shell_pid = self.parent_pid = None
        self._marks = itertools.count(1)
        self._answers = list(answers)
        self._timeout = timeout
        self._advance()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_) -> None:
        self.abandon()

    @property
    def seen(self) -> str:
        return self.terminal.seen

    @property
    def host_pid(self) -> int:
        """The program that was started: su, sudo, login, or the ssh client."""
        return self.terminal.pid

    def _advance(self) -> None:
        while True:
            text, alive = self.terminal.read_until_waiting(self._looks_waiting, self._timeout)
            self.outcome = text
            if not alive:
                self.refused = True
                return
            if _SHELL.search(text):
                return self._enter_shell()
            if self._is_refusal(text):
                self.refused = True
                return
            self.prompts.append(text.strip("\r\n"))
            self.outcome = ""
            if not self._answers:
                self.asking = self.prompts[-1]
                return
            self._give(self._answers.pop(0))

    def _is_refusal(self, text: str) -> bool:
        """Most hosts say no by ending."""
        return False

    @staticmethod
    def _looks_waiting(text: str) -> bool:
        return bool(_SHELL.search(text) or _PROMPT.search(text))

    def _give(self, answer: Answer) -> None:
        self.terminal.type_line(answer(self.prompts[-1]) if callable(answer) else answer)

    def answer(self, *answers: Answer) -> None:
        """Goes on with the question in `asking`."""
        if self.asking is None:
            raise MachineError(f"nothing is being asked; seen: {self.seen!r}")
        self.asking = None
        self._answers = list(answers)
        self._give(self._answers.pop(0))
        self._advance()

    def end_input(self) -> None:
        """Ctrl-D at this question, and at all that follow it."""
        for _ in range(20):
            if self.asking is None:
                return
            self.asking = None
            os.write(self.terminal.child_fd, b"\x04")
            self._advance()
        raise MachineError(f"asks for ever; seen: {self.seen!r}")

    def interrupt(self) -> None:
        """Ctrl-C."""
        os.write(self.terminal.child_fd, b"\x03")

    def _enter_shell(self) -> None:
        self.accepted = True
        self.terminal.type_line("stty -echo; PS1=; PS2=; unset PROMPT_COMMAND; printf '\\n%s%s\\n' shell- ready")
        self.terminal.expect_exact("\nshell-ready\r\n", timeout=self._timeout)
        pids = self.command("echo $$ $PPID").output.split()
        self.shell_pid, self.parent_pid = int(pids[0]), int(pids[1])

    def command(self, line: str, timeout: float = GENEROUS) -> CommandResult:
        """Types a command line into the shell; output as on a terminal, line ends normalised.

        The shell has all that is typed before it runs any of it: a sudo with a terminal of its own reads ahead.
        """
        if not self.accepted:
            raise MachineError(f"there is no shell; seen: {self.seen!r}")
        mark = f"done-{next(self._marks)}"
        self.terminal.type_line(f"{{ {line}\n}}; printf '\\n%s:%d:\\n' {mark} $?")
        self.terminal.expect(rf"\n{mark}:(\d+):\r\n", timeout=timeout)
        output = self.terminal.before.replace("\r\n", "\n")
        return CommandResult(output.removesuffix("\r"), int(self.terminal.match.group(1)))

    def leave(self) -> None:
        """Types `exit` and does not wait."""
        self.terminal.type_line("exit")

    def logout(self, timeout: float = GENEROUS) -> int:
        """Types `exit` and waits for the host's end; returns its exit status."""
        self.leave()
        return self.ended(timeout)

    def ended(self, timeout: float = GENEROUS) -> int:
        """Waits for the started program's end."""
        status = self.terminal.wait(timeout)
        self.accepted = False
        self.terminal.hang_up()
        return status

    def visit(self) -> "Session":
        """Is accepted, and leaves at once."""
        with self:
            assert self.accepted, self.seen
            self.logout()
        return self

    def hang_up(self) -> None:
        """The terminal goes away under the session."""
        self.accepted = False
        self.terminal.hang_up()

    def kill_host(self, number: int = signal.SIGKILL) -> None:
        self.terminal.process.signal(number)

    def abandon(self) -> None:
        """Ends whatever is left: for the end of a test, not a way of signing out."""
        self.accepted = False
        self.terminal.hang_up()
        with contextlib.suppress(ProcessLookupError):
            self.terminal.process.end()


def login(
    machine: Machine, user: Text | None = None, *answers: Answer, authenticated: bool = False, env=None, **options
) -> Session:
    """shadow's login on a terminal of the machine, started as getty does, as root; without a user it asks for one.

    `authenticated` people are not asked who they are (-f): whoever started it knows.
    """
    argv = ["login"] + (["-f"] if authenticated else []) + ([user] if user is not None else [])
    environment = {"TERM": "dumb"} | dict(env or {})
    terminal = machine.spawn_pty(argv, env=environment, clean_environment=True, **options)
    return _LoginSession(terminal, answers)


class _LoginSession(Session):
    """login asks for another name after a refusal: that is not a question the answers are for."""

    def _is_refusal(self, text: str) -> bool:
        return bool(self.prompts and _LOGIN_AGAIN.search(text) and "incorrect" in text)


def su(
    machine: Machine,
    caller: Text | None,
    target: Text,
    *answers: Answer,
    login_shell: bool = False,
    env=None,
    **options,
) -> Session:
    argv = ["su"] + (["-"] if login_shell else []) + [target]
    return Session(machine.spawn_pty(argv, user=caller, env=env, **options), answers)


def su_command(
    machine: Machine,
    caller: Text | None,
    target: Text,
    command: str,
    *answers: Answer,
    login_shell: bool = False,
    **options,
) -> tuple[int, str, list[str]]:
    """`su -c`: exit status, all that was seen, the prompts."""
    argv = ["su"] + (["-"] if login_shell else []) + [target, "-c", command]
    return _to_the_end(machine.spawn_pty(argv, user=caller, **options), answers)


def sudo(
    machine: Machine,
    caller: Text,
    target: Text = "root",
    *answers: Answer,
    interactive: str = "-s",
    env=None,
    **options,
) -> Session:
    """`sudo -s` or, with `interactive="-i"`, a login shell; `allow_sudo` must have let the caller."""
    argv = ["sudo", "-u", target, interactive]
    return Session(machine.spawn_pty(argv, user=caller, env=env, **options), answers)


def sudo_command(
    machine: Machine, caller: Text, target: Text, command: Sequence[Text], *answers: Answer, **options
) -> tuple[int, str, list[str]]:
    """sudo with a command: exit status, all that was seen, the prompts."""
    argv = ["sudo", "-u", target, *command]
    return _to_the_end(machine.spawn_pty(argv, user=caller, **options), answers)


def allow_sudo(machine: Machine, *users: str, defaults: Sequence[str] = ("passwd_tries=1", "!lecture")) -> None:
    """A sudoers file of the machine's own: the named users may become anybody, with a password."""
    lines = [f"Defaults {setting}" for setting in defaults] + [f"{user} ALL=(ALL:ALL) ALL" for user in ("root", *users)]
    machine.write("/etc/sudoers", "\n".join(lines) + "\n", 0o440)


def _to_the_end(terminal: Terminal, answers: Sequence[Answer], timeout: float = GENEROUS) -> tuple[int, str, list[str]]:
    session = Session(terminal, answers, timeout)
    if session.asking is not None:
        session.abandon()
        raise MachineError(f"a question without an answer: {session.asking!r}")
    status = session.terminal.wait(timeout)
    seen = session.seen
    session.terminal.hang_up()
    return status, seen, session.prompts


@dataclass(frozen=True)
class PamtesterResult:
    status: int
    seen: str
    prompts: list[str]

    @property
    def succeeded(self) -> bool:
        return self.status == 0


def pamtester(
    machine: Machine,
    service: str,
    user: Text,
    operations: Sequence[str],
    *answers: Answer,
    caller: Text | None = None,
    **options,
) -> PamtesterResult:
    """pamtester on a terminal, e.g. operations `["authenticate", "open_session", "close_session"]`."""
    terminal = machine.spawn_pty(["pamtester", service, user, *operations], user=caller, **options)
    return PamtesterResult(*_to_the_end(terminal, answers))


@dataclass(frozen=True)
class SshResult:
    """One ssh command: `output` and `errors` are its streams and the client's, `shown` what the terminal showed."""

    status: int
    output: str
    errors: str
    prompts: list[str]
    shown: str

    @property
    def accepted(self) -> bool:
        """255 is the client's own failure."""
        return self.status != 255


class SshSession(Session):
    """An interactive ssh session. `host_pid` is the client; the server's are `monitor_pid` and `child_pid`."""

    def __init__(self, sshd: "Sshd", terminal: Terminal, answers: Sequence[Answer] = (), timeout: float = GENEROUS):
        self.sshd = sshd
        # sshd's root process of this connection, in which PAM's session is opened and closed.
        self.monitor_pid: int | None = None
        super().__init__(terminal, answers, timeout)

    @property
    def child_pid(self) -> int:
        """sshd's process that runs as the user, the shell's parent."""
        return self.parent_pid

    def _enter_shell(self) -> None:
        super()._enter_shell()
        machine = self.terminal.process.machine
        self.monitor_pid = next(one.parent for one in machine.processes() if one.pid == self.parent_pid)

    def kill_client(self, number: int = signal.SIGKILL) -> None:
        """The client vanishes without a word to the server."""
        self.kill_host(number)
        self.terminal.wait()
        self.hang_up()

    def wait_for_server(self, timeout: float = GENEROUS) -> None:
        """Waits until the server is done, PAM's session included: the client is gone long before."""
        self.sshd.wait_for_process_end(self.monitor_pid, timeout)

    def logout(self, timeout: float = GENEROUS) -> int:
        """Types `exit`, waits for the client and then for the server's end."""
        status = super().logout(timeout)
        self.wait_for_server(timeout)
        return status


class Sshd(Closing):
    """OpenSSH's server. `pam_service` decides which file in /etc/pam.d it uses: before 9.8 that was the program's name.

    `start` "bare" gives it the session keyring of whoever started the tests (normally none), "systemd-style" one of its
    own, anonymous and not linked to root's user keyring, as `KeyringMode=private` does.
    """

    METHODS = ("password", "keyboard-interactive", "publickey")
    _count = itertools.count(1)

    def __init__(
        self,
        machine: Machine,
        start: str = "bare",
        pam_service: str = "sshd",
        port: int = 2222,
        options: dict[str, str] | None = None,
        env: dict[str, str] | None = None,
    ):
        if start not in ("bare", "systemd-style"):
            raise ValueError(start)
        self.machine, self.port = machine, port
        self.folder = f"/run/ssh-{next(self._count)}"
        self.log_path = f"/var/log{self.folder.removeprefix('/run')}.log"
        program = "/usr/sbin/sshd"
        if pam_service != "sshd":
            program = f"/usr/sbin/{pam_service}"
            machine.link(program, "sshd")
        settings = {
            "Port": str(port),
            "ListenAddress": "127.0.0.1",
            "HostKey": f"{self.folder}/host_key",
            "PidFile": f"{self.folder}/pid",
            "UsePAM": "yes",
            "PasswordAuthentication": "yes",
            "KbdInteractiveAuthentication": "yes",
            "PubkeyAuthentication": "yes",
            "AuthorizedKeysFile": f"{self.folder}/authorized/%u",
            "PermitRootLogin": "no",
            "UseDNS": "no",
            "PrintMotd": "no",
            "PrintLastLog": "no",
            "MaxStartups": "200",
            "LogLevel": "VERBOSE",
            "X11Forwarding": "no",
        }
        # OpenSSH 9.8 and newer: the service is always sshd's unless told, and who fails often is made to wait.
        if machine.exists("/usr/lib/openssh/sshd-session"):
            settings |= {"PAMServiceName": pam_service, "PerSourcePenalties": "no"}
        settings |= options or {}
        machine.make_directory(f"{self.folder}/authorized")
        self._make_keys()
        lines = [f"{name} {value}\n" for name, value in settings.items()]
        machine.write(f"{self.folder}/sshd_config", "".join(lines), 0o600)
        machine.write(f"{self.folder}/ssh_config", self._client_settings(), 0o644)
        argv = [program, "-D", "-f", f"{self.folder}/sshd_config", "-E", self.log_path]
        self.process: MachineProcess = machine.start(argv, env=env, new_session_keyring=start == "systemd-style")
        machine.wait_until(self._listens, "sshd's readiness")

    def _make_keys(self) -> None:
        for name in ("host_key", "client_key"):
            argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", f"{self.folder}/{name}"]
            self.machine.run(argv, check=True)
        host_key = self.machine.read(f"{self.folder}/host_key.pub")
        self.machine.write(f"{self.folder}/known_hosts", f"[127.0.0.1]:{self.port} {host_key}")

    def _client_settings(self) -> str:
        settings = {
            "Port": str(self.port),
            "UserKnownHostsFile": f"{self.folder}/known_hosts",
            "GlobalKnownHostsFile": "/dev/null",
            "StrictHostKeyChecking": "yes",
            "IdentityFile": f"{self.folder}/client_key",
            "IdentitiesOnly": "yes",
            "IdentityAgent": "none",
            "NumberOfPasswordPrompts": "1",
            "LogLevel": "INFO",
            "GSSAPIAuthentication": "no",
            "KexAlgorithms": "curve25519-sha256",
        }
        return "".join(f"{name} {value}\n" for name, value in settings.items())

    def _listens(self) -> bool:
        if self.process.ended:
            raise MachineError(f"sshd ended with {self.process.wait()}: {self.log()}")
        return "Server listening on" in self.log()

    def log(self) -> str:
        """The server's own log; what PAM modules say is in the machine's syslog."""
        return self.machine.read(self.log_path) if self.machine.exists(self.log_path) else ""

    @property
    def listener_pid(self) -> int:
        return self.process.pid

    def connection_pids(self) -> list[int]:
        """The monitor of each connection there is, also of those that are still signing in."""
        return [process.pid for process in self.machine.processes() if process.parent == self.listener_pid]

    def authorize(self, user: Text) -> None:
        """Lets the client's key in as this user."""
        public = self.machine.read(f"{self.folder}/client_key.pub")
        self.machine.write(f"{self.folder}/authorized/{os.fsdecode(user)}", public, 0o644)

    def _client(self, user: Text, method: str, options: Sequence[str]) -> list[Text]:
        if not set(method.split(",")) <= set(self.METHODS):
            raise ValueError(method)
        wanted = ["-o", f"PreferredAuthentications={method}"]
        for option in options:
            wanted += ["-o", option]
        return ["ssh", "-F", f"{self.folder}/ssh_config", *wanted, "-l", user, "127.0.0.1"]

    def run(
        self,
        user: Text,
        *answers: Answer,
        method: str = "password",
        command: str = "true",
        input: Text | None = None,
        options: Sequence[str] = (),
        timeout: float = GENEROUS,
        wait_for_server: bool = True,
    ) -> SshResult:
        """One command over ssh, without a terminal on the far side. Prompts are answered on the client's terminal.

        Waits for the server's end too, so that PAM's session is closed when this returns.
        """
        with contextlib.ExitStack() as stack:
            stdin, stdout, stderr = (os.memfd_create(name) for name in ("stdin", "stdout", "stderr"))
            for descriptor in (stdin, stdout, stderr):
                stack.callback(os.close, descriptor)
            if input:
                os.pwrite(stdin, os.fsencode(input), 0)
            before = set(self.connection_pids()) if wait_for_server else set()
            terminal = self.machine.spawn_pty(
                [*self._client(user, method, options), command],
                streams_on_terminal=False,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
            )
            status, shown, prompts = _to_the_end(terminal, answers, timeout)
            output, errors = (
                os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode("utf-8", "surrogateescape")
                for descriptor in (stdout, stderr)
            )
        if wait_for_server:
            for pid in set(self.connection_pids()) - before:
                self.wait_for_process_end(pid, timeout)
        return SshResult(status, output, errors, prompts, shown)

    def open(
        self,
        user: Text,
        *answers: Answer,
        method: str = "password",
        options: Sequence[str] = (),
        command: str | None = None,
        timeout: float = GENEROUS,
        env: dict[str, str] | None = None,
    ) -> SshSession:
        """An interactive session with a terminal on the far side; `accepted` says whether there is a shell."""
        argv = ["ssh", "-tt", *self._client(user, method, options)[1:], *([command] if command else [])]
        return SshSession(self, self.machine.spawn_pty(argv, env=env), answers, timeout)

    def wait_for_process_end(self, pid: int, timeout: float = GENEROUS) -> None:
        path = Path(self.machine.proc / str(pid))
        self.machine.wait_until(lambda: not path.exists(), f"the end of process {pid}", timeout)

    def close(self) -> None:
        """Ends the listener; sessions that are open live on, as they do when the service is stopped."""
        self.process.terminate()
