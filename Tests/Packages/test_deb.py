"""The Debian package through its life, on an overlay of this machine's own root: the stacks are right at every step."""

import hashlib
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from Integration.hosts import Sshd, login
from Integration.machine import REPOSITORY, Machine
from Integration.product import CONFIGURATION, LOCAL, RIGHT, Product

SERVICES = ("login", "other", "passwd", "sshd", "su", "su-l", "sudo", "sudo-i")
STACKS = tuple(f"common-{name}" for name in ("account", "auth", "password", "session", "session-noninteractive"))
#: What other programs keep about packages and accounts, and what a login writes.
NOT_OURS = re.compile(
    r"/var/(lib/dpkg|cache/debconf|lib/systemd/deb-systemd-helper|log|lib/faillock)\b"
    r"|/etc/(\.pwd\.lock|ld\.so\.cache|(passwd|group|g?shadow|sub[ug]id)-?)$|/var/lib/pam/seen$"
)

#: See `Product`.
WRITTEN_BY_THE_TESTS = {"/etc/default/su", "/etc/security/faillock.conf"}


def newest_package() -> Path:
    (package,) = (REPOSITORY / ".build/deb").glob("pam-cognito_*.deb")
    return package


def unpacked(tree: Path, version: str) -> None:
    """The newest package in a folder, as that version; \1 in it is its own."""
    subprocess.run(["dpkg-deb", "-R", newest_package(), tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: (.*)$", f"Version: {version}", control.read_text()))


def packed(tree: Path, name: str) -> Path:
    """The package of a folder, beside it."""
    package = tree.with_name(name)
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "-b", tree, package]
    subprocess.run(command, check=True, capture_output=True)
    return package


@pytest.fixture(scope="module")
def successor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same package as the next version, with another sample of the configuration and another profile."""
    tree = tmp_path_factory.mktemp("successor") / "tree"
    unpacked(tree, r"\1+next")
    for path in (tree / CONFIGURATION[1:], tree / "usr/share/pam-configs/cognito"):
        text = path.read_text()
        path.write_text(text.replace("delay=2000000", "delay=1000000") if "delay=" in text else text + "# next\n")
    return packed(tree, "pam-cognito_next.deb")


def dpkg(machine: Machine, *arguments: str) -> str:
    done = machine.run(
        ["dpkg", "--force-confdef", "--force-confold", *arguments],
        env={"DEBIAN_FRONTEND": "noninteractive"},
        check=True,
    )
    assert machine.run(["dpkg", "--audit"], check=True).stdout == ""
    return done.stdout + done.stderr


def stacks(machine: Machine) -> dict[str, bytes]:
    return {name: machine.read_bytes(f"/etc/pam.d/{name}") for name in STACKS}


def tree(machine: Machine) -> dict[str, str]:
    """Every file and folder in places where packages put something, with a digest of what is in it."""
    places = ["/etc", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/usr/share", "/var/lib"]
    found = machine.run(["find", *places, "-xdev", "-printf", r"%p\t%y\t%m\t%U\t%s\t%l\n"], check=True).stdout
    entries = {}
    for line in found.splitlines():
        path, kind, *rest = line.split("\t")
        if not NOT_OURS.search(path):
            # A folder's size says nothing.
            entries[path] = f"{kind} {rest[:2]}" if kind == "d" else f"{kind} {rest}"
            if kind == "f" and path.startswith("/etc/"):
                entries[path] += hashlib.sha256(machine.read_bytes(path)).hexdigest()
    return entries


class PackagedProduct(Product):
    """The package in a machine with its distribution's service files."""

    puts_configuration_back = False

    def put_in_place(self) -> None:
        for name in SERVICES:
            self.machine.write(f"/etc/pam.d/{name}", Path("/etc/pam.d", name).read_bytes())
        self.bare = tree(self.machine)
        self.bare_stacks = stacks(self.machine)
        self.machine.write("/tmp/pam-cognito.deb", newest_package().read_bytes())
        started = time.monotonic()
        dpkg(self.machine, "-i", "/tmp/pam-cognito.deb")
        self.seconds_to_install = time.monotonic() - started
        self.sample = self.machine.read(CONFIGURATION)


@pytest.fixture(scope="module")
def product(machine: Machine, emulator, secret_search) -> Iterator[PackagedProduct]:
    for name in ("pam_cognito.conf", "pam_cognito.secret"):
        machine.remove(f"/etc/security/{name}")
    packaged = PackagedProduct(machine, emulator)
    secret_search.allow("*/etc/security/pam_cognito.secret")
    yield packaged


@pytest.fixture(scope="module")
def sshd(product: PackagedProduct) -> Iterator[Sshd]:
    with Sshd(product.machine) as server:
        yield server


def pam_auth_update(machine: Machine, *arguments: str) -> None:
    machine.run(["pam-auth-update", *arguments], env={"DEBIAN_FRONTEND": "noninteractive"}, check=True)


def signs_in(product: Product, sshd: Sshd, password: str = RIGHT) -> bool:
    assert sshd.run("bob", LOCAL, method="keyboard-interactive").accepted
    with login(product.machine, "bob", LOCAL) as session:
        assert session.accepted
        session.logout()
    return sshd.run("alice", password, method="keyboard-interactive").accepted


# The tests are the steps of one life, in this order.


def test_installation(product: PackagedProduct, sshd: Sshd) -> None:
    machine = product.machine
    print(f"installed in {product.seconds_to_install:.1f} s")
    assert stacks(machine) == product.bare_stacks
    account = machine.account("_pam-cognito")
    assert (account["home"], account["shell"]) == ("/nonexistent", "/usr/sbin/nologin")
    for path, mode in (("/run/pam-cognito", 0o755), ("/var/lib/pam-cognito", 0o700)):
        status = machine.stat(path)
        assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (0, 0, mode)
    assert not machine.run(["find", "/etc/systemd", "-name", "pam-cognito*"], check=True).stdout
    assert not signs_in(product, sshd)
    assert product.emulator.connection_count() == 0


def test_enabled(product: PackagedProduct, sshd: Sshd) -> None:
    pam_auth_update(product.machine, "--enable", "cognito")
    assert signs_in(product, sshd)


def test_upgrade_with_changed_configuration(product: PackagedProduct, sshd: Sshd, successor: Path) -> None:
    machine = product.machine
    machine.run(["systemctl", "--root=/", "enable", "pam-cognito-reap.timer"], check=True)
    mine = machine.read(CONFIGURATION)
    machine.write("/tmp/successor.deb", successor.read_bytes())
    # Whoever is logged in does not notice; the module that their host has loaded works with the new worker.
    with sshd.open("alice", RIGHT, method="keyboard-interactive") as before, login(machine, "carol", RIGHT) as other:
        dpkg(machine, "-i", "/tmp/successor.deb")
        assert len(product.tokens_given()) == 1 and len(product.tokens_given("carol")) == 1
        assert before.command("cognito-session --check").status == 0
        before.logout()
        other.logout()
        machine.wait_until(lambda: not product.entries(), "the end of both sessions")
    assert not product.tokens_given() and not product.tokens_given("carol")
    assert machine.read(CONFIGURATION) == mine
    assert machine.read(f"{CONFIGURATION}.dpkg-dist").endswith("# next\n")
    assert "delay=1000000" in machine.read("/etc/pam.d/common-auth")
    assert machine.exists("/etc/systemd/system/timers.target.wants/pam-cognito-reap.timer")
    assert signs_in(product, sshd)


def test_removal_with_sessions_open(product: PackagedProduct, sshd: Sshd) -> None:
    """They are signed out; where Cognito cannot be reached, the removal names them and goes on."""
    machine = product.machine
    with sshd.open("alice", RIGHT, method="keyboard-interactive") as session:
        assert product.tokens_given()
        said = dpkg(machine, "--remove", "pam-cognito")
        assert "signed out; user='alice'" in said and "stay valid until they expire" not in said
        assert not product.tokens_given() and not product.entries()
        session.logout()
    assert stacks(machine) == product.bare_stacks
    dpkg(machine, "-i", "/tmp/successor.deb")
    pam_auth_update(machine, "--enable", "cognito")
    with sshd.open("alice", RIGHT, method="keyboard-interactive") as session:
        product.emulator.down()
        said = dpkg(machine, "--remove", "pam-cognito")
        product.emulator.up()
        assert "sign-out not finished; user='alice'" in said and "stay valid until they expire" in said
        session.logout()
    machine.forget_keys()
    dpkg(machine, "-i", "/tmp/successor.deb")


def test_removal(product: PackagedProduct, sshd: Sshd) -> None:
    machine = product.machine
    dpkg(machine, "--remove", "pam-cognito")
    assert stacks(machine) == product.bare_stacks
    assert machine.exists(CONFIGURATION)
    assert not signs_in(product, sshd)


def test_installation_again(product: PackagedProduct, sshd: Sshd) -> None:
    """The configuration is the administrator's still; switching on is theirs, too."""
    machine = product.machine
    mine = machine.read(CONFIGURATION)
    dpkg(machine, "-i", "/tmp/successor.deb")
    assert machine.read(CONFIGURATION) == mine
    assert stacks(machine) == product.bare_stacks
    pam_auth_update(machine, "--enable", "cognito")
    assert signs_in(product, sshd)


def test_changes_by_hand_are_left_alone(product: PackagedProduct, sshd: Sshd) -> None:
    """An option that an administrator put behind our line in the stack survives an upgrade."""
    machine = product.machine
    stack = machine.read("/etc/pam.d/common-session")
    machine.write(
        "/etc/pam.d/common-session", re.sub(r"(pam_cognito\.so) *$", r"\1 sign_out=session", stack, flags=re.M)
    )
    dpkg(machine, "-i", "/tmp/pam-cognito.deb")
    assert "pam_cognito.so sign_out=session" in machine.read("/etc/pam.d/common-session")
    assert signs_in(product, sshd)


def test_purge(product: PackagedProduct, sshd: Sshd) -> None:
    machine = product.machine
    machine.remove("/etc/security/pam_cognito.secret")
    # As journal = yes and a power cut leave it.
    machine.write("/var/lib/pam-cognito/journal/ab.1", "pam-cognito journal 1\n", mode=0o600)
    dpkg(machine, "--purge", "pam-cognito")
    assert stacks(machine) == product.bare_stacks
    assert not machine.run(["getent", "passwd", "_pam-cognito"]).stdout
    assert not machine.exists("/run/pam-cognito")
    after = tree(machine)
    changed = {path for path in after.keys() | product.bare.keys() if after.get(path) != product.bare.get(path)}
    assert changed <= WRITTEN_BY_THE_TESTS, changed
    assert not signs_in(product, sshd)


def test_purge_leaves_accounts(product: PackagedProduct) -> None:
    """Files belong to their user ids, which nobody else must get, and so do processes; it says what stays."""
    machine = product.machine
    dpkg(machine, "-i", "/tmp/pam-cognito.deb")
    records = "/var/lib/pam-cognito/accounts"
    machine.write(f"{records}/dora", "a record\n")
    machine.write("/var/lib/pam-cognito/journal/ab.1", "pam-cognito journal 1\n", mode=0o600)
    # As a worker while somebody sits at a prompt.
    prompt = machine.start(["sleep", "600"], user="_pam-cognito")
    said = dpkg(machine, "--purge", "pam-cognito")
    assert f"{records} was not removed" in said and "_pam-cognito was not removed" in said
    assert machine.run(["getent", "passwd", "_pam-cognito"]).stdout
    assert not machine.run(["getent", "passwd", "_pam-cognito-accounts"]).stdout
    prompt.end()
    assert machine.run(["find", "/var/lib/pam-cognito", "-type", "f"]).stdout.split() == [f"{records}/dora"]
    dpkg(machine, "-i", "/tmp/pam-cognito.deb")
    machine.remove(f"{records}/dora")
    dpkg(machine, "--purge", "pam-cognito")
    assert not machine.exists("/var/lib/pam-cognito")
    assert not machine.run(["getent", "passwd", "_pam-cognito"]).stdout


def test_first_installation_of_an_unchanged_sample(product: PackagedProduct, successor: Path) -> None:
    """An unchanged sample follows the package, and everything is gone after a purge, again."""
    machine = product.machine
    dpkg(machine, "-i", "/tmp/pam-cognito.deb")
    assert machine.read(CONFIGURATION) == product.sample
    dpkg(machine, "-i", "/tmp/successor.deb")
    assert machine.read(CONFIGURATION) == product.sample + "# next\n"
    dpkg(machine, "--purge", "pam-cognito")
    assert not machine.exists(CONFIGURATION)


def test_units_of_an_earlier_package(product: PackagedProduct, tmp_path: Path) -> None:
    """Until 0.2.0 they were in /lib, which is a link into /usr: they are there after an upgrade, and stay enabled."""
    machine = product.machine
    tree = tmp_path / "tree"
    unpacked(tree, "0.1.0")
    (tree / "lib/systemd").mkdir(parents=True)
    units = sorted(
        path.name for path in (tree / "usr/lib/systemd/system").rename(tree / "lib/systemd/system").iterdir()
    )
    assert len(units) > 5
    machine.write("/tmp/earlier.deb", packed(tree, "earlier.deb").read_bytes())
    dpkg(machine, "-i", "/tmp/earlier.deb")
    machine.run(["systemctl", "--root=/", "enable", "pam-cognito-reap.timer"], check=True)
    dpkg(machine, "-i", "/tmp/pam-cognito.deb")
    assert [unit for unit in units if not machine.exists(f"/usr/lib/systemd/system/{unit}")] == []
    enabled = machine.run(["systemctl", "--root=/", "is-enabled", "pam-cognito-reap.timer"], check=True)
    assert enabled.stdout == "enabled\n"
    dpkg(machine, "--purge", "pam-cognito")
    assert not machine.exists("/usr/lib/systemd/system/pam-cognito-reap.timer")
