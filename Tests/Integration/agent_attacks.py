"""Local people who wish the agent ill, and a victim who wants something of it meanwhile.

Each attack is a program that goes on until it is ended. It runs as an account without rights, or as many user ids that
no account has, as somebody with subordinate ids (subuid(5)) can.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

from .agent_process import SOCKET
from .machine import Machine
from .worker_process import encode

#: The first of the ids that no account of a test machine has.
SUBORDINATE = 3_000_000

_COMMON = f"""
import itertools, os, resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (900, 900))
def connect(wait=None):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(wait)
    s.connect("{SOCKET}")
    return s
def processes(count, users=None):
    # As many of these, which end with the first one; in each, its number.
    for number in range(1, count):
        if os.fork() == 0:
            break
    else:
        number = 0
    if users:
        os.setgroups([])
        os.setgid(users + number)
        os.setuid(users + number)
    return number
"""

_REQUEST = encode("check_request", {"key": 1, "online": 0})
_RECOVERY = encode("recover_request", {})

#: What is done, in words -> the program. `{work}` is done by each process.
_CONNECT_AND_CLOSE = """
while True:
    try:
        connect().close()
    except OSError:
        pass
"""
_HOLD = """
held = []
while True:
    try:
        held.append(connect(0.05))
        {say}
    except OSError:
        # No more of them: those that were closed meanwhile make room.
        for s in held:
            s.setblocking(False)
        def is_open(s):
            try:
                return s.recv(10000) != b""
            except BlockingIOError:
                return True
            except OSError:
                return False
        held = [s for s in held if is_open(s)] if len(held) < 600 else []
"""
_ASK = """
while True:
    try:
        s = connect()
        s.send({packet!r})
        {then}
    except OSError:
        pass
"""
# A socket whose closing waits for its other end, which never reads. Where it is sent, its last owner is the receiver.
_LINGER = """
import array, struct
peer = socket.create_server(("127.0.0.1", 0), backlog=200)
for _ in range(200):
    sent = socket.create_connection(peer.getsockname())
    sent.setblocking(False)
    try:
        while True:
            sent.send(bytes(65536))
    except BlockingIOError:
        sent.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 600))
    try:
        connect().sendmsg([], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [sent.fileno()]))])
    except OSError:
        pass
    sent.close()
time.sleep(600)
"""
ATTACKS = {
    "connects and closes": "processes(1)\n" + _CONNECT_AND_CLOSE,
    "connects and closes, 32 processes": "processes(32)\n" + _CONNECT_AND_CLOSE,
    "silent connections": "processes(1)\n" + _HOLD.format(say="pass"),
    "silent connections, 32 processes": "processes(32)\n" + _HOLD.format(say="pass"),
    "half requests": "processes(8)\n" + _HOLD.format(say="held[-1].send(b'\\x01')"),
    "requests": "processes(1)\n" + _ASK.format(packet=_REQUEST, then="s.recv(10000)"),
    "requests, 32 processes": "processes(32)\n" + _ASK.format(packet=_REQUEST, then="s.close()"),
    "questions without an answer": "processes(8)\n" + _HOLD.format(say=f"held[-1].send({_RECOVERY!r})"),
    "sockets that linger": "processes(1)\n" + _LINGER,
    "silent connections of 64 user ids": f"processes(64, {SUBORDINATE})\n" + _HOLD.format(say="pass"),
    "requests of 64 user ids": f"processes(64, {SUBORDINATE})\n" + _ASK.format(packet=_REQUEST, then="s.close()"),
    "requests of ever new user ids": (
        "processes(4)\n"
        + f"""
for uid in itertools.cycle(range({SUBORDINATE}, {SUBORDINATE} + 65536)):
    os.setegid(uid)
    os.seteuid(uid)
    try:
        s = connect(1)
        s.send({_REQUEST!r})
        s.close()
    except OSError:
        pass
    os.seteuid(0)
    os.setegid(0)
"""
    ),
}
#: Those for which rights are needed first, to be many people.
AS_ROOT = {name for name in ATTACKS if "user ids" in name}

# Asks `count` times, one after the other, as the tool does, for at most `seconds`: the answers, empty where there was
# none in spite of trying again, in how many seconds, and how long the longest took.
_VICTIM = f"""
import json, socket, struct, sys, time
count, seconds, packet = json.loads(sys.argv[1])
def once():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # It waits where the queue is full, which a socket with a time-out of Python's does not.
    for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
        s.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", 10, 0))
    try:
        s.connect("{SOCKET}")
        s.send(bytes.fromhex(packet))
        return s.recv(100000)
    except OSError:
        return b""
    finally:
        s.close()
def ask():
    for pause in [0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6]:
        time.sleep(pause)
        if answer := once():
            return answer
answers, longest, begun = [], 0, time.monotonic()
while len(answers) < count and time.monotonic() - begun < seconds:
    before = time.monotonic()
    answers.append((ask() or b"").hex())
    longest = max(longest, time.monotonic() - before)
print(json.dumps({{"answers": answers, "seconds": time.monotonic() - begun, "longest": longest}}))
"""


@contextlib.contextmanager
def attack(machine: Machine, name: str, user: str = "bob") -> Iterator[None]:
    """It goes on meanwhile."""
    process = machine.start(
        ["python3", "-IS", "-c", _COMMON + ATTACKS[name]], user=None if name in AS_ROOT else user, stderr="/dev/null"
    )
    try:
        yield
        assert not process.ended
    finally:
        process.end_group()


def ask_meanwhile(machine: Machine, count: int, seconds: float = 60, user: str = "alice") -> dict:
    """What a victim gets who asks, one request after the other."""
    arguments = json.dumps([count, seconds, _REQUEST.hex()])
    done = machine.run(["python3", "-IS", "-c", _VICTIM, arguments], user=user, timeout=seconds + 60, check=True)
    return json.loads(done.stdout)
