"""Levels of authentication, as a client of Amazon's meets them: our reading, see `behaviours/levels.py`."""

from __future__ import annotations

import time

import pytest

from .asking import PASSWORD, SECRET, claims_of, refused
from .test_challenges import begin, made, respond, totp

ONE, TWO, THREE, FOUR = (f"urn:cognito:loa:{n}" for n in range(1, 5))
FACTORS = ["PASSWORD", "EMAIL_OTP"]


@pytest.fixture
def emulator(emulator):
    yield emulator
    assert emulator.violations() == []


@pytest.fixture
def pool(emulator):
    found = made(emulator, first_factors=FACTORS)
    app = {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET}
    emulator.user(found["pool_id"], "alice", PASSWORD, email="alice@example.com", **app)
    emulator.user(found["pool_id"], "bob", PASSWORD, email="bob@example.com", mfa=["EMAIL_OTP"])
    emulator.user(found["pool_id"], "carol", PASSWORD)
    return found


@pytest.fixture
def ask(cognito, pool):
    def asked(target=None, name="alice", preferred="PASSWORD", **more):
        parameters = {"PREFERRED_CHALLENGE": preferred, **more}
        if preferred == "PASSWORD":
            parameters["PASSWORD"] = PASSWORD
        if target is not None:
            parameters["TARGET_ACR_VALUES"] = target
        return begin(cognito, pool, name, flow="USER_AUTH", **parameters)

    return asked


@pytest.fixture
def step_up(cognito, pool):
    def asked(token, target, name="alice", **more):
        return begin(cognito, pool, name, flow="USER_AUTH", ACCESS_TOKEN=token, TARGET_ACR_VALUES=target, **more)

    return asked


def access(answer):
    return answer["AuthenticationResult"]["AccessToken"]


def proof(answer):
    access_claims, identity = (claims_of(answer["AuthenticationResult"][m]) for m in ("AccessToken", "IdToken"))
    assert access_claims.get("acr") == identity.get("acr") and access_claims.get("amr") == identity.get("amr")
    return access_claims.get("acr"), access_claims.get("amr")


def test_levels(emulator, cognito, pool, ask):
    assert proof(ask()) == (None, None), "a sign-in that asks for no level has none"
    assert proof(ask(ONE)) == (ONE, ["pwd"])
    code = ask(f"urn:unknown {FOUR} {ONE}")
    assert code["ChallengeName"] == "SOFTWARE_TOKEN_MFA"
    whole = respond(cognito, pool, code, SOFTWARE_TOKEN_MFA_CODE=totp())
    assert proof(whole) == (FOUR, ["pwd", "otp", "mfa"])
    assert proof(ask(f"{FOUR} {ONE}", "carol")) == (ONE, ["pwd"]), "the first that the user can reach"
    sent = ask(THREE, "bob")
    code = emulator.codes("bob", pool["pool_id"])[-1]
    assert proof(respond(cognito, pool, sent, "bob", EMAIL_OTP_CODE=code)) == (THREE, ["pwd", "email_otp", "mfa"])
    # A refresh keeps what was proved, and when.
    tokens = whole["AuthenticationResult"]
    renewed = cognito.initiate_auth(
        AuthFlow="REFRESH_TOKEN_AUTH",
        ClientId=pool["client_id"],
        AuthParameters={"REFRESH_TOKEN": tokens["RefreshToken"]},
    )
    assert proof(renewed) == (FOUR, ["pwd", "otp", "mfa"])
    assert claims_of(access(renewed))["auth_time"] == claims_of(tokens["AccessToken"])["auth_time"]


def test_step_up(cognito, pool, ask, step_up):
    one = access(ask(ONE))
    code = step_up(one, FOUR, MAX_AGE="300")
    assert code["ChallengeName"] == "SOFTWARE_TOKEN_MFA"
    with refused("CodeMismatchException"):
        respond(cognito, pool, code, SOFTWARE_TOKEN_MFA_CODE="000000")
    four = respond(cognito, pool, code, SOFTWARE_TOKEN_MFA_CODE=totp())
    assert proof(four) == (FOUR, ["pwd", "otp", "mfa"])
    assert claims_of(access(four))["origin_jti"] != claims_of(one)["origin_jti"]
    for met in (FOUR, ONE, f"{ONE} {FOUR}"):
        with refused("InvalidParameterException", "satisfies"):
            step_up(access(four), met)


def test_no_credit(emulator, cognito, pool, ask, step_up):
    """From the beginning: a token without `amr`, and one that is older than MAX_AGE."""
    emulator.fault("InitiateAuth", "claims", set={"auth_time": int(time.time()) - 100})
    old = access(ask(ONE))
    emulator.clear_faults()
    assert step_up(old, FOUR, MAX_AGE="300")["ChallengeName"] == "SOFTWARE_TOKEN_MFA"
    for token, more in ((access(ask()), {}), (old, {"MAX_AGE": "60"})):
        offered = step_up(token, FOUR, **more)
        assert offered["ChallengeName"] == "SELECT_CHALLENGE"
        assert set(offered["AvailableChallenges"]) == {"PASSWORD", "PASSWORD_SRP"}


def test_refused(emulator, cognito, pool, ask, step_up):
    one, bobs = access(ask(ONE)), access(ask(ONE, "bob"))
    with refused("NotAuthorizedException"):
        step_up(bobs, FOUR)
    with refused("NotAuthorizedException"):
        step_up("not.a.token", FOUR)
    with refused("InvalidParameterException", "ACCESS_TOKEN needs"):
        begin(cognito, pool, flow="USER_AUTH", ACCESS_TOKEN=one)
    for target in ("urn:unknown", " "):
        with refused("InvalidParameterException", "no valid value"):
            ask(target)
    with refused("InvalidParameterException", "no factors"):
        ask(FOUR, "carol")
    for age in ("-1", "1.5", "ten"):
        with refused("InvalidParameterException", "MAX_AGE"):
            step_up(one, FOUR, MAX_AGE=age)
    cognito.global_sign_out(AccessToken=one)
    with refused("NotAuthorizedException", "revoked"):
        step_up(one, FOUR)


def test_pools(emulator, cognito):
    def sign_in(target, **options):
        found = made(emulator, first_factors=FACTORS, **options)
        emulator.user(found["pool_id"], "alice", PASSWORD)
        return begin(
            cognito,
            found,
            flow="USER_AUTH",
            PREFERRED_CHALLENGE="PASSWORD",
            PASSWORD=PASSWORD,
            TARGET_ACR_VALUES=target,
        )

    assert proof(sign_in(FOUR, levels="ignored")) == (None, None)
    assert proof(sign_in("gold", acr_names={"Level1": "gold"})) == ("gold", ["pwd"])
    with refused("InvalidParameterException"):
        sign_in(ONE, acr_names={"Level1": "gold"})
    lite = made(emulator, parameters={"UserPoolTier": "LITE"})
    emulator.user(lite["pool_id"], "alice", PASSWORD)
    with refused("FeatureUnavailableInTierException"):
        begin(cognito, lite, flow="USER_AUTH", PREFERRED_CHALLENGE="PASSWORD", PASSWORD=PASSWORD, TARGET_ACR_VALUES=ONE)
