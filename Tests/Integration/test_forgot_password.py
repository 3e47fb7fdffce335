"""`cognito-session forgot-password`: from the shell of somebody without tokens, telling nobody who exists."""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from .agent_process import AgentProcess, refusal
from .golden import Golden
from .hosts import Session, Sshd
from .machine import Machine
from .product import LOCAL, RIGHT, Product
from .test_challenges import NEW, WRONG_CODES
from .test_password import WEAK, assert_nothing_lives, signs_in
from .worker_process import encode

#: What anybody does who has no code: the same for all.
IN_VAIN = (WRONG_CODES[0], NEW, NEW, "", *WRONG_CODES[1:])
SENT = "If this account exists, a code is being sent to its owner by e-mail or SMS."


@pytest.fixture
def pool(product: Product) -> Iterator[None]:
    """alice, with her usual password."""
    product.emulator.note_secret("password", NEW)
    with product.other_pool({}):
        product.member()
        yield


@pytest.fixture
def shell(sshd: Sshd, agent: AgentProcess, pool: None) -> Iterator[Session]:
    """bob's, who has a local password and nothing to do with Cognito."""
    agent.forget_turns()
    with sshd.open("bob", LOCAL) as opened:
        assert opened.accepted
        yield opened
        opened.logout()


@pytest.fixture
def code(product: Product) -> Callable[[], str]:
    return lambda: product.emulator.codes("alice")[-1]


def forgot(shell: Session, name: str, *answers: str | Callable[[], str]) -> tuple[int, str]:
    """Types the command into a shell and answers its questions; the status, and all that was seen."""
    shell.terminal.type_line(f"cognito-session forgot-password {name}; echo status=$?.")
    seen = ""
    for answer in answers:
        shell.terminal.expect(r"(?:: )\Z")
        seen += shell.terminal.before + shell.terminal.after
        shell.terminal.type_line(answer() if callable(answer) else answer)
    shell.terminal.expect(r"status=(\d+)\.\r\n")
    return int(shell.terminal.match.group(1)), seen + shell.terminal.before


def without_codes(seen: str) -> str:
    """What was seen, without the command's own line."""
    return re.sub(r"\d{6}", "<what was typed>", re.sub(r".*echo status.*\n", "", seen))


def test_somebody_elses_shell(product: Product, shell: Session, code: Callable[[], str], golden: Golden) -> None:
    """Who calls is of no importance: what counts is the code."""
    mark = product.machine.log_mark()
    status, seen = forgot(shell, "alice", code, NEW, NEW)
    assert status == 0, seen
    golden.check("forgot-password", [without_codes(seen)])
    assert SENT in seen and "Your password has been changed. Sign in with the new password." in seen
    assert NEW not in seen and "a***" not in seen
    (line,) = product.machine.log(mark, containing="password recovered")
    assert "user='alice'" in line.message
    assert_nothing_lives(product)
    assert product.operations() == ["ForgotPassword", "ConfirmForgotPassword"]
    assert signs_in(product, NEW)


def test_own_account_without_tokens(
    product: Product, sshd: Sshd, agent: AgentProcess, pool: None, code: Callable[[], str]
) -> None:
    agent.forget_turns()
    sshd.authorize("alice")
    with sshd.open("alice", method="publickey") as shell:
        status, seen = forgot(shell, "", code, NEW, NEW)
        assert status == 0, seen
        shell.logout()
    assert signs_in(product, NEW)


def test_wrong_code_then_another_then_a_better_password(
    product: Product, shell: Session, code: Callable[[], str], golden: Golden
) -> None:
    status, seen = forgot(shell, "alice", WRONG_CODES[0], WEAK, WEAK, "", code, NEW, NEW)
    assert status == 0, seen
    golden.check("forgot-password: wrong code, weak password, then good ones", [without_codes(seen)])
    assert "The code is incorrect or has expired." in seen
    assert "Password did not conform with policy" in seen
    assert product.operations().count("ForgotPassword") == 2


def test_code_too_old(product: Product, shell: Session, code: Callable[[], str]) -> None:
    def too_old() -> str:
        product.emulator.expire_codes("alice")
        return code()

    status, seen = forgot(shell, "alice", too_old, NEW, NEW, "", code)
    assert status == 0, seen
    assert "The code is incorrect or has expired." in seen


@pytest.mark.parametrize("prevent", [True, False], ids=["existence hidden", "existence told"])
def test_nobody_can_tell_who_exists(
    machine: Machine, product: Product, agent: AgentProcess, sshd: Sshd, golden: Golden, prevent: bool
) -> None:
    """The same to the last byte: who exists, who does not, who is none of Cognito's, and whom Cognito sends nothing."""
    product.emulator.note_secret("password", NEW)
    with machine.preserved("/etc/passwd", "/etc/shadow", "/etc/group"):
        machine.add_user("erin", groups=["cognito"])
        machine.add_user("mia", groups=["cognito"])
        with product.other_pool({"prevent_user_existence_errors": prevent}):
            product.member()
            product.member("carol", enabled=False)
            product.member("erin", email_verified=False)
            product.member("bob")
            with sshd.open("bob", LOCAL) as shell:
                seen = {}
                for name in ("alice", "mallory", "mia", "carol", "erin", "bob", "root", "'no such name'"):
                    agent.forget_turns()
                    seen[name] = forgot(shell, name, *IN_VAIN)
                assert seen["alice"][0] == 3 and "The code was incorrect." in seen["alice"][1]
                golden.check("forgot-password: no right code", [without_codes(seen["alice"][1])])
                for name, told in seen.items():
                    assert told == seen["alice"], name
                # Limits, too, are an account's own.
                agent.forget_turns()
                product.emulator.switch(limit_exceeded=True)
                limited = forgot(shell, "alice", *IN_VAIN)
                assert limited == seen["alice"]
                shell.logout()
            # None of those whom this machine does not know as Cognito's was asked about by name.
            asked = {request["body"]["Username"] for request in product.emulator.requests("ForgotPassword")}
            assert {name for name in asked if not name.startswith("nobody-")} == {"alice", "mia", "carol", "erin"}
            assert not product.emulator.outbox("bob")


@pytest.mark.parametrize("name", ["alice", "mallory"])
def test_cognito_is_down(product: Product, shell: Session, name: str) -> None:
    product.configure(client_secret_file=None, network_timeout="2s", connect_timeout="1s")
    product.emulator.down()
    status, seen = forgot(shell, name)
    assert status == 4
    assert "Cognito cannot be reached at the moment. Your password is unchanged." in seen
    assert SENT not in seen


#: What Cognito says, and the reason in the log.
WITHHELD = [
    ("LimitExceededException", "Attempt limit exceeded, please try after some time.", "reason=locked_out"),
    ("LimitExceededException", "Exceeded daily email limit for the operation or the account.", "has reached its limit"),
    ("UserNotFoundException", "Username/client id combination not found.", "reason=refused"),
]


@pytest.mark.parametrize("end", ["leaves", "vanishes", "times out"])
@pytest.mark.parametrize(("name", "message", "expected"), WITHHELD, ids=["user", "pool", "unknown"])
def test_why_no_code_came_is_in_the_log(
    product: Product, agent: AgentProcess, shell: Session, name: str, message: str, expected: str, end: str
) -> None:
    """The user sees nothing of it, and it is not lost with them."""
    limits = {"network_timeout": "3s", "connect_timeout": "3s"} if end == "times out" else {}
    product.configure(client_secret_file=None, **limits)
    product.emulator.fault("ForgotPassword", "error", name=name, message=message)
    product.emulator.fault("ConfirmForgotPassword", "hang")
    mark = product.machine.log_mark()
    if end == "vanishes":
        (asked,) = agent.exchange([encode("recover_request", {"user_name": "alice"})], user="bob", stop_after=1)
        seen = asked.text("text")
    else:
        status, seen = forgot(shell, "alice", *([WRONG_CODES[0], NEW, NEW] if end == "times out" else ["\x04"]))
        assert status == (4 if end == "times out" else 6)
    assert SENT in " ".join(seen.split()) and "limit" not in seen.casefold()
    (line,) = product.machine.log(mark, containing="password recovery refusal withheld; user='alice'")
    assert expected in line.message and "The reason was not shown to the user." in line.message


def refused_at_once(agent: AgentProcess, *names: str) -> None:
    """bob asks for these accounts' passwords at the same time: each time it takes as long to say no."""

    def ask(name: str) -> str:
        shown, last = agent.exchange([encode("recover_request", {"user_name": name})], user="bob")
        assert shown.kind == "show"
        return refusal(last)

    with ThreadPoolExecutor(len(names)) as clients:
        assert set(clients.map(ask, names)) == {"service_fault"}


def test_too_many_conversations(shell: Session, product: Product, agent: AgentProcess) -> None:
    product.emulator.fault("ForgotPassword", "throttle")
    # Ten conversations; no more than eight of them with a worker at the same time.
    for _ in range(2):
        assert refusal(agent.ask("unlock_request", "bob", user_name="bob")) == "not_covered"
    refused_at_once(agent, *["alice", "mallory"] * 4)
    status, seen = forgot(shell, "carol")
    assert status == 70 and "You sent too many requests at the same time." in seen


def test_too_many_codes(shell: Session, product: Product, agent: AgentProcess) -> None:
    """For a name, whoever asks."""
    product.emulator.fault("ForgotPassword", "throttle")
    refused_at_once(agent, *["alice"] * 5)
    status, seen = forgot(shell, "alice")
    assert status == 70 and "Too many codes were requested for this user name." in seen


def test_end_of_input(product: Product, shell: Session) -> None:
    shell.terminal.type_line("cognito-session forgot-password alice; echo status=$?.")
    shell.terminal.expect_exact("Code: ")
    shell.terminal.send("\x04")
    shell.terminal.expect(r"status=(\d+)\.")
    assert shell.terminal.match.group(1) == "6"
    assert signs_in(product, RIGHT)


def test_without_a_terminal(machine: Machine, product: Product, agent: AgentProcess) -> None:
    done = machine.run(["cognito-session", "forgot-password", "alice"], user="bob")
    assert done.returncode == 64 and "needs a terminal" in str(done.stderr)


def test_agent_is_missing(agent: AgentProcess, shell: Session) -> None:
    with agent.away():
        status, seen = forgot(shell, "alice")
    assert status == 5 and "pam-cognito-agent.socket" in seen


def test_json(shell: Session, code: Callable[[], str]) -> None:
    """The conversation is on the terminal; one object says what came of it."""
    for answers, expected in [
        (IN_VAIN, {"exit_status": 3, "error": "refused", "message": "This command did not set a new password."}),
        ((code, NEW, NEW), {"exit_status": 0, "error": None, "message": None}),
    ]:
        status, seen = forgot(shell, "alice --json >~/said", *answers)
        assert status == expected["exit_status"] and SENT in " ".join(seen.split()), seen
        assert json.loads(shell.command("cat ~/said").output) == expected
