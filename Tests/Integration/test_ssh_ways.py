"""Programs that come by ssh, each its own way: one sign-in a connection, tokens in each of its sessions, none left."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from .hosts import Sshd
from .machine import REPOSITORY, Machine, MachineProcess
from .product import RIGHT, Product
from .residue import SecretSearch

ASK = "/run/askpass"
ENVIRONMENT = {
    "SSH_ASKPASS": ASK,
    "SSH_ASKPASS_REQUIRE": "force",
    "DISPLAY": ":0",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
}
CONTROL = "/run/control"
ANSIBLE = REPOSITORY / ".build/venv/bin/ansible"


@dataclass
class Client:
    """Programs on the machine that asks for the connections; the password is given by ssh's own way for programs."""

    machine: Machine
    product: Product
    sshd: Sshd

    @property
    def options(self) -> list[str]:
        return ["-F", f"{self.sshd.folder}/ssh_config", "-o", "PreferredAuthentications=keyboard-interactive"]

    @property
    def has_tokens(self) -> str:
        """A command that fails where its session has none."""
        return f"keyctl search @s user {self.product.key_description}"

    def run(self, *argv: str, **options) -> subprocess.CompletedProcess:
        done = self.machine.run(list(argv), env=ENVIRONMENT, cwd="/root", timeout=120, **options)
        assert done.returncode == 0, done
        return done

    def ssh(self, *argv: str, **options) -> subprocess.CompletedProcess:
        return self.run("ssh", *self.options, *argv, **options)

    def start(self, *argv: str) -> MachineProcess:
        return self.machine.start(["ssh", *self.options, *argv], env=ENVIRONMENT)

    def await_session(self) -> None:
        self.machine.wait_until(
            lambda: [entry for entry in self.product.entries() if self.keys()], "a session with tokens"
        )

    def keys(self) -> list:
        return [key for key in self.machine.keys() if key.description == self.product.key_description]


@pytest.fixture(scope="module")
def sshd(product: Product) -> Iterator[Sshd]:
    with Sshd(product.machine, options={"Subsystem": "sftp internal-sftp"}) as server:
        yield server


@pytest.fixture(scope="module")
def client(machine: Machine, product: Product, sshd: Sshd, secret_search: SecretSearch) -> Client:
    for path in (ASK, "/run/password.json"):
        secret_search.allow(f"*{path}")
    machine.write(ASK, f"#!/bin/sh\necho '{RIGHT}'\n", 0o700)
    machine.write("/run/password.json", f'{{"ansible_password": "{RIGHT}"}}', 0o600)
    return Client(machine, product, sshd)


@pytest.fixture(autouse=True)
def one_sign_in(client: Client) -> Iterator[None]:
    """Whatever was done: the person was asked once, and nothing of it is good any more."""
    mark = client.machine.log_mark()
    yield
    client.machine.wait_until(lambda: not client.product.entries(), "the end of the session")
    assert len(client.machine.log(mark, containing="signed in; user='alice'")) == 1
    assert not client.product.tokens_given() and not client.keys()


def test_a_command(client: Client) -> None:
    client.ssh("alice@127.0.0.1", client.has_tokens)


def test_no_command(client: Client) -> None:
    """`-N`, as for a tunnel: the session begins with the connection, and ends with it."""
    tunnel = client.start("-N", "-L", "8022:127.0.0.1:2222", "alice@127.0.0.1")
    client.await_session()
    assert len(client.product.tokens_given()) > 0
    tunnel.end()


@pytest.mark.parametrize("program", ["scp", "sftp", "git"])
def test_files(client: Client, program: str) -> None:
    machine = client.machine
    machine.write("/run/file", "content\n", 0o644)
    home = machine.account("alice")["home"]
    if program == "git":
        machine.run(["git", "init", "-q", "--bare", f"{home}/r.git"], user="alice", check=True)
        ssh = " ".join(["ssh", *client.options, "-p", str(client.sshd.port)])
        client.run("env", f"GIT_SSH_COMMAND={ssh}", "git", "ls-remote", f"ssh://alice@127.0.0.1{home}/r.git")
    else:
        batch = ["-b", "/run/batch"] if program == "sftp" else []
        machine.write("/run/batch", "put /run/file copy\n")
        target = ["alice@127.0.0.1"] if program == "sftp" else ["/run/file", "alice@127.0.0.1:copy"]
        # sftp's batch mode asks nobody for anything by itself.
        client.run(program, *client.options, "-o", "BatchMode=no", *batch, *target)
        assert machine.read(f"{home}/copy") == "content\n"
    machine.run(["rm", "-rf", f"{home}/r.git", f"{home}/copy", "/run/file", "/run/batch"])


def test_a_connection_that_is_shared(client: Client) -> None:
    """ControlMaster: sessions that come to a connection have the tokens of its sign-in, and their ends end nothing."""
    master = client.start("-M", "-N", "-S", CONTROL, "alice@127.0.0.1")
    client.await_session()
    for _ in range(3):
        client.ssh("-S", CONTROL, "alice@127.0.0.1", client.has_tokens)
    client.run("scp", *client.options, "-o", f"ControlPath={CONTROL}", "/etc/hostname", "alice@127.0.0.1:copy")
    assert len(client.product.entries()) == 1
    master.end()


def test_vs_code(client: Client) -> None:
    """Its Remote-SSH: `ssh -T -D PORT HOST bash`, and a script on standard input."""
    done = client.ssh("-T", "-D", "8081", "alice@127.0.0.1", "bash", input=f"{client.has_tokens} && echo in\n")
    assert done.stdout.endswith("in\n")


def test_ansible(client: Client) -> None:
    """Ansible itself, with a password: one connection that stays for the next tasks, until it is ended."""
    common = " ".join([*client.options, "-o", "ControlPersist=60s"])
    done = client.run(
        str(ANSIBLE), "all", "-i", "127.0.0.1,", "-u", "alice", "-e", "@/run/password.json",
        "-e", f"ansible_port={client.sshd.port} ansible_python_interpreter=/usr/bin/python3",
        "-e", f"ansible_ssh_common_args='{common}' ansible_control_path={CONTROL}",
        "-m", "ansible.builtin.command", "-a", client.has_tokens,
    )  # fmt: skip
    assert "rc=0" in done.stdout, done
    client.ssh("-S", CONTROL, "-O", "exit", "alice@127.0.0.1")
