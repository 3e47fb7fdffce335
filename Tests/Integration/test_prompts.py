"""Every challenge, in every host, with every answer that is none: what people see, and what Cognito is sent.

The right ways are in prompts.golden with all that a person sees, in its order. The emulator judges what became of a
sign-in: which tokens it gave, and whether they still work.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from . import ssh_library
from .challenges import CHALLENGES, Challenge, totp
from .golden import Golden
from .hosts import Session, Sshd, allow_sudo, login, su, sudo
from .machine import Machine
from .product import RIGHT, Product

KEYBOARD = "keyboard-interactive"


@pytest.fixture(scope="module")
def golden() -> Iterator[Golden]:
    prompts = Golden()
    yield prompts
    prompts.save()


@pytest.fixture(scope="module")
def sshd(machine: Machine) -> Iterator[Sshd]:
    with Sshd(machine) as server:
        yield server


def every_answer(product: Product) -> list[dict]:
    """What was sent in answer to challenges, and to the questions of setting an app up."""
    responses = [r["body"]["ChallengeResponses"] for r in product.emulator.requests("RespondToAuthChallenge")]
    return responses + [r["body"] for r in product.emulator.requests("VerifySoftwareToken")]


def assert_nobody_came_in(product: Product) -> None:
    """No tokens that are good, nobody who holds any, and the password went where no password belongs."""
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")
    assert not product.tokens_given()
    assert not [answer for answer in every_answer(product) if RIGHT in str(answer)]


def opened(product: Product, sshd: Sshd, host: str, *answers) -> Session:
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
            return sudo(machine, "alice", "bob", *answers)
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


WAYS: dict[str, Callable[[Session], None]] = {
    "Ctrl-C": Session.interrupt,
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
            opening = {way: pool.submit(opened, product, sshd, host, *answers) for way in WAYS}
            for way, session in {way: future.result() for way, future in opening.items()}.items():
                assert session.asking, (way, session.seen)
                WAYS[way](session)
                assert not session.accepted, way
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
                product.emulator.fault("RespondToAuthChallenge", "delay", times=1, seconds=0.2)
                session.terminal.type_line(totp())
                servers = sshd.connection_pids()
                product.machine.wait_until(lambda: len(product.operations()) > before, "the request")
                session.kill_client()
                for pid in servers:
                    sshd.wait_for_process_end(pid)
            assert len(product.tokens_given()) == len(product.entries()) == 1
            product.machine.forget_keys()
