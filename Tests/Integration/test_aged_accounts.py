"""Accounts of Cognito's whose entry in shadow(5) has aged: who comes in, by the shipped stacks and by the profile."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .advice import follow
from .agent_process import AgentProcess
from .hosts import Sshd, allow_sudo, login, su, su_command, sudo_command
from .machine import Machine, password_hash
from .pam_driver import PamDriver
from .product import LOCAL, RIGHT, Product
from .test_doctor import Report
from .test_pam_profile import SERVICES, update

pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the account lines")

NO_PASSWORD = "!"
HASH = password_hash(LOCAL)
LONG_AGO = "18000:0:90:7"
#: What shadow(5) says of somebody after the name -> what the account lines return.
ENTRIES = {
    "as useradd makes it": (NO_PASSWORD, "20000:0:99999:7:::", "PAM_SUCCESS"),
    "aged": (NO_PASSWORD, f"{LONG_AGO}:::", "PAM_SUCCESS"),
    "to be changed": (NO_PASSWORD, "0:0:99999:7:::", "PAM_SUCCESS"),
    "aged, never set": ("*", f"{LONG_AGO}:::", "PAM_SUCCESS"),
    "no date": (NO_PASSWORD, ":0:90:7:::", "PAM_SUCCESS"),
    "inactive": (NO_PASSWORD, f"{LONG_AGO}:7::", "refused"),
    "inactive at once": (NO_PASSWORD, f"{LONG_AGO}:0::", "refused"),
    "expired": (NO_PASSWORD, "20000:0:99999:7::19000:", "refused"),
    "aged and expired": (NO_PASSWORD, f"{LONG_AGO}::19000:", "refused"),
    "aged and locked": (f"!{HASH}", f"{LONG_AGO}:::", "PAM_NEW_AUTHTOK_REQD"),
    "aged, with a password": (HASH, f"{LONG_AGO}:::", "PAM_NEW_AUTHTOK_REQD"),
}


def set_entry(machine: Machine, name: str, hashed: str, rest: str) -> None:
    shadow = machine.read("/etc/shadow")
    machine.write("/etc/shadow", re.sub(rf"(?m)^{name}:.*$", lambda _: f"{name}:{hashed}:{rest}", shadow), 0o640)


@pytest.fixture(scope="module", params=["files", "profile"])
def machine_of(request, product: Product) -> Product:
    machine = product.machine
    allow_sudo(machine, "alice")
    if request.param == "profile":
        for name in SERVICES:
            machine.write(f"/etc/pam.d/{name}", Path("/etc/pam.d", name).read_bytes())
        update(machine, "--enable", "cognito")
    return product


@pytest.fixture
def shadow(machine_of: Product) -> Iterator[Machine]:
    machine = machine_of.machine
    # Named, so that a password of this machine leaves her Cognito's.
    machine_of.configure(users="alice", sign_out="session")
    with machine.preserved("/etc/shadow"):
        yield machine


@pytest.mark.parametrize("case", ENTRIES)
def test_account_lines(machine_of: Product, shadow: Machine, case: str) -> None:
    """After a sign-in with Cognito, and after another one's, as with an ssh key."""
    hashed, rest, expected = ENTRIES[case]
    set_entry(shadow, "alice", hashed, rest)
    for service in ("sshd", "login", "su", "sudo"):
        for signs_in in (True, False):
            with PamDriver(shadow, service, "alice", observe=False) as driver:
                driver.do_not_wait()
                if signs_in:
                    assert driver.authenticate(RIGHT).succeeded
                result = driver.call("acct_mgmt")
                code = result.code if result.code in ("PAM_SUCCESS", "PAM_NEW_AUTHTOK_REQD") else "refused"
                assert code == expected, (service, signs_in, result)
                # pam_unix has nothing to say of a password that nobody has.
                assert expected != "PAM_SUCCESS" or not result.conversation
    shadow.forget_keys()


def test_lines_of_their_own(machine_of: Product, shadow: Machine) -> None:
    """Without no_pass_expiry the answer about an aged account is the usual one, which every control knows."""
    set_entry(shadow, "alice", *ENTRIES["aged"][:2])
    shadow.pam("own", "auth required pam_cognito.so\naccount required pam_cognito.so\n")
    with PamDriver(shadow, "own", "alice", observe=False) as driver:
        assert driver.authenticate(RIGHT).succeeded and driver.call("acct_mgmt").succeeded
    shadow.remove("/etc/pam.d/own")
    shadow.forget_keys()


def test_local_accounts(machine_of: Product, shadow: Machine) -> None:
    """Theirs ages as ever."""
    for rest in (f"{LONG_AGO}:::", "0:0:99999:7:::"):
        set_entry(shadow, "bob", HASH, rest)
        for service in ("sshd", "login", "su", "sudo"):
            with PamDriver(shadow, service, "bob", observe=False) as driver:
                assert driver.authenticate(LOCAL).succeeded
                result = driver.call("acct_mgmt")
                assert result.code == "PAM_NEW_AUTHTOK_REQD"
                assert len(result.conversation) == 1, result


@pytest.mark.parametrize("case", ["aged", "to be changed"])
def test_hosts(machine_of: Product, shadow: Machine, case: str) -> None:
    """The real programs, of which each goes on in a way of its own after PAM_NEW_AUTHTOK_REQD."""
    set_entry(shadow, "alice", *ENTRIES[case][:2])
    with Sshd(shadow) as sshd:
        done = sshd.run("alice", RIGHT, method="keyboard-interactive", command="id -un")
        assert done.output == "alice\n" and len(done.prompts) == 1
        sshd.authorize("alice")
        assert sshd.run("alice", method="publickey", command="id -un").output == "alice\n"
    with login(shadow, "alice", RIGHT) as session:
        assert session.accepted and session.prompts == ["Password: "], session.seen
        session.logout()
    with su(shadow, "bob", "alice", RIGHT) as session:
        assert session.accepted and session.prompts == ["Password: "], session.seen
        session.logout()
    assert su_command(shadow, None, "alice", "id -un")[:2] == (0, "alice\r\n")
    status, seen, prompts = sudo_command(shadow, "alice", "root", ["id", "-un"], RIGHT)
    assert status == 0 and "root" in seen and len(prompts) == 1


@pytest.mark.parametrize("case", ["inactive", "expired", "aged and expired"])
def test_refused_by_hosts(machine_of: Product, shadow: Machine, case: str) -> None:
    set_entry(shadow, "alice", *ENTRIES[case][:2])
    with Sshd(shadow) as sshd:
        assert not sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
        sshd.authorize("alice")
        assert not sshd.run("alice", method="publickey").accepted
    with login(shadow, "alice", RIGHT) as session:
        assert not session.accepted
    shadow.forget_keys()


def doctor(machine: Machine, *arguments: str) -> tuple[int, list[dict]]:
    done = machine.run(["cognito-session", "doctor", "--json", *arguments])
    said = json.loads(done.stdout)
    found = said["findings"] if "findings" in said else [entry for area in said["areas"] for entry in area["findings"]]
    return done.returncode, [entry for entry in found if "requires a new local password for these" in entry["what"]]


def test_doctor(machine_of: Product, shadow: Machine, agent: AgentProcess) -> None:
    """8 and the truth where nobody comes in: where the lines are those of 0.1.0."""
    machine_of.configure()
    shadow.remove("/etc/pam.d/alone")
    names = ("alice", "carol")
    for name in names:
        set_entry(shadow, name, *ENTRIES["aged"][:2])
    status, (passed,) = doctor(shadow)
    assert passed["severity"] == "warning" and "do not require a new local password" in passed["why"]
    assert doctor(shadow, "--explain", "alice")[0] == 7
    path = next(p for p in ("/etc/pam.d/common-account", "/etc/pam.d/cognito-account") if "cognito" in shadow.read(p))
    with shadow.preserved(path):
        shadow.write(path, re.sub(r"authtok_disable_aging=\d+ | no_pass_expiry", "", shadow.read(path)))
        status, (closed,) = doctor(shadow)
        assert status == 8 and closed["severity"] == "broken" and "have no local password" in closed["why"]
        assert doctor(shadow, "--explain", "alice")[0] == 8
        with PamDriver(shadow, "login", "alice", observe=False) as driver:
            assert [result.succeeded for result in driver.sign_in(RIGHT)] == [True, False]
        # The lines alone, and the dates alone.
        (lines,) = (entry for entry in Report(shadow).findings if "no_pass_expiry" in entry["why"])
        # pam-auth-update asks about changed files on a terminal, and --force is the answer.
        follow(shadow, lines["mend"].replace("pam-auth-update ", "pam-auth-update --force "))
        assert "no_pass_expiry" in shadow.read(path)
        assert doctor(shadow)[1] == [passed]
        with PamDriver(shadow, "login", "alice", observe=False) as driver:
            assert all(result.succeeded for result in driver.sign_in(RIGHT))
            driver.sign_out()
    shadow.run(["sh", "-c", passed["mend"]], check=True)
    assert doctor(shadow)[1] == []


def test_useradd_of_the_readme(product: Product) -> None:
    """Whatever login.defs says of passwords, an account made so does not age."""
    machine = product.machine
    (line,) = re.findall(r"^useradd .*$", (Path(__file__).parents[2] / "docs/quickstart.md").read_text(), re.M)
    with machine.preserved("/etc/login.defs", "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow"):
        defs = re.sub(r"(?m)^PASS_MAX_DAYS.*$", "PASS_MAX_DAYS 90", machine.read("/etc/login.defs"))
        machine.write("/etc/login.defs", defs, 0o644)
        machine.run(["sh", "-c", line], check=True)
        entry = next(line for line in machine.read("/etc/shadow").splitlines() if line.startswith("ana:"))
        assert entry.split(":")[1] == "!" and entry.split(":")[4] in ("", "-1"), entry
        machine.run(["rm", "-rf", "/home/ana"], check=True)
