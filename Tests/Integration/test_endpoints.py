"""A list of endpoints (`endpoint`), one of which is good: dead, slow, lying and silent ones before and behind it."""

import contextlib
import itertools
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from Emulator.client import EmulatorClient

from .pam_driver import PamDriver
from .product import RIGHT, WRONG, Product
from .test_doctor import Report
from .test_worker_protocol import Account, refused, signed_in


@pytest.fixture
def account(service: EmulatorClient) -> Iterator[Account]:
    service.reset()
    yield Account(service)
    assert not service.violations()


class Server:
    """A server on a port of its own, a context. It counts the connections that came to a request."""

    def __init__(self, kind: str, certificate: Path | None):
        self.kind = kind
        self.requests = 0
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=0 if kind == "dropping" else None)
        self._held: list[socket.socket] = []
        self.address = f"https://localhost:{self._listening.getsockname()[1]}"
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate:
            self._context.load_cert_chain(certificate)

    def __enter__(self) -> "Server":
        if self.kind == "dead":
            self._listening.close()
        elif self.kind == "dropping":
            self._fill_queue()
        else:
            threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._listening.close()
        for held in self._held:
            held.close()

    def _fill_queue(self) -> None:
        """Makes connections that are not accepted, until the kernel drops packets of further ones."""
        while True:
            filler = socket.socket()
            self._held.append(filler)
            filler.settimeout(0.2)
            try:
                filler.connect(self._listening.getsockname())
            except TimeoutError:
                return

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                inward, _ = self._listening.accept()
                self._held.append(inward)
                if self.kind != "slow":
                    threading.Thread(target=self._serve, args=(inward,), daemon=True).start()

    def _serve(self, inward: socket.socket) -> None:
        with contextlib.suppress(OSError), self._context.wrap_socket(inward, server_side=True) as channel:
            if channel.recv(1 << 16):
                # What was sent is lost.
                self.requests += 1


@contextlib.contextmanager
def servers(account: Account, *kinds: str) -> Iterator[list[Server]]:
    """A server of each kind; the good one is the emulator, which is none of them."""
    private = Path(account.service.ca).parent / "private"
    account.service.certificate("self_signed")
    account.service.certificate("good")
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(Server(kind, private / f"{'self_signed' if kind == 'lying' else 'good'}.pem"))
            for kind in kinds
        ]


def endpoints(account: Account, order: list[str], others: list[Server]) -> str:
    addresses = {server.kind: server.address for server in others} | {"good": account.service.endpoint}
    return " ".join(addresses[kind] for kind in order)


@pytest.mark.parametrize("order", list(itertools.permutations(["dead", "slow", "lying", "good"])), ids=" ".join)
def test_orders(account: Account, order: tuple[str, ...]) -> None:
    """The user is signed in by the good one, in time; where others came before it, the log has them."""
    with servers(account, "dead", "slow", "lying") as others:
        messages = account.sign_in(endpoint=endpoints(account, [*order], others), connect_time_limit=1000)
        result = signed_in(messages)
        said = result.fields.get("log_text", b"").decode()
        before = order[: order.index("good")]
        assert [server.address in said for server in others] == [server.kind in before for server in others]
        assert all(server.requests == 0 for server in others)
        assert account.operations() == ["jwks", "InitiateAuth", "RespondToAuthChallenge"]


def test_pins_hold_for_all(account: Account) -> None:
    other = "pinned_public_keys=sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
    with servers(account, "dead") as others:
        messages = account.sign_in(endpoint=endpoints(account, ["dead", "good"], others), options=other)
        refused(messages, "unreachable")
    assert account.operations() == []


@pytest.mark.parametrize("before", [(), ("dead",)], ids=["first", "second"])
@pytest.mark.parametrize("flow", [1, 2], ids=["srp", "password"])
def test_lost_answer(account: Account, before: tuple[str, ...], flow: int) -> None:
    """A request that was sent, and not answered, is sent to no other endpoint; nor is what would come after it."""
    with servers(account, *before, "silent") as others:
        order = [*before, "silent", "good"]
        # With the key set at hand nothing comes before the request itself.
        keys = account.sign_in()[0].fields["key_set"]
        account.service.clear_requests()
        messages = account.sign_in(endpoint=endpoints(account, order, others), key_set=keys, flow=flow)
        refused(messages, "unreachable")
        assert others[-1].requests >= 1
        assert account.operations() == []


def test_lost_renewal(account: Account) -> None:
    bundle = signed_in(account.sign_in()).fields["bundle"]
    keys = account.sign_in()[0].fields["key_set"]
    account.service.clear_requests()
    with servers(account, "silent") as others:
        messages = account.renew(bundle, endpoint=endpoints(account, ["silent", "good"], others), key_set=keys)
        refused(messages, "unreachable")
        assert others[0].requests == 2
    assert account.operations() == []
    with servers(account, "dead") as others:
        messages = account.renew(bundle, endpoint=endpoints(account, ["dead", "good"], others), key_set=keys)
        assert messages[-1].kind == "renewed"


@pytest.mark.parametrize("kind", ["dead", "dropping", "slow", "lying"])
@pytest.mark.parametrize("revocation", [1, 2], ids=["global", "session"])
def test_sign_out(account: Account, kind: str, revocation: int) -> None:
    """Only the first endpoint ends a session; tokens of one session are revoked by another one meanwhile."""
    bundle = signed_in(account.sign_in()).fields["bundle"]
    account.service.clear_requests()
    with servers(account, kind) as others:
        order = endpoints(account, [kind, "good"], others)
        limits = {"time_limit": 20000, "connect_time_limit": 1000, "persistence": 1, "tells_reach": 1}
        message = account.sign_out(bundle, revocation, endpoint=order, **limits)
        refused([message], "unreachable")
        assert f"the first endpoint, {others[0].address}, confirms it" in message.text("log_text")
        assert account.operations() == ([] if revocation == 1 else ["RevokeToken"])
        assert account.alive(bundle)["refresh"] == (revocation == 1)
    # The good one, now the first, says yes.
    assert account.sign_out(bundle, revocation, tells_reach=1).kind == "signed_out"
    assert not account.alive(bundle)["refresh"]


def test_doctor(product: Product) -> None:
    """It asks each endpoint, and one that cannot be reached is a warning as long as another one can."""
    product.configure(endpoint=f"https://localhost:1 {product.emulator.endpoint}")
    (finding,) = Report(product.machine).areas["cognito"]["findings"]
    assert "localhost:1" in finding["what"] and finding["severity"] == "warning", finding


def test_wrong_passwords_count_together(product: Product) -> None:
    """Whichever endpoint is asked: what counts is the user, not the way."""
    machine = product.machine
    dead = "https://localhost:1"
    for number in range(4):
        order = [dead, product.emulator.endpoint] if number % 2 else [product.emulator.endpoint, dead]
        product.configure(endpoint=" ".join(order), network_timeout="6s")
        mark = machine.log_mark()
        with PamDriver(machine, "alone", "alice") as driver:
            assert not driver.authenticate(WRONG).succeeded
        # Three are the limit.
        assert machine.log(mark, containing=f"reason={'refused' if number < 3 else 'too_many_failures'}")
        assert product.failures() == {("alice", 0): min(number + 1, 3)}


@pytest.mark.ends_tokens
def test_closing_until_the_first_agrees(product: Product) -> None:
    """The session's end waits for the first endpoint, though the second one has signed the user in."""
    machine = product.machine
    first = f"https://localhost:{PORT}"
    product.configure(
        endpoint=f"{first} {product.emulator.endpoint}", sign_out="session", sign_out_wait="3s", network_timeout="6s"
    )
    mark = machine.log_mark()
    with product.signed_in() as driver:
        assert driver.call("close_session").succeeded
    said = machine.lines(mark, containing="sign-out not finished")
    assert any(f"{product.emulator.endpoint} has revoked the tokens" in line for line in said), said
    assert not product.tokens_given()
    product.await_rounds()
    assert len(product.entries()) == 1
    # The first one is there again.
    product.emulator.clear_requests()
    listening = machine.listen(PORT)
    try:
        forwarder = Path(__file__).with_name("forwarder.py")
        process = machine.start(["python3", str(forwarder), str(product.emulator.port)], stdin=listening)
    finally:
        os.close(listening)
    try:
        product.reap("--now")
        machine.wait_until(lambda: not product.entries(), "the end of the session")
    finally:
        process.end()
    assert product.operations() == ["RevokeToken"]


#: Of the endpoint that comes and goes.
PORT = 3130

KEYS = "/etc/security/pam_cognito.keys.json"

#: What is in `key_set_file`, its mode, its owner -> what the log says; None: it signs in.
KEY_SETS: dict[str, tuple[str, int, str, str | None]] = {
    "the pool's": ("{own}", 0o644, "root", None),
    "the pool's, root's alone": ("{own}", 0o600, "root", None),
    "empty": ("", 0o644, "root", "reason=configuration: /etc/security/pam_cognito.keys.json: key_set_file is empty"),
    "huge": ("{own}" + " " * 40_000, 0o644, "root", "key_set_file is too large. Check the content"),
    "no JSON": ("<html>", 0o644, "root", "contains no key set"),
    "without keys": ('{{"keys":[]}}', 0o644, "root", "contains no key set"),
    "of another pool": (
        "{other}",
        0o644,
        "root",
        "lacks the signing key, because the file is older than that key or belongs to another pool",
    ),
    "writable by a group": ("{own}", 0o664, "root", "can be changed by users other than root"),
    "writable by all": ("{own}", 0o646, "root", "can be changed by users other than root"),
    "somebody's": ("{own}", 0o644, "alice", "does not belong to root"),
}


def key_set(product: Product, pool: dict) -> str:
    """The key set that the emulator shows."""
    address = f"{product.emulator.endpoint}{pool['jwks_path']}"
    done = product.machine.run(["curl", "-sSf", "--cacert", str(product.emulator.ca), address], check=True)
    product.emulator.clear_requests()
    return done.stdout


@pytest.mark.parametrize("name", KEY_SETS)
def test_key_set_file(product: Product, name: str) -> None:
    """An endpoint that shows no key set, as PrivateLink may; the doctor says the same as the log."""
    text, mode, owner, said = KEY_SETS[name]
    machine = product.machine
    other = product.emulator.pool(groups=["staff"])
    content = text.format(own=key_set(product, product.pool), other=key_set(product, other))
    machine.write(KEYS, content, mode)
    machine.run(["chown", f"{owner}:root", KEYS], check=True)
    product.configure(key_set_file=KEYS)
    shown = machine.run(["cognito-session", "doctor", "--json"]).stdout
    assert ("key_set_file" in shown or KEYS in shown) == (said is not None), shown
    # What was kept of an earlier sign-in does not count either.
    machine.run(["rm", "-f", f"/run/pam-cognito/keys-{product.pool['pool_id']}"], check=True)
    product.emulator.clear_requests()
    product.emulator.fault("jwks", "waf_403")
    mark = machine.log_mark()
    with PamDriver(machine, "alone", "alice") as driver:
        code = driver.visit(RIGHT).code
    log = "\n".join(machine.lines(mark, containing="pam_cognito("))
    assert (code == "PAM_SUCCESS") == (said is None), log
    assert said is None or said in log, log
    assert not product.emulator.requests("jwks") and not product.tokens_given()
    machine.remove(KEYS)


@pytest.mark.ends_tokens
def test_old_key_set_file(product: Product) -> None:
    """It signs in as long as it has the keys; log and doctor ask for a newer one."""
    machine = product.machine
    machine.write(KEYS, key_set(product, product.pool), 0o644)
    machine.run(["touch", "-d", "100 days ago", KEYS], check=True)
    product.configure(key_set_file=KEYS)
    mark = machine.log_mark()
    with PamDriver(machine, "alone", "alice") as driver:
        assert driver.visit(RIGHT).succeeded
    assert machine.log(mark, containing="key_set_file is 100 days old")
    assert "is 100 days old" in machine.run(["cognito-session", "doctor"]).stdout
    machine.remove(KEYS)
