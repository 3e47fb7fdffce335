"""A client that is no OpenSSH: paramiko, which answers every request of sshd with all answers at once."""

import ctypes
import os
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import paramiko

from .hosts import Answer, Sshd
from .machine import GENEROUS, Machine

_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def connection(machine: Machine, port: int) -> socket.socket:
    """A connection inside the machine: a thread goes to its network, and a socket stays where it was made."""
    made: list[socket.socket | OSError] = []

    def make() -> None:
        network = os.open(f"/proc/{machine.init_pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            if _libc.setns(network, _CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            made.append(socket.create_connection(("127.0.0.1", port), GENEROUS))
        except OSError as error:
            made.append(error)
        finally:
            os.close(network)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]


@dataclass
class LibrarySession:
    """One sign-in with paramiko: what it was asked, request by request, and the output of the command."""

    accepted: bool = False
    prompts: list[str] = field(default_factory=list)
    #: How many questions each request had.
    sizes: list[int] = field(default_factory=list)
    output: str = ""


def _transport(server: Sshd) -> paramiko.Transport:
    transport = paramiko.Transport(connection(server.machine, server.port))
    transport.start_client(timeout=GENEROUS)
    return transport


def sign_in(server: Sshd, user: str, answers: Sequence[Answer], command: str = "true") -> LibrarySession:
    """keyboard-interactive with prepared answers, one for each question."""
    session, left = LibrarySession(), list(answers)

    def answer(title: str, instructions: str, questions: list[tuple[str, bool]]) -> list[str]:
        session.sizes.append(len(questions))
        given = []
        for question, _ in questions:
            session.prompts.append(f"{title}{instructions}{question}")
            following = left.pop(0) if left else ""
            given.append(str(following(session.prompts[-1]) if callable(following) else following))
        return given

    transport = _transport(server)
    try:
        transport.auth_interactive(user, answer)
        session.accepted = transport.is_authenticated()
        if session.accepted:
            channel = transport.open_session(timeout=GENEROUS)
            channel.exec_command(command)
            with channel.makefile() as stream:
                session.output = stream.read().decode()
            channel.recv_exit_status()
    except paramiko.AuthenticationException:
        pass
    finally:
        transport.close()
    return session


def sign_in_with_password(server: Sshd, user: str, password: str) -> bool:
    """What a program does that knows passwords only; where the server has no such method, every question gets it."""
    transport = _transport(server)
    try:
        transport.auth_password(user, password, fallback=True)
        return transport.is_authenticated()
    except (paramiko.AuthenticationException, paramiko.SSHException):
        return False
    finally:
        transport.close()
