"""Many sign-ins of one user at the same time, with the default configuration: none is refused or a guess too many."""

from __future__ import annotations

import contextlib

import pytest

from .challenges import PHONE, SECRET, totp
from .hosts import Sshd, su
from .machine import Machine
from .product import RIGHT, WRONG, Product

CLIENTS = "/usr/local/sbin/clients"
ANSWER = "/usr/local/sbin/answer"


@pytest.fixture(scope="module", autouse=True)
def programs(product: Product) -> None:
    # ssh asks by a program where there is no terminal. What it answers is in the environment, and in no file.
    product.machine.write(
        ANSWER,
        '#!/bin/sh\ncase $1 in *assword*) echo "$PASSWORD" ;; *) oathtool --totp --base32 "$SECRET" ;; esac\n',
        0o755,
    )
    product.machine.write(
        CLIENTS,
        "#!/bin/sh\n"
        "# clients CLIENTS TIMES COMMAND...: so many at the same time, each so often; how each ended, a line each.\n"
        "clients=$1 times=$2; shift 2\n"
        "for client in $(seq $clients); do\n"
        '    (for time in $(seq $times); do "$@" </dev/null >/dev/null 2>&1; echo $?; done) &\n'
        "done\n"
        "wait\n",
        0o755,
    )


def at_once(sshd: Sshd, user: str, clients: int, times: int = 1, password: str = RIGHT) -> list[int]:
    """How many ssh clients ended with which status."""
    environment = {"SSH_ASKPASS": ANSWER, "SSH_ASKPASS_REQUIRE": "force", "PASSWORD": password, "SECRET": SECRET}
    argv = [CLIENTS, str(clients), str(times), *sshd._client(user, "keyboard-interactive", []), "true"]
    ended = sshd.machine.run(argv, env=environment, timeout=300, check=True).stdout.split()
    sshd.machine.wait_until(lambda: not sshd.connection_pids(), "the end of all connections", 60)
    return [int(status) for status in ended]


@contextlib.contextmanager
def usual(product: Product, options: dict | None = None, **changes: str | None):
    """A pool of its own, and nothing set that has a default."""
    changes = {"sign_out_wait": None, **changes}
    with product.other_pool(options or {}, **changes):
        yield


@pytest.mark.parametrize("sign_out", [None, "last"])
@pytest.mark.parametrize("second", [None, "totp"])
def test_right(product: Product, sshd: Sshd, sign_out: str | None, second: str | None) -> None:
    """Also while the sign-outs everywhere of those that were first go on."""
    options, user = (
        ({"mfa": "OPTIONAL"}, {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET}) if second else ({}, {})
    )
    product.emulator.switch(refuse_totp_replay=False)
    with usual(product, options, sign_out=sign_out):
        product.member(**user)
        mark = product.machine.log_mark()
        # Answers are on their way for a while, so that more of them come together.
        product.emulator.fault("RespondToAuthChallenge", "delay", seconds=0.2)
        ended = at_once(sshd, "alice", 8, 2)
        assert product.machine.lines(mark, containing="authentication failure") == []
        assert ended == [0] * 16
        assert product.failures() == {}


def test_wrong(product: Product, sshd: Sshd) -> None:
    """Of many guesses at once three are looked at, and the right password then waits as after three in a row."""
    with usual(product):
        product.member()
        product.emulator.fault("RespondToAuthChallenge", "delay", seconds=0.2)
        assert set(at_once(sshd, "alice", 16, password=WRONG)) == {255}
        assert product.operations().count("RespondToAuthChallenge") == 3
        assert product.failures() == {("alice", 0): 3}
        mark = product.machine.log_mark()
        assert not sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
        assert product.machine.log(mark, containing="reason=too_many_failures")


@pytest.mark.parametrize(
    ("options", "user", "most"),
    [
        ({"mfa": "OPTIONAL"}, {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET}, None),
        ({"mfa": "OPTIONAL"}, {"mfa": ["SMS_MFA"], "phone_number": PHONE}, 3),
        ({"mfa": "OPTIONAL"}, {"mfa": ["EMAIL_OTP"]}, 3),
    ],
    ids=["app", "sms", "e-mail"],
)
def test_prompts(machine: Machine, product: Product, options: dict, user: dict, most: int | None) -> None:
    """Windows that wait for a code close none that comes later, unless Cognito has sent those codes."""
    product.emulator.switch(refuse_totp_replay=False)
    with usual(product, options), contextlib.ExitStack() as stack:
        product.member(**user)
        windows = [stack.enter_context(su(machine, "bob", "alice", RIGHT)) for _ in range(5)]
        waiting = [window for window in windows if window.asking]
        assert len(waiting) == (most or 5)
        if most:
            assert len(product.emulator.outbox("alice")) == most
            assert "Cognito has sent several codes for this account" in windows[-1].seen
        # Who enters one of the codes is in.
        waiting[0].answer(product.emulator.codes("alice")[0] if most else totp())
        assert waiting[0].accepted
        waiting[0].logout()
        assert product.failures() == {}
