"""The default: a logout waits for nobody, loses nothing, and harms nobody who signs in again at once."""

import contextlib

import pytest

from .hosts import su
from .machine import Machine
from .product import RIGHT, Product

pytestmark = pytest.mark.ends_tokens

modes = pytest.mark.parametrize("mode", ["global", "last"])


@pytest.fixture(autouse=True)
def configured(product: Product) -> None:
    product.configure(sign_out_wait=None, welcome="no")


def ends(machine: Machine) -> list[int]:
    """The agents that end a session whose host has left it to them."""
    return [process.pid for process in machine.processes() if b"end" in process.arguments]


def test_nobody_waits(machine: Machine, product: Product) -> None:
    """The host is done before Cognito answers; the session has no token any more, and the log hears of the end."""
    mark = machine.log_mark()
    with product.signed_in() as driver:
        product.emulator.fault("GlobalSignOut", "hang")
        assert driver.call("close_session").succeeded
        assert not product.token_keys()
        assert len(product.entries()) == 1 and ends(machine) and product.tokens_given()
    # Whoever started it is gone, and it goes on.
    product.emulator.clear_faults()
    machine.wait_until(lambda: not ends(machine), "the end of the agent", timeout=45)
    product.reap()
    assert not product.entries() and not product.tokens_given()
    [line] = machine.log(mark, containing="signed out; user='alice'")
    assert line.tag == "cognito-agent" and " process=" in line.message


def test_a_killed_agent_loses_nothing(machine: Machine, product: Product) -> None:
    product.emulator.fault("GlobalSignOut", "hang")
    with product.signed_in() as driver:
        assert driver.call("close_session").succeeded
    for process in machine.processes():
        if process.name in ("cognito-agent", "cognito-worker"):
            # One may end with the other.
            with contextlib.suppress(ProcessLookupError):
                machine.kill(process.pid)
    product.emulator.clear_faults()
    assert len(product.entries()) == 1 and product.tokens_given()
    assert product.reap().returncode == 0
    assert not product.entries() and not product.tokens_given()


@modes
@pytest.mark.parametrize("delay", [0, 1])
def test_one_after_the_other(machine: Machine, product: Product, mode: str, delay: int) -> None:
    """A sign-out everywhere that is under way ends no sign-in that comes a moment later: ten `scp` in a row."""
    product.configure(sign_out_wait=None, welcome="no", sign_out=mode)
    for _ in range(10 if delay == 0 else 3):
        if delay:
            product.emulator.fault("GlobalSignOut", "delay", seconds=delay, times=1)
        with product.signed_in() as driver:
            assert ends(machine) == [], "the one before is over"
            assert len(product.tokens_given()) == 1
            assert driver.call("close_session").succeeded
    machine.wait_until(lambda: not ends(machine) and not product.entries(), "the last end", timeout=45)
    assert not product.tokens_given()


def test_su_after_su(machine: Machine, product: Product) -> None:
    """`su -c a; su -c b`: when the first one's end is over, the second still has tokens that Cognito accepts."""
    product.emulator.fault("GlobalSignOut", "delay", seconds=1)
    for _ in range(2):
        with su(machine, "carol", "alice", RIGHT) as shell:
            output = shell.command(product.read_tokens).output
            assert not ends(machine) and product.alive(product.tokens(output))["refresh"]
            shell.leave()
            shell.terminal.wait()
    machine.wait_until(lambda: not product.entries(), "the last end", timeout=45)
