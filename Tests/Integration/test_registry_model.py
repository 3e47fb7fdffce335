"""What hosts, workers, agents and the reaper do to a person's tokens is what the model of the registry allows."""

import signal
from collections.abc import Callable, Iterator

import pytest

from .pam_driver import PamDriver
from .product import RIGHT, Product
from .registry_model import is_possible


class Watched:
    """Sessions of alice's, and what is seen of them: by who has them, and by Cognito."""

    def __init__(self, product: Product):
        self.product = product
        self.hosts: list[PamDriver] = []
        self.trace: list[tuple[str, int]] = []
        self.alive: set[int] = set()
        self.before = len(self._sessions())

    def _sessions(self) -> list[dict]:
        return self.product.emulator.sessions(self.product.pool["pool_id"], "alice")

    def look(self) -> None:
        """At Cognito."""
        now = {number for number, session in enumerate(self._sessions()[self.before :]) if session["alive"]}
        self.trace += [("dies", number) for number in sorted(self.alive - now)]
        self.trace += [("lives", number) for number in sorted(now - self.alive)]
        self.alive = now

    def sign_in(self) -> None:
        host = PamDriver(self.product.machine, "alone", "alice", observe=False)
        self.hosts.append(host)
        assert host.authenticate(RIGHT).succeeded
        self.look()

    def begin(self) -> None:
        self.sign_in()
        assert self.hosts[-1].call("open_session").succeeded
        self.trace.append(("begins", len(self.hosts) - 1))

    def leave(self, number: int, ends: int = 1) -> None:
        """The session's host ends it; waits until the tokens of so many sessions are dead."""
        self.trace.append(("leaves", number))
        assert self.hosts[number].call("close_session").succeeded
        left = len(self.alive) - ends
        self.product.machine.wait_until(
            lambda: sum(session["alive"] for session in self._sessions()[self.before :]) == left, "the end of tokens"
        )
        self.look()

    def kill(self, number: int) -> None:
        self.product.await_rounds()
        self.hosts[number].host.signal(signal.SIGKILL)
        self.hosts[number].host.wait()
        self.trace.append(("goes", number))

    def end(self, number: int) -> None:
        """Without a session."""
        self.hosts[number].close()
        self.trace.append(("goes", number))
        self.reap()

    def reap(self) -> None:
        self.product.reap()
        self.look()


@pytest.fixture
def watched(product: Product) -> Iterator[Watched]:
    found = Watched(product)
    yield found
    for host in found.hosts:
        host.close()
    product.emulator.clear_faults()
    product.reap()


BOTH_DIE = [("dies", 0), ("dies", 1)]
#: What is done, and how the trace ends.
TRACES: dict[str, tuple[Callable[[Watched], object], list[tuple[str, int]]]] = {
    "the first leaves": (lambda w: (w.begin(), w.begin(), w.leave(0, ends=2)), BOTH_DIE),
    # Nobody knows when it ended: the other is newer than its beginning.
    "the first is killed": (
        lambda w: (w.begin(), w.begin(), w.kill(0), w.reap(), w.leave(1)),
        [("dies", 0), ("leaves", 1), ("dies", 1)],
    ),
    "the second is killed": (lambda w: (w.begin(), w.begin(), w.kill(1), w.reap()), BOTH_DIE),
    "no session follows": (lambda w: (w.sign_in(), w.end(0)), [("lives", 0), ("goes", 0), ("dies", 0)]),
}


@pytest.mark.parametrize("what", TRACES)
def test_trace(watched: Watched, what: str) -> None:
    done, end = TRACES[what]
    done(watched)
    assert is_possible(watched.trace), watched.trace
    assert (watched.trace if what == "no session follows" else watched.trace[-len(end) :]) == end


def test_cognito_is_away_at_a_logout(watched: Watched) -> None:
    """What is tried again later does not take along who has signed in meanwhile."""
    watched.begin()
    watched.product.emulator.fault("GlobalSignOut", "empty_500", times=100)
    watched.leave(0, ends=0)
    watched.product.machine.wait_until(
        lambda: "GlobalSignOut" in watched.product.operations(), "the sign-out that is not carried out"
    )
    watched.product.await_rounds()
    watched.begin()
    watched.product.emulator.clear_faults()
    watched.product.machine.wait_until(
        lambda: watched.product.reap() and len(watched.product.entries()) == 1, "the end"
    )
    watched.look()
    watched.leave(1)
    assert is_possible(watched.trace, troubles=1), watched.trace
    taken = watched.trace.index(("dies", 0))
    assert watched.trace[taken - 1] == ("begins", 1) and watched.trace[-1] == ("dies", 1)
    assert not is_possible([*watched.trace[: taken + 1], ("dies", 1)], troubles=1)


def test_what_cannot_be() -> None:
    """Traces that no order of events leads to are refused: the model sees something."""
    for trace in (
        [("lives", 0), ("dies", 0), ("begins", 0), ("dies", 0)],
        [("begins", 0)],
        [("lives", 0), ("begins", 0), ("dies", 0)],
        [("lives", 0), ("begins", 0), ("leaves", 0), ("lives", 1), ("begins", 1), *BOTH_DIE],
        [("lives", 0), ("begins", 0), ("lives", 1), ("begins", 1), ("goes", 0), *BOTH_DIE],
    ):
        assert not is_possible(trace), trace
