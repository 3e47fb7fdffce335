"""Changing a password with `passwd`, as people and root do: Cognito's accounts at Cognito, local ones as ever."""

import os
from collections.abc import Iterator

import pytest

from .challenges import APP, NEW, SECRET, totp
from .hosts import Answer, Session, Sshd, login
from .machine import Machine, Text
from .product import CONFIGURATION, LOCAL, RIGHT, WRONG, Product

NEWER = "Betterer-Battery-3!"
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

    def is_interrupted(self) -> bool:
        """Types the interrupt character; whether that was its end."""
        os.write(self.terminal.child_fd, b"\x03\n")
        return self.terminal.process.ended

    @property
    def questions(self) -> list[str]:
        """The questions alone, without what stood above them."""
        return [prompt.splitlines()[-1] for prompt in self.prompts]


@pytest.fixture(autouse=True)
def pool(product: Product) -> Iterator[None]:
    """alice, with her usual password, whatever the test before made of it."""
    product.emulator.note_secret("password", NEW)
    product.emulator.note_secret("password", NEWER)
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
    """What passwd said, but for that somebody tries."""
    said = machine.lines(mark, containing="pam_cognito(passwd:")
    return [line for line in said if "password change attempt; " not in line]


def test_right(machine: Machine, product: Product) -> None:
    mark = machine.log_mark()
    with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
        assert passwd.status == 0, passwd.seen
        assert passwd.questions == QUESTIONS
        assert UPDATED in passwd.seen
        assert RIGHT not in passwd.seen and NEW not in passwd.seen
    (line,) = lines(machine, mark)
    assert "password changed; user='alice'" in line and "allowed_groups='staff'" in line
    assert_nothing_lives(product)
    asked = product.operations()
    assert asked == ["InitiateAuth", "RespondToAuthChallenge", "ChangePassword", "RevokeToken"]
    assert signs_in(product, NEW)
    assert not signs_in(product, RIGHT)


#: What is typed, what is said to that, and the reason in the log.
UNCHANGED = {
    "wrong current password": (
        (WRONG,),
        ("Cognito did not accept the answer. Your password is unchanged.", "Permission denied"),
        "refused",
    ),
    "three mismatches": ((RIGHT, *[NEW, WRONG] * 3), ("Your password is unchanged.",), "no_new_password"),
    "nothing entered": ((RIGHT, ""), (), "no_new_password"),
}


@pytest.mark.parametrize("case", UNCHANGED)
def test_unchanged(machine: Machine, product: Product, case: str) -> None:
    """pam_unix is not asked afterwards: no further question, and the end."""
    answers, said, reason = UNCHANGED[case]
    mark = machine.log_mark()
    with Passwd(machine, "alice", *answers) as passwd:
        assert passwd.status != 0 and len(passwd.questions) == len(answers)
        assert passwd.questions[0] == QUESTIONS[0]
        assert [words for words in said if words not in passwd.seen] == [], passwd.seen
    (line,) = lines(machine, mark)
    assert f"reason={reason}" in line
    assert "ChangePassword" not in product.operations()
    assert_nothing_lives(product)
    assert signs_in(product, RIGHT)


@pytest.mark.parametrize(
    ("typed", "said", "requests"),
    [((NEW, WRONG), "The two passwords do not match.", 1), ((WEAK, WEAK), "Password did not conform with policy", 2)],
    ids=["a mismatch", "against the policy"],
)
def test_then_a_good_one(machine: Machine, product: Product, typed: tuple[str, str], said: str, requests: int) -> None:
    """Why it was not accepted is said in Cognito's words."""
    with Passwd(machine, "alice", RIGHT, *typed, NEW, NEW) as passwd:
        assert passwd.status == 0, passwd.seen
        assert said in passwd.prompts[3]
        assert passwd.questions == [*QUESTIONS, *QUESTIONS[1:]]
    assert product.operations().count("ChangePassword") == requests
    assert_nothing_lives(product)
    assert signs_in(product, NEW)


def test_too_many_changes(machine: Machine, product: Product) -> None:
    product.emulator.switch(limit_exceeded=True)
    with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
        assert passwd.status != 0
        assert "Your password has been changed too often recently." in passwd.seen
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
            assert "You must change your password now." in passwd.prompts[1]
        assert "ChangePassword" not in product.operations()
        assert_nothing_lives(product)
        assert signs_in(product, NEW)


def test_password_that_was_used_before(machine: Machine, product: Product) -> None:
    with product.other_pool({"password_history": 3}):
        product.member()
        with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
            assert passwd.status == 0, passwd.seen
        with Passwd(machine, "alice", NEW, RIGHT, RIGHT, NEWER, NEWER) as passwd:
            assert passwd.status == 0, passwd.seen
            assert "Password has previously been used" in passwd.prompts[3]
        assert_nothing_lives(product)
        assert signs_in(product, NEWER)


@pytest.mark.parametrize("way", ["end of input", "interrupt", "kill", "hang up"])
@pytest.mark.parametrize("answers", [(), (RIGHT,), (RIGHT, NEW)], ids=["current", "new", "retype"])
def test_leaving_at_a_question(machine: Machine, product: Product, answers: tuple[str, ...], way: str) -> None:
    with Passwd(machine, "alice", *answers) as passwd:
        assert passwd.questions == QUESTIONS[: len(answers) + 1]
        assert len(product.tokens_given()) == (1 if answers else 0)
        assert len(product.entries()) == (1 if answers else 0)
        if way == "end of input":
            os.write(passwd.terminal.child_fd, b"\x04")
        elif way == "interrupt":
            # libpam_misc keeps it waiting for the end of the line, and may throw away what comes before it listens.
            machine.wait_until(passwd.is_interrupted, "passwd's end")
        elif way == "kill":
            passwd.kill_host()
        else:
            passwd.hang_up()
        machine.wait_until(lambda: not product.tokens_given(), "the end of the tokens")
        if way in ("end of input", "interrupt"):
            assert passwd.terminal.wait() != 0
    if way != "end of input":
        # The worker has revoked the tokens; that nobody was left to hear it, the reaper finds out.
        machine.wait_until(lambda: not machine.pids("cognito-worker"), "the worker's end")
        assert product.reap().returncode == 0
    assert_nothing_lives(product)
    assert "ChangePassword" not in product.operations()
    assert signs_in(product, RIGHT)


class TestTokensOfAChange:
    """They are in the registry as long as they live, whatever happens to those who have them."""

    def test_registered_and_out_of_reach(self, machine: Machine, product: Product) -> None:
        """A session that is opened meanwhile does not get them, and the reaper leaves them to their living host."""
        with Passwd(machine, "alice", RIGHT) as passwd:
            assert len(product.entries()) == 1
            with login(machine, "alice", RIGHT) as session:
                assert session.accepted
                assert len(product.entries()) == 2
                tokens = product.tokens(session.command(product.read_tokens).output)
                assert product.reap().returncode == 0
                assert product.alive(tokens)["access"]
                session.logout()
            (held,) = product.entries()
            assert product.reap().returncode == 0
            assert product.entries() == [held]
            passwd.answer(NEW, NEW)
            # The session's end was everybody's: Cognito no longer knows the tokens.
            assert passwd.status != 0, passwd.seen
        assert_nothing_lives(product)

    @pytest.mark.parametrize("where", ["question", "ChangePassword", "RevokeToken"])
    def test_killed_worker(self, machine: Machine, product: Product, where: str) -> None:
        if where != "question":
            product.emulator.fault(where, "hang", times=1)
        with Passwd(machine, "alice", RIGHT) as passwd:
            (worker,) = machine.pids("cognito-worker")
            if where != "question":
                passwd.terminal.type_line(NEW)
                passwd.terminal.expect_exact(QUESTIONS[2])
                passwd.terminal.type_line(NEW)
                machine.wait_until(lambda: where in product.operations(), "the request")
            machine.kill(worker)
            if where == "question":
                passwd.answer(NEW)
            assert passwd.terminal.wait() != 0
        assert_nothing_lives(product)
        assert "RevokeToken" in product.operations()

    def test_everybody_killed(self, machine: Machine, product: Product) -> None:
        mark = machine.log_mark()
        with Passwd(machine, "alice", RIGHT) as passwd:
            (worker,) = machine.pids("cognito-worker")
            machine.kill(worker)
            passwd.kill_host()
            passwd.terminal.wait()
        assert len(product.tokens_given()) == len(product.entries()) == 1
        assert product.reap().returncode == 0
        assert_nothing_lives(product)
        (line,) = machine.lines(mark, containing="outcome=")
        assert line.startswith("signed out; user='alice'")
        assert line.endswith("outcome=revoked: the PAM application has ended")

    @pytest.mark.parametrize(("fault", "arguments"), [("error", {}), ("reset", {"processed": False})])
    def test_revocation_that_fails(
        self, machine: Machine, product: Product, fault: str, arguments: dict[str, object]
    ) -> None:
        """The password is changed all the same, and the reaper does the rest."""
        product.configure(client_secret_file=None, sign_out_wait="1s", network_timeout="5s")
        product.emulator.fault("RevokeToken", fault, **arguments)
        mark = machine.log_mark()
        with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
            assert passwd.status == 0, passwd.seen
        assert "could not be revoked yet" in lines(machine, mark)[-1]
        machine.wait_until(lambda: machine.log(mark, containing="sign-out not finished"), "the log's line")
        for worker in machine.pids("cognito-worker"):
            machine.kill(worker)
        assert len(product.tokens_given()) == len(product.entries()) == 1
        assert product.reap("--dry-run").returncode == 0
        product.emulator.clear_faults()
        assert product.reap().returncode == 0
        assert_nothing_lives(product)
        assert signs_in(product, NEW)

    @pytest.mark.parametrize(
        ("rule", "said"),
        [
            ({"denied_groups": "staff"}, "denied_groups contains this user's group 'staff'"),
            ({"allowed_groups": "admins"}, "allowed_groups contains none"),
        ],
    )
    def test_who_may_not_come_in(self, machine: Machine, product: Product, rule: dict[str, str], said: str) -> None:
        product.configure(client_secret_file=None, **rule)
        mark = machine.log_mark()
        with Passwd(machine, "alice", RIGHT) as passwd:
            assert passwd.status != 0
            assert passwd.questions == QUESTIONS[:1]
            assert "This account is not allowed to sign in on this machine." in passwd.seen
        (line,) = lines(machine, mark)
        assert "reason=group" in line and said in line
        machine.wait_until(lambda: not product.tokens_given(), "the end of the tokens")
        assert_nothing_lives(product)
        product.configure(client_secret_file=None)
        assert signs_in(product, RIGHT)


def test_password_that_ran_out_here(machine: Machine, product: Product) -> None:
    """Ageing of the local password, meant for others: sshd would start `passwd` after a key, each time."""
    row = machine.read("/etc/shadow")
    with Sshd(machine) as sshd, machine.preserved("/etc/shadow"):
        machine.write("/etc/shadow", row.replace("alice:!:19700:", "alice:!:0:"), 0o640)
        sshd.authorize("alice")
        with sshd.open("alice", method="publickey") as session:
            assert session.accepted and session.prompts == [], session.seen
            session.logout()
        assert signs_in(product, RIGHT)
    assert_nothing_lives(product)


class TestLocalAccount:
    """They do not notice that there is a Cognito, in whatever state."""

    @pytest.fixture(params=["up", "down", "wrong configuration", "switched off"])
    def state(self, request: pytest.FixtureRequest, machine: Machine, product: Product) -> Iterator[str]:
        if request.param == "down":
            product.emulator.down()
        elif request.param == "wrong configuration":
            machine.write(CONFIGURATION, "nonsense\n", 0o644)
        elif request.param == "switched off":
            machine.write("/run/pam-cognito/disabled", "")
        yield request.param
        machine.remove("/run/pam-cognito/disabled")

    def test_own_password(self, machine: Machine, product: Product, dora: str, state: str) -> None:
        before = product.emulator.connection_count()
        with Passwd(machine, dora, LOCAL, OTHER_LOCAL, OTHER_LOCAL) as passwd:
            assert passwd.status == 0, passwd.seen
            assert passwd.questions == QUESTIONS
            assert UPDATED in passwd.seen
        login(machine, dora, OTHER_LOCAL).visit()
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
        assert "Cognito cannot be reached at the moment. Your password is unchanged." in passwd.seen
    (line,) = lines(machine, mark)
    assert "reason=unreachable" in line


def test_answer_that_gets_lost(machine: Machine, product: Product) -> None:
    product.emulator.fault("ChangePassword", "reset")
    with Passwd(machine, "alice", RIGHT, NEW, NEW) as passwd:
        assert passwd.status != 0
        assert "may or may not have been changed" in passwd.seen
    assert_nothing_lives(product)


def test_root_changes_the_password_of_somebody(machine: Machine, product: Product) -> None:
    """Cognito needs the current one from everybody, and root is told so."""
    with Passwd(machine, None, RIGHT, NEW, NEW, of="alice") as passwd:
        assert passwd.status == 0, passwd.seen
        assert passwd.questions == QUESTIONS
        assert "requires the current password before accepting a new one" in passwd.seen
    assert_nothing_lives(product)
    assert signs_in(product, NEW)


@pytest.mark.parametrize("command", ["chpasswd", "newusers"])
def test_programs_with_the_new_password_alone(machine: Machine, product: Product, command: str) -> None:
    """Nothing is sent: it would be the new password as a guess at the current one. Local accounts are set as ever."""
    mark = machine.log_mark()
    account = machine.account("alice")
    lines = {
        "chpasswd": f"alice:{NEW}\n",
        "newusers": f"alice:{NEW}:{account['uid']}:{account['gid']}::{account['home']}:/bin/sh\n",
    }
    with machine.preserved("/etc/pam.d/chpasswd", "/etc/pam.d/newusers", "/etc/passwd", "/etc/shadow", "/etc/group"):
        machine.pam(command, "@include cognito-password\n@include common-password\n")
        done = machine.run([command], input=lines[command])
        assert done.returncode != 0
    assert product.operations() == [] and product.emulator.connection_count() == 0
    said = machine.lines(mark, containing=f"pam_cognito({command}:")
    assert len(said) == 1 and "reason=no_answer" in said[0], said
    assert "Set the new password in the user pool" in done.stdout + done.stderr
