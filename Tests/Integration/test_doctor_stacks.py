"""The doctor on PAM stacks that are broken by one slip: real sign-ins say which of them are, and it must say the same.

A sample by default; Tests/doctor tries all of them.
"""

import os

import pytest

from .advice import follow
from .broken_stacks import FILES, SMALL_FILES, Judge, generate, judges
from .machine import Machine
from .product import Product
from .score import Score
from .test_doctor import Report, set_up

#: The sample: every so many of the slips. A prime, so that it comes by all kinds of them.
STEP = int(os.environ.get("DOCTOR_STEP", "71"))
#: So that all of it can be tried side by side, and a part again: Tests/doctor -k "slips and 7".
PARTS = 24 if STEP == 1 else 1


pytestmark = [
    pytest.mark.leaves_keys("sign-ins that came no further than the account lines"),
    pytest.mark.lengthy("real sign-ins through each stack"),
]


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    return set_up(product)


@pytest.fixture(scope="module")
def judge(product: Product) -> Judge:
    return Judge(product)


def findings(machine: Machine) -> list[dict]:
    """What the doctor has against the stacks, notes included."""
    return Report(machine).areas["stacks"]["findings"]


def complaints(found: list[dict]) -> list[dict]:
    return [finding for finding in found if finding["severity"] != "note"]


SERVICES = ["sshd", "su", "screen-lock", "passwd", "login", "sudo", "su-l", "sudo-i"]


@pytest.mark.parametrize("service", SERVICES if STEP == 1 else SERVICES[:4])
def test_as_shipped(product: Product, judge: Judge, service: str) -> None:
    assert judge.judge(service).wrong == []
    assert findings(product.machine) == []


def test_leaves_no_trace(product: Product) -> None:
    """libpam logs what is wrong with a stack; what the doctor has it run is nothing for the log."""
    machine = product.machine
    with machine.preserved("/etc/pam.d/sshd"):
        machine.write("/etc/pam.d/sshd", "auth nonsense pam_unix.so\nauth required\n" + machine.read("/etc/pam.d/sshd"))
        mark = machine.log_mark()
        assert any("cannot be read" in finding["what"] for finding in findings(machine))
        assert machine.log(mark, containing="PAM") == []
        assert not machine.run(["sh", "-c", "ls -d /run/pam-cognito-doctor.* /tmp/pam-cognito-doctor.*"]).stdout


#: What 0.1.0 shipped.
OLD_STACK = """
auth optional pam_faildelay.so delay=1
auth requisite pam_faillock.so preauth
auth [success=5 new_authtok_reqd=5 ignore=ignore user_unknown=ignore authinfo_unavail=3 module_unknown=ignore default=1] pam_cognito.so
auth [success=4 new_authtok_reqd=4 default=ignore] pam_unix.so nullok nodelay try_first_pass
auth [default=ignore] pam_faillock.so authfail
auth requisite pam_deny.so
auth [success=1 new_authtok_reqd=1 default=ignore] pam_unix.so nullok nodelay try_first_pass
auth requisite pam_deny.so
auth required pam_faillock.so authsucc
"""  # noqa: E501


def test_after_an_upgrade(product: Product, judge: Judge) -> None:
    """The stacks of 0.1.0 go on working; the doctor says what to change."""
    machine = product.machine
    with machine.preserved("/etc/pam.d/cognito-auth", "/etc/security/faillock.conf"):
        machine.write("/etc/security/faillock.conf", "deny = 10000\nnodelay\n", 0o644)
        machine.write("/etc/pam.d/cognito-auth", OLD_STACK)
        assert judge.judge("sshd").wrong == []
        assert judge.judge("su").wrong == ["auth lines, removed: True"]
        found = findings(machine)
        unloaded = next(finding for finding in found if "if pam_cognito.so cannot be loaded" in finding["what"])
        found.remove(unloaded)
        stack, outage = found
        assert unloaded["mend"] == stack["mend"]
        assert "pam_faillock counts failures in files" in stack["what"]
        # As local_password = never has it.
        assert "counts a failure when Cognito cannot be reached" in outage["what"] and outage["mend"] == stack["mend"]
        repair(machine, [stack])
        assert findings(machine) == []
        assert judge.judge("su").wrong == []


def repair(machine: Machine, found: list[dict]) -> None:
    # One piece of advice is about all that follows from one line.
    for advice in dict.fromkeys(finding["mend"] for finding in found):
        follow(machine, advice)


def own_line(file: str) -> str:
    """What an administrator has added to a file, which has nothing against anybody."""
    facility = {"cognito-account": "account", "cognito-session": "session"}.get(file, "auth")
    facility = "password" if file in ("cognito-password", "passwd") else facility
    return f"{facility} optional pam_warn.so\n"


@pytest.mark.parametrize("part", range(PARTS))
def test_slips(product: Product, judge: Judge, part: int, record_property) -> None:
    """Hits, misses, false alarms; and what the doctor says puts it right, and keeps what somebody has added."""
    machine = product.machine
    score = Score("PAM stacks")
    left_broken: list[str] = []
    for broken in generate(machine, FILES + SMALL_FILES)[::STEP][part::PARTS]:
        path = f"/etc/pam.d/{broken.file}"
        with machine.preserved(path):
            own = own_line(broken.file)
            machine.write(path, own + broken.text)
            found = findings(machine)
            said = [finding["what"] for finding in complaints(found)]
            wrong: list[str] = []
            for service in judges(broken.file):
                # Where the doctor complains one fault proves it right; where it does not, nothing must be wrong at all.
                if not (said and wrong):
                    wrong += [f"{service}: {what}" for what in judge.judge(service, is_brief=bool(said)).wrong]
            if said:
                repair(machine, complaints(found))
                # The sign-in afterwards says whether that was it.
                left = [what for service in judges(broken.file) for what in judge.judge(service, is_brief=True).wrong]
                if left or findings(machine) or own not in machine.read(path):
                    left_broken.append(f"{broken}: {left}")
        score.note(f"{broken}: {wrong}", bool(wrong), said, is_remarked=bool(found))
    score.check(record_property)
    assert left_broken == []
