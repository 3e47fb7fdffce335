"""Credentials for other systems: what they cost, how soon a sign-out is felt, and tokens that are renewed ahead."""

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Sequence

from Integration.agent_process import AgentProcess
from Integration.machine import MachineError
from Integration.pam_driver import PamDriver
from Integration.product import AGENT, RIGHT, Product

from .figures import Subject
from .tools import Tools

ROLE = "arn:aws:iam::123456789012:role/Builder"
#: How many credentials a session may have at a time: with one more name, each is made anew when its turn comes.
_NAMES = [f"n{number}" for number in range(6)]
#: The same by AWS's own library, with the ID token given to it.
_BOTO3 = """
import sys, boto3
from botocore import UNSIGNED
from botocore.config import Config
token, endpoint, ca, pool, login = sys.argv[1:]
client = boto3.client("cognito-identity", region_name="eu-west-1", endpoint_url=endpoint, verify=ca,
                      config=Config(signature_version=UNSIGNED))
logins = {login: token}
identity = client.get_id(IdentityPoolId=pool, Logins=logins)["IdentityId"]
print(client.get_credentials_for_identity(IdentityId=identity, Logins=logins)["Credentials"]["AccessKeyId"])
"""


@contextlib.contextmanager
def _session(product: Product, **changes: str) -> Iterator[PamDriver]:
    """An open session of alice's on a machine whose agent answers."""
    product.configure(sign_out="session", **changes)
    with AgentProcess(product.machine) as agent, PamDriver(product.machine, "alone", "alice", observe=False) as driver:
        agent.forget_turns()
        driver.sign_in(RIGHT)
        yield driver
        with contextlib.suppress(MachineError):
            driver.sign_out()
    product.configure()


def _timed(driver: PamDriver, command: str) -> float:
    """Milliseconds, of a command that has to succeed."""
    begun = time.monotonic()
    done = driver.job("alice", command)
    taken = (time.monotonic() - begun) * 1000
    if done.returncode != 0:
        raise MachineError(f"{command}: {done}")
    return taken


def measure(tools: Tools, product: Product, count: int = 6) -> Sequence[Subject]:
    emulator = product.emulator
    emulator.role(ROLE, product.pool, longest=7200)
    pool = emulator.identity_pool(product.pool, ROLE)
    named = " ".join(f"{name}={pool}" for name in ["default", *_NAMES])
    settings = {"aws_credentials": named, "aws_endpoint": emulator.endpoint}
    return [
        _making(tools, product, settings, pool, count),
        _ending(product, {**settings, "aws_credentials": f"default={pool} build={ROLE},2h"}, count),
    ]


def _making(tools: Tools, product: Product, settings: dict[str, str], pool: str, count: int) -> Subject:
    emulator = product.emulator
    login = f"cognito-idp.eu-west-1.amazonaws.com/{product.pool['pool_id']}"
    product.machine.write("/tmp/by-boto3.py", _BOTO3, 0o644)
    warm: dict[str, list[float]] = {}
    cold: dict[str, list[float]] = {}
    operations = ["GetId", "GetCredentialsForIdentity"]
    for _ in range(count):
        with _session(product, **settings) as driver:
            emulator.clear_requests()
            cold.setdefault("nothing of it here yet", []).append(
                _timed(driver, "cognito-session aws-credentials | cat")
            )
            if product.operations() != operations:
                raise MachineError(f"cold: {product.operations()}")
            boto3 = f"{sys.executable} /tmp/by-boto3.py $(cognito-session token --id) {emulator.endpoint} {emulator.ca}"
            cold.setdefault("the same by boto3, a program of its own", []).append(
                _timed(driver, f"{boto3} {pool} {login}")
            )
            for name, program in (
                ("warm", ["cognito-session", "aws-credentials"]),
                ("/bin/true", ["/bin/true"]),
            ):
                output = driver.job("alice", " ".join(tools.start_command(program, 20))).stdout
                warm.setdefault(name, []).extend(tools.start_times(output, 0))
            emulator.clear_requests()
            each = "for n in $(seq 50); do cognito-session aws-credentials n0 >/tmp/got.$n & done; wait"
            cold.setdefault("50 at once, to the last one's end", []).append(
                _timed(
                    driver,
                    f"({each}); test $(cat /tmp/got.* | sort -u | wc -l) = 1; status=$?; rm /tmp/got.*; exit $status",
                )
            )
            # Whose the person is at the identity pool may be known from before.
            if product.operations() != operations:
                raise MachineError(f"50 at once: {product.operations()}")
    subject = Subject("cognito-session aws-credentials, from an identity pool")
    for name, values in (warm | cold).items():
        subject.add(name, values)
    subject.note("50 at once: one GetId, one GetCredentialsForIdentity.")
    return subject


#: Run in the session that it signs out of: milliseconds from there to each program's first refusal, and what is left.
_REFUSALS = r"""
import base64, datetime, json, subprocess, sys, time, boto3
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError
endpoint, ca, description, pool, login = sys.argv[1:]

def run(*words, given=""):
    return subprocess.run(words, input=given, capture_output=True, text=True)

def client(name):
    return boto3.client(name, region_name="eu-west-1", endpoint_url=endpoint, verify=ca,
                        config=Config(signature_version=UNSIGNED, retries={"max_attempts": 0}))

def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))

key = run("keyctl", "search", "@s", "user", description).stdout.strip()
bundle = json.loads(run("keyctl", "pipe", key).stdout)
access, identity = bundle["access_token"], bundle["id_token"]
idp, pools = client("cognito-idp"), client("cognito-identity")
aws = {name: json.loads(run("cognito-session", "aws-credentials", name).stdout) for name in ("default", "build")}
helpers = {
    "cognito-session token": lambda: run("cognito-session", "token").returncode,
    "aws-credentials (aws, boto3)": lambda: run("cognito-session", "aws-credentials").returncode,
    "kube-credential (kubectl)": lambda: run("cognito-session", "kube-credential").returncode,
    "git-credential": lambda: not run("cognito-session", "git-credential", "--host", "git.example.com", "get",
                                      given="protocol=https\nhost=git.example.com\n\n").stdout,
    "docker-credential": lambda: run("cognito-session", "docker-credential", "get", given="r.example.com").returncode,
}
def refused(call, **arguments):
    try:
        call(**arguments)
    except ClientError:
        return True
    return False
helpers["the access token, at Cognito (GetUser)"] = lambda: refused(idp.get_user, AccessToken=access)
helpers["the ID token, at an identity pool that checks"] = lambda: refused(
    pools.get_id, IdentityPoolId=pool, Logins={login: identity})
for name, ask in list(helpers.items())[:4] + list(helpers.items())[5:]:
    if ask():
        sys.exit(f"{name} is refused before the sign-out")
begun = time.monotonic()
if run("cognito-session", "sign-out", "--local").returncode:
    sys.exit("not signed out")
taken = {"(the sign-out itself)": (time.monotonic() - begun) * 1000}
left = dict(helpers)
while left:
    for name, ask in list(left.items()):
        if ask():
            taken[name] = (time.monotonic() - begun) * 1000
            del left[name]
    if time.monotonic() > begun + 30:
        taken.update(dict.fromkeys(left, float("inf")))
        break
now = time.time()
lives = {"access token": claims(access)["exp"] - now, "ID token": claims(identity)["exp"] - now}
for name, made in aws.items():
    lives["AWS, " + name] = datetime.datetime.fromisoformat(made["Expiration"].replace("Z", "+00:00")).timestamp() - now
print(json.dumps([taken, lives]))
"""


def _ending(product: Product, settings: dict[str, str], count: int) -> Subject:
    emulator, pool = product.emulator, product.pool["pool_id"]
    checking = emulator.identity_pool(product.pool, ROLE, server_side_token_check=True)
    product.machine.write("/tmp/refusals.py", _REFUSALS, 0o644)
    login = f"cognito-idp.eu-west-1.amazonaws.com/{pool}"
    found: dict[str, list[float]] = {}
    lives: dict[str, float] = {}
    for _ in range(count):
        with _session(product, **settings) as driver:
            done = driver.job(
                "alice",
                f"{sys.executable} /tmp/refusals.py {emulator.endpoint} {emulator.ca} {product.key_description} "
                f"{checking} {login} 2>&1",
            )
            if done.returncode != 0:
                raise MachineError(done.stdout)
            taken, lives = json.loads(done.stdout.splitlines()[-1])
            for name, value in taken.items():
                found.setdefault(name, []).append(value)
    subject = Subject(
        "cognito-session sign-out --local, from its start to the first refusal, each program asking in turn"
    )
    for name, values in found.items():
        subject.add(name, values)
    rest = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in lives.items())
    subject.note(f"What was handed out before lives on where nobody asks Cognito, then for: {rest}.")
    return subject


#: Looks at every token key of the pool, as programs of its session do, until it is told to stop.
_READER = """
import base64, ctypes, json, os, sys, time
description = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(32768)
reads = expired = 0
least = 1e9
while not os.path.exists("/tmp/stop-reading"):
    time.sleep(0.5)
    for line in open("/proc/keys"):
        words = line.split()
        if words[7] == "user" and words[8].rstrip(":") == description:
            # KEYCTL_READ
            size = libc.syscall(250, 11, ctypes.c_int(int(words[0], 16)), buffer, 32768, 0)
            if size <= 0:
                continue
            part = json.loads(buffer.raw[:size])["access_token"].split(".")[1]
            left = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["exp"] - time.time()
            reads += 1
            expired += left <= 0
            least = min(least, left)
open("/tmp/read", "w").write(json.dumps([reads, expired, least]))
"""


def measure_renewals(product: Product, count: int = 6) -> Subject:
    """So many minutes of 200 open sessions, whose tokens live for four."""
    machine, emulator = product.machine, product.emulator
    people = [f"open{number}" for number in range(20)]
    short = {"access_token_seconds": 240, "id_token_seconds": 240}
    subject = Subject(f"200 open sessions with renew_ahead, tokens of four minutes, {count} minutes")
    with (
        machine.preserved("/etc/passwd", "/etc/shadow", "/etc/group"),
        product.other_pool(short, sign_out="session", renew_ahead="yes", check_interval="0"),
        contextlib.ExitStack() as open_sessions,
    ):
        for name in people:
            machine.add_user(name, groups=["cognito"])
            product.member(name)
        reader = machine.start(["python3", "-IS", "-c", _READER, product.key_description])
        for number in range(200):
            driver = open_sessions.enter_context(
                PamDriver(machine, "alone", people[number % len(people)], observe=False)
            )
            driver.sign_in(RIGHT)
        emulator.clear_requests()
        begun = time.monotonic()
        rounds: list[float] = []
        while time.monotonic() < begun + count * 60:
            # As the timer comes by, at its latest.
            time.sleep(75)
            product.await_rounds()
            started = time.monotonic()
            machine.run([AGENT, "reap"], timeout=120)
            rounds.append(time.monotonic() - started)
        renewals = len(emulator.requests("GetTokensFromRefreshToken"))
        others = [operation for operation in product.operations() if operation != "GetTokensFromRefreshToken"]
        lasted = time.monotonic() - begun
        machine.write("/tmp/stop-reading", "")
        if reader.wait() != 0:
            raise MachineError("the reader has failed")
    reads, expired, least = json.loads(machine.read("/tmp/read"))
    machine.remove("/tmp/stop-reading")
    product.reap()
    subject.add("a round", rounds, "s")
    subject.add("renewals", [renewals], "")
    subject.add("least that a reader found left of a token", [least], "s")
    subject.add("tokens that had run out when they were read", [expired], "")
    subject.note(f"{reads} reads in {lasted:.0f} s; other requests: {len(others)}.")
    return subject
