"""What the README tells everybody to run first, as it is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from .machine import GENEROUS, REPOSITORY


def test_every_step_holds() -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-m", "Integration.demo"],
        cwd=REPOSITORY / "Tests",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ GetUser is refused" in done.stdout, done.stdout


def test_shell_to_look_around_in() -> None:
    """It is of the kind of the person's own terminal, in their language, and says how to get another one."""
    environment = os.environ | {"TERM": "vt100", "LC_ALL": "es_ES.UTF-8"}
    command = ["-B", "-m", "Integration.demo", "--shell"]
    with pexpect.spawn(
        sys.executable, command, cwd=str(REPOSITORY / "Tests"), env=environment, encoding="utf-8", timeout=GENEROUS
    ) as shown:
        shown.expect(r"password is ([\w-]+)")
        password = shown.match[1]
        shown.expect(r"ssh -p (\d+) ana@")
        port = shown.match[1]
        shown.expect(r"ana\$ $")
        shown.sendline("echo $TERM,$LANG; cognito-session --help | head -n 1")
        shown.expect("vt100,es_ES.UTF-8\r\nMuestra ")
        ssh = f"ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -p {port} ana@127.0.0.1 id -un"
        shown.sendline(ssh)
        shown.expect("assword: ")
        shown.sendline(password)
        shown.expect("\r\nana\r\n")
        shown.sendline("exit")
        shown.expect("Every step held")
        shown.expect(pexpect.EOF)


PROGRAMS = ("Tests/demo", "Tests/run")


def started(program: str, *before: str, path: str | Path | None = None) -> subprocess.CompletedProcess:
    environment = {"PATH": str(path or os.environ["PATH"]), "HOME": "/nonexistent"}
    path_of_it, *arguments = program.split()
    command = [*before, "/bin/sh", REPOSITORY / path_of_it, *arguments]
    return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("program", [*PROGRAMS, "Tests/against-aws --region eu-west-1"])
def test_missing_swift_is_said_first(tmp_path: Path, program: str) -> None:
    for name in ("sh", "dirname", "id"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = started(program, path=tmp_path)
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith("Swift is not in PATH; "), done


@pytest.mark.parametrize("program", PROGRAMS)
def test_chroot(program: str) -> None:
    """The kernel makes no namespaces of users in one: that is said, and nothing installed or built."""
    script = 'mount --rbind / /mnt && exec chroot /mnt "$@"'
    done = started(program, "unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh")
    assert (done.returncode, done.stdout) == (1, "") and "In a chroot the kernel makes none" in done.stderr, done
