"""A sign-out that did not succeed at once: what comes late ends no session that began since, and is not lost."""

import pytest

from .product import Product
from .test_sign_out import given

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


def log_out_in_trouble(product: Product, trouble: str, operation: str = "GlobalSignOut") -> None:
    """Of two attempts nothing comes."""
    with product.signed_in() as driver:
        if operation != "GlobalSignOut":
            product.machine.run(["sleep", "2.1"])
        kind, arguments = TROUBLES[trouble]
        product.emulator.fault(operation, kind, times=2, **arguments)
        assert driver.call("close_session").succeeded


def reap_twice(product: Product) -> None:
    """What workers do by themselves, and two rounds."""
    machine = product.machine
    machine.wait_until(lambda: not machine.pids("cognito-worker"), "the end of the workers")
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
    with product.signed_in() as again:
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
    with product.signed_in() as elsewhere:
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
