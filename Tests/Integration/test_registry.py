"""The registry's entries, and the rounds of the reaper through them."""

import contextlib
import re
from collections.abc import Iterator

import pytest

from .machine import Machine
from .pam_driver import PamDriver
from .product import AGENT, RIGHT, Product


@contextlib.contextmanager
def open_session(product: Product, user: str = "alice") -> Iterator[PamDriver]:
    """A session in a host that nothing but the module is in."""
    with PamDriver(product.machine, "alone", user) as driver:
        assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
        assert driver.call("open_session").code == "PAM_SUCCESS"
        yield driver


def orphan(product: Product, count: int) -> None:
    """Sessions whose hosts end without a word."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(open_session(product))
    assert len(product.entries()) >= count


class TestRounds:
    def test_a_service_that_fails_is_asked_once(self, product: Product) -> None:
        orphan(product, 3)
        product.emulator.clear_requests()
        product.emulator.fault("*", "throttle")
        first = product.reap()
        assert first.returncode == 1 and first.stdout.count("not ended yet") == 1, first
        assert "2 more wait for another round" in first.stdout
        asked = product.emulator.connection_count()
        # The one that failed waits now; the others take their turn, one a round.
        assert product.reap("--once").returncode == 1 and product.reap().returncode == 1
        assert product.emulator.connection_count() <= 3 * asked and len(product.entries()) == 3
        plan = product.reap("--dry-run").stdout
        assert plan.count("would be ended, sign-out was not finished; attempts=1") == 3, plan
        product.emulator.clear_faults()
        done = product.reap()
        assert done.returncode == 0 and done.stdout.count("ended, ") == 3, done
        assert not product.entries()

    def test_pause_between_attempts(self, product: Product) -> None:
        """From the second attempt on there is one, unless root is in a hurry."""
        orphan(product, 1)
        product.emulator.fault("*", "throttle")
        assert [product.reap().returncode for _ in range(2)] == [1, 1]
        product.emulator.clear_faults()
        product.emulator.clear_requests()
        waiting = product.reap()
        assert (waiting.returncode, waiting.stdout) == (1, "") and not product.operations()
        seconds = re.search(r"attempts=2 next=(\d+)s", product.reap("--dry-run").stdout)
        assert seconds and 0 < int(seconds.group(1)) <= 60
        assert product.reap("--now").returncode == 0 and not product.entries()

    def test_processes_that_are_hidden_are_not_dead(self, machine: Machine, product: Product) -> None:
        """/proc with hidepid, without the right to look into others: as the service of the timer sees it."""
        with open_session(product) as driver:
            hidden = machine.run(
                [
                    "unshare", "-m", "sh", "-c",
                    "mount -t proc -o hidepid=2,gid=4242 proc /proc && "
                    "exec setpriv --bounding-set=-all,+setuid,+setgid,+kill "
                    f"sh -c '! ls -d /proc/{driver.pid} 2>/dev/null && exec {AGENT} reap'",
                ]
            )  # fmt: skip
            assert (hidden.returncode, hidden.stdout) == (0, ""), hidden
            assert len(product.entries()) == 1
            driver.call("close_session")
        assert not product.entries()

    def test_two_at_once(self, product: Product, machine: Machine) -> None:
        orphan(product, 4)
        product.emulator.clear_requests()
        product.emulator.fault("*", "delay", seconds=0.3)
        rounds = [machine.start([AGENT, "reap"]) for _ in range(3)]
        assert [process.wait() for process in rounds] == [0, 0, 0]
        assert not product.entries()
        assert len([name for name in product.operations() if name in ("GlobalSignOut", "RevokeToken")]) == 4


class TestOfOthers:
    @pytest.mark.parametrize("state", ["open", "closing"])
    def test_of_another_container(self, product: Product, machine: Machine, state: str) -> None:
        """A process id means nothing in another pid namespace: its entries are left alone, and --dry-run says so."""
        orphan(product, 1)
        if state == "closing":
            product.emulator.fault("*", "throttle")
            assert product.reap().returncode == 1
            product.emulator.clear_faults()
        inside = ["unshare", "--pid", "--fork", "--mount-proc", AGENT, "reap"]
        assert machine.run(inside).stdout == ""
        plan = machine.run([*inside, "--dry-run"]).stdout
        assert "left alone, it is of another container (pid namespace " in plan, plan
        assert product.reap().returncode == 0 and not product.entries()
