"""packaging/ansible and packaging/cloud-init, as an administrator would use them."""

import json
import re
from pathlib import Path

import pytest

from .machine import REPOSITORY, Machine
from .pam_driver import PamDriver
from .product import CONFIGURATION, RIGHT, Product

pytestmark = pytest.mark.lengthy("Ansible plays five times")

PLAY = REPOSITORY / "packaging/ansible/site.yml"
CLOUD = REPOSITORY / "packaging/cloud-init/pam-cognito.yaml"
SSHD = "/etc/ssh/sshd_config"


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    """In a machine with its distribution's service files."""
    machine = product.machine
    for name in ("login", "other", "passwd", "sshd", "su", "su-l", "sudo", "sudo-i"):
        machine.write(f"/etc/pam.d/{name}", Path("/etc/pam.d", name).read_bytes())
    machine.write(SSHD, "UsePAM yes\nPasswordAuthentication yes\nHostKey /etc/ssh/host_key\n", 0o644)
    machine.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
    machine.make_directory("/run/sshd")
    machine.remove("/etc/security/pam_cognito.secret")
    return product


def play(product: Product, *options: str, **variables: str) -> dict[str, int]:
    """Runs the play on the machine itself; what it says that it did."""
    settings = product.settings()
    named = {"user_pool_id", "client_id", "client_secret_file", "unix_group", "allowed_groups"}
    values = {
        "pam_cognito_user_pool_id": settings["user_pool_id"],
        "pam_cognito_client_id": settings["client_id"],
        "pam_cognito_client_secret": product.pool["client_secret"],
        "pam_cognito_allowed_groups": settings["allowed_groups"],
        "pam_cognito_options": {name: value for name, value in settings.items() if name not in named},
        # A machine without systemd has no agent, which the doctor complains of.
        "pam_cognito_doctor": False,
        **variables,
    }
    done = product.machine.run(
        [
            str(REPOSITORY / ".build/venv/bin/ansible-playbook"), "-i", "cognito_hosts,", "-c", "local",
            "-e", "ansible_become=false ansible_python_interpreter=/usr/bin/python3", "-e", json.dumps(values),
            *options, "-l", "cognito_hosts", str(PLAY),
        ],
        env={
            "ANSIBLE_HOME": "/tmp/ansible", "ANSIBLE_PIPELINING": "1", "ANSIBLE_NOCOLOR": "1",
            "LC_ALL": "C.UTF-8", "HOME": "/root",
        },
        timeout=300,
    )  # fmt: skip
    found = re.search(r"^cognito_hosts\s+: (.*)$", done.stdout, re.M)
    assert found, done.stdout + done.stderr
    counts = {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", found[1])}
    counts["status"] = done.returncode
    if product.pool["client_secret"] in done.stdout:
        raise AssertionError("the secret is in the play's output")
    return counts


def test_a_play_run_twice(machine: Machine, product: Product) -> None:
    first = play(product)
    assert first["status"] == 0 and first["failed"] == 0 and first["changed"] >= 4, first
    files = {path: machine.read_bytes(path) for path in (CONFIGURATION, SSHD, "/etc/pam.d/common-auth")}
    assert b"pam_cognito.so" in files["/etc/pam.d/common-auth"]
    assert files[SSHD].count(b"PasswordAuthentication no\n") == 1 and b"PasswordAuthentication yes" not in files[SSHD]
    assert machine.stat("/etc/security/pam_cognito.secret").st_mode & 0o777 == 0o600
    second = play(product)
    assert second["status"] == 0 and second["changed"] == 0 and second["failed"] == 0, second
    assert files == {path: machine.read_bytes(path) for path in files}
    with PamDriver(machine, "login", "alice") as driver:
        assert driver.sign_in(RIGHT)[-1].succeeded
        driver.sign_out()


def test_a_play_that_cannot_be(machine: Machine, product: Product) -> None:
    """A pool that is none, and an sshd that would not start, change nothing."""
    before = machine.read_bytes(CONFIGURATION)
    assert play(product, pam_cognito_user_pool_id="no pool")["failed"] == 1
    assert machine.read_bytes(CONFIGURATION) == before
    with machine.preserved(SSHD):
        machine.write(SSHD, "NoSuchOption yes\n", 0o644)
        done = play(product)
        assert done["failed"] == 1 and machine.read(SSHD) == "NoSuchOption yes\n"


def test_the_doctor_has_the_last_word(machine: Machine, product: Product) -> None:
    """Accounts that cannot sign in fail the play."""
    with machine.preserved(CONFIGURATION):
        assert play(product, pam_cognito_doctor=True, pam_cognito_unix_group="nobody-is-here")["failed"] == 1


def test_the_cloud_config(machine: Machine, product: Product) -> None:
    """Its configuration is one, and what it runs is there."""
    text = CLOUD.read_text()
    assert text.startswith("#cloud-config\n")
    block = re.search(r"pam_cognito.conf\n.*?content: \|\n(.*?)\n  - ", text, re.S)
    assert block
    options = dict(re.findall(r"^\s+([a-z_]+) = (.+)$", block[1], re.M))
    assert options["user_pool_id"] and options["client_id"]
    with machine.preserved(CONFIGURATION):
        machine.write(CONFIGURATION, "".join(f"{name} = {value}\n" for name, value in options.items()), 0o644)
        shown = machine.run(["cognito-session", "doctor"]).stdout
        assert f"user pool {options['user_pool_id']}, app client {options['client_id']}" in shown
    last = re.search(r"^  - \[sh, -c, \"(.*)\"\]\n\Z", text, re.M)
    assert last
    for found, status in ((0, 0), (7, 0), (8, 1)):
        line = last[1].replace("cognito-session doctor", f"(exit {found})")
        assert machine.run(["sh", "-c", line]).returncode == status
    tasks = (PLAY.parent / "roles/pam_cognito/tasks/main.yml").read_text()
    units = set(re.findall(r"pam-cognito-[a-z]+\.(?:service|timer|socket)", text))
    assert units == set(re.findall(r"pam-cognito-[a-z]+\.(?:service|timer|socket)", tasks))
    assert units == {"pam-cognito-agent.socket", "pam-cognito-reap.timer", "pam-cognito-drain.service"}
    assert all((REPOSITORY / "packaging/systemd" / unit).exists() for unit in units)
