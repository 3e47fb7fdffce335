"""A host that lives on, such as a print server, after many people's sign-ins: nothing of them stays in it."""

from collections.abc import Callable

import pytest

from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, WRONG, Product

ROUNDS = 20
#: What malloc(3) keeps for the thread after free(3) counts as in use, too; without that, what is in use is somebody's.
EXACT = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}


def sign_in_and_out(driver: PamDriver, password: str = RIGHT) -> None:
    driver.start("alone", "alice")
    expected = "PAM_SUCCESS" if password == RIGHT else "PAM_AUTH_ERR"
    driver.do_not_wait()
    assert driver.authenticate(password).code == expected
    if password == RIGHT:
        driver.call("open_session")
        driver.call("close_session")
    driver.end()


def growth(driver: PamDriver, work: Callable[[PamDriver], None]) -> float:
    for _ in range(5):
        work(driver)
    before = driver.heap()
    for _ in range(ROUNDS):
        work(driver)
    return (driver.heap() - before) / ROUNDS


def load_only(driver: PamDriver) -> None:
    driver.start("alone", "alice")
    driver.end()


@pytest.mark.parametrize("password", [RIGHT, WRONG], ids=["accepted", "refused"])
def test_no_memory_is_lost(product: Product, machine: Machine, password: str) -> None:
    """Beside what libc and libpam lose by loading and unloading a module."""
    # More of them fail than may.
    product.configure(max_failures="1000")
    with PamDriver(machine, "alone", "alice", observe=False, start=False, env=EXACT) as driver:
        usual = growth(driver, load_only)
        grown = growth(driver, lambda driver: sign_in_and_out(driver, password))
        assert grown - usual < 10, (grown, usual)
    product.reap()


def test_no_keyring_is_kept(product: Product, machine: Machine) -> None:
    """Without pam_keyinit the person's session keyring is joined; the host is out of it when their session is over."""
    alice = machine.account("alice")["uid"]

    def rings() -> list[int]:
        return [
            key.serial
            for key in machine.keys()
            if key.type == "keyring" and key.uid == alice and "_ses" in key.description
        ]

    with PamDriver(machine, "alone", "alice", observe=False) as driver:
        others = rings()
        driver.sign_in(RIGHT)
        assert driver.session_keyring()["uid"] == alice
        assert product.key_description in driver.job("alice", "keyctl show @s").stdout
        driver.sign_out()
        ring = driver.session_keyring()
        assert ring["uid"] == 0
        listing = ["grep", "-c", product.key_description, "/proc/keys"]
        machine.wait_until(lambda: machine.run(listing).stdout.strip() == "0", "the end of the token key")
        machine.wait_until(lambda: rings() == others, "the end of the person's keyring")
