"""What the registry's size costs: in the host that signs somebody in and out, and a round of the reaper."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from Integration.keyring_fill import fill
from Integration.machine import Machine, MachineError
from Integration.pam_driver import PamDriver
from Integration.product import AGENT, REGISTRY, RIGHT, Product

from .figures import Subject
from .processor import seconds_of

SIZES = (0, 100, 1000, 10000)
_CALLS = ("authenticate", "open_session", "close_session")


def _room(size: int) -> int:
    """How many copies fit into half of what root's keys may still take, which others on this machine take from, too."""
    most = int(Path("/proc/sys/kernel/keys/root_maxbytes").read_text())
    (taken,) = (line.split()[4].split("/")[0] for line in _key_users() if line.split()[0] == "0:")
    return (most - int(taken)) // 2 // size


def _key_users() -> list[str]:
    return Path("/proc/key-users").read_text().splitlines()


@contextlib.contextmanager
def _others(product: Product, count: int) -> Iterator[int]:
    """So many entries of somebody else, or as many as fit."""
    machine = product.machine
    if not count:
        yield 0
        return
    known = {key.serial for key in product.entries()}
    with PamDriver(machine, "alone", "carol", observe=False) as driver:
        driver.sign_in(RIGHT)
        (entry,) = (key for key in product.entries(payloads=True) if key.serial not in known)
        count = min(count, _room(len(entry.payload) + 200))
        fill(machine, [(REGISTRY, count - 1, "pam-cognito:s:", "", entry.serial)])
        yield count
        if len(product.entries()) != count:
            raise MachineError(f"{len(product.entries())} entries of {count} are left")
        # Nobody is to revoke the same tokens thousands of times.
        machine.forget_keys()


def _in_host(machine: Machine, driver: PamDriver) -> float:
    """Seconds that the host itself has had of a processor; proc_pid_schedstat(5)."""
    return int((machine.proc / str(driver.pid) / "schedstat").read_text().split()[0]) / 1e9


def _sign_in_and_out(machine: Machine) -> dict[str, float]:
    taken = {}
    with PamDriver(machine, "alone", "alice", observe=False) as driver:
        for call in _CALLS:
            before = _in_host(machine, driver)
            done = driver.call(call, (), [RIGHT])
            taken[call] = (_in_host(machine, driver) - before) * 1000
            if not done.succeeded:
                raise MachineError(f"{call}: {done}")
        driver.end()
    return taken


def measure(product: Product, count: int = 11) -> Sequence[Subject]:
    machine = product.machine
    host = Subject("Processor time in the host, as the registry has so many entries of others")
    reaper = Subject("Processor time of cognito-agent reap with nothing due, as the registry has so many entries")
    for size in SIZES:
        with _others(product, size) as entries:
            runs = [_sign_in_and_out(machine) for _ in range(count + 1)][1:]
            for call in _CALLS:
                host.add(f"{call}, {entries} entries", [run[call] for run in runs])
            product.await_rounds()
            rounds = [seconds_of(machine, [AGENT, "reap"]) * 1000 for _ in range(3)]
            reaper.add(f"{entries} entries", rounds)
            if entries < size:
                host.note(
                    f"{entries} in place of {size}: half of what root's quota leaves here, kernel.keys.root_maxbytes."
                )
    return [host, reaper]
