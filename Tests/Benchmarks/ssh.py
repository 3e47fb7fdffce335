"""`ssh host true`, as the person at the client waits for it."""

import ctypes
import time

from Integration.hosts import Sshd
from Integration.machine import Machine, MachineError
from Integration.product import LOCAL, RIGHT, Product

from .figures import Subject
from .tools import only


def _debian_hash(password: str) -> str:
    """As passwd(1) makes it: yescrypt at its usual cost, not the cheap hash of the tests."""
    library = ctypes.CDLL("libcrypt.so.1")
    library.crypt_gensalt.restype = library.crypt.restype = ctypes.c_char_p
    return library.crypt(password.encode(), library.crypt_gensalt(b"$y$", 0, None, 0)).decode()


def add_local_user(machine: Machine) -> None:
    """dora, whom pam_unix knows."""
    if machine.run(["id", "dora"]).returncode:
        machine.add_user("dora", password_field=_debian_hash(LOCAL))


def measure(product: Product, count: int = 11) -> Subject:
    subject = Subject("ssh, from its start to the end of `true` (real sshd, keyboard-interactive)")
    machine = product.machine
    add_local_user(machine)
    only(machine, "sshd-local", "pam_unix.so")
    times: dict[str, list[float]] = {}
    with Sshd(machine) as shipped, Sshd(machine, pam_service="sshd-local", port=2223) as local:
        for run in range(count + 1):
            for name, server, user, password in (
                ("a Cognito user", shipped, "alice", RIGHT),
                ("a local user, the same service files", shipped, "dora", LOCAL),
                ("a local user, pam_unix and nothing else", local, "dora", LOCAL),
            ):
                begun = time.monotonic()
                result = server.run(user, password, method="keyboard-interactive", wait_for_server=False)
                taken = time.monotonic() - begun
                if not result.accepted:
                    raise MachineError(f"{name}: {result}")
                # So that nobody's sign-out falls into the next one's time.
                machine.wait_until(lambda server=server: not server.connection_pids(), "the server's end")
                if run:
                    times.setdefault(name, []).append(taken * 1000)
    for name, values in times.items():
        subject.add(name, values)
    subject.note("The local user's password is hashed as Debian does it (yescrypt).")
    return subject
