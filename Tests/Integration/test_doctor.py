"""`cognito-session doctor`: silent on a good set-up, and right about broken ones."""

import json

import pytest

from .machine import Machine
from .product import CONFIGURATION, LOCAL, Product

SSHD = "UsePAM yes\nKbdInteractiveAuthentication yes\nHostKey /etc/ssh/host_key\n"
AREAS = ["configuration", "files", "account", "keyrings", "stacks", "ssh", "worker", "cognito", "people"]


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    machine = product.machine
    machine.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
    machine.write("/etc/ssh/sshd_config", SSHD, 0o600)
    machine.make_directory("/run/sshd")
    # As shipped, without the test's own delay.
    machine.shipped_pam()
    machine.remove("/etc/pam.d/alone")
    return product


class Report:
    """What the doctor said."""

    def __init__(self, machine: Machine, *arguments: str):
        self.done = machine.run(["cognito-session", "doctor", "--json", *arguments])
        self.report = json.loads(self.done.stdout)
        self.areas = {area["area"]: area for area in self.report["areas"]}
        self.findings = [finding for area in self.report["areas"] for finding in area["findings"]]

    @property
    def status(self) -> int:
        assert self.report["exit_status"] == self.done.returncode
        return self.done.returncode

    def of(self, area: str) -> list[str]:
        """What was found in an area, notes aside."""
        return [entry["what"] for entry in self.areas[area]["findings"] if entry["severity"] != "note"]


def test_good_set_up(product: Product) -> None:
    report = Report(product.machine)
    assert report.findings == [] and report.status == 0
    assert list(report.areas) == AREAS
    assert report.areas["people"]["summary"] == "alice, carol"
    assert report.areas["stacks"]["summary"] == "login, passwd, screen-lock, sshd, su, su-l, sudo, sudo-i"
    shown = product.machine.run(["cognito-session", "doctor"], check=True)
    assert len(shown.stdout.splitlines()) == len(AREAS)


def test_needs_root(product: Product) -> None:
    done = product.machine.run(["cognito-session", "doctor"], user="bob")
    assert done.returncode == 64 and "as root" in done.stderr


def test_several_mistakes_at_once(product: Product) -> None:
    machine = product.machine
    with machine.preserved(CONFIGURATION, "/etc/security/pam_cognito.secret"):
        text = machine.read(CONFIGURATION).replace("unix_group", "unix_gruop")
        machine.write(CONFIGURATION, text + "welcome = perhaps\nclient_id = again\n", 0o644)
        found = Report(machine)
        assert found.status == 8
        lines = found.of("configuration")
        assert len(lines) == 3
        assert "did you mean unix_group?" in lines[0]
        assert "welcome cannot be 'perhaps'; allowed: yes or no" in lines[1]
        assert "client_id is given again" in lines[2]
    with machine.preserved(CONFIGURATION):
        machine.write(CONFIGURATION, machine.read(CONFIGURATION), 0o666)
        found = Report(machine)
        (finding,) = found.areas["configuration"]["findings"]
        machine.run(["sh", "-c", finding["mend"]], check=True)
        assert Report(machine).status == 0


def test_people(product: Product) -> None:
    machine = product.machine
    machine.add_user("dora", password=LOCAL)
    machine.add_to_group("dora", "cognito")
    try:
        product.configure(users="bob nobody-here root")
        found = Report(machine)
        assert [entry.split()[0:3] for entry in found.of("people")] == [
            ["users", "names", "nobody-here,"],
            ["root", "has", "uid"],
            ["dora", "is", "in"],
        ]
        assert found.areas["people"]["summary"] == "bob, alice, carol"
        product.configure(unix_group="no-such-group")
        found = Report(machine)
        assert found.status == 8 and "no group of this machine" in found.of("people")[0]
    finally:
        product.configure()
        machine.remove_user("dora")


def test_other_configuration(product: Product) -> None:
    product.machine.write("/etc/security/other.conf", product.machine.read(CONFIGURATION) + "sign_out = never\n")
    found = Report(product.machine, "--config", "/etc/security/other.conf")
    assert found.status == 8
    assert found.of("configuration")[0].startswith("/etc/security/other.conf, line 8: sign_out cannot be 'never'")


class TestCognito:
    """The way there, without signing anybody in."""

    def test_reached(self, product: Product) -> None:
        found = Report(product.machine)
        assert found.areas["cognito"]["summary"].startswith(product.emulator.endpoint.removeprefix("https://"))
        assert " 2 keys; " in found.areas["cognito"]["summary"]
        assert product.operations() == []

    def test_down(self, product: Product) -> None:
        product.emulator.down()
        try:
            found = Report(product.machine)
        finally:
            product.emulator.up()
        assert found.status == 8 and len(found.findings) == 1
        assert "no connection" in found.of("cognito")[0]

    @pytest.mark.parametrize(
        "changes, words",
        [
            ({"ca_file": None}, "certificate was not accepted"),
            ({"ca_file": "/no/such/file"}, "ca_file"),
            ({"user_pool_id": "eu-west-1_NoSuchPool"}, 'check "user_pool_id" and "endpoint"'),
            ({"endpoint": "https://no-such-host.invalid"}, "could not be resolved"),
        ],
    )
    def test_wrong(self, product: Product, changes: dict[str, str | None], words: str) -> None:
        product.configure(**changes)
        try:
            found = Report(product.machine)
        finally:
            product.configure()
        assert found.status == 8 and len(found.findings) == 1
        assert words in found.of("cognito")[0]

    def test_worker_cannot_start(self, product: Product) -> None:
        worker = "/usr/libexec/pam-cognito/cognito-worker"
        with product.machine.preserved(worker):
            product.machine.run(["chmod", "0700", worker], check=True)
            found = Report(product.machine)
            assert found.of("files") == [f"{worker} has a mode that keeps out those who need it."]
            assert found.of("cognito")[0].startswith("No worker: ")
            product.machine.run(["sh", "-c", found.areas["files"]["findings"][0]["mend"]], check=True)
            assert Report(product.machine).status == 0
