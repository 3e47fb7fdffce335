"""What accounts cost that nobody has made: look-ups, first logins, and to keep them as the directory is."""

import json
import re
import time
from collections.abc import Sequence

from Integration.accounts import STORE, Accounts, Record
from Integration.hosts import Sshd
from Integration.machine import Machine, MachineError
from Integration.product import AGENT, RIGHT, Product

from .figures import Subject

_KEYS = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "of-the-benchmarks-and-nobody-else"}
_FILE = "/etc/security/pam_cognito.iam"
_PEOPLE = 10_000


def _round(product: Product, said: str) -> float:
    """The seconds that a round takes, which has to say that."""
    began = time.monotonic()
    done = product.machine.run([AGENT, "accounts", "sync"], timeout=600)
    taken = time.monotonic() - began
    if done.returncode != 0 or said not in done.stdout:
        raise MachineError(f"accounts sync: {done}")
    return taken


def measure(product: Product, count: int = 1) -> Sequence[Subject]:
    machine, emulator = product.machine, product.emulator
    emulator.iam_identity(**_KEYS, actions=["ListUsersInGroup"])
    lines = "".join(f"aws_{name} = {value}\n" for name, value in _KEYS.items())
    machine.write(_FILE, f"[default]\n{lines}", mode=0o600)
    machine.run(["install", "-d", "-m", "0700", "/var/lib/pam-cognito"], check=True)
    subject = Subject(f"cognito-agent accounts sync, {_PEOPLE} people")
    first, again, out = [], [], []
    for _ in range(count):
        machine.run(["rm", "-rf", "/var/lib/pam-cognito/accounts"])
        with product.other_pool(
            {}, iam_credentials_file=_FILE, accounts="directory", account_uid_claim="custom:uid"
        ) as pool:
            emulator.people(pool["pool_id"], _PEOPLE, "staff", attributes={"custom:uid": "{uid}"})
            emulator.clear_requests()
            first.append(_round(product, f"entered={_PEOPLE}"))
            requests = len(emulator.requests("ListUsersInGroup"))
            again.append(_round(product, "entered=0 changed=0 locked=0"))
            process = machine.start(
                ["setpriv", "--reuid", "70000", "--regid", "70000", "--clear-groups", "sleep", "1000"]
            )
            emulator.admin(
                "AdminRemoveUserFromGroup",
                {"UserPoolId": pool["pool_id"], "Username": "person00000", "GroupName": "staff"},
            )
            out.append(_round(product, "locked=1"))
            if not process.ended:
                raise MachineError("the process of who is out goes on")
    subject.add("the first round, which enters everybody", first, "s")
    subject.add("another one, which finds nothing new", again, "s")
    subject.add("one that locks somebody and ends their process", out, "s")
    subject.note(f"{requests} requests each (ListUsersInGroup), 150 ms apart on purpose: {requests * 0.15:.0f} s.")
    return [subject]


# Milliseconds of each look-up, by what is looked up.
_LOOK_UPS = """
import grp, json, os, pwd, sys, time
def timed(look, key):
    taken = []
    for _ in range(int(sys.argv[1])):
        begun = time.monotonic_ns()
        try:
            look(key)
        except KeyError:
            pass
        taken.append((time.monotonic_ns() - begun) / 1e6)
    return taken
groups = lambda name: os.getgrouplist(name, 1)
print(json.dumps({
    "a name that /etc/passwd has": timed(pwd.getpwnam, "daemon"),
    "a name that the service has": timed(pwd.getpwnam, "p5000"),
    "a user id that the service has": timed(pwd.getpwuid, 85000),
    "a name that nobody has": timed(pwd.getpwnam, "nobody-here"),
    "the groups of somebody whom the service has": timed(groups, "p5000"),
    "the groups of a local account that is in none": timed(groups, "daemon"),
    "the groups of a local account that is in some": timed(groups, "grouped"),
}))
"""


def _make_store(machine: Machine) -> None:
    """As the service sees it where its unit shows it."""
    machine.run(["install", "-d", "-m", "0755", STORE.rpartition("/")[0], STORE], check=True)


def _resident(machine: Machine, service: Accounts, name: str) -> float:
    """Its memory in MB: VmRSS now, or VmHWM at its most."""
    status = (machine.proc / str(service.process.pid) / "status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status).group(1)) / 1024


def measure_look_ups(product: Product, count: int = 400) -> Subject:
    subject = Subject(f"look-ups by nss-systemd, {_PEOPLE} accounts in the store (getpwnam and its like)")
    machine = product.machine
    product.configure(accounts="directory", unix_group=None)
    machine.add_user("grouped", groups=["people"])
    with machine.preserved("/etc/nsswitch.conf"):
        service = Accounts(machine)
        machine.append("/etc/nsswitch.conf", "initgroups: files systemd\n")
        _make_store(machine)
        service.put_many(_PEOPLE, first=80_000)
        service.start()
        done = machine.run(["python3", "-c", _LOOK_UPS, str(count)], check=True, timeout=600)
        for name, values in json.loads(done.stdout).items():
            subject.add(name, values)
        subject.add("memory of the service", [_resident(machine, service, "VmRSS")], "MB")
        listed = service.ask("GetUserRecord", more=True)
        if len(listed) != _PEOPLE:
            raise MachineError(f"{len(listed)} people are listed")
        subject.add("memory at its most, after all were listed to root", [_resident(machine, service, "VmHWM")], "MB")
        service.stop()
    machine.run(["sh", "-c", f"rm -rf {STORE}"], check=True)
    product.configure()
    return subject


def measure_first_login(product: Product, count: int = 7) -> Subject:
    subject = Subject("ssh, from its start to the end of `true`, keyboard-interactive: somebody's first login here")
    machine = product.machine
    product.configure(accounts="directory")
    with machine.preserved("/etc/nsswitch.conf", "/etc/pam.d/common-session"), Sshd(machine) as server:
        service = Accounts(machine)
        machine.append("/etc/nsswitch.conf", "initgroups: files systemd\n")
        machine.append("/etc/pam.d/common-session", "session optional pam_mkhomedir.so\n")
        _make_store(machine)
        service.start()
        times: dict[str, list[float]] = {}
        asked: list[float] = []
        for run in range(count + 1):
            name = f"new-{run}"
            person = product.member(name)
            service.put(Record(name, 70_000 + run, person["sub"], product.pool["pool_id"]))
            service.await_age(name)
            trace = f"/tmp/trace-{run}"
            for what, user in (
                ("who has a line in /etc/passwd, and a home", "alice"),
                ("who has neither: the first time", name),
                ("the second time", name),
            ):
                begun = time.monotonic()
                result = server.run(user, RIGHT, method="keyboard-interactive", wait_for_server=False)
                taken = time.monotonic() - begun
                if not result.accepted:
                    raise MachineError(f"{what}: {result}")
                machine.wait_until(lambda: not server.connection_pids(), "the server's end")
                if run:
                    times.setdefault(what, []).append(taken * 1000)
            # Once more, to count how often the service is asked.
            tracer = machine.start(["strace", "-q", "-e", "trace=accept4", "-o", trace, "-p", str(service.process.pid)])
            machine.wait_until(lambda: "TracerPid:\t0" not in _status(machine, service), "strace")
            server.run(name, RIGHT, method="keyboard-interactive")
            tracer.end()
            asked.append(len(re.findall(r"accept4\(.* = \d+$", machine.read(trace), re.M)))
        for what, values in times.items():
            subject.add(what, values)
        subject.add("times that the service is asked in one login", asked, "")
        service.stop()
    machine.run(["sh", "-c", f"rm -rf {STORE}"], check=True)
    product.configure()
    return subject


def _status(machine: Machine, service: Accounts) -> str:
    return (machine.proc / str(service.process.pid) / "status").read_text()
