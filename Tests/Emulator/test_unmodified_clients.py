"""pycognito and boto3 from sign-in to sign-out, as they come: at the service's own host name, tokens verified."""

from __future__ import annotations

import time

import boto3
import pytest
import urllib3.util.connection
from botocore.config import Config
from pycognito import Cognito
from pycognito.aws_srp import AWSSRP
from pycognito.exceptions import (
    ForceChangePasswordException,
    SMSMFAChallengeException,
    SoftwareTokenMFAChallengeException,
)

from Emulator import app_codes
from Emulator.asking import NEW, PASSWORD, refused

ADDRESS = "alice@example.com"
FLOWS = ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]


@pytest.fixture
def emulator(emulator, monkeypatch):
    """Every connection to Amazon, of botocore and of requests, comes here; the certificate has Amazon's names."""
    connect = urllib3.util.connection.create_connection

    def here(address, *arguments, **options):
        assert address[0].endswith(".amazonaws.com"), address
        return connect(("127.0.0.1", emulator.port), *arguments, **options)

    monkeypatch.setattr(urllib3.util.connection, "create_connection", here)
    for name in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, emulator.ca)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "nobodys")
    for name in ("HTTPS_PROXY", "https_proxy", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return emulator


@pytest.fixture
def boto(emulator):
    return boto3.client(
        "cognito-idp", region_name=emulator.region, config=Config(retries={"total_max_attempts": 1}, read_timeout=10)
    )


def by_pycognito(emulator, pool, name="alice", **tokens):
    return Cognito(
        pool["pool_id"],
        pool["client_id"],
        client_secret=pool["client_secret"],
        user_pool_region=emulator.region,
        username=name,
        **tokens,
    )


@pytest.mark.parametrize("generate_secret", [False, True])
@pytest.mark.parametrize("tracked", [None, 20])
def test_from_sign_in_to_sign_out(emulator, boto, generate_secret, tracked):
    pool = emulator.pool(auth_flows=FLOWS, generate_secret=generate_secret, session_limit=tracked, groups=["staff"])
    secret = {"ClientSecret": pool["client_secret"]} if generate_secret else {}
    emulator.user(pool["pool_id"], "alice", PASSWORD, email=ADDRESS, groups=["staff"])
    with refused("NotAuthorizedException", "Incorrect username or password."):
        by_pycognito(emulator, pool).authenticate("wrong")
    first, second = by_pycognito(emulator, pool), by_pycognito(emulator, pool)
    for client in (first, second):
        client.authenticate(PASSWORD)
    assert first.access_claims["username"] == first.id_claims["cognito:username"] == "alice"
    assert first.get_user().email == ADDRESS
    time.sleep(1.1)
    old = first.access_token
    first.renew_access_token()
    assert first.access_token != old and first.access_claims["origin_jti"]
    assert first.check_token() is False
    renewed = boto.get_tokens_from_refresh_token(
        RefreshToken=first.refresh_token, ClientId=pool["client_id"], **secret
    )["AuthenticationResult"]
    boto.revoke_token(Token=first.refresh_token, ClientId=pool["client_id"], **secret)
    for ended in (old, first.access_token, renewed["AccessToken"]):
        with refused("NotAuthorizedException", "Access Token has been revoked"):
            boto.get_user(AccessToken=ended)
    with refused("NotAuthorizedException", "Refresh Token has been revoked"):
        first.renew_access_token()
    assert second.get_user().email == ADDRESS
    third = by_pycognito(emulator, pool)
    third.authenticate(PASSWORD)
    held = (second.access_token, third.access_token), (second.refresh_token, third.refresh_token)
    third.logout()
    for access, refresh in zip(*held, strict=True):
        with refused("NotAuthorizedException", "Access Token has been revoked"):
            boto.get_user(AccessToken=access)
        again = by_pycognito(emulator, pool, access_token=access, refresh_token=refresh)
        with refused("NotAuthorizedException", "Refresh Token has been revoked"):
            again.renew_access_token()
    assert emulator.violations() == []


def test_first_password_then_an_app(emulator, boto):
    pool = emulator.pool(auth_flows=FLOWS, mfa="OPTIONAL", generate_secret=True)
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    client = by_pycognito(emulator, pool)
    with pytest.raises(ForceChangePasswordException):
        client.authenticate(PASSWORD)
    client.new_password_challenge(PASSWORD, NEW)
    key = client.associate_software_token()
    with refused("EnableSoftwareTokenMFAException", "Code mismatch"):
        client.verify_software_token(app_codes.code_at(key, 0))
    assert client.verify_software_token(app_codes.totp(key), "phone")
    by_pycognito(emulator, pool).authenticate(NEW)
    client.set_user_mfa_preference(False, True, "SOFTWARE_TOKEN")
    assert boto.get_user(AccessToken=client.access_token)["PreferredMfaSetting"] == "SOFTWARE_TOKEN_MFA"
    client = by_pycognito(emulator, pool)
    with pytest.raises(SoftwareTokenMFAChallengeException) as caught:
        client.authenticate(NEW)
    asked = caught.value.get_tokens()
    assert asked["ChallengeParameters"]["FRIENDLY_DEVICE_NAME"] == "phone"
    with refused("CodeMismatchException", "Invalid code received for user"):
        client.respond_to_software_token_mfa_challenge(app_codes.code_at(key, 0), asked)
    code = app_codes.totp(key)
    client.respond_to_software_token_mfa_challenge(code, asked)
    assert client.access_claims["username"] == "alice"
    with refused("NotAuthorizedException", "session can only be used once"):
        client.respond_to_software_token_mfa_challenge(app_codes.code_at(key, 0), asked)
    with pytest.raises(SoftwareTokenMFAChallengeException) as caught:
        client.authenticate(NEW)
    with refused("ExpiredCodeException", "Your software token has already been used once."):
        client.respond_to_software_token_mfa_challenge(code, caught.value.get_tokens())
    assert emulator.violations() == []


def test_code_by_sms(emulator):
    pool = emulator.pool(auth_flows=FLOWS, mfa="ON", generate_secret=True)
    emulator.user(pool["pool_id"], "alice", PASSWORD, phone_number="+493012345678", mfa=["SMS_MFA"])
    client = by_pycognito(emulator, pool)
    with pytest.raises(SMSMFAChallengeException) as caught:
        client.authenticate(PASSWORD)
    asked = caught.value.get_tokens()
    assert asked["ChallengeParameters"]["CODE_DELIVERY_DELIVERY_MEDIUM"] == "SMS"
    assert asked["ChallengeParameters"]["CODE_DELIVERY_DESTINATION"] == "+********5678"
    with refused("CodeMismatchException"):
        client.respond_to_sms_mfa_challenge("x", asked)
    (code,) = emulator.codes("alice")
    assert len(code) == 6 and code in {s["value"] for s in emulator.secrets() if s["kind"] == "code"}
    client.respond_to_sms_mfa_challenge(code, asked)
    assert client.get_user().username == "alice"
    assert emulator.violations() == []


def test_passwords_changed_and_forgotten(emulator):
    pool = emulator.pool(auth_flows=FLOWS, generate_secret=True)
    emulator.user(pool["pool_id"], "alice", PASSWORD, email=ADDRESS)
    client = by_pycognito(emulator, pool)
    client.authenticate(PASSWORD)
    with refused("NotAuthorizedException", "Incorrect username or password."):
        client.change_password("wrong", NEW)
    with refused("InvalidPasswordException"):
        client.change_password(PASSWORD, "short")
    with refused("InvalidParameterException"):
        client.change_password(PASSWORD, f" {NEW}")
    client.change_password(PASSWORD, NEW)
    emulator.clear_violations()
    with refused("NotAuthorizedException", "Incorrect username or password."):
        by_pycognito(emulator, pool).authenticate(PASSWORD)
    client = by_pycognito(emulator, pool)
    with refused("ExpiredCodeException", "please request a code again"):
        client.confirm_forgot_password("123456", PASSWORD)
    client.initiate_forgot_password()
    (code,) = emulator.codes("alice", pool["pool_id"])
    with refused("CodeMismatchException", "Invalid verification code provided, please try again."):
        client.confirm_forgot_password("x" + code, PASSWORD)
    with refused("InvalidPasswordException", "Password not long enough"):
        client.confirm_forgot_password(code, "Ab1!")
    client.confirm_forgot_password(code, PASSWORD)
    with refused("ExpiredCodeException"):
        client.confirm_forgot_password(code, PASSWORD)
    client.authenticate(PASSWORD)
    assert client.access_claims["username"] == "alice"
    assert emulator.violations() == []


def test_device(emulator, boto):
    """pycognito's device requests have a header that Amazon does not ask for, and its proofs no session."""
    pool = emulator.pool(auth_flows=FLOWS, devices="opt_in", device_sessions=False, mfa="OPTIONAL")
    emulator.user(pool["pool_id"], "alice", PASSWORD)

    def srp(**device):
        return AWSSRP("alice", PASSWORD, pool["pool_id"], pool["client_id"], client=boto, **device)

    client = srp()
    tokens = client.authenticate_user()
    answer, password = client.confirm_device(tokens, "laptop")
    assert (answer.status_code, answer.json()) == (200, {"UserConfirmationNecessary": True})
    key, group = client.device_key, client.device_group_key
    assert client.update_device_status(True, client.access_token, key).startswith("<Response [200]>")
    (device,) = emulator.devices(pool["pool_id"], "alice")
    assert {"Name": "dev:device_remembered_status", "Value": "remembered"} in device["DeviceAttributes"]
    known = {"device_key": key, "device_group_key": group, "device_password": password}
    assert "NewDeviceMetadata" not in srp(**known).authenticate_user()["AuthenticationResult"]
    with refused("NotAuthorizedException"):
        srp(**{**known, "device_password": "other"}).authenticate_user()
    assert client.forget_device(client.access_token, key).startswith("<Response [200]>")
    with refused("ResourceNotFoundException", "Device does not exist."):
        srp(**known).authenticate_user()
    assert {v["what"] for v in emulator.violations()} == {
        f"{o} with an Authorization header" for o in ("ConfirmDevice", "UpdateDeviceStatus", "ForgetDevice")
    }


def test_credentials_of_aws(emulator, boto):
    """An identity pool and STS, each as boto3 asks them with an ID token."""
    pool = emulator.pool(auth_flows=[*FLOWS, "ALLOW_USER_PASSWORD_AUTH"])
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    signed_in = boto.initiate_auth(
        ClientId=pool["client_id"],
        AuthFlow="USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": "alice", "PASSWORD": PASSWORD},
    )["AuthenticationResult"]
    role = "arn:aws:iam::123456789012:role/Builder"
    emulator.role(role, pool)
    checking = emulator.identity_pool(pool, role, server_side_token_check=True)
    logins = {f"cognito-idp.{emulator.region}.amazonaws.com/{pool['pool_id']}": signed_in["IdToken"]}
    identities = boto3.client("cognito-identity", region_name=emulator.region)
    identity = identities.get_id(IdentityPoolId=checking, Logins=logins)["IdentityId"]
    given = identities.get_credentials_for_identity(IdentityId=identity, Logins=logins)["Credentials"]
    assert given["AccessKeyId"].startswith("ASIA") and given["Expiration"].timestamp() > time.time() + 3500
    request = {"RoleArn": role, "RoleSessionName": "alice", "DurationSeconds": 900}
    sts = boto3.client("sts", region_name=emulator.region)
    assumed = sts.assume_role_with_web_identity(WebIdentityToken=signed_in["IdToken"], **request)["Credentials"]
    assert assumed["SecretAccessKey"] and 800 < assumed["Expiration"].timestamp() - time.time() <= 900
    boto.global_sign_out(AccessToken=signed_in["AccessToken"])
    for ask, name in (
        (lambda: identities.get_credentials_for_identity(IdentityId=identity, Logins=logins), "NotAuthorizedException"),
        (
            lambda: sts.assume_role_with_web_identity(WebIdentityToken=signed_in["AccessToken"], **request),
            "InvalidIdentityToken",
        ),
    ):
        with refused(name):
            ask()
    assert not emulator.violations()
