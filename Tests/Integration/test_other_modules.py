"""What other modules find after ours: PAM_AUTHTOK and PAM_OLDAUTHTOK, with a module in real stacks that says so."""

import pytest

from .agent_process import AgentProcess
from .challenges import APP, NEW, SECRET, totp
from .compiled import compiled
from .machine import Machine
from .pam_driver import PamDriver, PamResult
from .product import ALONE, LOCAL, RIGHT, WRONG, Product

PROBE = "/usr/lib/x86_64-linux-gnu/security/pam_probe.so"
CODE = "123456"
#: In place of the code that was sent last.
SENT = "the code that was sent"
#: Started by the person, without root's rights.
DRIVER = "/usr/local/libexec/pam-driver"

pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the auth lines")


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    machine = product.machine
    machine.write(PROBE, compiled("pam_probe", "-shared", "-fPIC", "-lpam"))
    probe = "{} optional pam_probe.so\n"
    # As pam-auth-update puts them: behind what decides.
    machine.pam("login", machine.read("/etc/pam.d/login") + probe.format("auth"))
    machine.pam("i3lock", machine.read("/etc/pam.d/screen-lock") + probe.format("auth"))
    machine.pam("alone", ALONE + probe.format("auth") + probe.format("password"))
    machine.add_user("dora", password=LOCAL)
    product.emulator.note_secret("password", NEW)
    return product


def found(result: PamResult) -> list[str]:
    return [message.text for message in result.conversation if message.text.startswith("found ")]


def sign_in(product: Product, service: str, name: str, *answers: str, **options) -> tuple[str, list[str]]:
    with PamDriver(product.machine, service, name, observe=False, **options) as driver:
        driver.do_not_wait()
        result = driver.authenticate(*answers)
        return result.code, found(result)


#: What a person of the pool has, and types -> what is found.
SIGN_INS = {
    "a password": ({}, {}, (RIGHT,), RIGHT),
    "digits behind it": ({"password": RIGHT + CODE}, {}, (RIGHT + CODE,), RIGHT + CODE),
    "a code behind it": (
        {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET},
        {"combined_code": "yes"},
        (lambda: RIGHT + totp(),),
        RIGHT,
    ),
    "a code that nobody asks for": ({}, {"combined_code": "yes"}, (RIGHT + CODE,), RIGHT),
    "a code that is asked for": (
        {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET},
        {},
        (RIGHT, lambda: totp()),
        RIGHT,
    ),
    "a forced change": ({"status": "FORCE_CHANGE_PASSWORD"}, {}, (RIGHT, NEW, NEW), NEW),
    "a reset": ({"status": "RESET_REQUIRED"}, {}, (RIGHT, SENT, NEW, NEW), NEW),
}


@pytest.mark.parametrize("service", ["login", "i3lock"])
@pytest.mark.parametrize("case", SIGN_INS)
def test_sign_in(product: Product, agent: AgentProcess, service: str, case: str) -> None:
    person, options, answers, expected = SIGN_INS[case]
    agent.forget_turns()
    with product.other_pool(APP if "mfa" in person else {}, **options):
        product.member(**person)
        answers = [product.emulator.codes("alice")[-1] if answer == SENT else answer for answer in answers]
        caller = {"caller": "alice", "through": [DRIVER]} if service == "i3lock" else {}
        assert sign_in(product, service, "alice", *answers, **caller) == (
            "PAM_SUCCESS",
            [f"found {expected}, old nothing"],
        )


@pytest.mark.parametrize(
    ("answers", "succeeds"),
    [((RIGHT, NEW, NEW), True), ((RIGHT, "weak", "weak", NEW, NEW), True), ((WRONG,), False), ((RIGHT, NEW), False)],
    ids=["changed", "the second one", "refused", "left"],
)
def test_change(product: Product, answers: tuple[str, ...], succeeds: bool) -> None:
    """What another module had asked for before is not what counts; and nothing is left by what came to nothing."""
    with product.other_pool({}):
        product.member()
        with PamDriver(product.machine, "alone", "alice", observe=False) as driver:
            driver.do_not_wait()
            result = driver.call("chauthtok", (), answers)
            left = f"found {NEW}, old {RIGHT}" if succeeds else "found nothing, old nothing"
            assert (result.succeeded, found(result)) == (succeeds, [left])


#: What is typed -> whether it opens the account while Cognito is away, and what is found then.
LOCALS = {
    LOCAL: (True, LOCAL),
    LOCAL + CODE: (True, LOCAL),
    LOCAL + "12345": (False, None),
    LOCAL + "12345x": (False, None),
    WRONG + CODE: (False, None),
    CODE: (False, None),
}


@pytest.mark.parametrize("typed", LOCALS)
def test_local_password_with_a_code(product: Product, typed: str) -> None:
    """While Cognito is away: as one attempt that is counted, until this machine's password opens the account."""
    enters, expected = LOCALS[typed]
    product.configure(users="dora", local_password="unavailable", combined_code="yes")
    product.emulator.down()
    with PamDriver(product.machine, "login", "dora", observe=False) as driver:
        driver.do_not_wait()
        result = driver.authenticate(typed)
        assert result.succeeded == enters
        assert found(result) == ([f"found {expected}, old nothing"] if enters else [])
        if enters:
            assert driver.call("acct_mgmt").succeeded
    # Whatever was tried with it, and decided when the host has gone at the latest.
    assert product.failures() == ({} if enters else {("dora", 0): 1})


def test_local_password_that_ends_in_digits(machine: Machine, product: Product) -> None:
    """The whole is tried first; and where the code is not expected, nothing is taken off."""
    machine.add_user("dario", password=LOCAL + CODE)
    product.emulator.down()
    for combined in ("yes", "no"):
        product.configure(users="dario dora", local_password="unavailable", combined_code=combined)
        assert sign_in(product, "login", "dario", LOCAL + CODE) == (
            "PAM_SUCCESS",
            [f"found {LOCAL + CODE}, old nothing"],
        )
    assert sign_in(product, "login", "dora", LOCAL + CODE)[0] != "PAM_SUCCESS"
    machine.remove_user("dario")
