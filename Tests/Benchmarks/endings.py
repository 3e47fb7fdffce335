"""What the end of a session costs the person who waits for it, and the reaper what was left."""

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence

from Integration.hosts import Sshd, su
from Integration.machine import REPOSITORY, Machine, MachineError
from Integration.pam_driver import PamDriver
from Integration.product import AGENT, RIGHT, Product

from .figures import Subject

#: What Cognito does at the end, besides what it always does.
_STATES = {
    "at once": None,
    "after a second": ("delay", {"seconds": 1.0}),
    "never": ("hang", {}),
    "and is not there": None,
    "with 429": ("throttle", {}),
}


@contextlib.contextmanager
def _cognito(product: Product, state: str) -> Iterator[None]:
    if fault := _STATES[state]:
        product.emulator.fault("*", fault[0], **fault[1])
    elif state == "and is not there":
        product.emulator.down()
    try:
        yield
    finally:
        product.emulator.clear_faults()
        product.emulator.up()


def _see_through(product: Product) -> None:
    """Nothing of this session is left for the next one."""
    machine = product.machine
    for process in machine.processes():
        if process.name == "cognito-worker":
            with contextlib.suppress(ProcessLookupError):
                machine.kill(process.pid)
    product.reap("--now")
    if product.entries():
        raise MachineError("a session is left")


def measure_close(product: Product, count: int = 5) -> Subject:
    """From `exit` until the person's terminal is free again."""
    subject = Subject("Leaving: from `exit` until the terminal is free, as Cognito answers ... (sign_out_wait is 5 s)")
    machine = product.machine
    with Sshd(machine) as server:
        for state in _STATES:
            times: dict[str, list[float]] = {"ssh": [], "su": []}
            # What does not answer takes the time that is set.
            for _ in range(2 if state == "never" else count):
                for host, values in times.items():
                    session = server.open("alice", RIGHT) if host == "ssh" else su(machine, "bob", "alice", RIGHT)
                    with session, _cognito(product, state):
                        begun = time.monotonic()
                        session.leave()
                        session.terminal.wait()
                        values.append((time.monotonic() - begun) * 1000)
                    machine.wait_until(lambda: not server.connection_pids(), "the server's end")
                    _see_through(product)
            for host, values in times.items():
                subject.add(f"{host}, {state}", values)
    subject.note("The ssh client does not wait for close_session: sshd's monitor does that after the connection's end.")
    return subject


_BOTH = ("no", "yes")
#: Milliseconds for what `journal = yes` writes, by hand: a file made anew, written, synced, renamed, its folder synced.
_WRITE = """
import os, sys, time
os.chdir(sys.argv[1])
for _ in range(int(sys.argv[2])):
    begun = time.monotonic()
    file = os.open(".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(file, b"x" * 400)
    os.fsync(file)
    os.close(file)
    os.rename(".new", "record")
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    print((time.monotonic() - begun) * 1000)
"""


def measure_journal(product: Product, count: int = 15) -> Subject:
    """What it costs whoever signs in and out that it is on disk, too."""
    subject = Subject("journal = yes beside journal = no: pam_open_session and pam_close_session, in turns")
    machine = product.machine
    times: dict[str, list[float]] = {f"{call}, journal = {value}": [] for call in ("open", "close") for value in _BOTH}
    for _ in range(count):
        for value in _BOTH:
            product.configure(journal=value, welcome="no")
            with PamDriver(machine, "alone", "alice", observe=False) as driver:
                driver.authenticate(RIGHT)
                for call in ("open", "close"):
                    begun = time.monotonic()
                    driver.call(f"{call}_session")
                    times[f"{call}, journal = {value}"].append((time.monotonic() - begun) * 1000)
            _see_through(product)
    for name, values in times.items():
        subject.add(name, values)
    write = ["/usr/bin/python3", "-c", _WRITE, "/var/lib/pam-cognito/journal", str(count)]
    by_hand = {"the same folder": machine.run(write, check=True).stdout}
    with tempfile.TemporaryDirectory(dir=REPOSITORY / ".build") as folder:
        write[3] = folder
        by_hand["this checkout's disk"] = subprocess.run(write, check=True, capture_output=True, text=True).stdout
    for where, said in by_hand.items():
        subject.add(f"written and synced by hand, {where}", map(float, said.split()))
    machine.run(["rm", "-rf", "/var/lib/pam-cognito"], check=True)
    product.configure()
    subject.note("The machine's folder may be memory, where syncing costs nothing: add what the disk takes.")
    return subject


#: What is in the folder of sign-out hooks; None: it is not there.
_HOOKS = {
    "without the folder": None,
    "the folder is empty": {},
    "one hook that ends at once": {"50-hook": "#!/bin/sh\n"},
    "one hook that sleeps for 2 s": {"50-hook": "#!/bin/sh\nsleep 2\n"},
}


@contextlib.contextmanager
def _hooks(machine: Machine, hooks: dict[str, str] | None) -> Iterator[None]:
    folder = "/etc/pam-cognito/sign-out.d"
    if hooks is not None:
        machine.make_directory(folder)
        for name, script in hooks.items():
            machine.write(f"{folder}/{name}", script, 0o755)
    try:
        yield
    finally:
        machine.run(["rm", "-rf", folder], check=True)


def measure_hooks(product: Product, count: int = 11) -> Subject:
    """close_session itself, with hooks to start and without; each in turn."""
    subject = Subject("close_session, as sign-out hooks there are ... (sign_out = session)")
    machine = product.machine
    product.configure(sign_out="session", welcome="no")
    times: dict[str, list[float]] = {name: [] for name in _HOOKS}
    for _ in range(count):
        for name, hooks in _HOOKS.items():
            with _hooks(machine, hooks), PamDriver(machine, "alone", "alice", observe=False) as driver:
                driver.sign_in(RIGHT)
                closed = driver.call("close_session")
                if not closed.succeeded:
                    raise MachineError(f"close_session: {closed}")
                times[name].append(closed.seconds * 1000)
                machine.wait_until(
                    lambda: not [process for process in machine.processes() if process.name == "cognito-agent"],
                    "the end of the hooks",
                )
            _see_through(product)
    for name, values in times.items():
        subject.add(name, values)
    subject.note("Nobody waits for hooks: in it is the start of the process that runs them, not what they take.")
    product.configure()
    return subject


#: Adds copies of the entries in its arguments to the registry until there are as many as the first argument says.
_COPY = """
ring=$(keyctl search @u keyring pam-cognito:sessions)
wanted=$1
shift
have=$#
while [ "$have" -lt "$wanted" ]; do
    for original in "$@"; do
        [ "$have" -lt "$wanted" ] || break
        name=pam-cognito:s:$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')
        copy=$(keyctl pipe "$original" | keyctl padd user "$name" @s)
        keyctl setperm "$copy" 0x003f0000
        keyctl link "$copy" "$ring"
        keyctl unlink "$copy" @s
        have=$((have + 1))
    done
done
"""


def _leave_behind(product: Product, people: int, count: int) -> None:
    """`count` open sessions of so many people in the registry, whose hosts were killed."""
    machine = product.machine
    for number in range(people):
        name = f"person{number}"
        if not machine.run(["id", name]).returncode == 0:
            machine.add_user(name, groups=["cognito"])
            product.member(name)
        driver = PamDriver(machine, "alone", name, observe=False)
        driver.sign_in(RIGHT)
        driver.host.end()
        driver.close()
    entries = [str(entry.serial) for entry in product.entries()]
    machine.run(["bash", "-c", _COPY, "copy", str(count), *entries], new_session_keyring=True, timeout=600, check=True)


def measure_reaper(product: Product, counts: Sequence[int]) -> Subject:
    """A round of `cognito-agent reap --now` through real keyrings."""
    subject = Subject("cognito-agent reap --now: open sessions of up to 40 people whose hosts were killed")
    product.configure(sign_out="session", welcome="no")
    for count in counts:
        _leave_behind(product, min(count, 40), count)
        product.emulator.clear_requests()
        timed = f"TIMEFORMAT='%R %U %S'; time {AGENT} reap --now >/dev/null"
        done = product.machine.run(["bash", "-c", timed], timeout=900, check=True)
        seconds, user, system = map(float, done.stderr.split())
        if product.entries():
            raise MachineError(f"sessions are left of {count}")
        name = f"{count} session{'s' * (count > 1)}"
        subject.add(f"{name}: time", [seconds], "s")
        subject.add(f"{name}: its own processor time, each", [(user + system) * 1000 / count])
        subject.add(f"{name}: requests, each", [len(product.operations()) / count], "")
    subject.note("Twenty at once, then ten a second: the pace is what it takes. Of 2,000, all but 40 are copies.")
    product.configure()
    return subject
