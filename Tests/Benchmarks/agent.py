"""Requests to the agent: renewals, alone and many at once; and those of a victim while somebody does his worst."""

import contextlib
import time

from Integration.agent_attacks import ATTACKS, ask_meanwhile, attack
from Integration.agent_process import AgentProcess
from Integration.machine import MachineError
from Integration.pam_driver import PamDriver
from Integration.product import RIGHT, Product

from .figures import Subject

_AT_ONCE = 10


def measure(product: Product, count: int = 12) -> Subject:
    subject = Subject(f"Renewing through cognito-agent: cognito-session refresh, alone and {_AT_ONCE} at once")
    emulator = product.emulator
    alone = "cognito-session refresh >/dev/null || echo failed"
    crowd = f"i=0; while [ $i -lt {_AT_ONCE} ]; do ({alone}) & i=$((i+1)); done; wait"
    times: dict[str, list[float]] = {"alone": [], "crowd": []}
    calls: dict[str, list[float]] = {"alone": [], "crowd": []}
    with (
        AgentProcess(product.machine) as agent,
        PamDriver(product.machine, "alone", "alice", observe=False) as session,
    ):
        session.sign_in(RIGHT)
        for run in range(count + 1):
            for name, script in (("alone", alone), ("crowd", crowd)):
                agent.forget_turns()
                emulator.clear_requests()
                begun = time.monotonic()
                output = session.job("alice", script).stdout
                taken = time.monotonic() - begun
                if output:
                    raise MachineError(f"a renewal failed: {output}")
                if run:
                    times[name].append(taken)
                    calls[name].append(float(product.operations().count("GetTokensFromRefreshToken")))
        session.sign_out()
    subject.add("one alone", (taken * 1000 for taken in times["alone"]))
    subject.add(f"{_AT_ONCE} at once, until all are served", (taken * 1000 for taken in times["crowd"]))
    subject.add("programs served a second, at once", (_AT_ONCE / taken for taken in times["crowd"]), "/s")
    subject.add(f"calls to Cognito for {_AT_ONCE} at once", calls["crowd"], "")
    return subject


def measure_attacks(product: Product, count: int = 40) -> Subject:
    """Answers that somebody gets who asks one after the other, on a machine whose cores the attacker uses, too."""
    subject = Subject("A victim's requests to cognito-agent meanwhile: answered a second, and the longest wait")
    for name in [None, *ATTACKS]:
        with (
            AgentProcess(product.machine),
            attack(product.machine, name) if name else contextlib.nullcontext(),
        ):
            got = ask_meanwhile(product.machine, count, seconds=30)
        answered = sum(1 for answer in got["answers"] if answer)
        if answered < len(got["answers"]):
            raise MachineError(f"{len(got['answers']) - answered} requests were not answered: {name}")
        subject.add(name or "nobody attacks", [answered / got["seconds"]], "/s")
        subject.add(f"{name or 'nobody attacks'}: longest", [got["longest"] * 1000])
    return subject
