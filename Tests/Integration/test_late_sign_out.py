"""A sign-out that did not succeed at once: what comes late ends no session that began since, and is not lost."""

import contextlib
from collections.abc import Iterator

import pytest

from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, Product

pytestmark = pytest.mark.ends_tokens

#: What Cognito answers to GlobalSignOut, and whether it has carried it out then.
TROUBLES: dict[str, tuple[str, dict]] = {
    "throttling": ("throttle", {}),
    "500": ("html_500", {}),
    "carried out, answer lost": ("half_answer", {"processed": True}),
    "lost": ("close", {"processed": False}),
}
modes = pytest.mark.parametrize("mode", ["global", "last"])
troubles = pytest.mark.parametrize("trouble", TROUBLES)


@contextlib.contextmanager
def signed_in(product: Product) -> Iterator[PamDriver]:
    with PamDriver(product.machine, "alone", "alice", observe=False) as driver:
        assert driver.authenticate(RIGHT).succeeded and driver.call("open_session").succeeded
        yield driver


def given(product: Product) -> set[str]:
    """The sessions of hers that Cognito accepts."""
    return {session["origin_jti"] for session in product.tokens_given()}


def await_workers(machine: Machine) -> None:
    def are_gone() -> bool:
        return not [process for process in machine.processes() if process.name == "cognito-worker"]

    machine.wait_until(are_gone, "the end of the workers", timeout=45)


def log_out_in_trouble(product: Product, trouble: str, operation: str = "GlobalSignOut") -> None:
    """Of two attempts nothing comes."""
    with signed_in(product) as driver:
        if operation != "GlobalSignOut":
            product.machine.run(["sleep", "2.1"])
        kind, arguments = TROUBLES[trouble]
        product.emulator.fault(operation, kind, times=2, **arguments)
        assert driver.call("close_session").succeeded


def reap_twice(product: Product) -> None:
    """What workers do by themselves, and two rounds."""
    await_workers(product.machine)
    for _ in range(2):
        product.reap("--now")


@modes
@troubles
@pytest.mark.parametrize("operation", ["GlobalSignOut", "GetTokensFromRefreshToken"])
def test_signed_in_again(product: Product, mode: str, trouble: str, operation: str) -> None:
    """Whoever signs in again at once is not ended by the attempts that follow."""
    client = product.emulator.app_client(
        product.pool["pool_id"], **({} if operation == "GlobalSignOut" else {"access_token_seconds": 2})
    )
    product.configure(sign_out=mode, welcome="no", client_id=client["client_id"], client_secret_file=None)
    mark = product.machine.log_mark()
    log_out_in_trouble(product, trouble, operation)
    before = given(product)
    with signed_in(product) as again:
        mine = given(product) - before
        reap_twice(product)
        assert mine and given(product) == mine
        [line] = product.machine.log(mark, containing="signed out; user='alice'")
        assert " outcome=only_this_session reason=newer_session" in line.message
        product.emulator.clear_faults()
        again.call("close_session")
    assert not given(product)


@pytest.mark.leaves_keys("of another device's session")
@modes
@troubles
def test_not_signed_in_again(product: Product, mode: str, trouble: str) -> None:
    """Where nobody does, the sessions elsewhere end all the same."""
    product.configure(sign_out=mode, welcome="no")
    mark = product.machine.log_mark()
    with signed_in(product) as elsewhere:
        product.configure(sign_out="none", welcome="no")
        # What this machine knows nothing of any more is another device's.
        for key in product.entries():
            product.machine.run(["keyctl", "invalidate", str(key.serial)], check=True)
        elsewhere.end()
    product.configure(sign_out=mode, welcome="no")
    assert given(product)
    log_out_in_trouble(product, trouble)
    reap_twice(product)
    assert not given(product)
    [line] = product.machine.log(mark, containing="signed out; user='alice'")
    outcome = "only_this_session reason=already_revoked" if "carried out" in trouble else "revoked_everywhere"
    assert f" outcome={outcome}" in line.message
