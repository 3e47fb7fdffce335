"""The doctor on PAM stacks that are broken by one slip: real sign-ins say which of them are, and it must say the same.

A sample by default; Tests/doctor tries all of them.
"""

import json
import os

import pytest

from .broken_stacks import FILES, SMALL_FILES, Judge, generate, judges
from .machine import Machine
from .product import Product

#: The sample: every so many of the slips. A prime, so that it comes by all kinds of them.
STEP = int(os.environ.get("DOCTOR_STEP", "71"))
SHIPPED = "/usr/share/doc/pam-cognito/pam.d"


pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the account lines")


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    machine = product.machine
    machine.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
    machine.write(
        "/etc/ssh/sshd_config", "UsePAM yes\nKbdInteractiveAuthentication yes\nHostKey /etc/ssh/host_key\n", 0o600
    )
    machine.make_directory("/run/sshd")
    # What the doctor puts back is as quick as what the tests have made of it.
    machine.write(f"{SHIPPED}/cognito-auth", machine.read("/etc/pam.d/cognito-auth"))
    machine.remove("/etc/pam.d/alone")
    return product


@pytest.fixture(scope="module")
def judge(product: Product) -> Judge:
    return Judge(product)


def findings(machine: Machine) -> list[dict]:
    """What the doctor has against the stacks, notes included."""
    report = json.loads(machine.run(["cognito-session", "doctor", "--json"]).stdout)
    return next(area["findings"] for area in report["areas"] if area["area"] == "stacks")


def complaints(found: list[dict]) -> list[dict]:
    return [finding for finding in found if finding["severity"] != "note"]


SERVICES = ["sshd", "su", "screen-lock", "passwd", "login", "sudo", "su-l", "sudo-i"]


@pytest.mark.parametrize("service", SERVICES if STEP == 1 else SERVICES[:4])
def test_as_shipped(product: Product, judge: Judge, service: str) -> None:
    assert judge.judge(service).wrong == []
    assert findings(product.machine) == []


def mend(machine: Machine, found: list[dict]) -> None:
    for finding in found:
        machine.run(["sh", "-c", finding["mend"]], check=True)


def test_slips(product: Product, judge: Judge) -> None:
    """Hits, misses, false alarms; and what the doctor says mends it."""
    machine = product.machine
    slips = generate(machine, FILES + SMALL_FILES)[::STEP]
    counts = {"hits": 0, "rightly silent": 0}
    misses: list[str] = []
    false_alarms: list[str] = []
    unmended: list[str] = []
    for broken in slips:
        path = f"/etc/pam.d/{broken.file}"
        with machine.preserved(path):
            machine.write(path, broken.text)
            found = findings(machine)
            complained = complaints(found)
            wrong = [f"{service}: {what}" for service in judges(broken.file) for what in judge.judge(service).wrong]
            if complained:
                mend(machine, complained)
                if findings(machine):
                    unmended.append(str(broken))
        said = [finding["what"] for finding in complained]
        if wrong and not found:
            misses.append(f"{broken}: {wrong}")
        elif said and not wrong:
            false_alarms.append(f"{broken}: {said}")
        else:
            counts["hits" if said else "rightly silent"] += 1
    print(*misses, *false_alarms, *unmended, sep="\n")
    print(f"{len(slips)} slips: {counts}, {len(misses)} misses, {len(false_alarms)} false alarms")
    assert (misses, false_alarms, unmended) == ([], [], [])
