"""A client secret that is rotated in the pool, and a client_secret_file that is replaced, at prompts and in sessions.

In which words Cognito refuses a wrong secret for a renewal is our reading: `Emulator/behaviours/client_secret.py`.
"""

from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Sshd, login
from .machine import Machine
from .product import RIGHT, Product
from .test_doctor import Report

FILE = "/etc/security/pam_cognito.secret"
NEW = "r0tated" * 7
ROTATION = "in the AWS console rotate every seven days"


@pytest.fixture(autouse=True)
def usual_secret(product: Product) -> Iterator[None]:
    yield
    product.emulator.rotate_client_secret(product.pool["client_id"], product.pool["client_secret"])
    replace(product.machine, product.pool["client_secret"])


def replace(machine: Machine, secret: str) -> None:
    machine.write(FILE, secret + "\n", 0o600)


def rotate(product: Product) -> None:
    product.emulator.rotate_client_secret(product.pool["client_id"], NEW)


def test_open_session(product: Product, agent: AgentProcess, sshd: Sshd) -> None:
    """The session stays as it was while the old secret is refused, and is renewed with the new one."""
    machine = product.machine
    with sshd.open("alice", RIGHT) as session:
        assert session.command("cognito-session refresh").status == 0
        rotate(product)
        mark = machine.log_mark()
        assert session.command("cognito-session refresh").status != 0
        assert machine.log(mark, containing=ROTATION)
        tokens = product.tokens(session.command(product.read_tokens).output)
        assert product.alive(tokens)["refresh"] and len(product.entries()) == 1
        replace(machine, NEW)
        assert session.command("cognito-session refresh").status == 0
        session.logout()
    machine.wait_until(lambda: not product.entries(), "the sign-out")
    assert not product.tokens_given()


def test_prompt(product: Product, machine: Machine) -> None:
    """Replaced while the user is typing."""
    with login(machine, "alice") as session:
        machine.wait_until(lambda: product.emulator.requests("InitiateAuth"), "the begin")
        rotate(product)
        replace(machine, NEW)
        session.answer(RIGHT)
        assert session.accepted
        session.logout()


def test_log_and_doctor(product: Product, machine: Machine) -> None:
    rotate(product)
    mark = machine.log_mark()
    with login(machine, "alice") as session:
        session.answer(RIGHT)
        assert not session.accepted
    (line,) = machine.log(mark, containing="reason=configuration")
    assert ROTATION in line.message and FILE not in line.message and NEW not in line.message
    (finding,) = Report(machine).areas["cognito"]["findings"]
    assert "does not match client_secret_file" in finding["what"] and ROTATION in finding["why"]
    assert finding["mend"].endswith(FILE)
