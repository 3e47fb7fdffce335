"""Many prompts at once: a worker for each, so that a caller has a few of them. Who comes over the network is first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Sshd, su_command
from .machine import Machine
from .product import LOCAL, RIGHT, Product

MOST_OF_ONE = 8
MOST_OF_ALL = 40


@contextlib.contextmanager
def prompts(machine: Machine, caller: str, count: int) -> Iterator[list]:
    """So many of `su alice`, none of which is answered; those that were refused have ended."""
    hosts = [machine.spawn_pty(["su", "alice"], user=caller) for _ in range(count)]
    try:
        for host in hosts:
            machine.wait_until(lambda host=host: "assword" in peek(host) or host.process.ended, "a prompt, or the end")
        yield hosts
    finally:
        for host in hosts:
            host.close()


def peek(host) -> str:
    """What it has said so far."""
    with contextlib.suppress(Exception):
        host.expect_exact("assword", timeout=0.05)
    return host.seen


def test_of_one(machine: Machine, product: Product, sshd: Sshd) -> None:
    """60 of one person's are few workers; nobody else notices, and the local password is no way around."""
    mark = machine.log_mark()
    with prompts(machine, "bob", 60):
        assert MOST_OF_ONE <= len(machine.pids("cognito-worker")) <= 2 * MOST_OF_ONE
        status, seen, asked = su_command(machine, "bob", "alice", "true", LOCAL)
        assert status != 0 and not asked
        assert "Too many sign-in prompts are open on this machine." in seen
        lines = machine.lines(mark, containing="reason=too_many_prompts")
        assert len(lines) >= 60 - 2 * MOST_OF_ONE
        # carol is another caller, ssh is root's, and bob himself is local.
        assert su_command(machine, "carol", "alice", "true", RIGHT)[0] == 0
        assert sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
        assert su_command(machine, "carol", "bob", "true", LOCAL)[0] == 0
    machine.wait_until(lambda: not machine.pids("cognito-worker"), "the end of the workers")
    assert su_command(machine, "bob", "alice", "true", RIGHT)[0] == 0


def test_forgotten_passwords(machine: Machine, product: Product, agent: AgentProcess) -> None:
    """Their workers are among those of which a person has few."""
    agent.forget_turns()
    with contextlib.ExitStack() as stack:
        seen = []
        for number in range(MOST_OF_ONE + 1):
            terminal = machine.spawn_pty(["cognito-session", "forgot-password", f"name{number}"], user="bob")
            stack.callback(terminal.close)
            machine.wait_until(lambda t=terminal: ": " in peek(t) or t.process.ended, "a question, or the end")
            seen.append(terminal.seen)
        assert len(machine.pids("cognito-worker")) == MOST_OF_ONE
        assert "Too many sign-in prompts are open on this machine." in seen[-1]
        status, _, asked = su_command(machine, "bob", "alice", "true", RIGHT)
        assert status != 0 and not asked
        assert su_command(machine, "carol", "alice", "true", RIGHT)[0] == 0
    machine.wait_until(lambda: not machine.pids("cognito-worker"), "the end of the workers")


@pytest.mark.parametrize("killed", ["hosts", "workers"])
def test_count_of_what_was_killed(machine: Machine, product: Product, killed: str) -> None:
    """Nothing is left that would count on."""
    with prompts(machine, "bob", 2 * MOST_OF_ONE) as hosts:
        machine.kill_all(machine.pids("cognito-worker") if killed == "workers" else [host.pid for host in hosts])
        machine.wait_until(lambda: not machine.pids("cognito-worker"), "the end of the workers")
        assert su_command(machine, "bob", "alice", "true", RIGHT)[0] == 0


def test_who_only_looks_like_it(machine: Machine, product: Product) -> None:
    """A process with such a name counts for nothing: a worker runs as an account of its own."""
    script = f"import os; os.execv('/bin/sleep', ['cognito-worker for uid {machine.uid('carol')}', '600'])"
    liars = [machine.start(["python3", "-IS", "-c", script], user="bob") for _ in range(MOST_OF_ALL)]
    try:
        assert su_command(machine, "carol", "alice", "true", RIGHT)[0] == 0
    finally:
        for liar in liars:
            liar.end()
