"""cognito-session in real session keyrings: what it believes, and how it explains what it does not find."""

import base64
import hashlib
import itertools
import json
import re
import signal
import subprocess
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from . import lost_output
from .answers import answer_of
from .compiled import compiled
from .lost_output import SINKS, UNREAD
from .machine import REPOSITORY, Machine

POOL, CLIENT = "eu-west-1_AbCdEf123", "1example23456789"
DESCRIPTION = f"cognito:{POOL}:{CLIENT}"
SECRET = "c2VjcmV0LXNpZ25hdHVyZQ"


@pytest.fixture(scope="module")
def machine(machine: Machine) -> Machine:
    machine.install()
    machine.add_user("ana")
    return machine


def token(**claims: object) -> str:
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{payload}.{SECRET}"


def bundle(life: int = 3550, **changes: object) -> str:
    now = int(time.time())
    members: dict = {
        "token_type": "Bearer",
        "access_token": token(exp=now + life, **{"cognito:groups": ["linux-users"]}),
        "id_token": token(exp=now + life, email="ana@example.com", name="Ana"),
        "refresh_token": SECRET,
        "expires_at": now + life,
        "refresh_token_expires_at": now + 86400,
        "username": "ana",
        "user_pool_id": POOL,
        "client_id": CLIENT,
        "region": "eu-west-1",
        "signed_in_at": now - 60,
        "renewed_at": now - 60,
        "sign_out": "global",
    }
    return json.dumps(members | changes)


#: A session keyring that belongs to the person, entered by root: how pam_keyinit does it.
JOIN = "/usr/local/libexec/join-keyring"


JQ = """#!/usr/bin/python3 -IS
import json, sys
value = json.load(sys.stdin)
for name in sys.argv[2].split(".")[1:]:
    value = value[name]
print(value)
"""


#: Until the key's time, a second at most, has run out.
EXPIRES = "keyctl timeout $key 1; while keyctl describe $key >/dev/null 2>&1; do sleep 0.05; done"


class InSession:
    """Runs cognito-session as ana in a new session keyring that `prepare`, a root shell's script, has filled."""

    def __init__(self, machine: Machine):
        self.machine = machine
        machine.write(JOIN, compiled("join_keyring", "-static"), 0o755)

    def __call__(
        self, prepare: str, payload: str = "", options: str = "", env: dict[str, str] | None = None, into: str = ""
    ):
        return self.machine.run(self._command(prepare, options, into), input=payload, env=env)

    def _command(self, prepare: str, options: str, into: str) -> list[str]:
        uid = self.machine.uid("ana")
        script = f"""
            ours() {{ key=$(keyctl padd user {DESCRIPTION} "${{1:-@s}}") && keyctl setperm "$key" 0x0b3f0000; }}
            {prepare}
            exec setpriv --reuid {uid} --regid {uid} --clear-groups {into} cognito-session {options}
        """
        return [JOIN, str(uid), script]

    def on_terminal(
        self, prepare: str, options: str, status: int, columns: int = 250, into: str = "", **env: str
    ) -> str:
        """What a terminal has shown when the program has ended; `prepare` finds a payload in /root/bundle."""
        self.machine.write("/root/bundle", bundle(), 0o600)
        command = self._command(prepare, options, into)
        terminal = self.machine.start(command, env={"TERM": "xterm", **env}, terminal=(50, columns))
        assert terminal.wait() == status
        terminal.hang_up()
        return terminal.seen

    def side_by_side(self, prepare: str, payload: str, lines: Iterable[str]) -> list[subprocess.CompletedProcess]:
        """Each with a session keyring of its own. What `prepare` waits for is waited for once."""
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(partial(self, prepare, payload), lines))


@pytest.fixture(scope="module")
def in_session(machine: Machine) -> InSession:
    return InSession(machine)


def test_valid(in_session: InSession) -> None:
    result = in_session("ours", bundle(), env={"LC_ALL": "C"})
    assert result.returncode == 0
    assert result.stdout.startswith("Signed in to Amazon Cognito as ana (Ana, ana@example.com).\n")
    assert re.search(r"Access token   #{10} 59 minutes left", result.stdout)
    assert SECRET not in result.stdout and "\x1b" not in result.stdout


def test_json(in_session: InSession) -> None:
    result = in_session("ours", bundle(), "--json")
    report = json.loads(result.stdout)
    assert (result.returncode, report["state"], report["exit_status"]) == (0, "valid", 0)
    assert report["email"] == "ana@example.com" and report["groups"] == ["linux-users"]
    assert SECRET not in result.stdout


def test_expired_access_token(in_session: InSession) -> None:
    result = in_session("ours", bundle(life=-120), env={"LC_ALL": "C"})
    assert result.returncode == 2
    assert "Access token   .......... expired 2 minutes ago" in result.stdout


def test_another_expired_key_is_not_ours(in_session: InSession) -> None:
    result = in_session(f"key=$(keyctl add user krb5:x y @s); {EXPIRES}")
    assert result.returncode == 1


def test_signed_out(in_session: InSession) -> None:
    result = in_session("ours; keyctl invalidate $key; sleep 0.1", bundle())
    assert result.returncode == 1
    assert "There are no Cognito tokens in this session." in result.stdout


def test_revoked_keyring(in_session: InSession) -> None:
    result = in_session("ours; keyctl revoke @s", bundle(), "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout)["reason"] == "session_ended"


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ({}, "no_sign_in"),
        ({"TMUX": "/tmp/tmux-1/default,1,0"}, "tmux"),
        ({"STY": "1.pts-0.host"}, "screen"),
        ({"SUDO_UID": "1000"}, "sudo"),
    ],
)
def test_why_there_are_none(in_session: InSession, env: dict[str, str], reason: str) -> None:
    result = in_session("", options="--json", env=env)
    assert result.returncode == 1
    assert json.loads(result.stdout)["reason"] == reason


def test_default_keyring(machine: Machine) -> None:
    if machine.inherited_session_keyring() is not None:
        pytest.skip("the tests were started with a session keyring, so none here is without")
    result = machine.run(["cognito-session", "--json"], user="ana")
    assert result.returncode == 1
    assert json.loads(result.stdout)["reason"] == "default_keyring"


@pytest.mark.parametrize("permissions", ["0x3f3f0000", "0x0f3f0000", "0x0b3f0001", "0x0b3f3f00"])
def test_writable_key_is_not_believed(in_session: InSession, permissions: str) -> None:
    result = in_session(f"ours; keyctl setperm $key {permissions}", bundle())
    assert result.returncode == 1
    assert "Ignoring key" in result.stdout and "Signed in" not in result.stdout


def test_key_of_the_person_is_not_believed(in_session: InSession, machine: Machine) -> None:
    uid = machine.uid("ana")
    as_person = f"setpriv --reuid {uid} --regid {uid} --clear-groups keyctl"
    prepare = f"key=$({as_person} padd user {DESCRIPTION} @s); {as_person} setperm $key 0x0b3f0000"
    result = in_session(prepare, bundle())
    assert result.returncode == 1
    assert f"it is owned by uid {uid}" in result.stdout


@pytest.mark.parametrize(
    "payload",
    [
        "x",
        "[]",
        "{}",
        "\0" * 100,
        "[" * 30000,
        bundle(username="ana\x1b[2J"),
        bundle(sign_out="never"),
        bundle(expires_at=1e300),
    ],
)
def test_damaged_bundle(in_session: InSession, payload: str) -> None:
    result = in_session("ours", payload)
    assert result.returncode == 1
    assert "The token key of this session cannot be used." in result.stdout
    assert "\x1b" not in result.stdout and SECRET not in result.stdout


def test_text_of_tokens_cannot_write_to_the_terminal(in_session: InSession) -> None:
    result = in_session("ours", bundle(id_token=token(name="A\x1b]0;title\x07", email="a\u202eb")))
    assert result.returncode == 0
    assert result.stdout.startswith("Signed in to Amazon Cognito as ana (A]0;title, ab).\n")


def test_nested_keyrings(in_session: InSession) -> None:
    nest = "ring=@s; for depth in 1 2 3; do ring=$(keyctl newring nest $ring); done; ours $ring"
    assert in_session(nest, bundle()).returncode == 0
    assert in_session(nest.replace("1 2 3", "1 2 3 4"), bundle()).returncode == 1


def test_many_keys(in_session: InSession) -> None:
    many = "for n in $(seq 150); do keyctl add user k$n v @s; done >/dev/null; ours"
    assert in_session(many, bundle()).returncode == 0


def test_colors_on_a_terminal_only(machine: Machine) -> None:
    def shown(**env: str) -> str:
        terminal = machine.spawn_pty(["cognito-session"], user="ana", env={"TERM": "xterm", **env})
        assert terminal.wait() == 1
        text = terminal.seen
        terminal.hang_up()
        return text

    assert "\x1b[1m" in shown()
    assert "\x1b" not in shown(NO_COLOR="1")
    assert "\x1b" not in shown(TERM="dumb")


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}], ids=["color", "NO_COLOR"])
def test_width_of_the_terminal(in_session: InSession, columns: int, env: dict[str, str]) -> None:
    """What the golden texts say line by line, shown by the program itself."""
    for command in ("status", "claims"):
        seen = in_session.on_terminal("ours </root/bundle", command, 0, columns, **env)
        # The sign that something is being asked goes away again.
        seen = seen.rpartition("\x1b[K")[2]
        assert ("\x1b[" in seen) == (not env)
        lines = re.sub(r"\x1b\[[0-9;]*m", "", seen).splitlines()
        assert len(lines) > 5 and max(map(len, lines)) <= columns, lines


def test_watch(in_session: InSession, machine: Machine) -> None:
    """Draws, says when the session has ended, and ends with it; nothing to watch ends at once."""
    ours = "ours </root/bundle; (sleep 2; keyctl invalidate $key) &"
    for prepare, words in ((ours, "The session has ended"), ("", "There are no Cognito tokens")):
        seen = in_session.on_terminal(prepare, "--watch", 1)
        assert words in seen
        assert ("\x1b]2;cognito-session: ana 5" in seen) == ("\x07The session" in seen) == bool(prepare)
    assert machine.run(["cognito-session", "--watch"], user="ana").returncode == 64


@pytest.mark.parametrize("option", ["", "--notify"])
def test_notification(in_session: InSession, machine: Machine, option: str) -> None:
    """On the desktop where that is wanted, once; nobody waits for it, and what it complains of does not disturb."""
    machine.run(["sh", "-c", "rm -f ~/told ~/go; mkfifo ~/go"], user="ana", check=True)
    notify = "#!/bin/sh\nprintf '<%s>' \"$@\" >>~/told; echo no bus >&2; read line <~/go\n"
    machine.write("/usr/local/bin/notify-send", notify, 0o755)
    ours = "ours </root/bundle; (sleep 1; keyctl invalidate $key) &"
    seen = in_session.on_terminal(ours, f"--watch {option}", 1, into="env HOME=/home/ana")
    text = "The session has ended, and its tokens have been removed. Sign in again."
    assert text in seen and "no bus" not in seen
    if option:
        told = f"<--app-name=cognito-session><cognito-session><{text}>"
        machine.wait_until(lambda: machine.exists("/home/ana/told"), "the notification")
        machine.run(["sh", "-c", "echo >~/go"], user="ana", check=True)
        machine.wait_until(lambda: not [p for p in machine.processes() if p.name == "notify-send"], "its end")
        assert machine.read("/home/ana/told") == told
    assert machine.exists("/home/ana/told") == bool(option)
    machine.remove("/usr/local/bin/notify-send")


def test_wrong_use(machine: Machine) -> None:
    result = machine.run(["cognito-session", "--jsno"], user="ana")
    assert (result.returncode, result.stdout) == (64, "")
    assert result.stderr == (
        "Error: Unknown option '--jsno'. Did you mean '--json'?\n"
        "Usage: cognito-session [COMMAND] [OPTION]...\n"
        "  See 'cognito-session --help' for more information.\n"
    )


def test_token(in_session: InSession) -> None:
    bundled = json.loads(payload := bundle())
    assert in_session("ours", payload, "token").stdout == bundled["access_token"] + "\n"
    assert in_session("ours", payload, "token --id").stdout == bundled["id_token"] + "\n"
    handed_out = json.loads(in_session("ours", payload, "token --json").stdout)
    assert (handed_out["token"], handed_out["type"]) == (bundled["access_token"], "access")
    assert handed_out["expires_at"] == bundled["expires_at"] and 3500 < handed_out["expires_in"] <= 3550


@pytest.mark.parametrize(
    ("life", "options", "status"),
    [(3550, "--min-life 58m", 0), (3550, "--min-life 1h", 5), (30, "", 0), (30, "--min-life 40", 5), (-1, "", 5)],
)
def test_token_without_the_agent(in_session: InSession, life: int, options: str, status: int) -> None:
    result = in_session("ours", bundle(life=life), f"token {options}")
    assert result.returncode == status
    assert (SECRET in result.stdout) == (status == 0) and SECRET not in result.stderr
    assert ("cognito-agent" in result.stderr) == (status != 0)


def test_token_of_no_session(in_session: InSession) -> None:
    result = in_session("", options="token")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: There are no Cognito tokens in this session. ")


def test_token_is_not_for_terminals(machine: Machine) -> None:
    terminal = machine.spawn_pty(["cognito-session", "token"], user="ana")
    assert terminal.wait() == 64
    assert "use --force" in terminal.seen
    terminal.hang_up()


def test_check_says_nothing(in_session: InSession) -> None:
    for payload, status in ((bundle(), 0), (bundle(life=-1), 2), ("{}", 1)):
        result = in_session("ours", payload, "--check")
        assert (result.returncode, result.stdout, result.stderr) == (status, "", "")


#: What stands in the keyring: a root shell's script, and what the payload of the key has.
STATES: dict[str, tuple[str, dict | None]] = {
    "valid": ("ours", {}),
    "ends soon": ("ours", {"life": 50}),
    "expired": ("ours", {"life": -5}),
    "hopeless": ("ours", {"life": -5, "refresh_token_expires_at": 1_700_000_000}),
    "none": ("", None),
    "key expired": (f"ours; {EXPIRES}", {}),
    "damaged": ("ours", {"region": ""}),
    "forged": ("ours; keyctl setperm $key 0x3f3f0000", {}),
}


def prepared(state: str) -> tuple[str, str]:
    prepare, changes = STATES[state]
    return prepare, "" if changes is None else bundle(**changes)


#: A command, and per state its exit status and a piece of what it says; without the agent.
OUTCOMES: dict[str, dict[str, tuple[int, str]]] = {
    "status": {
        "valid": (0, "Signed in to Amazon Cognito as ana (Ana, ana@example.com).\n"),
        "ends soon": (0, "less than a minute left"),
        "expired": (2, "run 'cognito-session refresh'"),
        "hopeless": (2, "run 'cognito-session refresh'"),
        "none": (1, "There are no Cognito tokens in this session."),
        "key expired": (2, "have expired and have been removed"),
        "damaged": (1, "cannot be used"),
        "forged": (1, "Ignoring key"),
    },
    "status --online": {
        "valid": (5, "Cognito was not contacted, because cognito-agent"),
        "ends soon": (5, "cognito-agent"),
        "expired": (5, "cognito-agent"),
        "none": (1, "There are no Cognito tokens"),
    },
    "status --field username": {"valid": (0, "ana\n"), "expired": (2, "ana\n"), "none": (1, "\n"), "forged": (1, "\n")},
    "status --field state": {"valid": (0, "valid\n"), "expired": (2, "expired\n"), "none": (1, "none\n")},
    "sessions": dict.fromkeys(("valid", "expired", "none", "damaged"), (5, "cannot be listed, because cognito-agent")),
    "sessions --field user": {"valid": (5, "cannot be listed"), "none": (5, "cannot be listed")},
    "sessions --everywhere": {
        "valid": (5, "cannot be listed, because cognito-agent is not responding"),
        "expired": (5, "cannot be listed, because cognito-agent is not responding"),
        "none": (1, "no Cognito tokens"),
        "key expired": (2, "have expired and have been removed"),
        "damaged": (1, "cannot be used"),
        "forged": (1, "no Cognito tokens"),
    },
    "sessions --everywhere --end tkn0": {"valid": (5, "cannot be listed"), "none": (1, "no Cognito tokens")},
    "sessions --end ana": dict.fromkeys(("valid", "none"), (77, "Only root may end the sessions of other users.")),
    "whoami": {"valid": (0, "ana\n"), "expired": (2, "ana\n"), "none": (1, "no Cognito tokens"), "forged": (1, "no")},
    "token": {
        "valid": (0, "e30."),
        "ends soon": (0, "e30."),
        "expired": (5, "cannot be renewed, because cognito-agent is not responding"),
        "hopeless": (5, "cannot be renewed, because cognito-agent is not responding"),
        "none": (1, "no Cognito tokens"),
        "damaged": (1, "cannot be used"),
        "forged": (1, "no Cognito tokens"),
    },
    "exec echo ran": {
        "valid": (0, "ran\n"),
        "ends soon": (0, "ran\n"),
        "expired": (125, "cognito-agent"),
        "hopeless": (125, "cognito-agent"),
        "none": (125, "no Cognito tokens"),
        "forged": (125, "no Cognito tokens"),
    },
    "claims": {
        "valid": (0, "not verified again, because cognito-agent"),
        "expired": (2, "linux-users"),
        "none": (1, "no Cognito tokens"),
        "damaged": (1, "cannot be used"),
        "forged": (1, "no Cognito tokens"),
    },
    "refresh": {
        "valid": (5, "cognito-agent is not responding"),
        "expired": (5, "cognito-agent is not responding"),
        "none": (1, "no Cognito tokens"),
        "key expired": (2, "have expired and have been removed"),
        "damaged": (1, "cannot be used"),
        "forged": (1, "no Cognito tokens"),
    },
    "sign-out --yes": {
        "valid": (0, "The tokens were removed from this session."),
        "expired": (0, "The tokens were removed from this session."),
        "hopeless": (0, "The tokens were removed from this session."),
        "none": (0, "so there was nothing to sign out of. "),
        "key expired": (0, "so there was nothing to sign out of. "),
        "damaged": (1, "Invalid or expired session"),
        "forged": (0, "so there was nothing to sign out of. "),
    },
    "sign-out --machine": {
        state: (5, "cognito-agent, which contacts Cognito, is not responding")
        for state in ("valid", "expired", "none", "key expired", "damaged", "forged")
    },
    "sign-out": {"none": (1, "This session has no Cognito tokens"), "key expired": (2, "Invalid or expired session")},
    "sign-out --global --yes": {
        "valid": (5, "To remove only this session's tokens, use --local."),
        "none": (1, "This session has no Cognito tokens"),
        "key expired": (2, "Invalid or expired session"),
    },
    "sign-in": {
        "valid": (64, "This session already has tokens."),
        "expired": (64, "This session already has tokens."),
        "none": (64, "needs a terminal"),
        "forged": (64, "needs a terminal"),
    },
    "forgot-password": {"valid": (64, "terminal"), "none": (64, "terminal")},
    "prompt": {
        "valid": (0, "ana 59m"),
        "ends soon": (0, "!"),
        "expired": (2, "ana expired"),
        "none": (1, ""),
        "damaged": (1, ""),
        "forged": (1, ""),
    },
}


@pytest.mark.parametrize("command", OUTCOMES)
def test_state_and_command(in_session: InSession, command: str) -> None:
    for state, (status, words) in OUTCOMES[command].items():
        program, _, arguments = command.partition(" ")
        machine_readable_too = [] if "--field" in command else [f"{program} --json {arguments}"]
        result, step_by_step, *machine_readable = in_session.side_by_side(
            *prepared(state), [command, f"--debug {command}", *machine_readable_too]
        )
        said = result.stdout + result.stderr
        assert (result.returncode, words in said) == (status, True), (state, said)
        assert command == "token" or SECRET not in said, state
        # It is said beside what is said without it, and a secret is in none of it.
        assert step_by_step.returncode == status and words in step_by_step.stdout + step_by_step.stderr, state
        steps = re.findall(r"^\d+\.\d ms  .*$", step_by_step.stderr, re.M)
        assert (
            steps and SECRET not in step_by_step.stderr and (program == "exec" or f"exit status {status}:" in steps[-1])
        )
        for answer in machine_readable:
            assert answer.returncode == status, state
            if program != "exec":
                assert json.loads(answer.stdout)["exit_status"] == status, state
                assert answer.stderr == "", state
            elif status:
                assert json.loads(answer.stderr)["error"] == "not_started", state


#: Ways to call a command wrongly, and what nobody but root may do.
MISUSES = {
    **{f"{program} --jsno --json": 64 for program in [name.split(maxsplit=1)[0] for name in OUTCOMES]},
    "--json --jsno": 64,
    "--jsno --json": 64,
    "statsu --json": 64,
    "status --json --check": 64,
    "whoami --json there": 64,
    "token --json --access --id": 64,
    "token --min-life soon --json": 64,
    "sign-out --json --local --global": 64,
    "sign-out --json": 64,
    "exec --json": 64,
    "exec --json --fd 1 true": 64,
    "exec --json --bogus true": 64,
    "exec --json -- /nowhere/at-all": 127,
    "exec --json -- /etc": 126,
    "doctor --json": 77,
    "doctor --json --login ana": 64,
    "sessions --json": 5,
    "sessions --json --field user": 64,
    "sessions --json --end ana --field user": 64,
    "status --json --field": 64,
    "status --field state --json": 64,
    "whoami --json --field username": 64,
    "whoami --json --everywhere": 64,
    "--everywhere --json": 64,
    "doctor --json --everywhere": 64,
    "doctor --json --mend": 64,
    "doctor --json --verify": 64,
    "status --json --undo": 64,
}


@pytest.mark.parametrize("state", STATES)
def test_one_shape(in_session: InSession, state: str) -> None:
    """Whatever is asked for and whatever becomes of it: the same three members, and those of the command."""
    commands = [command.partition(" ") for command in OUTCOMES if "--field" not in command]
    lines = [f"{program} --json {arguments}" for program, _, arguments in commands]
    results = in_session.side_by_side(*prepared(state), lines)
    for (program, _, _), result in zip(commands, results, strict=True):
        if program != "exec" or result.returncode:
            assert answer_of(result, program)


@pytest.mark.parametrize("program", ["", *sorted({command.split(maxsplit=1)[0] for command in OUTCOMES})])
def test_one_shape_of_help(in_session: InSession, program: str) -> None:
    for option, member in (("--help", "help"), ("--version", "version")):
        result = in_session("ours", bundle(), f"{program} {option} --json")
        said = json.loads(result.stdout)
        assert (result.returncode, said["exit_status"], said["error"], said["message"]) == (0, 0, None, None)
        assert said[member] in in_session("ours", bundle(), f"{program} {option}").stdout


@pytest.mark.parametrize("command", MISUSES)
def test_one_shape_of_wrong_use(in_session: InSession, command: str) -> None:
    result = in_session("ours", bundle(), command)
    assert result.returncode == MISUSES[command], result
    assert answer_of(result, command.split(maxsplit=1)[0])


@pytest.mark.parametrize("command", [*OUTCOMES])
def test_unknown_locale(in_session: InSession, command: str) -> None:
    """It is that of a machine without any: the same status, and English in letters that every terminal has."""
    for state in ("valid", "none"):
        # The same tokens for all, whatever second it is.
        session = prepared(state)
        usual = in_session(*session, command, env={"LC_ALL": "C"})
        for locale in (
            {"LC_ALL": "xx_XX.nonsense"},
            {"LC_ALL": "\x1b[2J", "LANGUAGE": "../../es:xx"},
            {"LC_ALL": "es" * 9000},
        ):
            other = in_session(*session, command, env=locale)
            assert (other.returncode, other.stderr) == (usual.returncode, usual.stderr), (state, locale)
            assert other.stdout.splitlines()[:1] == usual.stdout.splitlines()[:1], (state, locale)
            assert other.stdout.isascii(), (state, locale)


@pytest.mark.parametrize("command", ["status", "status --online", "sessions", "sessions --everywhere"])
def test_field_that_there_is_none_of(in_session: InSession, command: str) -> None:
    """It is said before anybody is asked, and with what there is."""
    result = in_session("ours", bundle(), f"{command} --field tokne")
    assert (result.returncode, result.stdout) == (64, ""), result
    assert "Unknown JSON value 'tokne' for '" in result.stderr and ". Valid values: s" in result.stderr
    assert result.stderr.count("\n") == 1


def test_job(machine: Machine) -> None:
    """Nothing is wrong with a job of cron's that has no tokens, whatever its environment says."""
    shell = "/usr/local/bin/crond"
    with machine.preserved(shell):
        machine.run(["cp", "/bin/sh", shell], check=True)
        script = "cognito-session --json; true"
        result = machine.run([shell, "-c", script], env={"TMUX": "/tmp/x"})
    report = json.loads(result.stdout)
    assert (report["reason"], report["exit_status"]) == ("job", 1) and "This is expected." in report["advice"]


def test_option_of_the_command_to_run(in_session: InSession) -> None:
    """What belongs to the command says nothing about how a mistake before it is told."""
    result = in_session("ours", bundle(), "exec --bogus ls --json")
    assert (result.returncode, result.stdout) == (64, "") and result.stderr.startswith("Error: Unknown option")


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ("--fd 3", "cat <&3"),
        ("", "cat /dev/fd/3; cat <&3 | wc -c >&2"),
        ("--fd 0 --id", "cat"),
        ("--fd 9", "cat <&9; ! echo x 2>/dev/null >&9 || echo writable"),
        ("--env MY_TOKEN", 'printf %s "$MY_TOKEN"; ! [ -e /dev/fd/3 ] || echo descriptor'),
    ],
)
def test_exec_hands_the_token_over(in_session: InSession, options: str, read: str) -> None:
    bundled = json.loads(payload := bundle())
    result = in_session("ours", payload, f"exec {options} -- sh -c '{read}; tr \\\\0 \\\\n </proc/$$/cmdline >&2'")
    assert result.stdout == bundled["id_token" if "--id" in options else "access_token"]
    assert SECRET not in result.stderr


@pytest.mark.parametrize(
    ("command", "status"), [("true", 0), ("sh -c 'exit 42'", 42), ("/etc", 126), ("/nowhere/at-all", 127)]
)
def test_exec_ends_as_the_command_does(in_session: InSession, command: str, status: int) -> None:
    result = in_session("ours", bundle(), f"exec {command}")
    assert result.returncode == status
    assert (result.stderr != "") == (status in (126, 127))


FORGERIES = {
    "somebody else's": bundle(username="root"),
    "unsigned": bundle(access_token="e30.e30."),
    "expired": bundle(life=-100),
    "huge": bundle(access_token="A" * 31_000),
    "binary": "\1\2\3" * 9000,
    "another endpoint": bundle(user_pool_id="us-east-1_Evil", region="us-east-1", endpoint="https://evil.example"),
    "empty object": "{}",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_planted_key_gains_nothing(in_session: InSession, machine: Machine, forgery: str) -> None:
    """What a person puts into their own rings under a token key's name, beside our key and alone, is never used."""
    uid = machine.uid("ana")
    plant = f"""
        payload=$(mktemp); printf '%s' "$FORGED" >$payload; chmod 644 $payload
        as_ana="setpriv --reuid {uid} --regid {uid} --clear-groups"
        for name in {DESCRIPTION} cognito:us-east-1_Evil:evil cognito: {DESCRIPTION}x; do
            key=$($as_ana keyctl padd user $name @s <$payload) && $as_ana keyctl setperm $key 0x0b3f0000
        done
    """
    env = {"FORGED": FORGERIES[forgery].replace("\0", "")}
    alone = in_session(plant, "", "token", env=env)
    assert (alone.returncode, alone.stdout) == (1, "")
    others = plant.replace(f" {DESCRIPTION} ", " ")
    beside = in_session(f"ours; {others}", payload := bundle(), "token", env=env)
    assert beside.stdout == json.loads(payload)["access_token"] + "\n"
    for command in ("status", "claims", "prompt", "whoami"):
        told = in_session(plant, "", command, env=env)
        assert told.returncode == 1 and "Signed in" not in told.stdout and "\x1b" not in told.stdout


def test_pipelines_of_the_documentation(in_session: InSession, machine: Machine) -> None:
    page = (REPOSITORY / "docs/howto/kubernetes-git-docker.md").read_text()
    lines = page.split("\nExamples for scripts:\n\n```sh\n")[1].split("```")[0].splitlines()
    access = json.loads(payload := bundle())["access_token"]
    # A stand-in for what the lines use it for: jq itself is not needed for anything else.
    machine.write("/usr/local/bin/jq", JQ, 0o755)
    expected = {
        "--check": "signed in as ana\n",
        "token": f"{len(access) + 1}\n",
        "--fd": hashlib.sha256(access.encode()).hexdigest() + "  -\n",
        "--env": f"{len(access)} characters\n",
        "claims": "ana@example.com\n",
    }
    assert len(lines) == len(expected)
    for line, (word, output) in zip(lines, expected.items(), strict=True):
        assert word in line
        machine.write("/usr/local/bin/as-written", f"#!/bin/sh\n{line}\n", 0o755)
        result = in_session("ours", payload, "exec --fd 9 as-written")
        assert (result.returncode, result.stdout, result.stderr) == (0, output, "")


@pytest.mark.parametrize("command", [*OUTCOMES, "--help", "--version", "token --help", "--check", "--jsno"])
def test_output_that_goes_nowhere(in_session: InSession, machine: Machine, command: str) -> None:
    """What cannot be written is no success, and nothing else comes in place of it."""
    into = lost_output.install(machine)
    program, _, arguments = command.partition(" ")
    ways = [command] if "--field" in command else [command, f"{program} --json {arguments}"]
    for state, options in itertools.product(("valid", "expired", "none"), ways):
        usual = in_session(*prepared(state), options)
        for sink in (*SINKS, UNREAD):
            lost = in_session(*prepared(state), options, into=f"{into} {sink}")
            assert SECRET not in lost.stdout + lost.stderr
            if not usual.stdout:
                assert (lost.returncode, lost.stdout, lost.stderr) == (usual.returncode, "", usual.stderr)
            elif program == "exec":
                # Its standard output is the command's, which finds it as it is.
                assert "cognito-session" not in lost.stderr and lost.returncode != 0, (state, options, lost)
            elif sink == UNREAD:
                # As every program ends whose reader has gone.
                assert (lost.returncode, lost.stdout) == (-signal.SIGPIPE, ""), (state, options, lost)
            else:
                assert (lost.returncode, lost.stdout) == (74, ""), (state, options, lost)
                why = f"Error: The output could not be written ({SINKS[sink][1]})"
                assert lost.stderr.startswith(why), (state, options, lost)
                has_changed = program == "sign-out" and usual.returncode == 0
                assert ("The request was completed" in lost.stderr) == has_changed
                assert len(lost.stderr.splitlines()) == 1, lost.stderr


def test_reader_that_goes_away(machine: Machine) -> None:
    result = machine.run(["sh", "-c", "cognito-session | true"], user="ana")
    assert (result.returncode, result.stderr) == (0, "")
