"""The emulator as seen by independent clients: botocore, pycognito, PyJWT, and bare sockets for the faults."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jwt
import pytest
from pycognito.aws_srp import AWSSRP

from Emulator.asking import (
    KEYS,
    PASSWORD,
    PATIENCE,
    claims_of,
    connection_to,
    key_set,
    keys_of,
    post,
    refused,
    secured,
    tls_context,
)
from Emulator.client import EmulatorError, running_emulator

REFRESH = "ALLOW_REFRESH_TOKEN_AUTH"
SRP = "ALLOW_USER_SRP_AUTH"
PLAIN = "ALLOW_USER_PASSWORD_AUTH"
TCP_CLOSE = 7  # what the kernel calls a connection that was reset; one ended in order is in CLOSE_WAIT


@pytest.fixture(scope="module")
def pool(started):
    made = started.pool(groups=["linux"], auth_flows=[SRP, PLAIN, REFRESH])
    for name in ("alice", "bob"):
        started.user(made["pool_id"], name, PASSWORD, groups=["linux"], email=f"{name}@example.com")
    return made


def sign_in(cognito, pool, name="alice", password=PASSWORD):
    answer = AWSSRP(
        name, password, pool["pool_id"], pool["client_id"], client=cognito, client_secret=pool["client_secret"]
    ).authenticate_user()
    return answer["AuthenticationResult"]


def sign_in_plain(cognito, pool, name="alice", password=PASSWORD):
    return cognito.initiate_auth(
        AuthFlow="USER_PASSWORD_AUTH",
        ClientId=pool["client_id"],
        AuthParameters={"USERNAME": name, "PASSWORD": password},
    )["AuthenticationResult"]


def refresh(cognito, pool, token, **more):
    return cognito.initiate_auth(
        AuthFlow="REFRESH_TOKEN_AUTH", ClientId=pool["client_id"], AuthParameters={"REFRESH_TOKEN": token, **more}
    )["AuthenticationResult"]


def post_until_end(emulator):
    """Everything received for one GetUser, and the state the connection is left in: reset, or ended in order."""
    received = b""
    with secured(emulator) as secure:
        secure.sendall(
            b"POST / HTTP/1.1\r\nHost: x\r\nUser-Agent: test\r\nContent-Length: 19\r\n"
            b"Content-Type: application/x-amz-json-1.1\r\n"
            b"X-Amz-Target: AWSCognitoIdentityProviderService.GetUser\r\n\r\n"
            b'{"AccessToken":"x"}'
        )
        with contextlib.suppress(OSError):
            while part := secure.recv(65536):
                received += part
        return received, secure.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[0]


def verified(emulator, pool, token, use):
    """What a careful verifier gets out of a token."""
    key = keys_of(emulator, pool)[jwt.get_unverified_header(token)["kid"]]
    claims = jwt.decode(
        token,
        key,
        algorithms=["RS256"],
        issuer=pool["issuer"],
        audience=pool["client_id"] if use == "id" else None,
        options={"require": ["exp", "iat", "sub"], "verify_aud": use == "id"},
    )
    assert claims["token_use"] == use
    assert use == "id" or claims["client_id"] == pool["client_id"]
    return claims


# Signing in and out


def test_srp_sign_in_gives_verifiable_tokens(emulator, pool, cognito):
    result = sign_in(cognito, pool)
    access, identity = (
        verified(emulator, pool, result["AccessToken"], "access"),
        verified(emulator, pool, result["IdToken"], "id"),
    )
    assert access["username"] == identity["cognito:username"] == "alice"
    assert access["cognito:groups"] == ["linux"]
    assert identity["email_verified"] is True
    assert result["RefreshToken"].count(".") == 4 and 1500 < len(result["RefreshToken"]) < 2000
    assert cognito.get_user(AccessToken=result["AccessToken"])["Username"] == "alice"
    assert emulator.tokens_alive(access=result["AccessToken"], refresh=result["RefreshToken"])["refresh"] is True
    assert emulator.violations() == []


def test_wrong_password_and_unknown_user_look_alike(emulator, pool, cognito):
    for name in ("alice", "nobody"):
        with refused("NotAuthorizedException", "Incorrect username or password."):
            sign_in(cognito, pool, name, "Wrong-Horse-1")
    assert emulator.violations() == []


def test_client_secret(emulator, cognito):
    pool = emulator.pool(generate_secret=True)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    tokens = sign_in(cognito, pool)
    digest = hmac.new(pool["client_secret"].encode(), ("alice" + pool["client_id"]).encode(), hashlib.sha256).digest()
    assert refresh(cognito, pool, tokens["RefreshToken"], SECRET_HASH=base64.b64encode(digest).decode())
    with refused("NotAuthorizedException", "SECRET_HASH was not received"):
        refresh(cognito, pool, tokens["RefreshToken"])
    with refused("NotAuthorizedException", f"SecretHash does not match for the client: {pool['client_id']}"):
        refresh(cognito, pool, tokens["RefreshToken"], SECRET_HASH="AAAA")
    given = {"RefreshToken": tokens["RefreshToken"], "ClientId": pool["client_id"]}
    with refused("NotAuthorizedException", "secret was not received"):
        cognito.get_tokens_from_refresh_token(**given)
    assert cognito.get_tokens_from_refresh_token(**given, ClientSecret=pool["client_secret"])
    with refused("UnauthorizedException"):
        cognito.revoke_token(Token=tokens["RefreshToken"], ClientId=pool["client_id"], ClientSecret="x" * 30)
    assert emulator.violations() == []


def test_refresh_keeps_auth_time_and_gives_no_refresh_token(emulator, pool, cognito):
    first = sign_in_plain(cognito, pool)
    time.sleep(1.1)
    for second in (
        refresh(cognito, pool, first["RefreshToken"]),
        cognito.get_tokens_from_refresh_token(RefreshToken=first["RefreshToken"], ClientId=pool["client_id"])[
            "AuthenticationResult"
        ],
    ):
        assert "RefreshToken" not in second
        old, new = (verified(emulator, pool, t["AccessToken"], "access") for t in (first, second))
        assert (old["auth_time"], old["origin_jti"]) == (new["auth_time"], new["origin_jti"])
        assert new["iat"] > old["iat"]
    with refused("NotAuthorizedException", "Invalid Refresh Token"):
        refresh(cognito, pool, "made.up")


def test_flows_have_to_be_allowed(emulator, cognito):
    def tokens(pool):
        emulator.user(pool["pool_id"], "alice", PASSWORD)
        return sign_in_plain(cognito, pool)

    pool = emulator.pool(auth_flows=[PLAIN])
    token = tokens(pool)["RefreshToken"]
    with refused("InvalidParameterException", "not enabled for this client"):
        refresh(cognito, pool, token)
    with refused("InvalidParameterException", "not enabled for this client"):
        cognito.get_tokens_from_refresh_token(RefreshToken=token, ClientId=pool["client_id"])
    pool = emulator.pool(auth_flows=[PLAIN], rotation=True)
    token = tokens(pool)["RefreshToken"]
    assert cognito.get_tokens_from_refresh_token(RefreshToken=token, ClientId=pool["client_id"])
    # What an app client may that names no flow, by the service's model.
    pool = emulator.pool(auth_flows=[])
    with refused("InvalidParameterException", "USER_PASSWORD_AUTH flow not enabled for this client"):
        tokens(pool)
    assert refresh(cognito, pool, sign_in(cognito, pool)["RefreshToken"])
    pool = emulator.pool(auth_flows=[REFRESH])
    with refused("InvalidParameterException", "USER_SRP_AUTH is not enabled for the client."):
        emulator.user(pool["pool_id"], "alice", PASSWORD)
        sign_in(cognito, pool)


def test_revoke_token(emulator, pool, cognito):
    ended, other = sign_in_plain(cognito, pool), sign_in_plain(cognito, pool)
    with refused("UnsupportedTokenTypeException"):
        cognito.revoke_token(Token=ended["AccessToken"], ClientId=pool["client_id"])
    for _ in range(2):
        cognito.revoke_token(Token=ended["RefreshToken"], ClientId=pool["client_id"])
    with refused("NotAuthorizedException", "Refresh Token has been revoked"):
        refresh(cognito, pool, ended["RefreshToken"])
    assert emulator.tokens_alive(access=ended["AccessToken"], refresh=ended["RefreshToken"]) == {
        "access": False,
        "access_refusal": "Access Token has been revoked",
        "refresh": False,
        "refresh_refusal": "Refresh Token has been revoked",
    }
    assert emulator.tokens_alive(access=other["AccessToken"], refresh=other["RefreshToken"])["refresh"] is True


def test_global_sign_out_ends_every_session(emulator, pool, cognito):
    sessions = [sign_in_plain(cognito, pool, "bob") for _ in range(2)]
    cognito.global_sign_out(AccessToken=sessions[0]["AccessToken"])
    for tokens in sessions:
        alive = emulator.tokens_alive(access=tokens["AccessToken"], refresh=tokens["RefreshToken"])
        assert alive["access"] is False and alive["refresh"] is False
    with refused("NotAuthorizedException", "Access Token has been revoked"):
        cognito.global_sign_out(AccessToken=sessions[0]["AccessToken"])
    assert not any(s["alive"] for s in emulator.sessions(pool["pool_id"], "bob"))
    renewed = sign_in_plain(cognito, pool, "bob")
    assert emulator.tokens_alive(refresh=renewed["RefreshToken"])["refresh"] is True


def test_access_token_of_the_second_of_a_global_sign_out(emulator, pool, cognito):
    """It is refused though it is newer; the refresh token beside it, and what is issued with that later, are not."""
    emulator.user(pool["pool_id"], "brief", PASSWORD)
    emulator.switch(revocation_seconds=60)
    old = sign_in_plain(cognito, pool, "brief")
    cognito.global_sign_out(AccessToken=old["AccessToken"])
    new = sign_in_plain(cognito, pool, "brief")
    for operation in (cognito.get_user, cognito.global_sign_out):
        with refused("NotAuthorizedException", "Access Token has been revoked"):
            operation(AccessToken=new["AccessToken"])
    alive = emulator.tokens_alive(access=new["AccessToken"], refresh=new["RefreshToken"])
    assert not alive["access"] and alive["refresh"]
    cognito.revoke_token(Token=new["RefreshToken"], ClientId=pool["client_id"])
    assert not emulator.tokens_alive(refresh=new["RefreshToken"])["refresh"]
    emulator.reset()
    assert emulator.tokens_alive(access=sign_in_plain(cognito, pool, "brief")["AccessToken"])["access"]


def test_rotation(emulator, cognito):
    pool = emulator.pool(rotation=True, rotation_grace_seconds=1)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    first = sign_in(cognito, pool)["RefreshToken"]
    with refused("InvalidParameterException"):
        refresh(cognito, pool, first)

    def rotate(token):
        return cognito.get_tokens_from_refresh_token(RefreshToken=token, ClientId=pool["client_id"])[
            "AuthenticationResult"
        ]["RefreshToken"]

    second = rotate(first)
    assert second != first and rotate(first) != second
    time.sleep(1.2)
    with refused("RefreshTokenReuseException"):
        rotate(first)
    assert emulator.tokens_alive(refresh=first)["refresh"] is False
    third = rotate(second)
    cognito.revoke_token(Token=third, ClientId=pool["client_id"])
    with refused("NotAuthorizedException", "revoked"):
        rotate(third)
    emulator.iam_identity(*KEYS, actions=["DescribeUserPoolClient"])
    described = cognito.describe_user_pool_client(UserPoolId=pool["pool_id"], ClientId=pool["client_id"])
    assert described["UserPoolClient"]["RefreshTokenRotation"]["Feature"] == "ENABLED"


def test_expiry(emulator, cognito):
    pool = emulator.pool(auth_flows=[PLAIN, REFRESH], access_token_seconds=1, refresh_token_seconds=7200)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    tokens = sign_in_plain(cognito, pool)
    time.sleep(1.1)
    with refused("NotAuthorizedException", "Access Token has expired"):
        cognito.get_user(AccessToken=tokens["AccessToken"])
    assert emulator.expire_refresh_tokens(pool["pool_id"], "alice") == 1
    with refused("NotAuthorizedException", "Refresh Token has expired"):
        refresh(cognito, pool, tokens["RefreshToken"])


def test_states_of_users(emulator, cognito):
    pool = emulator.pool(auth_flows=[PLAIN], username_attributes=["email"])
    name = pool["pool_id"]
    canonical = emulator.user(name, "carol@example.com", PASSWORD)["username"]
    assert (
        verified(emulator, pool, sign_in_plain(cognito, pool, "carol@example.com")["AccessToken"], "access")["username"]
        == canonical
    )
    for status, enabled, error, message in (
        ("CONFIRMED", False, "NotAuthorizedException", "User is disabled."),
        ("UNCONFIRMED", True, "UserNotConfirmedException", "User is not confirmed."),
        ("RESET_REQUIRED", True, "PasswordResetRequiredException", "Password reset required"),
    ):
        mail = f"{status.lower()}@example.com"
        emulator.user(name, mail, PASSWORD, status=status, enabled=enabled, email=mail)
        with refused(error, message):
            sign_in_plain(cognito, pool, mail)
    with pytest.raises(EmulatorError, match="UsernameExistsException"):
        emulator.user(name, "carol@example.com", PASSWORD)
    with pytest.raises(EmulatorError, match="required member UserPoolId"):
        emulator.admin("AdminGetUser", {"Username": "carol@example.com"})


def test_lockout(emulator, pool, cognito):
    # Long enough for two sign-ins on a busy machine.
    emulator.lockout(speed=0.4)
    for _ in range(5):
        with refused("NotAuthorizedException", "Incorrect username or password."):
            sign_in_plain(cognito, pool, "bob", "Wrong-Horse-1")
    for try_again in (sign_in, sign_in_plain):
        with refused("NotAuthorizedException", "Password attempts exceeded"):
            try_again(cognito, pool, "bob")
    assert sign_in_plain(cognito, pool, "alice")
    while left := max(r["locked_for"] for r in emulator.lockout_state()):
        time.sleep(left)
    assert sign_in(cognito, pool, "bob")
    assert [r["failures"] for r in emulator.lockout_state() if r["user"] == "bob"] == [0]


def test_new_keys_keep_refresh_tokens(emulator, cognito):
    pool = emulator.pool(auth_flows=[PLAIN, REFRESH])
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    tokens = sign_in_plain(cognito, pool)
    emulator.rotate_keys(pool["pool_id"])
    assert jwt.get_unverified_header(tokens["AccessToken"])["kid"] not in keys_of(emulator, pool)
    assert verified(emulator, pool, refresh(cognito, pool, tokens["RefreshToken"])["AccessToken"], "access")


# What is recorded


def test_requests_and_connections_are_logged(emulator, pool):
    made = connection_to(emulator)
    for _ in range(2):
        status, headers, body = post(emulator, connection=made)
    assert (status, headers["x-amzn-ErrorType"]) == (400, "NotAuthorizedException:")
    assert json.loads(body)["__type"] == "NotAuthorizedException"
    made.close()
    with socket.create_connection(("127.0.0.1", emulator.port)):
        time.sleep(0.05)
    logged = emulator.requests("GetUser")
    assert [(r["status"], r["error"], r["tls_version"]) for r in logged] == [
        (400, "NotAuthorizedException", "TLSv1.3")
    ] * 2
    assert logged[0]["connection"] == logged[1]["connection"] and logged[0]["body"] == {"AccessToken": "x"}
    assert emulator.connection_count() == 2
    assert [c["requests"] for c in emulator.connections()] == [2, 0]


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"headers": {"User-Agent": None}}, "no User-Agent"),
        ({"headers": {"Content-Type": "application/json"}}, "Content-Type"),
        ({"headers": {"Authorization": "Bearer x"}}, "with an Authorization header"),
        ({"operation": "GetUsers"}, "names no operation"),
        (
            {"operation": "AdminGetUser", "body": {"UserPoolId": "eu-west-1_abc", "Username": "x"}},
            "AdminGetUser without Authorization",
        ),
        ({"body": {}, "operation": "RevokeToken"}, "required member ClientId"),
        ({"body": {"AccessToken": "x", "Extra": 1}}, "unknown member 'Extra'"),
        ({"body": {"AccessToken": 5}}, "a string is wanted"),
        ({"body": {"AccessToken": "with space"}}, "does not match"),
        ({"operation": "InitiateAuth", "body": {"ClientId": "c", "AuthFlow": "GUESS"}}, "not a member"),
        ({"operation": "InitiateAuth", "body": {"ClientId": "c" * 129, "AuthFlow": "USER_AUTH"}}, "at most 128"),
        ({"operation": "ForgotPassword", "body": {"ClientId": "c", "Username": "a b"}}, "does not match"),
        ({"body": b"{not json"}, "not JSON"),
        ({"body": b'{"AccessToken":"a","AccessToken":"b"}'}, "occurs twice"),
        ({"body": b'{"AccessToken":"\\ud800"}'}, "half a surrogate pair"),
        ({"body": b"[" * 100_000}, "not JSON"),
    ],
)
def test_violations(emulator, changes, finding):
    assert post(emulator, **changes)[0] == 400
    assert any(finding in v["what"] for v in emulator.violations()), emulator.violations()
    emulator.clear_violations()
    assert emulator.violations() == []


def test_passwords_with_inner_spaces_are_no_violation(emulator):
    post(emulator, "ChangePassword", {"AccessToken": "x", "ProposedPassword": "two words", "PreviousPassword": "x"})
    assert emulator.violations() == []
    post(emulator, "ChangePassword", {"AccessToken": "x", "ProposedPassword": " led by space"})
    assert len(emulator.violations()) == 1


def test_rubbish_does_not_end_the_emulator(emulator):
    for rubbish in (
        b"\x00" * 300,
        b"GET / HTTP/9.9\r\n\r\n",
        b"A" * 100_000,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    ):
        with contextlib.suppress(OSError), secured(emulator) as secure:
            secure.sendall(rubbish)
            secure.recv(1000)
    with socket.create_connection(("127.0.0.1", emulator.port), timeout=PATIENCE) as raw:
        raw.sendall(b"plain text\r\n\r\n" * 20)
        raw.recv(100)
    assert post(emulator, body=b"x" * (2 << 20))[0] == 413
    with pytest.raises(EmulatorError, match="not one of"):
        emulator.call("explode")
    assert post(emulator)[0] == 400


def test_secrets_are_kept(emulator, cognito):
    pool = emulator.pool(generate_secret=True)
    emulator.user(pool["pool_id"], "alice", "Very-Own-Secret-7")
    tokens = sign_in(cognito, pool, password="Very-Own-Secret-7")
    emulator.note_secret("password", "Tried-Under-SRP-1")
    known = {s["value"] for s in emulator.secrets()}
    assert {
        "Very-Own-Secret-7",
        "Tried-Under-SRP-1",
        pool["client_secret"],
        tokens["AccessToken"],
        tokens["IdToken"],
        tokens["RefreshToken"],
    } <= known
    assert "secret_block" in {s["kind"] for s in emulator.secrets()}


# Faults


@pytest.mark.parametrize(
    ("kind", "arguments", "status", "content"),
    [
        ("error", {"name": "LimitExceededException", "message": "m"}, 400, b"LimitExceededException"),
        ("html_500", {}, 500, b"<html>"),
        ("empty_500", {}, 500, b""),
        ("garbage", {}, 200, b"not JSON"),
        ("redirect", {}, 302, b""),
        ("throttle", {}, 400, b"TooManyRequestsException"),
        ("waf_403", {}, 403, b"ForbiddenException"),
        ("body", {"text": "[1]", "status": 418}, 418, b"[1]"),
    ],
)
def test_answers_instead_of_the_true_one(emulator, kind, arguments, status, content):
    emulator.fault("GetUser", kind, times=1, **arguments)
    seen = post(emulator)
    assert seen[0] == status and content in seen[2]
    assert post(emulator)[0] == 400
    assert emulator.faults()[0]["hits"] == 1 and emulator.requests()[0]["faults"] == [kind]


def test_error_without_its_header(emulator):
    emulator.fault("*", "error", name="InternalErrorException", status=500, error_header=False)
    status, headers, body = post(emulator)
    assert status == 500 and "x-amzn-ErrorType" not in headers and b"InternalErrorException" in body


def test_fault_scope_by_flow(emulator, pool, cognito):
    emulator.fault("InitiateAuth:REFRESH_TOKEN_AUTH", "throttle", skip=1)
    tokens = sign_in_plain(cognito, pool)
    refresh(cognito, pool, tokens["RefreshToken"])
    with refused("TooManyRequestsException"):
        refresh(cognito, pool, tokens["RefreshToken"])
    emulator.clear_faults()
    emulator.fault("jwks", "empty_500")
    with pytest.raises(ValueError):
        keys_of(emulator, pool)
    assert refresh(cognito, pool, tokens["RefreshToken"])
    with pytest.raises(EmulatorError, match="unknown secnods"):
        emulator.fault("*", "delay", secnods=1)


def await_that(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(0.005)


def test_delay(emulator):
    """Only the request that the delay hits waits, until the delay is lifted or over."""
    delay = emulator.fault("*", "delay", times=1, seconds=600)
    with ThreadPoolExecutor() as threads:
        held = threads.submit(post, emulator)
        await_that(lambda: emulator.faults()[0]["hits"], "the delayed request")
        assert post(emulator)[0] == 400
        (waiting, answered) = emulator.requests("GetUser")
        assert (waiting["status"], answered["status"]) == (None, 400) and not held.done()
        emulator.lift(delay)
        assert held.result(PATIENCE)[0] == 400
    emulator.reset()
    emulator.fault("*", "delay", seconds=0.1)
    assert post(emulator)[0] == 400
    # It is the service that waited, and no less than it should.
    await_that(lambda: emulator.requests("GetUser")[0]["seconds"], "the end of the answer")
    assert emulator.requests("GetUser")[0]["seconds"] >= 0.1


def test_hang_until_cleared(emulator):
    emulator.fault("GetUser", "hang", times=1)
    made = connection_to(emulator, timeout=0.3)
    with pytest.raises(TimeoutError):
        post(emulator, connection=made)
    made.close()
    emulator.fault("connection", "hang", times=1)
    with socket.create_connection(("127.0.0.1", emulator.port), timeout=PATIENCE) as raw:
        raw.settimeout(0.2)
        with pytest.raises(TimeoutError):
            raw.recv(1)
        emulator.clear_faults()
        raw.settimeout(PATIENCE)
        assert raw.recv(1) == b""


def test_broken_answers(emulator, pool, cognito):
    emulator.fault("GetUser", "reset", times=1)
    received, state = post_until_end(emulator)
    assert received.startswith(b"HTTP/1.1 400 ") and not received.endswith(b"}") and state == TCP_CLOSE
    emulator.fault("GetUser", "half_answer", times=1)
    with pytest.raises(http.client.IncompleteRead):
        post(emulator)
    emulator.fault("GetUser", "close", times=1)
    with pytest.raises(http.client.RemoteDisconnected):
        post(emulator)
    emulator.fault("GetUser", "trickle", times=1, seconds=0.0005)
    assert post(emulator)[0] == 400
    emulator.fault("connection", "reset", times=1)
    with pytest.raises((ConnectionResetError, ssl.SSLError)):
        post(emulator)
    tokens = sign_in_plain(cognito, pool)
    emulator.fault("GlobalSignOut", "empty_500", times=1, processed=True)
    assert post(emulator, "GlobalSignOut", {"AccessToken": tokens["AccessToken"]})[0] == 500
    assert emulator.tokens_alive(access=tokens["AccessToken"])["access"] is False


def test_huge_answer(emulator):
    emulator.fault("GetUser", "huge", megabytes=3)
    status, _headers, body = post(emulator)
    assert status == 200 and 3 << 20 <= len(body) < 4 << 20
    assert emulator.requests()[0]["bytes_sent"] > 3 << 20


def test_down_and_up(emulator):
    assert post(emulator)[0] == 400
    emulator.down()
    with pytest.raises(ConnectionRefusedError):
        post(emulator)
    emulator.up()
    assert post(emulator)[0] == 400


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("expired", "expired"),
        ("not_yet_valid", "not yet valid"),
        ("wrong_name", "mismatch"),
        ("other_ca", "unable to get"),
        ("self_signed", "self-signed|unable to get"),
    ],
)
def test_certificates(emulator, kind, reason):
    emulator.certificate(kind)
    with pytest.raises(ssl.SSLCertVerificationError, match=reason):
        post(emulator)
    assert emulator.requests() == []
    assert emulator.certificate("good") == emulator.pin
    assert post(emulator)[0] == 400


def test_real_host_names_are_certified(emulator):
    for name in ("localhost", "cognito-idp.eu-west-1.amazonaws.com", "cognito-idp-fips.us-east-1.amazonaws.com"):
        with secured(emulator, name) as secure:
            assert secure.version() == "TLSv1.3"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1:DeprecationWarning")
def test_old_tls(emulator):
    emulator.tls_max("1.1")
    with pytest.raises(ssl.SSLError):
        post(emulator)
    context = tls_context(emulator)
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("ALL:@SECLEVEL=0")
    with secured(emulator, context=context) as secure:
        assert secure.version() == "TLSv1.1"


# Issuers


def issuers_of(emulator, pool, host="127.0.0.1"):
    """The `iss` of the tokens of a sign-in for which that host was asked."""
    parameters = {"USERNAME": "alice", "PASSWORD": PASSWORD}
    body = {"AuthFlow": "USER_PASSWORD_AUTH", "ClientId": pool["client_id"], "AuthParameters": parameters}
    status, _, answer = post(emulator, "InitiateAuth", body, {"Host": host})
    assert status == 200, answer
    result = json.loads(answer)["AuthenticationResult"]
    tokens = [result["AccessToken"], result["IdToken"]]
    return {claims_of(token)["iss"] for token in tokens}


@pytest.mark.parametrize(
    ("region", "domain"),
    [
        ("eu-west-1", "amazonaws.com"),
        ("us-gov-west-1", "amazonaws.com"),
        ("cn-north-1", "amazonaws.com.cn"),
        ("eusc-de-east-1", "amazonaws.eu"),
        ("us-iso-east-1", "c2s.ic.gov"),
    ],
)
def test_both_types_of_issuer(emulator, region, domain):
    pool = emulator.pool(region=region, auth_flows=[PLAIN])
    name = pool["pool_id"]
    emulator.user(name, "alice", PASSWORD)
    original, updated = (f"https://{prefix}cognito-idp.{region}.{domain}/{name}" for prefix in ("", "issuer-"))
    # A replica of the original type says its own Region, in the primary's Region's pool id.
    other = "eu-central-1" if region == "eu-west-1" else "eu-west-1"
    replica = f"cognito-idp.{other}.amazonaws.com"
    assert pool["issuer"] == original
    assert issuers_of(emulator, pool) == {original}
    assert issuers_of(emulator, pool, replica) == {f"https://{replica}/{name}"}
    host = f"issuer-cognito-idp.{region}.{domain}"
    assert key_set(emulator, pool, host)[0] == 403
    assert emulator.issuer_type(name, "UPDATED") == updated
    assert issuers_of(emulator, pool) == issuers_of(emulator, pool, replica) == {updated}
    assert key_set(emulator, pool, host)[0] == 200
    assert key_set(emulator, pool, f"issuer-{replica}")[0] == 403
    assert [request["operation"] for request in emulator.requests("issuer_jwks")] == ["issuer_jwks"] * 3
    emulator.issuer_type(name, "ORIGINAL")
    assert issuers_of(emulator, pool) == {original}


def test_the_api_sets_the_type(emulator):
    pool = emulator.pool(parameters={"IssuerConfiguration": {"Type": "UPDATED"}})
    described = emulator.admin("DescribeUserPool", {"UserPoolId": pool["pool_id"]})
    assert described["UserPool"]["IssuerConfiguration"] == {"Type": "UPDATED"}
    assert pool["issuer"].startswith("https://issuer-cognito-idp.")
    emulator.admin("UpdateUserPool", {"UserPoolId": pool["pool_id"], "IssuerConfiguration": {"Type": "ORIGINAL"}})
    described = emulator.admin("DescribeUserPool", {"UserPoolId": pool["pool_id"]})
    assert described["UserPool"]["IssuerConfiguration"] == {"Type": "ORIGINAL"}


# Forged tokens


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("other_issuer", {}),
        ("other_audience", {}),
        ("bad_signature", {}),
        ("alg_none", {}),
        ("hs256", {}),
        ("unknown_kid", {}),
        ("expired", {}),
        ("wrong_token_use", {}),
        ("swapped", {}),
        ("missing_claim", {}),
        ("missing_claim", {"claim": "exp"}),
        ("not_a_token", {}),
    ],
)
def test_forgeries_are_refused_by_a_careful_verifier(emulator, pool, cognito, kind, arguments):
    emulator.fault("InitiateAuth", kind, times=1, **arguments)
    tokens = sign_in_plain(cognito, pool)
    for member, use in (("AccessToken", "access"), ("IdToken", "id")):
        with pytest.raises((jwt.PyJWTError, AssertionError, KeyError)):
            verified(emulator, pool, tokens[member], use)
        assert tokens[member] in {s["value"] for s in emulator.secrets()}


def test_forgeries_that_verify(emulator, pool, cognito):
    emulator.fault("RespondToAuthChallenge:PASSWORD_VERIFIER", "other_user", times=1, username="bob")
    tokens = sign_in(cognito, pool)
    assert verified(emulator, pool, tokens["AccessToken"], "access")["username"] == "bob"
    assert verified(emulator, pool, tokens["IdToken"], "id")["cognito:username"] == "bob"
    emulator.fault("*", "huge_token", times=1, kilobytes=64, tokens=["AccessToken", "RefreshToken"])
    tokens = sign_in_plain(cognito, pool)
    assert len(tokens["AccessToken"]) > 64_000 and len(tokens["RefreshToken"]) > 64_000
    assert cognito.get_user(AccessToken=tokens["AccessToken"])["Username"] == "alice"
    emulator.fault("InitiateAuth:REFRESH_TOKEN_AUTH", "claims", times=1, set={"cognito:groups": ["wheel"]})
    claims = verified(emulator, pool, refresh(cognito, pool, tokens["RefreshToken"])["AccessToken"], "access")
    assert claims["cognito:groups"] == ["wheel"]
    emulator.fault("*", "missing_token", times=1)
    assert "RefreshToken" not in sign_in_plain(cognito, pool)


# The process


def test_process(tmp_path):
    """Nothing but 127.0.0.1 is bound. SIGTERM ends it whatever it does, and so does the end of who started it."""
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    with running_emulator(deep) as emulator:
        listening = (
            subprocess.run(["ss", "-Hltunp"], capture_output=True, text=True).stdout
            if Path("/usr/bin/ss").exists()
            else ""
        )
        for line in listening.splitlines():
            if f"pid={emulator.pid}," in line:
                assert "127.0.0.1:" in line
        assert emulator.pool()["pool_id"].startswith("eu-west-1_")
        emulator.fault("*", "delay", seconds=600)
        with ThreadPoolExecutor() as threads:
            held = threads.submit(post, emulator)
            await_that(lambda: emulator.faults()[0]["hits"], "the request that waits for ten minutes")
            os.kill(emulator.pid, signal.SIGTERM)
            await_that(lambda: not os.path.exists(f"/proc/{emulator.pid}/fd/0"), "the emulator's end")
            with pytest.raises((ConnectionError, http.client.HTTPException, ssl.SSLError)):
                held.result(PATIENCE)
    script = (
        "import sys, os; from Emulator.client import running_emulator\n"
        f"with running_emulator({str(tmp_path / 'orphan')!r}) as e: print(e.pid, flush=True); os._exit(0)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    pid = int(
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
        ).stdout
    )
    await_that(lambda: not _runs(pid), "the end of the emulator that was left alone")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
