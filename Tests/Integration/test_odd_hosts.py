"""Hosts that call the hooks in an order that nobody expects: a clean PAM code each time, and nothing is left."""

import pytest

from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, WRONG, Product

#: What is called, a word each: a hook, or a sign-in with the right or a wrong password.
SEQUENCES = [
    "open_session",
    "close_session",
    "setcred",
    "acct_mgmt",
    "open_session close_session setcred",
    "close_session open_session",
    "right",
    "right right",
    "right wrong",
    "wrong right",
    "wrong open_session close_session",
    "right open_session",
    "right open_session open_session",
    "right open_session close_session close_session",
    "right close_session",
    "right close_session open_session close_session",
    "right open_session close_session open_session close_session",
    "right setcred setcred acct_mgmt acct_mgmt",
    "right open_session right open_session close_session",
    "right open_session wrong close_session",
    "right delete open_session close_session",
    "right open_session delete delete close_session",
    "right open_session close_session right open_session close_session",
    "acct_mgmt right acct_mgmt open_session setcred close_session",
]


def expected(words: list[str]) -> list[str]:
    """Yes, but to a wrong password; and where nobody has signed in, the account is none that this stack knows of."""
    codes = []
    for index, word in enumerate(words):
        if word == "wrong":
            codes.append("PAM_AUTH_ERR")
        elif word == "acct_mgmt" and "right" not in words[:index]:
            codes.append("PAM_PERM_DENIED")
        else:
            codes.append("PAM_SUCCESS")
    return codes


@pytest.mark.parametrize("ending", ["pam_end", "exit", "kill"])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_order(machine: Machine, product: Product, sequence: str, ending: str) -> None:
    mark = machine.log_mark()
    driver = PamDriver(machine, "alone", "alice")
    codes = []
    with driver:
        for word in sequence.split():
            match word:
                case "right" | "wrong":
                    result = driver.authenticate(RIGHT if word == "right" else WRONG)
                case "delete":
                    result = driver.call("setcred", "DELETE")
                case _:
                    result = driver.call(word)
            codes.append(result.code)
        if ending == "pam_end":
            driver.end()
        elif ending == "kill":
            driver.host.signal(9)
            driver.host.wait()
    assert codes == expected(sequence.split())
    product.await_rounds()
    product.reap()
    machine.wait_until(lambda: not product.entries(), "the end of what was begun")
    assert not product.tokens_given()
    machine.settle()
    lines = [entry.message for entry in machine.log(mark) if "pam_cognito" in entry.message]
    # Sign-in and its end, or the line that says why not.
    assert len(lines) <= 2 * len(codes), lines
