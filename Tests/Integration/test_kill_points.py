"""Whoever is killed at whichever of its system calls: one round of the reaper later, Cognito refuses the tokens.

Every one of them takes minutes: here it is every `STRIDE`th, from another one each time. `Tests/kill-points` takes all,
a part of them in each of `PARTS` tests, which run side by side.
"""

import contextlib
import os
import random
import subprocess
from collections.abc import Callable, Iterator

import pytest

from .agent_process import ANYWAY, AgentProcess, refusal
from .compiled import library
from .kill_point import KillPoint, points
from .machine import Machine, MachineError
from .pam_driver import PamDriver
from .product import AGENT, RIGHT, Product
from .worker_process import encode

STRIDE = int(os.environ.get("KILL_POINT_STRIDE", "40"))
OFFSET = int(os.environ.get("KILL_POINT_OFFSET", str(random.randrange(STRIDE))))
PARTS = int(os.environ.get("KILL_POINT_PARTS", "1"))
in_parts = pytest.mark.parametrize("part", range(PARTS))
#: Whoever waits for a worker that is dead must not notice it by a time limit only.
PATIENCE = 8.0
ALIVE = "tokens are alive at Cognito that nobody has"
#: A worker that is killed after Cognito has answered, and before it has handed over what the answer holds, takes the
#: only copy with it: at so many system calls at most. 42 were counted, most of them for memory.
UNKNOWN = 50


def sweep(
    kill_at: Callable[[int], tuple[KillPoint, list[str]]], part: int, stride: int = STRIDE, least: int = 20
) -> dict[int, str]:
    """What went wrong, by point, when somebody was killed there; `kill_at` says so of one point. There are some."""
    wrong: dict[int, str] = {}
    offset, stride = OFFSET + part * stride, PARTS * stride
    for point in points(stride, offset):
        killed, problems = kill_at(point)
        if problems:
            wrong[point] = f"{killed.place or 'nobody killed'}: {'; '.join(problems)}"
        if not killed.reached:
            assert killed.count > least, "there was nothing to follow"
            print(f"{killed.count} points, every {stride}th from {1 + offset % stride} on")
            return wrong
    raise AssertionError


class Scene:
    """The machine, and the sessions that are none of those that are killed: `beside`, or none."""

    def __init__(self, product: Product, clock_ahead: str):
        self.product, self.machine, self.clock_ahead = product, product.machine, clock_ahead
        self.others = self.alive()
        #: Sessions among them that nobody knows any more.
        self.lost = 0

    def alive(self) -> set[str]:
        return {session["origin_jti"] for session in self.product.tokens_given()}

    def reap(self) -> subprocess.CompletedProcess:
        """One round, a few minutes later than now: a login that never comes to a session is given that time."""
        self.product.await_rounds()
        later = {"LD_PRELOAD": self.clock_ahead, "CLOCK_AHEAD": self.clock_ahead, "CLOCK_AHEAD_SECONDS": "240"}
        return self.machine.run([AGENT, "reap"], env=later)

    def await_end(self, pid: int) -> None:
        def is_gone() -> bool:
            return pid not in (process.pid for process in self.machine.processes())

        self.machine.wait_until(is_gone, "the end of the host")

    def problems(self, killing_workers: bool = True) -> list[str]:
        """What is not as it must be, after one round. Workers that go on by themselves are killed, or waited for."""
        if killing_workers:
            for worker in self.machine.pids("cognito-worker"):
                with contextlib.suppress(ProcessLookupError):
                    self.machine.kill(worker)
        else:
            self.machine.wait_until(lambda: not self.machine.pids("cognito-worker"), "the end of the worker")
        reaped = self.reap()
        found = []
        if reaped.returncode or reaped.stderr:
            found.append(f"the round failed: {reaped}")
        if mine := self.alive() - self.others:
            found.append(ALIVE)
            self.others |= mine
            self.lost += len(mine)
        if self.others - self.alive():
            found.append("another session was ended")
        expected = len(self.others) - self.lost
        keys = self.product.token_keys()
        if len(self.product.entries()) != expected or len(keys) != expected:
            found.append(f"{len(self.product.entries())} entries and {len(keys)} token keys instead of {expected}")
        return found


@pytest.fixture(scope="module")
def clock_ahead(machine: Machine) -> str:
    """A library, in the machine, that makes a program's clock four minutes fast."""
    return library("clock_ahead", machine.shared)


@contextlib.contextmanager
def scene(
    product: Product, clock_ahead: str, mode: str = "session", flow: str = "password", **pool: object
) -> Iterator[Scene]:
    """A pool of its own. Unless all sessions end, another one of the same person goes on beside.

    Where it is not the sign-in that is looked at, the password is sent, and not proved: that is quicker.
    """
    flows = {"srp": "ALLOW_USER_SRP_AUTH", "password": "ALLOW_USER_PASSWORD_AUTH"}
    options = {"auth_flows": [flows[flow], "ALLOW_REFRESH_TOKEN_AUTH"], **pool}
    with product.other_pool(options, sign_out=mode, welcome="no", auth_flow=flow):
        product.member()
        if mode == "global":
            yield Scene(product, clock_ahead)
            return
        with product.signed_in() as beside:
            try:
                yield Scene(product, clock_ahead)
            finally:
                beside.call("close_session")


@pytest.mark.bad_requests
@pytest.mark.parametrize("mode", ["session", "last", "global"])
@pytest.mark.parametrize("whom", ["itself", "started"])
@in_parts
def test_close(product: Product, clock_ahead: str, whom: str, mode: str, part: int) -> None:
    """Of the host, and of the worker, from its first system call to its last."""
    with scene(product, clock_ahead, mode) as around:

        def kill_at(point: int) -> tuple[KillPoint, list[str]]:
            problems = []
            with product.signed_in() as driver:
                with KillPoint(product.machine, driver.pid, whom, point) as killed:
                    try:
                        result = driver.call("close_session", timeout=PATIENCE)
                        if result.code != "PAM_SUCCESS":
                            problems.append(f"the host was told {result}")
                    except (MachineError, BrokenPipeError) as ended:
                        if whom == "started" or "does not answer" in str(ended):
                            problems.append(f"the host: {ended}")
                    if whom == "started":
                        killed.wait()
                if whom == "itself" and killed.reached:
                    # Its end of the pipe goes before it does, and a host that is still dying is alive to the reaper.
                    around.await_end(driver.pid)
                return killed, problems + around.problems()

        assert not sweep(kill_at, part)


@pytest.mark.bad_requests
@pytest.mark.parametrize("whom", ["itself", "started"])
@in_parts
def test_sign_in(product: Product, clock_ahead: str, whom: str, part: int) -> None:
    with scene(product, clock_ahead, flow="srp") as around:

        def kill_at(point: int) -> tuple[KillPoint, list[str]]:
            problems = []
            with PamDriver(product.machine, "alone", "alice", observe=False) as driver:
                with KillPoint(product.machine, driver.pid, whom, point) as killed:
                    try:
                        if driver.call("authenticate", (), [RIGHT], PATIENCE).succeeded and whom == "started":
                            driver.call("open_session")
                            driver.call("close_session")
                    except (MachineError, BrokenPipeError) as ended:
                        if whom == "started" or "does not answer" in str(ended):
                            problems.append(f"the host: {ended}")
            # Nobody listens to it any more: it revokes what it got.
            return killed, problems + around.problems(killing_workers=False)

        wrong = sweep(kill_at, part)
    story = "\n".join(f"{point}: {what}" for point, what in wrong.items())
    lost = [
        point for point, what in wrong.items() if what.startswith("cognito-worker ") and what.endswith(f": {ALIVE}")
    ]
    assert lost == list(wrong), story
    assert not lost or (whom == "started" and lost[-1] - lost[0] < UNKNOWN), story


@pytest.mark.bad_requests
@in_parts
def test_renewal(product: Product, clock_ahead: str, part: int) -> None:
    """Of the agent and its worker; rotation is on. The next renewal succeeds, and the end of the session is its end."""
    with (
        scene(product, clock_ahead, rotation=True, rotation_grace_seconds=60) as around,
        AgentProcess(product.machine) as agent,
    ):
        held = {key.serial for key in product.token_keys()}

        def kill_at(point: int) -> tuple[KillPoint, list[str]]:
            problems = []
            agent.forget_turns()
            with product.signed_in() as driver:
                [key] = {key.serial for key in product.token_keys()} - held
                with KillPoint(product.machine, agent.process.pid, "started", point) as killed:
                    fields = {"key": key, "minimum_life": ANYWAY, "asked_at": 2**62, "proof": agent.proof(key)}
                    request = encode("renew_request", fields)
                    product.machine.run(agent.client([request], PATIENCE), user="alice")
                    killed.wait()
                again = agent.renew(key)
                if again.kind != "renewal":
                    problems.append(f"the next renewal was refused: {refusal(again)}")
                driver.call("close_session")
            return killed, problems + around.problems()

        assert not sweep(kill_at, part, 3 * STRIDE)
