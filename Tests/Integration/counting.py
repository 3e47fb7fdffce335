"""What a sign-in takes in things that can be counted, and come out the same each time: beside what is recorded."""

import json
import re
import ssl
import tempfile
from collections import Counter
from pathlib import Path

from .machine import Machine, MachineError
from .pam_driver import PamDriver
from .product import RIGHT, WRONG, Product

RECORDED = Path(__file__).resolve().parents[1] / "Benchmarks" / "counts.json"
#: How much more than recorded is a fault.
MORE = 1.05
#: What is counted, by the system calls of the host and of all that it starts.
_CALLS = {
    "programs started": ("execve",),
    "processes": ("clone", "clone3", "fork", "vfork"),
    "files opened": ("openat",),
    "mappings": ("mmap",),
    "key operations": ("keyctl", "add_key"),
}
#: What OpenSSL 3.5 sends more for each connection, X25519MLKEM768's keys beside X25519's. It is recorded without.
_HYBRID = 1216 + 1088 if ssl.OPENSSL_VERSION_INFO >= (3, 5) else 0
#: Ethernet's, IP's and TCP's, of each packet. How many of them come of the same words is a question of time.
_HEADERS = 14 + 20 + 32
_RETURNED = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed).* = (?:0x[0-9a-f]+|\d+)(?: .*)?$", re.MULTILINE)


class _Trace:
    """A context: strace(1) at a host, until all that it has started has ended."""

    def __init__(self, machine: Machine, pid: int):
        names = ",".join(name for names in _CALLS.values() for name in names)
        self._folder = tempfile.TemporaryDirectory(dir=machine.shared)
        self._output, errors = Path(self._folder.name) / "trace", Path(self._folder.name) / "errors"
        command = ["strace", "-f", "-o", str(self._output), "-e", f"trace={names}", "-p", str(pid)]
        self._process = machine.start(command, stderr=errors)
        machine.wait_until(lambda: errors.exists() and "attached" in errors.read_text(), "strace")

    def calls(self) -> Counter[str]:
        """When the host has ended."""
        self._process.wait()
        calls = Counter(_RETURNED.findall(self._output.read_text()))
        self._folder.cleanup()
        return calls


class _SlowTypist(PamDriver):
    """Who types when the key set is there: it is not fetched for somebody who is faster."""

    def enter(self, product: Product, password: str) -> bool:
        self._tell("call", "authenticate", 0)
        self._hear()
        self.machine.wait_until(
            lambda: any(request["status"] for request in product.emulator.requests()), "the key set"
        )
        self._tell("answer", password.encode().hex())
        while "code" not in (heard := self._hear()):
            pass
        return heard["code"] == 0


def _bytes_on_loopback(machine: Machine) -> int:
    """What programs have said to each other."""
    lines = (machine.proc / "1" / "net" / "dev").read_text().splitlines()
    size, packets = next(line.split()[1:3] for line in lines if line.strip().startswith("lo:"))
    return int(size) - int(packets) * _HEADERS


def _counted(product: Product, password: str) -> dict[str, int]:
    machine = product.machine
    product.await_rounds()
    product.emulator.clear_requests()
    before = _bytes_on_loopback(machine)
    with _SlowTypist(machine, "alone", "alice", observe=False) as driver:
        driver.do_not_wait()
        trace = _Trace(machine, driver.pid)
        accepted = driver.enter(product, password)
        if accepted != (password == RIGHT):
            raise MachineError(f"accepted: {accepted}")
        if accepted:
            driver.sign_in(order=[("setcred", "ESTABLISH"), ("open_session", ())])
            driver.sign_out()
        driver.end()
    calls = trace.calls()
    connections = product.emulator.connection_count()
    counts = {what: sum(calls[name] for name in names) for what, names in _CALLS.items()}
    return counts | {
        "requests": len(product.emulator.requests()),
        "connections": connections,
        "bytes on the network": _bytes_on_loopback(machine) - before - connections * _HYBRID,
    }


def counts(product: Product, most: int = 1) -> dict[str, dict[str, int]]:
    """The least of each in `most` tries, or as many as it takes: a busy machine adds to it, as what TCP repeats."""
    # Afterwards all that is made only once is there.
    for password in (RIGHT, WRONG):
        _counted(product, password)
    least: dict[str, dict[str, int]] = {}
    for _ in range(most):
        found = {
            "a sign-in, its session and the sign-out": _counted(product, RIGHT),
            "a refused sign-in": _counted(product, WRONG),
        }
        least = {
            of: {what: min(count, least.get(of, counted)[what]) for what, count in counted.items()}
            for of, counted in found.items()
        }
        if not grown(least):
            break
    return least


def recorded() -> dict[str, dict[str, int]]:
    return json.loads(RECORDED.read_text())


def record(found: dict[str, dict[str, int]]) -> None:
    RECORDED.write_text(json.dumps(found, indent=4) + "\n")


def grown(found: dict[str, dict[str, int]]) -> list[str]:
    """What is more than it may be."""
    known = recorded()
    return [
        f"{of}: {count} {what}, {known[of][what]} recorded"
        for of, counted in found.items()
        for what, count in counted.items()
        if count > known[of][what] * MORE
    ]
