"""Challenges as botocore meets them, with the proofs of pycognito. What pycognito asks: test_unmodified_clients.py."""

from __future__ import annotations

import datetime
import json
import time
import uuid
from functools import partial
from pathlib import Path

import pytest
from pycognito.aws_srp import AWSSRP, generate_hash_device

from Emulator import app_codes
from Emulator.asking import NEW, PASSWORD, SECRET, claims_of, connection_to, refused
from Emulator.behaviours.devices import device_proof_key
from Emulator.client import EmulatorError

VECTORS = "CognitoIdentityProviderTests/Vectors/srp-vectors.json"
FLOWS = [
    f"ALLOW_{f}" for f in ("USER_SRP_AUTH", "USER_PASSWORD_AUTH", "REFRESH_TOKEN_AUTH", "USER_AUTH", "CUSTOM_AUTH")
]


@pytest.fixture
def emulator(emulator):
    yield emulator
    assert emulator.violations() == []


def made(emulator, **options):
    return emulator.pool(auth_flows=FLOWS, **options)


def begin(cognito, pool, name="alice", password=PASSWORD, flow="USER_PASSWORD_AUTH", **parameters):
    if flow == "USER_PASSWORD_AUTH":
        parameters["PASSWORD"] = password
    return cognito.initiate_auth(
        AuthFlow=flow, ClientId=pool["client_id"], AuthParameters={"USERNAME": name, **parameters}
    )


def respond(cognito, pool, challenge, name="alice", session=None, **responses):
    """Answer `challenge`, which is the last answer received."""
    return cognito.respond_to_auth_challenge(
        ClientId=pool["client_id"],
        ChallengeName=challenge["ChallengeName"],
        Session=session or challenge["Session"],
        ChallengeResponses={"USERNAME": name, **responses},
    )


def srp(cognito, pool, name="alice", password=PASSWORD, **options):
    return AWSSRP(name, password, pool["pool_id"], pool["client_id"], client=cognito, **options)


def totp(secret=SECRET):
    return app_codes.totp(secret)


def wrong_code(secret=SECRET):
    """One that was right long ago."""
    return app_codes.code_at(secret, 0)


# NEW_PASSWORD_REQUIRED


def test_new_password(emulator, cognito):
    pool = made(emulator, required_attributes=["email", "family_name"])
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD", email="alice@example.com")
    challenge = begin(cognito, pool)
    assert challenge["ChallengeName"] == "NEW_PASSWORD_REQUIRED" and len(challenge["Session"]) > 800
    assert json.loads(challenge["ChallengeParameters"]["requiredAttributes"]) == ["userAttributes.family_name"]
    assert json.loads(challenge["ChallengeParameters"]["userAttributes"])["email"] == "alice@example.com"
    last = {"userAttributes.family_name": "Liddell"}
    for weak, text in (
        ("Ab1!", "Password not long enough"),
        ("lower-case-1", "Password must have uppercase characters"),
        ("UPPER-CASE-1", "Password must have lowercase characters"),
        ("No-Numbers-At", "Password must have numeric characters"),
        ("NoSymbols123", "Password must have symbol characters"),
    ):
        with refused("InvalidPasswordException", f"Password did not conform with policy: {text}"):
            respond(cognito, pool, challenge, NEW_PASSWORD=weak, **last)
    with refused("InvalidParameterException", "family_name is missing"):
        respond(cognito, pool, challenge, NEW_PASSWORD=NEW)
    with refused("NotAuthorizedException", "Cannot modify an already provided email"):
        respond(cognito, pool, challenge, NEW_PASSWORD=NEW, **last, **{"userAttributes.email": "m@example.com"})
    assert "AuthenticationResult" in respond(cognito, pool, challenge, NEW_PASSWORD=NEW, **last)
    with refused("NotAuthorizedException", "session can only be used once"):
        respond(cognito, pool, challenge, NEW_PASSWORD=NEW, **last)
    assert begin(cognito, pool, password=NEW)["AuthenticationResult"]["RefreshToken"].count(".") == 4


def test_new_passwords_with_blank_edges(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    challenge = begin(cognito, pool)
    for edged in (" " + NEW, NEW + " ", NEW + "\t"):
        with refused("InvalidParameterException", "Member must satisfy regular expression pattern"):
            respond(cognito, pool, challenge, NEW_PASSWORD=edged)
    assert "AuthenticationResult" in respond(cognito, pool, challenge, NEW_PASSWORD="Better Battery-2")


def test_password_history(emulator, cognito):
    pool = made(emulator, password_history=3)
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    challenge = begin(cognito, pool)
    with refused("PasswordHistoryPolicyViolationException"):
        respond(cognito, pool, challenge, NEW_PASSWORD=PASSWORD)
    assert "AuthenticationResult" in respond(cognito, pool, challenge, NEW_PASSWORD=NEW)


def test_attributes_of_the_wrong_form(emulator, cognito):
    pool = made(emulator, required_attributes=["email", "phone_number"], mfa="ON")
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    challenge = begin(cognito, pool)
    right = {"userAttributes.email": "alice@example.com", "userAttributes.phone_number": "+493012345678"}
    wrong = {
        "Invalid email address format.": [("email", v) for v in ("alice", "alice@", "al ice@example.com", "a@b")],
        "Invalid phone number format.": [("phone_number", v) for v in ("030 123", "4930123", "+49 30", "+" + "4" * 16)],
    }
    for text, values in wrong.items():
        for name, value in values:
            with refused("InvalidParameterException", text):
                respond(cognito, pool, challenge, NEW_PASSWORD=NEW, **{**right, f"userAttributes.{name}": value})
            with pytest.raises(EmulatorError, match=text):
                emulator.user(pool["pool_id"], "carol", PASSWORD, attributes={name: value})
    setup = respond(cognito, pool, challenge, NEW_PASSWORD=NEW, **right)
    with refused("InvalidParameterException", "Invalid email address format."):
        respond(cognito, pool, setup, EMAIL="alice@example")
    challenge = respond(cognito, pool, setup, EMAIL="alice@example.com")
    tokens = respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[-1])["AuthenticationResult"]
    with refused("InvalidParameterException", "Invalid phone number format."):
        attributes = [{"Name": "phone_number", "Value": "030123"}]
        cognito.update_user_attributes(AccessToken=tokens["AccessToken"], UserAttributes=attributes)


def test_aliases_of_others(emulator, cognito):
    pool = made(emulator, alias_attributes=["email"], required_attributes=["email"], mfa="ON")
    emulator.user(pool["pool_id"], "bob", PASSWORD, email="bob@example.com", mfa=["EMAIL_OTP"])
    emulator.user(pool["pool_id"], "carol", PASSWORD, email="carol@example.com", email_verified=False)
    emulator.user(pool["pool_id"], "dave", PASSWORD)
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    taken = ("AliasExistsException", "An account with the given email already exists.")
    challenge = begin(cognito, pool)
    with refused(*taken):
        respond(cognito, pool, challenge, NEW_PASSWORD=NEW, **{"userAttributes.email": "bob@example.com"})
    # An address that was never verified is nobody's alias.
    assert respond(cognito, pool, challenge, NEW_PASSWORD=NEW, **{"userAttributes.email": "carol@example.com"})
    with refused(*taken):
        respond(cognito, pool, begin(cognito, pool, "dave"), "dave", EMAIL="bob@example.com")
    challenge = begin(cognito, pool, "bob")
    tokens = respond(cognito, pool, challenge, "bob", EMAIL_OTP_CODE=emulator.codes("bob")[-1])["AuthenticationResult"]
    attributes = [{"Name": "email", "Value": "bob@example.com"}]
    cognito.update_user_attributes(AccessToken=tokens["AccessToken"], UserAttributes=attributes)


# Sessions


def test_sessions_are_bound(emulator, cognito):
    pool = made(emulator)
    for name in ("alice", "bob"):
        emulator.user(pool["pool_id"], name, PASSWORD, status="FORCE_CHANGE_PASSWORD")
    challenge = begin(cognito, pool)
    with refused("NotAuthorizedException", "Invalid session for the user."):
        respond(cognito, pool, challenge, name="bob", NEW_PASSWORD=NEW)
    with refused("NotAuthorizedException", "Invalid session for the user."):
        respond(cognito, pool, challenge, session="made-up-session-string", NEW_PASSWORD=NEW)
    with refused("NotAuthorizedException", "Invalid session for the user."):
        respond(cognito, {**pool, **emulator.app_client(pool["pool_id"])}, challenge, NEW_PASSWORD=NEW)
    with refused("NotAuthorizedException", "Invalid session for the user."):
        respond(cognito, pool, {**challenge, "ChallengeName": "SMS_MFA"}, SMS_MFA_CODE="123456")
    assert emulator.expire_challenge_sessions("alice") > 0
    with refused("NotAuthorizedException", "Invalid session for the user, session is expired."):
        respond(cognito, pool, challenge, NEW_PASSWORD=NEW)


def test_sessions_expire(emulator, cognito):
    pool = made(emulator, auth_session_seconds=0.3)
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    challenge = begin(cognito, pool)
    time.sleep(0.35)
    with refused("NotAuthorizedException", "session is expired."):
        respond(cognito, pool, challenge, NEW_PASSWORD=NEW)


# Codes after the password


def test_a_totp_code_counts_once(emulator, cognito):
    pool = made(emulator, mfa="ON")
    emulator.user(pool["pool_id"], "alice", PASSWORD, mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
    now = time.time()
    code = app_codes.code_at(SECRET, now)

    def enter(code):
        return respond(cognito, pool, begin(cognito, pool), SOFTWARE_TOKEN_MFA_CODE=code)

    assert "AuthenticationResult" in enter(code)
    for used in (code, app_codes.code_at(SECRET, now - 30)):
        with refused("ExpiredCodeException", "Your software token has already been used once."):
            enter(used)
    following = app_codes.code_at(SECRET, now + 30)
    assert "AuthenticationResult" in enter(following)
    emulator.switch(refuse_totp_replay=False)
    assert "AuthenticationResult" in enter(following)


def test_the_code_that_set_an_app_up_is_used(emulator, cognito):
    pool = made(emulator, mfa="ON", mfa_methods=["SOFTWARE_TOKEN_MFA"])
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    setup = begin(cognito, pool)
    associated = cognito.associate_software_token(Session=setup["Session"])
    code = totp(associated["SecretCode"])
    verified = cognito.verify_software_token(Session=associated["Session"], UserCode=code)
    tokens = respond(cognito, pool, setup, session=verified["Session"])["AuthenticationResult"]
    with refused("ExpiredCodeException", "already been used once."):
        respond(cognito, pool, begin(cognito, pool), SOFTWARE_TOKEN_MFA_CODE=code)
    access = {"AccessToken": tokens["AccessToken"]}
    code = totp(cognito.associate_software_token(**access)["SecretCode"])
    cognito.verify_software_token(**access, UserCode=code)
    with refused("ExpiredCodeException", "already been used once."):
        respond(cognito, pool, begin(cognito, pool), SOFTWARE_TOKEN_MFA_CODE=code)


def test_unknown_switch(emulator):
    with pytest.raises(EmulatorError, match="no switch"):
        emulator.switch(refuse=True)


def test_email_code(emulator, cognito):
    pool = made(emulator, mfa="ON")
    emulator.user(pool["pool_id"], "alice", PASSWORD, email="alice@example.com", mfa=["EMAIL_OTP"])
    challenge = begin(cognito, pool)
    assert challenge["ChallengeName"] == "EMAIL_OTP"
    assert challenge["ChallengeParameters"]["CODE_DELIVERY_DESTINATION"] == "a***@e***"
    for _ in range(5):
        with refused("CodeMismatchException", "Invalid verification code provided, please try again."):
            respond(cognito, pool, challenge, EMAIL_OTP_CODE="x")
    with refused("NotAuthorizedException", "Password attempts exceeded"):
        respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[0])
    emulator.switch(code_seconds=0.0)
    challenge = begin(cognito, pool)
    with refused("ExpiredCodeException", "Invalid code provided, please request a code again."):
        respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[-1])
    emulator.switch(code_seconds=None)
    challenge = begin(cognito, pool)
    with refused("CodeMismatchException"):
        respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[0])
    assert respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[-1])["AuthenticationResult"]


def test_choice_of_factors(emulator, cognito):
    pool = made(emulator, mfa="OPTIONAL")
    factors = {"email": "alice@example.com", "phone_number": "+493012345678", "totp_secret": SECRET}
    every = ["SOFTWARE_TOKEN_MFA", "SMS_MFA", "EMAIL_OTP"]
    emulator.user(pool["pool_id"], "alice", PASSWORD, mfa=every, **factors)
    challenge = begin(cognito, pool)
    assert challenge["ChallengeName"] == "SELECT_MFA_TYPE"
    assert sorted(json.loads(challenge["ChallengeParameters"]["MFAS_CAN_CHOOSE"])) == sorted(every)
    with refused("InvalidParameterException"):
        respond(cognito, pool, challenge, ANSWER="NONSENSE")
    chosen = respond(cognito, pool, challenge, ANSWER="EMAIL_OTP")
    assert chosen["ChallengeName"] == "EMAIL_OTP"
    assert "AuthenticationResult" in respond(cognito, pool, chosen, EMAIL_OTP_CODE=emulator.codes("alice")[-1])
    chosen = respond(cognito, pool, begin(cognito, pool), ANSWER="SOFTWARE_TOKEN_MFA")
    assert "AuthenticationResult" in respond(cognito, pool, chosen, SOFTWARE_TOKEN_MFA_CODE=totp())
    emulator.user(pool["pool_id"], "bob", PASSWORD, mfa=every, preferred_mfa="SMS_MFA", **factors)
    assert begin(cognito, pool, "bob")["ChallengeName"] == "SMS_MFA"


# MFA_SETUP


def test_setting_an_app_up(emulator, cognito):
    pool = made(emulator, mfa="ON", mfa_methods=["SOFTWARE_TOKEN_MFA"])
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    challenge = respond(cognito, pool, begin(cognito, pool), NEW_PASSWORD=NEW)
    assert challenge["ChallengeName"] == "MFA_SETUP"
    assert json.loads(challenge["ChallengeParameters"]["MFAS_CAN_SETUP"]) == ["SOFTWARE_TOKEN_MFA"]
    with refused("InvalidParameterException"):
        respond(cognito, pool, challenge)
    with refused("InvalidParameterException", "Email MFA"):
        respond(cognito, pool, challenge, EMAIL="a@example.com")
    associated = cognito.associate_software_token(Session=challenge["Session"])
    code = totp(associated["SecretCode"])
    with refused("EnableSoftwareTokenMFAException", "Code mismatch"):
        cognito.verify_software_token(Session=associated["Session"], UserCode=wrong_code())
    with refused("NotAuthorizedException", "session can only be used once"):
        cognito.verify_software_token(Session=challenge["Session"], UserCode=code)
    verified = cognito.verify_software_token(Session=associated["Session"], UserCode=code, FriendlyDeviceName="phone")
    assert verified["Status"] == "SUCCESS"
    assert respond(cognito, pool, challenge, session=verified["Session"])["AuthenticationResult"]
    challenge = begin(cognito, pool, password=NEW)
    assert challenge["ChallengeParameters"]["FRIENDLY_DEVICE_NAME"] == "phone"
    assert respond(cognito, pool, challenge, SOFTWARE_TOKEN_MFA_CODE=totp(associated["SecretCode"]))
    with refused("NotAuthorizedException", "Invalid session for the user."):
        cognito.associate_software_token(Session="made-up-session-string")


def test_setting_an_address_up(emulator, cognito):
    pool = made(emulator, mfa="ON")
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    setup = begin(cognito, pool)
    with refused("InvalidParameterException"):
        respond(cognito, pool, setup, EMAIL="nonsense")
    challenge = respond(cognito, pool, setup, EMAIL="alice@example.com")
    assert challenge["ChallengeName"] == "EMAIL_OTP"
    assert "AuthenticationResult" in respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[-1])
    assert begin(cognito, pool)["ChallengeName"] == "EMAIL_OTP"


# USER_AUTH

FACTORS = ["PASSWORD", "EMAIL_OTP", "SMS_OTP", "WEB_AUTHN"]


def proof(client, challenge):
    """pycognito's answer to PASSWORD_VERIFIER."""
    answer = client.process_challenge(challenge["ChallengeParameters"], {"USERNAME": client.username})
    return {"name": answer.pop("USERNAME"), **answer}


def test_choice_by_select_challenge(emulator, cognito):
    pool = made(emulator, first_factors=FACTORS)
    emulator.user(pool["pool_id"], "alice", PASSWORD, email="alice@example.com", phone_number="+4930123", passkey=True)

    def select(**responses):
        return respond(cognito, pool, begin(cognito, pool, flow="USER_AUTH"), **responses)

    offered = begin(cognito, pool, flow="USER_AUTH")
    assert offered["ChallengeName"] == "SELECT_CHALLENGE"
    assert set(offered["AvailableChallenges"]) == {*FACTORS, "PASSWORD_SRP"}
    with refused("InvalidParameterException", "Invalid challenge selected"):
        respond(cognito, pool, offered, ANSWER="SMS_MFA")
    with refused("NotAuthorizedException", "Incorrect username or password."):
        respond(cognito, pool, offered, ANSWER="PASSWORD", PASSWORD="wrong")
    assert "AuthenticationResult" in respond(cognito, pool, offered, ANSWER="PASSWORD", PASSWORD=PASSWORD)
    asked = select(ANSWER="PASSWORD")
    assert asked["ChallengeName"] == "PASSWORD"
    assert "AuthenticationResult" in respond(cognito, pool, asked, PASSWORD=PASSWORD)
    client = srp(cognito, pool)
    challenge = select(ANSWER="PASSWORD_SRP", SRP_A=client.get_auth_params()["SRP_A"])
    assert challenge["ChallengeName"] == "PASSWORD_VERIFIER"
    assert "AuthenticationResult" in respond(cognito, pool, challenge, **proof(client, challenge))
    for factor, destination in (("EMAIL_OTP", "a***@e***"), ("SMS_OTP", "+***0123")):
        challenge = select(ANSWER=factor)
        assert challenge["ChallengeParameters"]["CODE_DELIVERY_DESTINATION"] == destination
        code = emulator.codes("alice")[-1]
        assert len(code) == 8
        assert "AuthenticationResult" in respond(cognito, pool, challenge, **{f"{factor}_CODE": code})
    passkey = select(ANSWER="WEB_AUTHN")
    assert json.loads(passkey["ChallengeParameters"]["CREDENTIAL_REQUEST_OPTIONS"])["rpId"]
    with refused("NotAuthorizedException"):
        respond(cognito, pool, passkey, CREDENTIAL="{}")


def test_choice_by_preference(emulator, cognito):
    pool = made(emulator, first_factors=["PASSWORD", "EMAIL_OTP"], mfa="OPTIONAL")
    emulator.user(pool["pool_id"], "alice", PASSWORD, mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
    preferred = {"flow": "USER_AUTH", "PREFERRED_CHALLENGE": "PASSWORD"}
    with refused("NotAuthorizedException", "Incorrect"):
        begin(cognito, pool, **preferred, PASSWORD="wrong")
    challenge = begin(cognito, pool, **preferred, PASSWORD=PASSWORD)
    assert "AuthenticationResult" in respond(cognito, pool, challenge, SOFTWARE_TOKEN_MFA_CODE=totp())
    assert begin(cognito, pool, **preferred)["ChallengeName"] == "PASSWORD"
    assert (
        begin(cognito, pool, flow="USER_AUTH", PREFERRED_CHALLENGE="EMAIL_OTP")["ChallengeName"] == "SELECT_CHALLENGE"
    )
    client = srp(cognito, pool)
    challenge = begin(
        cognito, pool, flow="USER_AUTH", PREFERRED_CHALLENGE="PASSWORD_SRP", SRP_A=client.get_auth_params()["SRP_A"]
    )
    answer = proof(client, challenge)
    with refused("InvalidParameterException", "Missing required parameter Session"):
        cognito.respond_to_auth_challenge(
            ClientId=pool["client_id"],
            ChallengeName="PASSWORD_VERIFIER",
            ChallengeResponses={"USERNAME": answer["name"], **{k: v for k, v in answer.items() if k != "name"}},
        )
    with refused("NotAuthorizedException", "Incorrect username or password."):
        respond(cognito, pool, challenge, **{**answer, "PASSWORD_CLAIM_SIGNATURE": "AAAA"})
    assert respond(cognito, pool, challenge, **answer)["ChallengeName"] == "SOFTWARE_TOKEN_MFA"
    with refused("NotAuthorizedException", "session can only be used once"):
        respond(cognito, pool, challenge, **answer)


def test_users_without_password_and_users_who_are_none(emulator, cognito):
    pool = made(emulator, first_factors=["PASSWORD", "EMAIL_OTP"])
    emulator.user(pool["pool_id"], "alice", None, email="alice@example.com")
    assert begin(cognito, pool, flow="USER_AUTH")["AvailableChallenges"] == ["EMAIL_OTP"]
    for password in ("", "Of-Nobodys-Use-0", "x"):
        with refused("NotAuthorizedException", "Incorrect username or password."):
            begin(cognito, pool, password=password)
    with refused("NotAuthorizedException", "Incorrect username or password."):
        srp(cognito, pool, password="x").authenticate_user()
    challenge = begin(cognito, pool, flow="USER_AUTH", PREFERRED_CHALLENGE="EMAIL_OTP")
    tokens = respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[-1])["AuthenticationResult"]
    factors = cognito.get_user_auth_factors(AccessToken=tokens["AccessToken"])
    assert factors["ConfiguredUserAuthFactors"] == ["EMAIL_OTP"]
    nobody = begin(cognito, pool, "nobody", flow="USER_AUTH", PREFERRED_CHALLENGE="EMAIL_OTP")
    assert nobody["ChallengeParameters"].keys() == challenge["ChallengeParameters"].keys()
    assert emulator.codes("nobody") == []
    with refused("CodeMismatchException"):
        respond(cognito, pool, nobody, "nobody", EMAIL_OTP_CODE="12345678")
    with refused("NotAuthorizedException", "Incorrect username or password."):
        begin(cognito, pool, "nobody", flow="USER_AUTH", PREFERRED_CHALLENGE="PASSWORD", PASSWORD=PASSWORD)


# The proof of the password


def at(client, seconds):
    """The client, whose clock is wrong by so much."""
    format_time = client.get_cognito_formatted_timestamp
    client.get_cognito_formatted_timestamp = lambda now: format_time(now + datetime.timedelta(seconds=seconds))
    return client


def test_values_come_without_padding(emulator, cognito):
    """The service writes numbers, not bytes: odd counts of digits, and no zeros in front."""
    pool = made(emulator, devices="always")
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    emulator.switch(short_srp_values=True)
    for _ in range(3):
        client = srp(cognito, pool)
        challenge = begin(cognito, pool, flow="USER_SRP_AUTH", SRP_A=client.get_auth_params()["SRP_A"])
        values = challenge["ChallengeParameters"]
        assert len(values["SALT"]) == 29 and len(values["SRP_B"]) < 768
        assert values["SALT"][0] != "0" and values["SRP_B"][0] != "0"
        tokens = client.authenticate_user()["AuthenticationResult"]
    device = confirmed_device(cognito, tokens)
    client, key = srp(cognito, pool, **device), {"DEVICE_KEY": device["device_key"]}
    asked = begin(cognito, pool, **key)
    values = respond(cognito, pool, asked, SRP_A=client.get_auth_params()["SRP_A"], **key)["ChallengeParameters"]
    assert values["SALT"][0] != "0" and len(values["SRP_B"]) < 768


def test_timestamps_of_another_time(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    for seconds in (-200, 200):
        assert "AuthenticationResult" in at(srp(cognito, pool), seconds).authenticate_user()
    for seconds in (-400, 400, 86400):
        with refused("NotAuthorizedException", "Incorrect username or password."):
            at(srp(cognito, pool), seconds).authenticate_user()
    emulator.switch(timestamp_seconds=None)
    assert "AuthenticationResult" in at(srp(cognito, pool), -86400).authenticate_user()


PRIME = f"{int(AWSSRP('a', 'b', 'c_d', 'e', client='none').big_n):x}"


@pytest.mark.parametrize("value", ["0", "000", PRIME, "0" + PRIME.upper(), f"{int(PRIME, 16) * 2:x}"])
def test_public_values_that_prove_nothing(emulator, cognito, value):
    """With A = 0 modulo N the shared secret is 0 whatever the password is."""
    pool = made(emulator, devices="always", first_factors=["PASSWORD"], custom_rounds=[{"public": {}, "answer": "it"}])
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    key = {"DEVICE_KEY": confirmed_device(cognito, begin(cognito, pool)["AuthenticationResult"])["device_key"]}
    device, choice = begin(cognito, pool, **key), begin(cognito, pool, flow="USER_AUTH")
    for first_step in (
        lambda: begin(cognito, pool, flow="USER_SRP_AUTH", SRP_A=value),
        lambda: begin(cognito, pool, "nobody", flow="USER_SRP_AUTH", SRP_A=value),
        lambda: begin(cognito, pool, flow="USER_AUTH", PREFERRED_CHALLENGE="PASSWORD_SRP", SRP_A=value),
        lambda: begin(cognito, pool, flow="CUSTOM_AUTH", CHALLENGE_NAME="SRP_A", SRP_A=value),
        lambda: respond(cognito, pool, choice, ANSWER="PASSWORD_SRP", SRP_A=value),
        lambda: respond(cognito, pool, device, SRP_A=value, **key),
    ):
        with refused("InvalidParameterException", "SRP_A"):
            first_step()


def test_proofs_in_another_name(emulator, cognito):
    pool = made(emulator, first_factors=["PASSWORD"], alias_attributes=["email"])
    for name in ("alice", "bob"):
        emulator.user(pool["pool_id"], name, PASSWORD, email=f"{name}@example.com")

    def proved(name, flow="USER_SRP_AUTH", **more):
        client = srp(cognito, pool)
        challenge = begin(cognito, pool, flow=flow, SRP_A=client.get_auth_params()["SRP_A"], **more)
        claimed = {"USERNAME": name}
        members = {"Session": challenge["Session"]} if "Session" in challenge else {}
        return cognito.respond_to_auth_challenge(
            ClientId=pool["client_id"],
            ChallengeName="PASSWORD_VERIFIER",
            ChallengeResponses={**client.process_challenge(challenge["ChallengeParameters"], claimed), **claimed},
            **members,
        )

    for name in ("bob", "nobody", "bob@example.com"):
        with refused("NotAuthorizedException", "Incorrect username or password."):
            proved(name)
        with refused("NotAuthorizedException", "Invalid session for the user."):
            proved(name, "USER_AUTH", PREFERRED_CHALLENGE="PASSWORD_SRP")
    for name in ("alice", "alice@example.com"):
        assert "AuthenticationResult" in proved(name)
        assert "AuthenticationResult" in proved(name, "USER_AUTH", PREFERRED_CHALLENGE="PASSWORD_SRP")


# CUSTOM_AUTH


def test_custom_rounds(emulator, cognito):
    rounds = [
        {"public": {"question": "What\u001b[31m is it?", "n": "1"}, "answer": "it"},
        {"public": {"question": "And now?"}, "answer": "now"},
    ]
    pool = made(emulator, custom_rounds=rounds, custom_attempts=2)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    challenge = begin(cognito, pool, flow="CUSTOM_AUTH")
    assert challenge["ChallengeName"] == "CUSTOM_CHALLENGE"
    assert challenge["ChallengeParameters"] == {"USERNAME": "alice", **rounds[0]["public"]}
    again = respond(cognito, pool, challenge, ANSWER="wrong")
    assert again["ChallengeParameters"] == challenge["ChallengeParameters"]
    with refused("NotAuthorizedException", "session can only be used once"):
        respond(cognito, pool, challenge, ANSWER="it")
    second = respond(cognito, pool, again, ANSWER="it")
    assert second["ChallengeParameters"]["question"] == "And now?"
    assert "AuthenticationResult" in respond(cognito, pool, second, ANSWER="now")
    client = srp(cognito, pool)
    first = begin(cognito, pool, flow="CUSTOM_AUTH", CHALLENGE_NAME="SRP_A", SRP_A=client.get_auth_params()["SRP_A"])
    assert first["ChallengeName"] == "PASSWORD_VERIFIER"
    challenge = respond(cognito, pool, first, **proof(client, first))
    challenge = respond(cognito, pool, challenge, ANSWER="")
    with refused("NotAuthorizedException", "Incorrect username or password."):
        respond(cognito, pool, challenge, ANSWER="wrong")
    with refused("InvalidParameterException", "Custom auth lambda trigger is not configured"):
        begin(cognito, made(emulator), flow="CUSTOM_AUTH")


# Refusals and surprises


def test_lambda_refusal(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD, lambda_refusal="Not on Sundays")
    with refused("UserLambdaValidationException", "PreAuthentication failed with error Not on Sundays."):
        begin(cognito, pool)
    with refused("UserLambdaValidationException"):
        srp(cognito, pool).authenticate_user()
    emulator.user(pool["pool_id"], "bob", PASSWORD)
    assert "AuthenticationResult" in begin(cognito, pool, "bob")
    emulator.fault("InitiateAuth", "lambda_refusal", times=1, text="Closed")
    with refused("UserLambdaValidationException", "PreAuthentication failed with error Closed."):
        begin(cognito, pool, "bob")


def test_unknown_challenge(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    emulator.fault("InitiateAuth", "unknown_challenge", times=1)
    assert begin(cognito, pool)["ChallengeName"] == "RETINA_SCAN"


def test_context_and_metadata_are_logged(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    more = {"UserContextData": {"IpAddress": "192.0.2.7"}, "ClientMetadata": {"service": "sshd"}}
    cognito.initiate_auth(
        AuthFlow="USER_PASSWORD_AUTH",
        ClientId=pool["client_id"],
        AuthParameters={"USERNAME": "alice", "PASSWORD": PASSWORD},
        **more,
    )
    assert more.items() <= emulator.requests("InitiateAuth")[-1]["body"].items()


# Devices


def confirmed_device(cognito, tokens, remember=None):
    """A device registered with pycognito's arithmetic: key, group key, password."""
    new = tokens["NewDeviceMetadata"]
    password, verifier = generate_hash_device(new["DeviceGroupKey"], new["DeviceKey"])
    access = {"AccessToken": tokens["AccessToken"], "DeviceKey": new["DeviceKey"]}
    confirmed = cognito.confirm_device(**access, DeviceSecretVerifierConfig=verifier, DeviceName="host")
    assert confirmed["UserConfirmationNecessary"] is (remember is not None)
    if remember is not None:
        cognito.update_device_status(**access, DeviceRememberedStatus="remembered" if remember else "not_remembered")
    return {
        "device_key": new["DeviceKey"],
        "device_group_key": new["DeviceGroupKey"],
        "device_password": password,
    }


def device_proof(client, challenge):
    answer = client.process_device_challenge(challenge["ChallengeParameters"])
    return {"name": answer.pop("USERNAME"), **answer}


def test_device_by_pycognito(emulator, cognito):
    pool = made(emulator, devices="always", device_sessions=False, mfa="OPTIONAL")
    emulator.user(pool["pool_id"], "alice", PASSWORD, mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
    challenge = begin(cognito, pool)
    tokens = respond(cognito, pool, challenge, SOFTWARE_TOKEN_MFA_CODE=totp())["AuthenticationResult"]
    device = confirmed_device(cognito, tokens)
    for _ in range(2):
        result = srp(cognito, pool, **device).authenticate_user()["AuthenticationResult"]
        assert "NewDeviceMetadata" not in result
    assert claims_of(result["AccessToken"])["device_key"] == device["device_key"]
    for wrong in ({"device_password": "guessed"}, {"device_group_key": "-other"}):
        with refused("NotAuthorizedException", "Incorrect username or password."):
            srp(cognito, pool, **{**device, **wrong}).authenticate_user()
    with refused("ResourceNotFoundException", "Device does not exist."):
        srp(cognito, pool, **{**device, "device_key": f"{emulator.region}_{uuid.uuid4()}"}).authenticate_user()
    emulator.forget_devices(pool["pool_id"], "alice")
    with refused("ResourceNotFoundException", "Device does not exist."):
        srp(cognito, pool, **device).authenticate_user()


@pytest.mark.parametrize("device_sessions", [True, False, "first"])
def test_sessions_of_device_challenges(emulator, cognito, device_sessions):
    """Where a challenge has one it is wanted back, and where it has none none is taken."""
    pool = made(emulator, devices="always", device_sessions=device_sessions)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    device = confirmed_device(cognito, begin(cognito, pool)["AuthenticationResult"])
    client, key = srp(cognito, pool, **device), {"DEVICE_KEY": device["device_key"]}

    def answer(name, session, **responses):
        members = {"Session": session} if session else {}
        responses = {"USERNAME": "alice", **key, **responses}
        return cognito.respond_to_auth_challenge(
            ClientId=pool["client_id"], ChallengeName=name, ChallengeResponses=responses, **members
        )

    asked = begin(cognito, pool, **key)
    other = made(emulator)
    emulator.user(other["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    foreign = begin(cognito, other)["Session"]
    first = {"SRP_A": client.get_auth_params()["SRP_A"]}
    assert ("Session" in asked) is bool(device_sessions)
    for wrong in [foreign, None] if device_sessions else [foreign]:
        with refused("NotAuthorizedException" if wrong else "InvalidParameterException"):
            answer("DEVICE_SRP_AUTH", wrong, **first)
    verifier = answer("DEVICE_SRP_AUTH", asked.get("Session"), **first)
    assert ("Session" in verifier) is (device_sessions is True)
    proved = {k: v for k, v in client.process_device_challenge(verifier["ChallengeParameters"]).items()}
    for wrong in [foreign, None] if device_sessions is True else [foreign]:
        with refused("NotAuthorizedException" if wrong else "InvalidParameterException"):
            answer("DEVICE_PASSWORD_VERIFIER", wrong, **proved)
    assert "AuthenticationResult" in answer("DEVICE_PASSWORD_VERIFIER", verifier.get("Session"), **proved)
    with refused("NotAuthorizedException"):
        answer("DEVICE_PASSWORD_VERIFIER", verifier.get("Session") or asked.get("Session"), **proved)


def test_device_sessions(emulator, cognito):
    pool = made(emulator, devices="opt_in", mfa="ON", mfa_methods=["SOFTWARE_TOKEN_MFA"])
    emulator.user(pool["pool_id"], "alice", PASSWORD, mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
    tokens = respond(cognito, pool, begin(cognito, pool), SOFTWARE_TOKEN_MFA_CODE=totp())["AuthenticationResult"]
    device = confirmed_device(cognito, tokens, remember=True)
    client, key = srp(cognito, pool, **device), {"DEVICE_KEY": device["device_key"]}
    challenge = begin(cognito, pool, **key)
    assert challenge["ChallengeName"] == "DEVICE_SRP_AUTH"
    with refused("InvalidParameterException", "Missing required parameter DEVICE_KEY"):
        respond(cognito, pool, challenge, SRP_A="2")
    with refused("InvalidParameterException", "sRPA"):
        respond(cognito, pool, challenge, SRP_A="xyz", **key)
    verifier = respond(cognito, pool, challenge, SRP_A=client.get_auth_params()["SRP_A"], **key)
    assert verifier["ChallengeParameters"].keys() == {"SALT", "SRP_B", "SECRET_BLOCK", "DEVICE_KEY", "USERNAME"}
    answer = device_proof(client, verifier)
    with refused("NotAuthorizedException", "Incorrect username or password."):
        respond(cognito, pool, verifier, **{**answer, "PASSWORD_CLAIM_SIGNATURE": "AAAA"})
    assert "AuthenticationResult" in respond(cognito, pool, verifier, **answer)
    with refused("NotAuthorizedException", "session can only be used once"):
        respond(cognito, pool, verifier, **answer)
    access = {"AccessToken": tokens["AccessToken"], **{"DeviceKey": device["device_key"]}}
    cognito.update_device_status(**access, DeviceRememberedStatus="not_remembered")
    challenge = begin(cognito, pool, **key)
    assert challenge["ChallengeName"] == "SOFTWARE_TOKEN_MFA"
    challenge = respond(cognito, pool, challenge, SOFTWARE_TOKEN_MFA_CODE=totp(), **key)
    assert challenge["ChallengeName"] == "DEVICE_SRP_AUTH"
    assert cognito.get_device(**access)["Device"]["DeviceKey"] == device["device_key"]
    assert len(cognito.list_devices(AccessToken=tokens["AccessToken"])["Devices"]) == 1
    with refused("DeviceKeyExistsException"):
        cognito.confirm_device(**access, DeviceSecretVerifierConfig={"PasswordVerifier": "AAAB", "Salt": "AAAB"})
    cognito.forget_device(**access)
    with refused("ResourceNotFoundException", "Device does not exist."):
        cognito.get_device(**access)


def test_refresh_wants_the_device(emulator, cognito):
    pool = made(emulator, devices="always")
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    unconfirmed, tokens = (begin(cognito, pool)["AuthenticationResult"] for _ in range(2))
    device = confirmed_device(cognito, tokens)

    def refresh(tokens, **more):
        return cognito.initiate_auth(
            AuthFlow="REFRESH_TOKEN_AUTH",
            ClientId=pool["client_id"],
            AuthParameters={"REFRESH_TOKEN": tokens["RefreshToken"], **more},
        )

    for wrong in ({}, {"DEVICE_KEY": unconfirmed["NewDeviceMetadata"]["DeviceKey"]}):
        with refused("NotAuthorizedException", "Invalid Refresh Token."):
            refresh(tokens, **wrong)
    with refused("NotAuthorizedException", "Invalid Refresh Token."):
        refresh(unconfirmed, DEVICE_KEY=unconfirmed["NewDeviceMetadata"]["DeviceKey"])
    fresh = refresh(tokens, DEVICE_KEY=device["device_key"])["AuthenticationResult"]
    assert claims_of(fresh["AccessToken"])["device_key"] == device["device_key"]
    given = {"RefreshToken": tokens["RefreshToken"], "ClientId": pool["client_id"]}
    assert cognito.get_tokens_from_refresh_token(**given, DeviceKey=device["device_key"])
    assert emulator.tokens_alive(refresh=tokens["RefreshToken"])["refresh"] is True
    emulator.forget_devices(pool["pool_id"], "alice")
    with refused("NotAuthorizedException", "Invalid Refresh Token."):
        cognito.get_tokens_from_refresh_token(**given, DeviceKey=device["device_key"])
    assert emulator.tokens_alive(refresh=tokens["RefreshToken"])["refresh"] is False


def test_device_proof_by_vector(monkeypatch, tmp_path):
    # It makes a folder for its state when it is imported.
    monkeypatch.setenv("STATE_DIR", str(tmp_path))
    from ministack.services import cognito as service

    vectors = json.loads((Path(__file__).parent.parent / VECTORS).read_text())["vectors"]
    vector = next(v for v in vectors if v["name"] == "device")
    numbers = (
        vector["expected"]["A_hex"],
        vector["challenge_parameters"]["SRP_B"],
        vector["server_side"]["small_b_hex"],
        vector["server_side"]["verifier_hex"],
    )
    if not hasattr(service, "pow"):
        service.pow = pow
    key = device_proof_key(service, *(int(n, 16) for n in numbers))
    assert key.hex() in vector["expected"].values()


# Passwords forgotten and changed


def test_forgotten_password_tells_nothing(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD, email="alice@example.com")
    emulator.user(pool["pool_id"], "bob", PASSWORD)
    emulator.user(pool["pool_id"], "carol", PASSWORD, email="carol@example.com", enabled=False)
    client = {"ClientId": pool["client_id"]}
    for name in ("alice", "bob", "carol", "nobody"):
        details = cognito.forgot_password(**client, Username=name)["CodeDeliveryDetails"]
        assert (details["DeliveryMedium"], details["AttributeName"]) == ("EMAIL", "email")
        assert len(details["Destination"]) == len("a***@e***")
    assert [m["user"] for m in emulator.outbox()] == ["alice"]
    for name in ("alice", "nobody"):
        with refused("CodeMismatchException", "Invalid verification code provided, please try again."):
            cognito.confirm_forgot_password(**client, Username=name, ConfirmationCode="1", Password=NEW)
    for _ in range(4):
        with refused("CodeMismatchException"):
            cognito.confirm_forgot_password(**client, Username="alice", ConfirmationCode="1", Password=NEW)
    code = emulator.codes("alice")[-1]
    with refused("LimitExceededException", "Attempt limit exceeded, please try after some time."):
        cognito.confirm_forgot_password(**client, Username="alice", ConfirmationCode=code, Password=NEW)
    cognito.forgot_password(**client, Username="alice")
    emulator.expire_codes("alice")
    with refused("ExpiredCodeException"):
        cognito.confirm_forgot_password(
            **client, Username="alice", ConfirmationCode=emulator.codes("alice")[-1], Password=NEW
        )
    open_client = {"ClientId": emulator.app_client(pool["pool_id"], prevent_user_existence_errors=False)["client_id"]}
    with refused("UserNotFoundException", "Username/client id combination not found."):
        cognito.forgot_password(**open_client, Username="nobody")
    with refused("InvalidParameterException", "no registered/verified email or phone_number"):
        cognito.forgot_password(**open_client, Username="bob")


def test_reset_by_an_administrator(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD, phone_number="+493012345678", status="RESET_REQUIRED")
    with refused("PasswordResetRequiredException", "Password reset required for the user"):
        srp(cognito, pool).authenticate_user()
    cognito.confirm_forgot_password(
        ClientId=pool["client_id"], Username="alice", ConfirmationCode=emulator.codes("alice")[-1], Password=NEW
    )
    assert "AuthenticationResult" in begin(cognito, pool, password=NEW)


def test_change_of_password(emulator, cognito):
    pool = made(emulator, password_history=2, first_factors=["PASSWORD", "EMAIL_OTP"])
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    token = {"AccessToken": begin(cognito, pool)["AuthenticationResult"]["AccessToken"]}
    with refused("NotAuthorizedException", "Incorrect username or password."):
        cognito.change_password(**token, PreviousPassword="wrong", ProposedPassword=NEW)
    with refused("InvalidParameterException", "Missing required parameter OldPassword"):
        cognito.change_password(**token, ProposedPassword=NEW)
    with refused("InvalidPasswordException", "Password must have numeric characters"):
        cognito.change_password(**token, PreviousPassword=PASSWORD, ProposedPassword="No-Numbers-At")
    cognito.change_password(**token, PreviousPassword=PASSWORD, ProposedPassword=NEW)
    with refused("PasswordHistoryPolicyViolationException"):
        cognito.change_password(**token, PreviousPassword=NEW, ProposedPassword=PASSWORD)
    emulator.switch(limit_exceeded=True)
    with refused("LimitExceededException", "Attempt limit exceeded, please try after some time."):
        cognito.change_password(**token, PreviousPassword=NEW, ProposedPassword="Third-Time-3")
    with refused("LimitExceededException"):
        cognito.forgot_password(ClientId=pool["client_id"], Username="alice")
    emulator.switch(limit_exceeded=False)
    emulator.user(pool["pool_id"], "bob", None, email="bob@example.com")
    challenge = begin(cognito, pool, "bob", flow="USER_AUTH", PREFERRED_CHALLENGE="EMAIL_OTP")
    tokens = respond(cognito, pool, challenge, "bob", EMAIL_OTP_CODE=emulator.codes("bob")[-1])["AuthenticationResult"]
    cognito.change_password(AccessToken=tokens["AccessToken"], ProposedPassword=NEW)
    assert "AuthenticationResult" in begin(cognito, pool, "bob", password=NEW)


# Robustness


def test_expired_temporary_password(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD, status="FORCE_CHANGE_PASSWORD", temporary_password_expired=True)
    with refused("NotAuthorizedException", "Incorrect username or password."):
        begin(cognito, pool, password="wrong")
    with refused("NotAuthorizedException", "Temporary password has expired"):
        begin(cognito, pool)


def test_other_region_and_administrators(emulator, cognito):
    pool = made(emulator, region="us-east-1", generate_secret=True, mfa="ON", devices="always")
    emulator.user(pool["pool_id"], "alice", PASSWORD, email="alice@example.com", mfa=["EMAIL_OTP"])
    proof = AWSSRP.get_secret_hash("alice", pool["client_id"], pool["client_secret"])
    challenge = begin(cognito, pool, SECRET_HASH=proof)
    with refused("NotAuthorizedException", "SECRET_HASH was not received"):
        respond(cognito, pool, challenge, EMAIL_OTP_CODE=emulator.codes("alice")[-1])
    given = {"EMAIL_OTP_CODE": emulator.codes("alice", pool["pool_id"])[-1], "SECRET_HASH": proof}
    tokens = respond(cognito, pool, challenge, **given)["AuthenticationResult"]
    assert tokens["NewDeviceMetadata"]["DeviceKey"].startswith("us-east-1_")
    cognito.change_password(AccessToken=tokens["AccessToken"], PreviousPassword=PASSWORD, ProposedPassword=NEW)
    by_administrator = emulator.app_client(pool["pool_id"], auth_flows=["ALLOW_ADMIN_USER_PASSWORD_AUTH"])
    target = {"UserPoolId": pool["pool_id"], "ClientId": by_administrator["client_id"]}
    parameters = {"USERNAME": "alice", "PASSWORD": NEW}
    flow = {"AuthFlow": "ADMIN_USER_PASSWORD_AUTH", "AuthParameters": parameters}
    challenge = emulator.admin("AdminInitiateAuth", {**target, **flow})
    answer = {k: challenge[k] for k in ("ChallengeName", "Session")}
    answer["ChallengeResponses"] = {"USERNAME": "alice", "EMAIL_OTP_CODE": emulator.codes("alice")[-1]}
    assert emulator.admin("AdminRespondToAuthChallenge", {**target, **answer})["AuthenticationResult"]


def test_lockout_counts_chosen_passwords(emulator, cognito):
    pool = made(emulator)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    emulator.lockout()
    offered = begin(cognito, pool, flow="USER_AUTH")
    for _ in range(4):
        with refused("NotAuthorizedException", "Incorrect"):
            respond(cognito, pool, offered, ANSWER="PASSWORD", PASSWORD="wrong")
    offered = begin(cognito, pool, flow="USER_AUTH")
    with refused("NotAuthorizedException", "Incorrect"):
        respond(cognito, pool, offered, ANSWER="PASSWORD", PASSWORD="wrong")
    with refused("NotAuthorizedException", "Password attempts exceeded"):
        respond(cognito, pool, offered, ANSWER="PASSWORD", PASSWORD=PASSWORD)


def test_hostile_answers_are_refused(started, cognito):
    """No answer to any challenge may make the emulator fail, or let anybody in."""
    started.reset()
    every = ["SOFTWARE_TOKEN_MFA", "SMS_MFA", "EMAIL_OTP"]
    factors = {"email": "a@example.com", "phone_number": "+4930123", "totp_secret": SECRET, "mfa": every}
    rounds = [{"public": {}, "answer": "it"}]
    options = {"mfa": "ON", "first_factors": FACTORS, "devices": "always", "custom_rounds": rounds}
    pool = made(started, **options)
    started.user(pool["pool_id"], "alice", PASSWORD, passkey=True, **factors)
    started.user(pool["pool_id"], "fresh", PASSWORD, status="FORCE_CHANGE_PASSWORD")
    started.user(pool["pool_id"], "bare", PASSWORD)
    token = respond(cognito, pool, begin(cognito, pool), ANSWER="SOFTWARE_TOKEN_MFA")
    tokens = respond(cognito, pool, token, SOFTWARE_TOKEN_MFA_CODE=totp())["AuthenticationResult"]
    key = confirmed_device(cognito, tokens)["device_key"]

    def started_with(**parameters):
        return begin(cognito, pool, **parameters)

    beginnings = [
        started_with,
        lambda: started_with(name="fresh"),
        lambda: started_with(name="bare"),
        lambda: started_with(flow="CUSTOM_AUTH"),
        lambda: started_with(flow="CUSTOM_AUTH", CHALLENGE_NAME="SRP_A", SRP_A="2"),
        lambda: started_with(DEVICE_KEY=key),
        lambda: started_with(flow="USER_AUTH"),
        lambda: respond(cognito, pool, started_with(DEVICE_KEY=key), SRP_A="f" * 1999, DEVICE_KEY=key),
        *(partial(started_with, flow="USER_AUTH", PREFERRED_CHALLENGE=f) for f in (*FACTORS, "PASSWORD_SRP")),
        *(lambda m=m: respond(cognito, pool, started_with(), ANSWER=m) for m in every),
    ]
    names = ["ANSWER", "NEW_PASSWORD", "PASSWORD", "SRP_A", "CREDENTIAL", "EMAIL", "TIMESTAMP"]
    names += [f"{f}_CODE" for f in ("SOFTWARE_TOKEN_MFA", "SMS_MFA", "EMAIL_OTP", "SMS_OTP")]
    names += ["PASSWORD_CLAIM_SIGNATURE", "PASSWORD_CLAIM_SECRET_BLOCK", "userAttributes.", "userAttributes.sub"]
    # Without botocore, which takes longer than the answer, and would refuse some by itself.
    connection = connection_to(started)
    headers = {
        "X-Amz-Target": "AWSCognitoIdentityProviderService.RespondToAuthChallenge",
        "Content-Type": "application/x-amz-json-1.1",
    }
    for value in ("", "\u0000", "x" * 40_000, "\u0663\u0664\u0665", "=" * 9, "\U0001f9ff", "Ab1!\u0000Ab1!", "0"):
        for beginning in beginnings:
            challenge = beginning()
            given = dict.fromkeys(names, value)
            answer = {"ClientId": pool["client_id"], **{k: challenge[k] for k in ("ChallengeName", "Session")}}
            for more in ({"DEVICE_KEY": value}, {"DEVICE_KEY": key}, {**_block(challenge), **TIME, "DEVICE_KEY": key}):
                for user in ("alice", "fresh", "bare", "nobody", value):
                    answer["ChallengeResponses"] = {"USERNAME": user, **given, **more}
                    connection.request("POST", "/", json.dumps(answer), headers)
                    answered = connection.getresponse()
                    body = answered.read()
                    assert answered.status == 400 or b"AuthenticationResult" not in body, body
    connection.close()
    assert [v for v in started.violations() if "failed" in v["what"]] == []
    assert "AuthenticationResult" not in begin(cognito, pool)


TIME = {"TIMESTAMP": "Tue Sep 5 14:03:07 UTC 2023"}


def _block(challenge):
    block = challenge["ChallengeParameters"].get("SECRET_BLOCK")
    return {"PASSWORD_CLAIM_SECRET_BLOCK": block} if block else {}


def test_users_disabled_or_deleted_between_two_steps(emulator, cognito):
    pool = made(emulator, mfa="ON")
    target = {"UserPoolId": pool["pool_id"], "Username": "alice"}
    emulator.user(pool["pool_id"], "alice", PASSWORD, email="alice@example.com", mfa=["EMAIL_OTP"])
    challenge = begin(cognito, pool)
    emulator.admin("AdminDisableUser", target)
    code = emulator.codes("alice")[-1]
    with refused("NotAuthorizedException", "User is disabled."):
        respond(cognito, pool, challenge, EMAIL_OTP_CODE=code)
    emulator.admin("AdminDeleteUser", target)
    with refused("NotAuthorizedException", "Invalid session for the user."):
        respond(cognito, pool, challenge, EMAIL_OTP_CODE=code)
    emulator.user(pool["pool_id"], "alice", PASSWORD)
    with refused("NotAuthorizedException", "Invalid session for the user."):
        respond(cognito, pool, challenge, EMAIL_OTP_CODE=code)


def test_aliases_name_the_same_user(emulator, cognito):
    pool = made(emulator, username_attributes=["email"], mfa="ON")
    user = emulator.user(pool["pool_id"], "alice@example.com", PASSWORD, mfa=["EMAIL_OTP"])
    for name in ("alice@example.com", user["username"]):
        challenge = begin(cognito, pool, "alice@example.com")
        code = emulator.codes("alice@example.com", pool["pool_id"])[-1]
        assert "AuthenticationResult" in respond(cognito, pool, challenge, name, EMAIL_OTP_CODE=code)
