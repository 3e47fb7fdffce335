"""The names under which pools issue tokens: two types, and in each partition of AWS another domain.

Measured on AWS, by others: the updated issuer and its key set, and 403 where a pool has not switched
(awslabs/aws-jwt-verify#279); that a replica of a pool with the original issuer reports its own Region (#282, #285).
"""

from __future__ import annotations

import importlib.util
import json
import re
from contextvars import ContextVar
from functools import cache
from pathlib import Path

ORIGINAL, UPDATED = TYPES = ("ORIGINAL", "UPDATED")
_PREFIX = {ORIGINAL: "cognito-idp", UPDATED: "issuer-cognito-idp"}
_HOST = re.compile(r"(cognito-idp|cognito-idp-fips|issuer-cognito-idp)\.([a-z0-9-]+)\.(.+)")

#: The Region whose endpoint the request at hand came to; None: the pool's own.
answering: ContextVar[str | None] = ContextVar("answering", default=None)


@cache
def _partitions() -> list[dict]:
    # The data alone: importing botocore takes longer than starting the emulator.
    found = importlib.util.find_spec("botocore")
    assert found is not None and found.origin is not None
    return json.loads(Path(found.origin).with_name("data").joinpath("partitions.json").read_text())["partitions"]


def domain(region: str) -> str:
    """What the hosts of AWS's services in a Region end with."""
    for partition in _partitions():
        if re.fullmatch(partition["regionRegex"], region):
            return partition["outputs"]["dnsSuffix"]
    return "amazonaws.com"


def issuer(pool_id: str, kind: str, region: str | None = None) -> str:
    """The `iss` of a pool's tokens. `region`: the replica that answers, which only the original issuer names."""
    primary = pool_id.split("_")[0]
    place = region or primary if kind == ORIGINAL else primary
    return f"https://{_PREFIX[kind]}.{place}.{domain(place)}/{pool_id}"


def host(name: str) -> tuple[bool, str | None]:
    """Whether a host's name is that of the updated issuer, and its Region; None: the name says none."""
    found = _HOST.fullmatch(name.partition(":")[0].lower())
    if found is None or found[3] != domain(found[2]):
        return False, None
    return found[1] == _PREFIX[UPDATED], found[2]
