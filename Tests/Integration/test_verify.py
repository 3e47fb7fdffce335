"""`cognito-session doctor --verify`: dpkg's own word on files that somebody has changed, and none without a package."""

import hashlib
from collections.abc import Iterator

import pytest

from .machine import Machine
from .product import AGENT, WORKER, Product

MODULE_FILES = (WORKER, AGENT)
STATUS = "/var/lib/dpkg/status"
SUMS = "/var/lib/dpkg/info/pam-cognito.md5sums"
SETTINGS = "/etc/security/pam_cognito.conf"


def verify(machine: Machine) -> tuple[int, str]:
    done = machine.run(["cognito-session", "doctor", "--verify"])
    return done.returncode, done.stdout + done.stderr


def test_without_a_package(product: Product) -> None:
    status, said = verify(product.machine)
    assert status == 70 and f"Neither dpkg nor rpm knows {WORKER}" in said and said.count("\n") == 1


@pytest.fixture
def package(product: Product) -> Iterator[Machine]:
    """The files that are there, as dpkg would have them from a package."""
    machine = product.machine
    digest = hashlib.md5(machine.read_bytes(SETTINGS)).hexdigest()
    stanza = f"""
Package: pam-cognito
Status: install ok installed
Maintainer: nobody <nobody@example.com>
Architecture: amd64
Version: 0.1
Conffiles:
 {SETTINGS} {digest}
Description: a package

"""
    with machine.preserved(STATUS):
        machine.append(STATUS, stanza)
        machine.write("/var/lib/dpkg/info/pam-cognito.list", "\n".join([*MODULE_FILES, SETTINGS, ""]), 0o644)
        sums = [f"{hashlib.md5(machine.read_bytes(path)).hexdigest()}  {path[1:]}\n" for path in MODULE_FILES]
        machine.write(SUMS, "".join(sums), 0o644)
        yield machine
        machine.remove(SUMS)
        machine.remove("/var/lib/dpkg/info/pam-cognito.list")


def test_as_packaged(package: Machine) -> None:
    assert verify(package) == (
        0,
        "All files are as the package pam-cognito has them, says '/usr/bin/dpkg --verify pam-cognito'.\n",
    )


@pytest.mark.parametrize("path", [WORKER, AGENT, SETTINGS])
@pytest.mark.parametrize("how", ["changed", "away", "link"])
def test_changed(package: Machine, path: str, how: str) -> None:
    """A file of the configuration may be changed."""
    with package.preserved(path):
        content = package.read_bytes(path)
        package.remove(path)
        if how == "changed":
            package.write(path, content + b"\n# somebody\n", 0o755)
        elif how == "link":
            package.write("/usr/local/elsewhere", content + b"\n", 0o755)
            package.link(path, "/usr/local/elsewhere")
        status, said = verify(package)
        package.remove(path)
    heading, line = said.splitlines()
    assert "Not as the package pam-cognito has it" in heading and line.endswith(path)
    assert status == (0 if path == SETTINGS else 8)


def test_without_sums(package: Machine) -> None:
    with package.preserved(SUMS):
        package.remove(SUMS)
        status, said = verify(package)
    assert status == 70 and "has no sums" in said
