"""Hosts that call the hooks in an order, from where, and with answers that nobody expects.

A clean PAM code each time, a line that says why not, and nothing is left.
"""

import signal

import pytest

from .machine import Machine
from .pam_driver import CODES, Odd, PamDriver
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
    host = OddHost(machine, product)
    with host.driver as driver:
        codes = [do(driver, word) for word in sequence.split()]
        if ending == "pam_end":
            driver.end()
        elif ending == "kill":
            driver.host.end()
    assert codes == expected(sequence.split())
    host.assert_nothing_left()
    lines = machine.lines(host.mark, containing="pam_cognito")
    # Sign-in and its end, or the line that says why not.
    assert len(lines) <= 2 * len(codes), lines


#: Words beside those of SEQUENCES, with the codes and how many lines the log has of them: `thread:` before a hook calls
#: it in a thread of its own; `fork` has a copy of the process go on; `alice`, `bob` and `root` set the effective user
#: id; `mute` takes the conversation away.
ELSEWHERE = {
    "thread:right": ("PAM_SUCCESS", 2),
    "thread:wrong": ("PAM_AUTH_ERR", 1),
    "thread:right thread:setcred thread:acct_mgmt thread:open_session thread:close_session thread:delete": (
        "PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS",
        2,
    ),
    "right thread:open_session close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 2),
    "fork right open_session close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 2),
    "right fork open_session close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 2),
    "right fork setcred acct_mgmt": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 2),
    "right open_session fork close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 2),
    "right open_session fork delete fork close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 2),
    "alice right": ("PAM_CRED_UNAVAIL", 1),
    "alice right root right": ("PAM_CRED_UNAVAIL PAM_SUCCESS", 3),
    "bob right": ("PAM_CRED_UNAVAIL", 1),
    "right alice open_session close_session": ("PAM_SUCCESS PAM_SESSION_ERR PAM_PERM_DENIED", 4),
    "right alice setcred acct_mgmt root open_session close_session": (
        "PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS",
        2,
    ),
    "right open_session alice close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 3),
    "right open_session alice close_session root close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 3),
    "mute right": ("PAM_AUTHTOK_ERR", 1),
    "mute acct_mgmt setcred open_session close_session": ("PAM_PERM_DENIED PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 0),
    "right mute open_session close_session": ("PAM_SUCCESS PAM_SUCCESS PAM_SUCCESS", 3),
}
#: What a conversation says instead of an answer, with the code and how many lines the log has of it.
ANSWERS = {
    "breaks": (None, "PAM_AUTHTOK_ERR", 1),
    "stops": (Odd(f"code {CODES.index('PAM_ABORT')}"), "PAM_AUTHTOK_ERR", 1),
    "later": (Odd(f"code {CODES.index('PAM_CONV_AGAIN')}"), "PAM_AUTHTOK_ERR", 1),
    "no memory": (Odd(f"code {CODES.index('PAM_BUF_ERR')}"), "PAM_AUTHTOK_ERR", 1),
    "no code of PAM's": (Odd("code 99"), "PAM_AUTHTOK_ERR", 1),
    "ignore": (Odd(f"code {CODES.index('PAM_IGNORE')}"), "PAM_AUTHTOK_ERR", 1),
    "unavailable": (Odd(f"code {CODES.index('PAM_AUTHINFO_UNAVAIL')}"), "PAM_AUTHTOK_ERR", 1),
    # Of these two libpam says nothing, as it does of the others.
    "a success without answers": (Odd("code 0"), "PAM_AUTHTOK_ERR", 0),
    "nobody": (Odd("nobody"), "PAM_AUTHTOK_ERR", 0),
    "nothing": ("", "PAM_AUTH_ERR", 1),
    "too much": ("x" * 2000, "PAM_AUTH_ERR", 1),
    "far too much": ("x" * 5000, "PAM_SYSTEM_ERR", 1),
    "no text": (b"\xff\x01\x1b[2J", "PAM_AUTH_ERR", 1),
}


class OddHost:
    """The scripted host, and what it may leave."""

    def __init__(self, machine: Machine, product: Product):
        self.machine, self.product = machine, product
        self.mark = machine.log_mark()
        self.driver = PamDriver(machine, "alone", "alice", observe=False)
        self.driver.open_log()
        self.before = self.driver.state()

    def lines(self) -> list[str]:
        return [line for line in self.machine.lines(self.mark) if "'alice'" in line or "(alone:" in line]

    def assert_as_before(self) -> None:
        """Of the process: no child, no thread, no descriptor."""
        changed = self.before.differences(self.driver.state())
        assert not set(changed) & {"children", "threads", "descriptors", "limits", "environment"}, changed

    def assert_nothing_left(self) -> None:
        """Of the machine and at Cognito, once it is gone."""
        self.product.await_rounds()
        self.product.reap()
        self.machine.wait_until(lambda: not self.product.entries(), "the end of what was begun")
        assert not self.product.tokens_given()


def do(driver: PamDriver, word: str) -> str | None:
    """Does what a word says; the code, if it is a call."""
    place, _, name = word.rpartition(":")
    in_thread = place == "thread"
    match name:
        case "right" | "wrong":
            answers = [RIGHT if name == "right" else WRONG]
            return driver.call("authenticate", answers=answers, in_thread=in_thread).code
        case "fork":
            driver.fork()
        case "mute":
            driver.mute()
        case "root" | "alice" | "bob":
            driver.set_uids(-1, driver.machine.uid(name))
        case "delete":
            return driver.call("setcred", "DELETE", in_thread=in_thread).code
        case _:
            return driver.call(name, in_thread=in_thread).code
    return None


@pytest.mark.parametrize("sequence", ELSEWHERE)
def test_elsewhere(machine: Machine, product: Product, sequence: str) -> None:
    codes, count = ELSEWHERE[sequence]
    host = OddHost(machine, product)
    with host.driver as driver:
        found = [code for word in sequence.split() if (code := do(driver, word))]
        if "fork" not in sequence:
            host.assert_as_before()
    host.assert_nothing_left()
    lines = host.lines()
    assert (" ".join(found), len(lines)) == (codes, count), lines


@pytest.mark.parametrize("name", ANSWERS)
def test_answer(machine: Machine, product: Product, name: str) -> None:
    answer, code, count = ANSWERS[name]
    host = OddHost(machine, product)
    with host.driver as driver:
        found = driver.authenticate(answer).code
        host.assert_as_before()
        # What was said, counts for nothing in what follows.
        assert driver.call("acct_mgmt").code == "PAM_PERM_DENIED"
    host.assert_nothing_left()
    lines = host.lines()
    assert (found, len(lines)) == (code, count), lines
    # Only what was an answer is a guess.
    assert len(product.operations()) <= 2


def test_late_answer(machine: Machine, product: Product) -> None:
    """The server has been away meanwhile, and knows nothing of a connection that waits for the answer."""
    host = OddHost(machine, product)

    def late() -> str:
        product.emulator.down()
        product.emulator.up()
        return RIGHT

    with host.driver as driver:
        assert driver.authenticate(late).code == "PAM_SUCCESS"
        assert driver.call("open_session").code == "PAM_SUCCESS"
        assert driver.call("close_session").code == "PAM_SUCCESS"
        host.assert_as_before()
    host.assert_nothing_left()
    assert len(host.lines()) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_answer_ever(machine: Machine, product: Product, number: int) -> None:
    """Whoever asks waits for ever, until it is killed at the question; the worker behind it ends with it."""
    host = OddHost(machine, product)
    with host.driver as driver:
        assert driver.is_asked()
        driver.host.signal(number)
        driver.host.wait()
    machine.wait_until(lambda: not machine.pids("cognito-worker"), "the worker's end")
    host.assert_nothing_left()
    assert host.lines() == []
