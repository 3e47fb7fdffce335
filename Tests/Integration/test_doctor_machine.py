"""The doctor on machines whose people cannot work though PAM's lines and the configuration are right.

Each is made, real sign-ins say what is broken, and what the doctor shows is done.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from .advice import follow
from .agent_process import AgentProcess
from .hosts import Sshd
from .machine import Machine, MachineError
from .pam_driver import PamDriver
from .product import LOCAL, RIGHT, WRONG, Product
from .score import Score
from .test_doctor import Report, set_up

SSHD = "/etc/ssh/sshd_config"
SERVER = "UsePAM yes\nKbdInteractiveAuthentication yes\nPasswordAuthentication no\nHostKey /etc/ssh/host_key\n"
#: What is put back after each.
FILES = (
    "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/nsswitch.conf", "/etc/nologin", "/etc/security/faillock.conf",
    "/etc/pam.d/sshd", "/etc/pam.d/cognito-auth", SSHD,
)  # fmt: skip
SOCKET = "/run/pam-cognito/agent.sock"
#: sshd's own auth lines with pam_faillock in them.
FAILLOCK = r"""
cat >/run/faillock-lines <<END
auth requisite pam_faillock.so preauth
auth [success=5 new_authtok_reqd=5 ignore=ignore user_unknown=ignore authinfo_unavail=3 cred_unavail=4 \
    module_unknown=ignore default=1] pam_cognito.so
auth [success=4 new_authtok_reqd=4 default=ignore] pam_unix.so nodelay try_first_pass
auth [default=ignore] pam_faillock.so authfail
auth requisite pam_deny.so
auth [success=1 new_authtok_reqd=1 default=ignore] pam_unix.so nodelay try_first_pass
auth requisite pam_deny.so
auth required pam_faillock.so authsucc
END
sed -i -e '/^@include cognito-auth/{r /run/faillock-lines' -e 'd}' /etc/pam.d/sshd
"""


pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the account lines")


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    product.machine.run(["install", "-d", "-m", "0700", "/var/lib/pam-cognito"], check=True)
    return set_up(product, SERVER)


def complaints(machine: Machine) -> list[dict]:
    return Report(machine).complaints


def explain(machine: Machine, name: str) -> dict:
    done = machine.run(["cognito-session", "doctor", "--json", "--explain", name], timeout=120)
    said = json.loads(done.stdout)
    assert said["exit_status"] == done.returncode
    return said


def faults(machine: Machine) -> list[str]:
    """What does not work for somebody: ssh, what a session can have done, and the log of it."""
    found = []
    lines = [line.split(None, 1) for line in machine.read(SSHD).splitlines()]
    options = dict(line for line in lines if len(line) == 2 and line[0] != "HostKey")
    mark = machine.log_mark()
    people = [("alice", RIGHT, "true"), ("carol", RIGHT, "true"), ("bob", LOCAL, "true")]
    try:
        with Sshd(machine, options=options) as server:
            for name, password, command in [*people, ("alice", RIGHT, "cognito-session refresh")]:
                with contextlib.suppress(MachineError):
                    # One that asks for more than the password is left without an answer.
                    if server.run(name, password, command=command, method="keyboard-interactive").status == 0:
                        continue
                found.append(f"{name}: {command}")
    except MachineError as problem:
        # Without names nothing starts.
        found.append(str(problem))
    if not machine.log(mark):
        found.append("log")
    return found


@dataclass(frozen=True)
class Slip:
    """A machine that is broken by one command."""

    what: str
    command: str
    #: In the first complaint; nothing where all is well in spite of it.
    words: str = ""
    undo: str = "true"
    #: What does not show in a sign-in of today.
    is_latent: bool = False
    #: Whether the first complaint's command mends it here, where there is neither systemd nor a package manager.
    is_mended: bool = True

    def __str__(self) -> str:
        return self.what


def shadow(name: str, fields: str) -> str:
    return rf"sed -i -E 's/^({name}:[^:]*):.*/\1:{fields}/' /etc/shadow"


def full(path: str, mode: str, is_latent: bool = True) -> Slip:
    mount = f"mkdir -p {path}; mount -t tmpfs -o size=64k,mode={mode} none {path}"
    return Slip(
        f"full {path}",
        f"{mount}; head -c 100000 /dev/zero >{path}/filler || :",
        f"{path} is full",
        f"umount -l {path}",
        is_latent,
        is_mended=False,
    )


def read_only(path: str) -> Slip:
    mount = f"mount --bind {path} {path}; mount -o remount,ro,bind {path}"
    return Slip(
        f"read-only {path}", mount, f"{path} is read-only", f"umount -l {path}", is_latent=True, is_mended=False
    )


SLIPS = [
    Slip("closed", "touch /etc/nologin", "/etc/nologin exists: only root can"),
    Slip("closed by systemd", "touch /run/nologin", "/run/nologin exists", "rm -f /run/nologin"),
    full("/run/pam-cognito", "755", is_latent=False),
    read_only("/run/pam-cognito"),
    read_only("/var/lib/pam-cognito"),
    full("/var/lib/pam-cognito", "700"),
    full("/var/log", "755"),
    Slip(
        "no log",
        "mv /dev/log /dev/log.away",
        "No program is listening on /dev/log",
        "mv /dev/log.away /dev/log",
        is_mended=False,
    ),
    Slip("names without files", "sed -i 's/^passwd:.*/passwd: dns/' /etc/nsswitch.conf", "Entries in /etc/passwd"),
    Slip(
        "a directory's library is missing",
        "sed -i 's/^passwd:.*/passwd: files nosuch/' /etc/nsswitch.conf",
        "names nosuch, but libnss_nosuch.so.2",
        is_latent=True,
        is_mended=False,
    ),
    Slip("another order of names", "sed -i 's/^passwd:.*/passwd: files [!UNAVAIL=return] files/' /etc/nsswitch.conf"),
    Slip(
        "no agent",
        f"mv {SOCKET} {SOCKET}.away",
        "The agent does not answer",
        f"mv {SOCKET}.away {SOCKET}",
        is_mended=False,
    ),
    Slip(
        "nobody at the agent's socket",
        f"mv {SOCKET} {SOCKET}.away; python3 -c 'import socket; socket.socket(1, 5).bind(\"{SOCKET}\")'; "
        f"chmod 666 {SOCKET}",
        "no program is listening on the socket (errno 111)",
        f"mv {SOCKET}.away {SOCKET}",
        is_mended=False,
    ),
    Slip("closed socket", f"chmod 0600 {SOCKET}", f"the mode of {SOCKET} is wrong", f"chmod 0666 {SOCKET}"),
    Slip("silent agent", "kill -STOP AGENT", "no reply arrived", "kill -CONT AGENT", is_mended=False),
    Slip("expired", "usermod --expiredate 2 alice", "have expired on this machine: alice"),
    Slip("expired tomorrow", "usermod --expiredate $(date -d tomorrow +%F) alice"),
    Slip(
        "a password of old",
        shadow("carol", "19000:0:90:7:::"),
        "/etc/shadow requires a new local password for these accounts: carol",
        is_latent=True,
    ),
    Slip(
        "a password to change",
        shadow("carol", "0:0:99999:7:::"),
        "/etc/shadow requires a new local password for these accounts: carol",
        is_latent=True,
    ),
    Slip("a password that is of no use any more", shadow("carol", "19000:0:90:7:7::"), "are inactive, because"),
    Slip("no entry in shadow", "sed -i '/^carol:/d' /etc/shadow", "no entry in /etc/shadow: carol"),
    Slip("a password that does not age", shadow("carol", "19000:0::7:::")),
    Slip("no date of a password", shadow("carol", ":0:99999:7:::")),
    Slip("no shell", "usermod -s /bin/no-such-shell alice 2>/dev/null", "alice: the shell /bin/no-such-shell"),
    Slip("a shell that cannot be run", "usermod -s /etc/passwd carol 2>/dev/null", "carol: the shell /etc/passwd"),
    Slip("a closing shell", "usermod -s /usr/sbin/nologin alice", "alice: the shell /usr/sbin/nologin ends"),
    Slip("a closing shell of another's", "usermod -s /bin/false daemon"),
    Slip("AllowGroups", f"sed -i '1i AllowGroups bob ops' {SSHD}", "AllowGroups option excludes alice, carol"),
    Slip(
        "AllowGroups with a blank",
        f"""sed -i '1i AllowGroups "no cognito" ops' {SSHD}""",
        "AllowGroups option excludes alice, carol",
        is_mended=False,
    ),
    Slip("AllowGroups with them", f"sed -i '1i AllowGroups cogn?to bob' {SSHD}"),
    Slip(
        "DenyGroups", f"sed -i '1i DenyGroups cog*' {SSHD}", "DenyGroups option excludes alice, carol", is_mended=False
    ),
    Slip(
        "DenyUsers", f"sed -i '1i DenyUsers mallory carol' {SSHD}", "DenyUsers option excludes carol", is_mended=False
    ),
    Slip("AllowUsers", f"sed -i '1i AllowUsers alice bob' {SSHD}", "AllowUsers option excludes carol"),
    Slip("AllowUsers from here", f"sed -i '1i AllowUsers alice carol@127.0.0.* bob' {SSHD}"),
    Slip("DenyUsers from elsewhere", f"sed -i '1i DenyUsers carol@192.0.2.*' {SSHD}"),
    Slip(
        "AuthenticationMethods without ours",
        f"sed -i '1i AuthenticationMethods publickey' {SSHD}",
        "sshd does not ask for a password",
        is_mended=False,
    ),
    Slip(
        "pam_faillock as usual",
        f"{FAILLOCK}printf 'deny = 5\\nunlock_time=never\\naudit\\n' >/etc/security/faillock.conf",
    ),
    Slip(
        "a module is missing",
        "sed -i '1i auth required pam_nosuch.so' /etc/pam.d/sshd",
        "sshd: pam_nosuch.so (/etc/pam.d/sshd, line 1) is not installed",
        is_mended=False,
    ),
    Slip(
        "a module for the session is missing",
        "sed -i '$a session required pam_nosuch.so' /etc/pam.d/sshd",
        "sshd: pam_nosuch.so (/etc/pam.d/sshd",
        is_mended=False,
    ),
    Slip("a module is missing that nobody needs", "sed -i '$a -session optional pam_nosuch.so' /etc/pam.d/sshd"),
    Slip(
        "a service of the vendor's",
        "mkdir -p /usr/lib/pam.d; mv /etc/pam.d/sshd /usr/lib/pam.d/sshd",
        undo="rm /usr/lib/pam.d/sshd",
    ),
    Slip(
        "a slip in a service of the vendor's",
        "mkdir -p /usr/lib/pam.d; mv /etc/pam.d/cognito-auth /usr/lib/pam.d; "
        "sed -i 's/^auth.*requisite.*pam_deny.so/nonsense/' /usr/lib/pam.d/cognito-auth",
        "/usr/lib/pam.d/cognito-auth, line",
        "rm /usr/lib/pam.d/cognito-auth",
    ),
]
STEP = int(os.environ.get("DOCTOR_STEP", "4"))


@contextlib.contextmanager
def broken(agent: AgentProcess, slip: Slip) -> Iterator[None]:
    machine = agent.machine

    def run(command: str) -> None:
        machine.run(["sh", "-c", command.replace("AGENT", str(agent.process.pid))], check=True)

    with machine.preserved(*FILES):
        run(slip.command)
        try:
            yield
        finally:
            run(slip.undo)


def test_as_it_should_be(product: Product, agent: AgentProcess) -> None:
    assert complaints(product.machine) == [] and faults(product.machine) == []


def test_explained(product: Product, agent: AgentProcess) -> None:
    """What keeps one account out, and no more: failures of its own, and pam_faillock's."""
    machine = product.machine
    assert explain(machine, "alice")["findings"] == [] and explain(machine, "bob")["findings"] == []
    product.configure(max_failures="2")
    with machine.preserved(*FILES):
        machine.run(["sh", "-c", FAILLOCK], check=True)
        try:
            for name in ["alice"] * 2 + ["bob"] * 3:
                with PamDriver(machine, "sshd", name, observe=False) as driver:
                    driver.do_not_wait()
                    assert not driver.sign_in(WRONG, WRONG)[-1].succeeded
            for name, words in [
                ("alice", "2 or more sign-ins as alice over the network or at the console have failed."),
                ("bob", "has counted 3 failures for bob"),
            ]:
                (finding, *_) = explain(machine, name)["findings"]
                assert words in finding["what"]
                machine.run(["sh", "-c", finding["mend"]], check=True)
            machine.run(["faillock", "--user", "alice", "--reset"], check=True)
            assert explain(machine, "alice")["findings"] == [] and explain(machine, "bob")["findings"] == []
        finally:
            machine.run(["rm", "-rf", "/run/faillock"], check=True)


@pytest.mark.parametrize("slip", SLIPS[::STEP], ids=str)
def test_slips(product: Product, agent: AgentProcess, slip: Slip, record_property) -> None:
    machine = product.machine
    score = Score("machines")
    with broken(agent, slip):
        found = complaints(machine)
        said = [finding["what"] for finding in found]
        wrong = faults(machine)
        score.note(f"{slip}: {wrong}", bool(wrong) or slip.is_latent, said)
        score.check(record_property)
        if not slip.words:
            assert said == []
            return
        if about := next((name for name in ("alice", "carol") if name in slip.words or "nologin" in slip.words), None):
            explained = explain(machine, about)
            assert any(
                slip.words.replace("alice, carol", about) in finding["what"] for finding in explained["findings"]
            ), explained
            assert explained["exit_status"] in (7, 8) and explained["covered"]
        assert slip.words in said[0], said
        if slip.is_mended:
            for finding in found:
                if slip.words in finding["what"]:
                    follow(machine, finding["mend"])
            assert [entry["what"] for entry in complaints(machine)] == []
            assert faults(machine) == []
    machine.forget_keys()


@dataclass(frozen=True)
class OddPool:
    """A pool or an app client that is none for this configuration."""

    what: str
    #: Of the pool, see `EmulatorClient.pool`, and of the configuration.
    options: dict[str, object]
    settings: dict[str, str]
    #: In the one complaint; nothing where all is well.
    words: str = ""
    #: What does not show in a sign-in of today.
    is_latent: bool = False

    def __str__(self) -> str:
        return self.what


def allowing(*flows: str) -> dict[str, object]:
    return {"auth_flows": [f"ALLOW_{flow}" for flow in (*flows, "REFRESH_TOKEN_AUTH")]}


FLOWS = {"srp": "USER_SRP_AUTH", "password": "USER_PASSWORD_AUTH", "choice": "USER_AUTH"}
CHOICE = {"preferred_challenge": "password_srp"}
POOLS = [
    OddPool("another client", {}, {"client_id": "1example23456789"}, "no app client with the id"),
    OddPool("a secret that is not set", {"generate_secret": True}, {}, "does not match client_secret_file"),
    OddPool("nothing but what is needed", allowing("USER_SRP_AUTH"), {}),
    *(
        OddPool(
            f"{flow} is not allowed",
            allowing(*(other for other in FLOWS.values() if other != name)),
            {"auth_flow": flow, **(CHOICE if flow == "choice" else {})},
            f"need the {name} flow (auth_flow)",
        )
        for flow, name in FLOWS.items()
    ),
    OddPool("choice alone", allowing("USER_AUTH"), {"auth_flow": "choice", **CHOICE}),
    *(
        OddPool(
            f"tokens that cannot be revoked, {sign_out}",
            {"client_parameters": {"EnableTokenRevocation": False}},
            {"sign_out": sign_out},
            "EnableTokenRevocation" if sign_out in ("session", "last") else "",
            is_latent=True,
        )
        for sign_out in ("session", "last", "global", "none")
    ),
    OddPool("a password alone", allowing("USER_PASSWORD_AUTH"), {"auth_flow": "password"}),
]


@pytest.mark.parametrize("pool", POOLS[:: min(STEP, 2)], ids=str)
def test_pools(product: Product, agent: AgentProcess, pool: OddPool, record_property) -> None:
    """What a pool's side lacks for this configuration is seen without signing anybody in."""
    with product.other_pool(pool.options, **pool.settings):
        for name in ("alice", "carol"):
            product.member(name)
        said = [finding["what"] for finding in complaints(product.machine)]
        wrong = faults(product.machine)
        score = Score("pools")
        score.note(f"{pool}: {wrong}", bool(wrong) or (pool.is_latent and bool(pool.words)), said)
        score.check(record_property)
        assert len(said) == bool(pool.words) and all(pool.words in what for what in said), said
    product.machine.forget_keys()


def test_hanging_programs(product: Product, agent: AgentProcess) -> None:
    """What the doctor starts may never end; the doctor does."""
    machine = product.machine
    with machine.preserved("/usr/sbin/sshd"):
        machine.write("/usr/sbin/sshd", "#!/bin/sh\nexec sleep 3600\n", 0o755)
        (finding,) = complaints(machine)
        assert "did not finish" in finding["what"]


@pytest.mark.parametrize(
    ("more", "words"),
    [("", None), ("AllowUsers bob", "AllowUsers option excludes alice, carol"), ("Nonsense yes", "does not accept")],
)
def test_sshd_before_the_first_connection(product: Product, agent: AgentProcess, more: str, words: str | None) -> None:
    """With ssh.socket systemd makes sshd's folder when somebody comes: before that nothing is wrong."""
    machine = product.machine
    with machine.preserved(SSHD):
        machine.write(SSHD, f"{more}\n{SERVER}", 0o600)
        # As where systemd runs, but for what it would say of units: then there is one complaint more.
        machine.run(["sh", "-c", "mv /run/sshd /run/sshd.away; mkdir -p /run/systemd/system"], check=True)
        try:
            said = [finding["what"] for finding in complaints(machine) if "pam-cognito-" not in finding["what"]]
            assert not machine.exists("/run/sshd")
        finally:
            machine.run(["sh", "-c", "mv /run/sshd.away /run/sshd; rm -r /run/systemd"], check=True)
    assert len(said) == (words is not None) and all(words in what for what in said), said
