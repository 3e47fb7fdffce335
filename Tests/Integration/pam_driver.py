"""A scripted host of PAM: any sequence of PAM calls in one process, with what each of them changed in it."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .compiled import compiled
from .machine import GENEROUS, Closing, Machine, MachineError, Text
from .process_state import ProcessState

CODES = (
    "PAM_SUCCESS PAM_OPEN_ERR PAM_SYMBOL_ERR PAM_SERVICE_ERR PAM_SYSTEM_ERR PAM_BUF_ERR PAM_PERM_DENIED PAM_AUTH_ERR "
    "PAM_CRED_INSUFFICIENT PAM_AUTHINFO_UNAVAIL PAM_USER_UNKNOWN PAM_MAXTRIES PAM_NEW_AUTHTOK_REQD PAM_ACCT_EXPIRED "
    "PAM_SESSION_ERR PAM_CRED_UNAVAIL PAM_CRED_EXPIRED PAM_CRED_ERR PAM_NO_MODULE_DATA PAM_CONV_ERR PAM_AUTHTOK_ERR "
    "PAM_AUTHTOK_RECOVERY_ERR PAM_AUTHTOK_LOCK_BUSY PAM_AUTHTOK_DISABLE_AGING PAM_TRY_AGAIN PAM_IGNORE PAM_ABORT "
    "PAM_AUTHTOK_EXPIRED PAM_MODULE_UNKNOWN PAM_BAD_ITEM PAM_CONV_AGAIN PAM_INCOMPLETE"
).split()
FLAGS = {
    "ESTABLISH": 2,
    "DELETE": 4,
    "REINITIALIZE": 8,
    "REFRESH": 16,
    "CHANGE_EXPIRED": 32,
    "DISALLOW_NULL_AUTHTOK": 1,
    "SILENT": 0x8000,
}
ITEMS = {"SERVICE": 1, "USER": 2, "TTY": 3, "RHOST": 4, "AUTHTOK": 6, "OLDAUTHTOK": 7, "RUSER": 8, "USER_PROMPT": 9}
STYLES = {1: "echo_off", 2: "echo_on", 3: "error", 4: "info"}


@dataclass(frozen=True)
class Message:
    style: str
    text: str

    @property
    def is_prompt(self) -> bool:
        return self.style.startswith("echo")


@dataclass(frozen=True)
class Odd:
    """What a conversation returns that is no answer: `code N` without any, or `nobody`, a success with none in it."""

    words: str


@dataclass(frozen=True)
class HostState:
    """The process as a whole: what /proc tells, and what only the process itself can tell."""

    process: ProcessState
    environment: tuple[str, ...]
    session_keyring: dict | None

    def differences(self, other: "HostState", ignoring: Sequence[str] = ("libraries",)) -> dict[str, tuple]:
        """What differs; that a module and its libraries are mapped is expected, so `libraries` is left out."""
        changes = self.process.differences(other.process)
        for name in ("environment", "session_keyring"):
            if getattr(self, name) != getattr(other, name):
                changes[name] = (getattr(self, name), getattr(other, name))
        return {name: pair for name, pair in changes.items() if name not in ignoring}


@dataclass(frozen=True)
class PamResult:
    code: str
    conversation: tuple[Message, ...]
    seconds: float
    before: HostState | None = field(default=None, repr=False)
    after: HostState | None = field(default=None, repr=False)

    @property
    def succeeded(self) -> bool:
        return self.code == "PAM_SUCCESS"

    @property
    def prompts(self) -> list[str]:
        return [message.text for message in self.conversation if message.is_prompt]

    @property
    def changes(self) -> dict[str, tuple]:
        """What the call changed in the host; empty is what a module owes its host."""
        assert self.before is not None and self.after is not None, "the driver was told not to observe"
        return self.before.differences(self.after)


def _hex(value: Text | None) -> str:
    return "-" if value is None else os.fsencode(value).hex()


def _unhex(value: str | None) -> str | None:
    return None if value is None else os.fsdecode(bytes.fromhex(value))


class PamDriver(Closing):
    """Runs as root, or, with `caller`, as a set-uid root program started by that user, as su and sudo are.

    With `through`, a command that leads to one that somebody else starts, `caller` runs that.
    `options` go to `Machine.start`: environment, limits, working directory, a session keyring of its own.
    """

    def __init__(
        self,
        machine: Machine,
        service: str,
        user: Text | None,
        *,
        caller: Text | None = None,
        observe: bool = True,
        items: dict[str, Text] | None = None,
        start: bool = True,
        through: Sequence[Text] = (),
        **options,
    ):
        self.machine, self.observe = machine, observe
        path = "/usr/local/libexec/pam-driver" + ("-setuid" if caller and not through else "")
        if not machine.exists(path):
            machine.write(path, compiled("pam_driver", "-lpam"), 0o4755 if path.endswith("-setuid") else 0o755)
        commands_read, commands_write = os.pipe()
        answers_read, answers_write = os.pipe()
        try:
            self.host = machine.start(
                through or [path], user=caller, stdin=commands_read, stdout=answers_write, **options
            )
        finally:
            os.close(commands_read)
            os.close(answers_write)
        self._commands = os.fdopen(commands_write, "wb", buffering=0)
        self._answers = os.fdopen(answers_read, "rb", buffering=0)
        self._pending = b""
        if start:
            self.start(service, user)
            for name, value in (items or {}).items():
                self.set_item(name, value)

    @property
    def pid(self) -> int:
        return self.host.pid

    def _tell(self, *words: object) -> None:
        self._commands.write(" ".join(str(word) for word in words).encode() + b"\n")

    def _hear(self, timeout: float = GENEROUS) -> dict:
        deadline = time.monotonic() + timeout
        while b"\n" not in self._pending:
            if not select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise MachineError("the PAM driver does not answer")
            part = os.read(self._answers.fileno(), 1 << 16)
            if not part:
                raise MachineError(f"the PAM driver has ended with status {self.host.wait()}")
            self._pending += part
        line, _, self._pending = self._pending.partition(b"\n")
        return json.loads(line)

    def _ask(self, *words: object) -> dict:
        self._tell(*words)
        return self._hear()

    def start(self, service: str, user: Text | None) -> None:
        code = self._ask("start", _hex(service), _hex(user))["code"]
        if code:
            raise MachineError(f"pam_start: {CODES[code]}")

    def call(
        self,
        function: str,
        flags: Sequence[str] | str = (),
        answers: Sequence[Text | Odd | Callable[[], Text] | None] = (),
        timeout: float = GENEROUS,
        in_thread: bool = False,
    ) -> PamResult:
        """Calls `pam_<function>`; each prompt takes the next answer. None, or none left, breaks the conversation."""
        number = sum(FLAGS[flag] for flag in ([flags] if isinstance(flags, str) else flags))
        left = list(answers)
        before = self.state() if self.observe else None
        conversation = []
        begun = time.monotonic()
        self._tell("call_in_thread" if in_thread else "call", function, number)
        while "code" not in (heard := self._hear(timeout)):
            message = Message(STYLES.get(heard["style"], str(heard["style"])), _unhex(heard["text"]) or "")
            conversation.append(message)
            if message.is_prompt:
                answer = left.pop(0) if left else None
                if callable(answer):
                    answer = answer()
                if not isinstance(answer, Odd):
                    answer = Odd("refuse" if answer is None else "answer " + os.fsencode(answer).hex())
                self._tell(answer.words)
        seconds = time.monotonic() - begun
        after = self.state() if self.observe else None
        return PamResult(CODES[heard["code"]], tuple(conversation), seconds, before, after)

    def authenticate(self, *answers: Text | None, flags: Sequence[str] = ()) -> PamResult:
        return self.call("authenticate", flags, answers)

    def is_asked(self) -> bool:
        """Whether the next that pam_authenticate says is a question, which is left open."""
        self._tell("call", "authenticate", 0)
        return STYLES.get(self._hear().get("style"), "").startswith("echo")

    def sign_in(self, *answers: Text | None, order: Sequence[tuple[str, str]] | None = None) -> list[PamResult]:
        """authenticate, acct_mgmt, setcred, open_session as su calls them; stops at the first that fails."""
        steps = order or [("authenticate", ()), ("acct_mgmt", ()), ("setcred", "ESTABLISH"), ("open_session", ())]
        results = []
        for function, flags in steps:
            results.append(self.call(function, flags, answers if function == "authenticate" else ()))
            if not results[-1].succeeded:
                break
        return results

    def visit(self, *answers: Text | None) -> PamResult:
        """What comes of a sign-in; one that succeeds has a session, which is closed at once."""
        result = self.authenticate(*answers)
        if result.succeeded:
            self.call("open_session")
            self.call("close_session")
        return result

    def sign_out(self) -> list[PamResult]:
        return [self.call("close_session"), self.call("setcred", "DELETE")]

    def set_item(self, name: str, value: Text | None) -> str:
        return CODES[self._ask("set_item", ITEMS[name], _hex(value))["code"]]

    def open_log(self) -> None:
        """Connects the process to the log, as its C library would at libpam's own first line, and stay so."""
        self._ask("open_log")

    def mute(self) -> None:
        """Takes the conversation away."""
        assert self._ask("mute")["code"] == 0

    def fork(self) -> None:
        """What follows is done by a copy of the process, for which it waits."""
        assert self._ask("fork")["code"] == 0

    def do_not_wait(self) -> None:
        """Spares the delay after a failure, which modules ask for (pam_fail_delay(3))."""
        self._ask("impatient")

    def item(self, name: str) -> str | None:
        return _unhex(self._ask("get_item", ITEMS[name])["value"])

    def put_environment(self, assignment: Text) -> str:
        return CODES[self._ask("putenv", _hex(assignment))["code"]]

    def environment(self) -> dict[str, str]:
        """PAM's environment, which the host would hand to the session."""
        entries = [_unhex(entry) for entry in self._ask("environment")["pam"]]
        return dict(entry.split("=", 1) for entry in entries)

    def session_keyring(self) -> dict | None:
        """The host's session keyring, found without installing one; None when it has none."""
        found = self._ask("session_keyring")["session_keyring"]
        if found and "text" in found:
            _, uid, gid, permissions, description = _unhex(found.pop("text")).split(";", 4)
            found |= {"uid": int(uid), "gid": int(gid), "permissions": permissions, "description": description}
        return found

    def heap(self) -> int:
        """The bytes that the host has from malloc(3) now."""
        return self._ask("heap")["bytes"]

    def heap_peak(self) -> int:
        """The most bytes of the heap since the last call, beyond those in use then; with heap_peak.c preloaded."""
        return self._ask("heap_peak")["bytes"]

    def set_uids(self, real: int, effective: int) -> None:
        self._ask("uids", real, effective)

    def job(self, user: Text, command: str, setcred: Sequence[str] | str | None = None) -> subprocess.CompletedProcess:
        """What the session would run: `sh -c` as the user, with PAM's environment and the host's session keyring.

        `setcred` flags make the child call pam_setcred as root first, as sshd's and cron's children do.
        """
        flags = -1 if setcred is None else sum(FLAGS[f] for f in ([setcred] if isinstance(setcred, str) else setcred))
        account = self.machine.account(user)
        done = self._ask("job", account["uid"], account["gid"], _hex(user), flags, _hex(command))
        return subprocess.CompletedProcess(command, done["status"], _unhex(done["output"]), "")

    def state(self) -> HostState:
        environment = tuple(_unhex(entry) for entry in self._ask("environment")["process"])
        return HostState(self.machine.state(self.pid), environment, self.session_keyring())

    def end(self, status: str = "PAM_SUCCESS") -> None:
        self._ask("end", CODES.index(status))

    def end_silently(self) -> None:
        """As sudo ends it, with PAM_DATA_SILENT."""
        self._ask("end", "0x40000000")

    def end_in_child(self, status: str = "0") -> None:
        """In a forked copy of the process; this one goes on. Without a status the copy lives on, and ends nothing."""
        self._ask("end_in_child", *([status] if status else []))

    def change_root(self, directory: Text) -> None:
        """chroot(2), and into it."""
        assert self._ask("root", _hex(directory))["code"] == 0

    def close(self) -> None:
        """Ends the process, by closing its input; kills it if it hangs."""
        for stream in (self._commands, self._answers):
            with contextlib.suppress(OSError):
                stream.close()
        if not self.host.ended:
            try:
                self.host.wait(5)
            except subprocess.TimeoutExpired:
                self.host.end()


class CronOrder(PamDriver):
    """cron's calls in cron's order: no authentication, all silent, credentials deleted before the session closes."""

    def __init__(self, machine: Machine, user: Text, service: str = "cron", **options):
        super().__init__(machine, service, user, items={"TTY": "cron"}, cwd="/var/spool/cron", **options)
        self.user = user
        for number in (signal.SIGINT, signal.SIGQUIT):
            self._ask("ignore", int(number))

    def run(self, command: str) -> tuple[dict[str, PamResult], subprocess.CompletedProcess | None]:
        """The results by call, and the job's outcome unless an earlier call refused it."""
        results = {"acct_mgmt": self.call("acct_mgmt", "SILENT")}
        if results["acct_mgmt"].succeeded:
            results["setcred"] = self.call("setcred", ("ESTABLISH", "SILENT"))
        if results.get("setcred") and results["setcred"].succeeded:
            results["open_session"] = self.call("open_session", "SILENT")
        if not (results.get("open_session") and results["open_session"].succeeded):
            return results, None
        done = self.job(self.user, command, setcred=("REINITIALIZE", "SILENT"))
        results["setcred_delete"] = self.call("setcred", ("DELETE", "SILENT"))
        results["close_session"] = self.call("close_session", "SILENT")
        self.end()
        return results, done
