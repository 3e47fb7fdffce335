"""The ways a session can end: however it does, one round of the reaper later Cognito refuses its tokens.

A covering array of the factors below; the host is a real one, and the judge is what the service says of the tokens.
"""

import contextlib
import signal
from collections.abc import Iterator

import pytest

from .covering import Cell, covering_array, pairs, wanted_pairs
from .hosts import Session, Sshd, allow_sudo, login, su, sudo
from .machine import Machine, MachineError
from .pam_driver import PamDriver
from .product import RIGHT, Product

FACTORS = {
    "host": ["sshd password", "sshd keyboard-interactive", "login", "su", "sudo"],
    "end": [
        "exit",
        "client gone",
        "SIGTERM",
        "SIGHUP",
        "SIGKILL",
        "child killed",
        "worker killed",
        "killed while closing",
    ],
    "cognito": ["up", "down", "slow", "throttling", "500"],
    "tokens": ["fresh", "expired", "destroyed", "replaced", "keyring full"],
    "keyinit": ["before", "after", "absent"],
    "beside": ["alone", "second session"],
    "mode": ["global", "last", "session", "none"],
}
SIGNALS = {"SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "SIGKILL": signal.SIGKILL}
FAULTS = {"slow": ("hang", {}), "throttling": ("throttle", {}), "500": ("html_500", {})}


def possible(cell: Cell) -> bool:
    """No worker is started where the tokens may live, so none can be killed."""
    return not (cell.get("mode") == "none" and cell.get("end") in ("worker killed", "killed while closing"))


CELLS = covering_array(FACTORS, possible)
STACK = "auth required pam_cognito.so\naccount required pam_cognito.so\n"
KEYINIT = "session optional pam_keyinit.so force revoke\n"
OURS = "session required pam_cognito.so\n"


def test_array() -> None:
    """Every pair of values that may meet does, and there are not more cells than there may be."""
    covered = set().union(*(pairs(cell) for cell in CELLS))
    assert covered >= wanted_pairs(FACTORS, possible)
    assert all(possible(cell) and cell.keys() == FACTORS.keys() for cell in CELLS)
    assert len(CELLS) <= 250


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product) -> Iterator[Sshd]:
    # sudo asks for the password of whoever is to be become: otherwise it delivers nothing.
    allow_sudo(machine, "bob", defaults=("passwd_tries=1", "!lecture", "targetpw"))
    with Sshd(machine) as server:
        yield server


def open_host(cell: Cell, product: Product, sshd: Sshd) -> tuple[Session, int]:
    """The session, and the process in which PAM's hooks run."""
    machine = product.machine
    match cell["host"].split():
        case ["sshd", method]:
            session = sshd.open("alice", RIGHT, method=method)
            assert session.accepted, session.seen
            return session, session.monitor_pid
        case ["login"]:
            session = login(machine, "alice", RIGHT)
        case ["su"]:
            session = su(machine, "bob", "alice", RIGHT)
        case _:
            session = sudo(machine, "bob", "alice", RIGHT)
    assert session.accepted, session.seen
    return session, session.host_pid


def trouble_tokens(cell: Cell, product: Product, session: Session) -> None:
    key = f"$(keyctl search @s user {product.key_description})"
    match cell["tokens"]:
        case "expired":
            product.machine.run(["sleep", "2.1"])
        case "destroyed":
            session.command(f"keyctl invalidate {key}")
        case "replaced":
            session.command(f"keyctl unlink {key} @s; keyctl add user {product.key_description} mine @s")


@contextlib.contextmanager
def full_keyring(cell: Cell, machine: Machine) -> Iterator[None]:
    if cell["tokens"] != "keyring full":
        yield
        return
    fill = "i=0; while keyctl add user filler$i x @u >/dev/null 2>&1; do i=$((i+1)); done"
    machine.run(["sh", "-c", fill], user="alice", timeout=60)
    try:
        yield
    finally:
        machine.run(["keyctl", "clear", "@u"], user="alice")


def trouble_cognito(cell: Cell, product: Product) -> None:
    if cell["cognito"] == "down":
        product.emulator.down()
    elif cell["cognito"] != "up":
        kind, arguments = FAULTS[cell["cognito"]]
        product.emulator.fault("*", kind, **arguments)
    elif cell["end"] in ("worker killed", "killed while closing"):
        product.emulator.fault("*", "delay", seconds=0.5)


def worker_of(machine: Machine) -> int | None:
    found = [process.pid for process in machine.processes() if process.name == "cognito-worker"]
    return found[0] if found else None


def is_gone(machine: Machine, pid: int) -> bool:
    return not (machine.proc / str(pid)).exists()


def end(cell: Cell, machine: Machine, session: Session, host: int) -> None:
    how = cell["end"]
    if how in SIGNALS:
        machine.kill(host, SIGNALS[how])
    elif how == "client gone":
        session.hang_up()
    elif how == "child killed":
        machine.kill(session.shell_pid)
    else:
        session.leave()
    if how in ("worker killed", "killed while closing"):
        machine.wait_until(lambda: worker_of(machine), "the worker of the sign-out")
        with contextlib.suppress(ProcessLookupError):
            machine.kill(worker_of(machine) if how == "worker killed" else host)
    # Some shells and hosts do not mind a signal; what ends them then is that their terminal goes.
    with contextlib.suppress(MachineError):
        machine.wait_until(lambda: is_gone(machine, host), "the host's end", 1.5)
    if not is_gone(machine, host):
        session.hang_up()
        machine.wait_until(lambda: is_gone(machine, host), "the host's end")


def alive(product: Product, client_id: str) -> list[str]:
    sessions = product.emulator.sessions(product.pool["pool_id"], "alice")
    return [session["origin_jti"] for session in sessions if session["alive"] and session["client_id"] == client_id]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: ", ".join(cell[name] for name in FACTORS))
def test_ending(cell: Cell, product: Product, sshd: Sshd) -> None:
    machine = product.machine
    changes = {"sign_out": cell["mode"], "sign_out_wait": "1s", "welcome": "no", "isolate_sessions": "no"}
    if cell["tokens"] == "expired":
        client = product.emulator.app_client(product.pool["pool_id"], access_token_seconds=2)
        changes |= {"client_id": client["client_id"], "client_secret_file": None}
    product.configure(**changes)
    session_lines = {"before": KEYINIT + OURS, "after": OURS + KEYINIT, "absent": OURS}[cell["keyinit"]]
    service = cell["host"].split()[0]
    client_id = changes.get("client_id", product.pool["client_id"])
    with contextlib.ExitStack() as stack:
        stack.enter_context(machine.preserved(f"/etc/pam.d/{service}"))
        stack.callback(product.configure)
        before = set(alive(product, client_id))
        other: set[str] = set()
        if cell["beside"] == "second session":
            companion = stack.enter_context(PamDriver(machine, "alone", "alice"))
            assert companion.authenticate(RIGHT).code == "PAM_SUCCESS"
            assert companion.call("open_session").code == "PAM_SUCCESS"
            other = set(alive(product, client_id)) - before
        stack.enter_context(full_keyring(cell, machine))
        machine.pam(service, STACK + session_lines)
        session, host = open_host(cell, product, sshd)
        stack.enter_context(session)
        mine = set(alive(product, client_id)) - before - other
        assert len(mine) == 1, "the session's own tokens"
        trouble_tokens(cell, product, session)
        trouble_cognito(cell, product)
        end(cell, machine, session, host)

        product.emulator.up()
        product.emulator.clear_faults()
        # Whoever goes on by itself would only be quicker.
        while worker := worker_of(machine):
            with contextlib.suppress(ProcessLookupError):
                machine.kill(worker)
        entries = len(product.entries())
        reaped = product.reap()
        assert reaped.returncode == 0 and not reaped.stderr, (entries, reaped)
        left = set(alive(product, client_id))
        assert bool(left & mine) == (cell["mode"] == "none"), reaped
        spared = cell["mode"] != "global"
        assert (left & other == other) if spared else not left & other, reaped
        assert len(product.entries()) == len(other), "what is left in the registry"
        if other:
            companion.call("close_session")
            assert not product.entries()
