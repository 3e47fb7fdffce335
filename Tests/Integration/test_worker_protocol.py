"""cognito-worker alone, as the root side sees it: its messages, its requests, what it does with bad answers."""

import base64
import contextlib
import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest

from Emulator.client import EmulatorClient, running_emulator

from .proxy import carry
from .worker_process import Message, WorkerProcess

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("COGNITO_WORKER", REPOSITORY / ".build" / "product" / "cognito-worker"))
PASSWORD = "Correct-Horse-9!"
THIRTY_DAYS = 30 * 86400


@pytest.fixture(autouse=True)
def untroubled(service: EmulatorClient) -> Iterator[None]:
    service.reset()
    yield
    assert not service.violations()


class Way:
    """A proxy that has all names lead to the emulator, and keeps those that were asked for."""

    def __init__(self, port: int) -> None:
        self.hosts: list[str] = []
        #: Where the host of the updated issuer leads instead.
        self.elsewhere = port
        self._port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._carry, args=(self._listening.accept()[0],), daemon=True).start()

    def _carry(self, inward: socket.socket) -> None:
        with inward, contextlib.suppress(OSError):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += inward.recv(1) or b"\r\n\r\n"
            host = head.split()[1].decode()
            self.hosts.append(host)
            port = self.elsewhere if host.startswith("issuer-") else self._port
            carry(inward, "127.0.0.1", port, b"HTTP/1.1 200 OK\r\n\r\n")


@pytest.fixture
def way(service: EmulatorClient) -> Iterator[Way]:
    made = Way(service.port)
    yield made
    made.close()


class Account:
    """A user of a new pool, and the messages that concern them."""

    def __init__(self, service: EmulatorClient, *, name: str = "alice", password: str = PASSWORD, groups=(), **options):
        self.service = service
        user_options = {k: options.pop(k) for k in ("email", "email_verified", "status", "enabled") if k in options}
        self.pool = service.pool(groups=list(groups), **options)
        self.user = service.user(self.pool["pool_id"], name, password, groups=list(groups), **user_options)
        self.name = name
        self.password = password
        service.clear_requests()

    def service_fields(self, **changes) -> dict:
        fields = {
            "user_pool_id": self.pool["pool_id"],
            "client_id": self.pool["client_id"],
            "client_secret": self.pool.get("client_secret") or None,
            "endpoint": self.service.endpoint,
            "ca_file": self.service.ca,
            "time_limit": 8000,
            "connect_time_limit": 4000,
        }
        return {**fields, **changes}

    def person_fields(self, **changes) -> dict:
        fields = {
            "user_name": self.name,
            "login_name": self.name,
            "identity_rule": 1,
            "withhold_refresh_token": 0,
            "refresh_token_validity": THIRTY_DAYS,
        }
        return {**fields, **changes}

    def sign_in(
        self, *, password: str | bytes | None = None, register: bool = True, think: float = 0, alarm=0, **changes
    ):
        """Signs in; returns all messages after the question."""
        fields = {
            **self.service_fields(),
            **self.person_fields(),
            "flow": 1,
            "preconnect": 0,
            "sign_out_mode": "global",
            **changes,
        }
        with WorkerProcess(PROGRAM, alarm=alarm) as worker:
            worker.send("sign_in", **fields)
            question = worker.receive()
            if question.kind == "failed":
                assert worker.end() == 0
                return [question]
            assert (question.kind, question.text("text"), question.fields["prompt_style"]) == ("ask", "Password: ", 1)
            time.sleep(think)
            worker.send("answer", answer=self.password if password is None else password)
            return self._rest(worker, register)

    def renew(self, bundle: bytes, *, register: bool = True, **changes):
        with WorkerProcess(PROGRAM) as worker:
            worker.send("renew", **{**self.service_fields(), **self.person_fields(), "bundle": bundle, **changes})
            return self._rest(worker, register)

    def check(self, bundle: bytes, **changes):
        person = self.person_fields()
        fields = {name: person[name] for name in ("user_name", "login_name", "identity_rule")}
        with WorkerProcess(PROGRAM) as worker:
            worker.send("check", **{**self.service_fields(), **fields, "bundle": bundle, **changes})
            return self._rest(worker, False)

    def sign_out(self, bundle: bytes, revocation: int = 1, **changes) -> Message:
        with WorkerProcess(PROGRAM) as worker:
            worker.send("sign_out", **{**self.service_fields(), "bundle": bundle, "revocation": revocation, **changes})
            messages = self._rest(worker, False)
            assert len(messages) == 1
            return messages[0]

    def _rest(self, worker: WorkerProcess, register: bool) -> list[Message]:
        messages = []
        for message in worker.messages():
            messages.append(message)
            if message.kind in ("signed_in", "renewed"):
                if register:
                    worker.send("registered")
                else:
                    worker.hang_up()
                    break
        assert worker.end() == 0
        return messages

    def operations(self) -> list[str]:
        return [request["operation"] for request in self.service.requests()]

    def alive(self, bundle: bytes) -> dict:
        tokens = json.loads(bundle)
        return self.service.tokens_alive(access=tokens["access_token"], refresh=tokens["refresh_token"])


@pytest.fixture
def account(service: EmulatorClient) -> Account:
    """alice, in a pool as it is usual."""
    return Account(service)


def signed_in(messages: list[Message]) -> Message:
    assert messages, "the worker said nothing"
    assert messages[-1].kind == "signed_in", messages[-1]
    return messages[-1]


def refused(messages: list[Message], reason: str) -> Message:
    assert [message.kind for message in messages] == ["failed"], messages
    assert messages[0].reason == reason, messages[0]
    assert messages[0].text("log_text").isprintable()
    return messages[0]


@pytest.mark.parametrize("flow", [1, 2], ids=["srp", "password"])
@pytest.mark.parametrize("secret", [False, True], ids=["no secret", "secret"])
def test_a_person_signs_in(service, flow, secret):
    account = Account(
        service,
        groups=["staff", "admins"],
        generate_secret=secret,
        auth_flows=["ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
    )
    messages = account.sign_in(flow=flow)
    result = signed_in(messages)
    assert [message.kind for message in messages] == ["keep", "signed_in"]
    assert result.text("user_name") == "alice"
    assert sorted(result.groups) == ["admins", "staff"]
    bundle = json.loads(result.fields["bundle"])
    assert bundle["expires_at"] == result.fields["access_token_expiry"]
    assert bundle["sign_out"] == "global"
    assert bundle["refresh_token_expires_at"] == bundle["signed_in_at"] + THIRTY_DAYS
    assert (bundle["region"], bundle["username"]) == (account.pool["region"], "alice")
    assert "session_bundle" not in result.fields
    alive = account.alive(result.fields["bundle"])
    assert alive["access"] and alive["refresh"]
    first = ["InitiateAuth", "RespondToAuthChallenge"] if flow == 1 else ["InitiateAuth"]
    # What tokens are verified with comes before there are any: they wait for nothing on their way to the registry.
    assert account.operations() == ["jwks", *first]
    # The key set is known from now on.
    again = account.sign_in(flow=flow, key_set=messages[0].fields["key_set"])
    assert [message.kind for message in again] == ["signed_in"]


def test_one_connection_serves_the_whole_sign_in(service, account):
    before = service.connection_count()
    messages = account.sign_in(preconnect=1, think=0.3)
    signed_in(messages)
    assert account.operations() == ["jwks", "InitiateAuth", "RespondToAuthChallenge"]
    assert service.connection_count() - before == 1


def test_no_program_of_ours_may_last_so_long_but_a_person_may(account):
    """The alarm that it is started with is for what hangs: not for who takes their time, in its sandbox or not yet."""
    for preconnect in (0, 1):
        signed_in(account.sign_in(preconnect=preconnect, alarm=3, think=3.5))


def test_it_is_in_its_sandbox_when_it_touches_the_network(service, account):
    """What the sandbox forbids is in test_sandbox.py."""
    service.fault("*", "delay", seconds=60)
    with WorkerProcess(PROGRAM) as worker:
        fields = account.service_fields() | account.person_fields()
        worker.send("sign_in", **fields, flow=1, preconnect=0, sign_out_mode="global")
        assert worker.receive().kind == "ask"
        before = service.connection_count()
        worker.send("answer", answer=account.password)
        deadline = time.monotonic() + 60
        while service.connection_count() == before:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        folder = Path(f"/proc/{worker.process.pid}")
        status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines())
        limits = {line[:26].strip(): line[26:68].split() for line in (folder / "limits").read_text().splitlines()}
    # 2: a filter; one, of the worker's own.
    assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
    assert limits["Max open files"] == ["32", "32"]
    assert limits["Max file size"] == limits["Max core file size"] == ["0", "0"]
    assert limits["Max address space"] == [str(1 << 30)] * 2


def test_it_tells_of_no_layer_that_is_open(service):
    """By its own trial, from inside. Where the kernel has all of them."""
    with WorkerProcess(PROGRAM) as worker:
        worker.send("probe", **Account(service).service_fields())
        assert json.loads(worker.receive().fields["report"])["open_layers"] == []


def test_the_refresh_token_is_withheld_from_the_session(service):
    result = signed_in(Account(service).sign_in(withhold_refresh_token=1))
    assert "refresh_token" in json.loads(result.fields["bundle"])
    visible = json.loads(result.fields["session_bundle"])
    assert "refresh_token" not in visible
    assert visible["access_token"]


def test_a_wrong_password_is_tried_once(account):
    failure = refused(account.sign_in(password="wrong"), "refused")
    assert "text" not in failure.fields
    assert account.operations().count("RespondToAuthChallenge") == 1


def test_an_unknown_user_looks_like_a_wrong_password(account):
    account.name = "nobody-here"
    refused(account.sign_in(), "refused")


@pytest.mark.parametrize("password", ["", "x" * 257, "ü" * 257], ids=["empty", "long", "long, other letters"])
def test_a_hopeless_password_never_reaches_cognito(account, password):
    refused(account.sign_in(password=password), "refused")
    assert account.operations() == []


@pytest.mark.parametrize("password", ["ü" * 128 + "Aa1!", "日本語-Pässwörd-🔑 9Aa", "x" * 252 + "Aa1!"])
@pytest.mark.parametrize("flow", [1, 2], ids=["srp", "password"])
def test_unusual_passwords(service, password, flow):
    account = Account(service, password=password, auth_flows=["ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH"])
    signed_in(account.sign_in(flow=flow))


def test_sign_in_by_verified_email(service):
    account = Account(
        service, name="alice@example.com", username_attributes=["email"], email="alice@example.com", email_verified=True
    )
    result = signed_in(account.sign_in(user_name="alice", login_name="alice@example.com", identity_rule=2))
    assert result.text("user_name") == account.user["username"]


@pytest.mark.parametrize("region", ["us-gov-west-1", "cn-north-1", "eusc-de-east-1", "us-iso-east-1"])
@pytest.mark.parametrize("kind", ["ORIGINAL", "UPDATED"])
def test_pools_of_other_partitions(service, region, kind):
    """The emulator has the domains of botocore's data."""
    account = Account(service, region=region)
    service.issuer_type(account.pool["pool_id"], kind)
    signed_in(account.sign_in())


def test_a_pool_switches_its_issuer_under_open_sessions(service, account):
    (kept, first) = account.sign_in()
    assert "pam_cognito" not in json.loads(kept.fields["key_set"])
    switched = service.issuer_type(account.pool["pool_id"], "UPDATED")
    # The kept key set still does, and so does the refresh token.
    (more, second) = account.renew(first.fields["bundle"], key_set=kept.fields["key_set"])
    assert issuers(first) == {account.pool["issuer"]} and issuers(second) == {switched}
    assert json.loads(more.fields["key_set"])["pam_cognito"] == {"issuer_type": "UPDATED"}
    for session in (first, second):
        check = account.check(session.fields["bundle"], key_set=more.fields["key_set"], online=1)
        assert [message.kind for message in check] == ["checked"]
    service.issuer_type(account.pool["pool_id"], "ORIGINAL")
    (back, third) = account.renew(second.fields["bundle"], key_set=more.fields["key_set"])
    assert issuers(third) == {account.pool["issuer"]}
    assert back.fields["key_set"] == kept.fields["key_set"]
    assert not service.requests("issuer_jwks")


UPDATED_HOST = "issuer-cognito-idp.eu-west-1.amazonaws.com:443"


@pytest.mark.parametrize("manner", ["other_keys", 403, 404])
def test_keys_that_only_the_updated_issuer_has(service, account, way, manner):
    """Asked with the same CA and the same pins, once in five minutes, and by nobody who has the keys."""
    pool = account.pool["pool_id"]
    (kept, _) = account.sign_in()
    before = kept.fields["key_set"]
    service.issuer_type(pool, "UPDATED")
    if manner == "other_keys":
        service.rotate_keys(pool)
        service.fault("jwks", "body", times=None, text=before.decode())
    else:
        service.fault("jwks", "body", times=None, text="", status=manner)
        before = None
    service.clear_requests()
    messages = account.sign_in(key_set=before, options=f"proxy={way.url}\n")
    first = signed_in(messages)
    assert [request["operation"] for request in service.requests()].count("issuer_jwks") == 1
    assert [host for host in way.hosts if "amazonaws" in host] == [UPDATED_HOST]
    after = next(message for message in reversed(messages) if message.kind == "keep").fields["key_set"]
    # Nothing leads anywhere but to the endpoint any more.
    check = account.check(first.fields["bundle"], key_set=after, online=1)
    assert [message.kind for message in check] == ["checked"]
    signed_in(account.sign_in(key_set=after, preconnect=1))
    assert [request["operation"] for request in service.requests()].count("issuer_jwks") == 1


@pytest.fixture(scope="module")
def stranger() -> Iterator[EmulatorClient]:
    """Another server, with a CA of its own and without the pool."""
    with tempfile.TemporaryDirectory() as directory, running_emulator(Path(directory) / "emulator") as client:
        yield client


@pytest.mark.parametrize(
    ("trusted", "pinned", "said"),
    [
        (False, False, "updated issuer was also contacted: Cognito's server is not trusted: the server's certificate"),
        (True, True, "updated issuer was also contacted: Cognito's server is not trusted: the server's public key"),
        (True, False, ""),
    ],
    ids=["another CA", "another key", "trusted, and without such a pool"],
)
def test_the_updated_issuers_host_is_believed_no_more_than_the_endpoint(
    service, account, way, stranger, trusted, pinned, said
):
    way.elsewhere = stranger.port
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        authorities = Path(directory) / "ca.pem"
        authorities.write_text("".join(Path(ca).read_text() for ca in [service.ca, stranger.ca][: 1 + trusted]))
        options = f"proxy={way.url}\n" + (f"pinned_public_keys={service.pin}\n" if pinned else "")
        fields = {"ca_file": str(authorities), "options": options}
        (kept, _) = account.sign_in(**fields)
        service.rotate_keys(account.pool["pool_id"])
        service.fault("jwks", "body", times=None, text=kept.fields["key_set"].decode())
        messages = account.sign_in(key_set=kept.fields["key_set"], **fields)
    text = refused(messages[-1:], "invalid_tokens").text("log_text")
    assert said in text and ("The host of the updated issuer" in text) == bool(said)
    assert UPDATED_HOST in way.hosts
    assert account.operations()[-1] == "RevokeToken"


def issuers(session: Message) -> set[str]:
    bundle = json.loads(session.fields["bundle"])
    tokens = [bundle["access_token"], bundle["id_token"]]
    return {jwt.decode(token, options={"verify_signature": False})["iss"] for token in tokens}


FORGED = [
    ("alg_none", {}, "invalid_tokens"),
    ("hs256", {}, "invalid_tokens"),
    ("bad_signature", {}, "invalid_tokens"),
    ("unknown_kid", {}, "invalid_tokens"),
    ("other_issuer", {}, "invalid_tokens"),
    ("other_issuer", {"issuer": "https://issuer-cognito-idp.us-east-1.amazonaws.com/{pool}"}, "invalid_tokens"),
    ("other_issuer", {"issuer": "https://cognito-idp.us-east-1.amazonaws.com/{pool}"}, "invalid_tokens"),
    ("other_issuer", {"issuer": "https://issuer-cognito-idp.eu-west-1.amazonaws.com/{pool}/"}, "invalid_tokens"),
    ("other_issuer", {"issuer": "http://issuer-cognito-idp.eu-west-1.amazonaws.com/{pool}"}, "invalid_tokens"),
    ("other_issuer", {"issuer": "https://Issuer-Cognito-IDP.eu-west-1.amazonaws.com/{pool}"}, "invalid_tokens"),
    ("other_audience", {}, "invalid_tokens"),
    ("claims", {"set": {"nbf": 10**10}}, "invalid_tokens"),
    ("claims", {"set": {"iat": 10**10}}, "invalid_tokens"),
    ("claims", {"set": {"auth_time": 10**10}}, "invalid_tokens"),
    ("expired", {}, "invalid_tokens"),
    ("wrong_token_use", {}, "invalid_tokens"),
    ("swapped", {}, "invalid_tokens"),
    ("missing_claim", {"claim": "sub"}, "invalid_tokens"),
    ("missing_claim", {"claim": "exp"}, "invalid_tokens"),
    ("not_a_token", {}, "invalid_tokens"),
    ("huge_token", {}, "invalid_tokens"),
    ("other_user", {}, "other_identity"),
    ("claims", {"set": {"username": "alice ", "cognito:username": "alice "}}, "other_identity"),
    ("claims", {"set": {"username": "Alice", "cognito:username": "Alice"}}, "other_identity"),
    ("claims", {"set": {"cognito:groups": "admins"}}, "invalid_tokens"),
]


@pytest.mark.parametrize("tokens", [["AccessToken"], ["IdToken"], ["AccessToken", "IdToken"]], ids=" ".join)
@pytest.mark.parametrize(("forgery", "arguments", "reason"), FORGED, ids=[f"{f[0]} {f[1]}" for f in FORGED])
def test_forged_tokens_are_refused_and_revoked(service, account, way, tokens, forgery, arguments, reason):
    options = dict(arguments)
    if "issuer" in options:
        options["issuer"] = options["issuer"].format(pool=account.pool["pool_id"])
    if forgery != "swapped":
        options["tokens"] = tokens
        if len(tokens) == 1 and reason == "other_identity":
            # Only half of the pair names somebody else.
            reason = "invalid_tokens"
    service.fault("RespondToAuthChallenge", forgery, **options)
    messages = account.sign_in(options=f"proxy={way.url}\n")
    # A key that the pool does not have is looked for at the other host, which is remembered before and afterwards.
    asked = forgery == "unknown_kid"
    assert [message.kind for message in messages] == ["keep", "keep"] * asked + ["failed"]
    refused(messages[-1:], reason)
    assert len(service.requests("issuer_jwks")) == asked
    assert account.operations()[-1] == "RevokeToken"


def test_an_answer_without_a_refresh_token_is_refused(service, account):
    service.fault("RespondToAuthChallenge", "missing_token")
    refused(account.sign_in(), "service_fault")


HOSTILE = [
    ("garbage", {}, "service_fault"),
    ("html_500", {}, "service_fault"),
    ("empty_500", {}, "service_fault"),
    ("huge", {"megabytes": 2}, "service_fault"),
    ("half_answer", {}, "unreachable"),
    ("reset", {}, "unreachable"),
    ("close", {}, "unreachable"),
    ("hang", {}, "unreachable"),
    ("redirect", {}, "service_fault"),
    ("throttle", {}, "throttled"),
    ("waf_403", {}, "refused_by_pool"),
    ("body", {"text": "[]"}, "service_fault"),
    ("body", {"text": ""}, "service_fault"),
    ("body", {"text": '{"ChallengeName":7}'}, "service_fault"),
    ("body", {"text": "", "status": 400}, "service_fault"),
    ("body", {"text": "<html>", "status": 400, "content_type": "text/html"}, "service_fault"),
    ("body", {"text": '{"__type":"UserNotConfirmedException","__type":"X"}', "status": 400}, "service_fault"),
    ("body", {"text": '{"code":"a.b#UserNotConfirmedException:http://c/"}', "status": 400}, "not_confirmed"),
    ("body", {"text": '{"ChallengeName":"X-RAY"}'}, "challenge_not_supported"),
    ("body", {"text": '{"AuthenticationResult":{"AccessToken":"a","IdToken":"b"}}'}, "service_fault"),
    ("error", {"name": "BrandNewException", "message": "?"}, "service_fault"),
]


@pytest.mark.parametrize("operation", ["InitiateAuth", "RespondToAuthChallenge"])
@pytest.mark.parametrize(("fault", "arguments", "reason"), HOSTILE, ids=[f"{h[0]} {h[1]}" for h in HOSTILE])
def test_hostile_answers_do_no_harm(service, account, operation, fault, arguments, reason):
    service.fault(operation, fault, **arguments)
    # What hangs does so for longer than the worker's messages are waited for here: it is the worker that gives up.
    # What is answered has the usual time, however busy this machine is.
    limit = {"time_limit": 2000} if fault in ("hang", "throttle") else {}
    refused(account.sign_in(**limit), reason)
    if operation == "RespondToAuthChallenge":
        # What was refused for its rate is no attempt: it is sent again, as long as the time allows.
        proofs = account.operations().count("RespondToAuthChallenge")
        assert 1 < proofs <= 5 if fault == "throttle" else proofs == 1


def test_a_passing_fault_at_the_start_is_got_over(service, account):
    service.fault("InitiateAuth", "throttle", times=2)
    signed_in(account.sign_in())
    assert account.operations().count("InitiateAuth") == 3


def test_nothing_listens(service, account):
    service.down()
    refused(account.sign_in(preconnect=1, think=0.2, time_limit=1500), "unreachable")


@pytest.mark.parametrize("certificate", ["expired", "not_yet_valid", "other_ca", "wrong_name", "self_signed"])
def test_a_wrong_certificate_is_not_accepted(service, account, certificate):
    service.certificate(certificate)
    failure = refused(account.sign_in(), "unreachable")
    assert "certificate" in failure.text("log_text")
    assert account.operations() == []


def test_old_tls_is_not_spoken(service, account):
    service.tls_max("1.1")
    failure = refused(account.sign_in(), "unreachable")
    # The emulator hangs up without saying why, sometimes by a reset.
    assert "connection" in failure.text("log_text")


@pytest.mark.parametrize(
    ("changes", "mention"),
    [
        ({"client_id": "unknownclient1"}, "client_id"),
        ({"user_pool_id": "nonsense"}, "user_pool_id"),
        ({"endpoint": "http://127.0.0.1:1"}, "endpoint"),
        ({"endpoint": "https://user@host/path"}, "endpoint"),
        ({"ca_file": "/nonexistent.pem"}, "ca_file"),
        ({"client_secret": "wrong0wrong0wrong0wrong0"}, "client_secret_file"),
    ],
)
def test_a_fault_of_the_configuration_is_called_one(account, changes, mention):
    failure = refused(account.sign_in(**changes), "configuration")
    assert mention in failure.text("log_text")


def test_a_flow_that_is_off_is_a_fault_of_the_configuration(service):
    account = Account(service, auth_flows=["ALLOW_USER_SRP_AUTH"])
    assert "auth_flow" in refused(account.sign_in(flow=2), "configuration").text("log_text")


def test_tokens_that_nobody_registers_are_revoked(account):
    result = signed_in(account.sign_in(register=False))
    assert not account.alive(result.fields["bundle"])["refresh"]
    assert "GlobalSignOut" not in account.operations()


def test_rotated_signing_keys_are_fetched_once(service, account):
    keys = account.sign_in()[0].fields["key_set"]
    service.rotate_keys(account.pool["pool_id"])
    service.clear_requests()
    messages = account.sign_in(key_set=keys)
    signed_in(messages)
    assert account.operations().count("jwks") == 1
    assert messages[0].kind == "keep"


@pytest.mark.parametrize("rotation", [False, True], ids=["plain", "rotation"])
def test_renewal(service, rotation):
    account = Account(service, rotation=rotation)
    first = signed_in(account.sign_in())
    before = json.loads(first.fields["bundle"])
    messages = account.renew(first.fields["bundle"], withhold_refresh_token=1)
    assert messages[-1].kind == "renewed", messages[-1]
    after = json.loads(messages[-1].fields["bundle"])
    assert after["access_token"] != before["access_token"]
    assert (after["refresh_token"] != before["refresh_token"]) == rotation
    assert after["refresh_token_expires_at"] == before["refresh_token_expires_at"]
    assert after["signed_in_at"] == before["signed_in_at"]
    assert "refresh_token" not in json.loads(messages[-1].fields["session_bundle"])


def test_renewal_at_a_service_that_does_not_know_the_newer_operation(service):
    account = Account(service, generate_secret=True)
    first = signed_in(account.sign_in())
    service.fault("GetTokensFromRefreshToken", "error", name="UnknownOperationException")
    messages = account.renew(first.fields["bundle"])
    assert messages[-1].kind == "renewed", messages[-1]
    assert account.operations()[-1] == "InitiateAuth"


def test_renewal_of_a_session_that_was_ended(account):
    bundle = signed_in(account.sign_in()).fields["bundle"]
    assert account.sign_out(bundle).outcome == "revoked"
    refused(account.renew(bundle)[-1:], "session_ended")


@pytest.mark.parametrize("revocation", [1, 2], ids=["global", "session"])
@pytest.mark.parametrize("secret", [False, True], ids=["no secret", "secret"])
def test_sign_out(service, revocation, secret):
    account = Account(service, generate_secret=secret)
    bundle = signed_in(account.sign_in()).fields["bundle"]
    other = signed_in(account.sign_in()).fields["bundle"]
    service.clear_requests()
    assert account.sign_out(bundle, revocation).outcome == "revoked"
    assert account.operations() == ["GlobalSignOut" if revocation == 1 else "RevokeToken"]
    ended = account.alive(bundle)
    assert not ended["access"] and not ended["refresh"]
    assert account.alive(other)["refresh"] == (revocation == 2)
    assert account.sign_out(bundle, revocation).outcome in ("already_revoked", "revoked")


def test_sign_out_with_an_expired_access_token_renews_first(service):
    account = Account(service, access_token_seconds=300)
    bundle = json.loads(signed_in(account.sign_in()).fields["bundle"])
    other = signed_in(account.sign_in()).fields["bundle"]
    bundle["expires_at"] = int(time.time()) + 20
    service.clear_requests()
    assert account.sign_out(json.dumps(bundle).encode()).outcome == "revoked"
    assert account.operations() == ["GetTokensFromRefreshToken", "GlobalSignOut"]
    assert not account.alive(other)["refresh"]


def test_sign_out_after_the_refresh_token_ran_out(service, account):
    bundle = json.loads(signed_in(account.sign_in()).fields["bundle"])
    bundle["expires_at"] = int(time.time()) - 5
    service.expire_refresh_tokens(account.pool["pool_id"])
    assert account.sign_out(json.dumps(bundle).encode()).outcome == "expired"


KEYS = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}


def credentials(keys: dict[str, str], session_token: str | None = None) -> bytes:
    """A file as the AWS command line shares it."""
    lines = [f"aws_{name} = {value}" for name, value in keys.items()]
    if session_token:
        lines.append(f"aws_session_token={session_token}")
    return "\n".join(["# of the machine", "[other]", "aws_access_key_id = x", "[default]", *lines, ""]).encode()


def admin_sign_out(account: Account, file: bytes, name: str = "alice") -> Message:
    with WorkerProcess(PROGRAM) as worker:
        worker.send("admin_sign_out", **account.service_fields(), login_name=name, credentials=file)
        return worker.receive()


@pytest.mark.parametrize("token", [None, "IQoJb3JpZ2luX2VjE//" + "token+/" * 100 + "=="], ids=["lasting", "lent"])
def test_admin_sign_out(service, account, token):
    """botocore agrees with libcurl's signature; then no token of the person's is good any more."""
    bundle = signed_in(account.sign_in()).fields["bundle"]
    service.iam_identity(**KEYS, session_token=token, actions=["AdminUserGlobalSignOut"])
    assert admin_sign_out(account, credentials(KEYS, token)).outcome == "revoked"
    alive = account.alive(bundle)
    assert not alive["access"] and not alive["refresh"]
    assert admin_sign_out(account, credentials(KEYS, token), "nobody").outcome == "already_revoked"


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ({}, {"actions": []}, "AccessDeniedException"),
        ({}, {"actions": ["AdminUserGlobalSignOut"], "expired": True}, "ExpiredTokenException"),
        ({"secret_access_key": "another"}, {"actions": ["AdminUserGlobalSignOut"]}, "InvalidSignatureException"),
        ({"access_key_id": "AKIAOTHER"}, {"actions": ["AdminUserGlobalSignOut"]}, "UnrecognizedClientException"),
        ({"secret_access_key": ""}, {}, "contains no keys"),
        ({"secret_access_key": "with blank"}, {}, "contains no keys"),
    ],
)
def test_admin_sign_out_with_keys_that_will_not_do(service, account, given, options, said):
    account.sign_in()
    service.iam_identity(**KEYS, **options)
    failed = admin_sign_out(account, credentials(KEYS | given))
    assert (failed.kind, failed.reason) == ("failed", "configuration") and said in failed.text("log_text"), failed
    assert "iam_credentials_file" in failed.text("log_text")
    assert KEYS["secret_access_key"] not in failed.text("log_text")


def listed(account: Account, group: str, **fields: object) -> list[Message]:
    """What the worker tells of a group, to its last word."""
    messages = []
    with WorkerProcess(PROGRAM) as worker:
        worker.send("list_people", **account.service_fields(), group=group, credentials=credentials(KEYS), **fields)
        while not messages or messages[-1].kind in ("person", "page"):
            messages.append(worker.receive())
    return messages


def test_list_people(service, account):
    """botocore agrees with libcurl's signatures; every page is asked for once, and everybody told of once."""
    service.iam_identity(**KEYS, actions=["ListUsersInGroup"])
    service.admin("CreateGroup", {"UserPoolId": account.pool["pool_id"], "GroupName": "línux:users"})
    service.people(account.pool["pool_id"], 130, "línux:users", attributes={"custom:key": "ssh-ed25519 AAAA"})
    service.clear_requests()
    told = listed(account, "línux:users", public_key_attribute="custom:key")
    people = [message for message in told if message.kind == "person"]
    assert sorted(message.text("user_name") for message in people) == [f"person{n:05}" for n in range(130)]
    assert {message.text("public_keys") for message in people} == {"ssh-ed25519 AAAA"}
    assert [m.kind for m in told if m.kind != "person"] == ["page", "page", "listed"]
    assert len(service.requests("ListUsersInGroup")) == 3
    first = next(message for message in told if message.kind == "page")
    rest = listed(account, "línux:users", next_token=first.text("next_token"))
    assert sum(message.kind == "person" for message in rest) == 70


@pytest.mark.parametrize(
    ("group", "fault", "ends"),
    [
        ("linux", None, ["page", "listed"]),
        ("nobodys", None, ["not_listed"]),
        ("linux", ("body", {"text": '{"Users":[],"NextToken":"t"}'}), ["page", "page", "service_fault"]),
        ("linux", ("html_500", {"skip": 1}), ["page", "service_fault"]),
        ("linux", ("garbage", {"skip": 1}), ["page", "service_fault"]),
        ("linux", ("throttle", {"times": 2}), ["page", "listed"]),
        ("linux", ("half_answer", {}), ["unreachable"]),
        ("linux", ("huge", {}), ["service_fault"]),
    ],
)
def test_a_list_and_what_breaks_it(service, account, group, fault, ends):
    """A list that begins anew, one that breaks off, and one that only takes longer."""
    service.iam_identity(**KEYS, actions=["ListUsersInGroup"])
    pool = account.pool["pool_id"]
    service.admin("CreateGroup", {"UserPoolId": pool, "GroupName": "linux"})
    service.people(pool, 61, "linux")
    if fault:
        service.fault("ListUsersInGroup", fault[0], **fault[1])
    told = [m for m in listed(account, group) if m.kind != "person"]
    assert [m.reason if m.kind == "failed" else m.kind for m in told] == ends


def test_sign_out_gets_over_passing_faults(service, account):
    bundle = signed_in(account.sign_in()).fields["bundle"]
    service.fault("RevokeToken", "throttle", times=2)
    service.fault("RevokeToken", "html_500", times=2)
    assert account.sign_out(bundle, revocation=2).outcome == "revoked"
    assert not account.alive(bundle)["refresh"]


def test_sign_out_that_fails_leaves_the_tokens_for_another_try(service, account):
    bundle = signed_in(account.sign_in()).fields["bundle"]
    service.down()
    assert account.sign_out(bundle, time_limit=1500).reason == "unreachable"
    service.up()
    assert account.alive(bundle)["refresh"]


def test_sign_out_is_finished_for_a_host_that_no_longer_waits(service, account):
    bundle = signed_in(account.sign_in()).fields["bundle"]
    service.fault("GlobalSignOut", "delay", seconds=0.5)
    with WorkerProcess(PROGRAM) as worker:
        worker.send("sign_out", **account.service_fields(), bundle=bundle, revocation=1)
        worker.hang_up()
        assert worker.end() == 0
    assert not account.alive(bundle)["refresh"]


def test_a_global_sign_out_that_is_refused_becomes_a_revocation(service, account):
    bundle = signed_in(account.sign_in()).fields["bundle"]
    service.fault(
        "GlobalSignOut", "error", name="NotAuthorizedException", message="Access Token does not have required scopes"
    )
    # Not the success of what was asked for.
    assert account.sign_out(bundle).outcome == "already_revoked"
    assert account.operations()[-1] == "RevokeToken"
    assert not account.alive(bundle)["refresh"]


def test_what_was_reached_is_told(account):
    bundle = signed_in(account.sign_in()).fields["bundle"]
    told = account.sign_out(bundle)
    assert (told.outcome, told.fields["reach"]) == ("revoked", 1) and "shortfall" not in told.fields
    told = account.sign_out(bundle)
    assert (told.fields["reach"], told.fields["shortfall"]) == (2, 1)


@pytest.mark.parametrize("packet", [b"", b"\x01", b"\x02\x02", b"\x01\x05", b"\x01\x02", os.urandom(5000)])
def test_a_root_side_that_talks_nonsense_is_left(service, packet):
    with WorkerProcess(PROGRAM) as worker:
        worker.socket.send(packet)
        assert worker.receive() is None
        assert worker.end() == 0


def test_a_person_who_goes_away_leaves_nothing_behind(account):
    with WorkerProcess(PROGRAM) as worker:
        fields = {**account.service_fields(), **account.person_fields(), "flow": 1, "preconnect": 1}
        worker.send("sign_in", **fields, sign_out_mode="global")
        assert worker.receive().kind == "ask"
        worker.hang_up()
        assert worker.end() == 0
    assert "InitiateAuth" not in account.operations()


def test_the_bundle_fits_a_token_of_many_groups(service):
    names = [f"group-{number:03}-{'x' * 80}" for number in range(20)]
    result = signed_in(Account(service, groups=names).sign_in())
    assert sorted(result.groups) == names
    payload = json.loads(result.fields["bundle"])["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert sorted(claims["cognito:groups"]) == names


# Passwords

NEW_PASSWORD = "Better-Battery-2!"


def with_person(account: Account, kind: str, *answers, register: bool = True, **changes) -> list[Message]:
    """A step in which a person gives these answers; where none is left, they have gone."""
    fields = account.service_fields(login_name=account.name)
    if kind == "change_password":
        person = account.person_fields(flow=1, preconnect=0)
        del person["withhold_refresh_token"]
        fields |= person
    left, messages = list(answers), []
    with WorkerProcess(PROGRAM) as worker:
        worker.send(kind, **{**fields, **changes})
        for message in worker.messages():
            messages.append(message)
            if message.kind == "ask" and left:
                answer = left.pop(0)
                worker.send("answer", answer=answer() if callable(answer) else answer)
            elif message.kind == "signed_in" and register:
                worker.send("registered")
            elif message.kind in ("ask", "signed_in"):
                worker.hang_up()
                break
        assert worker.end() == 0
    return messages


def kinds(messages: list[Message]) -> list[str]:
    return [message.kind for message in messages]


def test_a_password_is_changed_with_tokens_that_are_registered_first(service):
    account = Account(service, groups=["staff"])
    messages = with_person(account, "change_password", PASSWORD, NEW_PASSWORD, NEW_PASSWORD)
    assert kinds(messages) == ["ask", "keep", "signed_in", "ask", "ask", "password_changed"]
    assert messages[2].groups == ["staff"]
    assert messages[-1].outcome == "revoked"
    alive = account.alive(messages[2].fields["bundle"])
    assert not alive["access"] and not alive["refresh"]
    assert account.operations()[-2:] == ["ChangePassword", "RevokeToken"]
    account.password = NEW_PASSWORD
    signed_in(account.sign_in())


@pytest.mark.parametrize(("answers", "register"), [(1, False), (1, True), (2, True)])
def test_a_change_that_nobody_follows_changes_nothing(account, answers, register):
    given = (PASSWORD, NEW_PASSWORD)[:answers]
    messages = with_person(account, "change_password", *given, register=register)
    assert messages[-1].kind == ("ask" if register else "signed_in")
    assert not account.alive(messages[2].fields["bundle"])["refresh"]
    assert "ChangePassword" not in account.operations()
    signed_in(account.sign_in())


@pytest.mark.parametrize("answers", [(PASSWORD, NEW_PASSWORD, NEW_PASSWORD), (PASSWORD, "")], ids=["changed", "not"])
def test_a_change_whose_tokens_cannot_be_revoked_says_so(service, account, answers):
    service.fault("RevokeToken", "html_500")
    messages = with_person(account, "change_password", *answers, time_limit=3000)
    assert "outcome" not in messages[-1].fields
    assert "could not be revoked yet" in messages[-1].text("log_text")
    assert account.alive(messages[2].fields["bundle"])["refresh"]


@pytest.mark.parametrize(("forgery", "reason"), [("bad_signature", "invalid_tokens"), ("other_user", "other_identity")])
def test_forged_tokens_change_no_password(service, account, forgery, reason):
    service.fault("RespondToAuthChallenge", forgery)
    messages = with_person(account, "change_password", PASSWORD, NEW_PASSWORD, NEW_PASSWORD)
    assert messages[-1].reason == reason
    assert "signed_in" not in kinds(messages)
    assert account.operations()[-1] == "RevokeToken"


@pytest.mark.parametrize(("fault", "reason"), [("garbage", "service_fault"), ("reset", "unreachable")])
def test_a_change_whose_answer_is_lost_is_not_called_a_failure(service, account, fault, reason):
    service.fault("ChangePassword", fault)
    last = with_person(account, "change_password", PASSWORD, NEW_PASSWORD, NEW_PASSWORD)[-1]
    assert last.reason == reason
    assert last.outcome == "revoked"
    assert "may or may not have been changed" in last.text("text")
    assert account.operations().count("ChangePassword") == 1


def test_a_forgotten_password_is_set_anew(service):
    account = Account(service, email="alice@example.com", email_verified=True, generate_secret=True)
    code = lambda: service.codes("alice")[-1]  # noqa: E731
    messages = with_person(account, "forgot_password", code, NEW_PASSWORD, NEW_PASSWORD)
    assert kinds(messages) == ["ask", "ask", "ask", "password_changed"]
    assert account.operations() == ["ForgotPassword", "ConfirmForgotPassword"]
    account.password = NEW_PASSWORD
    signed_in(account.sign_in())


@pytest.mark.parametrize("prevent", [True, False], ids=["existence hidden", "existence told"])
def test_whether_somebody_exists_is_not_said(service, prevent):
    """What the worker sends is the same to the last byte, but for the lines in the log."""
    options = {"prevent_user_existence_errors": prevent}
    confirmed = Account(service, email="alice@example.com", email_verified=True, **options)
    answers = ("000000", NEW_PASSWORD, NEW_PASSWORD, "", "111111", "222222")

    def said(account: Account, **changes) -> list[tuple]:
        messages = with_person(account, "forgot_password", *answers, **changes)
        shown = [message for message in messages if message.kind != "withheld"]
        return [(m.kind, {name: value for name, value in m.fields.items() if name != "log_text"}) for m in shown]

    known = said(confirmed)
    assert known[-1][0] == "failed"
    assert said(confirmed, login_name="nobody-here") == known
    assert said(confirmed, login_name=None) == known
    for other in ({"enabled": False}, {"email_verified": False}, {"status": "FORCE_CHANGE_PASSWORD"}):
        account = Account(service, **{"email": "alice@example.com", "email_verified": True, **options, **other})
        assert said(account) == known, other
