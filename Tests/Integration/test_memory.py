"""A failed allocation ends the host: what a sign-in needs is little, whatever the registry holds."""

import contextlib
from collections.abc import Iterator

import pytest

from .compiled import library
from .keyring_fill import Group, fill
from .machine import Machine
from .pam_driver import PamDriver
from .product import REGISTRY, RIGHT, Product

#: What SECURITY.md says of a sign-in, in bytes, and of each entry that the registry has besides.
MOST = 64 * 1024
EACH = 8
OTHERS = 2000
#: With the one that is measured, as many as a person may have.
OWN = 49


@pytest.fixture(scope="module")
def heap_peak(machine: Machine) -> dict[str, str]:
    """The environment of a host that counts what it allocates: see there."""
    return {"LD_PRELOAD": library("heap_peak", machine.shared)}


def peak(product: Product, environment: dict[str, str]) -> int:
    """Of a sign-in, its session and the end of that, once everything has been loaded."""
    with PamDriver(product.machine, "alone", "alice", observe=False, start=False, env=environment) as driver:
        for _ in range(2):
            driver.start("alone", "alice")
            driver.do_not_wait()
            driver.heap_peak()
            assert [result.code for result in driver.sign_in(RIGHT)] == ["PAM_SUCCESS"] * 4
            assert {result.code for result in driver.sign_out()} == {"PAM_SUCCESS"}
            driver.end()
            found = driver.heap_peak()
    assert found > 1000
    return found


@contextlib.contextmanager
def full_registry(product: Product) -> Iterator[None]:
    """Copies of a session of each, failures of others, and prompts that they left: of those there are no more."""
    machine = product.machine
    groups: list[Group] = [
        ("pam-cognito:attempts", OTHERS, "pam-cognito:a:", f":{10**15}:7:carol", None),
        ("pam-cognito:begins", 39, "pam-cognito:b:", f":{10**15}:7:-", None),
    ]
    with contextlib.ExitStack() as stack:
        for user, count in (("carol", OTHERS), ("alice", OWN)):
            known = {key.serial for key in product.entries()}
            stack.enter_context(PamDriver(machine, "alone", user, observe=False)).sign_in(RIGHT)
            (entry,) = {key.serial for key in product.entries()} - known
            groups.append((REGISTRY, count - 1, "pam-cognito:s:", "", entry))
        fill(machine, groups)
        assert len(product.entries()) == OTHERS + OWN
        yield
        assert len(product.entries()) == OTHERS + OWN
        # Nobody is to revoke the same tokens two thousand times.
        machine.forget_keys()


@pytest.mark.parametrize("sign_out", ["session", "global"])
def test_whatever_the_registry_holds(product: Product, heap_peak: dict[str, str], sign_out: str) -> None:
    product.configure(sign_out=sign_out, keyring="user")
    usual = peak(product, heap_peak)
    with full_registry(product):
        full = peak(product, heap_peak)
    assert full < MOST, (usual, full)
    assert full - usual < EACH * (OTHERS + OWN), (usual, full)


def test_long_lists_in_the_configuration(product: Product, heap_peak: dict[str, str]) -> None:
    line = "staff " + " ".join(f"group{number}" for number in range(1000))
    product.configure(allowed_groups=line[: 4096 - len("allowed_groups = ")].rstrip())
    found = peak(product, heap_peak)
    assert found < MOST, found
