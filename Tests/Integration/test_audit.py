"""The log of whole sessions, read as cognito-agent(8) says that it can be."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .agent_process import ANYWAY, AgentProcess
from .hosts import Sshd, allow_sudo
from .machine import Machine
from .product import RIGHT, WRONG, Product
from .residue import SecretSearch
from .test_journal import FOLDER, KEYS, crash, give_keys
from .test_try_session import DEFAULTS, SUDO, allow_reuse
from .worker_process import encode

ROOT = Path(__file__).resolve().parents[2]
VALUE = r"(?:'[^']*'|[^\s';:]+)"
LINE = re.compile(rf"(?P<event>[a-z][a-z -]*); (?P<fields>[a-z_]+={VALUE}(?: [a-z_]+={VALUE})*)(?:: (?P<text>.+))?")
ABOUT = ["user", "session", "service", "rhost"]
AGENTS = [*ABOUT, "uid", "key"]
CLIENT = ["process", "program"]
REAPERS = [*ABOUT, "process"]
#: An event -> its fields, and whether a text follows.
EVENTS = {
    "signed in": ([*ABOUT, "pool", "allowed_groups"], False),
    "authentication failure": ([*ABOUT, "reason"], True),
    "session reused": ([*ABOUT, "age", "allowed_groups"], False),
    "session not reused": ([*ABOUT, "reason"], True),
    "signed out": ([*ABOUT, "outcome"], False),
    "renewed": (AGENTS, False),
    "not renewed": ([*AGENTS, "reason"], True),
    "token handed out": ([*AGENTS, *CLIENT, "token", "by"], False),
    "tokens handed over": ([*AGENTS, "process", "terminal"], False),
    "tokens locked": ([*AGENTS, "by"], False),
    "tokens unlocked": ([*ABOUT, "uid"], False),
    "tokens kept for a job": ([*AGENTS, *CLIENT], False),
    "tokens exported": ([*AGENTS, *CLIENT, "expires_at"], False),
    "tokens imported": ([*AGENTS, *CLIENT, "terminal"], False),
    "request refused": (["uid", *CLIENT, "reason"], True),
    # By the agent, which knows who asked.
    "signed out by the person": ([*AGENTS, "outcome"], False),
    # By the reaper, which knows whose session it was.
    "signed out by the reaper": ([*REAPERS, "outcome"], True),
    "sign-out not finished by the reaper": (REAPERS, True),
    "round not finished": (["waiting"], True),
    # By the journal, which knows nothing of a process.
    "signed out after a crash": ([*ABOUT, "outcome"], True),
    "sign-out not finished after a crash": (ABOUT, True),
    "session left over": (ABOUT, True),
    "given up": ([*ABOUT, "outcome"], True),
}
#: An event of the agent's, and which field of the line says whose it is -> the same in `EVENTS`.
OF_AGENT = {
    ("signed out", "uid"): "signed out by the person",
    ("signed out", "process"): "signed out by the reaper",
    ("signed out", "outcome"): "signed out after a crash",
    ("sign-out not finished", "process"): "sign-out not finished by the reaper",
    ("sign-out not finished", ""): "sign-out not finished after a crash",
}


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product, agent: AgentProcess) -> Iterator[Sshd]:
    allow_sudo(machine, "alice", defaults=DEFAULTS)
    allow_reuse(machine, "sudo")
    with Sshd(machine) as server:
        yield server


def audit(machine: Machine, mark: int) -> list[tuple[str, dict[str, str]]]:
    """All that our programs wrote since `mark`, each line taken apart; none may be of another form."""
    machine.settle()
    found = []
    for entry in machine.log(mark):
        module = re.fullmatch(r"(?s)(?:.*: )?pam_cognito\([^)]*\): (.*)", entry.message)
        if not module and entry.tag != "cognito-agent":
            continue
        message = module[1] if module else entry.message
        assert entry.facility_name == "authpriv", entry
        line = LINE.fullmatch(message)
        assert line, f"of no form that is documented: {message!r}"
        fields = dict(field.split("=", 1) for field in re.findall(rf"[a-z_]+={VALUE}", line["fields"]))
        event = line["event"]
        telling = next((name for name in ("uid", "process", "outcome") if name in fields), "")
        kind = event if module else OF_AGENT.get((event, telling), event)
        names, has_text = EVENTS[kind]
        if fields.get("outcome") == "only_this_session":
            # Where less was reached than was meant the line says why, perhaps with Cognito's words.
            names, has_text = [*names, "reason"], bool(line["text"])
        assert (list(fields), bool(line["text"])) == (names, has_text), message
        found.append((event, {name: value.strip("'") for name, value in fields.items()}))
    return found


def test_a_whole_session(machine: Machine, product: Product, sshd: Sshd) -> None:
    mark = machine.log_mark()
    assert not sshd.run("alice", WRONG).accepted
    with sshd.open("alice", RIGHT) as session:
        key = session.command(f"keyctl search @s user {product.key_description}").output.strip()
        for command in (
            "cognito-session token > /dev/null",
            "cognito-session exec --id -- true",
            f"cognito-session token --min-life {ANYWAY // 1000} > /dev/null; true",
            "cognito-session refresh > /dev/null",
            SUDO,
        ):
            assert session.command(command).status == 0, command
        machine.wait_until(lambda: len(audit(machine, mark)) >= 6, "the lines of the session")
        session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")
    lines = audit(machine, mark)

    events = [event for event, _ in lines]
    assert events[:2] == ["authentication failure", "signed in"] and events[-1] == "signed out"
    assert {"renewed", "session reused"} <= set(events)
    # Each of another process, so that the lines may change places.
    handed_out = {(f["token"], f["by"]) for event, f in lines if event == "token handed out"}
    assert {("access", "token"), ("id", "exec")} <= handed_out
    sign_in = lines[1][1]
    assert {f["session"] for _, f in lines[1:]} == {sign_in["session"]} != {"0"}, "one number for one session"
    assert {f["user"] for _, f in lines} == {"alice"}
    assert {f["key"] for _, f in lines if "key" in f} == {key}
    assert {f["uid"] for _, f in lines if "uid" in f} == {str(machine.uid("alice"))}
    assert lines[0][1]["session"] == "0" and lines[0][1]["reason"] == "refused"
    assert {f["rhost"] for event, f in lines if event != "session reused"} == {"127.0.0.1"}
    assert lines[-1][1]["outcome"] == "revoked_everywhere"


def test_signed_out_by_the_person(machine: Machine, product: Product, sshd: Sshd) -> None:
    mark = machine.log_mark()
    with sshd.open("alice", RIGHT) as session:
        assert session.command("cognito-session sign-out --global --yes").status == 0
        session.logout()
    (first, signed_in), (second, signed_out), (last, logout) = audit(machine, mark)
    assert (first, second, last) == ("signed in", "signed out", "signed out")
    assert logout["outcome"] == "gone" and logout["session"] == signed_in["session"]
    assert signed_in["session"] == signed_out["session"]
    assert signed_out["uid"] == str(machine.uid("alice"))


def test_a_line_about_somebody_else(machine: Machine, product: Product, sshd: Sshd, agent: AgentProcess) -> None:
    """carol says that alice's session gave a token away: that is refused, and the refusal names carol."""
    with sshd.open("alice", RIGHT) as session:
        key = int(session.command(f"keyctl search @s user {product.key_description}").output)
        mark = machine.log_mark()
        for user, kind in (("carol", 1), ("alice", 9)):
            fields = {"key": key, "token_kind": kind, "hand_out_use": 1, "proof": agent.proof(key)}
            request = encode("hand_out", fields)
            assert agent.exchange([request], user) == [], "nobody waits for an answer"
        machine.wait_until(lambda: len(audit(machine, mark)) == 2, "two refusals")
        refused = audit(machine, mark)
        assert [event for event, _ in refused] == ["request refused"] * 2
        assert [f["uid"] for _, f in refused] == [str(machine.uid("carol")), str(machine.uid("alice"))]
        session.logout()


def test_sessions_that_ended_badly(machine: Machine, product: Product, sshd: Sshd) -> None:
    """The reaper's lines have the number that the sign-in's has, also of what it cannot end yet."""
    mark = machine.log_mark()
    with contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(sshd.open("alice", RIGHT, method="keyboard-interactive")) for _ in range(2)]
        hosts = [session.monitor_pid for session in sessions]
        product.await_rounds()
        for session in sessions:
            machine.kill(session.monitor_pid)
            session.wait_for_server()
            session.terminal.hang_up()
    product.emulator.fault("*", "waf_403")
    first = product.reap()
    product.emulator.clear_faults()
    second = product.reap()
    assert (first.returncode, second.returncode) == (1, 0), (first, second)

    lines = audit(machine, mark)
    signed_in = [fields for event, fields in lines if event == "signed in"]
    failed = [fields for event, fields in lines if event == "sign-out not finished"]
    signed_out = [fields for event, fields in lines if event == "signed out"]
    assert [fields["waiting"] for event, fields in lines if event == "round not finished"] == ["1"]
    assert len(failed) == 1 and failed[0]["session"] in {fields["session"] for fields in signed_in}
    assert sorted(fields["session"] for fields in signed_out) == sorted(fields["session"] for fields in signed_in)
    assert sorted(int(fields["process"]) for fields in signed_out) == sorted(hosts)
    assert {fields["rhost"] for fields in signed_out} == {"127.0.0.1"}


def test_what_a_crash_left(machine: Machine, product: Product, secret_search: SecretSearch) -> None:
    """Said once, tried in vain, done; whatever the clock says, or given up. The number is always the sign-in's."""
    mark = machine.log_mark()
    product.emulator.iam_identity(**KEYS, actions=["AdminUserGlobalSignOut"])
    product.configure(journal="yes")
    crash(machine, product)
    assert product.reap().returncode == 0
    give_keys(product, secret_search, secret_access_key="another")
    assert product.reap().returncode == 1
    give_keys(product, secret_search)
    assert product.reap("--now").returncode == 0
    crash(machine, product)
    machine.run(["sh", "-c", f"sed -i 's/^expires .*/expires 1/' {FOLDER}/*"])
    assert product.reap().returncode == 0
    product.configure(journal="yes")
    crash(machine, product)
    machine.run(["sh", "-c", f"sed -i 's/^expires .*/expires 1/' {FOLDER}/*"])
    assert [product.reap().returncode for _ in range(2)] == [0, 0]
    lines = [line for line in audit(machine, mark) if line[0] not in ("signed in", "round not finished")]
    assert [event for event, _ in lines] == [
        "session left over", "sign-out not finished", "signed out", "signed out", "session left over", "given up",
    ]  # fmt: skip
    assert len({fields["session"] for _, fields in lines}) == 3


def test_the_filter_for_monitors(machine: Machine, product: Product, sshd: Sshd) -> None:
    """docs/fail2ban.conf finds each failed sign-in, and no text that somebody has put into any program's line."""
    filter_file = (ROOT / "docs/fail2ban.conf").read_text()
    [regex] = re.findall(r"^failregex = (.*)$", filter_file, re.MULTILINE)
    [terms] = re.findall(r"^journalmatch = (.*)$", filter_file, re.MULTILINE)
    pattern = re.compile(regex.replace("<HOST>", r"(?P<host>[\w.:-]+)"))
    mark = machine.log_mark()
    assert not sshd.run("alice", WRONG).accepted
    with sshd.open("alice", RIGHT) as session:
        session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")

    def read() -> list[str]:
        """What fail2ban reads: by what journald and the kernel say of a line."""
        entries = [
            (entry, {f"SYSLOG_FACILITY={entry.facility}", f"_UID={entry.sender_uid}"}) for entry in machine.log(mark)
        ]
        return [f"host {entry.tag}[4711]: {entry.message}" for entry, known in entries if set(terms.split()) <= known]

    lines = read()
    found = [match["host"] for line in lines if (match := pattern.search(line))]
    assert found == ["127.0.0.1"], lines
    [failure] = [line for line in lines if pattern.search(line)]
    text = failure.split(": ", 1)[1]
    machine.run(
        ["logger", "-t", "sshd", "-p", "authpriv.notice", text.replace("127.0.0.1", "192.0.2.1")],
        user="bob",
        check=True,
    )
    machine.settle()
    assert machine.log(mark, containing="192.0.2.1") and not any("192.0.2.1" in line for line in read())
    for forged in (f"host sshd[4711]: Invalid user {text} from 203.0.113.7", f"host sudo[4711]: x: {text}"):
        assert not pattern.search(forged), forged
