"""A pool that switches its issuer's type under open sessions: renewal, check, claims, sign-out and the doctor.

That a switch leaves the keys as they are is our reading; other keys are in `test_worker_protocol.py`.
"""

import json
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Session, Sshd
from .product import RIGHT, Product
from .test_doctor import Report
from .test_endpoints import KEYS, key_set


@pytest.fixture(autouse=True)
def original_issuer(product: Product) -> Iterator[None]:
    yield
    product.emulator.issuer_type(product.pool["pool_id"], "ORIGINAL")
    product.machine.run(["rm", "-f", KEYS])


def issuers(session: Session) -> set[str]:
    """By the command of docs/howto/kubernetes-git-docker.md, but for jq, which a bare machine lacks."""
    outputs = [session.command(f"cognito-session claims {option} --json").output for option in ("--id", "")]
    return {json.loads(output)["claims"]["iss"] for output in outputs}


def doctor(product: Product) -> str:
    return Report(product.machine).areas["cognito"]["summary"]


@pytest.mark.parametrize("has_file", [False, True], ids=["keys of the endpoint", "key_set_file"])
def test_switch_and_back(product: Product, agent: AgentProcess, sshd: Sshd, has_file: bool) -> None:
    pool = product.pool["pool_id"]
    if has_file:
        product.machine.write(KEYS, key_set(product, product.pool), 0o644)
        product.configure(key_set_file=KEYS)
    original = product.pool["issuer"]
    with sshd.open("alice", RIGHT) as session:
        assert issuers(session) == {original}
        assert f"issuer type ORIGINAL: {original}" in doctor(product)
        before = original
        for kind in ("UPDATED", "ORIGINAL"):
            issuer = product.emulator.issuer_type(pool, kind)
            # The tokens of before are as good.
            assert session.command("cognito-session --check").status == 0
            assert issuers(session) == {before}
            assert session.command("cognito-session refresh").status == 0
            assert issuers(session) == {issuer}
            assert session.command("cognito-session --check").status == 0
            assert f"issuer type {kind}: {issuer}" in doctor(product)
            before = issuer
        product.emulator.issuer_type(pool, "UPDATED")
        session.logout()
    product.machine.wait_until(lambda: not product.entries(), "the sign-out")
    assert not product.tokens_given() and not product.emulator.requests("issuer_jwks")
