"""accounts = sign-in: nobody has entered anybody, and whoever Cognito accepts has an account."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from .accounts import SOCKET, STORE, Accounts, user_id
from .agent_process import AgentProcess
from .hosts import Sshd
from .machine import Machine
from .product import LOCAL, RIGHT, WRONG, Product

NAMES = "new-* ?ina@example.com"


@pytest.fixture(scope="module")
def accounts(product: Product) -> Accounts:
    product.configure(accounts="sign-in", account_names=NAMES, unix_group=None)
    machine = product.machine
    machine.run(["install", "-d", "-m", "0755", "/var/lib/pam-cognito"], check=True)
    return Accounts(machine)


@pytest.fixture(autouse=True)
def service(accounts: Accounts) -> Iterator[None]:
    accounts.start()
    yield
    assert not accounts.process.ended
    accounts.stop()


def _records(machine: Machine) -> list[str]:
    return sorted(
        machine.run(["find", STORE, "-mindepth", "1", "-name", "[a-z0-9]*", "-printf", "%f\\n"]).stdout.split()
    )


def test_first_ssh(accounts: Accounts, product: Product, sshd: Sshd) -> None:
    """Known to sshd alone until the sign-in, with the user id that the name has everywhere; then to everybody."""
    machine = accounts.machine
    for name in ("new-ana", "nina@example.com"):
        product.member(name, email="somebody@example.com")
        assert accounts.getent("passwd", name) == [] and machine.run(["id", name]).returncode != 0
        refused = sshd.run(name, WRONG)
        assert not refused.accepted and name not in _records(machine)
        uid = user_id(name, product.pool["pool_id"])
        done = sshd.run(name, RIGHT, command="id -un; id -u; id -g; cognito-session whoami")
        assert done.accepted, done.shown
        assert done.output.splitlines()[-4:] == [name, str(uid), str(uid), name]
        assert accounts.getent("passwd", name) == [f"{name}:x:{uid}:{uid}:{name}:/home/{name}:/bin/bash"]
        assert sshd.run(name, RIGHT, command="id -u").output.splitlines()[-1] == str(uid)
    entered = [entry for entry in machine.log() if "account entered; user='new-ana'" in entry.message]
    assert len(entered) == 1 and entered[0].message.endswith("source=sign-in")


@pytest.mark.parametrize(
    "name", ["other", "new-b,c", "New-ana", "new-..", "sudo", "gina@example.org", "new-" + "x" * 80]
)
def test_names_that_nobody_gets(accounts: Accounts, product: Product, sshd: Sshd, name: str) -> None:
    """A name that does not fit is unknown to sshd, and Cognito is not asked."""
    before = len(product.emulator.requests("InitiateAuth"))
    assert not sshd.run(name, RIGHT).accepted
    assert len(product.emulator.requests("InitiateAuth")) == before and name not in _records(accounts.machine)


def test_who_is_not_told(accounts: Accounts) -> None:
    """Root's other programs, and somebody who calls theirs by the name of one that is told."""
    machine = accounts.machine
    assert machine.run(["su", "-c", "true", "new-zoe"]).returncode != 0
    assert accounts.getent("passwd", "new-zoe") == []
    for caller in (None, "bob"):
        (reply,) = accounts.ask("GetUserRecord", user=caller, userName="new-zoe")
        assert reply["error"] == "io.systemd.UserDatabase.NoRecordFound"
    # A set-uid program under another name is root's by half.
    machine.run(["install", "-m", "4755", "/usr/bin/su", "/tmp/sshd"], check=True)
    assert "does not exist" in machine.run(["/tmp/sshd", "new-zoe"], user="bob").stderr


def test_multiplexer(accounts: Accounts, product: Product, sshd: Sshd) -> None:
    """systemd-userdbd, which asks in root's name for anybody, is told of nobody new, and is in nobody's way."""
    machine = accounts.machine
    product.member("new-pia")
    socket = "/run/systemd/userdb/io.systemd.Multiplexer"
    multiplexer = machine.start(["systemd-socket-activate", "-l", socket, "/lib/systemd/systemd-userdbd"])
    try:
        machine.wait_until(lambda: machine.exists(socket), "the multiplexer's socket")
        ask = ["userdbctl", "--output=json", "--json=short", "user"]
        assert machine.run([*ask, "new-pia"]).stdout == ""
        assert machine.descendants(multiplexer.pid), "userdbctl has asked somebody else"
        assert sshd.run("new-pia", RIGHT).accepted
        assert json.loads(machine.run([*ask, "new-pia"]).stdout)["userName"] == "new-pia"
    finally:
        for process in machine.descendants(multiplexer.pid):
            machine.kill(process.pid)
        multiplexer.end()
        machine.remove(socket)


def test_someone_who_may_not_come_in(accounts: Accounts, product: Product, sshd: Sshd) -> None:
    product.emulator.user(product.pool["pool_id"], "new-eve", RIGHT)
    assert not sshd.run("new-eve", RIGHT).accepted
    assert "new-eve" not in _records(accounts.machine)


def test_many_names(accounts: Accounts, product: Product, sshd: Sshd) -> None:
    """Whoever asks for more names than there may be has those wait who never came in, and nobody else."""
    machine = accounts.machine
    product.member("new-max")
    product.member("new-kim")
    assert sshd.run("new-max", RIGHT).accepted
    before = _records(machine)
    # What asks is sshd by its name, and root's.
    machine.run(["cp", "/usr/bin/python3", "/tmp/sshd-session"], check=True)
    ask = f"""
import json, socket
found = 0
for number in range(10_000):
    client = socket.socket(socket.AF_UNIX)
    client.connect({SOCKET!r})
    call = {{"method": "io.systemd.UserDatabase.GetUserRecord",
             "parameters": {{"userName": f"new-n{{number}}", "service": "org.pam_cognito.Accounts"}}}}
    client.sendall(json.dumps(call).encode() + b"\\0")
    found += b"NoRecordFound" not in client.recv(65536)
print(found)
"""
    assert 0 < int(machine.run(["/tmp/sshd-session", "-c", ask], check=True, timeout=120).stdout) <= 60
    assert _records(machine) == before
    assert not sshd.run("new-kim", RIGHT).accepted
    assert sshd.run("new-max", RIGHT).accepted and sshd.run("bob", LOCAL).accepted
    assert any("new names were looked up within a minute" in entry.message for entry in machine.log())


def test_a_name_that_is_given_again(product: Product, sshd: Sshd, accounts: Accounts) -> None:
    machine = accounts.machine
    product.member("new-leo")
    assert sshd.run("new-leo", RIGHT).accepted
    product.emulator.admin("AdminDeleteUser", {"UserPoolId": product.pool["pool_id"], "Username": "new-leo"})
    product.member("new-leo")
    mark = machine.log_mark()
    assert not sshd.run("new-leo", RIGHT).accepted
    assert any("reason=other_person: " in entry.message for entry in machine.log(mark))

    def forgotten(_: str) -> str:
        machine.run(["cognito-session", "accounts", "--forget", "new-leo"], check=True)
        return RIGHT

    # This connection knows the user id of whoever had the name when it began.
    refused = sshd.run("new-leo", forgotten, command="id -u")
    assert not refused.accepted and not refused.output, refused
    found = int(sshd.run("new-leo", RIGHT, command="id -u").output.splitlines()[-1])
    assert found != user_id("new-leo", product.pool["pool_id"])


def test_a_user_id_that_another_name_took(product: Product, sshd: Sshd, accounts: Accounts) -> None:
    """It goes to the next one once root has given it back, and what began before does not have it."""
    machine = accounts.machine
    product.configure(accounts="sign-in", account_names=NAMES, unix_group=None, account_uids="70000-70000")
    for name in ("new-first", "new-second"):
        product.member(name)
    assert sshd.run("new-first", RIGHT, command="id -u").output.split()[-1] == "70000"
    machine.wait_until(lambda: product.reap("--now").returncode == 0 and not product.entries(), "its end")
    assert not sshd.run("new-second", RIGHT).accepted
    tool = ["cognito-session", "accounts"]
    assert machine.run([*tool, "--release-uid", "new-first"]).returncode != 0
    machine.run([*tool, "--forget", "new-first"], check=True)
    assert not sshd.run("new-second", RIGHT).accepted
    machine.run(["rm", "-rf", "/home/new-first", "/var/mail/new-first"], check=True)
    released = machine.run([*tool, "--release-uid", "new-first"])
    assert released.returncode == 0, released
    accounts.await_age(".released")
    assert sshd.run("new-second", RIGHT, command="id -u").output.split()[-1] == "70000"
    assert not sshd.run("new-first", RIGHT).accepted
    product.await_rounds()


def test_groups_of_the_tokens(product: Product, sshd: Sshd, accounts: Accounts) -> None:
    """From the first session on; and whoever has lost one by the next sign-in keeps nothing that runs with it."""
    product.configure(accounts="sign-in", account_names=NAMES, group_map="crew:adm,nothing-here", unix_group=None)
    machine, pool = accounts.machine, product.pool["pool_id"]
    product.emulator.admin("CreateGroup", {"UserPoolId": pool, "GroupName": "crew"})
    product.member("new-gus")
    moved = {"UserPoolId": pool, "Username": "new-gus", "GroupName": "crew"}
    product.emulator.admin("AdminAddUserToGroup", moved)
    done = sshd.run("new-gus", RIGHT, command="id -Gn; id -u")
    assert done.accepted, done.shown
    names, uid = done.output.splitlines()[-2:]
    assert names == "new-gus adm"
    left = machine.start(["setpriv", "--reuid", uid, "--regid", uid, "--groups", "4", "sleep", "1000"])
    other = machine.start(["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "--", "sleep", "1001"])
    product.await_rounds()
    machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")
    assert not left.ended
    product.emulator.admin("AdminRemoveUserFromGroup", moved)
    mark = machine.log_mark()
    accounts.await_age("new-gus")
    assert sshd.run("new-gus", RIGHT, command="id -Gn").output.splitlines()[-1] == "new-gus"
    assert machine.log(mark, containing="groups changed; user='new-gus'")
    machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")
    # All of theirs goes: what runs may have passed it on.
    assert left.ended and other.ended
    assert machine.log(mark, tag="cognito-agent", containing="processes ended; user='new-gus'")


def test_groups_of_renewed_tokens(product: Product, sshd: Sshd, agent: AgentProcess, accounts: Accounts) -> None:
    """Whoever is taken out of a group while a session of theirs is open is out when its tokens are renewed."""
    short = {"access_token_seconds": 100, "id_token_seconds": 100}
    with product.other_pool(
        short,
        accounts="sign-in",
        account_names=NAMES,
        group_map="crew:adm",
        renew_ahead="yes",
        check_interval="0",
        unix_group=None,
    ) as pool:
        machine = accounts.machine
        product.emulator.admin("CreateGroup", {"UserPoolId": pool["pool_id"], "GroupName": "crew"})
        product.member("new-gia")
        moved = {"UserPoolId": pool["pool_id"], "Username": "new-gia", "GroupName": "crew"}
        with sshd.open("new-gia", RIGHT) as shell:
            assert shell.command("id -Gn").output.split()[-1] == "new-gia"
            product.emulator.admin("AdminAddUserToGroup", moved)
            mark = machine.log_mark()
            assert shell.command("cognito-session refresh").status == 0
            assert machine.log(mark, containing="groups changed; user='new-gia'")[-1].message.endswith(
                "before=- now=adm source=renewal"
            )
            # Nothing is taken away from anybody, and new processes of a new login have it.
            product.await_rounds()
            assert product.reap().returncode == 0
            assert machine.run(["id", "-Gn", "new-gia"]).stdout.split() == ["new-gia", "adm"]
            shell.logout()
        accounts.await_age("new-gia")
        with sshd.open("new-gia", RIGHT) as shell:
            assert "adm" in shell.command("id -Gn").output.split()
            product.emulator.admin("AdminRemoveUserFromGroup", moved)
            product.await_rounds()
            mark = machine.log_mark()
            product.reap()
            assert machine.log(mark, containing="before=adm now=- source=renewal")
            assert machine.log(mark, containing="processes ended; user='new-gia'")
            shell.ended()
        machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")


def test_user_ids_from_a_claim(product: Product, sshd: Sshd, accounts: Accounts) -> None:
    product.configure(accounts="sign-in", account_names=NAMES, account_uid_claim="custom:uid", unix_group=None)
    machine = accounts.machine
    product.member("new-udo")
    # In the same connection sshd would go on with the user id that it took before.
    mark = machine.log_mark()
    for method in ("keyboard-interactive", "password"):
        name = f"new-uma-{method[0]}"
        product.member(name, attributes={"custom:uid": str(70070 + len(method))})
        first = sshd.run(name, RIGHT, RIGHT, method=method, command="id -u", options=["NumberOfPasswordPrompts=2"])
        assert not first.accepted and not first.output, first
        assert sshd.run(name, RIGHT, command="id -u").output.splitlines()[-1] == str(70070 + len(method))
    said = "\n".join(machine.lines(mark))
    assert said.count("reason=new_account: sshd looked up") == said.count("reason=new_account: sshd may") == 2, said
    assert not sshd.run("new-udo", RIGHT).accepted
    assert "new-udo" not in _records(machine)
