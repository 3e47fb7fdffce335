"""cognito-agent accounts sync: the store of accounts follows the pool's directory, by a real worker."""

import contextlib
import re
import time
from collections.abc import Iterator, Mapping

import pytest

from .accounts import STORE, Accounts
from .emulated_cognito import DIRECTORY_NAME
from .hosts import Sshd
from .machine import Machine
from .product import AGENT, CONFIGURATION, RIGHT, Product
from .residue import SecretSearch
from .test_journal import IAM, KEYS

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ83bGGjSTLGN1zBXTJsYwXrsTNVBfJmMrk1Rdh1o0Yd"

SETTINGS = {
    "iam_credentials_file": IAM,
    "accounts": "directory",
    "denied_groups": "guests",
    "group_map": "admins:sudo",
    "account_ssh_key_attribute": "custom:sshPublicKey",
}


class Directory:
    """A pool whose people have accounts on the machine."""

    def __init__(self, product: Product, pool: dict):
        self.product, self.machine, self.emulator = product, product.machine, product.emulator
        self.pool = pool["pool_id"]

    def sync(self, *arguments: str):
        return self.machine.run([AGENT, "accounts", "sync", *arguments], timeout=300)

    def add(self, name: str, *groups: str, **options: object) -> None:
        self.emulator.user(self.pool, name, None, groups=["staff", *groups], **options)

    def add_many(self, count: int) -> None:
        """person00000 and so on. The pool has their user ids: of ids computed from random subs, two can be the same."""
        self.product.configure(client_secret_file=None, **SETTINGS, account_uid_claim="custom:uid")
        self.emulator.people(self.pool, count, "staff", attributes={"custom:uid": "{uid}"})

    def remove(self, name: str, group: str = "staff") -> None:
        self.emulator.admin("AdminRemoveUserFromGroup", {"UserPoolId": self.pool, "Username": name, "GroupName": group})

    def records(self) -> Mapping[str, dict[str, list[str]]]:
        """What the store has, by the accounts' names: the values of each field."""
        found: dict[str, dict[str, list[str]]] = {}
        listed = self.machine.run(["find", STORE, "-type", "f", "-name", "[a-z]*", "-exec", "cat", "{}", "+"])
        record: dict[str, list[str]] = {}
        for line in listed.stdout.splitlines():
            name, _, value = line.partition(" ")
            if name == "pam-cognito":
                record = {}
            record.setdefault(name, []).append(value)
            if name == "name":
                found[value] = record
        return found

    def states(self) -> dict[str, str]:
        return {name: record["state"][0] for name, record in sorted(self.records().items())}


@pytest.fixture
def directory(machine: Machine, product: Product, secret_search: SecretSearch) -> Iterator[Directory]:
    product.emulator.iam_identity(**KEYS, actions=["ListUsersInGroup"])
    secret_search.allow(f"*{IAM}")
    text = "[default]\n" + "".join(f"aws_{name} = {value}\n" for name, value in KEYS.items())
    machine.write(IAM, text, mode=0o600)
    # As the package makes it.
    machine.run(["install", "-d", "-m", "0700", "/var/lib/pam-cognito"], check=True)
    with product.other_pool({}, **SETTINGS) as made:
        for group in ("admins", "guests"):
            product.emulator.admin("CreateGroup", {"UserPoolId": made["pool_id"], "GroupName": group})
        yield Directory(product, made)
    machine.run(["rm", "-rf", "/var/lib/pam-cognito"])


@pytest.fixture
def service(machine: Machine, directory: Directory) -> Iterator[Accounts]:
    """Beside its unit, which shows it the store alone, and nothing of the folder above."""
    machine.run(["chmod", "0755", "/var/lib/pam-cognito"], check=True)
    with machine.preserved("/etc/nsswitch.conf"):
        started = Accounts(machine)
        started.start()
        yield started
        started.stop()


def test_people_come_and_go(directory: Directory) -> None:
    """In a group, in another, denied, disabled, deleted: the store follows, and root's word stands above it."""
    directory.machine.add_group("sudo")
    for name in ("ana", "max", "eve", "kim"):
        directory.add(name)
    directory.add("root")
    directory.add("Upper")
    done = directory.sync()
    assert done.returncode == 0 and "groups=3 people=6 entered=4" in done.stdout, done
    assert "no account: 'root' is a name that distributions use" in done.stdout
    assert "no account: 'Upper' is not a valid account name" in done.stdout
    assert directory.states() == dict.fromkeys(("ana", "max", "eve", "kim"), "enabled")
    uids = {name: record["uid"] for name, record in directory.records().items()}
    for name, group in (("ana", "admins"), ("max", "guests")):
        directory.emulator.admin(
            "AdminAddUserToGroup", {"UserPoolId": directory.pool, "Username": name, "GroupName": group}
        )
    directory.remove("eve")
    directory.emulator.admin("AdminDisableUser", {"UserPoolId": directory.pool, "Username": "kim"})
    said = directory.sync("--dry-run").stdout
    assert "would be synchronised" in said and directory.states()["kim"] == "enabled"
    done = directory.sync()
    assert done.returncode == 0 and "changed=1 locked=3" in done.stdout, done
    assert directory.states() == {"ana": "enabled", "max": "locked", "eve": "locked", "kim": "locked"}
    assert directory.records()["ana"]["group"] == ["sudo"]
    directory.emulator.admin("AdminEnableUser", {"UserPoolId": directory.pool, "Username": "kim"})
    assert "account opened again; user='kim'" in directory.sync().stdout
    assert uids == {name: record["uid"] for name, record in directory.records().items()}
    assert {entry.tag for entry in directory.machine.log() if "account locked" in entry.message} == {"cognito-agent"}


def test_ssh_keys(directory: Directory, service: Accounts) -> None:
    """sshd is told the keys of an account while it is open, and of nobody else's, whatever they are called."""
    machine = directory.machine
    directory.add("ana", attributes={"custom:sshPublicKey": f"{KEY} ana@laptop\nno key"})
    directory.add("max")
    done = directory.sync()
    assert done.returncode == 0 and "1 ssh keys of 'ana' were ignored" in done.stdout, done

    def keys(name: str, status: int = 0) -> str:
        done = machine.run([AGENT, "keys", name])
        assert done.returncode == status, done
        return done.stdout

    with machine.preserved("/etc/passwd"):
        service.await_age("ana")
        assert keys("ana") == f"{KEY}\n"
        assert keys("max") == keys("root") == keys("../../etc/shadow") == keys("") == ""
        for word, status in (("none", 0), ("nonsense", 1)):
            with machine.preserved(CONFIGURATION):
                text = machine.read(CONFIGURATION).replace("accounts = directory", f"accounts = {word}")
                machine.write(CONFIGURATION, text)
                assert keys("ana", status) == ""
        # What sshd would open by that name is a local account.
        local = machine.read("/etc/passwd")
        for uid in (4711, directory.records()["ana"]["uid"]):
            machine.append("/etc/passwd", f"ana:x:{uid}:{uid}::/home/ana:/bin/sh\n")
            assert keys("ana") == ""
            machine.write("/etc/passwd", local)
        assert keys("ana") == f"{KEY}\n"
        directory.remove("ana")
        directory.sync()
        service.await_age("ana")
        assert keys("ana") == ""


def test_changed_ssh_keys(directory: Directory, service: Accounts, product: Product, sshd: Sshd) -> None:
    """Their person hears of it, whoever else came in by such a key before."""
    machine = directory.machine
    news = "The ssh keys of your account on this machine have changed (number of keys now: 1)."
    product.member("nina")
    directory.add("otto")
    assert directory.sync().returncode == 0
    service.await_age("nina")
    assert news not in sshd.run("nina", RIGHT, method="keyboard-interactive").errors
    planted = {"Name": "custom:sshPublicKey", "Value": machine.read(f"{sshd.folder}/client_key.pub").strip()}
    changed = {"UserPoolId": directory.pool, "Username": "nina", "UserAttributes": [planted]}
    directory.emulator.admin("AdminUpdateUserAttributes", changed)
    assert "ssh keys changed; user='nina'" in directory.sync().stdout
    service.await_age("nina")
    sshd.authorize("nina")
    for _ in range(2):
        with sshd.open("nina", method="publickey") as thief:
            assert thief.accepted and news in thief.seen
            thief.logout()
    # Twice, since the first one's terminal may not have been looked at; and sync leaves it as it is.
    for _ in range(2):
        assert news in sshd.run("nina", RIGHT, method="keyboard-interactive").errors
        service.await_age("nina")
        assert len(directory.records()["nina"]["keys_told"]) == 1
        assert "changed=0" in directory.sync().stdout
    machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")


def test_from_the_group_to_a_login_and_out(
    directory: Directory, service: Accounts, product: Product, sshd: Sshd
) -> None:
    """Nobody runs useradd: who is put into the group has an account, and who is taken out of it has none any more."""
    machine = directory.machine
    directory.add("otto")
    product.member("nina")
    assert not sshd.run("nina", RIGHT).accepted
    assert directory.sync().returncode == 0
    service.await_age("nina")
    done = sshd.run("nina", RIGHT, command="id -un; id -u; cognito-session whoami")
    assert done.accepted, done.shown
    assert done.output.splitlines()[-3:] == ["nina", directory.records()["nina"]["uid"][0], "nina"]
    product.await_rounds()
    directory.remove("nina")
    assert directory.sync().returncode == 0
    assert directory.states() == {"nina": "locked", "otto": "enabled"}
    assert not sshd.run("nina", RIGHT).accepted
    # Somebody else who gets the name gets neither the account nor what is in it, until root says so.
    directory.emulator.admin("AdminDeleteUser", {"UserPoolId": directory.pool, "Username": "nina"})
    product.member("nina")
    said = directory.sync().stdout
    assert "the account 'nina' belongs to another user" in said
    mark = machine.log_mark()
    assert not sshd.run("nina", RIGHT).accepted
    assert any("reason=other_person: " in entry.message for entry in machine.log(mark))
    machine.run(["cognito-session", "accounts", "--forget", "nina"], check=True)
    assert directory.sync().returncode == 0
    service.await_age("nina")
    after = sshd.run("nina", RIGHT, command="id -u")
    assert after.accepted and after.output != done.output.splitlines(keepends=True)[-2], after
    # The sign-in that led to no session.
    machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")


def test_users_by_hand(directory: Directory, service: Accounts, product: Product, sshd: Sshd) -> None:
    """Somebody with a local account and its password, before and after it is adopted: number, files and groups stay."""
    machine = directory.machine
    with machine.preserved("/etc/passwd", "/etc/group", "/etc/shadow"):
        uid = machine.add_user("nina", password="a password of here", groups=["sudo"])
        machine.add_user("otto")
        product.member("nina")
        machine.write("/home/nina/of-before", "mine\n", owner="nina")
        before = machine.read("/etc/passwd")
        said = machine.run([AGENT, "accounts", "adopt"])
        assert said.returncode == 0 and f"user would be adopted; user='nina' uid={uid}" in said.stdout, said
        assert "Nothing was changed" in said.stdout and machine.read("/etc/passwd") == before
        wrong = machine.run([AGENT, "accounts", "adopt", "--apply", "otto"])
        assert wrong.returncode == 1 and "user='otto': the pool's directory lists no admitted user" in wrong.stdout
        assert machine.run([AGENT, "accounts", "adopt", "--aply"]).returncode == 64
        assert sshd.run("nina", "a password of here").accepted
        done = machine.run([AGENT, "accounts", "adopt", "--apply"])
        assert done.returncode == 0 and "users adopted; people=1 adopted=1 left=0" in done.stdout, done
        assert [line for line in before.splitlines() if not line.startswith("nina:")] == machine.read(
            "/etc/passwd"
        ).splitlines()
        assert directory.sync().returncode == 0
        service.await_age("nina")
        assert not sshd.run("nina", "a password of here").accepted
        after = sshd.run("nina", RIGHT, command="id -u; stat -c %U of-before; cognito-session whoami; id -Gn")
        assert after.accepted and after.output.splitlines()[-4:-1] == [str(uid), "nina", "nina"], after
        assert set(after.output.splitlines()[-1].split()) == {"nina", "sudo"}, after
        machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")


def test_one_person_on_two_machines(
    directory: Directory, product: Product, sshd: Sshd, other_product: Product, other_secret_search: SecretSearch
) -> None:
    """Each asks the directory by itself, at another time; what somebody leaves in a shared folder is theirs on both."""
    machine, other = directory.machine, other_product.machine
    other_secret_search.allow(f"*{IAM}")
    shared = machine.shared / DIRECTORY_NAME / "files"
    shared.mkdir(mode=0o777)
    shared.chmod(0o1777)
    for path, mode in ((CONFIGURATION, 0o644), (IAM, 0o600)):
        other.write(path, machine.read(path), mode)
    for one in (machine, other):
        one.run(["install", "-d", "-m", "0755", "/var/lib/pam-cognito"], check=True)
    services = [Accounts(one) for one in (machine, other)]
    with contextlib.ExitStack() as at_end:
        for service in services:
            service.start()
            at_end.callback(service.stop)
        there = at_end.enter_context(Sshd(other))
        product.member("nora")
        directory.add("kim")
        assert directory.sync().returncode == 0
        product.member("otto")
        assert other.run([AGENT, "accounts", "sync"]).returncode == 0
        assert directory.sync().returncode == 0
        names = ["nora", "kim", "otto"]
        lines = [service.getent("passwd", *names) for service in services]
        assert lines[0] == lines[1] and len({line.split(":")[2] for line in lines[0]}) == 3, lines
        for service in services:
            service.await_age("nora")
        write = f"umask 077; echo of nora >{shared}/hers; id -u"
        done = sshd.run("nora", RIGHT, command=write)
        assert done.accepted, done.shown
        looked = f"stat -c '%U %G %a' {shared}/hers; cat {shared}/hers"
        done = there.run("nora", RIGHT, command=looked)
        assert done.accepted and done.output.splitlines()[-2:] == ["nora nora 600", "of nora"], done
        done = there.run("otto", RIGHT, command=looked)
        assert done.accepted and "of nora" not in done.output and "nora nora 600" in done.output, done
        for one in (product, other_product):
            one.machine.wait_until(lambda one=one: one.reap().returncode == 0 and not one.entries(), "its end")
    other.run(["rm", "-rf", "/var/lib/pam-cognito"], check=True)


def test_subordinate_ids(directory: Directory, service: Accounts, product: Product, sshd: Sshd) -> None:
    """Whoever has a session gets them in the next round of the reaper, once."""
    machine = directory.machine
    with machine.preserved("/etc/subuid", "/etc/subgid", "/etc/login.defs"):
        machine.append(CONFIGURATION, "account_subids = yes\n")
        product.member("sue")
        directory.add("kim")
        assert directory.sync().returncode == 0
        machine.write("/etc/subuid", "bob:100000:65536\n")
        machine.write("/etc/subgid", "")
        service.await_age("sue")
        uid = directory.records()["sue"]["uid"][0]
        with sshd.open("sue", RIGHT) as shell:
            for _ in range(2):
                product.await_rounds()
                assert product.reap().returncode == 0
                assert machine.read("/etc/subuid") == f"bob:100000:65536\n{uid}:165536:65536\n"
                assert machine.read("/etc/subgid") == f"{uid}:100000:65536\n"
            # As tools for containers without root go about it: shadow's set-uid program looks the person up.
            apart = 'until [ "$(readlink /proc/$!/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do :; done'
            mapping = "newuidmap $! 0 $(id -u) 1 1 165536 65536 && cat /proc/$!/uid_map; kill $!"
            done = shell.command(f"unshare --user sleep 600 & {apart}; {mapping}")
            assert ["0", uid, "1", "1", "165536", "65536"] == re.findall(r"\d+", done.output)[-6:], done.output
            shell.logout()
        assert len(machine.log(containing=f"subordinate ids given; user='sue' uid={uid}")) == 2
        machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")


def test_processes_of_who_is_out(directory: Directory) -> None:
    """What has their rights is ended, whatever it does about signals; nobody else's."""
    machine = directory.machine
    directory.add("ana")
    directory.add("max")
    directory.sync()
    uids = {name: record["uid"][0] for name, record in directory.records().items()}
    stubborn = "trap '' HUP TERM; while :; do sleep 1; done"
    running = {
        name: [
            machine.start(["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "sh", "-c", stubborn]),
            machine.start(["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "sleep", "1000"]),
        ]
        for name, uid in uids.items()
    }
    # As in a container of theirs; eve is somebody else.
    machine.append("/etc/subuid", f"{uids['ana']}:300000:65536\neve:400000:65536\n")
    running["ana"].append(machine.start(["setpriv", "--reuid", "300007", "--clear-groups", "sleep", "1000"]))
    running["max"].append(machine.start(["setpriv", "--reuid", "400007", "--clear-groups", "sleep", "1000"]))
    machine.write("/var/lib/systemd/linger/ana", "")
    directory.remove("ana")
    began = time.monotonic()
    done = directory.sync()
    print(f"out after {time.monotonic() - began:.1f} s")
    assert done.returncode == 0 and "processes ended; user='ana'" in done.stdout, done
    assert all(process.ended for process in running["ana"])
    assert not any(process.ended for process in running["max"])
    assert not machine.exists("/var/lib/systemd/linger/ana")


def test_group_left_behind(directory: Directory) -> None:
    """What was started with a group that somebody no longer has ends in whichever round sees it; max has it by root."""
    machine = directory.machine
    machine.add_group("sudo")
    for name in ("ana", "max", "eve", "uma"):
        directory.add(name)
    directory.sync()
    sudo = machine.run(["getent", "group", "sudo"]).stdout.split(":")[2]
    uids = {name: record["uid"][0] for name, record in directory.records().items()}
    # As a user makes it who is in the group for a moment.
    copy = "/var/tmp/set-gid-sleep"
    machine.run(["install", "-o", uids["uma"], "-g", sudo, "-m", "2755", "/usr/bin/sleep", copy], check=True)
    running = {
        name: machine.start(["setpriv", "--reuid", uid, "--regid", uid, "--groups", sudo, "sleep", "1000"])
        for name, uid in uids.items()
        if name not in ("eve", "uma")
    } | {"eve": machine.start(["setpriv", "--reuid", uids["eve"], "--clear-groups", "sleep", "1000"])}
    running |= {
        "uma": machine.start(
            ["setpriv", "--reuid", uids["uma"], "--regid", uids["uma"], "--clear-groups", copy, "1000"]
        )
    }
    effective = machine.proc / str(running["uma"].pid) / "status"
    machine.wait_until(lambda: f"\t{sudo}\t" in effective.read_text().split("Gid:")[1].split("Groups:")[0], "its group")
    with machine.preserved("/etc/group"):
        machine.write("/etc/group", machine.read("/etc/group").replace(f"sudo:x:{sudo}:", f"sudo:x:{sudo}:max"))
        done = directory.sync()
    assert done.returncode == 0 and "processes ended; user='ana' uid=" in done.stdout, done
    assert "removed from a Unix group before this run" in done.stdout and done.stdout.count("processes ended") == 2
    assert [name for name, process in running.items() if process.ended] == ["ana", "uma"]
    machine.remove(copy)
    directory.emulator.admin("DeleteGroup", {"UserPoolId": directory.pool, "GroupName": "admins"})
    directory.add("kim")
    done = directory.sync()
    assert done.returncode == 1 and "the pool does not have the group 'admins'" in done.stdout, done
    assert directory.states()["kim"] == "enabled"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (("html_500", {}), "accounts not synchronised"),
        (("html_500", {"skip": 2}), "accounts not synchronised"),
        (("body", {"text": '{"Users":[]}'}), "changes held back: of {count} users, {count} would lose"),
        (("body", {"text": '{"Users":[],"NextToken":"t"}'}), "does not end"),
        (("body", {"text": '{"Users":[{"Username":"x"}]}'}), "accounts not synchronised"),
        (("garbage", {}), "accounts not synchronised"),
        (("error", {"name": "AccessDeniedException"}), "cognito-idp:ListUsersInGroup"),
        (("error", {"name": "ResourceNotFoundException"}), "The group or the pool does not exist in Cognito"),
    ],
)
def test_hostile_directory(directory: Directory, fault: tuple[str, dict], said: str) -> None:
    """Whatever it answers: nobody loses an account by it."""
    directory.add_many(64)
    assert directory.sync().returncode == 0
    before = directory.states()
    assert set(before.values()) == {"enabled"}
    kind, arguments = fault
    directory.emulator.fault("ListUsersInGroup", kind, **arguments)
    done = directory.sync()
    assert done.returncode == 1 and said.format(count=len(before)) in done.stdout, done
    assert directory.states() == before
    directory.emulator.clear_faults()
    assert directory.sync().returncode == 0


def test_mass_removal(directory: Directory) -> None:
    """Half of the people at once are held back, until somebody says so."""
    directory.add_many(20)
    directory.sync()
    for number in range(10):
        directory.remove(f"person{number:05}")
    done = directory.sync()
    assert done.returncode == 1 and "cognito-agent accounts sync --removals 10" in done.stdout, done
    assert set(directory.states().values()) == {"enabled"}
    assert directory.sync("--removals", "9").returncode == 1
    assert directory.sync("--removals", "10").returncode == 0
    assert list(directory.states().values()).count("locked") == 10


def test_outage_in_the_middle(directory: Directory) -> None:
    """A service that is throttled and goes away is asked again, from where the list was."""
    directory.add_many(150)
    directory.emulator.fault("ListUsersInGroup", "throttle", times=3)
    directory.emulator.fault("ListUsersInGroup", "reset", times=4, skip=4)
    directory.emulator.clear_requests()
    done = directory.sync()
    assert done.returncode == 0 and "people=150" in done.stdout, done
    answered = [r for r in directory.emulator.requests("ListUsersInGroup") if r["status"] == 200 and not r["faults"]]
    # Three pages and an empty one's end of staff, and one of each other group.
    assert len(answered) == 3 + 2
    directory.emulator.down()
    before = directory.states()
    assert directory.sync().returncode == 1 and directory.states() == before


def test_thousands(directory: Directory) -> None:
    """Everybody once, with as many requests as there are pages; a second round writes nothing."""
    directory.add_many(2000)
    directory.emulator.clear_requests()
    done = directory.sync()
    assert done.returncode == 0 and "entered=2000" in done.stdout, done
    # One more of each other group.
    assert len(directory.emulator.requests("ListUsersInGroup")) == 2000 // 60 + 1 + 2
    records = directory.records()
    assert len({record["uid"][0] for record in records.values()}) == len(records) == 2000
    assert "entered=0 changed=0 locked=0" in directory.sync().stdout
