"""Changing a password with `passwd`, as people and root do: Cognito's accounts at Cognito, local ones as ever."""

import os
from collections.abc import Iterator

import pytest

from .hosts import Answer, Session, login
from .machine import Machine, Text
from .product import CONFIGURATION, LOCAL, RIGHT, WRONG, Product
from .test_challenges import APP, NEW, SECRET, totp

WEAK = "battery"
OTHER_LOCAL = "Another-local-password-8"
QUESTIONS = ["Current password: ", "New password: ", "Retype new password: "]
UPDATED = "password updated successfully"


class Passwd(Session):
    """`passwd` on a terminal. Afterwards it is `asking`, or has ended with `status`."""

    def __init__(self, machine: Machine, caller: Text | None, *answers: Answer, of: Text | None = None):
        super().__init__(machine.spawn_pty(["passwd", *([of] if of else [])], user=caller), answers)

    @property
    def status(self) -> int:
        assert self.asking is None, self.seen
        return self.terminal.wait()

    @property
    def questions(self) -> list[str]:
        """The questions alone, without what stood above them."""
        return [prompt.splitlines()[-1] for prompt in self.prompts]


@pytest.fixture(autouse=True)
def pool(product: Product) -> Iterator[None]:
    """alice, with her usual password, whatever the test before made of it."""
    product.emulator.note_secret("password", NEW)
    with product.other_pool(APP):
        product.member()
        yield


@pytest.fixture
def dora(product: Product) -> Iterator[str]:
    """A local account, with a password of this machine."""
    product.machine.add_user("dora", password=LOCAL)
    yield "dora"
    product.machine.remove_user("dora")


def signs_in(product: Product, password: str) -> bool:
    with login(product.machine, "alice", password) as session:
        if session.accepted:
            session.logout()
            return True
        return False


def assert_nothing_lives(product: Product) -> None:
    assert not product.tokens_given()
    assert not product.entries()


def lines(machine: Machine, mark: int) -> list[str]:
    return [entry.message for entry in machine.log(mark, containing="pam_cognito(passwd:")]


def test_right(machine: Machine, product: Product) -> None:
    mark = machine.log_mark()
    with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
        assert passwd.status == 0, passwd.seen
        assert passwd.questions == QUESTIONS
        assert UPDATED in passwd.seen
        assert RIGHT not in passwd.seen and NEW not in passwd.seen
    (line,) = lines(machine, mark)
    assert "password changed; user='alice'" in line
    assert_nothing_lives(product)
    asked = product.operations()
    assert asked == ["InitiateAuth", "RespondToAuthChallenge", "ChangePassword", "RevokeToken"]
    assert signs_in(product, NEW)
    assert not signs_in(product, RIGHT)


def test_wrong_current_password(machine: Machine, product: Product) -> None:
    """pam_unix is not asked afterwards: one question, and the end."""
    mark = machine.log_mark()
    with Passwd(machine, "alice", WRONG) as passwd:
        assert passwd.status != 0
        assert passwd.questions == QUESTIONS[:1]
        assert "Cognito did not accept that. Your password is unchanged." in passwd.seen
        assert "Permission denied" in passwd.seen
    (line,) = lines(machine, mark)
    assert "reason=refused" in line
    assert_nothing_lives(product)
    assert signs_in(product, RIGHT)


def test_retype_mismatch(machine: Machine, product: Product) -> None:
    with Passwd(machine, "alice", RIGHT, NEW, WRONG, NEW, NEW) as passwd:
        assert passwd.status == 0, passwd.seen
        assert passwd.questions == [*QUESTIONS, *QUESTIONS[1:]]
        assert "The two passwords are not the same." in passwd.prompts[3]
    assert product.operations().count("ChangePassword") == 1


def test_three_mismatches(machine: Machine, product: Product) -> None:
    mark = machine.log_mark()
    with Passwd(machine, "alice", RIGHT, *[NEW, WRONG] * 3) as passwd:
        assert passwd.status != 0
        assert "Your password is unchanged." in passwd.seen
    (line,) = lines(machine, mark)
    assert "reason=no_new_password" in line
    assert "ChangePassword" not in product.operations()
    assert_nothing_lives(product)
    assert signs_in(product, RIGHT)


def test_policy_violation_then_a_good_one(machine: Machine, product: Product) -> None:
    """Why it was not accepted is said in Cognito's words."""
    with Passwd(machine, "alice", RIGHT, WEAK, WEAK, NEW, NEW) as passwd:
        assert passwd.status == 0, passwd.seen
        assert "Password did not conform with policy" in passwd.prompts[3]
        assert passwd.questions == [*QUESTIONS, *QUESTIONS[1:]]
    assert_nothing_lives(product)
    assert signs_in(product, NEW)


def test_nothing_entered(machine: Machine, product: Product) -> None:
    with Passwd(machine, "alice", RIGHT, "") as passwd:
        assert passwd.status != 0
    assert_nothing_lives(product)
    assert "ChangePassword" not in product.operations()


def test_too_many_changes(machine: Machine, product: Product) -> None:
    product.emulator.switch(limit_exceeded=True)
    with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
        assert passwd.status != 0
        assert "Your password was changed too often lately." in passwd.seen
    assert_nothing_lives(product)


def test_code_on_the_way(machine: Machine, product: Product) -> None:
    with product.other_pool(APP):
        product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
        with Passwd(machine, "alice", RIGHT, lambda _: totp(), NEW, NEW) as passwd:
            assert passwd.status == 0, passwd.seen
            assert passwd.questions[1].startswith("Code from your authenticator app")
        assert_nothing_lives(product)


def test_password_that_must_be_changed(machine: Machine, product: Product) -> None:
    """Set on the way in, and not a second time."""
    with product.other_pool({}):
        product.member(status="FORCE_CHANGE_PASSWORD")
        with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
            assert passwd.status == 0, passwd.seen
            assert "Your password must be changed now." in passwd.prompts[1]
        assert "ChangePassword" not in product.operations()
        assert_nothing_lives(product)
        assert signs_in(product, NEW)


@pytest.mark.parametrize("way", ["end of input", "kill", "hang up"])
@pytest.mark.parametrize("answers", [(), (RIGHT,), (RIGHT, NEW)], ids=["current", "new", "retype"])
def test_leaving_at_a_question(machine: Machine, product: Product, answers: tuple[str, ...], way: str) -> None:
    with Passwd(machine, "alice", *answers) as passwd:
        assert passwd.questions == QUESTIONS[: len(answers) + 1]
        assert len(product.tokens_given()) == (1 if answers else 0)
        if way == "end of input":
            os.write(passwd.terminal.child_fd, b"\x04")
        elif way == "kill":
            passwd.kill_host()
        else:
            passwd.hang_up()
        machine.wait_until(lambda: not product.tokens_given(), "the end of the tokens")
        if way == "end of input":
            assert passwd.terminal.wait() != 0
    assert_nothing_lives(product)
    assert "ChangePassword" not in product.operations()
    assert signs_in(product, RIGHT)


class TestLocalAccount:
    """They do not notice that there is a Cognito, in whatever state."""

    @pytest.fixture(params=["up", "down", "wrong configuration", "switched off"])
    def state(self, request: pytest.FixtureRequest, machine: Machine, product: Product) -> Iterator[str]:
        if request.param == "down":
            product.emulator.down()
        elif request.param == "wrong configuration":
            machine.write(CONFIGURATION, "nonsense\n", 0o644)
        elif request.param == "switched off":
            machine.make_directory("/run/pam-cognito")
            machine.write("/run/pam-cognito/disabled", "")
        yield request.param
        if machine.exists("/run/pam-cognito/disabled"):
            machine.remove("/run/pam-cognito/disabled")

    def test_own_password(self, machine: Machine, product: Product, dora: str, state: str) -> None:
        before = product.emulator.connection_count()
        with Passwd(machine, dora, LOCAL, OTHER_LOCAL, OTHER_LOCAL) as passwd:
            assert passwd.status == 0, passwd.seen
            assert passwd.questions == QUESTIONS
            assert UPDATED in passwd.seen
        with login(machine, dora, OTHER_LOCAL) as session:
            assert session.accepted
            session.logout()
        assert product.emulator.connection_count() == before

    def test_by_root(self, machine: Machine, dora: str, state: str) -> None:
        with Passwd(machine, None, OTHER_LOCAL, OTHER_LOCAL, of=dora) as passwd:
            assert passwd.status == 0, passwd.seen
            assert passwd.questions == QUESTIONS[1:]


def test_cognito_down(machine: Machine, product: Product) -> None:
    product.configure(client_secret_file=None, network_timeout="3s", connect_timeout="2s")
    product.emulator.down()
    mark = machine.log_mark()
    with Passwd(machine, "alice", RIGHT) as passwd:
        assert passwd.status != 0
        assert passwd.questions == QUESTIONS[:1]
        assert "Cognito cannot be asked at the moment. Your password is unchanged." in passwd.seen
    (line,) = lines(machine, mark)
    assert "reason=unreachable" in line


def test_answer_that_gets_lost(machine: Machine, product: Product) -> None:
    product.emulator.fault("ChangePassword", "reset")
    with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
        assert passwd.status != 0
        assert "may or may not be changed" in passwd.seen
    assert_nothing_lives(product)


def test_root_changes_the_password_of_somebody(machine: Machine, product: Product) -> None:
    """Cognito needs the current one from everybody, and root is told so."""
    with Passwd(machine, None, RIGHT, NEW, NEW, of="alice") as passwd:
        assert passwd.status == 0, passwd.seen
        assert passwd.questions == QUESTIONS
        assert "asks for the current one whoever changes it" in passwd.seen
    assert_nothing_lives(product)
    assert signs_in(product, NEW)
