"""The list of a group's members as botocore sees it."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from .asking import KEYS, refused


@pytest.fixture
def boto(emulator, cognito):
    emulator.iam_identity(*KEYS, actions=["ListUsersInGroup"])
    return cognito


@pytest.mark.parametrize("count", [0, 59, 60, 61, 180])
def test_pages(emulator, boto, count):
    """Everybody once, however many; a full last page has another one behind it."""
    pool = emulator.pool(groups=["linux", "other"])["pool_id"]
    emulator.people(pool, count, "linux", attributes={"custom:key": "k"})
    pages = list(boto.get_paginator("list_users_in_group").paginate(UserPoolId=pool, GroupName="linux"))
    names = [user["Username"] for page in pages for user in page["Users"]]
    assert len(pages) == count // 60 + 1
    assert sorted(names) == [f"person{number:05}" for number in range(count)]
    assert boto.list_users_in_group(UserPoolId=pool, GroupName="other")["Users"] == []
    assert emulator.violations() == []


def test_tokens(emulator, boto):
    """A NextToken is good for the list that it is of."""
    pool = emulator.pool(groups=["linux", "other"])["pool_id"]
    for group in ("linux", "other"):
        emulator.people(pool, 3, group, prefix=group)
    first = boto.list_users_in_group(UserPoolId=pool, GroupName="linux", Limit=2)
    token = first["NextToken"]
    ask = boto.list_users_in_group
    assert len(ask(UserPoolId=pool, GroupName="linux", Limit=2, NextToken=token)["Users"]) == 1
    for wrong, error in (
        ({"GroupName": "other", "NextToken": token}, "InvalidParameterException"),
        ({"GroupName": "linux", "NextToken": "1"}, "InvalidParameterException"),
        ({"GroupName": "nobodys"}, "ResourceNotFoundException"),
        ({"GroupName": "linux", "Limit": 61}, "InvalidParameterException"),
    ):
        with refused(error):
            ask(UserPoolId=pool, **wrong)
    assert [v for v in emulator.violations() if "Limit" not in v["what"]] == []


def test_rate(emulator, boto):
    """More than the quota is refused, and what is not used of it is not kept for long."""
    pool = emulator.pool(groups=["linux"])["pool_id"]
    emulator.switch(list_rate=2.0)

    def answer(_: int) -> str:
        try:
            boto.list_users_in_group(UserPoolId=pool, GroupName="linux")
        except ClientError as error:
            return error.response["Error"]["Code"]
        return "admitted"

    # At the same time: one after the other they may take so long that each is within the quota.
    with ThreadPoolExecutor(10) as clients:
        answers = Counter(clients.map(answer, range(30)))
    assert answers.keys() == {"admitted", "TooManyRequestsException"} and answers["admitted"] >= 2


def test_rights(emulator, boto):
    emulator.iam_identity(*KEYS, actions=["AdminUserGlobalSignOut"])
    pool = emulator.pool(groups=["linux"])["pool_id"]
    with refused("AccessDeniedException"):
        boto.list_users_in_group(UserPoolId=pool, GroupName="linux")
