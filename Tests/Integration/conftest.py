"""Fixtures of the integration tests, and the checks that follow every one of them.

A test that asks for `machine` gets one that it shares with its module; after the test, processes it left are ended, and
no key may be left in root's keyring. A test that asks for `emulator` finds it untroubled, and is also searched for
secrets, and for requests that real Cognito would not have understood. After a test that asks for `product` the
configuration is put back. `other_machine` and `other_product` are a second host of the same pool.
"""

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from Emulator.client import EmulatorClient, running_emulator

from . import score
from .agent_process import AgentProcess
from .emulated_cognito import DIRECTORY_NAME, EmulatedCognito
from .golden import Golden
from .hosts import Sshd
from .machine import Machine, MachineError
from .product import CONFIGURATION, Product
from .residue import SecretSearch, end_new_processes, secret_keys


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "leaves_keys(why): keys may be left in root's keyring after this test")
    config.addinivalue_line("markers", "ends_tokens: after this test no token is good that was issued in it")
    config.addinivalue_line("markers", "leaves_tokens(why): one of those after which some may be")
    config.addinivalue_line("markers", "lengthy(why): this file's few cases take long, so it begins early")
    config.addinivalue_line("markers", "bad_requests(why): this test sends requests that break Cognito's model")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order of the files, for workers that take one after the other: at the end none is busy alone for long.

    First those that say that they are lengthy, then those of many cases.
    """
    sizes = Counter(item.path for item in items)
    lengthy = {item.path for item in items if item.get_closest_marker("lengthy")}
    items.sort(key=lambda item: (item.path not in lengthy, -sizes[item.path], item.path))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    for line in score.lines(entry for report in reports if report.when == "call" for entry in report.user_properties):
        terminalreporter.write_line(f"cognito-session doctor on {line}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """What the machines logged last, with each failure: in CI nobody can look at them."""
    report = yield
    if report.failed and isinstance(item, pytest.Function):
        for name in ("machine", "other_machine"):
            machine = item.funcargs.get(name)
            # A machine that has ended has nothing to say.
            with contextlib.suppress(MachineError, OSError, AttributeError):
                report.sections.append((f"log of {name}", "\n".join(machine.lines()[-20:])))
    return report


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with Machine() as started:
        yield started


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """One that workers without rights can read, outside of machines."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        yield Path(directory)


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[EmulatorClient]:
    """An emulator on the loopback interface of the tests themselves."""
    with running_emulator(folder / "emulator") as client:
        yield client


@pytest.fixture(scope="module")
def emulated_cognito(machine: Machine) -> Iterator[EmulatedCognito]:
    with EmulatedCognito(machine) as started:
        yield started


@pytest.fixture(scope="module")
def emulator(emulated_cognito: EmulatedCognito):
    """The emulator's client: accounts, faults, the request log."""
    return emulated_cognito.client


@pytest.fixture(scope="module")
def secret_search(machine: Machine) -> SecretSearch:
    """Call `secret_search.allow(place)` for a file that is meant to hold a secret."""
    return SecretSearch(machine, excluded=[f"shared:/{DIRECTORY_NAME}/*"])


@pytest.fixture(scope="module")
def product(machine: Machine, emulator, secret_search: SecretSearch) -> Product:
    """The product, installed in the module's machine, with a pool of people."""
    installed = Product(machine, emulator)
    secret_search.allow("*/etc/security/pam_cognito.secret")
    return installed


@pytest.fixture(scope="module")
def agent(product: Product) -> Iterator[AgentProcess]:
    """cognito-agent, listening."""
    with AgentProcess(product.machine) as started:
        yield started


@pytest.fixture(scope="module")
def sshd(product: Product) -> Iterator[Sshd]:
    """A server as it is usual; modules that need another have one of their own."""
    with Sshd(product.machine) as server:
        yield server


@pytest.fixture(scope="module")
def golden() -> Iterator[Golden]:
    """The file of what people see; written anew at the module's end where that is wanted."""
    texts = Golden()
    yield texts
    texts.save()


@pytest.fixture(scope="module")
def other_machine(emulated_cognito: EmulatedCognito) -> Iterator[Machine]:
    """A second host: its own users, processes, files, keys and network, which leads to the one emulator."""
    with Machine("other", visible=[emulated_cognito.directory]) as started:
        emulated_cognito.reach_from(started)
        yield started


@pytest.fixture(scope="module")
def other_secret_search(other_machine: Machine) -> SecretSearch:
    return SecretSearch(other_machine)


@pytest.fixture(scope="module")
def other_product(product: Product, other_machine: Machine, other_secret_search: SecretSearch) -> Product:
    """The product on the second host, for the same pool and the same people."""
    other_secret_search.allow("*/etc/security/pam_cognito.secret")
    return Product(other_machine, product.emulator, product.pool)


def check_secrets(emulator, search: SecretSearch) -> None:
    news = emulator.secrets(search.taken)
    search.taken += len(news)
    found = search.find(news)
    assert not found, f"secrets where they do not belong: {found}"


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test that uses the module's machines: see above. Fixtures of wider scope keep their processes."""

    def asked_for(name: str):
        return request.getfixturevalue(name) if name in request.fixturenames else None

    machines = [machine for name in ("machine", "other_machine") if (machine := asked_for(name))]
    if not machines:
        yield
        return
    emulator = asked_for("emulator")
    searches = [asked_for("secret_search"), asked_for("other_secret_search")] if emulator else []
    living: set[str] = set()
    if emulator:
        emulator.reset()
        living = emulator.living()
    processes = [{process.pid for process in machine.processes()} for machine in machines]
    keys = {key.serial for machine in machines for key in secret_keys(machine)}
    products = [product for name in ("product", "other_product") if (product := asked_for(name))]
    with contextlib.ExitStack() as stack:
        for installed in products:
            if installed.puts_configuration_back:
                stack.enter_context(installed.machine.preserved(CONFIGURATION))
        yield
    for installed in products:
        installed.forget_failures()
    left = []
    for machine, before in zip(machines, processes, strict=True):
        end_new_processes(machine, before)
        if new := [key for key in secret_keys(machine) if key.serial not in keys]:
            machine.forget_keys()
            left += new
    violations = emulator.violations() if emulator else []
    lost = emulator.living() - living if emulator else set()
    if not request.node.get_closest_marker("leaves_keys"):
        assert not left, f"keys are left in root's keyring: {left}"
        # All sessions are over, and the registry is empty: so whatever was issued is revoked.
        marks = {mark.name for mark in request.node.iter_markers()}
        if "ends_tokens" in marks and "leaves_tokens" not in marks:
            assert not lost, f"tokens are alive at Cognito that nobody has: {len(lost)}"
    for search in searches:
        if search:
            check_secrets(emulator, search)
    if not request.node.get_closest_marker("bad_requests"):
        assert not violations, f"requests that Cognito's model does not allow: {violations}"
