"""Credentials of AWS: made once for a session, kept with it, gone with it."""

import contextlib
import json
import re
import sys
from collections.abc import Iterator

import pytest

from . import lost_output
from .agent_process import AgentProcess
from .hosts import Sshd, SshSession
from .lost_output import SINKS
from .product import AGENT, RIGHT, Product

ROLE = "arn:aws:iam::123456789012:role/Builder"
PREFIX = "cognito-aws:"
#: What boto3 finds, and whether a service that knows these keys takes its signature.
BOTO3 = """
import json, sys, boto3
session = boto3.Session(profile_name=sys.argv[1])
found = session.get_credentials()
keys = found.get_frozen_credentials()
if len(sys.argv) > 2:
    client = session.client("cognito-idp", region_name="eu-west-1", endpoint_url=sys.argv[2], verify=sys.argv[3])
    client.admin_user_global_sign_out(UserPoolId=sys.argv[4], Username="carol")
print(json.dumps([found.method, keys.access_key, keys.secret_key, keys.token]))
"""


@pytest.fixture(scope="module")
def identity_pool(product: Product) -> str:
    product.emulator.role(ROLE, product.pool, longest=7200)
    return product.emulator.identity_pool(product.pool, ROLE)


def settings(product: Product, identity_pool: str, **more: str) -> dict[str, str]:
    named = {"default": identity_pool, "build": f"{ROLE},2h", "admin": f"{identity_pool},{ROLE}Other", **more}
    text = " ".join(f"{name}={source}" for name, source in named.items())
    return {"sign_out": "session", "aws_credentials": text, "aws_endpoint": product.emulator.endpoint}


@pytest.fixture
def session(product: Product, agent: AgentProcess, sshd: Sshd, identity_pool: str) -> Iterator[SshSession]:
    product.configure(**settings(product, identity_pool))
    agent.forget_turns()
    with signed_in(product, sshd) as opened:
        yield opened


@contextlib.contextmanager
def signed_in(product: Product, sshd: Sshd) -> Iterator[SshSession]:
    with sshd.open("alice", RIGHT) as opened:
        assert opened.accepted
        product.emulator.clear_requests()
        yield opened
        with contextlib.suppress(Exception):
            opened.logout()
    product.reap()
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")


def read(shell: SshSession, command: str) -> str:
    done = shell.command(command)
    assert done.status == 0, done.output
    return done.output


def credentials(shell: SshSession, name: str = "") -> dict:
    printed = read(shell, f"cognito-session aws-credentials {name} | cat")
    return json.loads(printed[printed.index("{") : printed.rindex("}") + 1])


def made(product: Product) -> list[str]:
    """The credentials that are anywhere on the machine, by their names."""
    return sorted({k.description.split(":")[-1] for k in product.machine.keys() if k.description.startswith(PREFIX)})


@pytest.mark.parametrize(
    ("name", "operations"),
    [("default", ["GetId", "GetCredentialsForIdentity"]), ("build", ["AssumeRoleWithWebIdentity"])],
)
def test_boto3(product: Product, session: SshSession, name: str, operations: list[str]) -> None:
    """As docs/howto/aws.md sets it up: boto3 asks, and what it gets signs its requests."""
    machine, mark = product.machine, product.machine.log_mark()
    machine.write("/tmp/by-boto3.py", BOTO3, 0o644)
    line = f"credential_process = cognito-session aws-credentials {name}"
    read(session, f"mkdir -p .aws; printf '[profile p]\\n{line}\\n' >.aws/config")
    boto3 = f"{sys.executable} /tmp/by-boto3.py p"
    printed = read(session, boto3)
    method, access_key, secret_key, token = json.loads(printed[printed.index("[") : printed.rindex("]") + 1])
    assert method == "custom-process"
    assert product.operations() == operations
    asked = product.emulator.requests(operations[-1])[0]
    assert asked["body"].get("RoleSessionName", "alice") == "alice"
    actions = ["AdminUserGlobalSignOut"]
    product.emulator.iam_identity(access_key, secret_key, session_token=token, actions=actions)
    read(session, f"{boto3} {product.emulator.endpoint} {product.emulator.ca} {product.pool['pool_id']}")
    # The second time nobody was asked for credentials.
    assert product.operations() == [*operations, *actions]
    lines = machine.log(mark, containing="credentials made")
    assert len(lines) == 1 and f"name='{name}'" in lines[0].message and "user='alice'" in lines[0].message


def test_aws_cli(product: Product, session: SshSession) -> None:
    """AWS's own command line, by the same line: it keeps nothing of what a process gives it."""
    keys = credentials(session)
    actions = ["AdminUserGlobalSignOut"]
    product.emulator.iam_identity(
        keys["AccessKeyId"], keys["SecretAccessKey"], session_token=keys["SessionToken"], actions=actions
    )
    read(
        session,
        "mkdir -p .aws; printf '[profile p]\\ncredential_process = cognito-session aws-credentials\\n' >.aws/config",
    )
    aws = f"{sys.executable} -m awscli --profile p --region eu-west-1"
    assert "custom-process" in read(session, f"{aws} configure list")
    sign_out = (
        f"{aws} cognito-idp admin-user-global-sign-out --username carol --user-pool-id {product.pool['pool_id']} "
        f"--endpoint-url {product.emulator.endpoint} --ca-bundle {product.emulator.ca}"
    )
    read(session, sign_out)
    assert product.operations() == ["GetId", "GetCredentialsForIdentity", *actions]
    assert session.command("cognito-session sign-out --local").status == 0
    refused = session.command(sign_out)
    assert refused.status != 0 and "There are no Cognito tokens" in " ".join(refused.output.split())
    assert product.operations()[3:] in ([], ["RevokeToken"])
    assert not [name for name in session.command("find .aws -type f").output.split() if name != ".aws/config"]


def test_many_at_once(product: Product, session: SshSession) -> None:
    """One asks, the others wait for what it gets."""
    (told,) = at_once(session, 50)
    assert told.split()[0] == "50", told
    assert product.operations() == ["GetId", "GetCredentialsForIdentity"]


def at_once(shell: SshSession, count: int) -> list[str]:
    """What so many programs are told that ask at the same moment: each answer once, and every error."""
    each = "{ cognito-session aws-credentials 2>err.$n | sha256sum >got.$n; } &"
    read(shell, f"mkdir -p many; cd many; (for n in $(seq {count}); do {each} done; wait) 2>/dev/null")
    told = read(shell, "cat err.*; cat got.* | sort | uniq -c").split("\n")
    read(shell, "cd; rm -r many")
    return [line.strip() for line in told if line.strip()]


def test_many_with_tokens_that_have_run_out(product: Product, session: SshSession, sshd: Sshd) -> None:
    """One renewal, and one question for all of them."""
    ended = int(product.machine.run(["date", "+%s"], check=True).stdout) - 5
    product.emulator.fault("RespondToAuthChallenge", "claims", set={"exp": ended})
    with sshd.open("alice", RIGHT) as other:
        assert other.accepted
        product.emulator.clear_faults()
        product.emulator.clear_requests()
        (told,) = at_once(other, 50)
        assert told.split()[0] == "50", told
        assert product.operations() == ["GetTokensFromRefreshToken", "GetId", "GetCredentialsForIdentity"]
        # Nothing of their turns is left, nor is any other program of the person's waited for.
        assert "inbox" not in read(other, "keyctl show")
        other.logout()


@pytest.mark.parametrize("who", ["a killed one", "nobody's", "no number", "a lock on the home"])
def test_turns_that_nobody_takes(product: Product, session: SshSession, who: str) -> None:
    """What is left of others, or is made to look so, keeps nobody waiting."""
    rings = {
        "a killed one": "cognito-inbox:1:$dead",
        "nobody's": "cognito-inbox:1:1",
        "no number": "cognito-inbox:x:$$",
    }
    read(session, "sh -c 'exit' & dead=$!; wait $dead")
    if who in rings:
        read(session, f"keyctl newring {rings[who]} @s")
    else:
        read(session, "exec 9<~; flock 9")
    done = session.command("timeout 20 cognito-session aws-credentials | wc -c")
    assert done.status == 0 and int(done.output.split()[-1]) > 100, done.output
    read(session, "exec 9<&-")


ENDINGS = {
    "logout": None,
    "sign-out here": "cognito-session sign-out --local",
    "sign-out of the machine": "cognito-session sign-out --machine",
    "sign-out everywhere": "cognito-session sign-out --global --yes",
    "ended by root": [["cognito-session", "sessions", "--end", "alice"]],
    "host killed": "kill",
    "ended elsewhere": "elsewhere",
    "drained": [[AGENT, "drain"]],
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_gone_with_the_session(product: Product, session: SshSession, ending: str) -> None:
    """Under every ending, and before Cognito is asked."""
    credentials(session)
    credentials(session, "build")
    assert made(product) == ["build", "default"]
    how = ENDINGS[ending]
    if how is None:
        session.logout()
    elif how == "kill":
        product.machine.kill(session.monitor_pid)
        session.wait_for_server()
        product.reap()
    elif how == "elsewhere":
        product.sign_out_elsewhere()
        product.reap("--now")
    elif isinstance(how, str):
        said = session.command(how).output
        assert "stay valid: build (" in said or ending == "sign-out of the machine", said
    else:
        for command in how:
            product.machine.run(command, check=True, timeout=60)
    product.machine.wait_until(lambda: not made(product), "the end of the credentials")
    if session.accepted and how not in (None, "kill"):
        refused = session.command("cognito-session aws-credentials 2>&1 >got; wc -c <got")
        assert "There are no Cognito tokens" in refused.output and refused.output.split()[-1] == "0"


def test_refused_after_a_sign_out_elsewhere(product: Product, agent: AgentProcess, sshd: Sshd) -> None:
    """With ServerSideTokenCheck: at once, and then for a while without asking again."""
    checking = product.emulator.identity_pool(product.pool, ROLE, server_side_token_check=True)
    product.configure(**settings(product, checking))
    with signed_in(product, sshd) as shell:
        product.sign_out_elsewhere()
        for _ in range(3):
            done = shell.command("cognito-session aws-credentials >got; echo status=$?; wc -c <got")
            assert "AWS did not issue credentials" in done.output
            assert "status=3" in done.output and done.output.split()[-1] == "0"
        assert product.operations() == ["GetId"]
        # What was given before, and with other tokens, is none of that pool's business.
        assert credentials(shell, "build")["Version"] == 1


#: A fault of AWS's, and what becomes of the command.
FAULTS = {
    "refuses": ("error", {"name": "NotAuthorizedException", "message": "Access denied \x1b[2J"}, 3),
    "throttles": ("throttle", {}, 4),
    "fails": ("html_500", {}, 4),
    "nonsense": ("garbage", {"text": "[[["}, 4),
    "100 kB": ("body", {"text": '{"IdentityId": "' + "x" * 100_000 + '"}'}, 4),
    "hostile": ("body", {"text": '{"IdentityId": "a\\nb\\u0000", "Credentials": {"AccessKeyId": "\\n"}}'}, 4),
    "closes": ("close", {}, 4),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_aws(product: Product, session: SshSession, fault: str) -> None:
    kind, arguments, status = FAULTS[fault]
    for operation, name in (("GetId", "default"), ("AssumeRoleWithWebIdentity", "build")):
        product.emulator.fault(operation, kind, **arguments)
        done = session.command(f"cognito-session aws-credentials {name} >got; echo status=$?; wc -c <got")
        # STS words its refusals otherwise.
        expected = 4 if status == 3 and name == "build" else status
        assert f"status={expected}" in done.output and done.output.split()[-1] == "0", (operation, done.output)
        assert "Error: " in done.output and "\x1b" not in done.output
    product.emulator.clear_faults()
    if status != 3:
        # Nothing of it stands.
        assert credentials(session)["Version"] == credentials(session, "build")["Version"] == 1


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("nobodys", 64, "The requested AWS credentials are not configured"),
        ("admin", 3, "AWS did not issue credentials"),
        ("'a b'", 64, "is not a valid argument for"),
        ("''", 64, "is not a valid argument for"),
    ],
)
def test_what_is_not_given(product: Product, session: SshSession, command: str, status: int, words: str) -> None:
    done = session.command(f"cognito-session aws-credentials {command} >got; echo status=$?; wc -c <got")
    assert words in done.output and f"status={status}" in done.output and done.output.split()[-1] == "0"
    assert made(product) == []


def test_forged_key(product: Product, session: SshSession) -> None:
    """A key of the person's own making is nobody's credentials."""
    forged = f"{PREFIX}4000000000:4000000001:default"
    read(session, f"key=$(keyctl add user {forged} forged @s); keyctl setperm $key 0x0b3f0000")
    assert credentials(session)["AccessKeyId"].startswith("ASIA")
    assert product.operations() == ["GetId", "GetCredentialsForIdentity"]


def test_at_most_four(product: Product, agent: AgentProcess, sshd: Sshd, identity_pool: str) -> None:
    names = [f"n{number}" for number in range(6)]
    product.configure(**settings(product, identity_pool, **dict.fromkeys(names, identity_pool)))
    with signed_in(product, sshd) as shell:
        for name in names:
            credentials(shell, name)
        assert len(made(product)) == 4 and names[-1] in made(product)


def test_for_the_environment(product: Product, session: SshSession) -> None:
    given = credentials(session)
    command = (
        "cognito-session exec --aws -- sh -c 'echo $AWS_ACCESS_KEY_ID:$AWS_SESSION_TOKEN:$AWS_CREDENTIAL_EXPIRATION'"
    )
    shown = read(session, f"{command} | tr -d '\\r'").strip().splitlines()[-1]
    assert shown == f"{given['AccessKeyId']}:{given['SessionToken']}:{given['Expiration']}"
    other = read(session, "cognito-session exec --aws --name build -- sh -c 'echo $AWS_ACCESS_KEY_ID'")
    assert other.split()[-1].startswith("ASIA") and other.split()[-1] != given["AccessKeyId"]
    assert session.command("cognito-session exec --aws --name nobodys -- true").status == 125
    status = json.loads(read(session, "cognito-session --json | cat"))
    assert sorted(entry["name"] for entry in status["aws_credentials"]) == ["build", "default"]
    assert re.search(
        r"AWS +build \(.* left\), default \((59 minutes|1 hour) left\)", read(session, "cognito-session | cat")
    )


def test_output_that_goes_nowhere(product: Product, session: SshSession) -> None:
    into = lost_output.install(product.machine)
    for sink, (_, why) in SINKS.items():
        lost = session.command(f"{into} {sink} cognito-session aws-credentials")
        assert lost.status == 74 and why in lost.output and "ASIA" not in lost.output
    assert session.command("cognito-session aws-credentials").status == 64, "on a terminal"


def test_without_an_agent(agent: AgentProcess, session: SshSession) -> None:
    """What the session has is handed out all the same, and nothing new."""
    given = credentials(session)
    with agent.away():
        assert credentials(session) == given
        done = session.command("cognito-session aws-credentials build >got; echo status=$?; wc -c <got")
        assert "status=5" in done.output and done.output.split()[-1] == "0"
