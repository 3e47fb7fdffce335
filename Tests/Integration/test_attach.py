# ruff: noqa: F811
"""cognito-session attach: the tokens of one session in another one of the same person, by a code."""

import json
import re
from collections.abc import Callable

import pytest

from .agent_process import AgentProcess, refusal
from .hosts import Session, Sshd, SshSession
from .machine import GENEROUS, Machine
from .product import AGENT, LOCAL, RIGHT, Product
from .test_aws_credentials import credentials, identity_pool, made, settings  # noqa: F401
from .worker_process import decode, encode

CODE = r"within two minutes: (\d{6})\r\n"
QUESTION = r"To cancel, press Enter: "


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product):
    with Sshd(machine) as server:
        server.authorize("alice")
        server.authorize("bob")
        yield server


@pytest.fixture(autouse=True)
def fresh_turns(agent: AgentProcess):
    agent.forget_turns()


class Command:
    """A command that runs in a session's shell, while the person reads and types."""

    def __init__(self, session: Session, line: str):
        self.terminal = session.terminal
        self.terminal.type_line(f"{line}; printf '\\nended:%d:\\n' $?")

    def code(self) -> str:
        """The code that is shown."""
        self.terminal.expect(CODE)
        return self.terminal.match.group(1)

    def asked(self) -> str:
        """What is shown before a code is asked for."""
        self.terminal.expect(QUESTION)
        return " ".join(self.terminal.before.split())

    def type(self, answer: str) -> None:
        self.terminal.type_line(answer)

    def ended(self) -> tuple[int, str]:
        """The exit status, and what was shown before it."""
        self.terminal.expect(r"\nended:(\d+):\r\n", timeout=GENEROUS)
        return int(self.terminal.match.group(1)), " ".join(self.terminal.before.split())

    def ends(self, status: int, words: str) -> None:
        """It does, with this exit status and these words."""
        ended, text = self.ended()
        assert ended == status and words in text, (ended, text)


def attach(session: Session) -> Command:
    return Command(session, "cognito-session attach")


def give(session: Session) -> Command:
    return Command(session, "cognito-session attach --give")


def begin(giver: Session, receiver: Session) -> tuple[Command, Command, str, str]:
    """Up to the question: who waits, who gives, what is shown to whom gives, and the code."""
    waiting = attach(receiver)
    code = waiting.code()
    giving = give(giver)
    return waiting, giving, giving.asked(), code


def hand_over(giver: Session, receiver: Session) -> None:
    """The whole of it, as it should go."""
    waiting, giving, _, code = begin(giver, receiver)
    giving.type(code)
    assert giving.ended()[0] == 0
    assert waiting.ended()[0] == 0


def status(session: Session) -> dict:
    return json.loads(session.command("cognito-session --json").output)


def interrupt(session: Session) -> None:
    """Ctrl-C, which ends what waits and the line in which it was typed."""
    session.interrupt()
    assert session.command("true").status == 0


def offers(machine: Machine) -> int:
    return len([key for key in machine.keys() if key.description.startswith("pam-cognito:o:")])


@pytest.fixture
def pair(product: Product, agent: AgentProcess, sshd: Sshd):
    """A session with tokens, and another one of the same person, by an ssh key, without."""
    product.configure(sign_out="session")
    with sshd.open("alice", RIGHT) as giver, sshd.open("alice", method="publickey") as receiver:
        yield giver, receiver
        product.machine.wait_until(lambda: not offers(product.machine), "the end of all that waited")
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")


def test_one_entry_two_sessions(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """A second delivery of one entry: what is renewed or ended in one is so in both."""
    giver, receiver = pair
    assert status(receiver)["state"] == "none"
    mark = product.machine.log_mark()
    waiting, giving, seen, code = begin(giver, receiver)
    assert re.search(
        r"Another of your sessions is waiting for these tokens: process \d+, terminal pts/\d+, signed in by sshd", seen
    )
    giving.type(code)
    giving.ends(0, "removed when this session ends")
    waiting.ends(0, "the other session ends")

    own, theirs = status(giver), status(receiver)
    assert (own["attached"], theirs["attached"], theirs["shared"]) == (False, True, False)
    assert own["key"] == theirs["key"] and own["keyring"] != theirs["keyring"]
    assert "shared by another of your sessions" in " ".join(receiver.command("cognito-session").output.split())
    before = product.tokens(giver.command(product.read_tokens).output)
    assert product.tokens(receiver.command(product.read_tokens).output).access == before.access
    assert len(product.entries()) == 1

    # Nobody else's, not to be changed or passed on; and no other session's of the same person.
    key, ring = own["key"], theirs["keyring"]
    for attempt in (
        f"keyctl update {key} x",
        f"keyctl link {key} @s",
        f"keyctl link {ring} @u",
        f"keyctl clear {ring}",
    ):
        assert "denied" in receiver.command(attempt).output.lower(), attempt
    for attempt in ("pipe", "describe"):
        found = product.machine.run(["keyctl", attempt, str(key)], user="alice")
        assert found.returncode != 0 and "denied" in found.stderr.lower()

    for session in (receiver, giver):
        assert session.command("cognito-session refresh").status == 0
        after = product.tokens(giver.command(product.read_tokens).output)
        assert after.access != before.access
        assert product.tokens(receiver.command(product.read_tokens).output).access == after.access
        before = after
    (line,) = product.machine.log(mark, containing="tokens handed over; ")
    assert re.search(
        r"tokens handed over; user='alice' session=\d+ service='sshd' rhost='127.0.0.1' uid=\d+ key=\d+ "
        r"process=\d+ terminal='pts/\d+'$",
        line.message,
    )
    assert code not in "".join(product.machine.lines(mark))

    receiver.logout()
    assert product.alive(before) == product.alive(before) | {"access": True, "refresh": True}
    assert status(giver)["state"] == "valid"
    giver.logout()


#: What ends the session that gave.
WAYS_TO_END: dict[str, Callable[[Product, SshSession], object]] = {
    "logout": lambda _, giver: giver.logout(),
    "sign-out": lambda _, giver: giver.command("cognito-session sign-out --local"),
    "sign-out everywhere": lambda _, giver: giver.command("cognito-session sign-out --global --yes"),
    "vanished client": lambda _, giver: (giver.kill_client(), giver.wait_for_server()),
    "killed host": lambda product, giver: (
        product.machine.kill(giver.monitor_pid),
        giver.wait_for_server(),
        product.reap("--now"),
    ),
    "drained": lambda product, _: product.machine.run([AGENT, "drain"], check=True),
    "refused by Cognito": lambda product, giver: (
        product.sign_out_elsewhere(),
        giver.command("cognito-session refresh"),
    ),
}


@pytest.mark.parametrize("way", WAYS_TO_END)
def test_the_givers_end_is_the_end_of_both(product: Product, pair: tuple[SshSession, SshSession], way: str) -> None:
    giver, receiver = pair
    hand_over(giver, receiver)
    tokens = product.tokens(receiver.command(product.read_tokens).output)
    key = status(receiver)["key"]
    WAYS_TO_END[way](product, giver)
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")
    assert receiver.command(product.read_tokens).status != 0
    assert receiver.command(f"keyctl pipe {key}").status != 0
    assert status(receiver)["state"] == "none"
    product.machine.wait_until(lambda: not product.alive(tokens)["refresh"], "revocation")
    assert receiver.command("cognito-session sign-out --local").status == 0


@pytest.mark.parametrize("way", ["logout", "sign-out", "sign-out --yes", "killed"])
def test_the_receivers_end_is_nobody_elses(product: Product, pair: tuple[SshSession, SshSession], way: str) -> None:
    giver, receiver = pair
    hand_over(giver, receiver)
    tokens = product.tokens(giver.command(product.read_tokens).output)
    product.emulator.clear_requests()
    if way == "logout":
        receiver.logout()
    elif way == "killed":
        receiver.kill_client()
        receiver.wait_for_server()
    else:
        done = receiver.command("cognito-session sign-out " + ("--local" if way == "sign-out" else "--yes"))
        assert done.status == 0 and "another of your sessions, which stays signed in" in " ".join(done.output.split())
        assert status(receiver)["state"] == "none"
        assert receiver.command(product.read_tokens).status != 0
    product.reap("--now")
    assert status(giver)["state"] == "valid"
    assert product.alive(tokens) == product.alive(tokens) | {"access": True, "refresh": True}
    assert not {"RevokeToken", "GlobalSignOut"} & set(product.operations())
    if receiver.accepted:
        # Once more, into the same keyring.
        hand_over(giver, receiver)
        assert status(receiver)["attached"]


def test_a_new_session_after_the_first_has_ended(
    product: Product, sshd: Sshd, pair: tuple[SshSession, SshSession]
) -> None:
    """What led to the first one's tokens makes way."""
    giver, receiver = pair
    hand_over(giver, receiver)
    giver.logout()
    with sshd.open("alice", RIGHT) as second:
        hand_over(second, receiver)
        assert status(receiver)["key"] == status(second)["key"]
        shown = receiver.command("keyctl show @s").output
        assert shown.count("cognito-attached") == 1 and "inbox" not in shown, shown
        second.logout()


def test_somebody_else_by_su(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """They inherit the keyring of whoever calls su, and none of its tokens."""
    giver, receiver = pair
    hand_over(giver, receiver)
    reading = f"sh -c '{product.read_tokens}; keyctl show @s'"
    receiver.terminal.type_line(f"su bob -c \"{reading}\"; printf '\\nended:%d:\\n' $?")
    receiver.terminal.answer("Password: ", LOCAL)
    receiver.terminal.expect(r"\nended:(\d+):\r\n")
    assert "access_token" not in receiver.terminal.before and "cognito" not in receiver.terminal.before
    assert "_ses" in receiver.terminal.before
    assert status(receiver)["attached"]


#: Looks for tokens in its session keyring when it is told to, long after su has ended.
LOOK = """#!/bin/sh
{ until [ -e /run/look/now ]; do sleep 0.1; done; keyctl show @s >/run/look/new; mv /run/look/new /run/look/seen; } \\
    </dev/null >/dev/null 2>&1 &
"""


def test_somebody_else_who_was_there_before(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """Nor does what su began for bob when there were no tokens yet, where only the module keeps keyrings apart."""
    giver, receiver = pair
    machine = product.machine
    machine.make_directory("/run/look", 0o777)
    machine.write("/usr/local/bin/look", LOOK, 0o755)
    with machine.preserved("/etc/pam.d/cognito-session"):
        stack = machine.read("/etc/pam.d/cognito-session")
        machine.write("/etc/pam.d/cognito-session", re.sub(r"(?m)^.*pam_keyinit.*\n", "", stack))
        receiver.terminal.type_line("su bob -c look; echo ov''er")
        receiver.terminal.answer("Password: ", LOCAL)
        receiver.terminal.expect("over\r\n")
    hand_over(giver, receiver)
    machine.write("/run/look/now", "")
    machine.wait_until(lambda: machine.exists("/run/look/seen"), "that bob has looked")
    seen = machine.read("/run/look/seen")
    assert "keyring: _ses" in seen and "cognito" not in seen, seen


def test_two_who_wait(product: Product, sshd: Sshd, pair: tuple[SshSession, SshSession]) -> None:
    """Both are shown; the code says which one is meant."""
    giver, receiver = pair
    with sshd.open("alice", method="publickey") as other:
        first, second = attach(receiver), attach(other)
        codes = [first.code(), second.code()]
        assert codes[0] != codes[1]
        giving = give(giver)
        assert giving.asked().count("is waiting for these tokens") == 2
        giving.type(codes[1])
        assert (giving.ended()[0], second.ended()[0]) == (0, 0)
        assert status(other)["attached"]
        interrupt(receiver)
        assert status(receiver)["state"] == "none"
        other.logout()


def test_wrong_codes(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """Three of them end what waits, over several requests, too."""
    giver, receiver = pair
    mark = product.machine.log_mark()
    waiting = attach(receiver)
    wrong = str((int(waiting.code()) + 1) % 1_000_000).zfill(6)
    giving = give(giver)
    for answer in (wrong, "000000000000"):
        giving.asked()
        giving.type(answer)
    assert "The code does not match any of the waiting sessions." in giving.asked()
    giver.interrupt()
    giving.ends(6, "no tokens were shared")
    giving = give(giver)
    giving.asked()
    giving.type(wrong)
    giving.ends(70, "the code does not match any of your waiting sessions.")
    waiting.ends(70, "the wrong code was typed too many times")
    assert status(receiver)["state"] == "none" and status(giver)["state"] == "valid"
    lines = [line.message for line in product.machine.log(mark, containing="request refused; ")]
    assert [re.search(r"reason=(\w+)", line)[1] for line in sorted(lines)] == ["not_handed_over", "wrong_code"]


def test_nobody_waits(pair: tuple[SshSession, SshSession]) -> None:
    giver, _ = pair
    ended, text = give(giver).ended()
    assert ended == 70 and text.endswith("The code that this command shows is valid for two minutes.")


def test_no_code_is_a_change_of_mind(pair: tuple[SshSession, SshSession]) -> None:
    giver, receiver = pair
    _, giving, _, _ = begin(giver, receiver)
    giving.type("")
    assert giving.ended() == (6, "Error: Cancelled: no tokens were shared.")
    interrupt(receiver)


@pytest.mark.leaves_keys("the kernel takes what has ended away after minutes")
def test_a_code_typed_late(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """The offer has ended by itself: who waited is told, and the code opens nothing."""
    giver, receiver = pair
    waiting, giving, _, code = begin(giver, receiver)
    (offer,) = (key.serial for key in product.machine.keys() if key.description.startswith("pam-cognito:o:"))
    product.machine.run(["keyctl", "timeout", str(offer), "1"], check=True)
    waiting.ends(70, "the code was not typed in time")
    giving.type(code)
    giving.ends(70, "the code does not match any of your waiting sessions.")
    assert status(receiver)["state"] == "none" and status(giver)["state"] == "valid"


def test_a_receiver_that_dies_meanwhile(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    giver, receiver = pair
    waiting, giving, seen, code = begin(giver, receiver)
    process = int(re.search(r"process (\d+),", seen)[1])
    product.machine.kill(process)
    waiting.terminal.expect(r"\nended:137:")
    giving.type(code)
    giving.ends(70, "the code does not match any of your waiting sessions.")
    assert status(receiver)["state"] == "none" and status(giver)["state"] == "valid"


def test_a_giver_that_ends_meanwhile(product: Product, sshd: Sshd, pair: tuple[SshSession, SshSession]) -> None:
    giver, receiver = pair
    waiting, giving, _, code = begin(giver, receiver)
    (entry,) = product.entries()
    ended = product.machine.run(["cognito-session", "sessions", "--end", str(entry.serial)])
    assert ended.returncode == 0, ended.stderr
    giving.type(code)
    giving.ends(70, "one of the sessions has ended")
    waiting.ends(70, "one of the sessions has ended")
    assert status(receiver)["state"] == "none"


def waiting_alone(machine: Machine, user: str, command: str = "cognito-session attach", as_root: str = ""):
    """A program of somebody's that belongs to no session. What starts it gets its keyring, and must be theirs."""
    return machine.spawn_pty(["sh", "-c", f"{as_root} sh -c '{command}; exit $?'; exit $?"], user=user)


def test_as_many_as_may_wait(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """The fifth of one person's is refused, and lets the others be; other people's are not counted."""
    machine = product.machine
    giver, receiver = pair
    waiting = [waiting_alone(machine, "alice") for _ in range(4)]
    codes = []
    for one in waiting:
        one.expect(CODE)
        codes.append(one.match.group(1))
    attach(receiver).ends(70, "Too many of your sessions are waiting for tokens")
    other = waiting_alone(machine, "carol")
    other.expect(CODE)
    giving = give(giver)
    assert giving.asked().count("is waiting for these tokens") == 4
    giving.type(codes[2])
    assert giving.ended()[0] == 0 and waiting[2].wait() == 0
    for one in (*waiting, other):
        one.hang_up()
    machine.wait_until(lambda: not offers(machine), "the end of the offers")


@pytest.mark.parametrize(
    ("line", "ended", "text"),
    [
        ("cognito-session attach < /dev/null", 64, "attach needs a terminal"),
        ("cognito-session attach --give < /dev/null", 64, "attach needs a terminal"),
        ("cognito-session attach --give", 1, "There are no Cognito tokens in this session."),
        ("cognito-session attach --json < /dev/null", 64, '"error": "usage"'),
    ],
)
def test_what_cannot_be(pair: tuple[SshSession, SshSession], line: str, ended: int, text: str) -> None:
    _, receiver = pair
    done = receiver.command(line)
    assert done.status == ended and text in " ".join(done.output.split()), done


def test_a_session_that_has_tokens(pair: tuple[SshSession, SshSession]) -> None:
    giver, _ = pair
    attach(giver).ends(64, "This session already has tokens")


FORBIDDEN = "Tokens can be shared only between sessions of the"


def test_who_may_not(product: Product, pair: tuple[SshSession, SshSession]) -> None:
    """Root, a set-uid program, a process of another pid namespace."""
    machine = product.machine
    helper = "/run/attach-as"
    machine.run(["sh", "-c", f"cp /usr/bin/cognito-session {helper}; chown alice {helper}; chmod 4755 {helper}"])
    container = "unshare --pid --fork setpriv --reuid=alice --regid=alice --clear-groups"
    for terminal in (
        waiting_alone(machine, "root"),
        waiting_alone(machine, "root", command="cognito-session attach --give"),
        waiting_alone(machine, "bob", command=f"{helper} attach"),
        waiting_alone(machine, "root", as_root=container),
    ):
        terminal.expect(FORBIDDEN)
        assert terminal.wait() == 3
    machine.remove(helper)
    assert not offers(machine)


@pytest.mark.parametrize("kind", ["attach_request", "give_request"])
def test_who_may_not_by_the_agent(
    product: Product, agent: AgentProcess, pair: tuple[SshSession, SshSession], kind: str
) -> None:
    """The same, where a program of their own asks."""
    giver, _ = pair
    key = status(giver)["key"]
    rest = {"proof": agent.proof(key)} if kind == "give_request" else {}
    request = encode(kind, {"key": key, **rest})
    for caller in (
        ["setpriv", "--ruid=bob", "--euid=alice", "--clear-groups"],
        ["unshare", "--pid", "--fork", "setpriv", "--reuid=alice", "--regid=alice", "--clear-groups"],
    ):
        done = product.machine.run([*caller, *agent.client([request])])
        (answer,) = [decode(bytes.fromhex(line)) for line in done.stdout.splitlines()]
        assert refusal(answer) == "not_permitted", caller
    assert refusal(agent.exchange([request], "root")[-1]) in ("not_permitted", "no_session")
    assert not offers(product.machine)


def test_without_an_agent(product: Product, agent: AgentProcess, pair: tuple[SshSession, SshSession]) -> None:
    giver, receiver = pair
    with agent.away():
        for command in (attach(receiver), give(giver)):
            command.ends(5, "cognito-agent is not responding")


def test_the_session_not_the_user_id_proves_the_giver(
    product: Product, agent: AgentProcess, pair: tuple[SshSession, SshSession]
) -> None:
    """Whoever has the user id, knows the key's number and has read a code gives nothing without the secret."""
    giver, receiver = pair
    key = status(giver)["key"]
    waiting = attach(receiver)
    code = waiting.code()
    proof = agent.proof(key)
    for wrong in (bytes(16), bytes([proof[0] ^ 1]) + proof[1:], proof[:15] + bytes([proof[15] ^ 1])):
        answer = agent.ask("give_request", key=key, proof=wrong)
        assert refusal(answer) == "not_in_session"
    for person in ("bob", "carol"):
        assert refusal(agent.ask("give_request", person, key=key, proof=proof)) == "no_session"
    answers = agent.exchange([encode("give_request", {"key": key, "proof": proof})], stop_after=2)
    assert [answer.kind for answer in answers] == ["show", "ask"], "the right proof is one"
    interrupt(receiver)
    assert status(receiver)["state"] == "none" and code


def test_output_that_is_closed(pair: tuple[SshSession, SshSession]) -> None:
    """The message says that the request was completed."""
    giver, receiver = pair
    waiting = Command(receiver, "cognito-session attach >&-")
    code = waiting.code()
    giving = Command(giver, "cognito-session attach --give > /dev/full")
    giving.asked()
    giving.type(code)
    for command in (giving, waiting):
        command.ends(74, "The request was completed")
    assert status(receiver)["attached"]


def test_tmux_that_was_there_before(product: Product, sshd: Sshd, pair: tuple[SshSession, SshSession]) -> None:
    """Its keyring is that of the session that it was started in, and over; the pane's shell gets one of its own."""
    giver, receiver = pair
    assert receiver.command("tmux -L attach new-session -d -x 200 -y 50").status == 0
    receiver.logout()
    with sshd.open("alice", method="publickey") as later:
        later.terminal.type_line("tmux -L attach attach")
        tmux = lambda line: giver.command(f"tmux -L attach {line}")  # noqa: E731
        tmux("send-keys -t 0 'cognito-session attach' Enter")
        shown = lambda: tmux("capture-pane -p -J -t 0").output  # noqa: E731
        product.machine.wait_until(lambda: re.search(CODE.replace(r"\r", ""), shown()), "the code in tmux")
        code = re.search(CODE.replace(r"\r", ""), shown())[1]
        giving = give(giver)
        giving.asked()
        giving.type(code)
        assert giving.ended()[0] == 0
        product.machine.wait_until(lambda: "the other session ends" in shown(), "tokens in tmux")
        tmux("send-keys -t 0 'clear; cognito-session status --field attached' Enter")
        product.machine.wait_until(lambda: "true" in shown(), "the pane's shell has the tokens")
        tmux("kill-server")
        product.machine.wait_until(lambda: later.command("true").status == 0, "the shell that tmux was in")
        later.logout()
    assert status(giver)["state"] == "valid"


@pytest.mark.parametrize("first", ["giver", "receiver"])
def test_aws_credentials(product: Product, pair: tuple[SshSession, SshSession], identity_pool: str, first: str) -> None:
    """Made once, whichever of the two asks; and gone in both with the session that gave."""
    giver, receiver = pair
    hand_over(giver, receiver)
    product.configure(**settings(product, identity_pool))
    product.emulator.clear_requests()
    one, other = pair if first == "giver" else pair[::-1]
    assert credentials(one) == credentials(other) == credentials(one)
    assert product.operations() == ["GetId", "GetCredentialsForIdentity"]
    keys = [key for key in product.machine.keys() if key.description.startswith("cognito-aws:")]
    assert {(key.serial, key.permissions, key.uid) for key in keys} == {(keys[0].serial, "0b3f0000", 0)}
    for session in pair:
        assert "denied" in session.command(f"keyctl link {keys[0].serial} @u").output.lower()

    assert receiver.command("cognito-session sign-out --local").status == 0
    assert "aws" not in receiver.command("keyctl show @s").output
    assert credentials(giver)
    hand_over(giver, receiver)
    assert credentials(receiver) == credentials(giver)
    giver.logout()
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")
    assert made(product) == []
    assert receiver.command("cognito-session aws-credentials | cat; cognito-session --check").status != 0
