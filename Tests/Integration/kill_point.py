"""Killing a process at each of its system calls in turn, or failing the call, found by ptrace(2), not by luck."""

import errno
import os
import re
import select
import signal
import subprocess
from collections.abc import Collection, Iterator
from functools import cache

from .compiled import compiled
from .machine import GENEROUS, Machine, MachineError

_PATH = "/usr/local/libexec/kill-point"
_CALL = re.compile(r"#define __NR_(\w+) (\d+)")


@cache
def _calls() -> dict[int, str]:
    header = subprocess.run(
        ["cc", "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {int(number): name for name, number in _CALL.findall(header.stdout)}


class KillPoint:
    """A context in which `pid`, or what it starts, is killed at its `point`-th system call.

    `whom` is "itself" or "started". Afterwards `reached` says whether there were that many, `count` how many there were
    if not, and `place` who was killed at which call.

    With `error`, an errno's name, nobody is killed: of the system calls named `failing` the `point`-th fails with it,
    or the `point`-th on what begins with `on`: a path, or what a descriptor is.
    """

    def __init__(
        self,
        machine: Machine,
        pid: int,
        whom: str,
        point: int,
        error: str = "",
        failing: Collection[str] = (),
        on: str = "",
    ):
        self.machine, self.reached, self.count, self.place = machine, False, 0, ""
        if not machine.exists(_PATH):
            machine.write(_PATH, compiled("kill_point"), 0o755)
        read, write = os.pipe()
        try:
            fault = [str(getattr(errno, error, 0)), on, *(str(n) for n, name in _calls().items() if name in failing)]
            words = [_PATH, str(pid), whom, str(point), *(fault if error else ())]
            self._tracer = machine.start(words, stdout=write)
        finally:
            os.close(write)
        self._output = os.fdopen(read, "rb", buffering=0)

    def __enter__(self) -> "KillPoint":
        if (said := self._line()) != "ready":
            raise MachineError(f"kill-point: {said!r}")
        return self

    def __exit__(self, *_) -> None:
        if not self._tracer.ended:
            try:
                self._tracer.signal(signal.SIGTERM)
            except ProcessLookupError:
                pass
        while not self._take(self._line()):
            pass
        self._tracer.wait()
        self._output.close()

    def wait(self) -> None:
        """Waits until somebody was killed, or everybody who was started has ended."""
        self._tracer.wait()

    def _take(self, said: str) -> bool:
        """Whether that was the last word."""
        match said.split(maxsplit=3):
            case ["killed" | "failed" as what, number, name, *objects]:
                self.reached = True
                self.place = " ".join([name, "in", _calls().get(int(number), number), *objects])
                return what == "killed"
            case ["finished", count]:
                self.count = int(count)
                return True
            case _:
                raise MachineError(f"kill-point: {said!r}")

    def _line(self) -> str:
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self._output], [], [], GENEROUS)[0]:
                raise MachineError("kill-point does not answer")
            part = os.read(self._output.fileno(), 1)
            if not part:
                break
            line += part
        return line.decode().strip()


def points(stride: int, offset: int) -> Iterator[int]:
    """1 and on, or every `stride`-th of them."""
    point = 1 + offset % stride
    while True:
        yield point
        point += stride
