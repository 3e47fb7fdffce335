"""`preconnect = begin`: InitiateAuth goes out while somebody types, and the proof alone follows Enter.

Before the answer nothing shows, whatever Cognito says; what nobody answers is counted, and runs out into `connect`.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from Emulator.client import EmulatorClient

from .compiled import library
from .hosts import Sshd, login, su
from .machine import Closing, Machine
from .product import LOCAL, RIGHT, WRONG, Product
from .test_worker_protocol import PASSWORD, PROGRAM, Account
from .worker_process import Message, WorkerProcess

CONNECT, BEGIN = 1, 2
SRP = {"flow": 1}
CHOICE = {"flow": 3, "preferred_factor": 1}
FLOWS = {"srp": SRP, "choice": CHOICE}
GENEROUS = 20.0
#: So many seconds longer than 3.5 s the emulator's challenges live, which a busy machine may need.
OTHERWISE = 30


@pytest.fixture(scope="module")
def delay(folder: Path) -> "Delay":
    return Delay(folder)


def wait_until(condition, what: str) -> None:
    deadline = time.monotonic() + GENEROUS
    while not condition():
        assert time.monotonic() < deadline, f"no {what}"
        time.sleep(0.002)


class Delay:
    """Lets seconds pass for a worker and for the challenges that it was sent, without waiting for them.

    Else little time passes: a machine that is busy makes no challenge old.
    """

    def __init__(self, directory: Path):
        self._library, self._passed = library("clock_ahead", directory), directory / "passed"

    def environment(self, seconds: int = 0) -> dict[str, str]:
        """Of a worker for which `seconds` pass, once."""
        self._passed.unlink(missing_ok=True)
        ahead = {"CLOCK_AHEAD": str(self._passed), "CLOCK_AHEAD_SECONDS": str(seconds), "CLOCK_DIVISOR": "10"}
        return {"LD_PRELOAD": self._library, **ahead}

    def wait(self, service: EmulatorClient, seconds: int) -> None:
        service.expire_challenge_sessions(older=seconds + OTHERWISE)
        self._passed.touch()


class Typing(Closing):
    """Somebody at the prompt of a worker that has done what it does meanwhile, and what came of their answer."""

    def __init__(
        self, account: Account, preconnect: int, environment: dict[str, str], name: str | None = None, **fields
    ):
        self.account = account
        self.service = account.service
        account.name = name or account.name
        # The key set is known, as in all but the first sign-in.
        first = account.service_fields() | account.person_fields()
        first |= {"sign_out_mode": "global", "preconnect": preconnect, **SRP, **fields}
        self.service.clear_requests()
        self.worker = WorkerProcess(PROGRAM, environment)
        self.worker.send("sign_in", **first)
        question = self.worker.receive()
        assert (question.kind, question.text("text")) == ("ask", "Password: ")
        ahead = "jwks" if preconnect == CONNECT else "InitiateAuth"
        wait_until(lambda: any(r["delivered"] for r in self.service.requests(ahead)), ahead)

    def close(self) -> None:
        self.worker.__exit__()

    def answer(self, password: str = PASSWORD) -> list[Message]:
        self.worker.send("answer", answer=password)
        return [message for message in self.account._rest(self.worker, True) if message.kind != "keep"]

    @property
    def operations(self) -> list[str]:
        return [name for name in self.account.operations() if name != "jwks"]


def made(service: EmulatorClient, **options) -> Account:
    return Account(service, auth_flows=["ALLOW_USER_SRP_AUTH", "ALLOW_USER_AUTH"], **options)


class TestWorker:
    """What goes out before the answer, and behind it."""

    @pytest.fixture(autouse=True)
    def untroubled(self, service: EmulatorClient) -> Iterator[None]:
        service.reset()
        yield
        assert not service.violations()

    @pytest.mark.parametrize("flow", FLOWS)
    @pytest.mark.parametrize("secret", [False, True], ids=["no secret", "secret"])
    def test_order_and_count(self, service: EmulatorClient, delay: Delay, flow: str, secret: bool) -> None:
        with Typing(made(service, generate_secret=secret), BEGIN, delay.environment(), **FLOWS[flow]) as typing:
            assert typing.operations == ["InitiateAuth"]
            assert [message.kind for message in typing.answer()] == ["signed_in"]
            assert typing.operations == ["InitiateAuth", "RespondToAuthChallenge"]

    @pytest.mark.parametrize("flow", FLOWS)
    def test_wrong_password(self, service: EmulatorClient, delay: Delay, flow: str) -> None:
        """One proof, and no other begin."""
        with Typing(made(service), BEGIN, delay.environment(), **FLOWS[flow]) as typing:
            assert typing.answer(WRONG)[-1].reason == "refused"
            assert typing.operations == ["InitiateAuth", "RespondToAuthChallenge"]

    @pytest.mark.parametrize("hides", [True, False], ids=["hides who exists", "tells"])
    @pytest.mark.parametrize("preconnect", [CONNECT, BEGIN])
    def test_unknown_user(self, service: EmulatorClient, delay: Delay, hides: bool, preconnect: int) -> None:
        """What is told, and the number of requests behind Enter, are no other than for a wrong password."""
        account = made(service, prevent_user_existence_errors=hides)
        with Typing(account, preconnect, delay.environment(), name="nobody-here") as typing:
            before = len(typing.operations)
            (failure,) = typing.answer(WRONG)
            behind = len(typing.operations) - before
        assert failure.reason == "refused" and "text" not in failure.fields
        assert (before, behind) == ((0, 2 if hides else 1) if preconnect == CONNECT else (1, 1))

    @pytest.mark.parametrize(("flow", "reason"), [("srp", "refused"), ("choice", "service_fault")])
    def test_challenge_that_expired(self, service: EmulatorClient, delay: Delay, flow: str, reason: str) -> None:
        """Cognito says so, or calls the password wrong: no second proof."""
        with Typing(made(service), BEGIN, delay.environment(), **FLOWS[flow]) as typing:
            assert service.expire_challenge_sessions("alice")
            assert typing.answer()[-1].reason == reason
            assert typing.operations == ["InitiateAuth", "RespondToAuthChallenge"]

    @pytest.mark.parametrize("flow", FLOWS)
    @pytest.mark.parametrize("seconds", [0, 3, 10, 30])
    def test_slow_typing(self, service: EmulatorClient, delay: Delay, flow: str, seconds: int) -> None:
        """Challenges live 3.5 s: after 3 s another is asked for behind Enter; each password is proved once."""
        account = made(service, auth_session_seconds=3.5 + OTHERWISE)
        for password, kind in ((PASSWORD, "signed_in"), (WRONG, "failed")):
            with Typing(account, BEGIN, delay.environment(seconds), **FLOWS[flow]) as typing:
                if seconds:
                    delay.wait(service, seconds)
                (message,) = typing.answer(password)
                assert message.kind == kind and (kind == "signed_in" or message.reason == "refused"), message
                begins = 2 if seconds else 1
                assert typing.operations == ["InitiateAuth"] * begins + ["RespondToAuthChallenge"]
                texts = {r["body"]["AuthParameters"]["SRP_A"] for r in service.requests("InitiateAuth")}
                assert len(texts) == begins

    @pytest.mark.parametrize(
        ("fault", "arguments"),
        [
            ("throttle", {}),
            ("empty_500", {}),
            ("reset", {}),
            ("half_answer", {}),
            ("garbage", {}),
            ("waf_403", {}),
            ("body", {"text": '{"ChallengeName":"X-RAY"}'}),
            ("error", {"name": "UserNotFoundException", "message": "User does not exist."}),
            ("error", {"name": "NotAuthorizedException", "message": "Password attempts exceeded"}),
        ],
    )
    def test_begin_that_failed(self, service: EmulatorClient, delay: Delay, fault: str, arguments: dict) -> None:
        """It is begun again behind the answer, as if nothing had been."""
        account = made(service)
        service.fault("InitiateAuth", fault, times=1, **arguments)
        with Typing(account, BEGIN, delay.environment()) as typing:
            assert [message.kind for message in typing.answer()] == ["signed_in"]
            assert typing.operations == ["InitiateAuth", "InitiateAuth", "RespondToAuthChallenge"]

    def test_whoever_leaves(self, service: EmulatorClient, delay: Delay) -> None:
        with Typing(made(service), BEGIN, delay.environment()) as typing:
            typing.worker.hang_up()
            assert typing.worker.end() == 0
            assert typing.operations == ["InitiateAuth"]
            assert not service.sessions(typing.account.pool["pool_id"], "alice")


def begun(product: Product) -> int:
    return product.operations().count("InitiateAuth")


def open_begins(machine: Machine) -> list:
    return [key for key in machine.keys() if key.description.startswith("pam-cognito:b:")]


class TestHosts:
    """Who may begin so, and how often."""

    @pytest.fixture(autouse=True)
    def fresh(self, machine: Machine, product: Product) -> Iterator[None]:
        # What others have left unanswered.
        machine.forget_keys()
        yield
        machine.forget_keys()

    def test_login(self, machine: Machine, product: Product) -> None:
        with login(machine, "alice") as session:
            machine.wait_until(lambda: begun(product) == 1, "the begin")
            assert product.operations() == ["InitiateAuth"]
            (key,) = open_begins(machine)
            assert key.description.endswith(":0:-") and 0 < key.timeout <= 600
            session.answer(RIGHT)
            assert session.accepted
            assert product.operations() == ["InitiateAuth", "RespondToAuthChallenge"]
            assert not open_begins(machine)
            session.logout()

    def test_ssh(self, machine: Machine, product: Product, sshd: Sshd) -> None:
        with sshd.open("alice", method="keyboard-interactive") as session:
            machine.wait_until(lambda: begun(product) == 1, "the begin")
            (key,) = open_begins(machine)
            assert key.description.endswith(":0:127.0.0.1")
            session.answer(RIGHT)
            assert session.accepted
            assert product.operations() == ["InitiateAuth", "RespondToAuthChallenge"]
            session.logout()

    @pytest.mark.parametrize("how", ["connect", "no"])
    def test_settings(self, machine: Machine, product: Product, how: str) -> None:
        product.configure(preconnect=how)
        with login(machine, "alice") as session:
            if how == "connect":
                machine.wait_until(lambda: product.emulator.requests("jwks"), "the connection")
            session.answer(RIGHT)
            assert session.accepted and begun(product) == 1
            assert not open_begins(machine)
            session.logout()

    def test_nobody_of_cognitos(self, machine: Machine, product: Product) -> None:
        with su(machine, "carol", "bob") as session:
            session.answer(LOCAL)
            assert session.accepted
            session.logout()
        assert not product.emulator.requests() and not open_begins(machine)

    def test_prompts_without_an_answer(self, machine: Machine, product: Product) -> None:
        """Killed, they have cost Cognito eight requests; after those su asks as it did before, and signs in."""
        for number in range(1, 9):
            with su(machine, "bob", "alice") as session:
                machine.wait_until(lambda n=number: begun(product) == n, "the begin")
                session.kill_host()
                session.terminal.wait()
        assert product.failures() == {}
        for key in open_begins(machine):
            for attempt in ("unlink", "revoke", "invalidate", "timeout"):
                more = {"unlink": ["@u"], "timeout": ["1"]}.get(attempt, [])
                assert machine.run(["keyctl", attempt, str(key.serial), *more], user="bob").returncode != 0, attempt
        assert len(open_begins(machine)) == 8
        for _ in range(2):
            product.emulator.clear_requests()
            with su(machine, "bob", "alice") as session:
                machine.wait_until(lambda: product.emulator.requests("jwks"), "the connection")
                assert product.operations() == []
                session.answer(RIGHT)
                assert session.accepted
                assert product.operations()[:2] == ["InitiateAuth", "RespondToAuthChallenge"]
                session.logout()
        # Of somebody else's they are none.
        product.emulator.clear_requests()
        with su(machine, "carol", "alice"):
            machine.wait_until(lambda: begun(product) == 1, "the begin")

    def test_host_that_ends_at_the_prompt(self, machine: Machine, product: Product, sshd: Sshd) -> None:
        """A client that goes away leaves no process, no token and no entry."""
        with sshd.open("alice", method="keyboard-interactive") as session:
            machine.wait_until(lambda: begun(product) == 1, "the begin")
            session.kill_client()
        names = ("cognito-worker",)
        machine.wait_until(lambda: not [p for p in machine.processes() if p.name in names], "the worker's end")
        assert product.operations() == ["InitiateAuth"]
        assert not product.tokens_given() and not product.entries() and product.failures() == {}
        assert len(open_begins(machine)) == 1
