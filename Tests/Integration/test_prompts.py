"""Every challenge, in every host, with every answer that is none: what people see, and what Cognito is sent.

The right ways are in prompts.golden with all that a person sees, in its order. The emulator judges what became of a
sign-in: which tokens it gave, and whether they still work.
"""

import contextlib
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from . import ssh_library
from .challenges import CHALLENGES, NEW, Challenge, totp
from .golden import Golden
from .hosts import Session, Sshd, allow_sudo, login, su, sudo
from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, Product
from .product import WRONG as WRONG_PASSWORD

KEYBOARD = "keyboard-interactive"


def every_answer(product: Product) -> list[dict]:
    """What was sent in answer to challenges, and to the questions of setting an app up."""
    responses = [r["body"]["ChallengeResponses"] for r in product.emulator.requests("RespondToAuthChallenge")]
    return responses + [r["body"] for r in product.emulator.requests("VerifySoftwareToken")]


def assert_nobody_came_in(product: Product) -> None:
    """No tokens that are good, nobody who holds any, and the password went where no password belongs."""
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")
    assert not product.tokens_given()
    assert not [answer for answer in every_answer(product) if RIGHT in str(answer)]


def opened(product: Product, sshd: Sshd, host: str, *answers, sudo_to: str = "bob") -> Session:
    machine = product.machine
    match host:
        case "ssh":
            return sshd.open("alice", *answers, method=KEYBOARD)
        case "login":
            return login(machine, "alice", *answers)
        case "su":
            return su(machine, "bob", "alice", *answers)
        case "sudo":
            allow_sudo(machine, "alice")
            return sudo(machine, "alice", sudo_to, *answers)
    raise ValueError(host)


HOSTS = ("ssh", "login", "su", "sudo")


@pytest.mark.parametrize("challenge", CHALLENGES, ids=str)
class TestEveryHost:
    @pytest.mark.parametrize("host", HOSTS)
    def test_right_answers(self, product: Product, sshd: Sshd, golden: Golden, challenge: Challenge, host: str) -> None:
        with challenge.posed(product):
            with opened(product, sshd, host, *challenge.answers(product)) as session:
                assert session.accepted, session.seen
                golden.check(f"{host}: {challenge}", session.prompts, session.outcome)
                # sudo gives the target no tokens of the caller's.
                if host != "sudo":
                    tokens = product.tokens(session.command(product.read_tokens).output)
                    assert tokens.payload["username"] == "alice"
                session.logout()
            product.machine.wait_until(lambda: not product.entries(), "the end of the session")
            assert not product.tokens_given()

    def test_program_that_answers_all_at_once(self, product: Product, sshd: Sshd, challenge: Challenge) -> None:
        with challenge.posed(product):
            session = ssh_library.sign_in(sshd, "alice", challenge.answers(product), product.read_tokens)
            assert session.accepted, session.prompts
            assert product.tokens(session.output).payload["username"] == "alice"
            # One question a request: a program that shows the first of them only has lost nothing.
            assert [size for size in session.sizes if size] == [1] * len(challenge.questions)
            product.machine.wait_until(lambda: not product.entries(), "the end of the session")
            steps = [name for name in product.operations() if name not in ("GlobalSignOut", "RevokeToken")]
            assert len(steps) == challenge.round_trips, steps


def _points() -> list[tuple[Challenge, int]]:
    """Every question, once for each challenge that poses it in a way of its own."""
    points = []
    for challenge in CHALLENGES:
        labels = [label for label, _ in challenge.questions]
        for index, label in enumerate(labels):
            if "SMS" not in challenge.name and label not in labels[:index] and (label != "password" or not points):
                points.append((challenge, index))
    return points


POINTS = _points()


def _name(point: tuple[Challenge, int]) -> str:
    challenge, index = point
    return f"{challenge}, {challenge.questions[index][0]}"


def _end_input(session: Session) -> None:
    session.end_input()
    # login asks for another name, for a minute.
    session.hang_up()


def _interrupt(session: Session) -> None:
    """As often as it takes: ssh does not notice one that comes between its question and its reading of the answer.

    util-linux's login ignores it, and its user can only wait for LOGIN_TIMEOUT of login.defs(5), which is an alarm.
    """
    process = session.terminal.process
    ignored = int(process.state().signals["SigIgn"], 16) & 1 << (signal.SIGINT - 1)
    for _ in range(30):
        with contextlib.suppress(OSError):
            session.interrupt()
            if ignored:
                process.signal(signal.SIGALRM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
            return


WAYS: dict[str, Callable[[Session], None]] = {
    "Ctrl-C": _interrupt,
    "Ctrl-D": _end_input,
    "kill -9": Session.kill_host,
    "hang-up": Session.hang_up,
}


class TestLeaving:
    """At each question, in each way: nothing of the sign-in stays, neither here nor at Cognito."""

    @pytest.mark.parametrize("host", ["ssh", "login", "su"])
    @pytest.mark.parametrize("point", POINTS, ids=_name)
    def test_at_the_question(self, product: Product, sshd: Sshd, host: str, point: tuple[Challenge, int]) -> None:
        challenge, index = point
        machine = product.machine
        before = {process.pid for process in machine.processes()}
        with challenge.posed(product), ThreadPoolExecutor() as pool:
            answers = challenge.answers(product, index)
            ways = list(WAYS)
            # No more codes than three may be unanswered.
            for some in (ways[start : start + 3] for start in range(0, len(ways), 3)):
                opening = {way: pool.submit(opened, product, sshd, host, *answers) for way in some}
                for way, session in {way: future.result() for way, future in opening.items()}.items():
                    assert session.asking, (way, session.seen)
                    WAYS[way](session)
                    assert not session.accepted, way
                product.forget_failures()
            machine.wait_until(
                lambda: {process.pid for process in machine.processes()} <= before, "the end of all processes"
            )
            assert_nobody_came_in(product)

    def test_while_cognito_thinks(self, product: Product, sshd: Sshd) -> None:
        """sshd does not notice before it has an answer, and then has no session: the tokens are the reaper's."""
        challenge = CHALLENGES[0]
        with challenge.posed(product):
            with opened(product, sshd, "ssh", *challenge.answers(product, -1)) as session:
                before = len(product.operations())
                servers = sshd.connection_pids()
                with product.emulator.held("RespondToAuthChallenge"):
                    session.terminal.type_line(totp())
                    product.machine.wait_until(lambda: len(product.operations()) > before, "the request")
                    session.kill_client()
                for pid in servers:
                    sshd.wait_for_process_end(pid)
            assert len(product.tokens_given()) == len(product.entries()) == 1
            product.machine.forget_keys()


def after_a_restart(challenge: Challenge, product: Product, index: int) -> list:
    """The answers from the beginning, without a password that was typed before."""
    labels = [label for label, _ in challenge.questions]
    return [
        answer
        for place, (label, answer) in enumerate(zip(labels, challenge.answers(product), strict=True))
        if label != "password" or place >= index
    ]


def _goes_out_with(challenge: Challenge, index: int) -> int:
    """The question with whose answer this one's is sent."""
    labels = [label for label, _ in challenge.questions]
    if labels[index] in ("new password", "again", "attribute"):
        return len(labels) - 1
    return index + (labels[index] == "menu" and labels[index + 1] in ("address", "password"))


#: An answer that Cognito, or the menu, takes for wrong; where a new password is repeated, what follows it.
WRONG = {
    "code": ["000000"],
    "set-up code": ["000000"],
    "custom": ["not four, surely"],
    "menu": ["9"],
    "address": ["no address"],
    "new password": ["short", "short", "García", "+34600111222"],
    "again": ["Another-Password-3!", NEW],
}
LONG = "7" * 2000
LATER = [(challenge, index) for challenge, index in POINTS if challenge.questions[index][0] != "password"]


class TestAnswersThatAreNone:
    @pytest.mark.parametrize("point", LATER, ids=_name)
    def test_then_the_right_one(
        self, product: Product, sshd: Sshd, golden: Golden, point: tuple[Challenge, int]
    ) -> None:
        """Nothing, 2,000 characters and a wrong answer. (The conversation of su and login takes 512 at a time.)"""
        challenge, index = point
        label = challenge.questions[index][0]
        again = [NEW] if label == "again" else []
        given = challenge.answers(product, index)
        # Enter is a menu's first line, and another repetition than the password's is one mistake more.
        if label not in ("menu", "again"):
            given += [""]
        # So long a family name is one.
        given += ["\x07"] if label == "attribute" else [LONG, *again]
        given += WRONG.get(label, [])
        with challenge.posed(product):
            result = sshd.run("alice", *given, *challenge.answers(product)[index:], method=KEYBOARD)
            assert result.accepted, result
            golden.check(f"ssh: {challenge}, {label}: bad answers first", result.prompts)
            assert label in ("custom", "address") or not [
                answer for answer in every_answer(product) if LONG[:100] in str(answer)
            ]

    @pytest.mark.parametrize("point", LATER, ids=_name)
    def test_never_the_right_one(self, product: Product, golden: Golden, point: tuple[Challenge, int]) -> None:
        challenge, index = point
        label = challenge.questions[index][0]
        kinds = {"wrong": (WRONG.get(label), 3), "control characters": (["\x07\x1b[2J"], 3), "nothing": ([""], 2)}
        for kind, (answers, count) in kinds.items():
            if not answers or (kind == "nothing" and label == "menu"):
                continue
            if label == "again":
                answers, count = [answers[0], NEW], 3
            # Three wrong answers are the most here, too.
            product.forget_failures()
            with challenge.posed(product):
                given = [*challenge.answers(product, index), *(answers * count)]
                with su(product.machine, "bob", "alice", *given) as session:
                    assert session.refused, (kind, session.seen)
                    golden.check(f"su: {challenge}, {label}: {kind}, to the end", session.prompts, session.outcome)
                assert_nobody_came_in(product)

    @pytest.mark.parametrize("point", LATER, ids=_name)
    def test_too_late(self, product: Product, golden: Golden, point: tuple[Challenge, int]) -> None:
        """Begins anew once, without the password; a second time is the end."""
        challenge, index = point

        def late(answer):
            def given(prompt: str) -> str:
                assert product.emulator.expire_challenge_sessions("alice")
                return answer(prompt) if callable(answer) else answer

            return given

        label, last = challenge.questions[index][0], _goes_out_with(challenge, index)
        for kind in ("once", "twice"):
            with challenge.posed(product):
                answers = challenge.answers(product)
                anew = after_a_restart(challenge, product, last + 1)
                if kind == "twice":
                    anew[-1] = late(anew[-1])
                given = [*answers[:index], late(answers[index]), *answers[index + 1 : last + 1], *anew]
                with su(product.machine, "bob", "alice", *given) as session:
                    assert session.accepted == (kind == "once"), (kind, session.seen)
                    golden.check(f"su: {challenge}, {label}: too late, {kind}", session.prompts, session.outcome)
                    if session.accepted:
                        session.logout()
                assert_nobody_came_in(product)


@pytest.fixture(scope="module")
def passwords_only(machine: Machine) -> Iterator[Sshd]:
    """A server that asks, for programs that know passwords only."""
    with Sshd(machine, port=2223, options={"PasswordAuthentication": "no"}) as server:
        yield server


@pytest.mark.parametrize("challenge", CHALLENGES, ids=str)
class TestPasswordAndNothingElse:
    """What cannot be asked is refused, and the password is no answer to anything else."""

    def test_method_of_sshd(self, product: Product, sshd: Sshd, challenge: Challenge) -> None:
        mark = product.machine.log_mark()
        with challenge.posed(product):
            assert not sshd.run("alice", RIGHT, method="password").accepted
            assert_nobody_came_in(product)
        assert product.machine.log(mark, containing="user='alice'")

    def test_program_that_gives_it_to_every_question(
        self, product: Product, passwords_only: Sshd, challenge: Challenge
    ) -> None:
        with challenge.posed(product):
            assert not ssh_library.sign_in_with_password(passwords_only, "alice", RIGHT)
            if challenge.questions[0][0] == "custom":
                # The pool's own question may be one for a password: nobody here can know.
                assert not product.tokens_given()
            else:
                assert_nobody_came_in(product)


@pytest.mark.parametrize("flags", [(), ("SILENT",)], ids=["speaking", "silent"])
def test_host_that_wants_no_messages(product: Product, flags: tuple[str, ...]) -> None:
    """PAM_SILENT is about messages: the questions are put all the same, with what must be read first."""
    with CHALLENGES[0].posed(product), PamDriver(product.machine, "alone", "alice") as driver:
        result = driver.authenticate(RIGHT, "000000", totp(), flags=flags)
        assert result.succeeded and len(result.prompts) == 3
        assert result.prompts[2].startswith("The code is incorrect. Try again.\n")
        assert [message for message in result.conversation if not message.is_prompt] == []
        product.machine.forget_keys()
    with product.other_pool({}), PamDriver(product.machine, "alone", "alice") as driver:
        product.member(status="FORCE_CHANGE_PASSWORD", temporary_password_expired=True)
        result = driver.authenticate(RIGHT, flags=flags)
        messages = [message.text for message in result.conversation if not message.is_prompt]
        assert len(messages) == (0 if flags else 1), messages


STATES: dict[str, dict | None] = {
    "none": None,
    "know": {},
    "disa": {"enabled": False},
    "unco": {"status": "UNCONFIRMED"},
    "rese": {"status": "RESET_REQUIRED"},
    "temp": {"status": "FORCE_CHANGE_PASSWORD"},
    "lock": {},
}


class TestStrangers:
    """Who does not know the password cannot tell whether there is such a user, nor in which state."""

    @pytest.mark.parametrize("hiding", ["LEGACY", "ENABLED"])
    def test_all_look_the_same(self, product: Product, sshd: Sshd, hiding: str) -> None:
        machine = product.machine
        with product.other_pool({"prevent_user_existence_errors": hiding}):
            for name, state in STATES.items():
                if not machine.exists(f"/home/{name}"):
                    machine.add_user(name)
                    machine.add_to_group(name, "cognito")
                if state is not None:
                    product.member(name, **state)
            product.emulator.lockout(speed=0.01)
            for _ in range(6):
                with su(machine, "bob", "lock", WRONG_PASSWORD) as session:
                    assert session.refused
                product.forget_failures()
            assert [record["user"] for record in product.emulator.lockout_state() if record["locked_for"]] == ["lock"]
            seen: dict[str, dict[str, str]] = {"ssh": {}, "login": {}, "su": {}}
            for name in STATES:
                result = sshd.run(name, WRONG_PASSWORD, method=KEYBOARD)
                seen["ssh"][name] = f"{result.status} {result.shown} {result.errors}"
                with login(machine, name, WRONG_PASSWORD) as session:
                    seen["login"][name] = session.seen
                with su(machine, "bob", name, WRONG_PASSWORD) as session:
                    seen["su"][name] = session.seen
        for host, transcripts in seen.items():
            neutral = {name: text.replace(name, "name") for name, text in transcripts.items()}
            assert set(neutral.values()) == {neutral["none"]}, (host, neutral)


@pytest.mark.parametrize(
    ("remote_host", "told"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "2001:db8::7"),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.7"),
        ("fe80::1%eth0", None),
        ("client.example.com", None),
        ("192.0.2.7.example.com", None),
        ("192.0.2", None),
        ("0x7f000001", None),
        (" 192.0.2.7", None),
        ("192.0.2.7\n", None),
        (b"\xff\xfe", None),
        ("1" * 300, None),
        ("", None),
    ],
)
def test_addresses_that_cognito_is_told(product: Product, remote_host: str | bytes, told: str | None) -> None:
    """Literal ones, and nothing that a name server or a program made up."""
    with PamDriver(product.machine, "alone", "alice", items={"RHOST": remote_host}) as driver:
        assert driver.authenticate(RIGHT).succeeded
    for name in ("InitiateAuth", "RespondToAuthChallenge"):
        (request,) = product.emulator.requests(name)
        assert request["body"].get("UserContextData") == (told and {"IpAddress": told})
    product.machine.forget_keys()


def test_address_of_a_server_that_asks_for_names(product: Product) -> None:
    with Sshd(product.machine, port=2224, options={"UseDNS": "yes"}) as server:
        mark = product.machine.log_mark()
        assert server.run("alice", RIGHT, method=KEYBOARD).accepted
        (line,) = product.machine.log(mark, containing="signed in; user='alice'")
        assert "rhost='localhost'" in line.message
    (request,) = product.emulator.requests("InitiateAuth")
    assert "UserContextData" not in request["body"]


def test_group_that_stays_out_of_a_pool_without_passwords(product: Product, sshd: Sshd) -> None:
    challenge = next(one for one in CHALLENGES if one.name == "no password, code by e-mail")
    mark = product.machine.log_mark()
    with challenge.posed(product):
        product.configure(client_secret_file=None, denied_groups="staff", **challenge.settings)
        assert not sshd.run("alice", *challenge.answers(product), method=KEYBOARD).accepted
        product.machine.wait_until(lambda: not product.tokens_given(), "the revocation")
    (line,) = product.machine.log(mark, containing="reason=group")
    assert "denied_groups contains this user's group 'staff'" in line.message and "password" not in line.message
