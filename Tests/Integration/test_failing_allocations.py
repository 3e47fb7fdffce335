"""Each allocation of the module in a host fails in turn, from sign-in to logout: that ends the host and leaves nothing.

Every one of them takes half an hour: here it is every `STRIDE`th, from another one each time. `Tests/kill-points all`
takes all.
"""

from collections import Counter

import pytest

from .compiled import library
from .machine import Machine, MachineError
from .pam_driver import PamDriver
from .product import Product
from .test_faulty_kernel import life
from .test_kill_points import OFFSET, PARTS, STRIDE, Scene, clock_ahead, in_parts, scene  # noqa: F401

#: So many there may be in a life, and so large the largest, in bytes. Secrets are in pages of their own, which are no
#: allocations: where they cannot be had, that is a fault that is said.
MOST = 5000
LARGEST = 20_000
#: How a host ends that Swift's runtime ends: by an instruction that is none, or at an address that is none.
ENDED = {-4, -5, -6, -11}


@pytest.fixture(scope="module")
def failing(machine: Machine) -> str:
    """failing_allocation.c: see there."""
    return library("failing_allocation", machine.shared)


def fail_at(around: Scene, failing: str, point: int) -> tuple[str, list[str]]:
    """One life in which the `point`-th allocation fails: what became of the host, and what was not as it must be."""
    machine = around.machine
    record = machine.shared / "allocations"
    record.unlink(missing_ok=True)
    environment = {"LD_PRELOAD": failing, "ALLOCATION_FAILS": str(point), "ALLOCATIONS": str(record)}
    problems: list[str] = []
    # Each host that ends while its answer is judged leaves a failure.
    around.product.forget_failures()
    with PamDriver(machine, "alone", "alice", observe=False, start=False, env=environment) as driver:
        try:
            driver.start("alone", "alice")
            driver.do_not_wait()
            problems, _ = life(around.product, driver)
        except (MachineError, BrokenPipeError) as ended:
            if "does not answer" in str(ended):
                problems.append(f"the host: {ended}")
        pid = driver.pid
    around.await_end(pid)
    status = driver.host.wait()
    if status and status not in ENDED:
        problems.append(f"the host ended with {status}")
    said = record.read_text().split("\n") if record.exists() else []
    what = next((line for line in said if line.startswith("failed ")), said[0] if said else "nothing")
    return f"{what} {'ended' if status else 'went on'}", problems + around.problems(killing_workers=False)


@pytest.mark.bad_requests
@in_parts
def test_allocations(product: Product, clock_ahead: str, failing: str, part: int) -> None:  # noqa: F811
    """Nothing lives on at Cognito that nobody has, whichever of them fails."""
    with scene(product, clock_ahead, "session") as around:
        whole, problems = fail_at(around, failing, 0)
        assert not problems and whole.endswith("went on"), (whole, problems)
        kind, count, largest, *_ = whole.split()
        assert kind == "made" and 50 < int(count) < MOST and int(largest) < LARGEST, whole
        found: Counter[str] = Counter()
        wrong = {}
        for point in range(1 + (OFFSET + part * STRIDE) % (STRIDE * PARTS), int(count) + 1, STRIDE * PARTS):
            became, problems = fail_at(around, failing, point)
            found[" ".join(became.split()[3:])] += 1
            if problems or not became.startswith("failed "):
                wrong[point] = (became, problems)
        print(f"{count} allocations, the largest {largest} bytes: {dict(found)}")
        assert not wrong
