"""Each system call of a host fails in turn, from sign-in to logout: it ends in time, says so, and no token is left.

Not in `Tests/run`, but by `Tests/faulty-kernel`: it still finds what is not so. A host that cannot read passwd(5) or
shadow(5) says nothing in the log of whom it lets pass by, and at one place a message that is not sent for want of
memory was waited at for long.
"""

import os
import time

import pytest

from .kill_point import KillPoint
from .machine import MachineError
from .pam_driver import PamDriver
from .product import RIGHT, Product
from .test_kill_points import clock_ahead, in_parts, scene, sweep  # noqa: F401

_MESSAGES = {"sendto", "sendmsg", "recvfrom", "recvmsg", "read", "write"}
_KEYS = {"keyctl", "add_key"}
_OPENING = {"openat", "socket", "socketpair", "pipe2"}
_STARTING = {"clone", "pidfd_open", "close_range"}
#: Calls that may fail so. Left out: what nobody can do anything about (close, munmap, exit).
ERRORS = {
    "EINTR": {"poll", "ppoll", "wait4", "openat", "fcntl", "connect", "nanosleep", "clock_nanosleep"} | _MESSAGES,
    "EAGAIN": {"clone", "fcntl", "connect", "mlock"} | _MESSAGES,
    "ENOMEM": {"poll", "mlock", "madvise", "connect", "newfstatat"} | _MESSAGES | _KEYS | _OPENING | _STARTING,
    "EMFILE": {"fcntl"} | _OPENING | _STARTING,
    "EPERM": {
        "setresuid", "setresgid", "setgroups", "setfsuid", "setrlimit", "prlimit64", "kill", "prctl",
        "pidfd_send_signal", "unlink", "unlinkat", "mkdir", "rename", "renameat2", "getsockopt",
    }
    | _KEYS
    | _OPENING
    | _STARTING,
    "EDQUOT": {"mkdir", "write"} | _KEYS,
    "ENOSYS": {"getrandom", "prlimit64", "statx", "prctl", "pidfd_send_signal", "mlock", "ppoll"} | _KEYS | _STARTING,
    "EIO": {"openat", "newfstatat", "fstat", "pread64", "getdents64", "readlink", "lseek"} | _MESSAGES,
}  # fmt: skip
OURS = ("cognito-agent", "cognito-worker")
#: The deadline of a hook, and a second; and one more, since every call stops twice.
PATIENCE = 17.0
#: What a sign-in may say that is not what it would have said.
CODES = {"PAM_AUTHINFO_UNAVAIL", "PAM_CRED_UNAVAIL", "PAM_AUTH_ERR", "PAM_SYSTEM_ERR", "PAM_BUF_ERR", "PAM_ABORT",
         "PAM_PERM_DENIED", "PAM_SESSION_ERR", "PAM_OPEN_ERR", "PAM_USER_UNKNOWN", "PAM_IGNORE", "PAM_CONV_ERR",
         "PAM_MAXTRIES"}  # fmt: skip


def life(product: Product, driver: PamDriver, error: str) -> list[str]:
    """A sign-in, its session and its end; what was not as it may be."""
    problems = []
    mark = product.machine.log_mark()
    for hook in ("authenticate", "open_session", "close_session"):
        began = time.monotonic()
        result = driver.call(hook, (), [RIGHT] if hook == "authenticate" else [], PATIENCE)
        if (took := time.monotonic() - began) > PATIENCE:
            problems.append(f"{hook} took {took:.1f} s")
        if result.code == "PAM_SUCCESS":
            continue
        # libpam's word when it cannot write to the kernel's audit, whatever its modules said.
        if result.code not in CODES or (hook == "close_session" and result.code != "PAM_SYSTEM_ERR"):
            problems.append(f"{hook} says {result.code}")
        # What NSS cannot read of shadow(5) counts as a local password, and its person as nobody's of ours: then libpam
        # says that no module had anything to say.
        if not product.machine.log(mark) and not (error == "EIO" and result.code == "PAM_PERM_DENIED"):
            problems.append(f"{hook} says {result.code}, and the log nothing")
        break
    return problems


@pytest.mark.skipif("KILL_POINT_STRIDE" not in os.environ, reason="Tests/faulty-kernel runs it")
@pytest.mark.bad_requests
@pytest.mark.parametrize("error", ERRORS)
@in_parts
def test_host(product: Product, clock_ahead: str, error: str, part: int) -> None:  # noqa: F811
    with scene(product, clock_ahead) as around:

        def fail_at(point: int) -> tuple[KillPoint, list[str]]:
            problems = []
            # The module is loaded by then, which is libpam's doing.
            with PamDriver(product.machine, "alone", "alice", observe=False) as driver:
                with KillPoint(product.machine, driver.pid, "itself", point, error, ERRORS[error]) as failed:
                    try:
                        problems += life(product, driver, error)
                    except (MachineError, BrokenPipeError) as ended:
                        problems.append(f"the host: {ended}")
            # What ends the session is a process of its own, and starts its worker when it comes to it.
            product.machine.wait_until(
                lambda: not any(process.name in OURS for process in product.machine.processes()), "our processes"
            )
            return failed, problems + around.problems(killing_workers=False)

        assert not sweep(fail_at, part)
