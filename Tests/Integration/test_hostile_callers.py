"""What the caller of su and sudo chooses for them: limits, descriptors, signals, alarms, priorities, keyrings, cgroups.

And login, which only root can call, with the same.

None of it may bring the local password of a Cognito account into play while Cognito can be asked, leave a session in
the registry, or have Cognito asked for nothing.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .hosts import Session, Sshd, allow_sudo, login, su, su_command, sudo_command
from .machine import MachineError
from .product import LOCAL, RIGHT, WRONG, Product

#: Becomes a program, with what the caller of it may choose.
BECOME = """
import ctypes, json, os, resource, signal, sys
chosen, argv = json.loads(sys.argv[1]), sys.argv[2:]
if chosen.get("oom"):
    open("/proc/self/oom_score_adj", "w").write(str(chosen["oom"]))
if chosen.get("nice"):
    os.nice(chosen["nice"])
if "timer_slack" in chosen:
    # prctl(2): how late a time limit may end, in nanoseconds.
    assert ctypes.CDLL(None).prctl(29, ctypes.c_ulong(chosen["timer_slack"]), 0, 0, 0) == 0
if chosen.get("idle"):
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
if chosen.get("affinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
if "keyring" in chosen:
    # keyctl(2): a session keyring of our own, and what is in it, or has become of it.
    kernel = ctypes.CDLL(None).syscall
    if kernel(250, 1, None) < 0:
        sys.exit("no session keyring")
    add = lambda name, size: kernel(248, b"user", name.encode(), b"x" * size, ctypes.c_size_t(size), -3)
    if chosen["keyring"] == "decoys":
        for name in ("pam-cognito:sessions", "cognito:eu-west-1_AbCdEf123:1example23456789", "pam-cognito:attempts"):
            assert add(name, 100) > 0
    if chosen["keyring"] == "full":
        number = 0
        # The kernel counts four bytes for each link in 16 bits: what is over that stays in the quota for good.
        while number < 16000 and add(f"mine {number}", 1) > 0:
            number += 1
    if chosen["keyring"] == "revoked":
        assert kernel(250, 3, -3) == 0
    if chosen["keyring"] == "no rights":
        assert kernel(250, 5, -3, 0) == 0
for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN if chosen.get("ignored") else signal.SIG_DFL)
    except (OSError, ValueError):
        pass
if chosen.get("blocked"):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - {signal.SIGCHLD})
for _ in range(chosen.get("descriptors", 0)):
    os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)
if "alarm" in chosen:
    signal.setitimer(signal.ITIMER_REAL, chosen["alarm"])
if "cpu_alarm" in chosen:
    signal.setitimer(signal.ITIMER_PROF, chosen["cpu_alarm"])
for name, limit in chosen.get("limits", {}).items():
    hard = resource.getrlimit(getattr(resource, name))[1] if chosen.get("soft") else limit
    resource.setrlimit(getattr(resource, name), (limit, hard))
os.execvp(argv[0], argv)
"""
KIB = 1024

CHOSEN = {
    **{f"{count} descriptors": {"limits": {"RLIMIT_NOFILE": count}} for count in (*range(4, 13), 16)},
    "all descriptors taken": {"descriptors": 58, "limits": {"RLIMIT_NOFILE": 64}},
    "no processes": {"limits": {"RLIMIT_NPROC": 1}},
    "no files": {"limits": {"RLIMIT_FSIZE": 0}},
    "no files, signal ignored": {"ignored": True, "limits": {"RLIMIT_FSIZE": 0}},
    "a second of processor time": {"limits": {"RLIMIT_CPU": 1}},
    "a small stack": {"limits": {"RLIMIT_STACK": 256 * KIB}},
    "little data": {"limits": {"RLIMIT_DATA": 600 * KIB}},
    "no locked memory": {"limits": {"RLIMIT_MEMLOCK": 0}},
    "no pending signals": {"limits": {"RLIMIT_SIGPENDING": 0}},
    "ignored signals": {"ignored": True},
    "blocked signals": {"blocked": True},
    "the first to be killed": {"oom": 1000},
    "the last to run": {"nice": 19, "idle": True, "affinity": True},
    "an alarm": {"alarm": 0.4},
    "an alarm, blocked": {"alarm": 0.2, "blocked": True},
    "an alarm of processor time": {"cpu_alarm": 0.02},
    **{f"session keyring: {state}": {"keyring": state} for state in ("decoys", "full", "revoked", "no rights")},
    **{f"{size} KiB of memory": {"limits": {"RLIMIT_AS": size * KIB}} for size in range(7000, 15000, 500)},
}
MODULE = "/usr/lib/x86_64-linux-gnu/security/pam_cognito.so"
#: What SECURITY.md says that an application needs beside what it needs itself, in KiB of memory.
TO_SPARE = 3072
HOSTS = ("su", "sudo", "login")
#: Those that users start.
SET_UID = ("su", "sudo")
#: Little memory is tried where the caller can choose it.
CASES = [(chosen, name) for name in HOSTS for chosen in CHOSEN if name != "login" or "KiB of memory" not in chosen]


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    product.machine.add_user("dora", password=LOCAL)
    product.member("dora")
    allow_sudo(product.machine, "dora", "bob")
    return product


@pytest.fixture(autouse=True)
def named(product: Product) -> None:
    # The setting with which there is a way around Cognito at all.
    product.configure(users="dora", sign_out="session", local_password="unavailable")


def host(product: Product, name: str, chosen: dict, *answers: str, of: str = "dora") -> bool:
    """Whether somebody with these answers, and their own choices, becomes that person, or by their password root."""
    argv, user = {
        "su": (["su", of, "-c", "echo entered"], "carol"),
        "sudo": (["sudo", "-S", "-p", "Password: ", "echo", "entered"], of),
        "login": (["login", of], None),
    }[name]
    command = ["/usr/bin/python3", "-IS", "-c", BECOME, json.dumps(chosen), *argv]
    terminal = product.machine.spawn_pty(command, user=user)
    try:
        session = Session(terminal, [*answers, *[answers[-1]] * 3] if answers else [])
    except MachineError:
        # Stopped, or hanging: nobody came in.
        with contextlib.suppress(ProcessLookupError):
            terminal.process.end()
        return False
    entered = session.accepted or "entered" in session.seen.replace("echo entered", "")
    session.abandon()
    return entered


def guesses(product: Product) -> int:
    """How many passwords Cognito was asked about."""
    return len([name for name in product.operations() if name == "RespondToAuthChallenge"])


def assert_nothing_left(product: Product) -> None:
    product.machine.end_processes(keep=product.kept)
    assert product.reap("--now").returncode == 0
    assert not product.entries()


@pytest.fixture(autouse=True)
def kept(product: Product) -> None:
    """The processes that belong to the module's machine."""
    product.kept = [process.pid for process in product.machine.processes() if process.pid != 1]


@pytest.mark.parametrize(("chosen", "name"), CASES)
def test_no_local_password_while_cognito_is_there(product: Product, chosen: str, name: str) -> None:
    """Wrong for Cognito and right for this machine: nobody comes in, and what Cognito was asked counts.

    What root has chosen for login may be the machine's own fault, as a full memory is: Cognito is then away.
    """
    entered = host(product, name, CHOSEN[chosen], LOCAL)
    assert not entered or (name == "login" and not guesses(product))
    assert sum(product.failures().values()) >= guesses(product)
    assert_nothing_left(product)


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize(
    "chosen",
    [
        "7 descriptors",
        "all descriptors taken",
        "no locked memory",
        "ignored signals",
        "blocked signals",
        *(name for name in CHOSEN if name.startswith("session keyring")),
    ],
)
def test_right_password(product: Product, chosen: str, name: str) -> None:
    """What can be put right is: who knows the password comes in, where the host itself goes on with it.

    Root in this machine is not the kernel's, and can raise limits only as far as the hard ones.
    """
    if name == "login" and "descriptors" in chosen:
        # What root has chosen stays.
        return
    choice = CHOSEN[chosen] | {"soft": True}
    assert host(product, name, choice, RIGHT) == host(product, name, choice, LOCAL, of="bob")
    assert product.failures() == {}
    assert_nothing_left(product)


def least_memory(product: Product, name: str) -> int:
    """With so many KiB of it, to 50, a local account gets in."""
    too_few, enough = 2000, 50000
    while enough - too_few > 50:
        size = (too_few + enough) // 2
        if host(product, name, {"limits": {"RLIMIT_AS": size * KIB}}, LOCAL, of="bob"):
            enough = size
        else:
            too_few = size
    return enough


def enter_with_little_memory(product: Product, name: str, *answers: str) -> list[int]:
    """With how many KiB, of those with which the module can just be loaded and of fewer, somebody becomes dora."""
    least = least_memory(product, name)
    sizes = range(least - TO_SPARE, least + 250, 50)
    return [size for size in sizes if host(product, name, {"limits": {"RLIMIT_AS": size * KIB}}, *answers)]


@pytest.mark.parametrize("local_password", ["never", "unavailable"])
@pytest.mark.parametrize("name", SET_UID)
def test_too_little_memory_to_load_the_module(product: Product, name: str, local_password: str) -> None:
    """It is the caller's doing, so nobody comes in, and root reads why. libpam says only that the module is unknown."""
    product.configure(users="dora", sign_out="session", local_password=local_password, max_failures="100")
    mark = product.machine.log_mark()
    assert enter_with_little_memory(product, name, LOCAL) == []
    assert sum(product.failures().values()) >= guesses(product)
    product.machine.settle()
    assert product.machine.log(mark, containing='requirement "uid = 0" not met by user')
    # With enough of it the settings are as they were.
    product.forget_failures("dora")
    assert host(product, name, {}, RIGHT)
    product.emulator.down()
    assert host(product, name, {}, LOCAL) == (local_password == "unavailable")
    product.emulator.up()
    assert_nothing_left(product)


def test_too_little_memory_for_key_logins(product: Product) -> None:
    """sudo that asks for no password comes by the account lines alone."""
    machine = product.machine
    product.configure(users="dora", key_logins="refuse")
    with machine.preserved("/etc/sudoers"):
        allow_sudo(machine, "dora", "bob", defaults=["!authenticate", "!lecture"])
        assert enter_with_little_memory(product, "sudo") == []
        assert not host(product, "sudo", {})
        assert host(product, "sudo", {}, of="bob")


def test_module_that_is_missing(product: Product) -> None:
    """Programs that root starts let local accounts and root in, to repair that. Those of users let nobody in."""
    machine = product.machine
    with machine.preserved("/etc/shadow", MODULE), Sshd(machine, start="systemd-style") as server:
        machine.run(["chpasswd"], input=f"root:{LOCAL}\n", check=True)
        machine.remove(MODULE)
        for method in ("password", "keyboard-interactive"):
            assert server.run("bob", LOCAL, method=method, command="id -un").output == "bob\n"
            assert not server.run("bob", WRONG, method=method).accepted
        for user in ("bob", "root"):
            login(machine, user, LOCAL).visit()
        for target in ("dora", "root"):
            with su(machine, "bob", target, LOCAL) as session:
                assert session.refused, session.seen
        assert sudo_command(machine, "bob", "root", ["id", "-un"], LOCAL)[0] != 0
        # root is not asked, in the account lines neither.
        assert su_command(machine, None, "bob", "true")[0] == 0
        assert machine.run(["sudo", "-u", "bob", "id", "-un"]).stdout == "bob\n"
    assert product.emulator.connection_count() == 0


def enough_memory(product: Product, name: str) -> int:
    """So many KiB of it are enough for the application without the module."""
    machine = product.machine
    files = [f"/etc/pam.d/cognito-{part}" for part in ("auth", "account", "session")]
    with machine.preserved(*files):
        for path in files:
            lines = machine.read(path).splitlines(keepends=True)
            kept = [line for line in lines if "pam_cognito.so" not in line and "pam_succeed_if.so" not in line]
            machine.write(path, "".join(kept), 0o644)
        return least_memory(product, name)


@pytest.mark.parametrize("name", SET_UID)
def test_others_notice_nothing_with_little_memory(product: Product, name: str) -> None:
    least = enough_memory(product, name)
    for more in range(0, 4096, 512):
        choice = {"limits": {"RLIMIT_AS": (least + TO_SPARE + more) * KIB}}
        assert host(product, name, choice, LOCAL, of="bob"), f"{more} KiB more than {least} and {TO_SPARE}"
    assert product.emulator.connection_count() == 0


@pytest.mark.parametrize(("chosen", "name"), [case for case in CASES if not re.search("alarm|KiB of memory", case[0])])
def test_others_notice_nothing(product: Product, chosen: str, name: str) -> None:
    """A local account comes in, or does not, as it does without us. Alarms come when they come: none of them here."""
    if (chosen, name) == ("no processes", "login"):
        # The person's own shell could not start what the test asks of it.
        return
    machine = product.machine
    entered = host(product, name, CHOSEN[chosen], LOCAL, of="bob")
    with machine.preserved("/run/pam-cognito/disabled"):
        machine.write("/run/pam-cognito/disabled", "")
        assert host(product, name, CHOSEN[chosen], LOCAL, of="bob") == entered
    assert product.emulator.connection_count() == 0


#: What a program finds that sudo asks for the password, for the test to compare.
ASKPASS = """#!/bin/sh
cat /proc/self/limits >/run/asked/limits
echo {password}
"""


def test_askpass_has_the_callers_limits(product: Product) -> None:
    """sudo -A starts a program of the caller's in the middle of a hook: it must not keep limits of root's."""
    machine = product.machine
    machine.make_directory("/run/asked", 0o777)
    chosen = {"soft": True, "limits": {"RLIMIT_MEMLOCK": 16 * KIB, "RLIMIT_SIGPENDING": 5, "RLIMIT_RTTIME": 1000}}
    found = {}
    for user, password in (("bob", LOCAL), ("dora", RIGHT)):
        machine.write("/run/askpass", ASKPASS.format(password=password), 0o755)
        command = ["/usr/bin/python3", "-IS", "-c", BECOME, json.dumps(chosen), "sudo", "-A", "echo", "entered"]
        done = machine.run(command, user=user, env={"SUDO_ASKPASS": "/run/askpass"})
        assert done.stdout == "entered\n", done
        found[user] = machine.read("/run/asked/limits")
        machine.remove("/run/asked/limits")
    machine.remove("/run/askpass")
    assert found["dora"] == found["bob"]
    assert_nothing_left(product)


def test_worker_with_time_limits_that_end(product: Product) -> None:
    """A process begins with the timer slack of its parent. With as much as the caller's, no wait ends by itself."""
    machine = product.machine
    chosen = json.dumps({"timer_slack": 10**15})
    terminal = machine.spawn_pty(["/usr/bin/python3", "-IS", "-c", BECOME, chosen, "su", "dora"], user="carol")
    with Session(terminal) as session:
        assert session.asking, session.seen
        slack = {
            process.name: int(machine.read(f"/proc/{process.pid}/timerslack_ns"))
            for process in machine.processes()
            if process.name in ("su", "cognito-worker")
        }
    assert slack == {"su": 10**15, "cognito-worker": 50_000}
    assert_nothing_left(product)


@pytest.fixture
def small_group() -> Iterator[Path]:
    """A control group in which there can be few processes."""
    for folder in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"):
        group = Path(folder) / f"pam-cognito-{os.getpid()}"
        with contextlib.suppress(OSError):
            group.mkdir()
            try:
                (group / "pids.max").write_text("max")
            except OSError:
                group.rmdir()
                continue
            break
    else:
        pytest.skip("no control groups that limit processes can be made here")
    yield group
    for pid in (group / "cgroup.procs").read_text().split():
        with contextlib.suppress(OSError):
            (group.parent / "cgroup.procs").write_text(pid)
    group.rmdir()


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_control_group_with_few_processes(product: Product, small_group: Path, count: int) -> None:
    machine = product.machine
    # The shell moves, and all that it starts: the number of its own pid outside is what counts.
    terminal = machine.spawn_pty(["/bin/sh", "-c", "read line; exec su dora -c 'echo entered'"], user="bob")
    (small_group / "cgroup.procs").write_text(str(machine.outer_pid(terminal.pid)))
    (small_group / "pids.max").write_text(str(count))
    terminal.type_line("")
    session = Session(terminal, [LOCAL])
    assert session.refused and "entered" not in session.seen.replace("echo entered", "")
    session.abandon()
    assert sum(product.failures().values()) >= guesses(product)
    assert_nothing_left(product)


def test_log_of_a_program_that_is_called_anything(product: Product) -> None:
    """The caller chooses the name: it does not push the message out of what a log takes, nor begin a line."""
    mark = product.machine.log_mark()
    name = "su\n<0>" + "x" * 10_000
    done = product.machine.run([name, "dora", "-c", "true"], user="bob", program="/usr/bin/su", input=f"{WRONG}\n")
    assert done.returncode == 1
    product.machine.settle()
    entries = product.machine.log(mark, containing="pam_cognito(su:auth): ")
    assert entries and {entry.tag for entry in entries} == {("su?<0>" + "x" * 100)[:48]}


#: Becomes a program with a user id that no account has, as somebody with subordinate ones (subuid(5)) can.
SUBORDINATE = """
import os, sys
number = int(sys.argv[1])
os.setgroups([])
os.setresgid(number, number, number)
os.setresuid(number, number, number)
os.execvp(sys.argv[2], sys.argv[2:])
"""


def test_user_ids_without_an_account_are_one(product: Product) -> None:
    """Six of them have no more guesses than one account."""
    product.configure(users="dora", local_password="unavailable", sign_out="session", max_failures="3")
    for number in range(50001, 50007):
        command = ["python3", "-IS", "-c", SUBORDINATE, str(number), "su", "dora", "-c", "echo entered"]
        session = Session(product.machine.spawn_pty(command), [WRONG])
        assert session.refused
        session.abandon()
    assert guesses(product) == 3
    assert product.failures() == {("dora", 2**32 - 1): 3}
    assert host(product, "su", {}, RIGHT)
    assert_nothing_left(product)


#: Ports that a process of the machine may get by chance, while a test lasts: so few that anybody can hold all of them.
FEW_PORTS = "61000\t61007"
#: Holds all of these ports until it is killed.
HOLD = """
import socket, sys, time
first, last = (int(number) for number in sys.argv[2].split())
began = time.monotonic()
held = []
for port in range(first, last + 1):
    held.append(socket.socket(socket.AF_INET, getattr(socket, sys.argv[1])))
    while True:
        try:
            held[-1].bind(("0.0.0.0", port))
            break
        except OSError as error:
            # A worker that is not yet gone has it.
            if time.monotonic() > began + 45:
                sys.exit(f"{port}: {error}\\n{open('/proc/net/udp').read()}{open('/proc/net/tcp').read()}")
            time.sleep(0.02)
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def few_ports(product: Product) -> Iterator[None]:
    path = "/proc/sys/net/ipv4/ip_local_port_range"

    def write(ports: str) -> None:
        script = 'mount -o remount,bind,rw /proc/sys && printf "%s" "$1" >"$2"'
        product.machine.run(["unshare", "--mount", "sh", "-c", script, "sh", ports, path], check=True)

    before = product.machine.read(path)
    write(FEW_PORTS)
    yield
    write(before.strip())


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"])
def test_caller_who_holds_all_ports(product: Product, few_ports: None, kind: str) -> None:
    """No connection, or no name resolved: but it is the caller's doing, and Cognito is not away."""
    machine = product.machine
    if kind == "SOCK_DGRAM":
        product.configure(
            users="dora", local_password="unavailable", sign_out="session", endpoint="https://nowhere.invalid"
        )
        # A name that nobody resolves is Cognito's being away.
        assert host(product, "su", {}, LOCAL)
        product.forget_failures("dora")
    mark = machine.log_mark()
    output = machine.shared / f"held-{kind}"
    holder = machine.start(["python3", "-IS", "-c", HOLD, kind, FEW_PORTS], user="bob", stdout=output, stderr=output)
    try:
        machine.wait_until(lambda: output.read_text().endswith("\n"), "what the holder says")
        assert output.read_text() == "held\n"
        assert not host(product, "su", {}, LOCAL)
    finally:
        holder.end()
    machine.settle()
    assert machine.log(mark, containing="reason=internal_fault: Cognito could not be contacted: this machine cannot")
    if kind == "SOCK_STREAM":
        assert host(product, "su", {}, RIGHT)
    assert_nothing_left(product)
