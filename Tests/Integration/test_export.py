# ruff: noqa: F811
"""cognito-session export and import: a session's tokens in another one of the same person, by a sealed file."""

import json
import re

import pytest

from . import lost_output
from .agent_process import AgentProcess
from .hosts import Session, Sshd, SshSession
from .lost_output import SINKS
from .machine import Machine
from .product import Product
from .test_attach import WAYS_TO_END, offers, pair, sshd, status  # noqa: F401

HOST_KEY = "/var/lib/systemd/credential.secret"
#: Where alice keeps hers.
FILE = "~/session.sealed"
SEAL = "pam-cognito-export"
NOT_THEIRS = "was not created for your account on this machine"
USED_UP = "has already been imported or has expired"


@pytest.fixture(autouse=True)
def wanted(product: Product, agent: AgentProcess, pair: tuple[SshSession, SshSession]) -> None:
    """It is off where nobody says otherwise."""
    agent.forget_turns()
    product.configure(sign_out="session", export_tokens="yes", lock_tokens="yes")
    yield
    # What nobody has imported ends by itself.
    for key in product.machine.keys():
        if key.description.startswith("pam-cognito:o:"):
            product.machine.run(["keyctl", "invalidate", str(key.serial)], check=True)


def export(session: Session, file: str = FILE, options: str = "--sealed") -> None:
    done = session.command(f"cognito-session export {options} > {file}")
    assert done.status == 0, done


def imported(session: Session, file: str = FILE) -> tuple[int, str]:
    done = session.command(f"cognito-session import < {file}")
    return done.status, " ".join(done.output.split())


def test_one_entry_two_sessions(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """Once, and a second delivery: what is renewed in one is so in both; the file has no token in it."""
    giver, receiver = pair
    mark = product.machine.log_mark()
    export(giver)
    file = giver.command(f"cat {FILE}").output
    assert re.fullmatch(r"[A-Za-z0-9+/=\s]+", file) and len(file) < 4096
    ended, text = imported(receiver)
    assert ended == 0 and "the other session ends" in text
    own, theirs = status(giver), status(receiver)
    assert (own["attached"], theirs["attached"]) == (False, True) and own["key"] == theirs["key"]
    before = product.tokens(giver.command(product.read_tokens).output)
    assert before.access not in file and before.refresh not in file
    assert receiver.command("cognito-session refresh").status == 0
    after = product.tokens(giver.command(product.read_tokens).output)
    assert after.access != before.access
    assert product.tokens(receiver.command(product.read_tokens).output).access == after.access
    assert len(product.entries()) == 1 and offers(product.machine) == 0

    # Nobody else's, not to be changed or passed on.
    assert "denied" in receiver.command(f"keyctl link {theirs['keyring']} @u").output.lower()
    assert receiver.command("cognito-session sign-out --local").status == 0
    assert status(receiver)["state"] == "none" and status(giver)["state"] == "valid"
    assert imported(receiver)[0] == 3 and USED_UP in imported(receiver)[1]
    assert product.alive(after) == product.alive(after) | {"access": True, "refresh": True}
    product.machine.settle()
    lines = [line.message for line in product.machine.log(mark, containing="ported; user='alice'")]
    assert [line.partition(";")[0] for line in lines] == ["tokens exported", "tokens imported"]
    assert re.search(r" process=\d+ program='\S+' expires_at=\d+$", lines[0])
    assert re.search(r" terminal='pts/\d+'$", lines[1])
    assert file.strip()[:40] not in "".join(line.message for line in product.machine.log(mark))


@pytest.mark.parametrize("way", ["logout", "sign-out", "killed host", "drained", "refused by Cognito"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_the_givers_end(product: Product, pair: tuple[SshSession, SshSession], way: str, when: str) -> None:
    """It prolongs nothing: after the end there is nothing to import, and what was imported is gone."""
    giver, receiver = pair
    export(giver)
    if when == "after":
        assert imported(receiver)[0] == 0
    key = status(giver)["key"]
    WAYS_TO_END[way](product, giver)
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")
    if when == "before":
        ended, text = imported(receiver)
        assert ended == 3 and USED_UP in text
    assert receiver.command(product.read_tokens).status != 0 and receiver.command(f"keyctl pipe {key}").status != 0
    assert status(receiver)["state"] == "none"


def test_two_at_once(product: Product, pair: tuple[SshSession, SshSession], sshd: Sshd) -> None:
    """A copy of the file is as good, for one of both."""
    giver, receiver = pair
    export(giver)
    giver.command(f"cp {FILE} ~/copy.sealed")
    with sshd.open("alice", method="publickey") as other:
        together = "for n in 1 2 3 4 5 6; do cognito-session import < ~/copy.sealed > ~/out.$n 2>&1 & done; wait"
        receiver.command(f"({together})")
        results = receiver.command("grep -l 'the other session ends' ~/out.*; rm -f ~/out.*").output.split()
        assert len(results) == 1
        assert imported(other)[0] == 3
        assert status(other)["state"] == "none"
        other.logout()


def spoil(product: Product, session: Session, how: str) -> None:
    machine = product.machine
    match how:
        case "cut off":
            session.command(f"head -c 100 {FILE} > ~/x; mv ~/x {FILE}")
        case "changed":
            session.command(f"tr AB BA < {FILE} > ~/x; mv ~/x {FILE}")
        case "another machine's":
            machine.remove(HOST_KEY)
            machine.run(["systemd-creds", "setup"], check=True)
        case "sealed by somebody else":
            # Root's alone to do: here it stands for another program that has something sealed under our name.
            sealed = machine.run(
                ["systemd-creds", "encrypt", "--with-key=host", f"--name={SEAL}-{machine.uid('alice')}", "-", "-"],
                input="x" * 100,
                check=True,
            ).stdout
            session.command(f"cat > {FILE} <<'end'\n{sealed}\nend")
        case "too late":
            (offer,) = (key.serial for key in machine.keys() if key.description.startswith("pam-cognito:o:"))
            machine.run(["keyctl", "timeout", str(offer), "1"], check=True)
            machine.wait_until(lambda: imported_offer_is_gone(machine, offer), "the end of the export")


def imported_offer_is_gone(machine: Machine, offer: int) -> bool:
    return machine.run(["keyctl", "describe", str(offer)]).returncode != 0


@pytest.mark.leaves_keys("the kernel takes what has ended away after minutes")
@pytest.mark.parametrize("how", ["cut off", "changed", "another machine's", "sealed by somebody else", "too late"])
def test_what_is_of_no_use(product: Product, pair: tuple[SshSession, SshSession], how: str) -> None:
    giver, receiver = pair
    export(giver)
    spoil(product, giver, how)
    ended, text = imported(receiver)
    assert ended == 3 and (USED_UP if how == "too late" else NOT_THEIRS) in text, text
    assert status(receiver)["state"] == "none"


def test_somebody_else(product: Product, pair: tuple[SshSession, SshSession], sshd: Sshd) -> None:
    """The seal holds whose it is; and the file is good for its person after that."""
    giver, receiver = pair
    export(giver, "/tmp/theirs")
    with sshd.open("bob", method="publickey") as other:
        ended, text = imported(other, "/tmp/theirs")
        assert ended == 3 and NOT_THEIRS in text
        other.logout()
    assert imported(receiver, "/tmp/theirs")[0] == 0


@pytest.mark.parametrize(("text", "times"), [("", 1), ("x", 1), ("x", 7168), ("x", 7169), ("{}", 1), ("\\\\0", 10)])
def test_nonsense(pair: tuple[SshSession, SshSession], text: str, times: int) -> None:
    _, receiver = pair
    made = f"printf '{text}%.0s' $(seq {times})"
    done = receiver.command(f"{made} | cognito-session import")
    assert done.status == (3 if text and times <= 7168 else 64), done
    assert status(receiver)["state"] == "none"


def test_not_wanted(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    giver, _ = pair
    for setting in ("no", None):
        product.configure(sign_out="session", export_tokens=setting)
        done = giver.command("cognito-session export --sealed | cat")
        assert "has not set export_tokens" in " ".join(done.output.split())
    assert offers(product.machine) == 0
    done = giver.command("cognito-session export")
    assert done.status == 64 and "Add the --sealed option" in " ".join(done.output.split())


def test_locked(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """Nothing is exported of locked tokens, and nothing imported; the file is not used up by trying."""
    giver, receiver = pair
    export(giver)
    assert giver.command("cognito-session lock").status == 0
    assert giver.command("cognito-session export --sealed > /dev/null").status == 10
    ended, text = imported(receiver)
    assert ended == 10 and "tokens are locked" in text
    assert status(receiver)["state"] == "none" and offers(product.machine) == 1


def test_too_many(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    giver, _ = pair
    for number in range(4):
        export(giver, f"~/{number}", "--sealed --for 10m")
    done = giver.command("cognito-session export --sealed > /dev/null")
    assert done.status == 70 and "too many of your exports" in done.output


@pytest.mark.parametrize("sink", [*SINKS, "disk", "terminal"])
def test_lost_output(machine: Machine, product: Product, pair: tuple[SshSession, SshSession], sink: str) -> None:
    """What could not be written whole is not there at all; a terminal is none of the places for it."""
    giver, _ = pair
    into = lost_output.install(machine)
    if sink == "terminal":
        done = giver.command("cognito-session export --sealed")
        assert done.status == 64 and offers(product.machine) == 0
        assert giver.command("cognito-session export --sealed --force").status == 0
    elif sink == "disk":
        machine.run(
            ["sh", "-c", "mkdir -p /run/small && mount -t tmpfs -o size=4k,mode=777 none /run/small"], check=True
        )
        try:
            machine.run(["sh", "-c", "head -c 4000 /dev/zero > /run/small/rest"], user="alice")
            machine.run(["sh", "-c", "head -c 4096 /dev/zero >> /run/small/rest"], user="alice")
            done = giver.command("cognito-session export --sealed > /run/small/export")
            assert done.status == 74
            assert giver.command("wc -c < /run/small/export").output.strip() == "0"
        finally:
            machine.run(["umount", "/run/small"])
    else:
        done = giver.command(f"{into} {sink} cognito-session export --sealed")
        assert done.status == 74 and SINKS[sink][1] in done.output


def test_root_and_set_uid_programs(product: Product, machine: Machine, pair: tuple[SshSession, SshSession]) -> None:
    giver, _ = pair
    export(giver, "/tmp/sealed")
    helper = "/run/import-as"
    machine.run(["sh", "-c", f"cp /usr/bin/cognito-session {helper}; chown alice {helper}; chmod 4755 {helper}"])
    container = ["unshare", "--pid", "--fork", "setpriv", "--reuid=alice", "--regid=alice", "--clear-groups"]
    for command, user in (
        (["sh", "-c", "cognito-session import < /tmp/sealed"], "root"),
        (["sh", "-c", f"{helper} import < /tmp/sealed"], "bob"),
        ([*container, "sh", "-c", "cognito-session import < /tmp/sealed"], None),
    ):
        done = machine.run(command, user=user)
        assert done.returncode == 3, done
    machine.remove(helper)
    assert offers(machine) == 1


def test_without_systemd_creds(product: Product, machine: Machine, pair: tuple[SshSession, SshSession]) -> None:
    giver, _ = pair
    with machine.preserved("/usr/bin/systemd-creds"):
        machine.remove("/usr/bin/systemd-creds")
        done = giver.command("cognito-session export --sealed > ~/none")
        assert done.status == 70 and "cannot seal exports" in " ".join(done.output.split())
        assert giver.command("wc -c < ~/none").output.strip() == "0"
    assert offers(machine) == 0


def test_as_json(pair: tuple[SshSession, SshSession]) -> None:
    giver, receiver = pair
    export(giver)
    done = receiver.command(f"cognito-session import --json < {FILE}")
    assert json.loads(done.output)["username"] == "alice"
