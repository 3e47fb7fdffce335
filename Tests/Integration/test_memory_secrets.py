"""What the memory of each of our processes holds at each stage, as root reads it: no secret that is not named here.

Locked pages are those of `Secret`: never swapped, left out of core dumps, wiped. What is elsewhere is argued in
SECURITY.md.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from .agent_process import AgentProcess
from .challenges import APP, SECRET, totp
from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, Product

TOKENS = {"access_token", "id_token", "refresh_token"}
LOCKED = "locked pages"
HEAP = "[heap]"
#: Who at which stage may hold which kinds outside of locked pages: libpam has the password as PAM_AUTHTOK, libcurl what
#: it sends, and the tool what it prints.
NAMED: dict[tuple[str, str], set[str]] = {
    ("host", "asking Cognito"): {"password"},
    ("host", "asking Cognito with the code"): {"password"},
    ("worker", "asking Cognito"): {"secret_hash", "secret_block", "claim_signature", "password"},
    ("worker", "asking Cognito with the code"): {"secret_hash", "code", "session", "secret_block", "claim_signature"},
    ("worker", "renewing"): {"refresh_token", "client_secret"},
    ("tool", "renewing"): {"access_token"},
    ("worker", "signing out"): {"access_token", "refresh_token", "client_secret"},
}
#: And what they may hold there, besides.
HOLDERS: dict[tuple[str, str], set[str]] = {
    ("host", "asking Cognito"): {"client_secret"},
    ("host", "asking Cognito with the code"): {"client_secret"},
    ("worker", "asking Cognito"): {"password", "client_secret", "secret_hash", "secret_block", "claim_signature"},
    ("worker", "asking Cognito with the code"): {
        "password",
        "code",
        "session",
        "client_secret",
        "secret_hash",
        "secret_block",
    },
    # It looks whether a sign-in has its session by now.
    ("watching agent", "signed in"): TOKENS | {"client_secret"},
    ("watching agent", "open"): TOKENS | {"client_secret"},
    ("serving agent", "renewing"): TOKENS,
    ("worker", "renewing"): TOKENS | {"client_secret"},
    ("tool", "renewing"): TOKENS,
    ("worker", "signing out"): TOKENS | {"client_secret"},
    ("ending agent", "signing out"): TOKENS | {"client_secret"},
}


def held(machine: Machine, pid: int, secrets: list[tuple[str, bytes]]) -> set[tuple[str, str]]:
    """The kinds of secrets that a process has in memory that it can write, each with where that is."""
    areas = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", (machine.proc / str(pid) / "smaps").read_text(), flags=re.M)
    found = set()
    with open(machine.proc / str(pid) / "mem", "rb", buffering=0) as memory:
        for area in areas[1:]:
            bounds, rights, *_ = area.split(maxsplit=2)
            name = area.splitlines()[0][73:].strip() or "anonymous"
            flags = area.partition("VmFlags:")[2].split()
            place = LOCKED if {"lo", "dd"} <= set(flags) else name
            start, end = (int(number, 16) for number in bounds.split("-"))
            if "w" in rights:
                memory.seek(start)
                with suppress(OSError):
                    content = memory.read(end - start)
                    found |= {(kind, place) for kind, secret in secrets if secret in content}
    return found


class Look:
    """Goes through the processes at a stage, and remembers what is nowhere named."""

    def __init__(self, product: Product, code: str):
        self.product, self.machine, self.code = product, product.machine, code
        self.wrong: list[str] = []
        self.seen: dict[tuple[str, str], set[tuple[str, str]]] = {}

    def secrets(self) -> list[tuple[str, bytes]]:
        known = [(secret["kind"], secret["value"].encode()) for secret in self.product.emulator.secrets()]
        return [*known, ("code", self.code.encode())]

    def at(self, stage: str, **others: int) -> None:
        """Of our processes and `others`."""
        secrets = self.secrets()
        pids = list(others.items())
        for process in self.machine.processes():
            if process.name == "cognito-worker":
                pids.append(("worker", process.pid))
            elif process.name == "cognito-session":
                pids.append(("tool", process.pid))
            elif process.name == "cognito-agent":
                kind = {b"serve": "serving", b"end": "ending", b"watch": "watching"}.get(
                    process.arguments[-1] if process.arguments else b"", "other"
                )
                pids.append((f"{kind} agent", process.pid))
        for who, pid in pids:
            found: set[tuple[str, str]] = set()
            # One that has just ended.
            with suppress(FileNotFoundError, ProcessLookupError):
                found = held(self.machine, pid, secrets)
            self.seen[who, stage] = found
            for kind, place in found:
                allowed = NAMED if place != LOCKED else HOLDERS
                if kind not in allowed.get((who, stage), set()):
                    self.wrong.append(f"{who}, {stage}: {kind} in {place}")

    def delay(self, operation: str) -> int:
        """Until it is lifted."""
        return self.product.emulator.fault(operation, "delay", seconds=60, times=1)

    def await_request(self, operation: str, count: int = 1) -> None:
        self.machine.wait_until(lambda: self.product.operations().count(operation) == count, operation)

    @contextmanager
    def during(self, operation: str, action: Callable[[], object]) -> Iterator[int]:
        """While Cognito takes its time for `operation`, which `action` asks for; yields the delay."""
        self.product.emulator.clear_requests()
        delay = self.delay(operation)
        acting = threading.Thread(target=action)
        acting.start()
        try:
            self.await_request(operation)
            yield delay
        finally:
            self.product.emulator.lift(delay)
            acting.join()
            self.product.emulator.clear_faults()


@pytest.mark.parametrize("flow", ["srp", "password"])
def test_memory(product: Product, agent: AgentProcess, flow: str) -> None:
    """From the prompt to the end of the transaction, with a renewal that the person asks for."""
    flows = {"srp": "ALLOW_USER_SRP_AUTH", "password": "ALLOW_USER_PASSWORD_AUTH"}
    options = {**APP, "auth_flows": [flows[flow], "ALLOW_REFRESH_TOKEN_AUTH"], "generate_secret": True}
    look = Look(product, totp())
    with product.other_pool(options, auth_flow=flow) as pool:
        product.machine.write("/etc/security/pam_cognito.secret", pool["client_secret"] + "\n", 0o600)
        product.configure(auth_flow=flow, sign_out="session", network_timeout="60s")
        product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
        go_through(look, {"srp": "RespondToAuthChallenge", "password": "InitiateAuth"}[flow])
    assert not look.wrong, look.wrong
    # What is looked for is found where it must be.
    assert ("refresh_token", LOCKED) in look.seen["worker", "renewing"]
    assert ("password", HEAP) in look.seen["host", "asking Cognito with the code"]


def go_through(look: Look, first: str) -> None:
    with PamDriver(look.machine, "alone", "alice", observe=False) as driver:
        with look.during(first, lambda: driver.authenticate(RIGHT, look.code)) as asked:
            look.at("asking Cognito", host=driver.pid)
            code = look.delay("RespondToAuthChallenge")
            look.product.emulator.lift(asked)
            look.await_request("RespondToAuthChallenge", 2 if first == "RespondToAuthChallenge" else 1)
            look.at("asking Cognito with the code", host=driver.pid)
            look.product.emulator.lift(code)
        look.at("signed in", host=driver.pid)
        assert driver.call("open_session").succeeded
        look.at("open", host=driver.pid)
        renewing = "cognito-session token --min-life 2h >/dev/null"
        with look.during("GetTokensFromRefreshToken", lambda: driver.job("alice", renewing)):
            look.at("renewing", host=driver.pid)
        with look.during("RevokeToken", lambda: driver.call("close_session")):
            look.at("signing out", host=driver.pid)
        look.at("closed", host=driver.pid)
        driver.end()
        look.at("ended", host=driver.pid)
