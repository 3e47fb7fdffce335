"""Test machines: private namespaces where real hosts of PAM have accounts, files, keyrings and a network of their own.

Each machine has a user namespace too, because root's keyrings belong to one: without it two machines, and the real one,
would share a registry of sessions. Its uids are the real ones all the same (identity map), so the kernel's key quota of
a uid is shared by all machines that use that uid at the same time; `add_user` therefore picks uids that differ by
machine.
"""

import atexit
import contextlib
import ctypes
import errno
import fcntl
import fnmatch
import functools
import io
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pexpect
import pexpect.fdpexpect

from .compiled import compiled
from .process_state import ProcessState, ProcessSummary, list_processes, read_state

REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
GENEROUS = 60.0
# For how long a killed process is waited for.
_ENDING_SECONDS = 5.0
_INIT = Path(__file__).with_name("machine_init.py")
_SYS_OPENAT2 = 437
_RESOLVE_IN_ROOT, _RESOLVE_NO_MAGICLINKS = 0x10, 0x02

_FACILITIES = {0: "kern", 1: "user", 3: "daemon", 4: "auth", 9: "cron", 10: "authpriv"}

Text = str | bytes

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _text(value: Text | os.PathLike) -> str:
    return os.fsdecode(value)


def _bytes(value: Text) -> bytes:
    return os.fsencode(value)


def password_hash(password: Text) -> str:
    """A cheap hash: pam_unix is not what is tested here."""
    crypt = ctypes.CDLL("libcrypt.so.1").crypt
    crypt.restype = ctypes.c_char_p
    return crypt(_bytes(password), b"$6$rounds=1000$" + os.urandom(6).hex().encode()).decode()


@dataclass(frozen=True)
class LogEntry:
    """One syslog message; `sender_pid` and `sender_uid` come from the kernel, `tag` and `pid` from the message."""

    time: float
    facility: int
    severity: int
    tag: str
    pid: int
    sender_pid: int
    sender_uid: int
    message: str

    SEVERITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")

    @property
    def level(self) -> str:
        return self.SEVERITIES[self.severity]

    @property
    def facility_name(self) -> str:
        return _FACILITIES.get(self.facility, str(self.facility))


@dataclass(frozen=True)
class Key:
    """A key as root finds it in a ring; `error` says why a part of it could not be read."""

    serial: int
    path: str
    depth: int
    timeout: int | None = None
    type: str = ""
    uid: int = -1
    gid: int = -1
    permissions: str = ""
    description: str = ""
    size: int = -1
    payload: bytes | None = None
    error: str = ""


@functools.cache
def _starter() -> int:
    """A descriptor of the program in start.c."""
    descriptor = os.memfd_create("start")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(compiled("start", "-static"))
    return descriptor


class MachineError(Exception):
    """The machine could not do what a test asked of it; never the outcome of a login."""


class Closing:
    """What is closed at the end of a `with` block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class MachineProcess:
    """A program running in a machine. `pid` is its number inside."""

    def __init__(self, machine: "Machine", pid: int, reply: socket.socket, arguments: Sequence[str]):
        self.machine, self.pid, self.arguments = machine, pid, list(arguments)
        self._reply, self._status = reply, None

    def fileno(self) -> int:
        """Readable when the program has ended."""
        return self._reply.fileno()

    def poll(self) -> int | None:
        """The exit status, negative for a signal, or None while it runs."""
        return self._wait(0)

    def wait(self, timeout: float = GENEROUS) -> int:
        status = self._wait(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.arguments, timeout)
        return status

    def _wait(self, timeout: float) -> int | None:
        if self._status is None:
            if not select.select([self._reply], [], [], timeout)[0]:
                return None
            answer = _read_line(self._reply)
            self._reply.close()
            self._status = os.waitstatus_to_exitcode(answer["status"])
        return self._status

    @property
    def ended(self) -> bool:
        return self.poll() is not None

    @property
    def sleeps(self) -> bool:
        """It waits for something."""
        return self._letter() == b"S"

    @property
    def is_stopped(self) -> bool:
        """By a signal."""
        return self._letter() == b"T"

    def _letter(self) -> bytes:
        """Its state, as proc_pid_stat(5) has it."""
        stat = (self.machine.proc / str(self.pid) / "stat").read_bytes()
        return stat.rpartition(b")")[2].split()[0]

    def signal(self, number: int) -> None:
        self.machine.kill(self.pid, number)

    def end(self, timeout: float = GENEROUS) -> int:
        """Kills it if it still runs."""
        if not self.ended:
            with contextlib.suppress(ProcessLookupError):
                self.signal(signal.SIGKILL)
        return self.wait(timeout)

    def terminate(self) -> None:
        """Asks it to end, and kills it if it does not."""
        if not self.ended:
            self.signal(signal.SIGTERM)
            try:
                self.wait(10)
            except subprocess.TimeoutExpired:
                self.end()

    def end_group(self) -> None:
        """All that it has started, too, with one signal: of processes that keep the processors busy, each would else
        wait for the others' turns until it is over."""
        self.machine.run(["sh", "-c", f"kill -KILL -{self.pid}"], check=True)
        self.wait()

    def state(self) -> ProcessState:
        return self.machine.state(self.pid)


class Terminal(pexpect.fdpexpect.fdspawn):
    """A program on a pty of the machine's own devpts, driven from outside through the pty's master end.

    It is the leader of its session and the pty is its controlling terminal, whatever its standard streams are.
    """

    QUIET = 0.03

    def __init__(self, process: MachineProcess, master: int, held_slave: int = -1):
        self._held_slave = held_slave
        super().__init__(
            master, timeout=GENEROUS, encoding="utf-8", codec_errors="surrogateescape", use_poll=True, maxread=65536
        )
        self.process = process
        self.transcript = io.StringIO()
        self.logfile_read = self.transcript

    @property
    def pid(self) -> int:
        return self.process.pid

    @pid.setter
    def pid(self, _) -> None:
        """pexpect sets a pid of its own; ours is the program's."""

    @property
    def seen(self) -> str:
        """All that the terminal has shown so far."""
        return self.transcript.getvalue()

    def __str__(self) -> str:
        """What a failed expectation shows."""
        return f"{self.process.arguments} has shown {self.seen!r}"

    @property
    def echo_is_on(self) -> bool:
        return bool(termios.tcgetattr(self.child_fd)[3] & termios.ECHO)

    def read_nonblocking(self, size: int = 1, timeout: float | None = -1) -> str:
        """As pexpect's. A terminal that no stream holds open is kept open by us, and ends with its program.

        util-linux's login hangs its terminal up first (vhangup(2)), and opens it anew: until something has been shown,
        only the program's end is the end.
        """
        if self._held_slave >= 0:
            timeout = self.timeout if timeout == -1 else timeout
            ready = select.select([self.child_fd, self.process], [], [], timeout)[0]
            if not ready:
                raise pexpect.TIMEOUT("nothing was shown")
            if self.child_fd not in ready and not select.select([self.child_fd], [], [], 0)[0]:
                self.process.poll()
                self.flag_eof = True
                raise pexpect.EOF("the program has ended")
        try:
            return super().read_nonblocking(size, timeout)
        except pexpect.EOF:
            if self.closed or self.seen or not self._opens_anew():
                raise
        self.flag_eof = False
        return super().read_nonblocking(size, timeout)

    def _opens_anew(self) -> bool:
        """Waits until somebody has the terminal open, or the program has ended."""
        poll = select.poll()
        poll.register(self.child_fd, select.POLLIN)
        while any(events & select.POLLHUP for _, events in poll.poll(0)):
            if select.select([self.process], [], [], 0.005)[0]:
                self.process.poll()
                return False
        return True

    @property
    def _hides_typing_by_line(self) -> bool:
        modes = termios.tcgetattr(self.child_fd)[3]
        return not modes & termios.ECHO and bool(modes & termios.ICANON)

    def read_until_waiting(self, looks_waiting, timeout: float | None = None) -> tuple[str, bool]:
        """Reads until the program seems to wait for the person, or has ended: the text, and whether it goes on.

        `looks_waiting(text)` judges the text. A terminal in hidden-line mode settles it at once; otherwise the text
        must also stay as it is for a moment, since a line may arrive in pieces.
        """
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        text = self.buffer
        self.buffer = self.string_type()
        while True:
            waiting = looks_waiting(text)
            if waiting and self._hides_typing_by_line:
                return text, True
            left = deadline - time.monotonic()
            if left <= 0:
                raise MachineError(f"nothing more from {self.process.arguments} after {text!r}; before: {self.seen!r}")
            try:
                text += self.read_nonblocking(65536, timeout=min(self.QUIET, left) if waiting else left)
            except pexpect.TIMEOUT:
                if waiting:
                    return text, True
            except pexpect.EOF:
                return text, False

    def type_line(self, line: Text) -> None:
        os.write(self.child_fd, _bytes(line) + b"\n")

    def answer(self, prompt: str, line: Text, timeout: float = GENEROUS) -> None:
        """Waits for the pattern, then types the line."""
        self.expect(prompt, timeout=timeout)
        self.type_line(line)

    def converse(self, command: str, question: str, line: Text) -> str:
        """Has the shell run a command that asks a question, and types the line then; what is shown afterwards."""
        self.type_line(f"{command}; echo ov''er")
        self.answer(question, line)
        self.expect("over\r\n")
        return self.before

    def hang_up(self) -> None:
        """The terminal goes away, as when a window is closed."""
        if not self.closed:
            self.close()

    def close(self) -> None:
        if self.child_fd >= 0:
            os.close(self.child_fd)
            if self._held_slave >= 0:
                os.close(self._held_slave)
            self.child_fd = self._held_slave = -1
            self.closed = True

    def wait(self, timeout: float = GENEROUS) -> int:
        """Waits for the program's end, reading along so that it cannot block on a full terminal."""
        deadline = time.monotonic() + timeout
        while not self.closed and not self.flag_eof:
            try:
                self.read_nonblocking(65536, timeout=0.05)
            except pexpect.TIMEOUT:
                if self.process.ended or time.monotonic() > deadline:
                    break
            except pexpect.EOF:
                break
        return self.process.wait(max(0.0, deadline - time.monotonic()))


def _read_line(channel: socket.socket, data: bytes = b"") -> dict:
    """One answer of pid 1, and nothing beyond it: a program's later exit status follows on the same channel."""
    line = bytearray(data)
    while not line.endswith(b"\n"):
        waiting = channel.recv(1 << 16, socket.MSG_PEEK)
        if not waiting:
            raise MachineError("the machine has ended")
        line += channel.recv(waiting.find(b"\n") + 1 or len(waiting))
    return json.loads(line)


def _clear_away_directories_of_the_dead() -> None:
    """A test runner that was killed could not remove its machines' directories; their locks fell with it."""
    for directory in Path(tempfile.gettempdir()).glob("pam-machine-*"):
        with contextlib.suppress(OSError):
            if time.time() - directory.stat().st_mtime < 60:
                continue
            lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(lock)


#: The files below $0, and what packaging/install.sh makes in a machine beside them.
_COPY_AND_COMPLETE = """
cp -a "$0"/* /
mkdir -p /run/pam-cognito /var/lib/pam-cognito/accounts
chmod 700 /var/lib/pam-cognito
for name in _pam-cognito _pam-cognito-accounts; do
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$name"
done
"""


@functools.cache
def _installed_files() -> str:
    """A directory in which packaging/install.sh has installed the product; it is gone when the tests are."""
    directory = tempfile.mkdtemp(prefix="installed-", dir=REPOSITORY / ".build")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    os.chmod(directory, 0o755)
    subprocess.run(
        ["/bin/sh", str(REPOSITORY / "packaging" / "install.sh"), f"DESTDIR={directory}", "STRIP="],
        stdin=subprocess.DEVNULL,
        check=True,
    )
    return directory


class Machine(Closing):
    """A context manager; everything in it ends, and every file it wrote is gone, when it is closed."""

    _count = 0

    def __init__(self, name: str = "machine", visible: Iterable[Path] = ()):
        if os.geteuid() != 0:
            raise MachineError("test machines need root")
        if not Machine._count:
            _clear_away_directories_of_the_dead()
        Machine._count += 1
        self.name = name
        self.directory = Path(tempfile.mkdtemp(prefix="pam-machine-"))
        os.chmod(self.directory, 0o755)
        self._directory_lock = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._directory_lock, fcntl.LOCK_EX)
        self.shared = self.directory / "shared"
        (self.directory / "stage").mkdir()
        self.shared.mkdir()
        self._log_path = self.shared / "syslog.jsonl"
        self._lock = threading.Lock()
        # This Python's, too, where it is none of Debian's: it may be in a home, of which a machine sees nothing else.
        self._visible = [REPOSITORY, Path(sys.prefix), Path(sys.base_prefix), *visible]
        self._next_uid = 20000 + (os.getpid() + 37 * Machine._count) % 390 * 100
        self._open = False
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"<Machine {self.name} {self.directory}>"

    # Starting and ending

    def _start(self) -> None:
        plan = {
            "name": self.name,
            "stage": str(self.directory / "stage"),
            "shared": str(self.shared),
            "log": str(self._log_path),
            "visible": sorted({str(path) for path in self._visible if not path.is_relative_to("/usr")}),
        }
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 21)
        self._starter = subprocess.Popen(
            ["/usr/bin/python3", "-I", "-S", str(_INIT), str(theirs.fileno()), str(_starter()), json.dumps(plan)],
            pass_fds=[theirs.fileno(), _starter()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={"PATH": DEFAULT_PATH, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd="/",
        )
        theirs.close()
        self._open = True
        received: dict = {}
        while not {"init", "ready"} <= received.keys():
            message = self._control.recv(1 << 16)
            if not message:
                raise MachineError(f"the machine did not start; exit status {self._starter.wait()}")
            received |= json.loads(message)
            if "failed" in received:
                raise MachineError(received["failed"])
            if "unshared" in received:
                pid = received.pop("unshared")
                for file in ("uid_map", "gid_map"):
                    try:
                        Path(f"/proc/{pid}/{file}").write_text("0 0 4294967295\n")
                    except OSError as problem:
                        raise MachineError(f"the machine needs all user ids: {problem}") from None
                self._control.send(b"mapped")
        self._init = os.pidfd_open(received["init"])
        self.init_pid = received["init"]
        self.proc = Path(f"/proc/{self.init_pid}/root/proc")
        self._root = os.open(f"/proc/{self.init_pid}/root", os.O_PATH | os.O_DIRECTORY)
        _, descriptors = self._ask("written", descriptors_expected=1)
        self._written = descriptors[0]

    def close(self) -> None:
        if self._open:
            self._open = False
            self._control.close()
            if hasattr(self, "_init"):
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._init, signal.SIGKILL)
                os.close(self._init)
            try:
                self._starter.wait(GENEROUS)
            except subprocess.TimeoutExpired:
                self._starter.kill()
            for name in ("_root", "_written"):
                if hasattr(self, name):
                    os.close(getattr(self, name))
        shutil.rmtree(self.directory, ignore_errors=True)
        if self._directory_lock >= 0:
            os.close(self._directory_lock)
            self._directory_lock = -1

    # Talking to pid 1

    def _ask(
        self, operation: str, *, send: Sequence[int] = (), descriptors_expected: int = 0, keep: bool = False, **request
    ):
        ours, theirs = socket.socketpair()
        message = json.dumps({"operation": operation, **request}).encode()
        with self._lock:
            try:
                socket.send_fds(self._control, [message], [theirs.fileno(), *send])
            except OSError as problem:
                ours.close()
                raise MachineError(f"the machine has ended ({problem})") from None
            finally:
                theirs.close()
        data, descriptors = b"", []
        if descriptors_expected:
            data, descriptors, _, _ = socket.recv_fds(ours, 1, descriptors_expected)
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
        rest = _read_line(ours, data)
        if "error" in rest:
            ours.close()
            if rest.get("errno"):
                raise OSError(rest["errno"], rest["error"])
            raise MachineError(rest["error"])
        if not keep:
            ours.close()
            return rest, descriptors
        return rest, descriptors, ours

    # Programs

    def start(
        self,
        argv: Sequence[Text | os.PathLike],
        *,
        user: Text | None = None,
        env: Mapping[str, Text] | None = None,
        clean_environment: bool = False,
        stdin: int | None = None,
        stdout: int | str | os.PathLike | None = None,
        stderr: int | str | os.PathLike | None = None,
        cwd: str | os.PathLike = "/",
        new_session_keyring: bool = False,
        limits: Mapping[str, int] | None = None,
        program: str | None = None,
        terminal: tuple[int, int] | None = None,
        streams_on_terminal: bool = True,
    ) -> MachineProcess | Terminal:
        """Starts a program as a child of pid 1: in its own session, with default signals and nothing inherited.

        `stdout` and `stderr` may be a descriptor or the path, as outside, of a file to append to. `env` is added to a
        plain login environment, or is all there is with `clean_environment`. `limits` are RLIMIT names and values. With
        `terminal` (rows, columns) the program gets a controlling terminal, and its streams too unless told otherwise.
        """
        account = self.account(user)
        environment = {} if clean_environment else self._environment(account)
        environment |= {name: _text(value) for name, value in (env or {}).items()}
        arguments = [_text(argument) for argument in argv]
        opened: list[int] = []

        def stream(target: int | str | os.PathLike | None, flags: int) -> int:
            if isinstance(target, int):
                return target
            descriptor = os.open(target or os.devnull, flags, 0o600)
            opened.append(descriptor)
            return descriptor

        try:
            send: list[int] = []
            if not (terminal and streams_on_terminal):
                appending = os.O_WRONLY | os.O_APPEND | os.O_CREAT
                send = [stream(stdin, os.O_RDONLY), stream(stdout, appending), stream(stderr, appending)]
            answer, descriptors, reply = self._ask(
                "start",
                send=send,
                descriptors_expected=2 if terminal else 0,
                keep=True,
                hold_terminal=not streams_on_terminal,
                arguments=arguments,
                program=program or self._find_program(arguments[0], environment.get("PATH", DEFAULT_PATH)),
                environment=environment,
                cwd=_text(cwd),
                new_session_keyring=new_session_keyring,
                limits=dict(limits or {}),
                terminal=terminal,
                uid=account["uid"] if user is not None else None,
                gid=account["gid"],
                groups=account["groups"],
            )
        finally:
            for descriptor in opened:
                os.close(descriptor)
        process = MachineProcess(self, answer["pid"], reply, arguments)
        return Terminal(process, *descriptors) if terminal else process

    def run(
        self,
        argv: Sequence[Text | os.PathLike],
        *,
        user: Text | None = None,
        input: Text | None = None,
        timeout: float = GENEROUS,
        check: bool = False,
        **options,
    ) -> subprocess.CompletedProcess:
        """Runs a program to its end; output is text (bytes that are not UTF-8 become surrogates).

        Ends with the program itself, not with whatever it left in the background holding its output.
        """
        ends = [os.pipe() for _ in range(3)]
        (stdin_read, stdin_write), (stdout_read, stdout_write), (stderr_read, stderr_write) = ends
        ours = {stdin_write, stdout_read, stderr_read}
        try:
            try:
                streams = {"stdin": stdin_read, "stdout": stdout_write, "stderr": stderr_write}
                process = self.start(argv, user=user, **streams, **options)
            finally:
                for descriptor in (stdin_read, stdout_write, stderr_write):
                    os.close(descriptor)
            pending = _bytes(input or b"")
            output, errors = self._converse(process, pending, stdin_write, stdout_read, stderr_read, ours, timeout)
        finally:
            for descriptor in ours:
                os.close(descriptor)
        done = subprocess.CompletedProcess(process.arguments, process.wait(), output, errors)
        if check and done.returncode:
            raise MachineError(f"{done.args} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    @staticmethod
    def _converse(process, pending: bytes, stdin: int, stdout: int, stderr: int, ours: set[int], timeout: float):
        deadline = time.monotonic() + timeout
        collected = {stdout: bytearray(), stderr: bytearray()}
        poller = select.poll()
        for descriptor in (stdout, stderr, process.fileno()):
            poller.register(descriptor, select.POLLIN)
        if pending:
            os.set_blocking(stdin, False)
            poller.register(stdin, select.POLLOUT)
        else:
            ours.discard(stdin)
            os.close(stdin)
        for descriptor in collected:
            os.set_blocking(descriptor, False)
        running = True
        while running:
            left = deadline - time.monotonic()
            if left <= 0:
                process.end()
                partial = bytes(collected[stdout]), bytes(collected[stderr])
                raise subprocess.TimeoutExpired(process.arguments, timeout, *partial)
            for descriptor, _ in poller.poll(left * 1000):
                if descriptor == process.fileno():
                    running = False
                elif descriptor == stdin:
                    try:
                        pending = pending[os.write(stdin, pending) :]
                    except BrokenPipeError:
                        pending = b""
                    if not pending:
                        poller.unregister(stdin)
                        ours.discard(stdin)
                        os.close(stdin)
                else:
                    with contextlib.suppress(BlockingIOError):
                        part = os.read(descriptor, 1 << 16)
                        collected[descriptor] += part
                        if not part:
                            poller.unregister(descriptor)
        for descriptor, data in collected.items():
            with contextlib.suppress(BlockingIOError):
                while part := os.read(descriptor, 1 << 16):
                    data += part
        return tuple(bytes(data).decode("utf-8", "surrogateescape") for data in collected.values())

    def spawn_pty(self, argv: Sequence[Text], *, user: Text | None = None, env=None, **options) -> Terminal:
        """A program on a terminal of the machine, wide enough that nothing wraps."""
        return self.start(argv, user=user, env={"TERM": "dumb"} | dict(env or {}), terminal=(50, 250), **options)

    def _find_program(self, name: str, path: str) -> str:
        if "/" in name:
            return name
        for folder in path.split(":"):
            if self.exists(f"{folder}/{name}"):
                return f"{folder}/{name}"
        raise MachineError(f"no program {name} in {path}")

    def _environment(self, account: dict) -> dict[str, str]:
        return {
            "PATH": DEFAULT_PATH,
            "HOME": account["home"],
            "USER": account["name"],
            "LOGNAME": account["name"],
            "SHELL": account["shell"],
            "LANG": "C.UTF-8",
        }

    def outer_pid(self, pid: int) -> int:
        """What a program that `start` began is called outside, for what only the kernel's root may do to it."""
        for child in Path(f"/proc/{self.init_pid}/task/{self.init_pid}/children").read_text().split():
            status = Path(f"/proc/{child}/status").read_text()
            if int(status.partition("NSpid:")[2].splitlines()[0].split()[-1]) == pid:
                return int(child)
        raise ProcessLookupError(pid)

    def kill(self, pid: int, number: int = signal.SIGKILL) -> None:
        """Signals a process by its number inside; ProcessLookupError when it is gone.

        One that is killed is over when this returns, with what it held; but a frozen one ends when it is thawed.
        """
        _, (process,) = self._ask("kill", pid=pid, signal=int(number), descriptors_expected=1)
        try:
            if number == signal.SIGKILL:
                select.select([process], [], [], _ENDING_SECONDS)
        finally:
            os.close(process)

    def kill_all(self, pids: Iterable[int]) -> None:
        """Kills those that have not ended by themselves meanwhile."""
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                self.kill(pid)

    # Processes

    def processes(self) -> list[ProcessSummary]:
        """All of the machine's, pid 1 included; a zombie that pid 1 has yet to reap is reaped first."""
        self.settle()
        return sorted(list_processes(self.proc), key=lambda process: process.pid)

    def state(self, pid: int) -> ProcessState:
        return read_state(self.proc / str(pid))

    def pids(self, name: str) -> list[int]:
        """The processes of that name."""
        return [process.pid for process in self.processes() if process.name == name]

    def descendants(self, *pids: int) -> list[ProcessSummary]:
        everything = self.processes()
        family = {*pids}
        for process in everything:
            if process.parent in family:
                family.add(process.pid)
        return [process for process in everything if process.pid in family and process.pid not in pids]

    def end_processes(self, keep: Iterable[int] = ()) -> None:
        """Kills every process but pid 1, those in `keep` and their descendants, until none is left."""
        kept = set(keep) - {1}
        spared = {1, *kept, *(process.pid for process in self.descendants(*kept))}
        deadline = time.monotonic() + GENEROUS
        while others := [process.pid for process in self.processes() if process.pid not in spared]:
            ending = []
            for pid in others:
                with contextlib.suppress(ProcessLookupError):
                    ending += self._ask("kill", pid=pid, signal=int(signal.SIGKILL), descriptors_expected=1)[1]
            for process in ending:
                select.select([process], [], [], _ENDING_SECONDS)
                os.close(process)
            if time.monotonic() > deadline:
                raise MachineError(f"processes that do not end: {others}")
            # They have ended, but the dead are there until their parents have asked for them, of whom some are spared.
            time.sleep(0.002)

    def wait_until(self, condition, what: str = "the condition", timeout: float = GENEROUS):
        """Waits for something that happens by itself; returns what the condition returned.

        The longer it takes, the less often it asks: a look at all processes or keys costs the processor milliseconds.
        """
        began = time.monotonic()
        while not (result := condition()):
            waited = time.monotonic() - began
            if waited > timeout:
                raise MachineError(f"{what} did not come about within {timeout:g} s")
            time.sleep(min(max(0.005, waited / 10), 0.05))
        return result

    # Files

    def _open_inside(self, path: Text | os.PathLike, flags: int, mode: int = 0) -> int:
        """Opens a path as the machine sees it: its symbolic links never lead out into the real tree."""
        how = struct.pack("=QQQ", flags | os.O_CLOEXEC, mode, _RESOLVE_IN_ROOT | _RESOLVE_NO_MAGICLINKS)
        call = (self._root, os.fsencode(path), how, len(how))
        arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in call]
        descriptor = _libc.syscall(ctypes.c_long(_SYS_OPENAT2), *arguments)
        if descriptor < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), _text(path))
        return descriptor

    @contextlib.contextmanager
    def _parent(self, path: Text | os.PathLike, create: bool = False) -> Iterator[tuple[int, str]]:
        parent, name = os.path.split(_text(path).rstrip("/"))
        if create:
            self.make_directory(parent)
        descriptor = self._open_inside(parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield descriptor, name
        finally:
            os.close(descriptor)

    def make_directory(self, path: Text | os.PathLike, mode: int = 0o755, owner: Text | None = None) -> None:
        path = _text(path).rstrip("/") or "/"
        if not self.exists(path):
            with self._parent(path, create=True) as (parent, name):
                os.mkdir(name, dir_fd=parent)
                os.chmod(name, mode, dir_fd=parent)
                if owner is not None:
                    account = self.account(owner)
                    os.chown(name, account["uid"], account["gid"], dir_fd=parent)

    def write(
        self, path: Text | os.PathLike, content: Text, mode: int = 0o644, owner: Text | tuple[int, int] | None = None
    ) -> None:
        """Writes a file and the folders it needs. An existing file keeps its inode, as an editor in place would do; a
        program that still runs is replaced, as dpkg does it."""
        self.make_directory(os.path.dirname(_text(path)))
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        try:
            descriptor = self._open_inside(path, flags, 0o600)
        except OSError as error:
            if error.errno != errno.ETXTBSY:
                raise
            self.remove(path)
            descriptor = self._open_inside(path, flags, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(_bytes(content))
            if isinstance(owner, tuple):
                os.fchown(file.fileno(), *owner)
            elif owner is not None:
                account = self.account(owner)
                os.fchown(file.fileno(), account["uid"], account["gid"])
            os.fchmod(file.fileno(), mode)

    def append(self, path: Text | os.PathLike, content: Text) -> None:
        with os.fdopen(self._open_inside(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644), "ab") as file:
            file.write(_bytes(content))

    def read_bytes(self, path: Text | os.PathLike) -> bytes:
        with os.fdopen(self._open_inside(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read()

    def read(self, path: Text | os.PathLike) -> str:
        return self.read_bytes(path).decode("utf-8", "surrogateescape")

    def stat(self, path: Text | os.PathLike) -> os.stat_result:
        descriptor = self._open_inside(path, os.O_PATH)
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)

    def exists(self, path: Text | os.PathLike) -> bool:
        try:
            self.stat(path)
        except OSError as problem:
            if problem.errno in (errno.ENOENT, errno.ENOTDIR):
                return False
            raise
        return True

    def remove(self, path: Text | os.PathLike) -> None:
        """Removes one file, if it is there."""
        with contextlib.suppress(FileNotFoundError), self._parent(path) as (parent, name):
            os.unlink(name, dir_fd=parent)

    def link(self, path: Text | os.PathLike, target: Text) -> None:
        with self._parent(path, create=True) as (parent, name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=parent)
            os.symlink(_text(target), name, dir_fd=parent)

    @contextlib.contextmanager
    def preserved(self, *paths: Text | os.PathLike) -> Iterator[None]:
        """Puts the files back as they were, content and mode, or away again if they were not there."""
        before = [
            (path, self.read_bytes(path), self.stat(path)) if self.exists(path) else (path, None, None)
            for path in paths
        ]
        try:
            yield
        finally:
            for path, content, status in before:
                if content is None:
                    self.remove(path)
                else:
                    self.write(path, content, status.st_mode & 0o7777, (status.st_uid, status.st_gid))

    def written_files(self) -> Iterator[tuple[str, os.DirEntry, int]]:
        """Every regular file the machine has written: a name for people, the entry, and its folder's descriptor."""
        pending = [("", os.dup(self._written)), ("shared:", os.open(self.shared, os.O_RDONLY | os.O_DIRECTORY))]
        while pending:
            name, folder = pending.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            if not entry.name.startswith(".work-"):
                                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                                with contextlib.suppress(FileNotFoundError):
                                    pending.append((f"{name}/{entry.name}", os.open(entry.name, flags, dir_fd=folder)))
                        elif entry.is_file(follow_symlinks=False):
                            yield f"{name}/{entry.name}", entry, folder
            finally:
                os.close(folder)

    # Accounts

    def account(self, user: Text | None) -> dict:
        """name, uid, gid, groups, home and shell, as the machine's own files have them; None is root."""
        if user is None or user in ("root", b"root"):
            return {"name": "root", "uid": 0, "gid": 0, "groups": [0], "home": "/root", "shell": "/bin/sh"}
        wanted = _bytes(user)
        for line in self.read_bytes("/etc/passwd").splitlines():
            columns = line.split(b":")
            if columns[0] == wanted:
                gid = int(columns[3])
                groups = {gid} | {
                    int(group[2])
                    for group in (row.split(b":") for row in self.read_bytes("/etc/group").splitlines())
                    if len(group) == 4 and wanted in group[3].split(b",")
                }
                return {
                    "name": _text(wanted),
                    "uid": int(columns[2]),
                    "gid": gid,
                    "groups": sorted(groups),
                    "home": _text(columns[5]),
                    "shell": _text(columns[6] or b"/bin/sh"),
                }
        raise MachineError(f"no account {user!r} in the machine")

    def uid(self, user: Text) -> int:
        return self.account(user)["uid"]

    def add_user(
        self,
        name: Text,
        uid: int | None = None,
        password: Text | None = None,
        groups: Iterable[str] = (),
        *,
        shell: str = "/bin/sh",
        password_field: str | None = None,
    ) -> int:
        """Writes the account's lines directly, so that a name may hold any bytes that passwd(5) can; returns the uid.

        Without a password the account is locked for pam_unix; `password_field` gives the shadow field itself.
        """
        if uid is None:
            uid, self._next_uid = self._next_uid, self._next_uid + 1
        home = f"/home/{_text(name).replace('/', '_')}"
        field = password_field or (password_hash(password) if password is not None else "!")
        number = b"%d" % uid
        rows = {
            "/etc/passwd": [_bytes(name), b"x", number, number, b"", _bytes(home), _bytes(shell)],
            "/etc/shadow": [_bytes(name), _bytes(field), b"19700:0:99999:7:::"],
            "/etc/group": [_bytes(name), b"x", number, b""],
        }
        for file, columns in rows.items():
            self.append(file, b":".join(columns) + b"\n")
        for group in groups:
            self.add_to_group(name, group)
        self.make_directory(home, 0o700)
        with self._parent(home) as (parent, entry):
            os.chown(entry, uid, uid, dir_fd=parent)
        return uid

    def add_group(self, name: str, gid: int | None = None) -> int:
        if gid is None:
            gid, self._next_uid = self._next_uid, self._next_uid + 1
        self.append("/etc/group", f"{name}:x:{gid}:\n")
        return gid

    def add_to_group(self, user: Text, group: str) -> None:
        """Makes the group if it is not there."""
        rows = self.read_bytes("/etc/group").splitlines()
        if not any(row.startswith(_bytes(group) + b":") for row in rows):
            self.add_group(group)
            rows = self.read_bytes("/etc/group").splitlines()
        for index, row in enumerate(rows):
            if row.startswith(_bytes(group) + b":"):
                rows[index] = row + (b"" if row.endswith(b":") else b",") + _bytes(user)
        self.write("/etc/group", b"\n".join(rows) + b"\n")

    def remove_user(self, name: Text) -> None:
        for file in ("/etc/passwd", "/etc/shadow", "/etc/group"):
            rows = self.read_bytes(file).splitlines(keepends=True)
            kept = [row for row in rows if not row.startswith(_bytes(name) + b":")]
            self.write(file, b"".join(kept), self.stat(file).st_mode & 0o7777)

    # PAM and the product

    def pam(self, service: str, text: str) -> None:
        self.write(f"/etc/pam.d/{service}", text if text.endswith("\n") else text + "\n")

    def shipped_pam(self) -> None:
        """Installs the repository's own service files, as an administrator would by copying them."""
        for path in (REPOSITORY / "pam.d").iterdir():
            self.write(f"/etc/pam.d/{path.name}", path.read_bytes())

    def install(self, destdir: str = "") -> None:
        """Installs the built product into this machine only, with the script that an administrator uses."""
        self.run(
            ["/bin/sh", str(REPOSITORY / "packaging" / "install.sh")],
            # packaging/build.sh --debug has stripped the programs.
            env={"DESTDIR": destdir, "STRIP": ""},
            cwd=REPOSITORY,
            check=True,
        )

    def install_copy(self) -> None:
        """What `install` leaves, without two hundred programs: the script runs once, and machines copy its files."""
        self.run(["/bin/sh", "-euc", _COPY_AND_COMPLETE, _installed_files()], check=True)

    # Log

    def settle(self) -> None:
        """Every log message already sent is recorded, and every dead orphan reaped, when this returns."""
        self._ask("settle")

    def log_mark(self) -> int:
        """A place in the log, to be given to `log`."""
        self.settle()
        return self._log_path.stat().st_size

    def log(self, since: int = 0, tag: str | None = None, containing: str | None = None) -> list[LogEntry]:
        self.settle()
        with open(self._log_path, "rb") as file:
            file.seek(since)
            # The last may not be whole yet.
            entries = [LogEntry(**json.loads(line)) for line in file if line.endswith(b"\n")]
        return [
            entry
            for entry in entries
            if (tag is None or fnmatch.fnmatch(entry.tag, tag)) and (containing is None or containing in entry.message)
        ]

    def lines(self, since: int = 0, tag: str | None = None, containing: str | None = None) -> list[str]:
        """The messages alone."""
        return [entry.message for entry in self.log(since, tag, containing)]

    # Keys

    def keys(self, payloads: bool = False, user: Text | None = None, timeouts: bool = True) -> list[Key]:
        """What hangs in root's user keyring of this machine, or in a user's, depth first."""
        uid = None if user is None else self.uid(user)
        answer, _ = self._ask("keys", what="tree", payloads=payloads, timeouts=timeouts, uid=uid)
        found = []
        for entry in answer["result"]:
            if "payload" in entry:
                entry["payload"] = entry["payload"].encode("latin-1")
            found.append(Key(**entry))
        return found

    def proc_keys(self, user: Text | None = None) -> list[dict]:
        """/proc/keys as root or a user sees it; other machines' and the real one's keys may be in root's view."""
        answer, _ = self._ask("keys", what="listing", uid=None if user is None else self.uid(user))
        return answer["result"]

    def inherited_session_keyring(self) -> dict | None:
        """The session keyring that programs started here inherit from whoever started the tests; None if there is none.

        A daemon is started truly bare only when this is None: a session keyring can be exchanged, never put off.
        """
        return self._ask("keys", what="session", uid=None)[0]["result"]

    def forget_keys(self) -> None:
        """Empties root's user keyring."""
        self._ask("keys", what="clear", uid=None)

    # Network

    def network(self, up: bool) -> None:
        """Takes the loopback interface, all the network there is, down or up."""
        self._ask("loopback", up=up)

    def listen(self, port: int) -> int:
        """A listening socket of this machine's loopback interface: a descriptor, whoever accepts its connections."""
        return self._ask("listen", port=port, descriptors_expected=1)[1][0]
