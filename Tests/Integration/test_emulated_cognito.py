"""The emulator as the other tests use it: inside a machine, driven from outside, with every secret searched for."""

import json
import sys

import pytest

from .conftest import check_secrets
from .emulated_cognito import EmulatedCognito
from .machine import Machine
from .residue import SecretSearch

SIGN_IN = """
import json, ssl, sys, urllib.request
given = json.load(sys.stdin)
request = urllib.request.Request(given["endpoint"], json.dumps(given["body"]).encode(), {
    "Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth"})
print(urllib.request.urlopen(request, context=ssl.create_default_context(cafile=given["ca"])).read().decode())
"""
PASSWORD = "Correct-horse-1"


@pytest.fixture(scope="module")
def pool(emulator) -> dict:
    made = emulator.pool(generate_secret=False, auth_flows=["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"])
    emulator.user(made["pool_id"], "alice", PASSWORD)
    return made


def sign_in(machine: Machine, emulator, pool: dict) -> dict:
    parameters = {"USERNAME": "alice", "PASSWORD": PASSWORD}
    body = {"AuthFlow": "USER_PASSWORD_AUTH", "ClientId": pool["client_id"], "AuthParameters": parameters}
    given = {"endpoint": emulator.endpoint, "ca": emulator.ca, "body": body}
    done = machine.run([sys.executable, "-c", SIGN_IN], input=json.dumps(given), check=True)
    return json.loads(done.stdout)["AuthenticationResult"]


def test_reached_from_inside_only(machine: Machine, emulator, pool: dict) -> None:
    tokens = sign_in(machine, emulator, pool)
    assert emulator.tokens_alive(access=tokens["AccessToken"])["access"] is True
    assert [request["operation"] for request in emulator.requests("InitiateAuth")] == ["InitiateAuth"]


def test_secrets_are_searched_for(
    machine: Machine, emulator, emulated_cognito: EmulatedCognito, pool: dict, secret_search: SecretSearch
) -> None:
    tokens = sign_in(machine, emulator, pool)
    check_secrets(emulator, secret_search)
    machine.write("/var/log/careless", tokens["AccessToken"])
    with pytest.raises(AssertionError, match="/var-log/careless"):
        check_secrets(emulator, secret_search)
    machine.remove("/var/log/careless")
