"""Every challenge, in every host, with every answer that is none: what people see, and what Cognito is sent.

The right ways are in prompts.golden with all that a person sees, in its order. The emulator judges what became of a
sign-in: which tokens it gave, and whether they still work.
"""

from collections.abc import Iterator

import pytest

from . import ssh_library
from .challenges import CHALLENGES, Challenge
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
