"""What an installation puts in place besides the programs: accounts, folders and units, by systemd's own judgement."""

import json
import re
import subprocess

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
    named = {name.split()[0] for name in field.split(",")} - {"debhelper-compat", "dh-sequence-installsysusers"}
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


def test_agent_by_its_name(installed: Machine) -> None:
    """What the doctor and the documents print for root to type has no path."""
    assert installed.run(["readlink", "/usr/sbin/cognito-agent"]).stdout == "../libexec/pam-cognito/cognito-agent\n"
    done = installed.run(["cognito-agent", "--version"], check=True)
    assert done.stdout.startswith("cognito-agent ")


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


def test_bill_of_materials() -> None:
    """Each program is in it, with what it is linked with, and nothing that is not one of its components."""
    done = subprocess.run(["sh", REPOSITORY / "packaging/sbom.sh"], capture_output=True, text=True, check=True)
    bom = json.loads(done.stdout)
    components = {component["bom-ref"]: component for component in bom["components"]}
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.5") and len(components) == len(bom["components"])
    parts = {entry["ref"]: entry["dependsOn"] for entry in bom["dependencies"]}
    product = REPOSITORY / ".build/product"
    assert set(parts) == {
        file.name for file in product.iterdir() if file.name.startswith(("cognito-", "pam_cognito.so"))
    }
    assert {part for used in parts.values() for part in used} | set(parts) == set(components)
    for library, package, programs in (
        ("libcurl.so.4", "libcurl4", {"cognito-worker"}),
        ("libpam.so.0", "libpam0g", {"pam_cognito.so", "cognito-doctor"}),
        ("libkeyutils.so.1", "libkeyutils1", set(parts) - {"cognito-worker", "cognito-accounts"}),
    ):
        linked = {
            name
            for name in parts
            if f"[{library}]"
            in subprocess.run(["readelf", "-d", product / name], capture_output=True, text=True).stdout
        }
        # Some releases have another name for it since the time has 64 bits.
        names = {package, f"{package}t64"}
        named = {name for name, used in parts.items() if names & {components[part]["name"] for part in used}}
        assert linked == named == programs, library
    assert all(
        re.fullmatch(r"[0-9][^ ]*", component["version"]) for component in components.values() if "purl" in component
    )


def test_spanish_pages_of_0_1_0_are_removed(machine: Machine) -> None:
    old = ["/usr/share/man/es/man8/cognito-agent.8", "/usr/lib/systemd/catalog/pam-cognito.es.catalog"]
    for path in old:
        machine.write(f"/tmp/old{path}", "old")
    machine.install(destdir="/tmp/old")
    assert [path for path in old if machine.exists(f"/tmp/old{path}")] == []
