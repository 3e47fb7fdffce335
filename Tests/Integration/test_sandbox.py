"""The worker's sandbox, each layer by trying what it forbids, from inside; and that a worker is in it."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

from .machine import REPOSITORY

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


@pytest.fixture(scope="module")
def forbidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worker's own sandbox, around a program that tries things."""
    program = tmp_path_factory.mktemp("sandbox") / "forbidden"
    sources = [Path(__file__).with_name("forbidden.c"), *(REPOSITORY / "Sources/CSandbox").glob("*.c")]
    include = REPOSITORY / "Sources/CSandbox/include"
    subprocess.run(
        ["gcc", "-O1", "-Wall", "-Werror", "-I", str(include), "-o", str(program), *map(str, sources), "-lseccomp"],
        check=True,
    )
    return program


@pytest.mark.parametrize("what", OUTCOMES)
def test_what_is_tried_inside(forbidden: Path, tmp_path: Path, what: str) -> None:
    open_file = tmp_path / "open"
    # As root, whom nothing else would keep from any of it. Number 3 is what no worker has: a file open for writing.
    done = subprocess.run(
        ["sh", "-c", 'exec 3>"$1"; exec "$2" "$3"', "sh", str(open_file), str(forbidden), what],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    outcome = signal.Signals(-done.returncode).name if done.returncode < 0 else done.stdout.strip()
    assert (outcome, done.stderr) == (OUTCOMES[what], "")


def test_every_trial_is_in_the_table() -> None:
    tried = re.findall(r'TRY\("([^"]+)"', Path(__file__).with_name("forbidden.c").read_text())
    assert sorted(tried) == sorted(OUTCOMES)
