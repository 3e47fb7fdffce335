"""From the password to PAM_SUCCESS, and close_session, beside a bare libcurl program that makes the same requests.

The bare program is handed its requests ready made. The proof of SRP is computed for it while its clock stands still, so
that the server has exactly the same work with both. What is left between the two is what we do beyond the requests: the
client's part of SRP, the verification of two tokens, and the way between the host and a process without rights.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pycognito import aws_srp

from Emulator import modular_power
from Integration.machine import MachineError
from Integration.pam_driver import CODES, PamDriver
from Integration.product import RIGHT, Product

from .figures import Subject
from .processor import Group
from .tools import Tools

USER = "alice"
THINKING = 0.3

# pycognito's own powers take a tenth of a second each.
aws_srp.pow = modular_power.load()


@dataclass(frozen=True)
class Traffic:
    """What the server saw of one step; `seconds` is its own time, without the key set, which nobody waits for."""

    operations: tuple[str, ...]
    connections: int
    seconds: float


@dataclass(frozen=True)
class Run:
    """One sign-in and sign-out, in seconds. `whole` has everything from the start; the rest is from the password on."""

    whole: float
    sign_in: float
    sign_out: float
    sign_in_traffic: Traffic
    sign_out_traffic: Traffic
    open_session: float = 0.0
    #: Of the program that signs in, where it is counted.
    sign_in_processor: float = 0.0

    @property
    def sign_in_own(self) -> float:
        return self.sign_in - self.sign_in_traffic.seconds


class TimedDriver(PamDriver):
    """A host that looks at the clock when it has the password."""

    def authenticate_timed(self, thinking: float, password: str = RIGHT) -> tuple[float, float]:
        """Seconds of pam_authenticate without the thinking, and seconds from the password on."""
        begun = time.monotonic()
        self._tell("call", "authenticate", 0)
        self._hear()
        asked = time.monotonic()
        time.sleep(thinking)
        typed = time.monotonic()
        self._tell("answer", password.encode().hex())
        while "code" not in (heard := self._hear()):
            pass
        done = time.monotonic()
        if CODES[heard["code"]] != "PAM_SUCCESS":
            raise MachineError(CODES[heard["code"]])
        return asked - begun + done - typed, done - typed


class BareProgram:
    """One process of the bare program, in a `group` that counts its processor time from its execution on."""

    def __init__(
        self,
        tools: Tools,
        product: Product,
        endpoint: str | None = None,
        group: Group | None = None,
        ca_file: str | None = None,
    ):
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        try:
            trusted = ca_file or product.emulator.ca
            arguments = [tools.paths["bare_client"], trusted, endpoint or product.emulator.endpoint]
            if group:
                arguments = ["sh", "-c", 'read -r go; exec "$@"', "sh", *arguments]
            self._process = product.machine.start(arguments, stdin=requests, stdout=answers)
            if group:
                group.take(product.machine, self._process.pid)
                os.write(self._requests, b"go\n")
        finally:
            os.close(requests)
            os.close(answers)
        self._lines = os.fdopen(self._answers)
        self.start = int(self._lines.readline()) / 1e9

    def ask(self, operation: str, body: dict | str) -> tuple[float, dict]:
        text = body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))
        os.write(self._requests, f"{operation} {text}\n".encode())
        nanoseconds, status, answer = self._lines.readline().split(" ", 2)
        if status != "200":
            raise MachineError(f"{operation}: {answer}")
        return int(nanoseconds) / 1e9, json.loads(answer)

    def close(self) -> None:
        os.close(self._requests)
        self._lines.close()
        self._process.end()


class Benchmark:
    def __init__(
        self,
        tools: Tools,
        product: Product,
        endpoint: str | None = None,
        group: Group | None = None,
        ca_file: str | None = None,
    ):
        self.tools, self.product, self.endpoint, self.group, self.ca_file = tools, product, endpoint, group, ca_file

    def traffic(self) -> Traffic:
        """What the server has seen since the last call."""
        emulator = self.product.emulator
        # Its own time is in the log when an answer is out, a moment after it is here.
        time.sleep(0.02)
        requests, connections = emulator.requests(), emulator.connection_count()
        emulator.clear_requests()
        seconds = sum(request["seconds"] for request in requests if request["operation"] != "jwks")
        return Traffic(tuple(request["operation"] for request in requests), connections, seconds)

    def ours(self, thinking: float) -> Run:
        with TimedDriver(self.product.machine, "alone", USER, observe=False) as driver:
            whole, sign_in = driver.authenticate_timed(thinking)
            sign_in_traffic = self.traffic()
            driver.call("acct_mgmt")
            driver.call("setcred", "ESTABLISH")
            opened = driver.call("open_session")
            closed = driver.call("close_session")
            sign_out_traffic = self.traffic()
            driver.end()
        return Run(whole, sign_in, closed.seconds, sign_in_traffic, sign_out_traffic, opened.seconds)

    @contextmanager
    def bare_program(self) -> Iterator[BareProgram]:
        program = BareProgram(self.tools, self.product, self.endpoint, self.group, self.ca_file)
        try:
            yield program
        finally:
            program.close()

    def bare(self, thinking: float) -> Run:
        pool = self.product.pool
        client = {"client_id": pool["client_id"], "client_secret": pool["client_secret"]}
        srp = aws_srp.AWSSRP(username=USER, password=RIGHT, pool_id=pool["pool_id"], client=self, **client)
        parameters = srp.get_auth_params()
        application = {"ClientId": pool["client_id"]}
        with self.bare_program() as program:
            if thinking:
                program.ask("get", pool["jwks_path"])
                time.sleep(thinking)
            initiate = {"AuthFlow": "USER_SRP_AUTH", "AuthParameters": parameters, **application}
            first, challenge = program.ask("InitiateAuth", initiate)
            proof = srp.process_challenge(challenge["ChallengeParameters"], parameters)
            respond = {"ChallengeName": challenge["ChallengeName"], "ChallengeResponses": proof, **application}
            if "Session" in challenge:
                respond["Session"] = challenge["Session"]
            second, answer = program.ask("RespondToAuthChallenge", respond)
            start = program.start
        sign_in_processor = self.group.seconds if self.group else 0.0
        sign_in_traffic = self.traffic()
        with self.bare_program() as program:
            token = answer["AuthenticationResult"]["AccessToken"]
            third, _ = program.ask("GlobalSignOut", {"AccessToken": token})
            sign_out = program.start + third
        traffic = sign_in_traffic, self.traffic()
        return Run(start + first + second, first + second, sign_out, *traffic, sign_in_processor=sign_in_processor)

    def runs(self, thinking: float, count: int) -> tuple[list[Run], list[Run]]:
        """Turn and turn about, so that what else the machine does falls on both; the first turn fills the caches."""
        self.traffic()
        pairs = [(self.ours(thinking), self.bare(thinking)) for _ in range(count + 1)][1:]
        return [ours for ours, _ in pairs], [bare for _, bare in pairs]


def _add(subject: Subject, name: str, runs: list[Run], seconds: Callable[[Run], float]) -> None:
    subject.add(name, [seconds(run) * 1000 for run in runs])


def _note_traffic(subject: Subject, what: str, traffic: list[Traffic]) -> None:
    for operations, connections in sorted({(one.operations, one.connections) for one in traffic}):
        subject.note(f"A {what} asks for {', '.join(operations)}; TLS connections: {connections}.")


def measure(tools: Tools, product: Product, count: int = 21) -> list[Subject]:
    benchmark = Benchmark(tools, product)
    at_once = Subject("Signing in with SRP, the password there at once")
    typed = Subject(f"Signing in with SRP, the password typed after {THINKING * 1000:.0f} ms")
    closing = Subject("Signing out, sign_out = global")

    ours, bare = benchmark.runs(0, count)
    _add(at_once, "pam_authenticate, all of it", ours, lambda run: run.whole)
    _add(at_once, "  a bare libcurl program, from exec on", bare, lambda run: run.whole)
    later, bare_later = benchmark.runs(THINKING, count)
    for subject, name, our_runs, bare_runs in (
        (at_once, "connection and requests", ours, bare),
        (typed, "requests, connected before", later, bare_later),
    ):
        _add(subject, "from the password to PAM_SUCCESS", our_runs, lambda run: run.sign_in)
        _add(subject, f"  the bare program's {name}", bare_runs, lambda run: run.sign_in)
        _add(subject, "the same without the server's own time", our_runs, lambda run: run.sign_in_own)
        _add(subject, "  the bare program's", bare_runs, lambda run: run.sign_in_own)
        _note_traffic(subject, "sign-in", [run.sign_in_traffic for run in our_runs])
    _add(typed, "open_session", later, lambda run: run.open_session)

    everything, bare_everything = ours + later, bare + bare_later
    _add(closing, "close_session", everything, lambda run: run.sign_out)
    _add(closing, "  a bare libcurl program, from exec on", bare_everything, lambda run: run.sign_out)
    _add(closing, "  the server's own time", everything, lambda run: run.sign_out_traffic.seconds)
    _note_traffic(closing, "sign-out", [run.sign_out_traffic for run in everything])
    for subject in (at_once, typed):
        subject.note("The server's clock stops a moment after its answer is out: a difference can come out too small.")
    return [at_once, typed, closing]
