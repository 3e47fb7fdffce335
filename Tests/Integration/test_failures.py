"""Failed sign-ins are counted, in root's kernel keyring, for each account and each user id that tries."""

import re

import pytest

from .hosts import Session, Sshd, allow_sudo, login, su, su_command, sudo_command
from .machine import Machine
from .pam_driver import PamDriver
from .product import AGENT, LOCAL, RIGHT, WRONG, Product
from .test_password import Passwd


@pytest.fixture(autouse=True)
def three_failures(product: Product) -> None:
    product.configure(max_failures="3", sign_out="session")
    allow_sudo(product.machine, "alice")


def guess(machine: Machine, service: str, caller: str | None, answer: str) -> bool:
    """One attempt to be alice; whether it was let in."""
    if service == "sudo":
        return sudo_command(machine, "alice", "root", ["true"], answer)[0] == 0
    if service == "su":
        return su_command(machine, caller, "alice", "true", answer)[0] == 0
    with login(machine, "alice", answer) as session:
        if session.accepted:
            session.logout()
            return True
        return False


@pytest.mark.parametrize(("service", "caller"), [("su", "bob"), ("su", "carol"), ("sudo", "alice"), ("login", None)])
def test_locked(machine: Machine, product: Product, service: str, caller: str | None) -> None:
    """After three, nobody is asked, Cognito neither; and the same for nobody else."""
    uid = machine.uid(caller) if caller else 0
    for number in range(1, 4):
        assert not guess(machine, service, caller, WRONG)
        assert product.failures() == {("alice", uid): number}
    asked, mark = product.emulator.connection_count(), machine.log_mark()
    if service == "su":
        with su(machine, caller, "alice") as session:
            assert session.refused and not session.prompts
            assert "Too many attempts to sign in to this account have failed. Try again in 10 min." in session.seen
    elif service == "sudo":
        assert sudo_command(machine, "alice", "root", ["true"])[0] != 0
    else:
        with login(machine, "alice") as session:
            assert session.refused or session.asking is None or "login:" in session.asking
    assert product.emulator.connection_count() == asked
    (line,) = machine.lines(mark, containing="reason=too_many_failures")
    assert f"3 attempts by user id {uid} failed" in line
    assert product.failures() == {("alice", uid): 3}
    other = "carol" if caller != "carol" else "bob"
    assert guess(machine, "su", other, RIGHT)
    product.forget_failures("alice")
    assert guess(machine, service, caller, RIGHT)


def test_a_local_user_keeps_nobody_out_of_ssh(machine: Machine, product: Product, sshd: Sshd) -> None:
    for answers in [(WRONG,)] * 3 + [()] * 2:
        with su(machine, "bob", "alice", *answers) as session:
            assert session.refused
    for method in ("keyboard-interactive", "password"):
        assert sshd.run("alice", RIGHT, method=method).accepted
    assert product.failures() == {("alice", machine.uid("bob")): 3}


def stopped_guess(machine: Machine, product: Product, program: list[str], caller: str, answer: str) -> None:
    """Whoever started it stops it while Cognito is asked, sees how the worker fares, and kills it."""
    asked = len(product.operations())
    session = Session(machine.spawn_pty(program, user=caller))
    assert session.asking
    with product.emulator.held("RespondToAuthChallenge"):
        session.terminal.type_line(answer)
        machine.wait_until(lambda: "RespondToAuthChallenge" in product.operations()[asked:], "the guess")
        machine.run(["kill", "-STOP", str(session.host_pid)], user=caller, check=True)
    machine.wait_until(lambda: not machine.pids("cognito-worker"), "Cognito's answer")
    machine.run(["kill", "-KILL", str(session.host_pid)], user=caller, check=True)
    session.abandon()


@pytest.mark.parametrize(
    ("program", "caller", "event"),
    [(["su", "alice"], "bob", "authentication attempt"), (["passwd"], "alice", "password change attempt")],
)
def test_stopped_and_killed(machine: Machine, product: Product, program: list[str], caller: str, event: str) -> None:
    """What came of it nobody is told, but each guess counts, and the log has it."""
    mark, uid = machine.log_mark(), machine.uid(caller)
    for number in range(1, 4):
        stopped_guess(machine, product, program, caller, WRONG)
        assert product.failures() == {("alice", uid): number}
        lines = machine.lines(mark, containing="user='alice'")
        assert len(lines) == number
        assert all(f": {event}; " in line and line.endswith(f" uid={uid}") for line in lines)
    asked = product.emulator.connection_count()
    with Session(machine.spawn_pty(program, user=caller)) as session:
        assert session.refused and not session.prompts
    assert product.emulator.connection_count() == asked


def test_counted_once(machine: Machine, product: Product) -> None:
    """A failure is one; the right password takes all back, and an hour without network adds none."""
    uid = machine.uid("bob")
    for number in (1, 2):
        assert not guess(machine, "su", "bob", WRONG)
        assert product.failures() == {("alice", uid): number}
    with product.emulator.away():
        for _ in range(4):
            assert not guess(machine, "su", "bob", RIGHT)
            assert product.failures() == {("alice", uid): 2}
    assert guess(machine, "su", "bob", RIGHT)
    assert product.failures() == {}


def no_tallies(machine: Machine) -> bool:
    """Whether there are no files of pam_faillock's, which would belong to the group of whoever calls su."""
    found = machine.run(["find", "/run/faillock", "/var/run/faillock/", "-type", "f"]).stdout
    return found == ""


@pytest.mark.parametrize("name", ["alice", "dora"])
def test_su_leaves_no_file(machine: Machine, product: Product, name: str) -> None:
    """What the caller of su could write, to keep somebody out, or to forget their own failures."""
    if name == "dora":
        machine.add_user("dora", password=LOCAL)
    before = written_by_su(machine)
    assert su_command(machine, "bob", name, "true", WRONG)[0] != 0
    assert sudo_command(machine, "alice", "root", ["true"], WRONG)[0] != 0
    assert no_tallies(machine)
    assert written_by_su(machine) == before


def written_by_su(machine: Machine) -> str:
    return machine.run(["find", "/run", "/var", "-xdev", "-type", "f", "-group", "bob"]).stdout


@pytest.mark.parametrize("fault", ["read-only", "a folder in its place", "a link to itself"])
def test_local_accounts_come_in(machine: Machine, product: Product, sshd: Sshd, fault: str) -> None:
    """A /run that cannot be written, and tallies of the set-up of 0.1.0 that cannot be opened, keep nobody out."""
    machine.run(["mkdir", "-p", "/run/faillock"], check=True)
    if fault == "read-only":
        machine.run(["mount", "-o", "bind", "/run/faillock", "/run/faillock"], check=True)
        machine.run(["touch", "/run/faillock/bob"], check=True)
        machine.run(["mount", "-o", "remount,bind,ro", "/run/faillock"], check=True)
    elif fault == "a link to itself":
        machine.run(["ln", "-s", "bob", "/run/faillock/bob"], check=True)
    else:
        machine.run(["mkdir", "/run/faillock/bob"], check=True)
    try:
        assert sshd.run("bob", LOCAL, method="keyboard-interactive").accepted
        assert su_command(machine, "alice", "bob", "true", LOCAL)[0] == 0
        login(machine, "bob", LOCAL).visit()
        assert guess(machine, "su", "bob", RIGHT)
    finally:
        machine.run(["umount", "/run/faillock"])
        machine.run(["rm", "-rf", "/run/faillock"], check=True)


def test_success_forgets(machine: Machine, product: Product, sshd: Sshd) -> None:
    assert not sshd.run("alice", WRONG, method="keyboard-interactive").accepted
    assert not sshd.run("alice", WRONG, method="password").accepted
    assert product.failures() == {("alice", 0): 2}
    assert sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
    assert product.failures() == {}


def test_passwd(machine: Machine, product: Product) -> None:
    for _ in range(3):
        with Passwd(machine, "alice", WRONG) as passwd:
            assert passwd.status != 0
    with Passwd(machine, "alice") as passwd:
        assert passwd.status != 0 and passwd.questions == []
        assert "Too many attempts to sign in" in passwd.seen
    # The same uid: sudo is none of another's.
    assert sudo_command(machine, "alice", "root", ["true"])[0] != 0
    # Root is asked all the same.
    with Passwd(machine, None, WRONG, of="alice") as passwd:
        assert passwd.status != 0 and len(passwd.questions) == 1
    assert product.failures() == {("alice", machine.uid("alice")): 3}


def test_nobody_at_a_prompt_is_counted(machine: Machine, product: Product) -> None:
    with su(machine, "bob", "alice") as session:
        assert session.asking
        session.interrupt()
        session.ended()
    assert product.failures() == {}


def test_at_once(machine: Machine, product: Product) -> None:
    """Prompts that were all there before: still no more than three are asked; and the keyring is made once."""
    machine.forget_keys()
    hosts = [su(machine, "bob", "alice") for _ in range(8)]
    mark = machine.log_mark()
    for host in hosts:
        host.terminal.type_line(WRONG)
    for host in hosts:
        assert host.terminal.wait() != 0
        host.abandon()
    asked = machine.log(mark, containing="reason=refused")
    locked = machine.log(mark, containing="reason=too_many_failures")
    assert len(asked) <= 3 and len(asked) + len(locked) == 8
    assert product.failures() == {("alice", machine.uid("bob")): len(asked)}
    rings = [key for key in machine.keys() if key.description == "pam-cognito:attempts"]
    assert len(rings) == 1 and rings[0].permissions == "003f0000" and rings[0].uid == 0


@pytest.mark.parametrize("name", ["bob", "carol", "alice"])
def test_out_of_reach(machine: Machine, product: Product, name: str) -> None:
    """Nobody but root reads, adds or takes away what counts."""
    assert not guess(machine, "su", "bob", WRONG)
    keys = [key for key in machine.keys() if key.description.startswith("pam-cognito:a")]
    assert len(keys) == 2
    for key in keys:
        for attempt in ("print", "pipe", "describe", "unlink", "clear", "revoke", "invalidate", "timeout", "setperm"):
            more = {"unlink": ["@u"], "timeout": ["1"], "setperm": ["0x3f3f3f3f"]}.get(attempt, [])
            assert machine.run(["keyctl", attempt, str(key.serial), *more], user=name).returncode != 0, attempt
        assert machine.run(["keyctl", "link", str(key.serial), "@s"], user=name).returncode != 0
    assert product.failures() == {("alice", machine.uid("bob")): 1}


def test_agent(machine: Machine, product: Product) -> None:
    """Root lists and resets them; others do not."""
    assert machine.run([AGENT, "failures"], check=True).stdout == ""
    assert not guess(machine, "su", "bob", WRONG)
    shown = machine.run([AGENT, "failures"], check=True).stdout
    assert re.fullmatch(rf"user='alice' uid={machine.uid('bob')} failures=1 ends=(59\d|600)\n", shown)
    assert machine.run([AGENT, "failures"], user="bob").returncode == 77
    for wrong in (["--reset"], ["alice"], ["--reset", "alice", "bob"]):
        assert machine.run([AGENT, "failures", *wrong]).returncode == 64
    mark = machine.log_mark()
    assert machine.run([AGENT, "failures", "--reset", "bob"], check=True).stdout == ""
    assert product.failures()
    product.forget_failures("alice")
    assert product.failures() == {}
    lines = machine.lines(mark, containing="failures forgotten")
    assert lines == [
        f"failures forgotten; user='{name}' failures={count}" for name, count in (("bob", 0), ("alice", 1))
    ]


def test_it_ends_by_itself(machine: Machine, product: Product) -> None:
    """The kernel takes it away: nobody has to come by."""
    assert not guess(machine, "su", "bob", WRONG)
    (key,) = [key for key in machine.keys() if key.description.startswith("pam-cognito:a:")]
    assert key.timeout is not None and 0 < key.timeout <= 600
    machine.run(["keyctl", "timeout", str(key.serial), "1"], check=True)
    machine.wait_until(lambda: not product.failures(), "the end of the count")


@pytest.mark.parametrize("name", ["bob", "root"])
def test_others_are_not_counted(machine: Machine, product: Product, name: str) -> None:
    for _ in range(4):
        with PamDriver(machine, "su", name, caller="carol", observe=False) as driver:
            driver.do_not_wait()
            assert not driver.authenticate(WRONG).succeeded
    assert product.failures() == {}
    if name == "bob":
        with PamDriver(machine, "su", name, caller="carol", observe=False) as driver:
            assert driver.authenticate(LOCAL).succeeded


@pytest.mark.parametrize("fault", ["throttle", "empty_500"])
def test_what_is_not_the_persons_fault(machine: Machine, product: Product, fault: str) -> None:
    """In su it is a refusal, which counts nowhere."""
    product.emulator.fault("InitiateAuth", fault)
    assert not guess(machine, "su", "bob", RIGHT)
    assert product.failures() == {}
    assert no_tallies(machine)
