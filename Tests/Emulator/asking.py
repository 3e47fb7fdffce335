"""How the tests of the emulator ask it without a client of AWS's, and what they make of an answer."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl

import jwt
import pytest
from botocore.exceptions import ClientError

PASSWORD = "Correct-Horse-1"
NEW = "Better-Battery-2"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
KEYS = ("AKIAIOSFODNN7EXAMPLE", "of-the-tests-and-nobody-else")
PATIENCE = 60


@contextlib.contextmanager
def refused(name, message=""):
    with pytest.raises(ClientError) as caught:
        yield
    error = caught.value.response["Error"]
    assert (error["Code"], message in error["Message"]) == (name, True), error


def tls_context(emulator):
    return ssl.create_default_context(cafile=emulator.ca)


def connection_to(emulator, where=None, timeout=PATIENCE):
    return http.client.HTTPSConnection(
        where or f"127.0.0.1:{emulator.port}", timeout=timeout, context=tls_context(emulator)
    )


@contextlib.contextmanager
def secured(emulator, name="127.0.0.1", context=None):
    """A bare connection to the emulator under one of its names."""
    with (
        socket.create_connection(("127.0.0.1", emulator.port), timeout=PATIENCE) as raw,
        (context or tls_context(emulator)).wrap_socket(raw, server_hostname=name) as secure,
    ):
        yield secure


def post(emulator, operation="GetUser", body=None, headers=None, connection=None):
    """One request by http.client: (status, headers, body)."""
    made = connection or connection_to(emulator)
    sent = {
        "X-Amz-Target": f"AWSCognitoIdentityProviderService.{operation}",
        "Content-Type": "application/x-amz-json-1.1",
        "User-Agent": "test",
        **(headers or {}),
    }
    made.request(
        "POST",
        "/",
        body if isinstance(body, bytes) else json.dumps(body or {"AccessToken": "x"}),
        {k: v for k, v in sent.items() if v is not None},
    )
    answer = made.getresponse()
    result = answer.status, dict(answer.getheaders()), answer.read()
    if connection is None:
        made.close()
    return result


def key_set(emulator, pool, host="127.0.0.1"):
    """(status, body) of the pool's keys at that host."""
    with contextlib.closing(connection_to(emulator)) as made:
        made.request("GET", pool["jwks_path"], headers={"User-Agent": "test", "Host": host})
        answer = made.getresponse()
        return answer.status, answer.read()


def keys_of(emulator, pool):
    return {k["kid"]: jwt.PyJWK(k) for k in json.loads(key_set(emulator, pool)[1])["keys"]}


def claims_of(token):
    return jwt.decode(token, options={"verify_signature": False})
