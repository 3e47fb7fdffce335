"""The play of packaging/ansible over ssh on a booted Debian that has nothing of ours: once, and once more."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY
from Packages.test_deb import newest_package

from .guest import FOLDER, Emulator, Guest

ALICE = "Correct-Horse-9!"
#: Carries a connection to sshd inside; the network is the system's own.
_PIPE = """
import os, socket, threading
s = socket.create_connection(("127.0.0.1", 22))
def say():
    while text := os.read(0, 65536):
        s.sendall(text)
threading.Thread(target=say, daemon=True).start()
while text := s.recv(65536):
    os.write(1, text)
os._exit(0)
"""


@pytest.fixture
def guest() -> Iterator[Guest]:
    with Guest() as started:
        started.boot()
        # What Ansible needs on a machine.
        started.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "python3", "python3-apt")
        yield started


def test_play(guest: Guest, tmp_path: Path) -> None:
    emulator = Emulator(guest, "emulator-rollout")
    try:
        pool = emulator.client.pool(groups=["staff"], generate_secret=True)
        emulator.client.user(pool["pool_id"], "alice", ALICE, groups=["staff"], email="alice@example.com")
        guest.run("groupadd", "-r", "cognito")
        guest.run("useradd", "-m", "-s", "/bin/sh", "-G", "cognito", "alice")
        guest.write("/etc/ssl/pool.pem", Path(emulator.client.ca).read_text())
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
        guest.write("/root/.ssh/authorized_keys", (tmp_path / "key.pub").read_text(), 0o600)
        (tmp_path / "pipe.py").write_text(_PIPE)
        proxy = f"nsenter --target={guest.leader} --net python3 -IS {tmp_path}/pipe.py"
        (tmp_path / "hosts").write_text(
            "[cognito_hosts]\nguest ansible_user=root ansible_python_interpreter=/usr/bin/python3 "
            f"ansible_ssh_private_key_file={tmp_path}/key ansible_ssh_common_args='-F /dev/null "
            f'-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ProxyCommand="{proxy}"\'\n'
        )
        values = {
            "pam_cognito_package": str(newest_package()),
            "pam_cognito_user_pool_id": pool["pool_id"],
            "pam_cognito_client_id": pool["client_id"],
            "pam_cognito_client_secret": pool["client_secret"],
            "pam_cognito_allowed_groups": "staff",
            "pam_cognito_options": {"endpoint": emulator.client.endpoint, "ca_file": "/etc/ssl/pool.pem"},
        }

        def play() -> dict[str, int]:
            done = subprocess.run(
                [
                    *(REPOSITORY / ".build/venv/bin/ansible-playbook", "-i", tmp_path / "hosts"),
                    *("-e", json.dumps(values), REPOSITORY / "packaging/ansible/site.yml"),
                ],
                env={**os.environ, "ANSIBLE_HOME": str(tmp_path), "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8"},
                capture_output=True,
                text=True,
            )
            (FOLDER / "play.log").write_text(done.stdout + done.stderr)
            found = re.search(r"^guest\s+: (.*)$", done.stdout, re.M)
            assert found and done.returncode == 0, done.stdout + done.stderr
            assert pool["client_secret"] not in done.stdout
            return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", found[1])}

        assert play()["changed"] >= 7
        assert (
            guest.run("systemctl", "is-active", "pam-cognito-agent.socket", "pam-cognito-reap.timer") == "active\n" * 2
        )
        accepted, said = guest.ssh("alice", ALICE, "NO_COLOR=1 cognito-session")
        assert accepted and "Signed in to Amazon Cognito as alice" in said, said
        again = play()
        assert again["changed"] == 0 and again["failed"] == 0, again
        guest.run("cognito-session", "doctor")
    finally:
        emulator.close()
