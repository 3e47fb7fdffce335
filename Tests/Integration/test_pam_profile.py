"""`pam-auth-update --enable cognito` and nothing else: the distribution's own service files, our profile in them."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from .advice import follow
from .agent_process import AgentProcess
from .compiled import compiled
from .hosts import Sshd, allow_sudo, login, su, sudo_command
from .machine import Machine
from .product import CONFIGURATION, LOCAL, RIGHT, WRONG, Product
from .test_hostile_callers import SET_UID, enter_with_little_memory, host
from .test_password import OTHER_LOCAL, QUESTIONS, UPDATED, Passwd

SERVICES = ("login", "other", "passwd", "sshd", "su", "su-l", "sudo", "sudo-i")
STACKS = tuple(f"common-{name}" for name in ("account", "auth", "password", "session", "session-noninteractive"))
MODULE = "/usr/lib/x86_64-linux-gnu/security/pam_cognito.so"
SWITCH = "/run/pam-cognito/disabled"
ROOTS = "a-password-of-root-3"
#: Everything that an installation's configuration has been seen to be, besides right.
STATES = ("right", "down", "empty", "broken", "missing", "not root's", "switched off", "module removed")


def update(machine: Machine, *arguments: str) -> None:
    machine.run(["pam-auth-update", *arguments], env={"DEBIAN_FRONTEND": "noninteractive"}, check=True)


def stacks(machine: Machine) -> dict[str, bytes]:
    return {name: machine.read_bytes(f"/etc/pam.d/{name}") for name in STACKS}


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    """The product in a machine with its distribution's service files; bob and root have passwords of this machine."""
    machine = product.machine
    for name in SERVICES:
        machine.write(f"/etc/pam.d/{name}", Path("/etc/pam.d", name).read_bytes())
    machine.run(["chpasswd"], input=f"root:{ROOTS}\n", check=True)
    allow_sudo(machine, "bob", "alice")
    product.member("dora")
    return product


@pytest.fixture(scope="module")
def before(product: Product) -> dict[str, bytes]:
    """The stacks as they were before the profile was enabled."""
    return stacks(product.machine)


@pytest.fixture
def enabled(product: Product, before: dict[str, bytes]) -> Machine:
    if b"pam_cognito" not in product.machine.read_bytes("/etc/pam.d/common-auth"):
        update(product.machine, "--enable", "cognito")
    return product.machine


@pytest.fixture(scope="module")
def sshd(product: Product) -> Iterator[Sshd]:
    with Sshd(product.machine, start="systemd-style") as server:
        yield server


@pytest.fixture
def dora(enabled: Machine) -> Iterator[str]:
    """An account of the pool that has a password of this machine, too."""
    enabled.add_user("dora", password=LOCAL)
    yield "dora"
    enabled.remove_user("dora")


@contextlib.contextmanager
def state(product: Product, name: str) -> Iterator[None]:
    """The machine in one of `STATES`."""
    machine = product.machine
    machine.make_directory("/run/pam-cognito")
    with machine.preserved(CONFIGURATION, MODULE, SWITCH):
        if name == "down":
            product.emulator.down()
        elif name == "empty":
            machine.write(CONFIGURATION, "")
        elif name == "broken":
            machine.write(CONFIGURATION, "user_pool_id eu-west-1\nno such = thing\n\0\xff\n")
        elif name == "missing":
            machine.remove(CONFIGURATION)
        elif name == "not root's":
            machine.write(CONFIGURATION, machine.read(CONFIGURATION), 0o644, "bob")
        elif name == "switched off":
            machine.write(SWITCH, "")
        elif name == "module removed":
            machine.remove(MODULE)
        yield
    product.emulator.up()


def test_installing_enables_nothing(before: dict[str, bytes]) -> None:
    assert not [name for name, content in before.items() if b"pam_cognito" in content]


def test_disabling_leaves_no_trace(before: dict[str, bytes], product: Product) -> None:
    update(product.machine, "--enable", "cognito")
    enabled = stacks(product.machine)
    assert all(b"pam_cognito.so" in content for content in enabled.values())
    # A second look finds no change by hand, or pam-auth-update would refuse to touch the files ever again.
    update(product.machine, "--package")
    assert stacks(product.machine) == enabled
    update(product.machine, "--disable", "cognito")
    assert stacks(product.machine) == before


def test_upgrade(before: dict[str, bytes], product: Product) -> None:
    """The package's newest lines take the place of older ones, which pam-auth-update still knows for its own."""
    machine = product.machine
    path = "/usr/share/pam-configs/cognito"
    with machine.preserved(path):
        lines = machine.read(path).splitlines(keepends=True)
        older = [line for line in lines if "pam_succeed_if.so" not in line]
        machine.write(path, "".join(older).replace("success=3 ignore=1", "success=2 ignore=ignore"))
        update(machine, "--enable", "cognito")
    assert b"pam_succeed_if.so" not in machine.read_bytes("/etc/pam.d/common-auth")
    update(machine, "--package")
    newer = stacks(machine)
    assert all(b"pam_succeed_if.so" in newer[name] for name in ("common-auth", "common-account"))
    update(machine, "--disable", "cognito")
    assert stacks(machine) == before


def doctor(machine: Machine) -> tuple[int, dict]:
    done = machine.run(["cognito-session", "doctor", "--json"])
    areas = {area["area"]: area["findings"] for area in json.loads(done.stdout)["areas"]}
    return done.returncode, {area: found for area, found in areas.items() if found}


def test_doctor(enabled: Machine) -> None:
    """Nothing to say of Debian's own files with the profile in them, of all services that it has put us into."""
    own = [Path("/etc/pam.d", name) for name in enabled.run(["ls", "/etc/pam.d"]).stdout.split()]
    debians = {path: path.read_bytes() for path in Path("/etc/pam.d").iterdir() if path.name not in STACKS}
    with AgentProcess(enabled), enabled.preserved("/etc/ssh/sshd_config", *own, *debians):
        for path in own:
            if path.name not in STACKS:
                enabled.remove(path)
        for path, content in debians.items():
            enabled.write(path, content)
        enabled.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
        enabled.make_directory("/run/sshd")
        enabled.write("/etc/ssh/sshd_config", "UsePAM yes\nHostKey /etc/ssh/host_key\n")
        assert doctor(enabled) == (0, {}), doctor(enabled)
        for name in ("sshd", "login"):
            lines = enabled.read(f"/etc/pam.d/{name}").splitlines(keepends=True)
            enabled.write(f"/etc/pam.d/{name}", "".join(line for line in lines if "pam_keyinit" not in line))
        status, found = doctor(enabled)
        assert status == 7 and [entry["what"].split(":")[0] for entry in found["stacks"]] == ["login, sshd"]
        follow(enabled, found["stacks"][0]["mend"])
        assert doctor(enabled) == (0, {}), doctor(enabled)


def test_beside_a_module_that_asks_first(enabled: Machine) -> None:
    """pam_pwquality asks for a new password before all others: pam_unix then takes that one and asks for none."""
    profile = "Name: test\nDefault: no\nPriority: 1024\nPassword-Type: Primary\nPassword:\n\trequisite pam_debug.so\n"
    enabled.write("/usr/share/pam-configs/checker", profile)
    update(enabled, "--enable", "checker")
    try:
        lines = [line.split() for line in enabled.read("/etc/pam.d/common-password").splitlines() if line[:1] == "p"]
        modules = [next(word for word in words if word.endswith(".so")) for words in lines]
        assert modules == ["pam_debug.so", "pam_cognito.so", "pam_unix.so", "pam_deny.so", "pam_permit.so"]
    finally:
        update(enabled, "--disable", "checker")
        enabled.remove("/usr/share/pam-configs/checker")


@pytest.mark.parametrize("name", STATES)
def test_local_accounts_and_root(enabled: Machine, product: Product, sshd: Sshd, name: str) -> None:
    """They come in everywhere, whatever state Cognito and its configuration are in, and Cognito never hears of it."""
    with state(product, name):
        assert sshd.run("bob", LOCAL, method="keyboard-interactive", command="id -un").output == "bob\n"
        for user, password in (("bob", LOCAL), ("root", ROOTS)):
            with login(enabled, user, password) as session:
                assert session.accepted, session.seen
                assert session.prompts == ["Password: "]
                session.logout()
        # Whoever starts su and sudo can keep the module from being loaded: without it they let nobody in.
        is_open = name != "module removed"
        with su(enabled, "bob", "root", ROOTS) as session:
            assert session.accepted == is_open, session.seen
            if is_open:
                session.logout()
        # Nobody is asked at all.
        su(enabled, None, "bob").visit()
        status, seen, _ = sudo_command(enabled, "bob", "root", ["id", "-un"], LOCAL)
        assert (status == 0) == is_open and ("root\r\n" in seen) == is_open
    assert product.emulator.connection_count() == 0


@pytest.mark.parametrize("name", SET_UID)
def test_too_little_memory_to_load_the_module(enabled: Machine, product: Product, dora: str, name: str) -> None:
    product.configure(users="dora", local_password="unavailable", max_failures="100")
    with enabled.preserved("/etc/sudoers", "/etc/pam.d/common-auth"):
        allow_sudo(enabled, "dora", "bob")
        # Otherwise it would wait two seconds after each of seventy refusals.
        stack = enabled.read("/etc/pam.d/common-auth").replace("delay=2000000", "delay=1")
        enabled.write("/etc/pam.d/common-auth", stack.replace("pam_unix.so", "pam_unix.so nodelay"))
        assert enter_with_little_memory(product, name, LOCAL) == []
        assert host(product, name, {}, RIGHT)


def test_wrong_local_password(enabled: Machine, product: Product, sshd: Sshd) -> None:
    assert sshd.run("bob", LOCAL, method="password").accepted
    assert not sshd.run("bob", WRONG, method="keyboard-interactive").accepted
    with su(enabled, "bob", "root", LOCAL) as session:
        assert session.refused
    assert product.emulator.connection_count() == 0


@pytest.mark.parametrize("name", ["down", "broken", "switched off", "module removed"])
def test_cognito_accounts_stay_out(enabled: Machine, product: Product, sshd: Sshd, name: str) -> None:
    """No fault lets anybody in who has no password of this machine."""
    product.configure()
    with state(product, name):
        assert not sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
        assert product.operations() == []
    assert sshd.run("alice", RIGHT, method="keyboard-interactive").accepted


@pytest.mark.parametrize("name", ["down", "broken"])
def test_local_password_of_a_cognito_account(
    enabled: Machine, product: Product, sshd: Sshd, dora: str, name: str
) -> None:
    """One that is named: while Cognito cannot be asked the local password counts, and is asked for once."""
    product.configure(users="dora", local_password="unavailable")
    with state(product, name):
        result = sshd.run("dora", LOCAL, method="keyboard-interactive", command="id -un")
        assert result.output == "dora\n" and len(result.prompts) == 1
    # Cognito can be asked, and says no: that is the last word.
    assert not sshd.run("dora", LOCAL, method="keyboard-interactive").accepted
    assert sshd.run("dora", RIGHT, method="keyboard-interactive").accepted


class TestCognitoAccount:
    def test_ssh(self, enabled: Machine, product: Product, sshd: Sshd) -> None:
        for method in ("password", "keyboard-interactive"):
            result = sshd.run("alice", RIGHT, method=method, command=product.read_tokens)
            tokens = product.tokens(result.output)
            enabled.wait_until(lambda: not product.entries(), "the end of the session")
            assert not product.alive(tokens)["access"]
        assert not sshd.run("alice", WRONG, method="password").accepted

    def test_login(self, enabled: Machine, product: Product) -> None:
        with login(enabled, "alice", RIGHT) as session:
            tokens = product.tokens(session.command(product.read_tokens).output)
            session.logout()
        assert not product.alive(tokens)["access"]
        with login(enabled, "alice", WRONG) as session:
            assert session.refused

    def test_su_and_sudo(self, enabled: Machine, product: Product) -> None:
        """su has no pam_keyinit in Debian's stack: the keyring must be the target's own all the same."""
        product.configure(sign_out="session")
        with su(enabled, "bob", "alice", RIGHT) as session:
            own = product.tokens(session.command(product.read_tokens).output)
            seen = session.terminal.converse("sudo -k; sudo -u bob keyctl show @s", "assword", RIGHT)
            assert "cognito:" not in seen
            assert product.alive(own)["refresh"]
            session.logout()
        assert not product.alive(own)["refresh"] and not product.entries()

    def test_too_many_failures(self, enabled: Machine, product: Product, sshd: Sshd) -> None:
        """At the limit Cognito is not asked any more, and nobody else is kept out."""
        product.configure(max_failures="2")
        for _ in range(2):
            assert not sshd.run("alice", WRONG, method="keyboard-interactive").accepted
        asked = product.emulator.connection_count()
        assert asked > 0
        assert not sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
        assert product.emulator.connection_count() == asked
        assert sshd.run("bob", LOCAL, method="keyboard-interactive").accepted
        product.forget_failures("alice")
        assert sshd.run("alice", RIGHT, method="keyboard-interactive").accepted


@pytest.fixture
def pwquality(enabled: Machine) -> Iterator[Machine]:
    """Debian's profile of libpam-pwquality, and in place of its module one that asks as it does."""
    line = "requisite pam_pwquality.so retry=3"
    profile = "Name: Pwquality password strength checking\nDefault: yes\nPriority: 1024\nConflicts: cracklib\n"
    profile += f"Password-Type: Primary\nPassword:\n\t{line}\nPassword-Initial:\n\t{line}\n"
    files = ("/usr/share/pam-configs/pwquality", str(Path(MODULE).with_name("pam_pwquality.so")))
    with enabled.preserved(*files, "/etc/pam.d/passwd", "/etc/pam.d/cognito-password"):
        enabled.write(files[0], profile)
        enabled.write(files[1], compiled("pam_pwquality", "-shared", "-fPIC", "-lpam"))
        enabled.remove("/etc/pam.d/cognito-password")
        update(enabled, "--enable", "pwquality")
        yield enabled
        update(enabled, "--disable", "pwquality")


class TestPasswd:
    def test_local_account(self, enabled: Machine, product: Product, dora: str) -> None:
        with Passwd(enabled, "dora", LOCAL, OTHER_LOCAL, OTHER_LOCAL) as passwd:
            assert passwd.status == 0 and UPDATED in passwd.seen, passwd.seen
            assert passwd.questions == QUESTIONS
        with Passwd(enabled, "dora", WRONG) as passwd:
            assert passwd.status != 0 and UPDATED not in passwd.seen
        with Passwd(enabled, None, LOCAL, LOCAL, of="dora") as passwd:
            assert passwd.status == 0 and passwd.questions == QUESTIONS[1:]
        assert product.emulator.connection_count() == 0

    def test_cognito_account(self, enabled: Machine, product: Product) -> None:
        with Passwd(enabled, "alice", WRONG) as passwd:
            assert passwd.status != 0 and passwd.questions == QUESTIONS[:1]
        new = "Another-Horse-11!"
        product.emulator.note_secret("password", new)
        for old, changed in ((RIGHT, new), (new, RIGHT)):
            with Passwd(enabled, "alice", old, changed, changed) as passwd:
                assert passwd.status == 0 and UPDATED in passwd.seen, passwd.seen
                assert passwd.questions == QUESTIONS

    def test_beside_pwquality(self, pwquality: Machine, product: Product) -> None:
        """It asks everybody for a new password, before Cognito does; the doctor has the remedy."""
        new = "Another-Horse-11!"
        product.emulator.note_secret("password", new)
        with Passwd(pwquality, "alice", new, new, RIGHT, new, new) as passwd:
            assert passwd.status == 0 and UPDATED in passwd.seen, passwd.seen
            assert passwd.questions == QUESTIONS[1:] + QUESTIONS
        (note,) = [entry for entry in doctor(pwquality)[1]["stacks"] if "pam_pwquality" in entry["what"]]
        assert note["severity"] == "note"
        follow(pwquality, note["mend"])
        said = str(doctor(pwquality)[1]["stacks"])
        assert "pam_pwquality" not in said and "twice" not in said
        with Passwd(pwquality, "alice", new, RIGHT, RIGHT) as passwd:
            assert passwd.status == 0 and passwd.questions == QUESTIONS, passwd.seen
        with Passwd(pwquality, "bob", LOCAL, OTHER_LOCAL, OTHER_LOCAL) as passwd:
            assert passwd.status == 0 and passwd.questions == QUESTIONS, passwd.seen
        with Passwd(pwquality, "bob", OTHER_LOCAL, LOCAL, LOCAL) as passwd:
            assert passwd.status == 0
