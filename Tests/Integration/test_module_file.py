"""The module as a file, and the process that has loaded it: what it needs, what it shows, what it leaves behind."""

import re
import subprocess
from pathlib import Path

import pytest

from .hosts import Session, login
from .machine import REPOSITORY, Machine
from .pam_driver import PamDriver
from .product import ALONE, RIGHT, WRONG, Product

MODULE = REPOSITORY / ".build/product/pam_cognito.so"
PROGRAMS = [REPOSITORY / ".build/product" / f"cognito-{name}" for name in ("worker", "agent", "doctor", "session")]
HOOKS = ("authenticate", "setcred", "acct_mgmt", "open_session", "close_session", "chauthtok")


def read_elf(*arguments: str) -> str:
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def needed(path: Path) -> set[str]:
    return set(re.findall(r"NEEDED.*\[(.+?)\]", read_elf("readelf", "-d", str(path))))


def test_what_it_needs() -> None:
    assert needed(MODULE) <= {"libc.so.6", "libm.so.6", "libpam.so.0", "libkeyutils.so.1", "libcrypt.so.1"}


def test_what_it_shows() -> None:
    names = read_elf("nm", "-D", "--defined-only", str(MODULE)).split()[2::3]
    assert sorted(name.split("@")[0] for name in names) == sorted(f"pam_sm_{hook}" for hook in HOOKS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_programs_run_without_swift(program: Path) -> None:
    libraries = needed(program)
    assert libraries and not [name for name in libraries if re.search(r"swift|Foundation|stdc\+\+", name)]
    assert b"FoundationEssentials" not in program.read_bytes()


@pytest.mark.parametrize("program", PROGRAMS[1:], ids=lambda path: path.name)
def test_only_the_worker_links_network_and_cryptography(program: Path) -> None:
    assert not [name for name in needed(program) if re.match(r"lib(curl|crypto|ssl)\b", name)]


@pytest.mark.parametrize("path", [MODULE, *PROGRAMS], ids=lambda path: path.name)
def test_hardening(path: Path) -> None:
    """Loaded anywhere in memory, address tables complete and read-only, no library path of its own."""
    header, dynamic, segments = (read_elf("readelf", flag, "-W", str(path)) for flag in ("-h", "-d", "-l"))
    assert re.search(r"Type: +DYN", header)
    assert re.search(r"\bNOW\b", dynamic) and not re.search(r"\((RPATH|RUNPATH|TEXTREL)\)", dynamic)
    assert "GNU_RELRO" in segments
    assert re.search(r"GNU_STACK.* RW ", segments) and not re.search(r"LOAD.* RWE ", segments)
    # Stack protector and FORTIFY, in the parts that are C. No CET: see Package.swift.
    names = read_elf("nm", "-D", str(path))
    assert "__stack_chk_fail" in names and re.search(r"\b__v?snprintf_chk\b", names)


def test_programs_name_one_version(machine: Machine) -> None:
    # What packaging/build.sh has written into them.
    version = (REPOSITORY / ".build/version").read_text().rstrip("\0")
    assert re.fullmatch(r"[0-9.]+(~dev[0-9]+\+g[0-9a-f]+)?|unknown", version)
    for program in PROGRAMS[1:]:
        assert machine.run([str(program), "--version"], check=True).stdout == f"{program.name} {version}\n"


def test_no_collisions_between_modules() -> None:
    """Of two global objects with one name the linker takes either: seen with outlined array literals."""
    sizes: dict[str, set[str]] = {}
    objects = (REPOSITORY / ".build/embedded").glob("*/release/*.build/*.o")
    for line in read_elf("nm", "-S", *map(str, objects)).splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "Vv":
            sizes.setdefault(parts[3], set()).add(parts[1])
    assert sizes, "there is no Embedded build to look at"
    assert not {name for name, found in sizes.items() if len(found) > 1}
    assert not [name for name in sizes if re.search(r"Tv\d*_r?$", name)]


def test_load_and_call_all_hooks() -> None:
    """RTLD_NOW: every symbol is there. The hooks are called with a handle that libpam made for a service of ours."""
    script = f"""
import ctypes, os
pam = ctypes.CDLL("libpam.so.0")
module = ctypes.CDLL({str(MODULE)!r}, mode=os.RTLD_NOW)
handle = ctypes.c_void_p()
class Conversation(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("data", ctypes.c_void_p)]
conversation = Conversation(None, None)
assert pam.pam_start(b"other", b"nobody-at-all", ctypes.byref(conversation), ctypes.byref(handle)) == 0
codes = []
for hook in {HOOKS!r}:
    function = getattr(module, "pam_sm_" + hook)
    function.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    codes.append(function(handle, 0, 0, None))
    codes.append(function(None, 0, 0, None))
print(codes)
"""
    done = subprocess.run(["/usr/bin/python3", "-IS", "-c", script], capture_output=True, text=True, timeout=60)
    # USER_UNKNOWN or IGNORE, SUCCESS, IGNORE, SUCCESS, SUCCESS, IGNORE; SYSTEM_ERR without a handle.
    assert done.returncode == 0, done.stderr
    codes = [int(code) for code in re.findall(r"\d+", done.stdout)]
    assert codes[1::2] == [4] * 6
    assert codes[0] in (10, 25) and codes[2:12:2] == [0, 25, 0, 0, 25]


def significant(changes: dict) -> dict:
    """What a call changed, less the connection to the log that syslog(3) keeps open in every host."""
    rest = {name: change for name, change in changes.items() if name != "session_keyring"}
    if "descriptors" in rest:
        before, after = rest["descriptors"]
        gone = {number for number in before if number not in after}
        new = {number: target for number, target in after.items() if before.get(number) != target}
        if not gone and all(target.startswith("socket:") for target in new.values()) and len(new) <= 1:
            del rest["descriptors"]
    return rest


@pytest.mark.parametrize("caller", [None, "bob"], ids=["as root", "set-uid"])
@pytest.mark.parametrize("password", [RIGHT, WRONG], ids=["right", "wrong"])
def test_host_is_left_as_found(product: Product, caller: str | None, password: str) -> None:
    """No thread, descriptor, child, signal disposition, environment, limit or directory is changed by any hook."""
    with PamDriver(product.machine, "alone", "alice", caller=caller) as driver:
        authenticated = driver.authenticate(password)
        assert authenticated.succeeded == (password == RIGHT)
        results = [authenticated]
        if authenticated.succeeded:
            results += [driver.call(hook) for hook in ("acct_mgmt", "setcred", "open_session", "close_session")]
        assert [significant(result.changes) for result in results] == [{}] * len(results)


@pytest.mark.parametrize("fault", ["hang", "reset"])
def test_host_is_left_as_found_after_failures(product: Product, fault: str) -> None:
    product.configure(network_timeout="1s", connect_timeout="1s")
    product.emulator.fault("*", fault)
    with PamDriver(product.machine, "alone", "alice") as driver:
        assert significant(driver.authenticate(RIGHT).changes) == {}


def test_callers_limits_and_environment_do_not_matter(machine: Machine, product: Product) -> None:
    """In su and sudo both are the caller's, who may mean ill."""
    hostile = {
        "https_proxy": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
        "SSLKEYLOGFILE": "/tmp/keylog",
        "SSL_CERT_FILE": "/dev/null",
        "LD_PRELOAD": "/tmp/evil.so",
        "RES_OPTIONS": "attempts:0",
    }
    limits = {"RLIMIT_NOFILE": 20, "RLIMIT_CPU": 5, "RLIMIT_MEMLOCK": 0, "RLIMIT_FSIZE": 100}
    with PamDriver(machine, "alone", "alice", env=hostile, limits=limits) as driver:
        assert driver.visit(RIGHT).succeeded
    assert not machine.exists("/tmp/keylog")


def test_worker_has_no_rights(machine: Machine, product: Product) -> None:
    """While it waits for the password: account, groups, keyring, descriptors, environment, directory, limits."""
    seen = {}

    def look(_: str) -> str:
        (pid,) = machine.pids("cognito-worker")
        seen["state"], seen["status"] = machine.state(pid), machine.read(f"/proc/{pid}/status")
        return RIGHT

    login(machine, "alice", look).visit()
    state, uid = seen["state"], machine.uid("_pam-cognito")
    assert state.uids == (uid,) * 4 and 0 not in state.gids and state.groups == () and state.no_new_privileges == "1"
    assert set(re.findall(r"(?m)^Cap(?:Eff|Prm):\t(\w+)$", seen["status"])) == {"0" * 16}
    # TERM, HUP and INT are ignored: whoever ends a session must not end its sign-out.
    assert int(state.signals["SigBlk"], 16) == 0 and int(state.signals["SigIgn"], 16) == 1 << 14 | 1 << 1 | 1 << 0
    assert set(state.environ) == {
        b"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        b"LC_ALL=C",
        b"RES_OPTIONS=timeout:2 attempts:2",
    }
    assert state.working_directory == "/" and state.limits["Max core file size"] == ("0", "0")
    assert {state.descriptors[1], state.descriptors[2]} == {"/dev/null"}
    # Its socket to the root side, and what it opened itself for the network.
    expected = ("socket:", "anon_inode:", "pipe:", "/dev/null")
    assert all(target.startswith(expected) for target in state.descriptors.values())


@pytest.mark.parametrize(("argv", "status"), [([], 64), (["--help"], 64)])
def test_worker_refuses_casual_use(product: Product, argv: list[str], status: int) -> None:
    done = product.machine.run(["/usr/libexec/pam-cognito/cognito-worker", *argv], user="bob")
    assert done.returncode == status and "pam_cognito.so" in done.stderr


def test_uncovered_accounts_cost_no_process(machine: Machine, product: Product) -> None:
    """Local accounts, root and strangers: no worker, whatever they type. Told by the process ids given out."""

    def processes_of(service: str, name: str) -> int:
        with PamDriver(machine, service, name) as driver:
            before = int(machine.run(["sh", "-c", "echo $$"]).stdout)
            driver.authenticate(WRONG)
            return int(machine.run(["sh", "-c", "echo $$"]).stdout) - before

    machine.pam("nothing", "auth required pam_deny.so\n")
    for name in ("bob", "root", "nobody-at-all"):
        assert processes_of("alone", name) == processes_of("nothing", name), name
    assert product.emulator.connection_count() == 0
    assert processes_of("alone", "alice") > processes_of("nothing", "alice")


def test_stack_without_the_rest(machine: Machine, product: Product) -> None:
    machine.pam("alone", ALONE)
    with PamDriver(machine, "alone", "bob") as driver:
        assert driver.call("open_session").code == "PAM_SUCCESS"
        assert driver.call("close_session").code == "PAM_SUCCESS"


def test_worker_inherits_no_capabilities(machine: Machine, product: Product) -> None:
    """A change of the user id leaves inheritable ones, such as those that systemd 257 gives to logins."""
    host = ["setpriv", "--inh-caps=+wake_alarm", "pamtester", "alone", "alice", "authenticate"]
    with Session(machine.spawn_pty(host)) as session:
        assert session.asking == "Password: ", session.seen
        status = {
            name: machine.run(["cat", f"/proc/{pid}/status"]).stdout
            for name, pid in ((process.name, process.pid) for process in machine.processes())
            if name in ("pamtester", "cognito-worker")
        }
    assert re.search(r"(?m)^CapInh:\t0*[1-9a-f]", status["pamtester"])
    assert set(re.findall(r"(?m)^Cap(?:Inh|Prm|Eff|Amb):\t(\w+)$", status["cognito-worker"])) == {"0" * 16}
