"""A host with many threads that sign people in at once, and one that forks meanwhile; and one thread, very often.

HOST_THREADS and HOST_CYCLES make more of it (Tests/hosts-at-limits).
"""

import json
import os

import pytest

from .compiled import compiled
from .machine import Machine
from .product import RIGHT, Product

THREADS = int(os.environ.get("HOST_THREADS", "8"))
CYCLES = int(os.environ.get("HOST_CYCLES", "32"))
#: Bytes that libc may keep of each cycle at most; those of libpam and its modules, too: a leak of ours would be more.
KEPT = 100


@pytest.fixture(scope="module")
def program(machine: Machine) -> str:
    path = "/usr/local/libexec/crowded-host"
    machine.write(path, compiled("crowded_host", "-lpam", "-lpthread"), 0o755)
    return path


@pytest.mark.parametrize("threads", [1, THREADS])
def test_nothing_stays_in_it(product: Product, program: str, threads: int) -> None:
    """Every sign-in succeeds, no child is stuck, no descriptor, memory, thread, child, limit or key is left."""
    machine = product.machine
    # Otherwise each end would sign the others out.
    product.configure(sign_out="session")
    product.await_rounds()
    known = {key.serial for key in machine.keys()}
    cycles = CYCLES // threads
    done = machine.run(
        [program, "alone", "alice", str(threads), str(cycles)], input=f"{RIGHT}\n", timeout=3600, check=True
    )
    found = json.loads(done.stdout)
    every = threads * (cycles + 1)
    assert found["codes"] == [{"0": every}] * 4
    assert found["children"] > 0
    left = {name: found[name] for name in ("stuck", "descriptors", "threads", "zombies", "limits")}
    assert not any(left.values()), left
    # Each thread has a heap of malloc's of its own, which comes in pieces.
    assert found["heap"] < KEPT * every + 4096 * threads, found
    product.await_rounds()
    machine.wait_until(lambda: product.entries() == [], "the end of the sessions")
    # The person's own keyrings, and what counts their attempts.
    new = {key.serial: key for key in machine.keys() if key.serial not in known}
    assert not [key for key in new.values() if key.description.startswith(("cognito:", "pam-cognito:s:", "_ses"))], new
