"""An emulator for each file of tests, and botocore's client for it."""

from __future__ import annotations

import boto3
import pytest
from botocore.config import Config

from .asking import KEYS, PATIENCE
from .client import running_emulator


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    with running_emulator(tmp_path_factory.mktemp("emulator")) as client:
        yield client


@pytest.fixture
def emulator(started):
    started.reset()
    return started


@pytest.fixture(scope="module")
def cognito(started):
    """It signs with keys that may do nothing until `iam_identity` says what."""
    return boto3.client(
        "cognito-idp",
        endpoint_url=started.endpoint,
        verify=started.ca,
        region_name=started.region,
        aws_access_key_id=KEYS[0],
        aws_secret_access_key=KEYS[1],
        config=Config(retries={"total_max_attempts": 1}, read_timeout=PATIENCE, connect_timeout=PATIENCE),
    )
