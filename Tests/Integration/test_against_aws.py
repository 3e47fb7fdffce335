"""Tests/against-aws against the emulator: it comes to its end, tells no secrets, and leaves no user pool behind.

What Amazon says is another matter: nothing here has seen that.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from Emulator.client import EmulatorClient, EmulatorError

from .machine import GENEROUS, REPOSITORY

pytestmark = pytest.mark.lengthy("a hundred questions, one after the other")

ENDED = "The user pool, and what belongs to it, is deleted."
KEYS = {
    "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE000000000",
    "AWS_SECRET_ACCESS_KEY": "a-secret-access-key-of-forty-characters-",
}
#: What the emulator does otherwise than we expect of Amazon, or not at all, by question and step.
KNOWN = {
    "client_secrets": {"stopped"},
    "identity_pool": {"stopped"},
    # These depend on how fast the machine is.
    "global_sign_out": {"new_sign_in"},
    "lock": {"wrong"},
}


@pytest.fixture(scope="module")
def service(service: EmulatorClient) -> EmulatorClient:
    # The identity of the contributor's guide, with what it lists and nothing else.
    guide = (REPOSITORY / "CONTRIBUTING.md").read_text()
    service.iam_identity(*KEYS.values(), actions=re.findall(r"cognito-idp:(\w+)", guide))
    return service


@contextmanager
def started(
    service: EmulatorClient, *options: object, keys: dict[str, str] = KEYS, **environment: str
) -> Iterator[subprocess.Popen]:
    service.reset()
    service.lockout()
    where = ["--region", service.region, "--endpoint-url", service.endpoint, "--ca-bundle", service.ca]
    with subprocess.Popen(
        [sys.executable, "-B", "-m", "AgainstAWS", *where, *map(str, options)],
        cwd=REPOSITORY / "Tests",
        env={
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "AWS_EC2_METADATA_DISABLED": "true",
            **keys,
            **environment,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def made(service: EmulatorClient, text: str) -> tuple[str, bool]:
    """The id of the pool, and whether it is still there."""
    pool = re.search(r"The user pool is (\S+)\. ", text)[1]
    try:
        service.user(pool, "alice", None)
    except EmulatorError as error:
        assert error.name == "ResourceNotFoundException", error
        return pool, False
    return pool, True


def test_all_questions_are_asked(service: EmulatorClient, tmp_path: Path) -> None:
    output = tmp_path / "answers.json"
    with started(service, "--stale-ages", 3, "--output", output) as program:
        shown, _ = program.communicate()
    assert program.returncode in (0, 1), shown
    pool, is_there = made(service, shown)
    assert not is_there and ENDED in shown
    text = output.read_text()
    found = json.loads(text)
    unknown = {entry["name"]: {*entry["differences"]} - KNOWN.get(entry["name"], set()) for entry in found["questions"]}
    assert not any(unknown.values()), shown
    assert len(found["answers"]) > 100
    assert {"InitiateAuth", "RevokeToken", "GlobalSignOut"} < {
        pair["request"]["operation"] for pair in found["answers"]
    }
    private = [pool, *KEYS.values(), *(secret["value"] for secret in service.secrets())]
    assert [value for value in private if value in text] == []
    assert re.findall(r"user-[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f]{4}-", text) == []


@pytest.mark.parametrize(
    ("number", "options", "status", "said", "stays"),
    [
        (signal.SIGINT, [], 2, ENDED, False),
        (signal.SIGTERM, [], 2, ENDED, False),
        (signal.SIGHUP, [], 2, ENDED, False),
        (signal.SIGINT, ["--keep"], 2, "The user pool was kept. Delete it", True),
    ],
)
def test_interrupted(service, tmp_path, number, options, status, said, stays) -> None:
    with started(service, "--output", tmp_path / "answers.json", *options) as program:
        first = [program.stdout.readline() for _ in range(2)]
        program.send_signal(number)
        shown = "".join(first) + program.communicate(timeout=GENEROUS)[0]
    assert (program.returncode, made(service, shown)[1]) == (status, stays), shown
    assert "Interrupted." in shown and said in shown


def test_interrupted_during_a_fork(service: EmulatorClient, tmp_path: Path) -> None:
    """Python drops the exception of that signal."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal\nos.register_at_fork(after_in_parent=lambda: signal.raise_signal(signal.SIGHUP))\n"
    )
    with started(service, "--output", tmp_path / "answers.json", PYTHONPATH=str(tmp_path)) as program:
        shown = program.communicate(timeout=GENEROUS)[0]
    assert "Exception ignored" in shown, shown
    assert (program.returncode, made(service, shown)[1]) == (2, False), shown
    assert "Interrupted." in shown and ENDED in shown


def test_pool_that_cannot_be_deleted(service: EmulatorClient, tmp_path: Path) -> None:
    """That is said, with the command."""
    keys = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE000000001", "AWS_SECRET_ACCESS_KEY": "another-secret-access-key"}
    service.iam_identity(*keys.values(), actions=["CreateUserPool"])
    with started(service, "--output", tmp_path / "answers.json", keys=keys) as program:
        shown = program.communicate(timeout=GENEROUS)[0]
    assert program.returncode == 3, shown
    assert "SetUserPoolMfaConfig" in shown and "Not everything could be deleted." in shown
    assert re.search(r"aws --region \S+ cognito-idp delete-user-pool --cli-input-json", shown), shown


def test_no_credentials(service: EmulatorClient, tmp_path: Path) -> None:
    with started(service, "--output", tmp_path / "answers.json", keys={}) as program:
        shown = program.communicate(timeout=GENEROUS)[0]
    assert program.returncode == 2 and "Unable to locate credentials" in shown, shown
    assert service.requests() == []
