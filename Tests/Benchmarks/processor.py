"""Processor time of a program and of everything that it starts, also of what outlives it: by a control group."""

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from Integration.machine import GENEROUS, Machine, MachineError


def _hierarchy() -> Path:
    """cgroups(7), version 2: the time is counted there with no controller at all."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mounted, kind = line.split(" - ")
        if kind.startswith("cgroup2 "):
            return Path(mounted.split()[4])
    raise MachineError("no cgroup2 file system is mounted, so processor time cannot be told")


def number_outside(machine: Machine, pid: int) -> int:
    """The number that a child of the machine's pid 1 has here."""
    children = Path(f"/proc/{machine.init_pid}/task/{machine.init_pid}/children").read_text().split()
    for child in children:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            status = Path(f"/proc/{child}/status").read_text()
            if status.split("NSpid:")[1].split("\n")[0].split()[-1] == str(pid):
                return int(child)
    raise MachineError(f"no process {pid} among {children}")


class Group:
    """A control group of one run. What is in it and what that starts stays in it."""

    _count = 0

    def __init__(self) -> None:
        Group._count += 1
        self._path = _hierarchy() / f"pam-cognito-{os.getpid()}-{Group._count}"
        self._path.mkdir()

    def __enter__(self) -> "Group":
        return self

    def __exit__(self, *_) -> None:
        """What is still in it goes on outside."""
        while self._path.exists():
            for pid in self.processes():
                with contextlib.suppress(ProcessLookupError):
                    (self._path.parent / "cgroup.procs").write_text(str(pid))
            # Busy: with one that is just about to end.
            with contextlib.suppress(OSError):
                self._path.rmdir()

    def take(self, machine: Machine, pid: int) -> None:
        (self._path / "cgroup.procs").write_text(str(number_outside(machine, pid)))

    def processes(self) -> list[int]:
        return [int(pid) for pid in (self._path / "cgroup.procs").read_text().split()]

    def wait(self, left: int = 0, ignoring: Callable[[int], bool] = lambda _: False) -> None:
        """Until no more than so many processes are in it, besides those to be ignored."""
        deadline = time.monotonic() + GENEROUS
        while sum(not ignoring(pid) for pid in self.processes()) > left:
            if time.monotonic() > deadline:
                raise MachineError(f"still there: {self.processes()}")
            time.sleep(0.005)

    @property
    def seconds(self) -> float:
        """User and system time so far, to the microsecond."""
        lines = dict(line.split() for line in (self._path / "cpu.stat").read_text().splitlines())
        return int(lines["usage_usec"]) / 1e6


def seconds_of(machine: Machine, command: Sequence[str]) -> float:
    """Of a command from its execution on, until all that it starts has ended."""
    reader, writer = os.pipe()
    with Group() as group:
        try:
            process = machine.start(["sh", "-c", 'read -r go; exec "$@"', "sh", *command], stdin=reader)
            group.take(machine, process.pid)
            before = group.seconds
            os.write(writer, b"go\n")
        finally:
            os.close(reader)
            os.close(writer)
        if status := process.wait():
            raise MachineError(f"{command} ended with {status}")
        group.wait()
        return group.seconds - before
