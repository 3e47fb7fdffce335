"""The worker's sandbox, each layer by trying what it forbids, from inside; and that a worker is in it."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

from .machine import REPOSITORY, Machine
from .product import RIGHT, WORKER, Product

#: What is tried, and what comes of it: it passes, errno's name, or the signal that ends the process.
KILLED = "SIGSYS"
OUTCOMES = {
    "the trial": "passed",
    "enter again": "passed",
    # What a worker does.
    "thread": "passed",
    "name": "passed",
    "addresses": "passed",
    "log": "passed",
    "hosts": "passed",
    "library": "passed",
    "connection": "passed",
    "abort": "SIGABRT",
    # Files: Landlock.
    "passwd": "EACCES",
    "shadow": "EACCES",
    "other process": "EACCES",
    "folder": "EACCES",
    # Files: system calls and limits.
    "write": "EACCES",
    "create": "EACCES",
    "append": "EFBIG",
    "remove": KILLED,
    "mode": KILLED,
    "mount": KILLED,
    # Processes.
    "fork": KILLED,
    "process": KILLED,
    "clone3": "ENOSYS",
    "program": KILLED,
    "signal": KILLED,
    "thread's signal": KILLED,
    "trace": KILLED,
    "memory": KILLED,
    "descriptor": KILLED,
    "namespace": KILLED,
    # Memory.
    "address space": "ENOMEM",
    "writable code": "EACCES",
    "written code": "EACCES",
    # The kernel.
    "packets": KILLED,
    "netfilter": KILLED,
    "listen": KILLED,
    "owner of signals": KILLED,
    "terminal": KILLED,
    "keys": KILLED,
    "bpf": KILLED,
    "io_uring": KILLED,
    "dumpable": KILLED,
    "limit": KILLED,
    "descriptors": "EMFILE",
}


def compiled(folder: Path, name: str) -> Path:
    """The worker's own sandbox, around a program of these tests."""
    program = folder / name
    sources = [Path(__file__).with_name(f"{name}.c"), *(REPOSITORY / "Sources/CSandbox").glob("*.c")]
    include = REPOSITORY / "Sources/CSandbox/include"
    subprocess.run(
        ["gcc", "-O1", "-Wall", "-Werror", "-I", str(include), "-o", str(program), *map(str, sources), "-lseccomp"],
        check=True,
    )
    return program


@pytest.fixture(scope="module")
def forbidden(machine: Machine) -> Path:
    """A program that tries things."""
    return compiled(machine.shared, "forbidden")


@pytest.mark.parametrize("what", OUTCOMES)
def test_what_is_tried_inside(machine: Machine, forbidden: Path, what: str) -> None:
    # As root, whom nothing else would keep from any of it. Number 3 is what no worker has: a file open for writing.
    done = machine.run(["sh", "-c", 'exec 3>/run/open; exec "$1" "$2"', "sh", forbidden, what])
    outcome = signal.Signals(-done.returncode).name if done.returncode < 0 else done.stdout.strip()
    assert (outcome, done.stderr) == (OUTCOMES[what], "")


def test_every_trial_is_in_the_table() -> None:
    tried = re.findall(r'TRY\("([^"]+)"', Path(__file__).with_name("forbidden.c").read_text())
    assert sorted(tried) == sorted(OUTCOMES)


def test_a_worker_that_is_killed_is_told_of_once(product: Product, tmp_path: Path) -> None:
    """By the kernel, for a system call (SIGSYS): at a sign-in nobody is in, at a logout the reaper makes it good."""
    machine, program = product.machine, compiled(tmp_path, "killed_worker")
    assert subprocess.run([str(program)], stdin=subprocess.DEVNULL).returncode == -signal.SIGSYS
    with product.signed_in() as driver:
        with machine.preserved(WORKER):
            machine.remove(WORKER)
            machine.write(WORKER, program.read_bytes(), 0o755)
            for hook, answers, code in [
                ("close_session", [], "PAM_SUCCESS"),
                ("authenticate", [RIGHT], "PAM_CRED_UNAVAIL"),
            ]:
                mark = machine.log_mark()
                assert driver.call(hook, (), answers).code == code
                lines = machine.lines(mark, containing="pam_cognito(")
                assert len(lines) == 1 and lines[0].count("ended without a result. It was killed") == 1, lines
        assert len(product.tokens_given()) == 1
        driver.end()
    assert product.reap("--now").returncode == 0 and not product.tokens_given()


# A worker that sends a descriptor, and says what came of it: where the kernel can refuse that, it does.
_SENDER = """#!/usr/bin/python3 -IS
import socket
root = socket.socket(fileno=0)
try:
    root.getsockopt(socket.SOL_SOCKET, 83)  # SO_PASSRIGHTS, Linux 6.16
    expected = "PermissionError"
except OSError:
    expected = "sent"
try:
    socket.send_fds(root, [b"message"], [0])
    outcome = "sent"
except OSError as error:
    outcome = type(error).__name__
open("/tmp/outcome", "w").write(f"{expected} {outcome}")
"""


def test_a_worker_sends_no_descriptors(product: Product) -> None:
    """Who receives one closes it, and a socket with SO_LINGER is closed when the worker likes."""
    machine = product.machine
    with machine.preserved(WORKER):
        machine.write(WORKER, _SENDER, 0o755)
        assert machine.run(["su", "alice", "-c", "true"], user="bob").returncode != 0
        expected, outcome = machine.wait_until(
            lambda: machine.exists("/tmp/outcome") and machine.read("/tmp/outcome").split(), "the outcome"
        )
    machine.remove("/tmp/outcome")
    assert outcome == expected
