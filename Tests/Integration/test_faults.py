"""What is not the person's fault: Cognito in every bad state, a worker that misbehaves, a configuration that is wrong.

Each ends in a clean PAM value and one line in the log, leaves no key behind, and keeps local accounts coming in.
"""

import errno

import pytest

from .compiled import library
from .machine import Machine
from .pam_driver import PamDriver
from .product import ALONE, CONFIGURATION, LOCAL, RIGHT, WORKER, Product
from .worker_process import KINDS

UNAVAILABLE = "PAM_CRED_UNAVAIL"


@pytest.fixture
def quick(product: Product):
    """Limits that do not keep a test waiting. What is answered has the usual ones, however busy this machine is."""
    product.configure(network_timeout="3s", connect_timeout="2s")
    return product


def sign_in(product: Product, password: str = RIGHT) -> tuple[str, list[str]]:
    """Tries the module alone; what it returned, and the lines that it logged."""
    mark = product.machine.log_mark()
    with PamDriver(product.machine, "alone", "alice") as driver:
        result = driver.authenticate(password)
        assert not {"children", "threads", "signals", "environ", "cwd"} & set(result.changes), result.changes
    lines = product.machine.lines(mark, containing="pam_cognito(")
    return result.code, lines


def test_tokens_that_come_too_late(quick: Product) -> None:
    """Issued when nobody waits any more: the worker hears that, revokes them and ends; the host has heard in time."""
    machine = quick.machine
    quick.emulator.clear_requests()
    quick.emulator.fault("RespondToAuthChallenge", "delay", seconds=6, times=1)
    code, lines = sign_in(quick)
    assert code == UNAVAILABLE and "reason=unreachable" in lines[-1], lines
    machine.wait_until(lambda: "RevokeToken" in quick.operations(), "the revocation of what came too late")
    machine.wait_until(lambda: not [p for p in machine.processes() if p.name == "cognito-worker"], "the worker's end")
    assert quick.tokens_given() == [] and not quick.entries()


#: operation, kind, arguments -> what the module returns, what the log names
SERVICE_FAULTS = [
    ("*", "hang", {}, UNAVAILABLE, "unreachable"),
    ("connection", "reset", {}, UNAVAILABLE, "unreachable"),
    ("RespondToAuthChallenge", "reset", {}, UNAVAILABLE, "unreachable"),
    ("RespondToAuthChallenge", "half_answer", {}, UNAVAILABLE, "unreachable"),
    ("InitiateAuth", "html_500", {}, UNAVAILABLE, "service_fault"),
    ("InitiateAuth", "empty_500", {}, UNAVAILABLE, "service_fault"),
    ("InitiateAuth", "garbage", {}, UNAVAILABLE, "service_fault"),
    ("InitiateAuth", "huge", {}, UNAVAILABLE, "service_fault"),
    ("InitiateAuth", "redirect", {}, UNAVAILABLE, "service_fault"),
    ("InitiateAuth", "throttle", {}, UNAVAILABLE, "throttled"),
    ("InitiateAuth", "waf_403", {}, "PAM_PERM_DENIED", "refused_by_pool"),
    ("jwks", "garbage", {}, UNAVAILABLE, ""),
    ("RespondToAuthChallenge", "other_user", {}, "PAM_PERM_DENIED", "other_identity"),
    ("RespondToAuthChallenge", "bad_signature", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "other_issuer", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "other_audience", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "alg_none", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "hs256", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "expired", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "swapped", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "unknown_kid", {}, UNAVAILABLE, "invalid_tokens"),
    ("RespondToAuthChallenge", "missing_token", {}, UNAVAILABLE, ""),
    ("RespondToAuthChallenge", "not_a_token", {}, UNAVAILABLE, "invalid_tokens"),
]


@pytest.mark.parametrize(
    ("operation", "kind", "arguments", "code", "reason"), SERVICE_FAULTS, ids=[f"{f[0]}-{f[1]}" for f in SERVICE_FAULTS]
)
def test_service(quick: Product, operation: str, kind: str, arguments: dict, code: str, reason: str) -> None:
    if kind == "other_user":
        arguments = {"username": "carol"} | arguments
    if kind not in ("hang", "throttle"):
        quick.configure()
    if operation == "jwks":
        quick.machine.run(["sh", "-c", "rm -f /run/pam-cognito/keys-*"])
    quick.emulator.fault(operation, kind, **arguments)
    returned, lines = sign_in(quick)
    assert returned == code, lines
    assert len(lines) == 1 and (not reason or f"reason={reason}" in lines[0]), lines


@pytest.mark.parametrize("name", ["ALICE", "alic\u00e9", "alice\u0301", "alice ", "\uff41lice", "carol"])
def test_tokens_of_a_name_that_only_looks_the_same(product: Product, name: str) -> None:
    """The token's user is the account being logged in, byte for byte, or nobody."""
    product.emulator.fault("RespondToAuthChallenge", "claims", set={"cognito:username": name, "username": name})
    returned, lines = sign_in(product)
    assert returned == "PAM_PERM_DENIED" and "reason=other_identity" in lines[0]


def test_slow_service_is_waited_for(product: Product) -> None:
    product.emulator.fault("InitiateAuth", "delay", seconds=1)
    with PamDriver(product.machine, "alone", "alice") as driver:
        assert driver.visit(RIGHT).succeeded


def test_service_down(quick: Product) -> None:
    quick.emulator.down()
    returned, lines = sign_in(quick)
    assert (returned, len(lines)) == (UNAVAILABLE, 1) and "reason=unreachable" in lines[0]


@pytest.mark.parametrize("kind", ["expired", "other_ca", "wrong_name", "self_signed"])
def test_certificate(product: Product, kind: str) -> None:
    product.emulator.certificate(kind)
    returned, lines = sign_in(product)
    assert (returned, len(lines)) == (UNAVAILABLE, 1), lines
    assert not product.operations()


def test_old_tls(product: Product) -> None:
    product.emulator.tls_max("1.1")
    returned, lines = sign_in(product)
    assert (returned, len(lines)) == (UNAVAILABLE, 1), lines


@pytest.mark.parametrize(
    ("changes", "secret"),
    [
        ({"client_id": "0000000000000000000000000"}, None),
        # Under SRP a wrong pool cannot be told from a wrong password; but it has no keys.
        ({"user_pool_id": "eu-west-1_Nobody123", "preconnect": "no"}, None),
        ({"client_secret_file": None}, None),
        ({}, "notthesecretofthisclientbutlongenoughtobeone"),
        ({"auth_flow": "password"}, None),
    ],
    ids=["client", "pool", "no secret", "wrong secret", "flow"],
)
def test_configuration_that_cognito_refuses(product: Product, changes: dict, secret: str | None) -> None:
    """A wrong line in a file is no wrong password: local accounts must go on, and nobody is told they mistyped."""
    with product.machine.preserved("/etc/security/pam_cognito.secret"):
        product.configure(**changes)
        if secret:
            product.machine.write("/etc/security/pam_cognito.secret", secret, 0o600)
        returned, lines = sign_in(product)
    assert (returned, len(lines)) == (UNAVAILABLE, 1), lines


def test_locked_out(product: Product) -> None:
    product.emulator.lockout(True)
    # Cognito's own limit is a higher one.
    product.configure(max_failures="6")
    codes = [sign_in(product, "Some-Other-Password-1!")[0] for _ in range(5)]
    assert codes == ["PAM_AUTH_ERR"] * 5
    returned, lines = sign_in(product)
    assert returned == "PAM_MAXTRIES" and "reason=locked_out" in lines[0]


@pytest.mark.parametrize(
    ("name", "state", "code", "reason"),
    [
        ("disa", {"enabled": False}, "PAM_PERM_DENIED", "disabled"),
        ("unco", {"status": "UNCONFIRMED"}, "PAM_PERM_DENIED", "not_confirmed"),
        # Asked for a code, or for a new password, by a host that has no answer to it.
        ("rese", {"status": "RESET_REQUIRED"}, "PAM_CONV_ERR", "no_answer"),
        ("temp", {"status": "FORCE_CHANGE_PASSWORD"}, "PAM_CONV_ERR", "no_answer"),
        ("none", None, "PAM_AUTH_ERR", "refused"),
    ],
)
def test_states_of_accounts(product: Product, name: str, state: dict | None, code: str, reason: str) -> None:
    product.machine.add_user(name)
    product.machine.add_to_group(name, "cognito")
    if state is not None:
        product.emulator.user(product.pool["pool_id"], name, RIGHT, groups=["staff"], **state)
    mark = product.machine.log_mark()
    with PamDriver(product.machine, "alone", name) as driver:
        assert driver.authenticate(RIGHT).code == code
    assert len(product.machine.log(mark, containing=f"reason={reason}")) == 1


# A worker that is not ours: each must cost one line and nothing else.
NONSENSE = "#!/usr/bin/python3 -IS\nimport os, socket\ns = socket.socket(fileno=0)\n"
# Until nobody listens to it any more: what goes on then, the check after each test would wait for.
STAYS = "while s.recv(9000):\n pass\n"
YES = "s.send(b'\\x01\\x09' + b'\\x1b\\0\\0\\0\\x01\\x01')\n"
QUESTION = "s.send(b'\\x01\\x01\\x14\\0\\0\\0\\x01\\x01\\x15\\0\\0\\0\\x01?')"
WORKERS = {
    "missing": None,
    "not executable": ("#!/bin/sh\n", 0o644),
    "not a program": ("\x7fELF nothing", 0o755),
    "ends at once": ("#!/bin/sh\nexit 0\n", 0o755),
    "crashes": ("#!/bin/sh\nkill -SEGV $$\n", 0o755),
    "hangs": ("#!/bin/sh\nexec sleep 600\n", 0o755),
    "talks nonsense": (NONSENSE + "s.send(os.urandom(500))\n" + STAYS, 0o755),
    "sends too much": (NONSENSE + "s.send(b'\\x01\\x01' + bytes(150000))\n" + STAYS, 0o755),
    "of another version": (NONSENSE + "s.send(b'\\x63\\x01')\n" + STAYS, 0o755),
    "says yes out of turn": (NONSENSE + YES + STAYS, 0o755),
    "asks for ever": (
        NONSENSE
        + "for _ in range(90):\n s.send(b'\\x01\\x01\\x14\\0\\0\\0\\x01\\x01\\x15\\0\\0\\0\\x01?')\n s.recv(9000)\n",
        0o755,
    ),
}


@pytest.mark.parametrize("kind", WORKERS)
def test_worker(quick: Product, kind: str) -> None:
    machine = quick.machine
    with machine.preserved(WORKER):
        machine.remove(WORKER)
        if WORKERS[kind] is not None:
            machine.write(WORKER, *WORKERS[kind])
        returned, lines = sign_in(quick)
    # What a worker does not say of an answer counts as a wrong one, and after three nobody is asked.
    expected = "PAM_MAXTRIES" if kind == "asks for ever" else UNAVAILABLE
    assert (returned, len(lines)) == (expected, 1), lines
    assert not quick.operations()


@pytest.fixture(scope="module")
def deaf_host(machine: Machine) -> str:
    """A library for hosts that do not hear what their worker says: see there."""
    return library("deaf_host", machine.shared)


@pytest.mark.parametrize("fault", ["ENOMEM", "ENOBUFS", "malformed"])
@pytest.mark.parametrize("step", ["authenticate", "chauthtok"])
def test_tokens_that_are_not_heard_of(product: Product, deaf_host: str, step: str, fault: str) -> None:
    """Nobody is let in by them, and the worker, which alone knows them, revokes them."""
    number = 0 if fault == "malformed" else errno.__dict__[fault]
    environment = {"LD_PRELOAD": deaf_host, "DEAF_TO": f"{KINDS['signed_in']} {number}"}
    given = len(product.emulator.sessions(product.pool["pool_id"], "alice"))
    mark = product.machine.log_mark()
    with PamDriver(product.machine, "alone", "alice", observe=False, env=environment) as driver:
        code = driver.call(step, (), [RIGHT]).code
    assert code in (UNAVAILABLE, "PAM_AUTHTOK_RECOVERY_ERR"), code
    said = "an invalid message" if fault == "malformed" else f"received from cognito-worker (errno {number})"
    assert product.machine.log(mark, containing=f"{said}")
    assert len(product.emulator.sessions(product.pool["pool_id"], "alice")) == given + 1
    product.machine.wait_until(lambda: not product.tokens_given(), "the revocation of tokens that nobody has")
    assert not product.entries()


def test_account_of_the_worker_is_missing(product: Product) -> None:
    with product.machine.preserved("/etc/passwd"):
        passwd = product.machine.read("/etc/passwd").splitlines()
        kept = [line for line in passwd if not line.startswith("_pam-cognito:")]
        product.machine.write("/etc/passwd", "\n".join(kept) + "\n", 0o644)
        returned, lines = sign_in(product)
    assert returned == UNAVAILABLE and "_pam-cognito for network access is missing" in lines[0]


GOOD = object()
#: What is in the file (GOOD: what belongs there) with which owner and mode -> what the line must name
CONFIGURATIONS = {
    "unknown key": (
        "user_pol_id = x\n",
        "0",
        0o644,
        ["pam_cognito.conf:1:", "did you mean user_pool_id"],
    ),
    "bad value": (
        "auth_flow = magic\n",
        "0",
        0o644,
        ["pam_cognito.conf:1:", "'magic'", "srp, password, choice or custom"],
    ),
    "no value": ("client_id =\n", "0", 0o644, ["pam_cognito.conf:1:", "client_id"]),
    "no option": ("hello\n", "0", 0o644, ["pam_cognito.conf:1:", "key = value"]),
    "empty": ("", "0", 0o644, ["user_pool_id is required but missing"]),
    "missing": (None, "0", 0o644, ["does not exist"]),
    "wrong owner": (GOOD, "bob", 0o644, ["does not belong to root"]),
    "writable": (GOOD, "0", 0o666, ["can be changed by"]),
    "not UTF-8": (b"users = caf\xe9\n", "0", 0o644, ["pam_cognito.conf:1:", "UTF-8"]),
    "1 MB line": ("users = " + "x" * 1_000_000, "0", 0o644, ["is too large"]),
    "long line": ("users = " + "x" * 5000, "0", 0o644, ["pam_cognito.conf:1:", "4096"]),
}


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_configuration(product: Product, kind: str) -> None:
    machine = product.machine
    text, owner, mode, named = CONFIGURATIONS[kind]
    with machine.preserved(CONFIGURATION):
        good = machine.read(CONFIGURATION)
        machine.remove(CONFIGURATION)
        if text is not None:
            machine.write(CONFIGURATION, good if text is GOOD else text, mode)
            machine.run(["chown", owner, CONFIGURATION], check=True)
            machine.run(["chmod", f"{mode:o}", CONFIGURATION], check=True)
        returned, lines = sign_in(product)
        assert (returned, len(lines)) == (UNAVAILABLE, 1), lines
        assert all(word in lines[0] for word in named), lines
        # The shipped stack lets local accounts in all the same.
        with PamDriver(machine, "login", "bob") as driver:
            assert driver.authenticate(LOCAL).code == "PAM_SUCCESS"
    assert product.emulator.connection_count() == 0


def test_configuration_with_windows_line_ends(product: Product) -> None:
    machine = product.machine
    with machine.preserved(CONFIGURATION):
        machine.write(CONFIGURATION, machine.read(CONFIGURATION).replace("\n", "\r\n"), 0o644)
        with PamDriver(machine, "alone", "alice") as driver:
            assert driver.visit(RIGHT).succeeded


@pytest.mark.parametrize(("mode", "owner", "named"), [(0o644, "0", "can be read by"), (0o600, "bob", "belong to root")])
def test_secret_file(product: Product, mode: int, owner: str, named: str) -> None:
    machine = product.machine
    path = "/etc/security/pam_cognito.secret"
    with machine.preserved(path):
        machine.run(["chown", owner, path], check=True)
        machine.run(["chmod", f"{mode:o}", path], check=True)
        returned, lines = sign_in(product)
        machine.run(["chown", "0", path], check=True)
        machine.run(["chmod", "600", path], check=True)
    assert (returned, len(lines)) == (UNAVAILABLE, 1) and named in lines[0]


def test_configuration_of_one_service(machine: Machine, product: Product) -> None:
    """`config=` names another file, options may differ by service; what may not is said."""
    machine.write("/etc/security/other.conf", machine.read(CONFIGURATION), 0o644)
    for arguments, code in [
        ("config=/etc/security/other.conf sign_out=none", "PAM_SUCCESS"),
        ("config=/etc/security/none.conf", UNAVAILABLE),
        ("client_id=x", UNAVAILABLE),
        ("colour=red", UNAVAILABLE),
    ]:
        machine.pam("one", ALONE.replace("pam_cognito.so", f"pam_cognito.so {arguments}"))
        with PamDriver(machine, "one", "alice") as driver:
            assert driver.visit(RIGHT).code == code, arguments
    assert "GlobalSignOut" not in product.operations()


def test_switch(product: Product) -> None:
    """/run/pam-cognito/disabled takes us out of every stack."""
    machine = product.machine
    with machine.preserved("/run/pam-cognito/disabled"):
        machine.write("/run/pam-cognito/disabled", "", 0o644)
        with PamDriver(machine, "alone", "alice") as driver:
            result = driver.authenticate(RIGHT)
            assert result.prompts == [] and result.code != "PAM_SUCCESS"
            assert driver.call("open_session").code == "PAM_SUCCESS"
        with PamDriver(machine, "login", "bob") as driver:
            assert driver.authenticate(LOCAL).code == "PAM_SUCCESS"
    assert product.emulator.connection_count() == 0
