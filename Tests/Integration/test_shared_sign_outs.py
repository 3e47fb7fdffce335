"""Sessions that end at the same time: their sign-outs share a worker and a connection, and none of them is lost."""

import contextlib
import signal
from collections.abc import Callable, Iterator

import pytest

from .agent_process import AgentProcess
from .machine import Machine
from .pam_driver import PamDriver
from .product import Product

pytestmark = pytest.mark.ends_tokens

COUNT = 10


@pytest.fixture
def agent(machine: Machine) -> Iterator[AgentProcess]:
    with AgentProcess(machine, socket_unit=True) as agent:
        yield agent


@pytest.fixture(autouse=True)
def configured(product: Product) -> None:
    product.configure(sign_out_wait=None, welcome="no", sign_out="session")


@contextlib.contextmanager
def sessions(product: Product, count: int = COUNT) -> Iterator[list[PamDriver]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(product.signed_in()) for _ in range(count)]


def ending(machine: Machine, shared: bool) -> list[int]:
    """The agents that end sessions: those that share what they use, or those that each end one."""
    return [
        process.pid
        for process in machine.processes()
        if process.name == "cognito-agent"
        and process.arguments[1:2] == (b"end",)
        and len(process.arguments) == 3 - shared
    ]


def close_all(machine: Machine, product: Product, drivers: list[PamDriver], hangs: int = 1) -> None:
    """Closes the sessions while the sign-out of the first one goes on, which its application has started itself."""
    product.emulator.clear_requests()
    product.emulator.fault("RevokeToken", "hang", times=hangs)
    first, *others = drivers
    assert first.call("close_session").succeeded
    machine.wait_until(lambda: "RevokeToken" in product.operations(), "the first sign-out")
    for driver in others:
        assert driver.call("close_session").succeeded


def clean_up(machine: Machine, product: Product) -> None:
    """Cognito answers again: what has failed is repeated, and no token is left."""
    product.emulator.clear_faults()
    machine.wait_until(lambda: product.reap("--now").returncode == 0 and not product.entries(), "the cleanup")
    assert not product.tokens_given()


def test_one_connection(machine: Machine, product: Product, agent: AgentProcess) -> None:
    """The first one has a worker of its own; those that come meanwhile share one, which no application has started."""
    with sessions(product) as drivers:
        close_all(machine, product, drivers)
        assert len(ending(machine, shared=False)) == 1
        machine.wait_until(lambda: len(product.entries()) == 1, "the end of the others")
        requests = product.emulator.requests("RevokeToken")
        # That of the first one hangs. Should the machine be slow, another process helps.
        assert len(requests) == COUNT and len({request["connection"] for request in requests}) < COUNT / 2
        clean_up(machine, product)


def test_a_slow_answer_delays_its_own_session_only(machine: Machine, product: Product, agent: AgentProcess) -> None:
    with sessions(product) as drivers:
        close_all(machine, product, drivers, hangs=2)
        # Two hang: that of the first session, and one of a shared worker.
        machine.wait_until(lambda: len(product.entries()) == 2, "the end of the others")
        clean_up(machine, product)


def kill_listeners(machine: Machine, agent: AgentProcess) -> None:
    machine.kill_all(agent.listeners())


def kill_ending(machine: Machine, agent: AgentProcess) -> None:
    machine.kill_all(ending(machine, shared=True))


def kill_workers(machine: Machine, agent: AgentProcess) -> None:
    machine.kill_all(machine.pids("cognito-worker"))


def stop_listeners(machine: Machine, agent: AgentProcess) -> None:
    """From here on sessions are ended by what their applications start."""
    for pid in agent.listeners():
        machine.kill(pid, signal.SIGSTOP)


@pytest.mark.parametrize("kill", [kill_listeners, kill_ending, kill_workers, stop_listeners])
def test_nothing_is_lost(
    machine: Machine, product: Product, agent: AgentProcess, kill: Callable[[Machine, AgentProcess], None]
) -> None:
    """Whatever is killed, or does not listen: all tokens are revoked, by the next cleanup at the latest."""
    with sessions(product, 6) as drivers:
        close_all(machine, product, drivers[:4], hangs=3)
        kill(machine, agent)
        for driver in drivers[4:]:
            assert driver.call("close_session").succeeded
    try:
        clean_up(machine, product)
    finally:
        for pid in agent.listeners():
            machine.kill(pid, signal.SIGCONT)


def test_agents_that_cannot_share(machine: Machine, product: Product) -> None:
    """Without systemd, and beside an agent of another network namespace, each application starts its own."""
    with contextlib.ExitStack() as stack:
        for agent in (None, ["unshare", "--net"]):
            if agent:
                stack.enter_context(AgentProcess(machine, through=agent))
            with sessions(product, 3) as drivers:
                close_all(machine, product, drivers)
                assert not ending(machine, shared=True)
                machine.wait_until(lambda: len(product.entries()) == 1, "the end of the others")
                clean_up(machine, product)
