"""A real cron, whose people sign in to nothing: their jobs run, and nobody's tokens are touched."""

import contextlib
from collections.abc import Iterator

import pytest

from .machine import Machine, MachineProcess
from .product import Product

STACK = "auth include cognito-auth\naccount include cognito-account\nsession include cognito-session\n"
#: What a job sees: who it is, its session keyring, and a way to somebody's tokens.
JOB = "@reboot (id -un; keyctl show @s; keyctl search @s user {key}) >report 2>&1; mv report done\n"


@pytest.fixture
def cron(machine: Machine) -> Iterator[MachineProcess]:
    """cron, as it is after the machine's start; its people's jobs are those of the moment in which it is called."""
    machine.remove("/run/crond.reboot")
    process = machine.start(["cron", "-f"], new_session_keyring=True)
    yield process
    process.end()


def write_job(product: Product, name: str) -> None:
    machine = product.machine
    machine.make_directory("/var/spool/cron/crontabs", 0o1730)
    machine.write(f"/var/spool/cron/crontabs/{name}", JOB.format(key=product.key_description), 0o600, name)
    machine.remove(f"/home/{name}/done")


@contextlib.contextmanager
def signed_in(product: Product) -> Iterator[None]:
    """alice has a session, too, which no job of hers has to do with."""
    with product.signed_in() as driver:
        yield
        driver.call("close_session")


@pytest.fixture
def jobs(product: Product) -> Iterator[None]:
    product.machine.pam("cron", STACK)
    for name in ("alice", "bob"):
        write_job(product, name)
    yield
    for name in ("alice", "bob"):
        product.machine.remove(f"/var/spool/cron/crontabs/{name}")


@pytest.mark.parametrize("cognito", ["up", "down"])
@pytest.mark.parametrize("beside", ["no session", "a session"])
def test_jobs(product: Product, jobs: None, request: pytest.FixtureRequest, cognito: str, beside: str) -> None:
    machine = product.machine
    with signed_in(product) if beside == "a session" else contextlib.nullcontext():
        entries, given = product.entries(), product.tokens_given()
        keys = [key.serial for key in machine.keys()]
        product.emulator.clear_requests()
        if cognito == "down":
            product.emulator.down()
        process = request.getfixturevalue("cron")
        for name in ("alice", "bob"):
            machine.wait_until(lambda name=name: machine.exists(f"/home/{name}/done"), f"the job of {name}")
            report = machine.read(f"/home/{name}/done").splitlines()
            assert report[0] == name
            assert not [line for line in report if "user: cognito:" in line]
            assert any("keyctl_search: " in line for line in report), report
        # Its children close the sessions of their jobs.
        machine.wait_until(lambda: not machine.descendants(process.pid), "the end of the jobs")
        product.emulator.up()
        assert product.operations() == []
        assert product.entries() == entries and product.tokens_given() == given
        assert [key.serial for key in machine.keys()] == keys


def test_jobs_of_people_who_must_sign_in(product: Product, jobs: None, request: pytest.FixtureRequest) -> None:
    """Where keys do not do, a job does not, either: its person has not signed in. Others' jobs run."""
    machine = product.machine
    product.configure(key_logins="refuse")
    mark = machine.log_mark()
    process = request.getfixturevalue("cron")
    machine.wait_until(lambda: machine.exists("/home/bob/done"), "the job of bob")
    machine.wait_until(lambda: not machine.descendants(process.pid), "the end of the jobs")
    assert not machine.exists("/home/alice/done")
    assert machine.log(mark, containing="account refused; user='alice'")
