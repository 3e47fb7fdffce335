"""Whoever wishes the agent ill: others are served meanwhile. And how it comes and goes at a socket of systemd's."""

from __future__ import annotations

import signal

import pytest

from .agent_attacks import ATTACKS, SUBORDINATE, ask_meanwhile, attack
from .agent_process import COUNTS, SOCKET, AgentProcess, refusal
from .compiled import compiled
from .machine import REPOSITORY, Machine
from .pam_driver import PamDriver
from .product import AGENT, RIGHT, Product
from .worker_process import decode, encode


@pytest.mark.parametrize("name", ATTACKS)
def test_a_victim_is_served(product: Product, name: str) -> None:
    machine, socket_unit = product.machine, name == "connects and closes"
    with AgentProcess(machine, socket_unit) as agent, attack(machine, name):
        # Long enough for the attacker to have taken what can be had.
        answers = ask_meanwhile(machine, 20)["answers"]
        assert [refusal(decode(bytes.fromhex(a))) for a in answers] == ["no_session"] * 20
        # However many ask, few are served at once.
        assert len(agent.servers()) <= 64


def test_sockets_that_linger_in_a_message(product: Product) -> None:
    """What the agent receives is there at once, however long it takes to close what came with it."""
    sources = [str(REPOSITORY / f"Sources/CLinux/{name}.c") for name in ("channel", "clock", "process", "service")]
    options = [f"-I{REPOSITORY}/Sources/CLinux/include", "-ffunction-sections", "-Wl,--gc-sections", *sources]
    product.machine.write("/tmp/lingering", compiled("lingering", *options), 0o755)
    product.machine.run(["/tmp/lingering"], check=True, timeout=60)
    product.machine.remove("/tmp/lingering")


def ask_as(machine: Machine, uid: int) -> list[str]:
    """What somebody gets who has that user id and perhaps no account."""
    client = AgentProcess.client([encode("check_request", {"key": 1, "online": 0})])
    done = machine.run(["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *client], check=True)
    return [refusal(decode(bytes.fromhex(line))) for line in done.stdout.split()]


def test_who_is_nobody(product: Product) -> None:
    """No process is started for user ids that no account has, and no file made; the log has one line a minute."""
    machine = product.machine
    with AgentProcess(machine) as agent:
        agent.forget_turns()
        mark = machine.log_mark()
        for uid in (SUBORDINATE, SUBORDINATE + 1, SUBORDINATE):
            assert ask_as(machine, uid) == ["not_permitted"]
        lines = machine.lines(mark, tag="cognito-agent")
        assert lines == [
            f"request refused; uid={SUBORDINATE} reason=not_permitted: the user id does not belong to an account",
        ]
        assert ask_as(machine, machine.uid("alice")) == ["no_session"]
        assert not machine.exists(COUNTS)


def test_comes_and_goes(product: Product) -> None:
    """Started by the first who comes; ends when nobody does; and nobody notices when it is killed."""
    machine = product.machine
    with AgentProcess(machine, socket_unit=True) as agent:
        assert agent.listeners() == []
        assert ask_as(machine, machine.uid("alice")) == ["no_session"]
        first = agent.listener()
        assert ask_as(machine, machine.uid("bob")) == ["no_session"]
        assert agent.listener() == first
        machine.kill(first)
        assert ask_as(machine, machine.uid("alice")) == ["no_session"]
        second = agent.listener()
        assert second != first
        machine.wait_until(lambda: not agent.listeners(), "the end of a listener to which nobody comes")
        # The socket is not its own to remove.
        assert machine.exists(SOCKET)
        assert ask_as(machine, machine.uid("alice")) == ["no_session"]


def test_who_is_served_while_it_ends(product: Product) -> None:
    """It does not wait for them, and they do not notice."""
    machine = product.machine
    with AgentProcess(machine, socket_unit=True) as agent:
        machine.start(AgentProcess.client([encode("recover_request", {})], stop_after=-1), user="alice")
        # For a moment the worker that is being started looks like one who serves.
        (server,) = machine.wait_until(
            lambda: one if len(one := agent.servers()) == 1 else None, "somebody who is served"
        )
        listener = agent.listener()
        machine.kill(listener, 15)
        machine.wait_until(lambda: listener not in agent.listeners(), "the listener's end")
        machine.wait_until(lambda: agent.servers() == [server], "that nobody else serves, and the one still does")


@pytest.mark.parametrize("environment", [{"LISTEN_FDS": "2"}, {"LISTEN_FDS": "1"}], ids=["two", "no socket"])
def test_what_is_no_socket(product: Product, environment: dict[str, str]) -> None:
    script = f"LISTEN_PID=$$ exec {AGENT} listen 3</dev/null"
    done = product.machine.run(["sh", "-c", script], env=environment)
    assert done.returncode == 69, done


def test_sign_ins_are_watched_while_somebody_comes(product: Product) -> None:
    """By one process, which ends with its listener when nothing is left to watch."""
    machine = product.machine

    def watchers() -> list[int]:
        return [process.pid for process in machine.processes() if process.arguments[1:] == (b"watch",)]

    with AgentProcess(machine, socket_unit=True) as agent:
        with PamDriver(machine, "alone", "alice", observe=False) as driver:
            assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
            listener = agent.listener()
            (watcher,) = machine.wait_until(watchers, "the watcher")
            machine.kill(listener, signal.SIGTERM)
            machine.wait_until(lambda: listener not in agent.listeners(), "the listener's end")
            assert watchers() == [watcher]
        machine.wait_until(lambda: not product.tokens_given(), "the revocation of the tokens")
        machine.wait_until(lambda: not watchers(), "the watcher's end")
