"""Each system call of a host fails in turn, from sign-in to logout: it ends in time, says so, and nothing is left.

Every one of them takes minutes: here are those that something was found at, and a few of each error. All of them are
taken by `Tests/faulty-kernel`.
"""

import random
import re
import time
from collections import Counter

import pytest

from .kill_point import KillPoint
from .machine import MachineError
from .pam_driver import HostState, PamDriver
from .product import RIGHT, Product
from .test_kill_points import ALIVE, STRIDE, Scene, clock_ahead, in_parts, scene, sweep  # noqa: F401

_MESSAGES = {"sendto", "sendmsg", "recvfrom", "recvmsg", "read", "write"}
_KEYS = {"keyctl", "add_key"}
_FILES = {"openat", "mkdir", "rename", "renameat", "renameat2", "unlink", "unlinkat"}
_OPENING = {"openat", "socket", "socketpair", "pipe2"}
_STARTING = {"clone", "pidfd_open", "close_range"}
_IDENTITY = {"setresuid", "setresgid", "setgroups", "setfsuid", "setrlimit", "prlimit64", "kill", "prctl",
             "pidfd_send_signal", "getsockopt"}  # fmt: skip
#: Calls that may fail so. Left out: what nobody can do anything about (close, munmap, exit).
ERRORS = {
    "EINTR": {"poll", "ppoll", "wait4", "openat", "fcntl", "connect", "nanosleep", "clock_nanosleep"} | _MESSAGES,
    "EAGAIN": {"clone", "fcntl", "connect", "mlock"} | _MESSAGES,
    "ENOMEM": {"poll", "mlock", "madvise", "connect", "newfstatat", "fcntl"} | _MESSAGES | _KEYS | _OPENING | _STARTING,
    "EMFILE": {"fcntl"} | _OPENING | _STARTING,
    "ENFILE": _OPENING | _STARTING,
    "EPERM": _IDENTITY | _FILES | _KEYS | _OPENING | _STARTING,
    "EACCES": {"newfstatat", "connect", "fcntl"} | _FILES | _KEYS,
    "EDQUOT": {"mkdir", "write", "openat"} | _KEYS,
    "ENOSPC": {"write", "fsync"} | _FILES,
    "ENOSYS": {"getrandom", "prlimit64", "statx", "prctl", "pidfd_send_signal", "mlock", "ppoll"} | _KEYS | _STARTING,
    "EIO": {"newfstatat", "fstat", "pread64", "getdents64", "readlink", "lseek"} | _MESSAGES | _FILES,
    "EKEYREVOKED": {"keyctl"},
}
OURS = ("cognito-agent", "cognito-worker")
#: The deadline of a hook (network_timeout), and a second; and one more, since every call stops twice.
PATIENCE = 17.0
#: Who gives rights up, or goes back to a user id that was kept, is refused nothing: where that is made to fail, they
#: are left.
GIVEN_BACK = {
    "prlimit64": {"limits"},
    "setresuid": {"uids", "gids", "groups"},
    "setresgid": {"gids", "groups"},
    "setgroups": {"groups"},
}
#: What PAM calls, and what each may say besides success. The end of a session always succeeds.
_SIGN_IN = {"PAM_AUTHINFO_UNAVAIL", "PAM_CRED_UNAVAIL", "PAM_AUTH_ERR", "PAM_SYSTEM_ERR", "PAM_BUF_ERR", "PAM_ABORT",
            "PAM_PERM_DENIED", "PAM_USER_UNKNOWN", "PAM_CONV_ERR", "PAM_MAXTRIES"}  # fmt: skip
HOOKS = {
    "authenticate": ((), _SIGN_IN),
    "acct_mgmt": ((), {"PAM_PERM_DENIED", "PAM_USER_UNKNOWN"}),
    "setcred": ("ESTABLISH", set()),
    "open_session": ((), {"PAM_SESSION_ERR"}),
    "close_session": ((), set()),
}
#: Where Cognito's answer comes in: a connection that fails there takes an answer along that nobody has read, as one
#: does that breaks anywhere on the way. SECURITY.md says so.
_ANSWER = re.compile(r"cognito-worker in (recvfrom socket:|poll )")
#: At so many calls at most: waiting, and the parts of one answer.
LOST_ANSWERS = 30
#: A line as the module has them: `event; name=value`, or a sentence.
LINE = re.compile(r"pam_cognito\(alone:\w+\): [^\n]{20,}")
#: What was found: the error, the call, on what, the how-manieth, and what the log must say.
FOUND = [
    ("EIO", "openat", "/etc/shadow", 1, "accounts cannot be looked up (errno 5)"),
    ("EPERM", "openat", "/etc/shadow", 1, "accounts cannot be looked up (errno 1)"),
    ("EIO", "openat", "/etc/group", 1, "group"),
    *(
        ("ENOMEM", "sendto", "socket:", point, "no message can be sent to cognito-worker (errno 12)")
        for point in (1, 2, 4)
    ),
]


def life(product: Product, driver: PamDriver) -> tuple[list[str], list[str]]:
    """A sign-in, its session and its end: what was not as it may be, and the module's lines in the log."""
    problems = []
    mark = product.machine.log_mark()
    for hook, (flags, codes) in HOOKS.items():
        began = time.monotonic()
        result = driver.call(hook, flags, [RIGHT] if hook == "authenticate" else [], PATIENCE)
        if (took := time.monotonic() - began) > PATIENCE:
            problems.append(f"{hook} took {took:.1f} s")
        if result.succeeded:
            continue
        # PAM_SYSTEM_ERR is also libpam's word when it cannot write to the kernel's audit, whatever its modules said.
        if result.code not in codes | {"PAM_SYSTEM_ERR"}:
            problems.append(f"{hook} says {result.code}")
        lines = product.machine.lines(mark, containing="pam_cognito(")
        if not lines:
            problems.append(f"{hook} says {result.code}, and the log nothing")
        if hook in ("authenticate", "acct_mgmt", "open_session"):
            break
    lines = product.machine.lines(mark, containing="pam_cognito(")
    return problems + [f"not a line of ours: {line}" for line in lines if not LINE.match(line)], lines


def left(before: HostState, after: HostState) -> Counter[str]:
    """What a life has left in its host, by kind."""
    changes = before.differences(after)
    _, descriptors = changes.pop("descriptors", ({}, {}))
    found = Counter(name for name in changes)
    found.update(
        kind.partition(":")[0] for number, kind in descriptors.items() if number not in before.process.descriptors
    )
    return found


def fail_at(
    around: Scene, usual: Counter[str], error: str, calls: set[str], point: int, on: str = "", whom: str = "itself"
) -> tuple[KillPoint, list[str], list[str]]:
    """One life in which the `point`-th of `calls` fails; what was not as it must be, and what the log says."""
    machine, problems, lines = around.machine, [], []
    # The module is loaded by then, which is libpam's doing.
    with PamDriver(machine, "alone", "alice", observe=False) as driver:
        before = driver.state()
        with KillPoint(machine, driver.pid, whom, point, error, calls, on) as failed:
            try:
                problems, lines = life(around.product, driver)
            except (MachineError, BrokenPipeError) as ended:
                problems = [f"the host: {ended}"]
        if not driver.host.ended and not problems and (more := left(before, driver.state()) - usual):
            if not any(f" in {call} " in failed.place and set(more) <= kinds for call, kinds in GIVEN_BACK.items()):
                problems = [f"left in the host: {more}"]
    # What ends the session is a process of its own, and starts its worker when it comes to it.
    machine.wait_until(lambda: not any(process.name in OURS for process in machine.processes()), "our processes")
    return failed, problems + around.problems(killing_workers=False), lines


def is_lost_answer(failed: KillPoint, problems: list[str], lines: list[str]) -> bool:
    """Whether it is no fault of the worker's that nobody has the tokens: it has heard nothing of them, and says why."""
    words = ("reason=unreachable: ", "reason=internal_fault: Cognito could not be")
    is_said = any(word in line for line in lines[-1:] for word in words)
    return problems == [ALIVE] and bool(_ANSWER.match(failed.place)) and is_said


@pytest.fixture(scope="module")
def usual(product: Product) -> Counter[str]:
    """What a life without a fault leaves: a keyring of nobody's, and libpam's socket to the kernel's audit."""
    with product.other_pool({"auth_flows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]}):
        product.configure(client_secret_file=None, auth_flow="password", welcome="no")
        product.member()
        with PamDriver(product.machine, "alone", "alice", observe=False) as driver:
            before = driver.state()
            assert life(product, driver)[0] == []
            return left(before, driver.state())


@pytest.mark.bad_requests
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("whom", ["itself", "started"])
@in_parts
def test_calls(product: Product, clock_ahead: str, usual: Counter[str], whom: str, error: str, part: int) -> None:  # noqa: F811
    """Of the host, and of what it starts: the workers, and the agent that ends the session."""
    with scene(product, clock_ahead) as around:
        lost: list[int] = []

        def fail(point: int) -> tuple[KillPoint, list[str]]:
            failed, problems, lines = fail_at(around, usual, error, ERRORS[error], point, whom=whom)
            if is_lost_answer(failed, problems, lines):
                lost.append(point)
                problems = []
            return failed, problems

        if STRIDE == 1:
            assert not sweep(fail, part, 1, 5 if whom == "itself" else 0)
            assert not lost or lost[-1] - lost[0] < LOST_ANSWERS, lost
            return
        # One that it comes to before it may give up; and of a worker's, where it is asked and answers, any other.
        points = [random.randint(1, 2)] if whom == "itself" else [1, random.randint(100, 350)]
        for point in points:
            failed, problems = fail(point)
            assert (failed.reached or point >= 100) and not problems, (point, failed.place, problems)


@pytest.mark.bad_requests
@pytest.mark.parametrize("asked", ["files", "files systemd"])
@pytest.mark.parametrize(("error", "call", "on", "point", "word"), FOUND)
def test_found(
    product: Product,
    clock_ahead: str,  # noqa: F811
    usual: Counter[str],
    asked: str,
    error: str,
    call: str,
    on: str,
    point: int,
    word: str,
) -> None:
    """With nsswitch.conf(5) as Debian has it, and as libnss-systemd leaves it."""
    with scene(product, clock_ahead) as around, product.machine.preserved("/etc/nsswitch.conf"):
        product.machine.write("/etc/nsswitch.conf", f"passwd: {asked}\ngroup: {asked}\nshadow: {asked}\nhosts: files\n")
        failed, problems, lines = fail_at(around, usual, error, {call}, point, on)
        assert failed.reached and not problems and any(word in line for line in lines), (failed.place, problems, lines)
