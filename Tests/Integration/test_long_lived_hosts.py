"""A host that lives on, such as a print server, after many people's sign-ins: nothing of them stays in it."""

from .machine import Machine
from .pam_driver import PamDriver
from .product import RIGHT, Product


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
        shown = machine.run(["grep", "-c", product.key_description, "/proc/keys"]).stdout.strip()
        assert shown == "0"
        machine.wait_until(lambda: rings() == others, "the end of the person's keyring")
