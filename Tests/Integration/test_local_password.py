"""Whether this machine's password of a Cognito account counts while Cognito is away (`local_password`)."""

import pytest

from .agent_process import AgentProcess, refusal
from .hosts import pamtester
from .machine import Machine, password_hash
from .pam_driver import PamDriver
from .product import LOCAL, RIGHT, WRONG, Product
from .worker_process import encode

pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the account lines")

ROOTS = "the-password-of-root-3"
#: A screen lock whose host is root.
ROOTS_LOCK = "root's screen-lock"
SAID = "Cognito is unavailable, and local passwords are not accepted. Try again later."


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    machine = product.machine
    # Cognito's, with a password of this machine.
    machine.add_user("dora", password=LOCAL)
    product.member("dora")
    machine.run(["usermod", "-p", password_hash(ROOTS), "root"], check=True)
    return product


def enters(machine: Machine, service: str, user: str, password: str) -> tuple[bool, str]:
    """Whether the shipped stack lets somebody in, and what they were told."""
    if service == "screen-lock" and user != "root":
        done = pamtester(machine, service, user, ["authenticate"], password, caller=user)
        return done.succeeded, done.seen
    if service == ROOTS_LOCK:
        service = "screen-lock"
    caller = {"su": "bob", "sudo": user if user != "root" else None}.get(service)
    with PamDriver(machine, service, user, caller=caller, observe=False) as driver:
        driver.do_not_wait()
        order = [("authenticate", ()), ("acct_mgmt", ())]
        results = driver.sign_in(password, order=order)
        said = "\n".join(message.text for result in results for message in result.conversation)
        return len(results) == 2 and results[-1].succeeded, said


def expectations(is_up: bool, setting: str) -> list[tuple[str, str, bool, int]]:
    """Who types what -> whether that lets them in, and how many failures it counts."""
    falls_back = not is_up and setting == "unavailable"
    return [
        ("bob", LOCAL, True, 0),
        ("bob", WRONG, False, 0),
        ("root", ROOTS, True, 0),
        ("root", WRONG, False, 0),
        ("dora", LOCAL, falls_back, 1 if is_up else 0),
        ("dora", WRONG, False, 1 if is_up or falls_back else 0),
        ("dora", RIGHT, is_up, 0 if is_up or not falls_back else 1),
        ("alice", LOCAL, False, 1 if is_up else 0),
        ("alice", RIGHT, is_up, 0),
    ]


@pytest.mark.parametrize("setting", ["never", "unavailable"])
@pytest.mark.parametrize("is_up", [True, False], ids=["reachable", "unreachable"])
@pytest.mark.parametrize("service", ["sshd", "login", "su", "sudo", "screen-lock", ROOTS_LOCK])
def test_table(
    machine: Machine, product: Product, agent: AgentProcess, service: str, is_up: bool, setting: str
) -> None:
    product.configure(users="dora", local_password=setting, sign_out="session")
    if not is_up:
        product.emulator.down()
    wrong = []
    for user, password, entered, count in expectations(is_up, setting):
        agent.forget_turns()
        if service == "screen-lock" and not is_up:
            # The agent decides, and does not see what another module makes of it.
            count = 0
        got, said = enters(machine, service, user, password)
        counted = sum(product.failures().values())
        is_told = not is_up and setting == "never" and user in ("dora", "alice")
        if (got, counted, SAID in said) != (entered, count, is_told):
            wrong.append(f"{user} with {password}: {got}, {counted} failures, {said!r}")
        product.forget_failures("dora", "alice")
    assert wrong == []


def test_default(machine: Machine, product: Product) -> None:
    """An outage with many tries locks nobody out, and opens nothing."""
    product.configure(users="dora", max_failures="3")
    product.emulator.down()
    for _ in range(4):
        assert not enters(machine, "su", "dora", LOCAL)[0]
    assert product.failures() == {}
    product.emulator.up()
    assert enters(machine, "su", "dora", RIGHT)[0]


def test_one_service_alone(machine: Machine, product: Product) -> None:
    """As an argument it holds for one service."""
    product.configure(users="dora")
    product.emulator.down()
    path = "/etc/pam.d/cognito-auth"
    with machine.preserved("/etc/pam.d/login"):
        lines = machine.read(path).replace("pam_cognito.so", "pam_cognito.so local_password=unavailable")
        login = machine.read("/etc/pam.d/login").replace("@include cognito-auth", lines)
        machine.write("/etc/pam.d/login", login)
        assert enters(machine, "login", "dora", LOCAL)[0]
        assert not enters(machine, "sshd", "dora", LOCAL)[0]


def test_wrong_local_passwords_count(machine: Machine, product: Product) -> None:
    product.configure(users="dora", max_failures="3", local_password="unavailable")
    product.emulator.down()
    for _ in range(3):
        assert not enters(machine, "login", "dora", WRONG)[0]
    assert not enters(machine, "login", "dora", LOCAL)[0]
    assert product.failures() == {("dora", 0): 3}


def test_guesses_do_not_open_a_screen_lock(machine: Machine, product: Product, agent: AgentProcess) -> None:
    """Whoever asks the agent too often hears nothing, and gets no way around it, whether it is away or not."""
    product.configure(users="dora", local_password="unavailable")
    agent.forget_turns()
    for _ in range(10):
        agent.exchange([encode("unlock_request", {"user_name": "dora"})], "dora", stop_after=1)
    assert refusal(agent.ask("unlock_request", "dora", user_name="dora")) == "busy"
    assert not enters(machine, "screen-lock", "dora", LOCAL)[0]
    product.emulator.down()
    assert not enters(machine, "screen-lock", "dora", LOCAL)[0]
    agent.forget_turns()
    assert enters(machine, "screen-lock", "dora", LOCAL)[0]
