"""cognito-agent in a test machine, and clients of it that say whatever a test wants."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence

from .machine import Closing, Machine, MachineProcess
from .product import AGENT
from .worker_process import Message, codes, decode, encode

SOCKET = "/run/pam-cognito/agent.sock"
#: How often people have asked.
COUNTS = "/run/pam-cognito/counts"
REFUSALS = codes("AgentRefusal")
#: For as long as no token lives: renewed in any case.
ANYWAY = 10**9
#: What only a session's own programs get: by the secret beside its token key.
PROVEN = {
    "renew_request",
    "check_request",
    "hand_out",
    "credential_request",
    "give_request",
    "keep_request",
    "export_request",
    "pool_sessions_request",
}

# One connection: sends each packet of the argument's list, hexadecimal, and prints what comes back, a packet a line;
# `most` of them, then it is gone.
_CLIENT = """
import json, socket, sys
packets, wait, most = json.loads(sys.argv[1])
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(wait)
s.connect("/run/pam-cognito/agent.sock")
def receive():
    try:
        return s.recv(200000)
    except ConnectionResetError:
        # Said once, before what was sent last: the agent did not read everything.
        return s.recv(200000)
try:
    for packet in packets:
        s.send(bytes.fromhex(packet))
except BrokenPipeError:
    pass
try:
    while most != 0 and (answer := receive()):
        print(answer.hex(), flush=True)
        most -= 1
except TimeoutError:
    print("silence")
"""


# What systemd does with a socket unit (Accept=no): it starts the agent whenever somebody comes and none is there, and
# passes the socket on as sd_listen_fds(3) says.
_SOCKET_UNIT = f"""
import os, select, socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind("{SOCKET}")
os.chmod("{SOCKET}", 0o666)
s.listen(64)
while select.select([s], [], []):
    if (process := os.fork()) == 0:
        os.dup2(s.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
        os.execv("{AGENT}", ["{AGENT}", "listen"])
    os.waitpid(process, 0)
"""


class AgentProcess(Closing):
    """The agent in its listening mode; with `socket_unit` at a socket that is there before it, as systemd does it.

    `through` is a command before its own."""

    def __init__(self, machine: Machine, socket_unit: bool = False, through: Sequence[str] = ()):
        self.machine = machine
        machine.make_directory("/run/pam-cognito")
        machine.remove(SOCKET)
        command = ["python3", "-IS", "-c", _SOCKET_UNIT] if socket_unit else [AGENT, "listen"]
        self.process: MachineProcess = machine.start([*through, *command])
        machine.wait_until(lambda: self.process.ended or machine.exists(SOCKET), "the agent's socket")
        assert not self.process.ended

    def close(self) -> None:
        self.process.terminate()

    def servers(self) -> list[int]:
        """The processes that serve somebody now."""
        return self._agents(b"serve")

    def listeners(self) -> list[int]:
        """The processes that let others in."""
        return self._agents(b"listen")

    def listener(self) -> int:
        """The only one: while it starts a program, it looks like two."""
        (only,) = self.machine.wait_until(
            lambda: found if len(found := self.listeners()) == 1 else None, "a single listener"
        )
        return only

    def _agents(self, command: bytes) -> list[int]:
        agents = {
            process.pid: process.parent
            for process in self.machine.processes()
            if process.name == "cognito-agent" and process.arguments[1:] == (command,)
        }
        # A child that is about to become another program still looks like its parent.
        return [pid for pid, parent in agents.items() if parent not in agents]

    @staticmethod
    def client(packets: Sequence[bytes], wait: float = 60, stop_after: int = -1) -> list[str]:
        """The command of a client that sends packets on one connection, and prints what comes back."""
        return ["python3", "-IS", "-c", _CLIENT, json.dumps([[packet.hex() for packet in packets], wait, stop_after])]

    def exchange(
        self, packets: Sequence[bytes], user: str = "alice", wait: float = 60, stop_after: int = -1
    ) -> list[Message]:
        """Sends packets on one connection; what came back. After `stop_after` answers the client is gone."""
        done = self.machine.run(self.client(packets, wait, stop_after), user=user, timeout=wait + 30)
        assert done.returncode == 0, done.stderr
        assert "silence" not in done.stdout
        return [decode(bytes.fromhex(line)) for line in done.stdout.splitlines()]

    def proof(self, key: int) -> bytes | None:
        """What proves that somebody is in the session with that token key, as root sees it; None: there is nothing."""
        keys = self.machine.keys(payloads=True)
        token = next((found for found in keys if found.serial == key), None)
        secret = token and next(
            (found for found in keys if found.path == token.path and found.description.startswith("cognito-secret:")),
            None,
        )
        return secret and secret.payload

    def ask(self, kind: str, user: str = "alice", **fields: object) -> Message:
        """One request and its one answer, from a program of the session unless `proof` says otherwise."""
        if kind in PROVEN and "proof" not in fields:
            fields["proof"] = self.proof(int(fields["key"]))
        answers = self.exchange([encode(kind, fields)], user)
        assert len(answers) == 1, answers
        return answers[0]

    def renew(self, key: int, minimum_life: int = ANYWAY, user: str = "alice") -> Message:
        return self.ask("renew_request", user, key=key, minimum_life=minimum_life, asked_at=2**62)

    def registered(self) -> Message:
        """What root is told of the registry's only session."""
        session, end = self.exchange([encode("registry_request", {})], "root")
        assert (session.kind, end.kind) == ("registered_session", "complete")
        return session

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Nobody finds its socket until the end of the block."""
        self.machine.run(["mv", SOCKET, f"{SOCKET}.away"], check=True)
        try:
            yield
        finally:
            self.machine.run(["mv", f"{SOCKET}.away", SOCKET], check=True)

    def forget_turns(self) -> None:
        """Everybody may ask as often as at first."""
        self.machine.run(["rm", "-rf", COUNTS], check=True)


def refusal(message: Message) -> str:
    """Why it said no."""
    assert message.kind == "refused", message
    return REFUSALS[message.fields["refusal"]]


def sign_in(shell, *answers: str, options: str = "") -> str:
    """Types `cognito-session sign-in` into a shell and answers its questions; what was said."""
    shell.terminal.type_line(f"cognito-session sign-in {options}; echo status=$?.")
    for answer in answers:
        shell.terminal.expect_exact(": ")
        shell.terminal.type_line(answer)
    shell.terminal.expect(r"status=\d+\.")
    return shell.terminal.before + shell.terminal.after
