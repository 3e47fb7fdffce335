"""A password that the pool's administrator reset: through real hosts to a new one, or to a reason why not."""

import os
from collections.abc import Callable, Iterator

import pytest

from .challenges import APP, NEW, SECRET, totp
from .golden import Golden
from .hosts import Answer, Session, Sshd, login
from .machine import Machine
from .product import RIGHT, WRONG, Product
from .test_password import NEWER, WEAK, assert_nothing_lives, signs_in
from .test_prompts import opened

OFFER = "Code (or press Enter to request a code): "
#: Not the right one, but for one chance in a million.
WRONG_CODE = "000000"


@pytest.fixture(autouse=True)
def pool(product: Product) -> Iterator[None]:
    """alice, whose password was reset; the reset sent her a code."""
    for password in (NEW, NEWER):
        product.emulator.note_secret("password", password)
    with product.other_pool({}):
        product.member(status="RESET_REQUIRED")
        assert len(product.emulator.codes("alice")) == 1
        yield


@pytest.fixture
def code(product: Product) -> Callable[[str], str]:
    """The code that was sent last, at the moment when it is asked for."""
    return lambda _: product.emulator.codes("alice")[-1]


def questions(session: Session) -> list[str]:
    """The questions alone, without what stood above them and what ssh puts before them."""
    return [prompt.splitlines()[-1].removeprefix("(alice@127.0.0.1) ").strip() for prompt in session.prompts]


def assert_unchanged(product: Product) -> None:
    machine = product.machine
    machine.wait_until(lambda: not machine.pids("cognito-worker"), "the worker's end")
    assert_nothing_lives(product)
    assert not any(RIGHT in str(request["body"]) for request in product.emulator.requests())
    with login(machine, "alice", RIGHT) as session:
        assert session.asking and OFFER in session.asking


@pytest.mark.parametrize("host", ["ssh", "login", "su", "sudo"])
def test_code_at_hand(product: Product, sshd: Sshd, code: Callable[[str], str], host: str, golden: Golden) -> None:
    with opened(product, sshd, host, RIGHT, code, NEW, NEW, sudo_to="root") as session:
        assert session.accepted, session.seen
        golden.check(f"{host}: password that was reset", session.prompts, session.outcome)
        assert questions(session)[1:] == [OFFER.strip(), "New password:", "Retype new password:"]
        assert "Your password was reset. Set a new password now" in session.prompts[1]
        assert NEW not in session.seen
        session.logout()
    assert "ForgotPassword" not in product.operations()
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")
    assert signs_in(product, NEW)


#: In place of the code that was sent last.
SENT = "the code that was sent"
#: Where, what for, what is typed after the password, and what is said at which prompt.
WAYS = [
    ("ssh", "code sent when asked for", ("", SENT, NEW, NEW), 2, "Code sent by e-mail to a***@e***"),
    ("ssh", "wrong code, then the right one", (WRONG_CODE, NEW, NEW, SENT), 4, "The code is incorrect. Try again."),
    ("ssh", "code too old, then another", (SENT, NEW, NEW, "", SENT), 4, "The code has expired."),
    ("login", "the new one against the rules", (SENT, WEAK, WEAK, NEW, NEW), 4, "Password did not conform with policy"),
]


@pytest.mark.parametrize(("host", "way", "answers", "prompt", "said"), WAYS, ids=[way[1] for way in WAYS])
def test_ways(
    product: Product,
    sshd: Sshd,
    code: Callable[[str], str],
    golden: Golden,
    host: str,
    way: str,
    answers: tuple[str, ...],
    prompt: int,
    said: str,
) -> None:
    """The new password is not asked for again, and a code is sent when one is asked for."""
    if "too old" in way:
        product.emulator.expire_codes("alice")
    with opened(product, sshd, host, RIGHT, *(code if one == SENT else one for one in answers)) as session:
        assert session.accepted, session.seen
        golden.check(f"{host}: password that was reset, {way}", session.prompts, session.outcome)
        assert said in session.prompts[prompt]
        session.logout()
    asked, first = product.operations(), ["InitiateAuth", "RespondToAuthChallenge"]
    assert asked.count("ForgotPassword") == len(product.emulator.outbox("alice")) - 1 == answers.count("")
    if way == "code sent when asked for":
        assert asked[:6] == [*first, "ForgotPassword", "ConfirmForgotPassword", *first]


def test_another_step_follows(product: Product, sshd: Sshd, code: Callable[[str], str]) -> None:
    with product.other_pool(APP):
        product.member(status="RESET_REQUIRED", mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
        with opened(product, sshd, "ssh", RIGHT, code, NEW, NEW, lambda _: totp()) as session:
            assert session.accepted, session.seen
            assert "Code from your authenticator app" in session.prompts[4]
            session.logout()


def test_passwd(product: Product, code: Callable[[str], str]) -> None:
    with Session(product.machine.spawn_pty(["passwd"], user="alice"), (RIGHT, code, NEW, NEW)) as passwd:
        assert passwd.refused and passwd.terminal.wait() == 0, passwd.seen
    assert "ChangePassword" not in product.operations()
    assert_nothing_lives(product)
    assert signs_in(product, NEW)


def test_wrong_password_sends_nothing(product: Product, sshd: Sshd) -> None:
    with opened(product, sshd, "su", WRONG) as session:
        assert session.refused and len(session.prompts) == 1
    assert "ForgotPassword" not in product.operations()
    assert len(product.emulator.outbox("alice")) == 1


def test_host_that_knows_one_question(machine: Machine, product: Product, sshd: Sshd) -> None:
    """sshd's password method: nothing is sent in vain, and the log says what to do."""
    mark = machine.log_mark()
    assert not sshd.run("alice", RIGHT, method="password", options=["NumberOfPasswordPrompts=1"]).accepted
    (line,) = machine.log(mark, containing="reason=no_answer")
    assert "KbdInteractiveAuthentication" in line.message
    assert len(product.emulator.outbox("alice")) == 1
    assert_unchanged(product)


@pytest.mark.parametrize("before", range(4), ids=["offer", "code", "new", "retype"])
def test_end_of_input(product: Product, sshd: Sshd, before: int) -> None:
    answers = (RIGHT, "", lambda _: product.emulator.codes("alice")[-1], NEW)[: before + 1]
    with opened(product, sshd, "su", *answers) as session:
        assert session.asking
        os.write(session.terminal.child_fd, b"\x04")
        assert session.terminal.wait() != 0
    assert "ConfirmForgotPassword" not in product.operations()
    assert_unchanged(product)


#: What Cognito says to a request, and what the person sees.
REFUSALS = [
    (
        "ForgotPassword",
        "NotAuthorizedException",
        "User password cannot be reset in the current state.",
        "Your password cannot be reset with a code.",
    ),
    ("ForgotPassword", "LimitExceededException", "Attempt limit exceeded", "Wait a while, then try again."),
    ("ForgotPassword", "InternalErrorException", "", "Cognito cannot be reached at the moment."),
    ("ConfirmForgotPassword", "CodeMismatchException", "", "The code was incorrect. Your password is unchanged."),
    ("ConfirmForgotPassword", "ExpiredCodeException", "", "The code has expired. Your password is unchanged."),
]


@pytest.mark.parametrize(("operation", "name", "message", "said"), REFUSALS, ids=[f"{r[0]}-{r[1]}" for r in REFUSALS])
def test_refusals(
    product: Product, sshd: Sshd, operation: str, name: str, message: str, said: str, golden: Golden
) -> None:
    product.emulator.fault(operation, "error", name=name, message=message)
    answers: list[Answer] = [RIGHT, "", WRONG_CODE, NEW, NEW]
    if name == "CodeMismatchException":
        answers += [WRONG_CODE, WRONG_CODE]
    elif name == "ExpiredCodeException":
        answers += [WRONG_CODE]
    if operation == "ForgotPassword":
        del answers[2:]
    with opened(product, sshd, "su", *answers) as session:
        assert session.refused, session.seen
        assert said in session.seen
        golden.check(f"su: password that was reset, {operation}: {name}", session.prompts, session.outcome)
    product.emulator.clear_faults()
    assert_unchanged(product)


def test_nowhere_to_send_a_code(product: Product, sshd: Sshd, golden: Golden) -> None:
    with product.other_pool({"prevent_user_existence_errors": False}):
        product.member(status="RESET_REQUIRED", email_verified=False)
        with opened(product, sshd, "su", RIGHT, "") as session:
            assert session.refused
            assert "Your account has no verified e-mail address or phone number" in session.seen
            golden.check("su: password that was reset, nowhere to send a code", session.prompts, session.outcome)
        assert_nothing_lives(product)


def test_answer_that_gets_lost(product: Product, sshd: Sshd, code: Callable[[str], str], golden: Golden) -> None:
    product.emulator.fault("ConfirmForgotPassword", "reset")
    with opened(product, sshd, "su", RIGHT, code, NEW, NEW) as session:
        assert session.refused
        assert "may or may not have been changed" in session.seen
        golden.check("su: password that was reset, an answer that gets lost", session.prompts, session.outcome)
    assert_nothing_lives(product)
