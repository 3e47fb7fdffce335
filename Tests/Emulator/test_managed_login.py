"""Managed login as an application sees it: authorization code with PKCE, and the tokens that come of it."""

from __future__ import annotations

import base64
import http.client
import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from authlib.integrations.requests_client import OAuth2Session, OAuthError

from Emulator.asking import PASSWORD, claims_of, connection_to, keys_of
from Emulator.browser import Browser, PageError
from Emulator.client import EmulatorError
from Emulator.managed_login import s256

REDIRECT = "https://redirect.example.com/done"
SCOPES = ("openid", "email", "aws.cognito.signin.user.admin")
FOREIGN = "Foreign-Horse-1"
# RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.fixture(scope="module")
def started(started):
    started.foreign_user("alice", FOREIGN, email="alice@example.com", email_verified=True, team=["a", "b"])
    started.foreign_user("bob", FOREIGN, email="bob@example.com", email_verified=False)
    return started


def federated_pool(emulator, **client):
    made = emulator.pool(groups=["linux"], auth_flows=["ALLOW_REFRESH_TOKEN_AUTH"], **client)
    mapping = {"email": "email", "email_verified": "email_verified", "custom:team": "team"}
    emulator.federate(made, redirect_uris=[REDIRECT, f"{REDIRECT}/2"], scopes=SCOPES, attribute_mapping=mapping)
    return made


@pytest.fixture(scope="module")
def pool(started):
    return federated_pool(started)


@pytest.fixture(scope="module")
def secret_pool(started):
    return federated_pool(started, generate_secret=True)


def address(emulator, pool, **changed):
    """The address of a sound client; None leaves a parameter out."""
    asked = {
        "response_type": "code",
        "client_id": pool["client_id"],
        "redirect_uri": REDIRECT,
        "scope": " ".join(SCOPES),
        "state": "the state",
        "nonce": "the nonce",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "identity_provider": "Example",
        **changed,
    }
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    return f"https://{emulator.managed_login_domain}/oauth2/authorize?{query}"


def parameters(address):
    assert address.startswith(REDIRECT + "?")
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def code_of(emulator, pool, name="alice", **changed):
    return parameters(emulator.browse(address(emulator, pool, **changed), name, FOREIGN))["code"]


def post(emulator, path, form, basic=None, headers=None, timeout=30):
    """(status, headers, body) of a POST to managed login; the body is parsed where it is JSON."""
    connection = connection_to(emulator, emulator.managed_login_domain, timeout)
    sent = {"Content-Type": "application/x-www-form-urlencoded", "User-Agent": "test", **(headers or {})}
    if basic is not None:
        sent["Authorization"] = "Basic " + base64.b64encode(":".join(basic).encode()).decode()
    form = {name: value for name, value in form.items() if value is not None}
    connection.request("POST", path, urlencode(form), sent)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    is_json = (answer.headers["Content-Type"] or "").startswith("application/json")
    return answer.status, answer.headers, json.loads(body) if is_json else body


def redeem(emulator, pool, code, basic=None, timeout=30, **changed):
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": REDIRECT,
        "client_id": pool["client_id"],
        "code_verifier": VERIFIER,
        **changed,
    }
    return post(emulator, "/oauth2/token", form, basic, timeout=timeout)


def sign_in(emulator, pool, name="alice", **changed):
    status, _headers, tokens = redeem(emulator, pool, code_of(emulator, pool, name, **changed))
    assert status == 200, tokens
    return tokens


def test_the_vector_of_rfc_7636():
    assert s256(VERIFIER) == CHALLENGE


def test_sign_in(emulator, pool):
    status, headers, tokens = redeem(emulator, pool, code_of(emulator, pool))
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    assert set(tokens) == {"access_token", "id_token", "refresh_token", "expires_in", "token_type"}
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 3600)
    access, identity = claims_of(tokens["access_token"]), claims_of(tokens["id_token"])
    assert set(access["scope"].split()) == set(SCOPES)
    assert access["username"] == identity["cognito:username"] == "Example_alice"
    assert access["iss"] == identity["iss"] == pool["issuer"]
    assert (access["client_id"], identity["aud"]) == (pool["client_id"], pool["client_id"])
    assert (identity["email"], identity["email_verified"]) == ("alice@example.com", True)
    assert identity["custom:team"] == "[a, b]"
    assert identity["nonce"] == "the nonce"
    assert identity["cognito:groups"] == [f"{pool['pool_id']}_Example"]
    (entry,) = identity["identities"]
    assert entry.pop("dateCreated").isdecimal()
    assert entry == {
        "userId": "alice",
        "providerName": "Example",
        "providerType": "OIDC",
        "issuer": None,
        "primary": "true",
    }
    user = emulator.admin("AdminGetUser", {"UserPoolId": pool["pool_id"], "Username": "Example_alice"})
    assert user["UserStatus"] == "EXTERNAL_PROVIDER"
    # The same user when she comes again, with what her provider says now.
    emulator.foreign_user("alice", FOREIGN, email="alice@example.net", email_verified=True)
    again = claims_of(sign_in(emulator, pool)["id_token"])
    assert (again["sub"], again["email"]) == (identity["sub"], "alice@example.net")
    assert not emulator.violations()


def test_tokens_are_signed_by_the_pool(emulator, pool):
    tokens = sign_in(emulator, pool)
    keys = keys_of(emulator, pool)
    for token, audience in ((tokens["access_token"], None), (tokens["id_token"], pool["client_id"])):
        key = keys[jwt.get_unverified_header(token)["kid"]]
        jwt.decode(token, key, algorithms=["RS256"], issuer=pool["issuer"], audience=audience)


def test_state_comes_back(emulator, pool):
    for state in ("x", "a b&c=d%/?#", secrets.token_urlsafe(32)):
        assert parameters(emulator.browse(address(emulator, pool, state=state), "alice", FOREIGN))["state"] == state


def test_an_address_is_verified_only_where_the_provider_says_so(emulator, pool):
    assert claims_of(sign_in(emulator, pool, "bob")["id_token"])["email_verified"] is False


def test_what_the_foreign_provider_is_asked(emulator, pool):
    code_of(emulator, pool, prompt="login", login_hint="alice")
    code_of(emulator, pool)
    first, _form, second, _form = (request["body"] for request in emulator.provider_requests())
    assert (first["prompt"], first["login_hint"], first["response_type"]) == ("login", "alice", "code")
    assert not {"prompt", "login_hint"} & set(second)
    # What is for the pool stays there.
    assert not {"nonce", "code_challenge", "identity_provider"} & set(first)
    assert first["state"] != "the state"
    assert not emulator.violations()


def test_a_browser_that_is_known_signs_in_by_itself_unless_asked_to_prompt(emulator, pool):
    browser = Browser(emulator.ca)
    browser.sign_in(address(emulator, pool), "alice", FOREIGN)
    assert parameters(browser.sign_in(address(emulator, pool), "nobody", "wrong"))["code"]
    with pytest.raises(PageError, match="wrong"):
        browser.sign_in(address(emulator, pool, prompt="login"), "alice", "wrong")


def test_a_user_who_refuses(emulator, pool):
    assert parameters(emulator.browse_and_deny(address(emulator, pool))) == {
        "error": "access_denied",
        "error_description": "The user denied the request.",
        "state": "the state",
    }


def test_a_wrong_password(emulator, pool):
    with pytest.raises(EmulatorError, match="the password is wrong"):
        emulator.browse(address(emulator, pool), "alice", "wrong")


@pytest.mark.parametrize(
    ("changed", "error", "description"),
    [
        ({"response_type": None}, "invalid_request", "Invalid response_type"),
        ({"response_type": "token"}, "unauthorized_client", None),
        ({"scope": "openid phone"}, "invalid_request", "invalid_scope"),
        ({"code_challenge_method": "plain"}, "invalid_request", "code_challenge_method must be S256"),
        ({"code_challenge_method": None}, "invalid_request", "code_challenge_method must be S256"),
        ({"code_challenge": None}, "invalid_request", "code_challenge_method must be S256"),
        ({"code_challenge": "short"}, "invalid_request", "Invalid code_challenge"),
    ],
)
def test_errors_that_the_application_hears_of(emulator, pool, changed, error, description):
    found = parameters(emulator.browse(address(emulator, pool, **changed), "alice", FOREIGN))
    assert found == {
        "error": error,
        "state": "the state",
        **({"error_description": description} if description else {}),
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": "0" * 26},
        {"redirect_uri": REDIRECT + "/"},
        {"redirect_uri": REDIRECT + "?more"},
        {"redirect_uri": "https://redirect.example.com/Done"},
        {"redirect_uri": None},
        {"identity_provider": "Another"},
        {"identity_provider": None},
    ],
)
def test_errors_that_only_the_browser_shows(emulator, pool, changed):
    with pytest.raises(EmulatorError, match="400 at "):
        emulator.browse(address(emulator, pool, **changed), "alice", FOREIGN)


def test_an_app_client_without_the_provider(emulator, pool):
    other = {**pool, **emulator.app_client(pool["pool_id"])}
    with pytest.raises(EmulatorError, match="redirect_mismatch"):
        emulator.browse(address(emulator, other), "alice", FOREIGN)


@pytest.mark.parametrize(
    "changed",
    [
        {"code_verifier": None},
        {"code_verifier": VERIFIER[:-1] + "l"},
        {"code_verifier": CHALLENGE},
        {"code_verifier": VERIFIER[:42]},
        {"redirect_uri": f"{REDIRECT}/2"},
    ],
)
def test_a_code_is_used_up_by_a_wrong_proof(emulator, pool, changed):
    code = code_of(emulator, pool)
    for more in (changed, {}):
        status, _headers, body = redeem(emulator, pool, code, **more)
        assert (status, body) == (400, {"error": "invalid_grant"})


def test_a_code_is_good_once(emulator, pool):
    code = code_of(emulator, pool)
    assert redeem(emulator, pool, code)[0] == 200
    assert redeem(emulator, pool, code)[2] == {"error": "invalid_grant"}
    assert redeem(emulator, pool, "00000000-0000-4000-8000-000000000000")[2] == {"error": "invalid_grant"}


def test_a_code_is_good_for_five_minutes(emulator, pool):
    code = code_of(emulator, pool)
    assert emulator.expire_authorization_codes(older=200) >= 1
    assert redeem(emulator, pool, code)[0] == 200
    code = code_of(emulator, pool)
    emulator.expire_authorization_codes(older=300)
    assert redeem(emulator, pool, code)[2] == {"error": "invalid_grant"}


def test_a_code_is_for_its_app_client(emulator, pool, secret_pool):
    code = code_of(emulator, pool)
    other = secret_pool["client_id"], secret_pool["client_secret"]
    assert redeem(emulator, pool, code, other, client_id=None)[2] == {"error": "invalid_grant"}
    assert redeem(emulator, pool, code, client_id="0" * 26)[2] == {"error": "invalid_client"}


def test_a_code_without_a_challenge_takes_no_verifier(emulator, pool):
    without = {"code_challenge": None, "code_challenge_method": None}
    assert redeem(emulator, pool, code_of(emulator, pool, **without))[2] == {"error": "invalid_grant"}
    assert redeem(emulator, pool, code_of(emulator, pool, **without), code_verifier=None)[0] == 200
    # A client that does without is told in the log.
    assert any("no code_challenge" in found["what"] for found in emulator.violations())


def test_a_client_secret(emulator, secret_pool):
    code = code_of(emulator, secret_pool)
    client_id, secret = secret_pool["client_id"], secret_pool["client_secret"]
    wrong = {"error": "invalid_client", "error_description": "invalid_client_secret"}
    assert redeem(emulator, secret_pool, code)[2] == wrong
    assert redeem(emulator, secret_pool, code, (client_id, "wrong"))[2] == wrong
    assert redeem(emulator, secret_pool, code, ("0" * 26, secret))[2] == {"error": "invalid_client"}
    # None of this used the code up.
    assert redeem(emulator, secret_pool, code, (client_id, secret))[0] == 200
    code = code_of(emulator, secret_pool)
    assert redeem(emulator, secret_pool, code, client_secret=secret)[0] == 200
    assert not emulator.violations()


def test_a_secret_of_a_client_that_has_none(emulator, pool):
    code = code_of(emulator, pool)
    assert redeem(emulator, pool, code, (pool["client_id"], "x"))[2]["error"] == "invalid_client"


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"grant_type": None}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"code": None}, "invalid_request"),
        ({"redirect_uri": None}, "invalid_request"),
    ],
)
def test_other_requests_for_tokens(emulator, pool, form, error):
    assert redeem(emulator, pool, form.pop("code", "x"), **form)[2] == {"error": error}


def test_requests_that_a_sound_client_does_not_make(emulator, pool):
    emulator.browse(address(emulator, pool, colour="blue"), "alice", FOREIGN)
    redeem(emulator, pool, "x", code_verifier="short", state="x")
    post(emulator, "/oauth2/token", {"grant_type": "x"}, headers={"Content-Type": "application/json"})
    post(emulator, "/elsewhere", {})
    post(emulator, "/oauth2/revoke", {}, headers={"User-Agent": ""})
    found = [violation["what"] for violation in emulator.violations()]
    for what in ("'colour'", "none by RFC 7636", "'state'", "application/json", "/elsewhere", "no User-Agent"):
        assert any(what in text for text in found), what


def alive(emulator, tokens):
    found = emulator.tokens_alive(access=tokens["access_token"], refresh=tokens["refresh_token"])
    return found["access"], found["refresh"]


def test_refresh(emulator, pool, secret_pool):
    tokens = sign_in(emulator, pool)
    members = {"ClientId": pool["client_id"], "RefreshToken": tokens["refresh_token"]}
    result = emulator.admin("GetTokensFromRefreshToken", members)["AuthenticationResult"]
    form = {
        "grant_type": "refresh_token",
        "refresh_token": tokens["refresh_token"],
        "client_id": pool["client_id"],
    }
    status, _headers, body = post(emulator, "/oauth2/token", form)
    assert status == 200 and "refresh_token" not in body
    before = claims_of(tokens["access_token"])
    for access, identity in (
        (result["AccessToken"], result["IdToken"]),
        (body["access_token"], body["id_token"]),
    ):
        for claim in ("sub", "username", "origin_jti", "auth_time", "scope", "cognito:groups"):
            assert claims_of(access)[claim] == before[claim]
        assert claims_of(identity)["identities"][0]["userId"] == "alice"
    other = secret_pool["client_id"], secret_pool["client_secret"]
    assert post(emulator, "/oauth2/token", {**form, "client_id": None}, other)[2]["error"] == "invalid_grant"
    assert post(emulator, "/oauth2/token", {**form, "refresh_token": "x"})[2]["error"] == "invalid_grant"


def test_the_end_by_revoke_token(emulator, pool):
    tokens, others = sign_in(emulator, pool), sign_in(emulator, pool)
    emulator.admin("RevokeToken", {"Token": tokens["refresh_token"], "ClientId": pool["client_id"]})
    assert alive(emulator, tokens) == (False, False)
    assert alive(emulator, others) == (True, True)
    form = {"token": others["refresh_token"], "client_id": pool["client_id"]}
    assert post(emulator, "/oauth2/revoke", form)[0] == 200
    assert alive(emulator, others) == (False, False)


def test_the_end_by_global_sign_out(emulator, pool):
    tokens, others = sign_in(emulator, pool), sign_in(emulator, pool)
    emulator.admin("GlobalSignOut", {"AccessToken": tokens["access_token"]})
    assert alive(emulator, tokens) == alive(emulator, others) == (False, False)


def test_a_token_without_the_scope_for_users(emulator, pool):
    tokens = sign_in(emulator, pool, scope="openid")
    assert claims_of(tokens["access_token"])["scope"] == "openid"
    for operation in ("GlobalSignOut", "GetUser"):
        with pytest.raises(EmulatorError, match="Access Token does not have required scopes") as caught:
            emulator.admin(operation, {"AccessToken": tokens["access_token"]})
        assert caught.value.name == "NotAuthorizedException"
    assert emulator.tokens_alive(refresh=tokens["refresh_token"])["refresh"]
    emulator.admin("RevokeToken", {"Token": tokens["refresh_token"], "ClientId": pool["client_id"]})
    assert not emulator.tokens_alive(refresh=tokens["refresh_token"])["refresh"]


def test_no_id_token_without_openid(emulator, pool):
    assert "id_token" not in sign_in(emulator, pool, scope="aws.cognito.signin.user.admin")


def test_no_scope_is_every_scope(emulator, pool):
    assert set(claims_of(sign_in(emulator, pool, scope=None)["access_token"])["scope"].split()) == set(SCOPES)


def test_a_linked_user(emulator, pool):
    native = emulator.user(pool["pool_id"], "carol", PASSWORD, groups=["linux"], email="carol@example.com")
    emulator.foreign_user("c.arol", FOREIGN, email="carol@example.com", email_verified=True)
    emulator.link(pool["pool_id"], "carol", "Example", "c.arol")
    identity = claims_of(sign_in(emulator, pool, "c.arol")["id_token"])
    assert (identity["cognito:username"], identity["sub"]) == ("carol", native["sub"])
    assert identity["cognito:groups"] == ["linux"]
    (entry,) = identity["identities"]
    assert (entry["userId"], entry["providerName"], entry["primary"]) == ("c.arol", "Example", "false")


def test_a_user_who_is_in_a_group_before_she_comes(emulator, pool):
    subject = "00u1|erin@example.com"
    made = emulator.federated_user(pool["pool_id"], "Example", subject, groups=["linux"])
    emulator.foreign_user("erin", FOREIGN, sub=subject, email="erin@example.com", email_verified=True)
    identity = claims_of(sign_in(emulator, pool, "erin")["id_token"])
    assert (identity["cognito:username"], identity["sub"]) == (f"Example_{subject}", made["sub"])
    assert identity["cognito:groups"] == [f"{pool['pool_id']}_Example", "linux"]
    assert (identity["email"], identity["email_verified"]) == ("erin@example.com", True)
    assert identity["identities"][0]["userId"] == subject


def test_two_providers_and_an_address_of_which_nobody_says_that_it_is_verified(emulator):
    pool = federated_pool(emulator)
    emulator.federate(pool, "Other", redirect_uris=[REDIRECT], attribute_mapping={"email": "email"})
    for provider, verified in (("Example", True), ("Other", False)):
        identity = claims_of(sign_in(emulator, pool, identity_provider=provider)["id_token"])
        assert identity["cognito:username"] == f"{provider}_alice"
        assert identity["identities"][0]["providerName"] == provider
        assert identity["email_verified"] is verified


def test_the_pools_settings_count(emulator):
    """The type of issuer, and how many sessions a user may have."""
    pool = federated_pool(emulator, session_limit=1)
    first = sign_in(emulator, pool)
    issuer = emulator.issuer_type(pool["pool_id"], "UPDATED")
    second = sign_in(emulator, pool)
    assert claims_of(second["access_token"])["iss"] == claims_of(second["id_token"])["iss"] == issuer != pool["issuer"]
    assert (alive(emulator, first), alive(emulator, second)) == ((False, False), (True, True))


def test_a_disabled_user(emulator, pool):
    emulator.foreign_user("dave", FOREIGN)
    sign_in(emulator, pool, "dave")
    code = code_of(emulator, pool, "dave")
    emulator.admin("AdminDisableUser", {"UserPoolId": pool["pool_id"], "Username": "Example_dave"})
    assert redeem(emulator, pool, code)[2]["error"] == "invalid_grant"


def test_logout(emulator, pool):
    emulator.admin(
        "UpdateUserPoolClient",
        {"UserPoolId": pool["pool_id"], "ClientId": pool["client_id"], "LogoutURLs": [f"{REDIRECT}/out"]},
    )
    connection = connection_to(emulator, emulator.managed_login_domain)
    for uri, status in ((f"{REDIRECT}/out", 302), (REDIRECT, 400)):
        query = urlencode({"client_id": pool["client_id"], "logout_uri": uri})
        connection.request("GET", f"/logout?{query}", headers={"User-Agent": "test"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status


ENTRY = {"userId": "x", "providerName": "Another", "providerType": "OIDC", "issuer": None, "primary": "false"}


def token_names(tokens):
    return {name for name in tokens if name.endswith("_token")}


@pytest.mark.parametrize(
    ("kind", "arguments", "expected"),
    [
        ("html_500", {}, lambda status, headers, body: status == 500 and b"<html>" in body),
        ("empty_500", {}, lambda status, headers, body: (status, body) == (500, b"")),
        ("redirect", {}, lambda status, headers, body: status == 302 and "elsewhere" in headers["Location"]),
        (
            "error",
            {"name": "invalid_grant", "message": "<b>\n\x1b[2J"},
            lambda status, headers, body: (
                (status, body) == (400, {"error": "invalid_grant", "error_description": "<b>\n\x1b[2J"})
            ),
        ),
        ("body", {"text": "[]", "content_type": "text/html"}, lambda status, headers, body: body == b"[]"),
        (
            "missing_token",
            {"tokens": ["IdToken"]},
            lambda status, headers, body: token_names(body) == {"access_token", "refresh_token"},
        ),
        (
            "missing_token",
            {"tokens": ["RefreshToken"]},
            lambda status, headers, body: token_names(body) == {"access_token", "id_token"},
        ),
        (
            "claims",
            {"set": {"nonce": "another"}, "tokens": ["IdToken"]},
            lambda status, headers, body: claims_of(body["id_token"])["nonce"] == "another",
        ),
        (
            "claims",
            {"set": {"identities": [ENTRY, ENTRY]}, "tokens": ["IdToken"]},
            lambda status, headers, body: claims_of(body["id_token"])["identities"] == [ENTRY, ENTRY],
        ),
        (
            "missing_claim",
            {"claim": "identities", "tokens": ["IdToken"]},
            lambda status, headers, body: "identities" not in claims_of(body["id_token"]),
        ),
        ("delay", {"seconds": 0.1}, lambda status, headers, body: status == 200),
        ("trickle", {"seconds": 0}, lambda status, headers, body: status == 200),
    ],
)
def test_faults_of_the_token_endpoint(emulator, pool, kind, arguments, expected):
    code = code_of(emulator, pool)
    emulator.fault("oauth2/token", kind, times=1, **arguments)
    answer = redeem(emulator, pool, code)
    assert expected(*answer), answer
    (record,) = emulator.requests("oauth2/token")
    assert record["faults"] == [kind]
    assert (record["status"], record["error"]) == (answer[0], "invalid_grant" if kind == "error" else None)
    # Two more requests show that the fault was for one, and whether the service had carried it out.
    assert redeem(emulator, pool, code)[0] == (400 if answer[0] == 200 and kind != "body" else 200)
    assert redeem(emulator, pool, code)[2] == {"error": "invalid_grant"}


def test_another_pools_tokens(emulator, pool, secret_pool):
    emulator.fault("oauth2/token", "other_pool", times=1, pool=secret_pool["pool_id"])
    tokens = sign_in(emulator, pool)
    for name in ("access_token", "id_token"):
        assert claims_of(tokens[name])["iss"] == secret_pool["issuer"]


@pytest.mark.parametrize("kind", ["half_answer", "close", "reset"])
def test_an_answer_that_is_cut(emulator, pool, kind):
    code = code_of(emulator, pool)
    emulator.fault("oauth2/token", kind, times=1)
    with pytest.raises((http.client.HTTPException, OSError)):
        redeem(emulator, pool, code)


def test_an_answer_that_never_comes(emulator, pool):
    code = code_of(emulator, pool)
    emulator.fault("oauth2/token", "hang", times=1)
    with pytest.raises(TimeoutError):
        redeem(emulator, pool, code, timeout=0.5)
    assert redeem(emulator, pool, code)[0] == 200


def test_connections_and_the_end_of_listening(emulator, pool):
    code = code_of(emulator, pool)
    emulator.fault("oauth2/connection", "reset", times=1)
    with pytest.raises(OSError):
        redeem(emulator, pool, code)
    emulator.down()
    with pytest.raises(ConnectionRefusedError):
        redeem(emulator, pool, code)
    emulator.up()
    assert redeem(emulator, pool, code)[0] == 200


@pytest.mark.parametrize("kind", ["public", "confidential"])
def test_authlib_as_it_comes(emulator, pool, secret_pool, monkeypatch, kind):
    """A client of somebody else's: PKCE, Basic, refresh and revocation."""
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", emulator.ca)
    chosen = secret_pool if kind == "confidential" else pool
    settings = {"redirect_uri": REDIRECT, "scope": " ".join(SCOPES), "code_challenge_method": "S256"}
    if kind == "public":
        settings["token_endpoint_auth_method"] = "none"
    client = OAuth2Session(chosen["client_id"], chosen["client_secret"], **settings)
    verifier = secrets.token_urlsafe(32)
    site = f"https://{emulator.managed_login_domain}/oauth2"
    asked = {"nonce": "the nonce", "identity_provider": "Example", "code_verifier": verifier}
    url, state = client.create_authorization_url(f"{site}/authorize", **asked)
    end = emulator.browse(url, "alice", FOREIGN)
    redeemed = {"authorization_response": end, "state": state, "code_verifier": verifier}
    token = client.fetch_token(f"{site}/token", **redeemed)
    assert claims_of(token["id_token"])["nonce"] == "the nonce"
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.fetch_token(f"{site}/token", **redeemed)
    again = client.refresh_token(f"{site}/token", token["refresh_token"])
    assert claims_of(again["access_token"])["origin_jti"] == claims_of(token["access_token"])["origin_jti"]
    assert client.revoke_token(f"{site}/revoke", token["refresh_token"]).status_code == 200
    assert alive(emulator, token) == (False, False)
    assert [violation["what"] for violation in emulator.violations()] == []


def test_secrets_are_known(emulator, pool):
    code = code_of(emulator, pool)
    tokens = redeem(emulator, pool, code)[2]
    known = {entry["value"] for entry in emulator.secrets()}
    assert {code, VERIFIER, FOREIGN, *(tokens[f"{kind}_token"] for kind in ("id", "access", "refresh"))} <= known
