"""A booted system in a container, seen from outside: its console, its sshd, and a root who looks."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect

from Emulator.client import EmulatorClient
from Integration.machine import REPOSITORY

#: Debian's, which the system inside is of.
RELEASE = os.environ["RELEASE"]
FOLDER = REPOSITORY / ".build/system-test" / RELEASE
GENEROUS = 60
#: A shell that waits; bash sends a word to the terminal behind its prompt.
PROMPT = r"[$#] (\x1b\[K)?$"
#: systemd-nspawn's status when the system inside wants to be started again and somebody else is to do it.
REBOOT = 133


class GuestError(Exception):
    """The system could not do what a test asked of it; never the outcome of a login."""


class Guest:
    """A copy of the minimal Debian. The user namespace keeps its root's keyrings apart from this machine's."""

    def __init__(self) -> None:
        self.root = FOLDER / "machine"
        shutil.rmtree(self.root, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", FOLDER / "root", self.root], check=True)
        (self.root / "etc/hostname").write_text("guest\n")
        self.log = (FOLDER / "console.log").open("w")
        self.console: pexpect.spawn | None = None
        self.leader = 0

    def __enter__(self) -> "Guest":
        return self

    def __exit__(self, *_) -> None:
        if self.leader:
            # All that runs inside ends with it; the program that holds the container may end and leave it running.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.leader, signal.SIGKILL)
        if self.console is not None:
            self.console.close(force=True)
        self.log.close()
        shutil.rmtree(self.root, ignore_errors=True)

    def boot(self) -> None:
        """Starts the system and waits until the console asks who is there."""
        options = ["--boot", "--quiet", "--register=no", "--keep-unit", "--system-call-filter=@keyring"]
        options += ["--private-network", "--private-users=identity", "--link-journal=no", "--resolv-conf=off"]
        options += ["--timezone=off", "--console=interactive"]
        self.console = pexpect.spawn(
            "systemd-nspawn",
            ["--directory", str(self.root), *options],
            timeout=GENEROUS,
            encoding="utf-8",
            codec_errors="replace",
        )
        self.console.logfile_read = self.log
        try:
            self.console.expect("guest login: ")
        finally:
            self.leader = self._find_leader()

    def _find_leader(self) -> int:
        """pid 1 of the system, by its number outside."""
        children = Path(f"/proc/{self.console.pid}/task/{self.console.pid}/children").read_text().split()
        for pid in children:
            if os.readlink(f"/proc/{pid}/ns/pid") != os.readlink("/proc/self/ns/pid"):
                return int(pid)
        raise GuestError(f"systemd-nspawn has no system inside, only {children}")

    def kill(self) -> None:
        """A power cut: all of it ends at once, and nothing is told anybody."""
        os.kill(self.leader, signal.SIGKILL)
        self.console.expect(pexpect.EOF)
        self.console.close()

    def ended(self) -> int:
        """Waits for the system's end; returns systemd-nspawn's status."""
        self.console.expect(pexpect.EOF)
        self.console.close()
        self.leader = 0
        return self.console.exitstatus

    def run(self, *command: str, input: str | None = None, check: bool = True) -> str:
        """Runs a command inside as root, beside the system rather than in a session of it; returns what it said."""
        namespaces = ["--user", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8"}
        done = subprocess.run(
            ["nsenter", f"--target={self.leader}", *namespaces, "--", *command],
            input=input,
            env=environment,
            capture_output=True,
            text=True,
            # Installing packages waits for a disk that others use, too.
            timeout=10 * GENEROUS,
        )
        if check and done.returncode:
            raise GuestError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)

    def read(self, path: str) -> str:
        return (self.root / path.lstrip("/")).read_text()

    def exists(self, path: str) -> bool:
        return os.path.lexists(self.root / path.lstrip("/"))

    def wait_until(self, condition: Callable[[], object], what: str, timeout: float = GENEROUS) -> None:
        """Waits for something that happens by itself."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise GuestError(f"{what} did not come about within {timeout:g} s")
            time.sleep(0.1)

    def ssh(self, user: str, password: str, command: str = "true") -> tuple[bool, str]:
        """One command over ssh: whether the password was accepted, and what was said."""
        terminal = self.client(user, command)
        try:
            if terminal.expect(["assword: ", pexpect.EOF]) == 0:
                terminal.sendline(password)
                # Told again to ask means refused; the client asks once, so that it ends.
                terminal.expect(pexpect.EOF)
            said = terminal.before
        finally:
            terminal.close()
        return terminal.exitstatus != 255, said.replace("\r\n", "\n")

    def open_ssh(self, user: str, password: str) -> "Shell":
        """A shell over ssh."""
        terminal = self.client(user, None)
        terminal.expect("assword: ")
        terminal.sendline(password)
        return Shell(terminal)

    def client(self, user: str, command: str | None) -> pexpect.spawn:
        """ssh, which begins to ask; with `command`, or for a shell."""
        settings = {
            "StrictHostKeyChecking": "no",
            "UserKnownHostsFile": "/dev/null",
            "PreferredAuthentications": "keyboard-interactive",
            "NumberOfPasswordPrompts": "1",
            "LogLevel": "ERROR",
        }
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        inside = ["nsenter", f"--target={self.leader}", "--net", "ssh", "-F", "/dev/null", "-tt", *options]
        last = [f"{user}@127.0.0.1", *([command] if command is not None else [])]
        return self._spawn([*inside, *last])

    def _spawn(self, command: list[str]) -> pexpect.spawn:
        terminal = pexpect.spawn(
            command[0], command[1:], timeout=GENEROUS, encoding="utf-8", codec_errors="replace", dimensions=(40, 500)
        )
        terminal.logfile_read = self.log
        return terminal

    def console_login(self, user: str, password: str) -> "Shell | None":
        """A login on the console; None when it was refused."""
        self.console.sendline(user)
        self.console.expect("assword: ")
        self.console.sendline(password)
        if self.console.expect(["Login incorrect", PROMPT]) == 0:
            self.console.expect("guest login: ")
            return None
        return Shell(self.console, at_prompt=True)


class Shell:
    """A shell on a terminal."""

    def __init__(self, terminal: pexpect.spawn, at_prompt: bool = False):
        self.terminal = terminal
        if not at_prompt:
            terminal.expect(PROMPT)
        self.greeting = terminal.before

    def type(self, line: str) -> None:
        self.terminal.sendline(line)

    def answer(self, prompt: str, line: str) -> None:
        self.terminal.expect(prompt)
        self.terminal.sendline(line)

    def output(self, line: str) -> str:
        """What a command says, without the terminal's echo of the line."""
        self.type(f"echo '<'begin'>'; {line}; echo '<'end'>'")
        self.terminal.expect(r"<begin>\r\n(.*?)<end>\r\n")
        said = self.terminal.match.group(1)
        self.terminal.expect(PROMPT)
        return said.replace("\r\n", "\n")

    def leave(self) -> None:
        self.type("exit")


class Emulator:
    """The Cognito emulator beside the system, on its loopback interface: this machine's program in its network."""

    def __init__(self, guest: Guest, name: str, port: int = 0):
        self.directory = FOLDER / name
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(mode=0o755)
        self.log = (FOLDER / f"{name}.log").open("w")
        self.process = subprocess.Popen(
            [
                *("nsenter", f"--target={guest.leader}", "--net"),
                *(sys.executable, "-B", "-m", "Emulator", "--directory", str(self.directory), "--port", str(port)),
            ],
            cwd=REPOSITORY / "Tests",
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        try:
            guest.wait_until(self._is_ready, "the emulator's readiness")
            self.client = EmulatorClient(self.directory)
        except BaseException:
            self.close()
            raise

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise GuestError(f"the emulator ended with {self.process.returncode}; see {self.log.name}")
        return (self.directory / "ready.json").exists()

    def close(self) -> None:
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.log.close()


def tokens(text: str) -> dict:
    """The token bundle that `keyctl pipe` printed."""
    found = re.search(r"\{.*\}", text, re.DOTALL)
    if not found:
        raise GuestError(f"there are no tokens in {text!r}")
    return json.loads(found.group())
