"""Pools that track sessions, as a client of Amazon's would see them. The pinned botocore has no names for them yet."""

from __future__ import annotations

import json
import re

import pytest

from .asking import PASSWORD, post

FLOWS = ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]


@pytest.fixture
def pool(emulator):
    made = emulator.pool(auth_flows=FLOWS, session_limit=20)
    for name in ("alice", "bob"):
        emulator.user(made["pool_id"], name, PASSWORD)
    return made


class RefusedError(Exception):
    """What the service answered in place of a result."""


@pytest.fixture
def ask(emulator):
    def asked(operation: str, agent: str = "test/1 (Linux; host; sshd)", **members: object) -> dict:
        status, _headers, answer = post(emulator, operation, members, {"User-Agent": agent})
        body = json.loads(answer or b"{}")
        if status != 200:
            raise RefusedError(body["__type"], body["message"])
        return body

    return asked


@pytest.fixture
def sign_in(ask, pool):
    def signed_in(name: str = "alice", **more: str) -> dict:
        parameters = {"USERNAME": name, "PASSWORD": PASSWORD}
        members = {"AuthFlow": "USER_PASSWORD_AUTH", "ClientId": pool["client_id"], "AuthParameters": parameters}
        return ask("InitiateAuth", **members, **more)["AuthenticationResult"]

    return signed_in


@pytest.fixture
def refresh(ask, pool):
    def refreshed(tokens: dict, **more: str) -> dict:
        members = {"ClientId": pool["client_id"], "RefreshToken": tokens["RefreshToken"]}
        return ask("GetTokensFromRefreshToken", **members, **more)["AuthenticationResult"]

    return refreshed


def alive(emulator, tokens: dict) -> tuple[bool, bool]:
    found = emulator.tokens_alive(access=tokens["AccessToken"], refresh=tokens["RefreshToken"])
    return found["access"], found["refresh"]


def test_the_twenty_first_takes_the_place_of_the_one_that_renewed_longest_ago(emulator, sign_in, refresh) -> None:
    others = sign_in("bob")
    held = [sign_in() for _ in range(20)]
    assert all(alive(emulator, tokens) == (True, True) for tokens in held)
    refresh(held[0])
    newest = sign_in()
    assert alive(emulator, held[1]) == (False, False)
    assert all(alive(emulator, tokens) == (True, True) for tokens in [held[0], *held[2:], newest, others])
    with pytest.raises(RefusedError) as refused:
        refresh(held[1])
    assert refused.value.args == ("NotAuthorizedException", "Refresh Token has been revoked")
    # Using an access token is no use of the session.
    sign_in()
    assert alive(emulator, held[2]) == (False, False) and alive(emulator, held[0]) == (True, True)


def test_list(emulator, ask, sign_in, refresh) -> None:
    first, second = sign_in(agent="app/1"), sign_in(agent="pam-cognito/0 (Linux; web1; sshd)")
    sessions = ask("ListUserSessions", AccessToken=second["AccessToken"])["Sessions"]
    assert [s["IsCurrentSession"] for s in sessions] == [False, True]
    assert [s["DeviceType"] for s in sessions] == ["app/1", "pam-cognito/0 (Linux; web1; sshd)"]
    assert all(re.fullmatch(r"tkn[a-z0-9]{25}", s["SessionId"]) and s["SessionType"] == "TOKEN" for s in sessions)
    refresh(first, agent="app/2")
    renewed = ask("ListUserSessions", AccessToken=second["AccessToken"])["Sessions"][0]
    assert renewed["DeviceType"] == "app/2" and renewed["LastActiveDate"] >= sessions[0]["LastActiveDate"]
    assert renewed["CreateDate"] == sessions[0]["CreateDate"]
    ask("GlobalSignOut", AccessToken=first["AccessToken"])
    with pytest.raises(RefusedError):
        ask("ListUserSessions", AccessToken=second["AccessToken"])


def test_end_of_one(emulator, ask, sign_in) -> None:
    first, second = sign_in(), sign_in()
    others, mine = ask("ListUserSessions", AccessToken=second["AccessToken"])["Sessions"]
    with pytest.raises(RefusedError, match="InvalidParameterException"):
        ask("RevokeUserSession", AccessToken=second["AccessToken"], SessionId=mine["SessionId"])
    ask("RevokeUserSession", AccessToken=second["AccessToken"], SessionId=others["SessionId"])
    assert (alive(emulator, first), alive(emulator, second)) == ((False, False), (True, True))
    bob = sign_in("bob")
    with pytest.raises(RefusedError, match="ResourceNotFoundException"):
        ask("RevokeUserSession", AccessToken=bob["AccessToken"], SessionId=mine["SessionId"])


def test_administrator(emulator, pool, sign_in) -> None:
    tokens = sign_in()
    target = {"UserPoolId": pool["pool_id"], "Username": "alice"}
    (listed,) = emulator.admin("AdminListUserSessions", target)["Sessions"]
    assert listed["IsCurrentSession"] is False
    emulator.admin("AdminRevokeUserSession", {**target, "SessionId": listed["SessionId"]})
    assert alive(emulator, tokens) == (False, False)
    assert emulator.admin("AdminListUserSessions", target)["Sessions"] == []


def test_configuration(emulator, ask, pool, sign_in) -> None:
    def configure(tracking: str, limit: int) -> dict:
        members = {"UserSessionTracking": tracking, "TokenSession": {"MaxPerUser": limit}}
        return emulator.admin("SetUserPoolSessionConfiguration", {"UserPoolId": pool["pool_id"], **members})

    held = [sign_in() for _ in range(3)]
    assert configure("ENABLED", 1)["TokenSession"] == {"MaxPerUser": 1}
    assert all(alive(emulator, tokens) == (True, True) for tokens in held), "a lower limit ends nothing by itself"
    newest = sign_in()
    assert [alive(emulator, tokens)[0] for tokens in [*held, newest]] == [False, False, False, True]
    assert configure("DISABLED", 20)["UserSessionTracking"] == "DISABLED"
    with pytest.raises(RefusedError, match="InvalidParameterException"):
        ask("ListUserSessions", AccessToken=newest["AccessToken"])
    untracked = emulator.pool(auth_flows=FLOWS)
    described = emulator.admin("GetUserPoolSessionConfiguration", {"UserPoolId": untracked["pool_id"]})
    assert described["UserSessionTracking"] == "DISABLED" and described["TokenSession"] == {"MaxPerUser": 20}


def test_what_is_listed_only_later(emulator, ask, sign_in) -> None:
    emulator.switch(session_list_delay=3600)
    assert ask("ListUserSessions", AccessToken=sign_in()["AccessToken"]) == {"Sessions": []}
