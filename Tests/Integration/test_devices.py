"""remember_device = yes: this host as a device that the pool remembers for each person.

What rests on the emulator's reading of the documents is said in `Emulator/behaviours/devices.py`; it checks the proofs
with arithmetic that is not ours. systemd-creds is the real one, with a key of the test machine's own.
"""

import base64
import re
from collections.abc import Callable, Iterator

import pytest

from .agent_process import AgentProcess, refusal
from .challenges import APP, SECRET, totp
from .golden import Golden
from .hosts import Session, Sshd, login
from .machine import Machine
from .product import RIGHT, Product
from .test_challenges import KEYBOARD

FOLDER = "/var/lib/pam-cognito/devices"
SEALED = "pam-cognito device 1 systemd-creds\n"
PLAIN = "pam-cognito device 1 plain\n"
CREDENTIALS = "/usr/bin/systemd-creds"
#: Each has an app of their own: a code of one that both had would count once, and the next be half a minute away.
SECRETS = {"alice": SECRET, "carol": base64.b32encode(b"a secret of carol's own, as long").decode()}


@pytest.fixture(autouse=True)
def nothing_kept(machine: Machine, product: Product) -> Iterator[None]:
    yield
    machine.run(["rm", "-rf", "/var/lib/pam-cognito"])


class Pool:
    """A pool that tracks devices, with a person who needs a code on devices that it does not remember."""

    def __init__(self, product: Product):
        self.product = product
        self.emulator = product.emulator
        self.machine = product.machine

    def file(self, name: str = "alice") -> str:
        pool = self.product.pool
        return f"{FOLDER}/{pool['pool_id']}.{pool['client_id']}.{name.encode().hex()}"

    def devices(self, name: str = "alice") -> list[dict]:
        return self.emulator.devices(self.product.pool["pool_id"], name)

    def sign_in(self, name: str = "alice", *, code: bool) -> Session:
        """Signs in, and out; the code is asked for or is not."""
        self.emulator.call("clear_requests")
        with login(self.machine, name, RIGHT, *([lambda _: totp(SECRETS[name])] if code else [])) as session:
            assert session.accepted, session.seen
            assert len(session.prompts) == (2 if code else 1), session.prompts
            session.logout()
        return session

    def keys(self) -> dict[str, list[str | None]]:
        """The device key in each request of the operations that can have one."""
        found: dict[str, list[str | None]] = {}
        for request in self.emulator.requests():
            body, operation = request["body"] or {}, request["operation"]
            if operation in ("InitiateAuth", "RespondToAuthChallenge"):
                values = body.get("AuthParameters") or body.get("ChallengeResponses") or {}
                found.setdefault(operation, []).append(values.get("DEVICE_KEY"))
            elif operation == "GetTokensFromRefreshToken":
                found.setdefault(operation, []).append(body.get("DeviceKey"))
        return found


@pytest.fixture(params=["always"])
def pool(product: Product, request: pytest.FixtureRequest) -> Iterator[Pool]:
    with product.other_pool(APP | {"devices": request.param}, remember_device="yes"):
        for name, secret in SECRETS.items():
            product.member(name, mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=secret)
        yield Pool(product)


@pytest.mark.parametrize(
    ("devices", "sessions"),
    [("opt_in", True), ("opt_in", False), ("always", True), ("always", False), ("always", "first")],
)
def test_second_sign_in_needs_no_code(
    machine: Machine, product: Product, sshd: Sshd, golden: Golden, devices: str, sessions: bool | str
) -> None:
    options = APP | {"devices": devices, "device_sessions": sessions}
    with product.other_pool(options, remember_device="yes"):
        product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
        pool = Pool(product)
        first = sshd.run("alice", RIGHT, totp(), method=KEYBOARD, command=product.read_tokens)
        (device,) = pool.devices()
        key = device["DeviceKey"]
        attributes = {one["Name"]: one["Value"] for one in device["DeviceAttributes"]}
        assert attributes["device_name"] == machine.run(["hostname"]).stdout.strip()
        assert attributes["dev:device_remembered_status"] == "remembered"
        assert product.tokens(first.output).payload["device_key"] == key
        golden.check("ssh: a device that is new", first.prompts)

        assert machine.stat(FOLDER).st_mode & 0o7777 == 0o700
        status = machine.stat(pool.file())
        assert (status.st_mode & 0o7777, status.st_uid) == (0o600, machine.uid("root"))
        assert machine.read(pool.file()).startswith(SEALED) and key not in machine.read(pool.file())

        product.emulator.call("clear_requests")
        second = sshd.run("alice", RIGHT, method=KEYBOARD, command=product.read_tokens)
        assert product.tokens(second.output).payload["device_key"] == key
        golden.check("ssh: a device that is remembered", second.prompts)
        assert pool.keys() == {"InitiateAuth": [key], "RespondToAuthChallenge": [key, key, key]}
        assert "ConfirmDevice" not in product.operations()


def test_login(pool: Pool, golden: Golden) -> None:
    golden.check("login: a device that is new", pool.sign_in(code=True).prompts)
    golden.check("login: a device that is remembered", pool.sign_in(code=False).prompts)


def test_sign_out_that_renews_first(product: Product, golden: Golden) -> None:
    """The refresh token is good with the device's key only."""
    options = APP | {"devices": "always", "access_token_seconds": 20}
    with product.other_pool(options, remember_device="yes"):
        product.member()
        pool = Pool(product)
        login(product.machine, "alice", RIGHT).visit()
        (device,) = pool.devices()
        assert pool.keys()["GetTokensFromRefreshToken"] == [device["DeviceKey"]]
        assert product.operations()[-1] == "GlobalSignOut"
        assert not product.tokens_given()


def test_devices_are_tracked_and_not_wanted(machine: Machine, product: Product) -> None:
    """The session cannot be renewed, which the log says at sign-in; the sign-out ends it all the same."""
    with product.other_pool(APP | {"devices": "always", "access_token_seconds": 20}):
        product.member()
        mark = machine.log_mark()
        login(machine, "alice", RIGHT).visit()
        (line,) = machine.log(mark, containing="The pool tracks devices")
        assert '"remember_device"' in line.message
        assert not machine.exists(FOLDER) and not Pool(product).devices()
        assert product.operations()[-2:] == ["GetTokensFromRefreshToken", "RevokeToken"]
        assert not product.tokens_given()


def test_device_that_cognito_has_forgotten(pool: Pool) -> None:
    pool.sign_in(code=True)
    before = pool.machine.read(pool.file())
    assert pool.emulator.forget_devices(pool.product.pool["pool_id"], "alice") == 1
    mark = pool.machine.log_mark()
    pool.sign_in(code=True)
    assert pool.product.operations().count("InitiateAuth") == 2
    assert pool.machine.log(mark, containing="was removed")
    assert pool.machine.read(pool.file()) != before
    pool.sign_in(code=False)


def test_forgotten_and_then_a_wrong_code(pool: Pool) -> None:
    """What is of no use is removed at once, whether somebody comes in or not."""
    pool.sign_in(code=True)
    pool.emulator.forget_devices(pool.product.pool["pool_id"], "alice")
    with login(pool.machine, "alice", RIGHT, "000000", "000000", "000000") as session:
        assert session.refused
    assert not pool.machine.exists(pool.file())


#: What becomes of the file.
SPOILT: dict[str, Callable[[Machine, str], object]] = {
    "cut off": lambda machine, path: machine.write(path, machine.read(path)[:60], 0o600),
    "another form": lambda machine, path: machine.run(["sed", "-i", "s/device 1/device 2/", path], check=True),
    "empty": lambda machine, path: machine.write(path, "", 0o600),
    "somebody else's": lambda machine, path: machine.run(["chown", "alice", path]),
    "readable": lambda machine, path: machine.run(["chmod", "0644", path]),
    "a link": lambda machine, path: (machine.run(["mv", path, f"{path}.other"]), machine.link(path, f"{path}.other")),
    "another machine's": lambda machine, _: machine.remove("/var/lib/systemd/credential.secret"),
    "no device": lambda machine, path: machine.write(path, PLAIN + "something\nelse", 0o600),
}


@pytest.mark.parametrize("how", SPOILT)
def test_file_that_is_not_believed(pool: Pool, how: str) -> None:
    """Ignored, with a line in the log, and replaced by a new device's."""
    pool.sign_in(code=True)
    mark = pool.machine.log_mark()
    SPOILT[how](pool.machine, pool.file())
    pool.sign_in(code=True)
    assert pool.machine.log(mark, containing="was removed" if how == "no device" else "signs in as if on a new device")
    assert pool.keys()["InitiateAuth"] == [None]
    assert len(pool.devices()) == 2
    status = pool.machine.stat(pool.file())
    assert (status.st_mode & 0o777, status.st_uid) == (0o600, pool.machine.uid("root"))
    pool.sign_in(code=False)


def test_file_of_another_person(pool: Pool) -> None:
    """The seal holds the name: somebody else's file under one's own is none."""
    for name in ("alice", "carol"):
        pool.sign_in(name, code=True)
        pool.sign_in(name, code=False)
    assert pool.machine.read(pool.file("alice")) != pool.machine.read(pool.file("carol"))
    mark = pool.machine.log_mark()
    pool.machine.run(["cp", pool.file("carol"), pool.file("alice")])
    pool.sign_in("alice", code=True)
    assert pool.machine.log(mark, containing="cannot be unsealed")
    pool.sign_in("carol", code=False)


def test_seal_that_takes_too_long(pool: Pool) -> None:
    """A busy TPM says nothing of the file."""
    pool.sign_in(code=True)
    mark = pool.machine.log_mark()
    with pool.machine.preserved(CREDENTIALS):
        pool.machine.write(CREDENTIALS, "#!/bin/sh\nexec sleep 60\n", 0o755)
        pool.sign_in(code=True)
    assert pool.machine.log(mark, containing="was not unsealed. systemd-creds cannot be run, or took too long")
    assert not pool.machine.log(mark, containing="is damaged")


def test_another_host(pool: Pool) -> None:
    """Each host has a file and a device of its own, and neither disturbs the other."""
    pool.sign_in(code=True)
    pool.machine.run(["mv", FOLDER, f"{FOLDER}.first"])
    pool.sign_in(code=True)
    pool.sign_in(code=False)
    pool.machine.run(["rm", "-rf", FOLDER])
    pool.machine.run(["mv", f"{FOLDER}.first", FOLDER])
    pool.sign_in(code=False)
    assert len(pool.devices()) == 2


def test_without_systemd_creds(pool: Pool, secret_search) -> None:
    """Kept as it is, for root's eyes only; it goes on being used when there is systemd-creds again."""
    with pool.machine.preserved(CREDENTIALS):
        pool.machine.remove(CREDENTIALS)
        mark = pool.machine.log_mark()
        pool.sign_in(code=True)
        assert pool.machine.log(mark, containing="seal=none")
        content = pool.machine.read(pool.file())
        assert content.startswith(PLAIN)
        lines = content.splitlines()
        assert lines[2] == pool.devices()[0]["DeviceKey"]
        assert re.fullmatch(r"[A-Za-z0-9+/]{54}==", lines[4])
        # From here on it may be nowhere else: not in the log, not in the registry, not in a session's key.
        secret_search.allow(f"*{FOLDER}/*")
        pool.emulator.note_secret("password", lines[4])
        pool.sign_in(code=False)
    pool.sign_in(code=False)


def test_proof_that_fails(pool: Pool) -> None:
    """A password that is not the device's: begun anew without it, and replaced."""
    with pool.machine.preserved(CREDENTIALS):
        pool.machine.remove(CREDENTIALS)
        pool.sign_in(code=True)
        lines = pool.machine.read(pool.file()).splitlines()
        pool.machine.write(pool.file(), "\n".join([*lines[:4], "d3Jvbmc="]), 0o600)
        pool.sign_in(code=True)
        assert pool.product.operations().count("InitiateAuth") == 2
        pool.sign_in(code=False)


@pytest.mark.parametrize("obstacle", ["file", "somebody else's"])
def test_nothing_can_be_kept(pool: Pool, obstacle: str) -> None:
    """The person is in all the same."""
    pool.machine.run(["mkdir", "-p", "/var/lib/pam-cognito"])
    if obstacle == "file":
        pool.machine.write(FOLDER, "", 0o600)
    else:
        pool.machine.make_directory(FOLDER, 0o777, "bob")
    mark = pool.machine.log_mark()
    pool.sign_in(code=True)
    assert pool.machine.log(mark, containing="this host could not store the record")


def test_pool_that_is_gone(pool: Pool) -> None:
    """What is kept stays: it may be the wrong pool id."""
    pool.sign_in(code=True)
    pool.emulator.call("admin", operation="DeleteUserPool", parameters={"UserPoolId": pool.product.pool["pool_id"]})
    with login(pool.machine, "alice", RIGHT) as session:
        assert session.refused
    assert pool.machine.exists(pool.file())


@pytest.mark.parametrize("remembered", [True, False])
def test_renewal(machine: Machine, product: Product, remembered: bool) -> None:
    """Works with the device's key only; without, the session keeps the tokens that it has."""
    with (
        product.other_pool({"devices": "always"}, remember_device="yes" if remembered else "no"),
        AgentProcess(machine) as agent,
    ):
        product.member()
        pool = Pool(product)
        with product.signed_in() as driver:
            (key,) = [k.serial for k in product.token_keys()]
            answer = agent.renew(key)
            if remembered:
                assert answer.kind == "renewal", answer
                assert pool.keys()["GetTokensFromRefreshToken"] == [pool.devices()[0]["DeviceKey"]]
            else:
                assert refusal(answer) == "configuration"
                assert [k.serial for k in product.token_keys()] == [key]
            driver.call("close_session")
    assert not product.tokens_given()
