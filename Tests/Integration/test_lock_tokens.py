# ruff: noqa: F811
"""lock_tokens: tokens are out of reach while the screen is locked, and until their person has proved who they are."""

import contextlib
import json
import re
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess, refusal
from .hosts import Sshd, SshSession, allow_sudo, pamtester
from .machine import Closing, Machine
from .product import LOCAL, RIGHT, WRONG, Product
from .test_attach import Command, begin, hand_over, interrupt, status
from .test_aws_credentials import credentials, identity_pool, made, settings  # noqa: F401
from .test_try_session import DEFAULTS, SUDO, allow_reuse

LOCKED, READABLE = "003f0000", "0b3f0000"

# systemd-logind, as far as loginctl shows it: who leads a session, and whether its screen is locked.
_LOGINCTL = """#!/bin/sh
for session; do :; done
for word; do case $word in --property=*) cat "/run/logind/$session/${word#--property=}" || exit 1;; esac; done
"""


class Screen(Closing):
    """What logind says of the session of a process: a stand-in for loginctl(1), and the process's control group."""

    def __init__(self, machine: Machine, leader: int, name: str = "c7"):
        self.machine, self.leader = machine, leader
        self._folder = f"/run/logind/{name}"
        machine.run(["mkdir", "-p", self._folder], check=True)
        machine.write(f"{self._folder}/Leader", f"{leader}\n")
        self.hint(False)
        machine.write(f"{self._folder}/cgroup", f"0::/user.slice/user-5001.slice/session-{name}.scope\n")
        machine.write("/usr/bin/loginctl", _LOGINCTL, 0o755)
        machine.run(["mount", "--bind", f"{self._folder}/cgroup", f"/proc/{leader}/cgroup"], check=True)

    def hint(self, locked: bool) -> None:
        """What any process of the person's can have logind say."""
        self.machine.write(f"{self._folder}/LockedHint", "yes\n" if locked else "no\n")

    def close(self) -> None:
        self.machine.run(["umount", f"/proc/{self.leader}/cgroup"])


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product) -> Iterator[Sshd]:
    allow_sudo(machine, "alice", "bob", defaults=DEFAULTS)
    allow_reuse(machine, "sudo")
    with Sshd(machine) as server:
        server.authorize("alice")
        yield server


@pytest.fixture
def session(product: Product, agent: AgentProcess, sshd: Sshd) -> Iterator[SshSession]:
    agent.forget_turns()
    product.configure(sign_out="session", lock_tokens="yes")
    with sshd.open("alice", RIGHT) as opened:
        assert opened.accepted
        yield opened
        with contextlib.suppress(Exception):
            opened.logout()
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")


@pytest.fixture
def screen(product: Product, session: SshSession) -> Iterator[Screen]:
    with Screen(product.machine, session.monitor_pid) as shown:
        yield shown


def locked(product: Product) -> bool:
    """What the key itself says; both are the only ones that it may say."""
    keys = {key.permissions for key in product.token_keys()}
    assert keys in ({LOCKED}, {READABLE}), keys
    return keys == {LOCKED}


def unlock(product: Product, password: str = RIGHT) -> bool:
    """At a screen lock, which runs as the person."""
    done = pamtester(product.machine, "screen-lock", "alice", ["authenticate", "acct_mgmt"], password, caller="alice")
    return done.succeeded


def test_with_the_screen(product: Product, agent: AgentProcess, session: SshSession, screen: Screen) -> None:
    """Out of reach in the next round, for all that runs in the session; back by the password, not by logind's word."""
    machine = product.machine
    mark = machine.log_mark()
    product.reap()
    assert not locked(product)
    tokens = product.tokens(session.command(product.read_tokens).output)
    key = status(session)["key"]

    screen.hint(True)
    product.reap()
    assert locked(product)
    (line,) = machine.lines(mark, containing="tokens locked; user='alice'")
    assert line.endswith("by=screen")
    for reading in (product.read_tokens, f"keyctl pipe {key}", f"keyctl read {key}"):
        done = session.command(reading)
        assert done.status != 0 and tokens.access not in done.output, reading
    for changing in (f"keyctl setperm {key} 0x3f3f0000", f"keyctl link {key} @s", f"keyctl update {key} x"):
        assert "denied" in session.command(changing).output.lower(), changing
    seen = status(session)
    assert (seen["state"], seen["reason"], seen["exit_status"]) == ("none", "locked", 10)
    assert "cognito-session unlock" in " ".join(session.command("cognito-session").output.split())
    for command, expected in {
        "token > /dev/null": 10,
        "--check": 10,
        "refresh": 10,
        "claims": 10,
        "whoami": 10,
        "exec -- true": 125,
        "exec --keep -- true": 125,
        "aws-credentials > /dev/null": 10,
        "attach --give": 10,
        "prompt": 10,
    }.items():
        done = session.command(f"cognito-session {command}")
        assert done.status == expected and "ey" not in done.output.split(), command

    # Whoever asks the agent by themselves, knows the key's number and the session's secret.
    for kind, fields in {
        "renew_request": {"minimum_life": 10**9, "asked_at": 2**62},
        "credential_request": {"inbox": 1, "credential_name": "default"},
        "give_request": {},
        "keep_request": {"inbox": 1},
        "pool_sessions_request": {},
    }.items():
        assert refusal(agent.ask(kind, key=key, **fields)) == "locked", kind
    assert len(machine.lines(mark, containing="reason=tokens_locked")) >= 5

    # Any process of the person's can have logind say so.
    screen.hint(False)
    product.reap()
    assert locked(product)
    assert refusal(agent.renew(key)) == "locked"
    assert not unlock(product, WRONG) and not unlock(product, LOCAL)
    assert locked(product)

    assert unlock(product)
    assert not locked(product)
    machine.wait_until(lambda: not agent.servers(), "the end of the request")
    assert len(machine.lines(mark, containing="tokens unlocked; user='alice'")) == 1
    assert product.tokens(session.command(product.read_tokens).output).access != tokens.access
    assert status(session)["state"] == "valid"
    assert session.command("cognito-session refresh").status == 0


@pytest.mark.parametrize("request_", ["renew", "credentials", "give"])
def test_when_somebody_asks(
    product: Product, agent: AgentProcess, session: SshSession, screen: Screen, request_: str
) -> None:
    """Nobody waits for a round: whoever asks for tokens of a locked session locks them by it, and gets none."""
    screen.hint(True)
    command = {"renew": "refresh", "credentials": "aws-credentials | cat", "give": "attach --give"}[request_]
    if request_ == "give":
        Command(session, f"cognito-session {command}").ends(10, "tokens are locked")
    else:
        assert "tokens are locked" in " ".join(session.command(f"cognito-session {command}").output.split())
    assert locked(product)


def test_locked_while_a_code_is_asked_for(
    product: Product, agent: AgentProcess, sshd: Sshd, session: SshSession
) -> None:
    """Who comes to the screen meanwhile, and sees both sessions, gives nothing away."""
    key = status(session)["key"]
    with sshd.open("alice", method="publickey") as receiver:
        _, giving, _, code = begin(session, receiver)
        assert agent.ask("lock_request", "alice", key=key).kind == "complete"
        giving.type(code)
        giving.ends(10, "tokens are locked")
        interrupt(receiver)
        assert "cognito-attached" not in receiver.command("keyctl show @s").output


def test_a_screen_that_opens_slowly(product: Product, agent: AgentProcess, session: SshSession, screen: Screen) -> None:
    """Between the proof and the lock's word to logind nothing is locked; what stays locked after that is."""
    screen.hint(True)
    product.reap()
    assert locked(product) and unlock(product)
    product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
    product.reap()
    assert not locked(product)
    assert session.command("cognito-session refresh").status == 0
    # 15 seconds by the machine's clock.
    product.machine.wait_until(lambda: product.reap() and locked(product), "the end of the grace")


def test_locked_before_it_was_seen(product: Product, agent: AgentProcess, session: SshSession, screen: Screen) -> None:
    """A screen that was locked and opened between two rounds: the proof counts, whatever logind still says."""
    screen.hint(True)
    assert unlock(product)
    product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
    assert session.command("cognito-session refresh").status == 0
    assert not locked(product)


@pytest.mark.parametrize("setting", ["no", None])
def test_not_wanted(product: Product, session: SshSession, screen: Screen, setting: str | None) -> None:
    product.configure(sign_out="session", lock_tokens=setting)
    screen.hint(True)
    product.reap()
    assert session.command("cognito-session refresh").status == 0 and not locked(product)
    done = session.command("cognito-session lock")
    assert done.status == 3 and "has not set lock_tokens" in " ".join(done.output.split())
    assert not locked(product)


def test_by_hand(product: Product, agent: AgentProcess, session: SshSession) -> None:
    """lock is at once and needs no screen; unlock asks for the password on the terminal."""
    mark = product.machine.log_mark()
    for _ in range(2):
        done = session.command("cognito-session lock")
        assert done.status == 0 and "no program in this session can read them" in " ".join(done.output.split())
        assert locked(product)
    assert json.loads(session.command("cognito-session lock --json").output)["exit_status"] == 0
    for other in ("sign-in", "attach", "import </dev/null"):
        done = session.command(f"cognito-session {other}")
        assert done.status == 10 and "tokens are locked" in " ".join(done.output.split()), other
    (line,) = product.machine.lines(mark, containing="tokens locked;")
    assert line.endswith(" by=person")
    for password, ends in ((WRONG, 3), (RIGHT, 0)):
        command = Command(session, "cognito-session unlock")
        command.terminal.answer("Password: ", password)
        assert command.ended()[0] == ends
        assert locked(product) == (ends != 0)
    assert status(session)["state"] == "valid"
    done = product.machine.run(["cognito-session", "unlock"], user="alice")
    assert done.returncode == 64 and "needs a terminal" in done.stderr


def test_nobody_elses(product: Product, agent: AgentProcess, session: SshSession) -> None:
    """Somebody else's proof opens nothing, and nobody locks what is not theirs."""
    key = status(session)["key"]
    for person in ("bob", "carol"):
        assert refusal(agent.ask("lock_request", person, key=key)) == "no_session"
    assert session.command("cognito-session lock").status == 0
    with product.machine.spawn_pty(["cognito-session", "unlock"], user="carol") as terminal:
        terminal.answer("Password: ", RIGHT)
        assert terminal.wait() == 0
    assert locked(product)
    assert refusal(agent.ask("unlock_request", "carol", user_name="alice")) == "not_permitted"
    assert locked(product)


@pytest.mark.parametrize("way", ["logout", "sign-out --local", "sign-out --global --yes", "killed"])
def test_ends_while_locked(product: Product, agent: AgentProcess, session: SshSession, way: str) -> None:
    tokens = product.tokens(session.command(product.read_tokens).output)
    assert session.command("cognito-session lock").status == 0
    if way == "logout":
        session.logout()
    elif way == "killed":
        product.machine.kill(session.monitor_pid)
        session.wait_for_server()
        product.reap("--now")
    else:
        assert session.command(f"cognito-session {way}").status == 0
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")
    product.machine.wait_until(lambda: not product.alive(tokens)["refresh"], "revocation")
    assert not product.token_keys()


def test_asks_how_far_while_locked(product: Product, agent: AgentProcess, session: SshSession) -> None:
    """Nobody is signed out everywhere who has not said so."""
    assert session.command("cognito-session lock").status == 0
    piped = session.command("cognito-session sign-out </dev/null")
    assert piped.status == 64 and "--local" in piped.output, piped
    for options, prompt in (("", r"Choice \[4\]: "), ("--global", r"\[y/N\]: ")):
        command = Command(session, f"cognito-session sign-out {options}")
        command.terminal.answer(prompt, "")
        assert command.ended()[0] == 6
    assert locked(product) and len(product.entries()) == 1


@pytest.mark.parametrize("keyring", ["session", "user"])
def test_signed_out_without_the_agent(product: Product, agent: AgentProcess, sshd: Sshd, keyring: str) -> None:
    """What is locked cannot be destroyed without root, but taken out: it does not come back with the unlock."""
    product.configure(sign_out="session", lock_tokens="yes", keyring=keyring)
    with sshd.open("alice", RIGHT) as session:
        tokens = product.tokens(session.command(product.read_tokens).output)
        assert session.command("cognito-session lock").status == 0
        with agent.away():
            done = session.command("cognito-session sign-out --local")
        assert done.status == 0 and "removed from this session" in " ".join(done.output.split())
        assert unlock(product)
        product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
        assert status(session)["state"] == "none"
        assert session.command(product.read_tokens).status != 0
        session.logout()
    product.machine.wait_until(lambda: not product.alive(tokens)["refresh"], "revocation")


def test_renewed_while_locked(product: Product, agent: AgentProcess, sshd: Sshd) -> None:
    """Root's side goes on, and what it puts there is locked as well."""
    short = {"access_token_seconds": 100, "id_token_seconds": 100}
    with product.other_pool(short, sign_out="session", check_interval="0", renew_ahead="yes", lock_tokens="yes"):
        product.member()
        with sshd.open("alice", RIGHT) as session:
            product.await_rounds()
            before = product.tokens(session.command(product.read_tokens).output)
            assert session.command("cognito-session lock").status == 0
            product.emulator.clear_requests()
            product.reap()
            assert product.operations() == ["GetTokensFromRefreshToken"] and locked(product)
            assert session.command(product.read_tokens).status != 0
            (key,) = product.token_keys(payloads=True)
            tokens = product.tokens(key.payload.decode())
            assert tokens.access != before.access and product.alive(tokens)["access"]
            session.logout()
        product.machine.wait_until(lambda: not product.entries(), "an empty registry")


def test_sudo_does_not_go_by_it(product: Product, session: SshSession) -> None:
    assert session.command(SUDO).output.strip() == "root"
    assert session.command("cognito-session lock").status == 0
    assert session.command(SUDO).status != 0


def test_attached_and_shared(product: Product, agent: AgentProcess, sshd: Sshd, session: SshSession) -> None:
    """What other sessions have of the same tokens is locked as well, since it is the same key."""
    product.configure(sign_out="session", lock_tokens="yes", keyring="user")
    with sshd.open("alice", method="publickey") as other:
        hand_over(session, other)
        assert status(other)["state"] == "valid"
        assert session.command("cognito-session lock").status == 0
        assert status(other)["reason"] == "locked"
        assert other.command(product.read_tokens).status != 0
        # They are not its own to end.
        done = other.command("cognito-session sign-out --local")
        assert done.status == 0 and "another of your sessions, which stays signed in" in " ".join(done.output.split())
        assert unlock(product)
        product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
        assert status(other)["state"] == "none" and status(session)["state"] == "valid"
        other.logout()


class Job:
    """A command of `exec --keep` that runs in the session's background, and does what it is told."""

    def __init__(self, session: SshSession):
        self.session = session
        loop = 'while read -r line < ~/job.in; do { sh -c "$line" 2>&1; echo status=$?; } > ~/job.out; done'
        session.command("rm -f ~/job.*; mkfifo ~/job.in ~/job.out")
        started = session.command(f"cognito-session exec --keep -- sh -c '{loop}' & sleep 0")
        assert started.status == 0, started

    def run(self, line: str) -> tuple[int, str]:
        # It has begun when the pipe has a reader.
        done = self.session.command(f"echo '{line}' > ~/job.in; cat ~/job.out")
        text, _, ended = done.output.rpartition("status=")
        return int(ended.split()[0]), text

    def end(self) -> None:
        self.session.command("echo 'kill $PPID' > ~/job.in; rm -f ~/job.*")


@pytest.fixture
def job(session: SshSession) -> Iterator[Job]:
    started = Job(session)
    yield started
    if session.accepted:
        with contextlib.suppress(Exception):
            started.end()


def test_a_job_goes_on(product: Product, agent: AgentProcess, session: SshSession, job: Job) -> None:
    """It reads tokens, has them renewed, and keeps them from the session; its copy is renewed with the rest."""
    machine = product.machine
    read = product.read_tokens
    before = product.tokens(job.run(read)[1])
    assert session.command("cognito-session lock").status == 0
    keys = product.token_keys()
    assert sorted(key.permissions for key in keys) == [LOCKED, READABLE]
    (kept,) = (key for key in keys if key.permissions == READABLE)

    assert product.tokens(job.run(read)[1]).access == before.access
    assert job.run("cognito-session refresh")[0] == 0
    after = product.tokens(job.run(read)[1])
    assert after.access != before.access
    assert job.run("cognito-session --check")[0] == 0
    assert session.command(read).status != 0 and status(session)["reason"] == "locked"

    # The session's own processes know the number of the key and of the job's keyring, and may list what is in there.
    for attempt in (f"keyctl pipe {kept.serial}", f"keyctl link {kept.serial} @s"):
        assert session.command(attempt).status != 0, attempt
    ring = int(re.search(r"(\d+)", job.run("keyctl show @s | sed -n 2p")[1])[1])
    for attempt in (f"keyctl link {ring} @s", f"keyctl search {ring} user {product.key_description}"):
        assert session.command(attempt).status != 0, attempt
    assert session.command(read).status != 0

    # What is renewed ahead reaches both.
    assert unlock(product)
    machine.wait_until(lambda: not agent.servers(), "the end of the request")
    newest = product.tokens(session.command(read).output)
    assert product.tokens(job.run(f"keyctl pipe {kept.serial}")[1]).access == newest.access != after.access

    # Whoever is in the session may go; what they had goes with it.
    session.command("disown -a")
    session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")
    assert kept.serial not in [key.serial for key in machine.keys()]
    machine.wait_until(lambda: not product.alive(newest)["refresh"], "revocation")


def test_a_job_has_aws_credentials(
    product: Product, agent: AgentProcess, session: SshSession, job: Job, identity_pool: str
) -> None:
    """Those that were there are destroyed; the job has others made, of which the session has nothing."""
    product.configure(**settings(product, identity_pool), lock_tokens="yes")
    first = credentials(session)
    secret = agent.proof(status(session)["key"])
    assert session.command("cognito-session lock").status == 0
    assert made(product) == []
    assert session.command("cognito-session aws-credentials > /dev/null").status == 10
    _, text = job.run("cognito-session aws-credentials | cat")
    theirs = json.loads(text)
    assert theirs["AccessKeyId"] != first["AccessKeyId"]
    assert json.loads(job.run("cognito-session aws-credentials | cat")[1]) == theirs
    (serial,) = (key.serial for key in product.machine.keys() if key.description.startswith("cognito-aws:"))
    assert session.command(f"keyctl pipe {serial}").status != 0
    # By the number of the job's copy, without its secret: that of the session is another.
    kept = next(key.serial for key in product.token_keys() if key.permissions == READABLE)
    for proof in (None, bytes(16), secret):
        answer = agent.ask("credential_request", key=kept, inbox=1, credential_name="default", proof=proof)
        assert refusal(answer) == "not_in_session"


def test_a_lock_of_roots(machine: Machine, product: Product, session: SshSession) -> None:
    """Set-uid root, as vlock is: the hook itself unlocks."""
    assert session.command("cognito-session lock").status == 0
    machine.write("/etc/pam.d/vlock", machine.read("/etc/pam.d/screen-lock"))
    done = pamtester(machine, "vlock", "alice", ["authenticate"], WRONG)
    assert not done.succeeded and locked(product)
    done = pamtester(machine, "vlock", "alice", ["authenticate"], RIGHT)
    assert done.succeeded and not locked(product)


@pytest.mark.parametrize(("operation", "opens"), [("setcred(PAM_REINITIALIZE_CRED)", True), ("setcred", False)])
def test_a_greeter_that_lets_back_in(
    machine: Machine, product: Product, session: SshSession, operation: str, opens: bool
) -> None:
    """gdm signs the person in anew for its lock, and refreshes credentials; a new login establishes some."""
    assert session.command("cognito-session lock").status == 0
    machine.write("/etc/pam.d/gdm-password", machine.read("/etc/pam.d/screen-lock"))
    done = pamtester(machine, "gdm-password", "alice", ["authenticate", operation], RIGHT)
    assert done.succeeded, done
    assert locked(product) != opens
    product.reap("--now")


def test_a_process_killed_half_way(product: Product, agent: AgentProcess, session: SshSession, screen: Screen) -> None:
    """The entry is first, and the key follows in the next round."""
    assert session.command("cognito-session lock").status == 0
    key = product.token_keys()[0].serial
    product.machine.run(["keyctl", "setperm", str(key), f"0x{READABLE}"], check=True)
    product.reap()
    assert locked(product)
    assert unlock(product)
    product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
    product.machine.run(["keyctl", "setperm", str(key), f"0x{LOCKED}"], check=True)
    product.reap()
    assert not locked(product)


def test_without_the_refresh_token(product: Product, agent: AgentProcess, sshd: Sshd) -> None:
    """refresh_token = root: neither the proof nor the job's copy has more than the session."""
    product.configure(sign_out="session", lock_tokens="yes", refresh_token="root")
    with sshd.open("alice", RIGHT) as session, sshd.open("alice", method="publickey") as other:
        assert '"refresh_token"' not in session.command(product.read_tokens).output
        hand_over(session, other)
        shown = session.command(f"cognito-session exec --keep -- sh -c '{product.read_tokens}'")
        assert shown.status == 0 and "access_token" in shown.output and '"refresh_token"' not in shown.output
        other.logout()
        session.logout()
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")
