"""What an installation puts in place besides the programs: accounts, folders and units, by systemd's own judgement."""

import re

import pytest

from .machine import REPOSITORY, Machine

SERVICES = sorted(path.name for path in (REPOSITORY / "packaging/systemd").glob("*.service"))
#: What systemd-analyze may say at most, in tenths: 0 is a service that can do nothing.
EXPOSURE = 25


def test_package_names_what_is_needed_to_build() -> None:
    script = (REPOSITORY / "packaging/dependencies.sh").read_text()
    (needed,) = re.findall(r'^build="(.*)"$', script, re.MULTILINE)
    control = (REPOSITORY / "packaging/debian/control").read_text()
    (field,) = re.findall(r"^Build-Depends:((?:.*\n )*.*)$", control, re.MULTILINE)
    named = {name.split()[0] for name in field.split(",")} - {"debhelper-compat"}
    # The C++ library is that of the release's compiler.
    libraries = re.findall(r"library=(\S+) ;;", script)
    assert " | ".join(libraries) in field
    # binutils is build-essential.
    assert named == {*needed.split(), libraries[0]} - {"binutils", "$library"}


@pytest.fixture(scope="module")
def installed(machine: Machine) -> Machine:
    # As a package does it: nothing is made for the machine while the files are put in place.
    machine.install(destdir="/tmp/root")
    machine.run(["sh", "-c", "cp -a /tmp/root/usr/. /usr; cp -a /tmp/root/etc/. /etc"], check=True)
    return machine


def test_account(installed: Machine) -> None:
    assert "_pam-cognito" not in installed.read("/etc/passwd")
    installed.run(["systemd-sysusers", "pam-cognito.conf"], check=True)
    for name in ("_pam-cognito", "_pam-cognito-accounts"):
        account = installed.account(name)
        assert 0 < account["uid"] < 1000 and account["groups"] == [account["gid"]]
        assert (account["home"], account["shell"]) == ("/nonexistent", "/usr/sbin/nologin")
        (entry,) = re.findall(rf"^{name}:([^:]*):", installed.read("/etc/shadow"), re.MULTILINE)
        assert entry.startswith("!")


def test_folders(installed: Machine) -> None:
    installed.run(["systemd-tmpfiles", "--create", "pam-cognito.conf"], check=True)
    modes = {"/run/pam-cognito": 0o755, "/var/lib/pam-cognito": 0o700, "/var/lib/pam-cognito/accounts": 0o755}
    for path, mode in modes.items():
        status = installed.stat(path)
        assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (0, 0, mode)


def test_units(installed: Machine) -> None:
    units = sorted(path.name for path in (REPOSITORY / "packaging/systemd").iterdir())
    assert units
    done = installed.run(["systemd-analyze", "verify", *(f"/usr/lib/systemd/system/{unit}" for unit in units)])
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("service", SERVICES)
def test_sandbox(installed: Machine, service: str) -> None:
    unit = f"/usr/lib/systemd/system/{service}"
    done = installed.run(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", unit])
    assert done.returncode == 0, done.stdout
