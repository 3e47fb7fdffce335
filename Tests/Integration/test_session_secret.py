"""What a session gives, it gives to its own programs: other logins of the same user do not have its secret."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess, refusal
from .hosts import Sshd, SshSession
from .machine import Machine
from .product import RIGHT, Product
from .test_attach import hand_over, status
from .test_aws_credentials import credentials, identity_pool, settings  # noqa: F401
from .worker_process import decode, encode

#: What only a session's own programs get -> what is asked, beside the number of the token key and the secret.
REQUESTS: dict[str, tuple[str, dict[str, object]]] = {
    "credentials": ("credential_request", {"inbox": 1, "credential_name": "default"}),
    "renewal": ("renew_request", {"minimum_life": 10**9, "asked_at": 2**62}),
    "check": ("check_request", {"online": 1}),
    "line about a token": ("hand_out", {"token_kind": 1, "hand_out_use": 3}),
    "handing over": ("give_request", {}),
    "export": ("export_request", {"export_life": 60}),
    "pool's list": ("pool_sessions_request", {}),
    "end of one in the pool's list": ("pool_sessions_request", {"pool_session": "tkn0123abc"}),
    "tokens for a job": ("keep_request", {"inbox": 1}),
}
# All keys that a process sees, and those in the rings that it sees: what keyctl_read(3) and /proc/keys tell.
_NUMBERS = """
for line in $(awk '$8 == "keyring" { print $1 }' /proc/keys); do keyctl rlist 0x$line 2>/dev/null; done | tr ' ' '\\n'
awk '{ print $1 }' /proc/keys | while read number; do printf '%d\\n' 0x$number; done
"""


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product) -> Iterator[Sshd]:
    with Sshd(machine) as server:
        server.authorize("alice")
        yield server


@pytest.fixture
def owner(
    product: Product,
    agent: AgentProcess,
    sshd: Sshd,
    identity_pool: str,  # noqa: F811
) -> Iterator[SshSession]:
    """alice's, signed in; all that a session can be asked for is allowed."""
    product.configure(**settings(product, identity_pool), export_tokens="yes", lock_tokens="yes")
    agent.forget_turns()
    with sshd.open("alice", RIGHT) as opened:
        assert opened.accepted
        yield opened
        opened.logout()
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")
    # Exports that nobody has imported end by themselves.
    for key in product.machine.keys():
        if key.description.startswith("pam-cognito:o:"):
            product.machine.run(["keyctl", "invalidate", str(key.serial)], check=True)


def gets_all(agent: AgentProcess, owner: SshSession) -> None:
    """The session's own programs get what they ask for."""
    agent.forget_turns()
    for command in (
        "cognito-session refresh",
        "cognito-session token > /dev/null",
        "cognito-session status --online --check",
        "cognito-session export --sealed > /dev/null",
        "cognito-session exec --keep -- cognito-session token > /dev/null",
    ):
        done = owner.command(command)
        assert done.status == 0, (command, done.output)
    assert credentials(owner)["AccessKeyId"]
    listed = owner.command("cognito-session sessions --everywhere")
    assert "outside the session" not in listed.output, listed.output


def asked(agent: AgentProcess, shell: SshSession, kind: str, fields: dict[str, object]) -> list[str]:
    """What a program in that shell is refused for."""
    *_, client, packets = agent.client([encode(kind, fields)])
    agent.machine.write("/run/client.py", client)
    done = shell.command(f"python3 -IS /run/client.py {shlex.quote(packets)}")
    return [refusal(decode(bytes.fromhex(line))) for line in re.findall(r"(?m)^[0-9a-f]{4,}", done.output)]


def test_another_login_of_the_same_user(product: Product, agent: AgentProcess, sshd: Sshd, owner: SshSession) -> None:
    """It finds the numbers of all keys, reads neither tokens nor secret, and gets nothing by the numbers alone."""
    machine = product.machine
    gets_all(agent, owner)
    key = status(owner)["key"]
    secret = agent.proof(key)
    assert secret is not None and len(secret) == 16
    (number,) = {found.serial for found in machine.keys(payloads=True) if found.payload == secret}
    with sshd.open("alice", method="publickey") as thief, sshd.open("alice", RIGHT) as another:
        seen = {int(word) for word in thief.command(_NUMBERS).output.split() if word.isdecimal()}
        assert {key, number} <= seen, "the numbers are no secret"
        for wanted in (key, number):
            for attempt in ("pipe", "print", "describe"):
                assert thief.command(f"keyctl {attempt} {wanted}").status != 0
            assert thief.command(f"keyctl link {wanted} @s").status != 0
        ring = status(owner)["keyring"]
        assert thief.command(f"keyctl link {ring} @s").status != 0
        others = agent.proof(status(another)["key"])
        assert others and others != secret

        nearly = secret[:15] + bytes([secret[15] ^ 1])
        wrong = {"none": None, "zeros": bytes(16), "another session's": others, "nearly": nearly}
        operations = product.operations()
        for what, (kind, fields) in REQUESTS.items():
            for whose, proof in wrong.items():
                agent.forget_turns()
                mark = machine.log_mark()
                refused = asked(agent, thief, kind, {"key": key, **fields, "proof": proof})
                assert refused == ([] if kind == "hand_out" else ["not_in_session"]), (what, whose)
                machine.wait_until(lambda mark=mark: machine.log(mark, containing="not_in_session"), "the refusal")
                (line,) = [line.message for line in machine.log(mark, containing="request refused")]
                assert re.fullmatch(
                    rf"request refused; uid={machine.uid('alice')} process=\d+ program='/\S*python3\S*' "
                    r"reason=not_in_session: the client did not present the secret for session \d+ of 'alice'",
                    line,
                ), line
        # A secret that is too short is none.
        short = {"key": key, "minimum_life": 1, "asked_at": 0, "proof": secret[:15]}
        assert asked(agent, thief, "renew_request", short) == ["malformed"]
        assert product.operations() == operations, "Cognito was asked"
        gets_all(agent, owner)
        another.logout()


def test_what_becomes_of_it(product: Product, agent: AgentProcess, sshd: Sshd, owner: SshSession) -> None:
    """It outlives renewals and locking; whoever the tokens are handed over to has it, too; it ends with the session."""
    machine = product.machine
    key = status(owner)["key"]
    secret = agent.proof(key)
    assert owner.command("cognito-session refresh").status == 0
    assert agent.proof(key) == secret
    assert owner.command("cognito-session lock").status == 0
    assert agent.proof(key) == secret
    assert refusal(agent.renew(key)) == "locked"
    assert "ended=0." in owner.terminal.converse("cognito-session unlock; echo ended=$?.", ": ", RIGHT)
    gets_all(agent, owner)
    with sshd.open("alice", method="publickey") as receiver:
        hand_over(owner, receiver)
        assert receiver.command("cognito-session refresh").status == 0
        assert receiver.command("cognito-session token > /dev/null").status == 0
        # It can neither be written nor passed on.
        names = [found for found in machine.keys(payloads=True) if found.payload == secret]
        number = names[0].serial
        for changing in ("setperm {} 0x3f3f0000", "link {} @u", "update {} x", "timeout {} 1"):
            for shell in (owner, receiver):
                assert shell.command(f"keyctl {changing.format(number)}").status != 0, changing
        assert names[0].permissions == "0b3f0000" and names[0].uid == 0
        # Signing out takes away only: the user id is enough.
        assert agent.ask("sign_out_request", key=key, revocation=2).kind == "ending"
        machine.wait_until(
            lambda: not [found for found in machine.keys() if found.serial == number], "the end of the secret"
        )
        assert owner.command(f"keyctl pipe {number}").status != 0
        assert json.loads(receiver.command("cognito-session --json").output)["state"] == "none"


def test_a_session_of_version_0_1_0(product: Product, agent: AgentProcess, owner: SshSession) -> None:
    """It has no secret; its programs show that they read the token key, which others cannot."""
    key = status(owner)["key"]
    number = next(found.serial for found in product.machine.keys(payloads=True) if found.payload == agent.proof(key))
    assert owner.command(f"keyctl invalidate {number}").status == 0
    assert agent.proof(key) is None
    gets_all(agent, owner)
    agent.forget_turns()
    for proof in (None, bytes(16), bytes(256)):
        answer = agent.ask("renew_request", key=key, minimum_life=10**9, asked_at=2**62, proof=proof)
        assert refusal(answer) == "not_in_session"
