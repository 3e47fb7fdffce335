"""The doctor on wrong configurations, wrong owners and modes, and sshd's options: real sign-ins say what is broken.

A sample by default; Tests/doctor tries all of it.
"""

import contextlib
import os
import re
from collections.abc import Iterator

import pytest

from .advice import follow
from .agent_process import AgentProcess
from .hosts import Sshd
from .machine import REPOSITORY, Machine, MachineError
from .pam_driver import PamDriver
from .product import AGENT, CONFIGURATION, LOCAL, RIGHT, WORKER, WRONG, Product
from .score import Score
from .test_doctor import Report, set_up

STEP = int(os.environ.get("DOCTOR_STEP", "23"))
#: So that all of it can be tried side by side.
PARTS = 12 if STEP == 1 else 1
MODULE = "/usr/lib/x86_64-linux-gnu/security/pam_cognito.so"
SECRET = "/etc/security/pam_cognito.secret"
SSHD = "/etc/ssh/sshd_config"
#: What the pool alone knows: only a sign-in shows it, and the doctor says so on its line about Cognito.
POOLS_OWN = {"client_id", "client_secret_file", "allowed_groups", "denied_groups", "username_template", "auth_flow"}
#: What is for the time after a crash, or for who watches machines, is found and told, though a sign-in does not notice.
UNNOTICED = {"iam_credentials_file", "iam_instance_metadata", "metrics_directory"}


pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the account lines")


@pytest.fixture(scope="module")
def product(product: Product, agent: AgentProcess) -> Product:
    return set_up(product)


def complaints(machine: Machine) -> list[dict]:
    return Report(machine).complaints


def words(found: list[dict]) -> list[str]:
    return [finding["what"] for finding in found]


def enters(machine: Machine, user: str, password: str) -> bool:
    with PamDriver(machine, "sudo", user, observe=False) as driver:
        driver.do_not_wait()
        results = driver.sign_in(password, password)
        entered = len(results) == 4 and results[-1].succeeded
        if entered:
            driver.sign_out()
    return entered


# Configurations


def options() -> list[str]:
    """Every option, as the sample file has them."""
    sample = (REPOSITORY / "packaging/pam_cognito.conf").read_text()
    return re.findall(r"^#([a-z_]+) = ", sample, re.MULTILINE)


#: Values that are written well and mean something that is not there.
MEANINGLESS = [
    ("user_pool_id", "eu-west-1_NoSuchPool"),
    ("client_id", "1nosuchclient"),
    ("unix_group", "no-such-group"),
    ("users", "no-such-user"),
    ("minimum_uid", "4000000"),
    ("allowed_groups", "no-such-group"),
    ("denied_groups", "staff"),
    ("username_template", "{user}@example.org"),
    ("auth_flow", "custom"),
    ("auth_flow", "choice"),
    ("endpoint", "https://no-such-host.invalid"),
    ("endpoint", "https://127.0.0.1:1"),
    ("ca_file", "/no/such/file"),
    ("ca_file", "/etc/passwd"),
    ("pinned_public_keys", "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ("proxy", "http://127.0.0.1:1"),
    ("client_secret_file", "/no/such/file"),
    ("client_secret_file", "/etc/hostname"),
    ("network_timeout", "1s"),
    ("connect_timeout", "1s"),
    ("sign_out", "none"),
    ("welcome", "no"),
    ("preconnect", "no"),
    ("refresh_token", "root"),
    ("keyring", "user"),
    ("metrics_directory", "/no/such/folder"),
    ("metrics_directory", "/tmp"),
]


def wrong_configurations(product: Product) -> list[tuple[str, str, str]]:
    """Each option with every kind of wrong value: what it is, the option, and the file."""
    settings = product.settings()
    found = []

    def add(what: str, name: str, changes: dict[str, str | None], extra: str = "") -> None:
        lines = {**settings, **changes}
        text = "".join(f"{key} = {value}\n" for key, value in lines.items() if value is not None)
        found.append((what, name, text + extra))

    for name in options():
        for value in ("", "\x07", "no such thing ever", "-1", "99999999999", "0", "/", "*", "\xff"):
            add(f"{name} = {value!r}", name, {name: value})
        add(f"{name} twice", name, {name: settings.get(name, "yes")}, f"{name} = {settings.get(name, 'yes')}\n")
        add(f"{name} misspelt", name, {}, f"{name[:-1]}x = yes\n")
        if name in settings:
            add(f"no {name}", name, {name: None})
    for name, value in MEANINGLESS:
        add(f"{name} = {value}", name, {name: value})
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_configurations(product: Product, part: int, record_property) -> None:
    machine = product.machine
    score = Score("configurations")
    wrong = wrong_configurations(product)
    sample = [*wrong[: -len(MEANINGLESS) : STEP], *wrong[-len(MEANINGLESS) :: max(1, STEP // 4)]]
    for what, name, text in sample[part::PARTS]:
        with machine.preserved(CONFIGURATION):
            machine.write(CONFIGURATION, text.encode("latin-1"), 0o644)
            found = complaints(machine)
            assert enters(machine, "bob", LOCAL), what
            # Whoever is named is meant to come in, too.
            named = " ".join(re.findall(r"^users = (.*)$", text, re.MULTILINE)).split()
            is_wrong = not all(enters(machine, person, RIGHT) for person in ["alice", *named])
            # No sign-in shows it: a complaint of them is a hit.
            is_wrong = is_wrong or (bool(found) and name in UNNOTICED)
        score.note(what, is_wrong and (bool(found) or name not in POOLS_OWN), words(found))
    machine.forget_keys()
    score.check(record_property)


# Owners and modes


@contextlib.contextmanager
def changed(machine: Machine, path: str, change: str) -> Iterator[None]:
    """Another owner or mode, or nothing at all; and everything as it was."""
    before = machine.stat(path)
    if change == "away":
        machine.run(["mv", path, f"{path}.away"], check=True)
    else:
        machine.run([*change.split(), path], check=True)
    try:
        yield
    finally:
        if change == "away":
            machine.run(["rm", "-rf", path], check=True)
            machine.run(["mv", f"{path}.away", path], check=True)
        machine.run(["chown", f"{before.st_uid}:{before.st_gid}", path], check=True)
        machine.run(["chmod", f"{before.st_mode & 0o7777:o}", path], check=True)


def is_unsafe(machine: Machine, path: str) -> bool:
    """Whether somebody else than root can change it, or see what is secret in it."""
    as_bob = ["sh", "-c", 'test -w "$0" || { test "$0" = "$1" && test -r "$0"; }', path, SECRET]
    if machine.exists(path) and machine.stat(path).st_uid != 0:
        return True
    return machine.run(as_bob, user="bob").returncode == 0


CHANGES = ["chmod 0666", "chmod 0777", "chmod 0620", "chmod 0000", "chmod 0700", "chmod 0644", "chown bob", "away"]
PLACES = [
    CONFIGURATION, SECRET, MODULE, WORKER, AGENT, "/run/pam-cognito", "/etc/pam.d/cognito-auth", "/etc/pam.d/sudo",
    "/etc/pam.d", "/etc/security",
]  # fmt: skip
#: Found and told, though a sign-in does not notice: without the agent nobody can renew, sign out, or be reaped; without
#: the folder there is no switch, and no place for key sets. A group's right to write is nobody's yet, but may be.
TOLD_ALL_THE_SAME = {AGENT, "/run/pam-cognito"}
#: Root's hosts load a module whatever its mode; a screen lock, which runs as the person, cannot.
TOLD_FOR_LOCKS = {(MODULE, "chmod 0000"), (MODULE, "chmod 0700")}


def test_owners_and_modes(product: Product, record_property) -> None:
    machine = product.machine
    machine.make_directory("/run/pam-cognito")
    score = Score("owners and modes")
    for path, change in [(path, change) for path in PLACES for change in CHANGES][::STEP]:
        if change == "away" and path.startswith("/etc/pam.d"):
            continue
        with changed(machine, path, change):
            found = complaints(machine)
            is_wrong = is_unsafe(machine, path) or "0620" in change or not enters(machine, "alice", RIGHT)
        is_told = path in TOLD_ALL_THE_SAME or (path, change) in TOLD_FOR_LOCKS
        score.note(f"{change} {path}", is_wrong or (is_told and bool(found)), words(found))
    machine.forget_keys()
    score.check(record_property)


# sshd


SSHD_OPTIONS = [
    ("UsePAM", "no"),
    ("KbdInteractiveAuthentication", "no"),
    ("PasswordAuthentication", "no"),
    ("KbdInteractiveAuthentication no\nPasswordAuthentication", "no"),
    ("AuthenticationMethods", "publickey"),
    ("AuthenticationMethods", "keyboard-interactive"),
    ("AuthenticationMethods", "password"),
    ("AuthenticationMethods", "publickey keyboard-interactive"),
    ("PermitEmptyPasswords", "yes"),
    ("PermitRootLogin", "yes"),
    ("PubkeyAuthentication", "no"),
    ("UseDNS", "yes"),
    ("LoginGraceTime", "0"),
    ("LoginGraceTime", "300"),
]


#: What stands in blocks, whom each is about, and whether everybody whose sign-in is Cognito's still comes in.
SSHD_BLOCKS = [
    ("Match User alice", "KbdInteractiveAuthentication no"),
    ("Match Group cognito", "AuthenticationMethods publickey"),
    ("Match Address 127.0.0.2", "KbdInteractiveAuthentication no"),
    ("Match User bob", "KbdInteractiveAuthentication no"),
    ("Match User !alice,*", "ChallengeResponseAuthentication no"),
    ("Match Group nogroup,!cognito", "AuthenticationMethods publickey"),
    ("Match User alice", "PasswordAuthentication no"),
    ("Match User alice,root", "PermitEmptyPasswords yes"),
    ("Match Address *,!127.0.0.2", "AuthenticationMethods publickey"),
    ("Match User root", "PermitRootLogin yes"),
    ("Match Address 127.0.0.0/30 User car*", "AuthenticationMethods password"),
    ("Match LocalPort 2222", "KbdInteractiveAuthentication no"),
    ("Match all", "KbdInteractiveAuthentication no"),
    ("Match Host 127.0.0.? LocalAddress 127.0.0.1", "AuthenticationMethods publickey,password"),
    ("Match User alice", "X11Forwarding no"),
    ("Match User alice", "KbdInteractiveAuthentication yes\nMatch all\nKbdInteractiveAuthentication no"),
    ("KbdInteractiveAuthentication no\nMatch Group cog*", "KbdInteractiveAuthentication yes"),
    ("Match User alice", "LoginGraceTime 300"),
]


def signs_in(server: Sshd) -> bool:
    """With what can ask more than a password; that is what a second factor needs."""
    return server.run("alice", RIGHT, method="keyboard-interactive").accepted


def sign_in_from(server: Sshd, address: str) -> bool:
    """Everybody whose sign-in is Cognito's, from another place."""
    ways = {"method": "keyboard-interactive", "options": [f"BindAddress={address}"]}
    return all(server.run(name, RIGHT, **ways).accepted for name in ("alice", "carol"))


def repair(machine: Machine, found: list[dict]) -> None:
    # There is no systemd here to have sshd read it again.
    for advice in {finding["mend"] for finding in found}:
        follow(machine, advice)


@pytest.mark.parametrize(("name", "value"), SSHD_OPTIONS[:: 1 if STEP == 1 else 4])
def test_sshd(product: Product, name: str, value: str, record_property) -> None:
    machine = product.machine
    score = Score("sshd's options")
    text = f"{name} {value}\n" + machine.read(SSHD)
    with machine.preserved(SSHD):
        machine.write(SSHD, text, 0o600)
        found = complaints(machine)
        extra = dict(line.split(" ", 1) for line in f"{name} {value}".splitlines())
        with Sshd(machine, options=extra) as server:
            is_wrong = not signs_in(server)
        score.note(text, is_wrong, words(found))
        score.check(record_property)
        repair(machine, found)
        assert complaints(machine) == []


@pytest.mark.parametrize(("match", "setting"), SSHD_BLOCKS if STEP == 1 else SSHD_BLOCKS[:5])
def test_sshd_blocks(product: Product, match: str, setting: str, record_property) -> None:
    """What only some get: whom the block is about and from where they come, the doctor finds out by itself."""
    machine = product.machine
    block = f"{match}\n{setting}"
    # The first of a name counts, so what is for all stands before the rest, and blocks behind it.
    before, _, _ = block.partition("Match")
    text = before + machine.read(SSHD) + block.removeprefix(before) + "\n"
    score = Score("sshd's options")
    with machine.preserved(SSHD):
        machine.write(SSHD, text, 0o600)
        found = complaints(machine)
        try:
            name, _, value = block.removeprefix(before).rpartition(" ")
            options = dict(line.split(" ", 1) for line in before.splitlines()) | {name: value}
            with Sshd(machine, options=options) as server:
                is_wrong = not all(sign_in_from(server, address) for address in ("127.0.0.1", "127.0.0.2"))
        except MachineError:
            (finding,) = found
            assert "does not accept its configuration" in finding["what"]
            score.note(text, True, words(found))
            score.record(record_property)
            return
        score.note(text, is_wrong, words(found))
        score.check(record_property)
        for finding in found:
            is_everywhere = "Match all" in match or "Address *" in match
            assert "sshd -T -C user=" in finding["what"] or is_everywhere, finding
        repair(machine, found)
        assert complaints(machine) == []


@pytest.mark.parametrize(
    ("methods", "password", "answers", "enters"),
    [
        ("password,keyboard-interactive", "yes", (WRONG, "right"), False),
        ("password,keyboard-interactive", "no", ("right",), True),
        ("keyboard-interactive,password", "yes", (WRONG, "right"), True),
    ],
)
def test_password_method_spoils_a_connection(
    product: Product, methods: str, password: str, answers: tuple[str, ...], enters: bool
) -> None:
    """Why the doctor has a word against PasswordAuthentication: local accounts fare no better, and nothing can be done.

    libpam remembers what the monitor's only pam_authenticate(3) came to, and pam_setcred(3) goes the same way.
    """
    machine = product.machine
    with Sshd(machine, options={"PasswordAuthentication": password}) as server:
        for user, right in (("alice", RIGHT), ("bob", LOCAL)):
            result = server.run(user, *(right if answer == "right" else answer for answer in answers), method=methods)
            assert result.accepted == enters, result
            assert ("pam_setcred(): Failure setting user credentials" in server.log()) != enters
    with machine.preserved(SSHD):
        machine.write(SSHD, f"PasswordAuthentication {password}\n" + machine.read(SSHD), 0o600)
        report = Report(machine)
    ssh = report.areas["ssh"]
    assert (
        report.status == 0
        and ssh["findings"] == []
        and ("PasswordAuthentication no" in ssh["summary"]) == (password == "yes")
    )
