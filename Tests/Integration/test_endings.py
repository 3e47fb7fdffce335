"""The ways a session can end: however it does, one round of the reaper later Cognito refuses its tokens.

A covering array of the factors below; the host is a real one, and the judge is what the service says of the tokens.
"""

import contextlib
import functools
import signal
import threading
from collections.abc import Iterator

import pytest

from .covering import Cell, covering_array, pairs, wanted_pairs
from .hosts import Session, Sshd, allow_sudo, login, su, sudo
from .machine import Machine, MachineError
from .pam_driver import CronOrder
from .product import RIGHT, Product

FACTORS = {
    "host": ["sshd password", "sshd keyboard-interactive", "login", "su", "sudo", "cron"],
    "end": [
        "exit",
        "client gone",
        "SIGTERM",
        "SIGHUP",
        "SIGKILL",
        "child killed",
        "child terminated",
        "child hung up",
        "worker killed",
        "killed while closing",
    ],
    "cognito": [
        *["up", "down", "lost", "slow", "throttling", "500"],
        *["GlobalSignOut refused", "GlobalSignOut throttled", "GlobalSignOut late"],
    ],
    "tokens": ["fresh", "expired", "rotated", "destroyed", "replaced", "keyring full"],
    "keyinit": ["before", "after", "absent"],
    "beside": ["alone", "second session", "both at once"],
    "mode": ["global", "last", "session", "none"],
}
SIGNALS = {"SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "SIGKILL": signal.SIGKILL}
CHILD_SIGNALS = {"child killed": signal.SIGKILL, "child terminated": signal.SIGTERM, "child hung up": signal.SIGHUP}
#: What can happen to a cron job.
OF_JOBS = {"exit", *SIGNALS, *CHILD_SIGNALS}
FAULTS = {
    "slow": ("*", "hang", {}),
    "throttling": ("*", "throttle", {}),
    "500": ("*", "html_500", {}),
    "GlobalSignOut refused": ("GlobalSignOut", "error", {"name": "PasswordResetRequiredException"}),
    "GlobalSignOut throttled": ("GlobalSignOut", "throttle", {}),
    # Longer than a logout waits.
    "GlobalSignOut late": ("GlobalSignOut", "delay", {"seconds": 1.5}),
}


def possible(cell: Cell) -> bool:
    """No worker is started where the tokens may live, so none can be killed; and cron signs nobody in."""
    if cell.get("host") == "cron":
        return cell.get("end", "exit") in OF_JOBS and cell.get("tokens", "fresh") == "fresh"
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


#: What a person can do with the refresh token of their session: use it.
USE_TOKEN = """
import json, ssl, sys, urllib.request
endpoint, ca, client_id = sys.argv[1:]
body = json.dumps({"RefreshToken": sys.stdin.read(), "ClientId": client_id}).encode()
headers = {
    "X-Amz-Target": "AWSCognitoIdentityProviderService.GetTokensFromRefreshToken",
    "Content-Type": "application/x-amz-json-1.1",
}
context = ssl.create_default_context(cafile=ca)
urllib.request.urlopen(urllib.request.Request(endpoint + "/", body, headers), context=context).read()
"""


def use_refresh_token(product: Product, client_id: str) -> None:
    """The person renews the tokens by themselves: what the registry has is rotated away."""
    description = f"cognito:{product.pool['pool_id']}:{client_id}"
    [payload] = [key.payload for key in product.machine.keys(payloads=True) if key.description == description][-1:]
    token = product.tokens((payload or b"").decode()).refresh
    arguments = [product.emulator.endpoint, str(product.emulator.ca), client_id]
    product.machine.run(["python3", "-IS", "-c", USE_TOKEN, *arguments], user="alice", input=token, check=True)


def trouble_tokens(cell: Cell, product: Product, session: Session, client_id: str) -> None:
    key = f"$(keyctl search @s user {product.key_description})"
    match cell["tokens"]:
        case "expired":
            product.machine.run(["sleep", "2.1"])
        case "rotated":
            use_refresh_token(product, client_id)
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


def lose_network(product: Product) -> None:
    """What the service sends is lost on its way, also on connections that stand: nobody hears anything any more."""
    # The rules for this machine's own addresses usually come before all others.
    own = "ip rule show | grep -q '^0:' && ip rule add pref 100 lookup local && ip rule del pref 0"
    product.machine.run(["sh", "-c", own])
    # TCP by its number: its name is in /etc/protocols, which a minimal Debian does not have.
    rule = ["pref", "1", "ipproto", "6", "sport", str(product.emulator.port), "blackhole"]
    product.machine.run(["ip", "rule", "add", *rule], check=True)


def find_network(product: Product) -> None:
    product.machine.run(["ip", "rule", "del", "pref", "1"], check=True)


def trouble_cognito(cell: Cell, product: Product) -> None:
    if cell["end"] in ("worker killed", "killed while closing"):
        # A refusal that comes at once would end the worker before it is seen.
        product.emulator.fault("*", "delay", seconds=2)
    if cell["cognito"] == "down":
        product.emulator.down()
    elif cell["cognito"] == "lost":
        lose_network(product)
    elif cell["cognito"] != "up":
        operation, kind, arguments = FAULTS[cell["cognito"]]
        product.emulator.fault(operation, kind, **arguments)


def worker_of(machine: Machine) -> int | None:
    found = machine.pids("cognito-worker")
    return found[0] if found else None


def is_gone(machine: Machine, pid: int) -> bool:
    return not (machine.proc / str(pid)).exists()


def end(cell: Cell, machine: Machine, session: Session, host: int) -> None:
    how = cell["end"]
    if how in SIGNALS:
        machine.kill(host, SIGNALS[how])
    elif how == "client gone":
        session.hang_up()
    elif how in CHILD_SIGNALS:
        machine.kill(session.shell_pid, CHILD_SIGNALS[how])
    else:
        session.leave()
    if how in ("worker killed", "killed while closing"):
        # Of a service that answers at once it may be gone again by the next look.
        worker = machine.wait_until(lambda: worker_of(machine), "the worker of the sign-out")
        with contextlib.suppress(ProcessLookupError):
            machine.kill(worker if how == "worker killed" else host)
    # Some shells and hosts do not mind a signal; what ends them then is that their terminal goes.
    with contextlib.suppress(MachineError):
        machine.wait_until(lambda: is_gone(machine, host), "the host's end", 1.5)
    if not is_gone(machine, host):
        session.hang_up()
        machine.wait_until(lambda: is_gone(machine, host), "the host's end")


def alive(product: Product, client_id: str) -> list[str]:
    sessions = product.emulator.sessions(product.pool["pool_id"], "alice")
    return [session["origin_jti"] for session in sessions if session["alive"] and session["client_id"] == client_id]


class Job:
    """A cron job, in the order of cron's calls; it has no terminal, and nobody has signed in to it."""

    def __init__(self, machine: Machine):
        self.driver = CronOrder(machine, "alice", observe=False)
        self.driver.call("acct_mgmt", "SILENT")
        self.driver.call("setcred", ("ESTABLISH", "SILENT"))
        assert self.driver.call("open_session", "SILENT").code == "PAM_SUCCESS"

    def end(self, cell: Cell, machine: Machine) -> None:
        how = cell["end"]
        if how in SIGNALS:
            machine.kill(self.driver.pid, SIGNALS[how])
        else:
            number = CHILD_SIGNALS.get(how)
            self.driver.job(
                "alice", f"kill -{int(number)} $$" if number else "true", setcred=("REINITIALIZE", "SILENT")
            )
            self.driver.call("setcred", ("DELETE", "SILENT"))
            self.driver.call("close_session", "SILENT")
        self.driver.close()


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: ", ".join(cell[name] for name in FACTORS))
def test_ending(cell: Cell, product: Product, sshd: Sshd) -> None:
    machine = product.machine
    changes = {"sign_out": cell["mode"], "sign_out_wait": "1s", "welcome": "no", "isolate_sessions": "no"}
    if cell["tokens"] in ("expired", "rotated"):
        options = {"access_token_seconds": 2} if cell["tokens"] == "expired" else {"rotation": True}
        client = product.emulator.app_client(product.pool["pool_id"], **options)
        changes |= {"client_id": client["client_id"], "client_secret_file": None}
    product.configure(**changes)
    session_lines = {"before": KEYINIT + OURS, "after": OURS + KEYINIT, "absent": OURS}[cell["keyinit"]]
    service = cell["host"].split()[0]
    client_id = changes.get("client_id", product.pool["client_id"])
    with contextlib.ExitStack() as stack:
        stack.enter_context(machine.preserved(f"/etc/pam.d/{service}"))
        before = set(alive(product, client_id))
        companion, other = None, set()
        if cell["beside"] != "alone":
            companion = stack.enter_context(product.signed_in())
            other = set(alive(product, client_id)) - before
        stack.enter_context(full_keyring(cell, machine))
        machine.pam(service, STACK + session_lines)
        if cell["host"] == "cron":
            ending = functools.partial(Job(machine).end, cell, machine)
        else:
            session, host = open_host(cell, product, sshd)
            stack.enter_context(session)
            ending = functools.partial(end, cell, machine, session, host)
        mine = set(alive(product, client_id)) - before - other
        assert len(mine) == (cell["host"] != "cron"), "the session's own tokens"
        if mine:
            trouble_tokens(cell, product, session, client_id)
        mark = machine.log_mark()
        trouble_cognito(cell, product)
        if companion and cell["beside"] == "both at once":
            at_once = threading.Thread(target=companion.call, args=["close_session"])
            at_once.start()
            ending()
            at_once.join()
        else:
            ending()

        if cell["cognito"] == "lost":
            find_network(product)
        if cell["cognito"] == "GlobalSignOut late":
            # What is on its way arrives.
            machine.wait_until(lambda: not worker_of(machine), "the end of the worker")
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
        assert bool(left & mine) == (bool(mine) and cell["mode"] == "none"), reaped
        if cell["beside"] == "both at once":
            spared, open_sessions = cell["mode"] == "none", 0
        else:
            # A job that signed nobody in signs nobody out.
            spared, open_sessions = cell["mode"] != "global" or not mine, len(other)
        words = " ".join(line.message for line in machine.log(mark, containing="signed out; user='alice'"))
        words += reaped.stdout
        if not spared and cell["beside"] != "both at once" and "outcome=only_this_session" in words:
            # Refused; or carried out without an answer, so that the next attempt has found the session over.
            # Whose refresh token was rotated away cannot ask which: it says that others may go on.
            unknown = cell["tokens"] == "rotated" and "reason=not_renewed" in words
            assert cell["cognito"] == "GlobalSignOut refused" or "reason=already_revoked" in words or unknown, words
            spared = None if unknown else "reason=already_revoked" not in words
        assert spared is None or ((left & other == other) if spared else not left & other), (reaped, words)
        assert not ("outcome=revoked_everywhere" in words and left & other), words
        assert len(product.entries()) == open_sessions, "what is left in the registry"
        if companion:
            companion.call("close_session")
            assert not product.entries()
