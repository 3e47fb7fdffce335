"""`doctor --mend` and `--undo` on a real machine: what is changed, what stays as it was, and what is refused."""

import json

import pexpect
import pytest

from .hosts import Sshd
from .machine import GENEROUS, Machine
from .pam_driver import PamDriver
from .product import RIGHT, Product

STACK = "/etc/pam.d/cognito-auth"
SSHD = "/etc/ssh/sshd_config"
PART = "/etc/ssh/sshd_config.d/50-own.conf"
KEPT = "/var/lib/pam-cognito/mends"
OWN = "auth optional pam_warn.so\n"
SHIPPED = "/usr/share/doc/pam-cognito/pam.d"


pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the account lines")


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    machine = product.machine
    machine.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
    machine.write(
        SSHD,
        "Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\nKbdInteractiveAuthentication yes\n"
        "HostKey /etc/ssh/host_key\n",
        0o600,
    )
    machine.make_directory("/etc/ssh/sshd_config.d")
    machine.make_directory("/run/sshd")
    machine.write(f"{SHIPPED}/cognito-auth", machine.read(STACK))
    machine.remove("/etc/pam.d/alone")
    return product


@pytest.fixture(autouse=True)
def preserved(product: Product):
    machine = product.machine
    with machine.preserved(STACK, SSHD, PART):
        yield
    machine.run(["rm", "-rf", KEPT], check=True)


def doctor(machine: Machine, option: str, answer: str = "y") -> tuple[int, str, int]:
    """Its status, what it said, and how often it asked: each time it gets the answer."""
    terminal = machine.spawn_pty(["cognito-session", "doctor", option])
    asked = 0
    while terminal.expect_exact(["? [y/N]: ", pexpect.EOF], timeout=GENEROUS) == 0:
        asked += 1
        terminal.sendline(answer)
    status = terminal.wait()
    said = terminal.seen
    terminal.hang_up()
    return status, said, asked


def complaints(machine: Machine) -> list[dict]:
    report = json.loads(machine.run(["cognito-session", "doctor", "--json"]).stdout)
    areas = [area for area in report["areas"] if area["area"] in ("stacks", "ssh")]
    return [entry for area in areas for entry in area["findings"] if entry["severity"] != "note"]


def break_stack(machine: Machine) -> str:
    """A line of ours with an argument that there is none of, and a line of somebody's own."""
    text = OWN + machine.read(STACK).replace("pam_cognito.so", "pam_cognito.so debgu", 1)
    machine.write(STACK, text, 0o640)
    return text


#: An access control list that lets nobody's group (65534) read, too, as setfacl(1) writes it.
LIST = (
    "import os, struct\n"
    "entries = [(1, 6, 2**32 - 1), (4, 4, 2**32 - 1), (8, 4, 65534), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1)]\n"
    "value = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in entries)\n"
    f"os.setxattr('{STACK}', 'system.posix_acl_access', value)\n"
)
ATTRIBUTES = f"import os; print({{name: os.getxattr('{STACK}', name) for name in os.listxattr('{STACK}')}})"


def attributes(machine: Machine) -> tuple:
    status = machine.stat(STACK)
    listed = machine.run(["/usr/bin/python3", "-IS", "-c", ATTRIBUTES], check=True).stdout
    return status.st_mode, status.st_uid, status.st_gid, listed


def enters(machine: Machine) -> bool:
    with PamDriver(machine, "sudo", "alice", observe=False) as driver:
        driver.do_not_wait()
        results = driver.sign_in(RIGHT, RIGHT)
        entered = len(results) == 4 and results[-1].succeeded
        if entered:
            driver.sign_out()
    return entered


def test_stack(product: Product) -> None:
    machine = product.machine
    before = break_stack(machine)
    machine.run(["chgrp", "cognito", STACK], check=True)
    machine.run(["/usr/bin/python3", "-IS", "-c", LIST], check=True)
    had = attributes(machine)
    assert "posix_acl_access" in had[3]
    assert complaints(machine) and not enters(machine)
    for answer in ("n", "", "yep"):
        status, said, asked = doctor(machine, "--mend", answer)
        assert (status, asked) == (8, 1) and "Nothing was changed." in said, said
        assert (machine.read(STACK), attributes(machine)) == (before, had)
    assert not machine.exists(KEPT)

    status, said, asked = doctor(machine, "--mend")
    # What else the doctor has against this machine is no file's fault.
    assert asked == 1 and f"{STACK} is changed." in said, said
    assert "-auth" in said and "debgu" in said
    assert attributes(machine) == had and OWN in machine.read(STACK) and "debgu" not in machine.read(STACK)
    assert complaints(machine) == [] and enters(machine)
    assert machine.run(["find", "/etc/pam.d", "-name", ".*", "-type", "f"], check=True).stdout == ""
    assert machine.stat(KEPT).st_mode & 0o777 == 0o700

    # A copy of what is there now, since it may be wanted.
    mended = machine.read(STACK)
    machine.write(STACK, mended + "# mine\n", 0o640)
    status, said, asked = doctor(machine, "--undo")
    assert (status, asked) == (70, 0) and "has been changed since" in said, said
    assert machine.read(STACK) == mended + "# mine\n"
    machine.write(STACK, mended, 0o640)
    assert doctor(machine, "--undo", "n")[::2] == (6, 1) and machine.read(STACK) == mended
    assert doctor(machine, "--undo")[::2] == (0, 1) and machine.read(STACK) == before
    status, said, asked = doctor(machine, "--undo")
    assert (status, asked) == (70, 0) and "nothing that could be taken back" in said, said


@pytest.mark.parametrize(
    ("kind", "words"),
    [("symbolic link", "a link"), ("second name", "a link"), ("writable", "not root's"), ("another's", "not root's")],
)
def test_what_is_left_alone(product: Product, kind: str, words: str) -> None:
    machine = product.machine
    text = break_stack(machine)
    try:
        match kind:
            case "symbolic link":
                machine.run(["mv", STACK, "/etc/pam.d.cognito-auth"], check=True)
                machine.run(["ln", "-s", "/etc/pam.d.cognito-auth", STACK], check=True)
            case "second name":
                machine.run(["ln", STACK, "/etc/pam.d.cognito-auth"], check=True)
            case "writable":
                machine.run(["chmod", "0666", STACK], check=True)
            case _:
                machine.run(["chown", "bob", STACK], check=True)
        _, said, asked = doctor(machine, "--mend")
        assert asked == 0 and f"Not mended. {STACK} is {words}" in said and machine.read(STACK) == text, said
    finally:
        machine.remove(STACK)
        machine.remove("/etc/pam.d.cognito-auth")


@pytest.mark.parametrize("path", [SSHD, PART])
def test_sshd(product: Product, path: str) -> None:
    """sshd takes it before it is in its place, also where another file includes it; and is not told to read it."""
    machine = product.machine
    kept = "# somebody's own\n"
    rest = machine.read(SSHD) if path == SSHD else ""
    machine.write(path, f"{kept}KbdInteractiveAuthentication no\nPasswordAuthentication no\n{rest}", 0o600)
    with Sshd(machine, options={"KbdInteractiveAuthentication": "no", "PasswordAuthentication": "no"}) as server:
        assert [finding["what"] for finding in complaints(machine)]
        _, said, asked = doctor(machine, "--mend")
        assert asked == 1 and f"{path} is changed." in said, said
        assert complaints(machine) == [] and kept in machine.read(path)
        assert not server.run("alice", RIGHT, method="keyboard-interactive").accepted
    assert doctor(machine, "--undo")[::2] == (0, 1)
    assert "KbdInteractiveAuthentication no" in machine.read(path)


def test_sshd_that_would_not_start(product: Product) -> None:
    """A mend that sshd refuses is none: a value that it does not know stands elsewhere by then."""
    machine = product.machine
    machine.write(SSHD, "KbdInteractiveAuthentication no\n" + machine.read(SSHD), 0o600)
    # Where its draft is to be tried, nothing can be mounted.
    with machine.preserved("/usr/bin/unshare"):
        machine.write("/usr/bin/unshare", "#!/bin/sh\nexit 1\n", 0o755)
        before = machine.read(SSHD)
        _, said, asked = doctor(machine, "--mend")
    assert asked == 0 and "sshd -t does not accept" in said and machine.read(SSHD) == before, said


def test_who_and_where(product: Product) -> None:
    machine = product.machine
    text = break_stack(machine)
    for option in ("--mend", "--undo"):
        for user, status in (("root", 64), ("alice", 77)):
            done = machine.run(["cognito-session", "doctor", option], user=user)
            assert done.returncode == status and done.stderr.count("\n") == 1, done
    assert machine.read(STACK) == text


def test_nothing_to_mend(product: Product) -> None:
    _, said, asked = doctor(product.machine, "--mend")
    assert asked == 0 and ("Nothing is left" in said or "What is left" in said), said
