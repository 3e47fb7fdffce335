"""A sign-in, its session and the sign-out, beside what else one could pick: in turns, at distances from the server.

Everybody trusts the system's certificates, of which the emulator's authority is one. The password is typed after a
moment.
"""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from Integration.machine import REPOSITORY, Machine, MachineError
from Integration.product import LOCAL, RIGHT, Product

from . import kerberos
from .figures import Subject
from .processor import Group
from .sign_in import THINKING, Benchmark, TimedDriver
from .ssh import add_local_user
from .tools import Tools, only

#: Milliseconds to the server and back; at 0 nothing stands between.
DISTANCES = (0, 20, 80)
USER = "alice"
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
#: The README's, but that the pool is the emulator's.
DEFAULT = {"max_failures": None, "sign_out_wait": None, "ca_file": None, "sign_out": "last"}
_POOL = {"auth_flows": ["ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]}


@dataclass(frozen=True)
class Cost:
    """Seconds: from the password to success, of closing the session, of the processor for all and for the closing."""

    entering: float
    leaving: float
    processor: float
    leaving_processor: float


@dataclass(frozen=True)
class Way:
    """One service of PAM that lets somebody in."""

    name: str
    service: str
    user: str = USER
    #: None where nobody is asked.
    password: str | None = RIGHT


WAYS = (
    Way("pam_cognito", "alone"),
    Way("pam_krb5", "krb5"),
    Way("pam_unix with yescrypt", "unix", "dora", LOCAL),
    Way("pam_exec with boto3", "boto3"),
    Way("pam_exec with pycognito", "pycognito"),
    Way("pam_permit: the host alone", "permit", password=None),
)
BARE = "bare libcurl program"
#: What nobody who uses libcurl, a process each for signing in and out, gets below.
BAREST = "bare libcurl program, one certificate"


@dataclass
class Comparison:
    """What was measured: the costs by way and by distance."""

    costs: dict[tuple[str, int], list[Cost]] = field(default_factory=dict)

    def milliseconds(self, name: str, distance: int, value: Callable[[Cost], float]) -> list[float]:
        return [value(cost) * 1000 for cost in self.costs[name, distance]]


@contextlib.contextmanager
def relays(machine: Machine, target: int, first: int) -> Iterator[dict[int, int]]:
    """For each distance the port at which the target is reached."""
    ports, started = {0: target}, []
    try:
        for index, distance in enumerate(distance for distance in DISTANCES if distance):
            ports[distance] = first + index
            words = [str(distance / 1000), str(ports[distance]), str(target)]
            program = Path(__file__).with_name("relay.py")
            output = machine.shared / f"relay-{ports[distance]}"
            started.append(machine.start([sys.executable, str(program), *words], stdout=output))
            machine.wait_until(lambda output=output: output.exists() and output.read_text(), "the relay")
        yield ports
    finally:
        for process in started:
            process.end()


def _services(product: Product) -> None:
    machine = product.machine
    for service in ("unix", "permit"):
        only(machine, service, f"pam_{service}.so")
    add_local_user(machine)
    script = REPOSITORY / "Tests" / "Benchmarks" / "by_script.py"
    for kind in ("boto3", "pycognito"):
        command = f"{sys.executable} -B {script} /etc/by-{kind}.json"
        machine.pam(
            kind,
            f"auth required pam_exec.so expose_authtok quiet {command}\nauth required pam_permit.so\n"
            "account required pam_permit.so\n"
            f"session required pam_exec.so type=close_session quiet {command}\nsession required pam_permit.so\n",
        )


def _reach(product: Product, endpoint: str, kdc: int) -> None:
    product.configure(**{**DEFAULT, "client_secret_file": None, "endpoint": endpoint})
    kerberos.reach(product.machine, kdc)
    for kind in ("boto3", "pycognito"):
        settings = {**product.pool, "endpoint": endpoint, "ca": BUNDLE, "with": kind}
        product.machine.write(f"/etc/by-{kind}.json", json.dumps(settings))


@contextlib.contextmanager
def prepared(product: Product) -> Iterator[Callable[[int], str]]:
    """Everything that lets people in; gives what moves the servers to a distance and returns Cognito's endpoint."""
    machine, emulator = product.machine, product.emulator
    machine.write(BUNDLE, Path(emulator.ca).read_bytes())
    with contextlib.ExitStack() as stack:
        stack.enter_context(product.other_pool(_POOL, **DEFAULT))
        product.member()
        stack.enter_context(kerberos.running(machine, [USER], RIGHT))
        cognito = stack.enter_context(relays(machine, emulator.port, 8100))
        kdc = stack.enter_context(relays(machine, kerberos.PORT, 8110))
        _services(product)

        def move(distance: int) -> str:
            endpoint = emulator.endpoint.replace(str(emulator.port), str(cognito[distance]))
            _reach(product, endpoint, kdc[distance])
            return endpoint

        yield move


def sign_in_and_out(machine: Machine, way: Way, thinking: float = THINKING) -> Cost:
    """All that the host does, and all that it starts, until nothing of it is left."""
    with Group() as group, TimedDriver(machine, way.service, way.user, observe=False, start=False) as driver:
        group.take(machine, driver.pid)
        before = group.seconds
        driver.start(way.service, way.user)
        if way.password is None:
            entering = driver.authenticate().seconds
        else:
            _, entering = driver.authenticate_timed(thinking, way.password)
        opened = [driver.call("acct_mgmt"), driver.call("setcred", "ESTABLISH"), driver.call("open_session")]
        group.wait(left=1)
        open_since, middle = time.monotonic(), group.seconds
        closed = driver.sign_out()
        leaving = time.monotonic() - open_since
        driver.end()
        # Whatever is left goes on without the host.
        group.wait(left=1)
        if failed := [result for result in (*opened, closed[0]) if not result.succeeded]:
            raise MachineError(f"{way.name}: {failed}")
        return Cost(entering, leaving, group.seconds - before, group.seconds - middle)


def _bare(tools: Tools, product: Product, endpoint: str, ca_file: str) -> Cost:
    with Group() as group:
        run = Benchmark(tools, product, endpoint, group, ca_file).bare(THINKING)
        group.wait()
        return Cost(run.sign_in, run.sign_out, group.seconds, group.seconds - run.sign_in_processor)


def compare(tools: Tools, product: Product, move: Callable[[int], str], count: int) -> Comparison:
    found = Comparison()
    for turn in range(count + 1):
        for distance in DISTANCES:
            endpoint = move(distance)
            costs = {way.name: sign_in_and_out(product.machine, way) for way in WAYS}
            costs[BARE] = _bare(tools, product, endpoint, product.emulator.ca)
            costs[BAREST] = _bare(tools, product, endpoint, product.emulator.authority)
            # The first turn fills the caches.
            for name, cost in costs.items() if turn else ():
                found.costs.setdefault((name, distance), []).append(cost)
    if product.tokens_given():
        raise MachineError("somebody was not signed out")
    return found


def subjects(found: Comparison) -> Sequence[Subject]:
    names = dict.fromkeys(name for name, _ in found.costs)
    made = []
    for title, value in (
        ("Processor time of a sign-in, its session and the sign-out: all processes", lambda cost: cost.processor),
        ("The same of the sign-out alone", lambda cost: cost.leaving_processor),
        (f"From the password, typed after {THINKING * 1000:.0f} ms, to PAM_SUCCESS", lambda cost: cost.entering),
        ("Leaving: close_session and setcred", lambda cost: cost.leaving),
    ):
        subject = Subject(title)
        for distance in DISTANCES:
            for name in names:
                subject.add(f"{name}, {distance} ms away", found.milliseconds(name, distance, value))
        made.append(subject)
    made[2].note("The server's part is the emulator's: read it beside the bare program's, not by itself.")
    return made


def measure(tools: Tools, product: Product, count: int = 9) -> Sequence[Subject]:
    with prepared(product) as move:
        return subjects(compare(tools, product, move, count))
