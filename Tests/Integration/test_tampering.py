"""Debuggers and libraries: into a program of root's side nobody but root looks, or puts code."""

import contextlib
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from .agent_process import AgentProcess
from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, Product

#: What somebody may try on a process of another program: each prints "done", or an error's name.
TRIALS = {
    "ptrace": "libc.ptrace(0x4206, pid, 0, 0)",
    "memory": "os.close(os.open(f'/proc/{pid}/mem', os.O_RDONLY)) or 0",
    "environment": "len(open(f'/proc/{pid}/environ', 'rb').read()) and 0",
    "descriptors": "len(os.listdir(f'/proc/{pid}/fd')) and 0",
    "signal": "os.kill(pid, 0) or 0",
}
SCRIPT = """
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
pid = int(sys.argv[1])
try:
    print("done" if (%s) == 0 else errno.errorcode[ctypes.get_errno()])
except OSError as error:
    print(errno.errorcode[error.errno])
"""


def tried(machine: Machine, pid: int) -> dict[str, str]:
    """What becomes of each trial, by alice."""
    return {
        name: machine.run(["/usr/bin/python3", "-IS", "-c", SCRIPT % code, str(pid)], user="alice").stdout.strip()
        for name, code in TRIALS.items()
    }


REFUSED = {"ptrace": "EPERM", "memory": "EACCES", "environment": "EACCES", "descriptors": "EACCES", "signal": "EPERM"}
#: Who started a program may end it.
OWN = REFUSED | {"signal": "done"}


@contextlib.contextmanager
def during(product: Product, operation: str, action: Callable[[], object], program: str) -> Iterator[int]:
    """While Cognito takes its time for what `action` asks: the process of that program."""
    machine = product.machine
    acting = threading.Thread(target=action)
    try:
        with product.emulator.held(operation):
            acting.start()
            yield machine.wait_until(lambda: machine.pids(program), program)[0]
    finally:
        acting.join()


def test_debugger(product: Product, agent: AgentProcess) -> None:
    """On the set-uid host that alice started, its worker, the agent, and the tool: that is hers, as its tokens are."""
    machine = product.machine
    found = {"agent": tried(machine, agent.process.pid)}
    with PamDriver(machine, "alone", "carol", caller="alice", observe=False) as su:
        answers = "RespondToAuthChallenge"
        with during(product, answers, lambda: su.authenticate(RIGHT), "cognito-worker") as worker:
            found |= {"host": tried(machine, su.pid), "worker": tried(machine, worker)}
        su.end()
    with product.signed_in() as driver:
        renewing = "cognito-session token --min-life 2h >/dev/null"
        renewal = "GetTokensFromRefreshToken"
        with during(product, renewal, lambda: driver.job("alice", renewing), "cognito-session") as tool:
            found["tool"] = tried(machine, tool)
        driver.sign_out()
    assert found == {"agent": REFUSED, "host": OWN, "worker": REFUSED, "tool": dict.fromkeys(TRIALS, "done")}


def test_library(product: Product, tmp_path: Path) -> None:
    """LD_PRELOAD, by the caller of a set-uid host: neither that nor what it starts loads it."""
    machine, library, trace = product.machine, tmp_path / "loaded.so", "/tmp/loaded"
    made = 'open("/tmp/loaded", O_CREAT, 0666)'
    code = f"#include <fcntl.h>\n__attribute__((constructor)) static void here(void) {{ {made}; }}"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", str(library), "-"], input=code, text=True, check=True)
    machine.write("/usr/local/lib/loaded.so", library.read_bytes(), 0o755)
    environment = {"LD_PRELOAD": "/usr/local/lib/loaded.so"}
    machine.run(["true"], user="alice", env=environment, check=True)
    assert machine.exists(trace)
    machine.remove(trace)
    with PamDriver(machine, "alone", "carol", caller="alice", observe=False, env=environment) as su:
        assert [result.code for result in su.sign_in(RIGHT)] == ["PAM_SUCCESS"] * 4
        su.sign_out()
    assert not machine.exists(trace)
