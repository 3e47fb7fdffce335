"""Another source of names beside ours in nsswitch.conf(5), in both orders: whom it knows, nobody of the pool becomes.

libnss-extrausers takes the place of LDAP's, which is asked in the same way.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from . import test_account_sync
from .accounts import STORE, Accounts, Record, user_id
from .hosts import Sshd
from .machine import Machine
from .product import LOCAL, RIGHT, Product
from .test_account_sync import Directory

pool_directory = test_account_sync.directory

ORDERS = ("extrausers systemd", "systemd extrausers")
KINDS = ("name", "uid", "gid", "group")
FILES = "/var/lib/extrausers"
THEIRS = 77_777


class Others:
    """What the other source knows."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.hash = machine.run(["openssl", "passwd", "-6", LOCAL], check=True).stdout.strip()

    def order(self, sources: str) -> None:
        lines = "".join(f"{name}: files {sources}\n" for name in ("passwd", "group", "shadow"))
        self.machine.write("/etc/nsswitch.conf", lines + "hosts: files\n")

    def know(self, kind: str = "nobody", name: str = "", number: int = THEIRS) -> None:
        """Somebody or some group, which have that name or that number."""
        user = {"name": (name, THEIRS, THEIRS + 1), "uid": ("lea", number, THEIRS + 1)}.get(kind)
        group = {"gid": ("leas", number), "group": (name, THEIRS + 2)}.get(kind)
        passwd = f"{user[0]}:x:{user[1]}:{user[2]}:Lea:/tmp:/bin/sh\n" if user else ""
        self.machine.write(f"{FILES}/passwd", passwd)
        self.machine.write(f"{FILES}/shadow", f"{user[0]}:{self.hash}:19000:0:99999:7:::\n" if user else "", 0o600)
        self.machine.write(f"{FILES}/group", f"{group[0]}:x:{group[1]}:\n" if group else "")

    def say_nothing(self) -> None:
        """Without its files it answers that it is not to be had, as LDAP's does without a server."""
        self.machine.run(["rm", "-rf", FILES], check=True)

    def forget_checks(self) -> None:
        """As after ten minutes."""
        self.machine.run(["rm", "-rf", "/run/pam-cognito/names"], check=True)


@dataclass
class Scene:
    machine: Machine
    product: Product
    sshd: Sshd
    others: Others
    accounts: Accounts

    def log(self, mark: object) -> str:
        return "\n".join(self.machine.lines(mark))

    def has_record(self, name: str) -> bool:
        return self.machine.exists(f"{STORE}/{name}")

    def comes_in_as(self, name: str, *answers: str, **options: str) -> int | None:
        """The user id of the session that a login has; nil where there is none."""
        done = self.sshd.run(name, *answers, command="id -u", **options)
        return int(done.output.split()[-1]) if done.accepted else None


@contextlib.contextmanager
def _scene(product: Product, sshd: Sshd) -> Iterator[Scene]:
    machine = product.machine
    # As the package makes it.
    machine.run(["install", "-d", "-m", "0755", "/var/lib/pam-cognito", STORE], check=True)
    with machine.preserved("/etc/nsswitch.conf"):
        accounts = Accounts(machine)
        others = Others(machine)
        others.know()
        others.forget_checks()
        accounts.start()
        try:
            yield Scene(machine, product, sshd, others, accounts)
        finally:
            others.say_nothing()
            accounts.stop()
            machine.run(["rm", "-rf", STORE, "/run/userdb"], check=True)


@pytest.fixture
def scene(product: Product, sshd: Sshd) -> Iterator[Scene]:
    product.configure(accounts="sign-in", account_names="new-*", unix_group=None)
    with _scene(product, sshd) as made:
        yield made


@pytest.fixture
def people(pool_directory: Directory, product: Product, sshd: Sshd) -> Iterator[tuple[Scene, Directory]]:
    with _scene(product, sshd) as made:
        yield made, pool_directory


def _computed(directory: Directory, name: str) -> int:
    said = directory.sync("--dry-run").stdout
    return int(re.search(f"would be entered; user='{name}' uid=([0-9]+)", said)[1])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_directory(people: tuple[Scene, Directory], order: str, kind: str) -> None:
    """Whom the other source knows is that one's alone, before and after a round; others of the pool come in."""
    scene, directory = people
    name = f"new-{kind}"
    for one in (name, "new-free"):
        scene.product.member(one)
    number = _computed(directory, name)
    scene.others.order(order)
    scene.others.know(kind, name, number)
    for _ in range(2):
        assert scene.comes_in_as(name, RIGHT) is None
        if kind == "name":
            # The account is theirs, by each of their ways.
            assert scene.comes_in_as(name, LOCAL) == THEIRS
            scene.sshd.authorize(name)
            assert scene.comes_in_as(name, method="publickey") == THEIRS
            assert scene.machine.run(["su", "-c", "id -u", name]).stdout.strip() == str(THEIRS)
        done = directory.sync()
        assert not scene.has_record(name) and f"no account: '{name}' " not in done.stderr, done
        assert "no account: extrausers " in done.stdout and scene.has_record("new-free"), done
    scene.accounts.await_age("new-free")
    assert scene.comes_in_as("new-free", RIGHT) == int(directory.records()["new-free"]["uid"][0])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_sign_in(scene: Scene, order: str, kind: str) -> None:
    """The same where people get accounts by signing in. There the source has to be asked in front of ours."""
    name, free = f"new-{kind}-{order[0]}", f"new-free-{kind}-{order[0]}"
    for one in (name, free):
        scene.product.member(one)
    scene.others.order(order)
    scene.others.know(kind, name, user_id(name, scene.product.pool["pool_id"]))
    mark = scene.machine.log_mark()
    assert scene.comes_in_as(name, RIGHT) is None and not scene.has_record(name)
    if kind == "name":
        assert scene.comes_in_as(name, LOCAL) == THEIRS
        scene.sshd.authorize(name)
        assert scene.comes_in_as(name, method="publickey") == THEIRS
        assert scene.machine.run(["su", "-c", "id -u", name]).stdout.strip() == str(THEIRS)
    elif order == ORDERS[0]:
        assert ": extrausers " in scene.log(mark)
    if order == ORDERS[0]:
        assert scene.comes_in_as(free, RIGHT) == user_id(free, scene.product.pool["pool_id"])
    else:
        assert scene.comes_in_as(free, RIGHT) is None
        assert "extrausers comes after systemd" in scene.log(mark)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_known_later(scene: Scene, order: str, kind: str) -> None:
    """An account is asked about again after ten minutes: known elsewhere now, it is closed; without an answer, open."""
    name, number = f"new-later-{kind}-{order[0]}", 70_123
    subject = scene.product.member(name)["sub"]
    scene.accounts.put(Record(name, number, subject=subject, pool=scene.product.pool["pool_id"]))
    scene.accounts.await_age(name)
    scene.others.order(order)
    assert scene.comes_in_as(name, RIGHT) == number
    scene.others.know(kind, name, number)
    if kind != "name" or order != ORDERS[0]:
        assert scene.comes_in_as(name, RIGHT) == number, "it was asked less than ten minutes ago"
    scene.others.forget_checks()
    mark = scene.machine.log_mark()
    scene.sshd.authorize(name)
    for method, answers in (("password", [RIGHT]), ("publickey", [])):
        found = scene.comes_in_as(name, *answers, method=method)
        assert found in (None, THEIRS if kind == "name" and method == "publickey" else None), method
    if kind != "name" or order != ORDERS[0]:
        assert ": extrausers " in scene.log(mark)
        assert scene.machine.run(["su", "-c", "true", name]).returncode != 0
    # What was known stays so until there is an answer.
    scene.others.say_nothing()
    assert scene.comes_in_as(name, RIGHT) is None or (order == ORDERS[0] and kind == "name")
    scene.others.forget_checks()
    assert scene.comes_in_as(name, RIGHT) == number
    scene.others.know()
    scene.others.forget_checks()
    assert scene.comes_in_as(name, RIGHT) == number


@pytest.mark.parametrize("mistake", ["", "colour", "local_password"])
def test_a_mistake_opens_nothing(scene: Scene, mistake: str) -> None:
    """An account that the other source has by name and number is refused, whatever the configuration has wrong."""
    name = f"new-both{len(mistake)}"
    subject = scene.product.member(name)["sub"]
    scene.accounts.put(Record(name, THEIRS, subject=subject, pool=scene.product.pool["pool_id"]))
    scene.accounts.await_age(name)
    scene.others.order(ORDERS[0])
    scene.others.know("name", name)
    scene.sshd.authorize(name)
    scene.product.configure(
        accounts="sign-in", account_names="new-*", unix_group=None, **({mistake: "red"} if mistake else {})
    )
    for method, answers in (("password", [RIGHT]), ("password", [LOCAL]), ("publickey", [])):
        mark = scene.machine.log_mark()
        assert scene.comes_in_as(name, *answers, method=method) is None, method
        assert f"reason=known_elsewhere: extrausers (nsswitch.conf) has a user '{name}'" in scene.log(mark), method
    keys = scene.machine.run(["/usr/libexec/pam-cognito/cognito-agent", "keys", name])
    assert keys.returncode == 1 and keys.stdout == ""


def test_no_answer(people: tuple[Scene, Directory]) -> None:
    """Nobody is entered while a source says nothing, and who was before stays."""
    scene, directory = people
    scene.others.order(ORDERS[0])
    directory.add("ana")
    assert directory.sync().returncode == 0
    scene.others.say_nothing()
    directory.add("max")
    done = directory.sync()
    assert directory.states() == {"ana": "enabled"} and "extrausers (nsswitch.conf) does not answer" in done.stdout, (
        done
    )
    # A source that is not installed is one that glibc does not ask either.
    scene.others.order("nosuch systemd")
    assert directory.sync().returncode == 0 and directory.states() == {"ana": "enabled", "max": "enabled"}
    # Locked as somebody else's, an account is not opened again by silence.
    scene.others.order(ORDERS[0])
    scene.others.know("name", "ana")
    assert "account locked; user='ana'" in directory.sync().stdout
    scene.others.say_nothing()
    directory.sync()
    assert directory.states()["ana"] == "locked"
    scene.others.know()
    assert "account opened again; user='ana'" in directory.sync().stdout


def test_a_source_that_hangs(people: tuple[Scene, Directory]) -> None:
    """It is waited for no longer than its time, by nobody's lock, and what asked it is gone."""
    scene, directory = people
    scene.others.order("systemd")
    directory.add("ana")
    assert directory.sync().returncode == 0
    directory.add("kim")
    directory.add("max")
    deaf = scene.machine.start(["python3", "-IS", "-c", _DEAF])
    try:
        scene.machine.wait_until(lambda: scene.machine.exists("/run/systemd/userdb/org.example.Deaf"), "the socket")
        done = directory.sync()
        assert done.stdout.count("systemd (nsswitch.conf) does not answer") == 2 and directory.states() == {
            "ana": "enabled"
        }, done
        assert scene.machine.run(["pgrep", "-f", "cognito-agent names"]).returncode == 1
    finally:
        deaf.end()
        scene.machine.remove("/run/systemd/userdb/org.example.Deaf")
    assert directory.sync().returncode == 0 and len(directory.states()) == 3


def test_systemds_own(scene: Scene) -> None:
    """systemd's source is asked for what else it knows, not for what it has from us."""
    scene.others.order("systemd")
    scene.product.member("new-zoe")
    drop_in = '{"userName":"new-zoe","uid":71234,"gid":71234,"disposition":"regular"}'
    scene.machine.write("/run/userdb/new-zoe.user", drop_in)
    assert scene.comes_in_as("new-zoe", RIGHT) is None and not scene.has_record("new-zoe")
    scene.machine.run(["rm", "-r", "/run/userdb"], check=True)
    assert scene.comes_in_as("new-zoe", RIGHT) is not None and scene.has_record("new-zoe")


_DEAF = f"""
import socket, time
s = socket.socket({int(socket.AF_UNIX)})
s.bind("/run/systemd/userdb/org.example.Deaf")
s.listen(1000)
time.sleep(10000)
"""


def test_subordinate_ids(scene: Scene) -> None:
    """Nobody gets a user id that somebody else's processes may have by subuid(5) or subgid(5)."""
    scene.others.order("systemd")
    for file in ("subuid", "subgid"):
        name = f"new-{file}"
        scene.product.member(name)
        uid = user_id(name, scene.product.pool["pool_id"])
        with scene.machine.preserved(f"/etc/{file}"):
            scene.machine.write(f"/etc/{file}", f"bob:{uid - 10}:20\n")
            assert scene.comes_in_as(name, RIGHT) is None and not scene.has_record(name)
        assert scene.comes_in_as(name, RIGHT) == uid
