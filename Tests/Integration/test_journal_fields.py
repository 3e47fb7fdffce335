"""What systemd-journald gets: each line with its fields, and never a host that waits for it."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .machine import REPOSITORY, Machine, MachineProcess
from .pam_driver import PamDriver
from .product import RIGHT, WRONG, Product

SOCKET = "/run/systemd/journal/socket"
ENTRIES = "/tmp/entries"
FOLDER = "/var/lib/metrics"

# A journal: writes each datagram's fields as a JSON line. With "full" it reads none.
_JOURNAL = """
import json, os, signal, socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
os.makedirs("/run/systemd/journal", exist_ok=True)
s.bind("/run/systemd/journal/socket")
os.chmod("/run/systemd/journal/socket", 0o666)
out = open("/tmp/entries", "w", buffering=1)
while "full" not in sys.argv:
    data, fields = s.recv(1 << 20), []
    while data:
        name, _, data = data.partition(b"\\n")
        (size,) = struct.unpack("<Q", data[:8])
        fields.append((name.decode(), data[8 : 8 + size].decode("latin-1")))
        assert data[8 + size : 9 + size] == b"\\n"
        data = data[9 + size :]
    out.write(json.dumps(fields) + "\\n")
signal.pause()
"""


class Journal:
    """A journal in a test machine that keeps what it got."""

    def __init__(self, machine: Machine, *options: str):
        self.machine = machine
        self.process: MachineProcess = machine.start(["python3", "-IS", "-c", _JOURNAL, *options])
        machine.wait_until(lambda: machine.exists(SOCKET) and machine.exists(ENTRIES), "the journal")

    def entries(self, program: str = "") -> list[dict[str, str]]:
        found = []
        for line in self.machine.read(ENTRIES).splitlines():
            pairs = json.loads(line)
            assert len(dict(pairs)) == len(pairs), f"a field twice: {pairs}"
            found.append(dict(pairs))
        return [entry for entry in found if not program or entry["SYSLOG_IDENTIFIER"] == program]

    def close(self) -> None:
        self.process.end()
        self.machine.run(["rm", "-rf", "/run/systemd/journal", ENTRIES])


@pytest.fixture
def journal(machine: Machine, product: Product) -> Iterator[Journal]:
    started = Journal(machine)
    yield started
    started.close()


@pytest.fixture
def full_journal(machine: Machine, product: Product) -> Iterator[Journal]:
    """One whose queue is full, as when journald is stopped and somebody floods it."""
    machine.make_directory(FOLDER)
    product.configure(metrics_directory=FOLDER)
    product.reap()
    started = Journal(machine, "full")
    fill = (
        "import socket\ns = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\ns.setblocking(False)\n"
        f's.connect("{SOCKET}")\ntry:\n    while True: s.send(b"x")\nexcept BlockingIOError: pass\n'
    )
    machine.run(["python3", "-IS", "-c", fill], user="alice", check=True)
    yield started
    started.close()
    product.configure()
    product.reap()
    machine.run(["rm", "-rf", FOLDER])


def test_a_session(machine: Machine, product: Product, journal: Journal, agent: AgentProcess) -> None:
    mark = machine.log_mark()
    with PamDriver(machine, "alone", "alice", items={"RHOST": "203.0.113.7"}) as driver:
        assert not driver.authenticate(WRONG).succeeded
        assert driver.sign_in(RIGHT)[-1].succeeded
        driver.sign_out()
    machine.wait_until(lambda: any(e.get("COGNITO_EVENT") == "signed out" for e in journal.entries()), "the last line")
    refused, signed_in, *_ = module = [e for e in journal.entries() if e["MESSAGE"].startswith("pam_cognito(alone:")]
    signed_out = module[-1]
    assert refused["MESSAGE"].startswith("pam_cognito(alone:auth): authentication failure; user='alice' session=0 ")
    assert refused["COGNITO_REASON"] == "refused" and refused["PRIORITY"] == "5"
    assert {e["SYSLOG_FACILITY"] for e in module} == {"10"} and {e["COGNITO_USER"] for e in module} == {"alice"}
    assert {e["COGNITO_RHOST"] for e in module} == {"203.0.113.7"} and signed_in["SYSLOG_IDENTIFIER"] == "pam-driver"
    assert signed_in["COGNITO_SESSION"] == signed_out["COGNITO_SESSION"] != "0"
    assert signed_out["MESSAGE"].startswith("pam_cognito(alone:session): ")
    assert signed_out["COGNITO_OUTCOME"] == "revoked_everywhere" and signed_out["COGNITO_EVENT"] == "signed out"
    machine.settle()
    assert not [entry for entry in machine.log(mark) if "pam_cognito" in entry.message], "nothing twice"
    catalogue = (REPOSITORY / "packaging/journal/pam-cognito.catalog").read_text()
    for entry in module:
        assert f"-- {entry['MESSAGE_ID']}\n" in catalogue, entry


@pytest.mark.parametrize("name", ["x\nCOGNITO_REASON=group", "x' reason=group", "\nPRIORITY=0\n", "\x00\x07", "é"])
def test_names_that_look_like_fields(machine: Machine, product: Product, journal: Journal, name: str) -> None:
    """Nothing that a caller chooses is a field, or ends one."""
    with PamDriver(machine, "alone", "alice", items={"RHOST": name.split("\x00")[0] or "-", "TTY": name}) as driver:
        assert not driver.authenticate(WRONG).succeeded
    machine.wait_until(lambda: journal.entries("pam-driver"), "the line")
    (entry,) = journal.entries("pam-driver")
    assert entry["COGNITO_REASON"] == "refused" and entry["PRIORITY"] == "5" and "\n" not in entry["MESSAGE"]


def test_a_full_journal(machine: Machine, product: Product, full_journal: Journal) -> None:
    """Whoever floods the journal holds nobody up: lines are lost, which is counted, and nothing stays open."""
    mark = machine.log_mark()
    with PamDriver(machine, "alone", "alice") as driver:
        results = driver.sign_in(RIGHT)
        assert results[-1].succeeded and not results[0].before.differences(
            results[-1].after, ("libraries", "session_keyring", "environment")
        )
        driver.sign_out()
    machine.settle()
    assert not [entry for entry in machine.log(mark) if "pam_cognito" in entry.message]
    full_journal.close()
    product.reap()
    lost = [line for line in machine.read(f"{FOLDER}/pam-cognito.prom").splitlines() if "lines_lost_total " in line]
    assert int(lost[-1].split()[1]) >= 2 and 'way="cognito",service="other"} 1' in machine.read(
        f"{FOLDER}/pam-cognito.prom"
    )


@pytest.mark.parametrize(
    "make",
    [
        "true",
        f"mkdir -p {SOCKET}",
        f"mkdir -p /run/systemd/journal; touch {SOCKET}",
        f"mkdir -p /run/systemd/journal; ln -s {SOCKET} {SOCKET}",
    ],
    ids=["none", "a folder", "a file", "a loop"],
)
def test_no_journal(machine: Machine, product: Product, make: str) -> None:
    """Then the lines are syslog's, as pam_syslog(3) writes them."""
    machine.run(["sh", "-c", make], check=True)
    mark = machine.log_mark()
    with PamDriver(machine, "alone", "alice") as driver:
        assert not driver.authenticate(WRONG).succeeded
    machine.settle()
    (line,) = machine.log(mark, containing="authentication failure")
    assert line.message.startswith("pam_cognito(alone:auth): ")
    machine.run(["rm", "-rf", "/run/systemd/journal"])


def test_the_catalogue(tmp_path) -> None:
    """It is made of the tables, it explains each of their words, and systemd takes it."""
    done = subprocess.run([REPOSITORY / "packaging/journal/catalogue", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "usr/lib/systemd/catalog"
    folder.mkdir(parents=True)
    (tmp_path / "var/lib/systemd/catalog").mkdir(parents=True)
    for file in (REPOSITORY / "packaging/journal").glob("*.catalog"):
        (folder / file.name).write_text(file.read_text())
    root = f"--root={tmp_path}"
    subprocess.run(["journalctl", root, "--update-catalog"], check=True)
    listed = subprocess.run(["journalctl", root, "--list-catalog"], capture_output=True, text=True, check=True).stdout
    text = (REPOSITORY / "packaging/journal/pam-cognito.catalog").read_text()
    assert len(listed.splitlines()) == text.count("\n-- ") > 50
