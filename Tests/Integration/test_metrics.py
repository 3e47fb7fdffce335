"""metrics_directory: what the reaper writes for Prometheus, and what nobody can do to it."""

import re
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from .machine import REPOSITORY, Machine
from .pam_driver import PamDriver
from .product import RIGHT, WRONG, Product

FOLDER = "/var/lib/prometheus/node-exporter"
FILE = f"{FOLDER}/pam-cognito.prom"
TALLY = "/run/pam-cognito/tally"
#: Every value that a label may have is one of these words, but for the version and the limits of a histogram.
WORD = re.compile(r"[a-z][a-z0-9_-]*")


@pytest.fixture(autouse=True)
def folder(machine: Machine, product: Product) -> Iterator[None]:
    machine.make_directory(FOLDER)
    product.configure(metrics_directory=FOLDER)
    machine.remove(TALLY)
    machine.remove("/run/pam-cognito/counts")
    yield
    product.configure()
    machine.run(["rm", "-rf", "/var/lib/prometheus", "/var/fleet/metrics"])
    product.reap()


def figures(machine: Machine) -> dict[tuple[str, ...], float]:
    """All samples, each by its name and the values of its labels, with Prometheus' own parser."""
    found: dict[tuple[str, ...], float] = {}
    for family in text_string_to_metric_families(machine.read(FILE)):
        assert family.documentation and family.type in ("gauge", "counter", "histogram"), family
        for sample in family.samples:
            assert sample.name.startswith("pam_cognito_") and sample.timestamp is None
            for name, value in sample.labels.items():
                assert name in ("le", "version") or WORD.fullmatch(value), sample
            key = (sample.name.removeprefix("pam_cognito_"), *sample.labels.values())
            assert key not in found, sample
            found[key] = sample.value
    return found


def test_sign_ins_and_refusals(machine: Machine, product: Product) -> None:
    assert product.reap().returncode == 0
    before = figures(machine)
    assert before["refusals_total", "sign_in", "unreachable"] == 0 and before["sessions", "open"] == 0
    with PamDriver(machine, "alone", "alice") as driver:
        assert driver.authenticate(WRONG).code == "PAM_AUTH_ERR"
    with product.signed_in() as driver:
        product.reap()
        during = figures(machine)
        driver.sign_out()
    product.reap()
    after = figures(machine)

    assert during["sessions", "open"] == 1 and during["sign_ins_total", "cognito", "other"] == 1
    assert during["refusals_total", "sign_in", "refused"] == 1
    assert after["sessions", "open"] == after["sessions", "pending"] == after["sessions", "closing"] == 0
    assert after["sign_outs_total", "revoked_everywhere"] == 1
    # Behind Enter, once for each attempt; nobody's typing is in it.
    assert after["wait_seconds_count", "sign_in"] == after["wait_seconds_bucket", "sign_in", "+Inf"] == 2
    assert after["wait_seconds_count", "sign_out"] == 1
    assert 0 < after["wait_seconds_sum", "sign_in"] < 60
    assert after["root_keys",] <= after["root_keys_limit",]
    assert after["last_round_timestamp_seconds",] >= before["last_round_timestamp_seconds",]
    text = machine.read(FILE)
    assert "alice" not in text and product.pool["pool_id"] not in text
    assert machine.stat(FILE).st_mode & 0o777 == 0o644 and machine.stat(TALLY).st_mode & 0o777 == 0o600


def test_cognito_is_away(machine: Machine, product: Product) -> None:
    product.reap()
    product.configure(metrics_directory=FOLDER, endpoint="https://127.0.0.1:1")
    with PamDriver(machine, "alone", "alice") as driver:
        assert not driver.authenticate(RIGHT).succeeded
    product.reap()
    found = figures(machine)
    assert found["refusals_total", "sign_in", "unreachable"] == 1
    assert found["sign_ins_total", "cognito", "other"] == 0


def test_off(machine: Machine, product: Product) -> None:
    """Nothing is written or counted where nobody has asked for it; and what was counted is gone."""
    product.reap()
    assert machine.exists(TALLY)
    machine.remove(FILE)
    product.configure()
    product.reap()
    assert not machine.exists(TALLY) and not machine.exists(FILE)


MOUNT = "mkdir /var/fleet/metrics; mount -t tmpfs -o mode=755"
#: What is at /var/fleet/metrics, made by a shell, and what the log says of it.
UNUSABLE = {
    "missing": ("true", "errno 2"),
    "a link": (f"ln -s {FOLDER} /var/fleet/metrics", "errno 20"),
    "behind a link": ("ln -s /var/fleet/other /var/fleet/metrics; mkdir -p /var/fleet/other/x", "errno 20"),
    "a file": ("touch /var/fleet/metrics", "errno 20"),
    "somebody's": ("install -d -o alice /var/fleet/metrics", "errno 1"),
    "a group's": ("install -d -m 0775 /var/fleet/metrics", "errno 1"),
    "everybody's": ("install -d -m 1777 /var/fleet/metrics", "errno 1"),
    "full": (f"{MOUNT},size=4k none /var/fleet/metrics; head -c 4096 /dev/zero >/var/fleet/metrics/x", "errno 28"),
    "read-only": (f"{MOUNT},ro none /var/fleet/metrics", "errno 30"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNUSABLE)
def test_a_folder_that_is_not_used(machine: Machine, product: Product, what: str) -> None:
    """Nothing is written, what was there is as it was, the round is done, and the log says why, once an hour."""
    make, error = UNUSABLE[what]
    machine.run(["sh", "-c", f"mkdir -p /var/fleet; {make}"], check=True)
    try:
        path = "/var/fleet/metrics/x" if what == "behind a link" else "/var/fleet/metrics"
        product.configure(metrics_directory=path)
        mark = machine.log_mark()
        listed = machine.run(["find", "/var/fleet", FOLDER]).stdout
        assert product.reap().returncode == product.reap().returncode == 0
        assert machine.run(["find", "/var/fleet", FOLDER]).stdout == listed
        (line,) = machine.log(mark, tag="cognito-agent", containing="metrics not written")
        assert f"'{path}' ({error})" in line.message and line.level == "warning"
        if what not in ("full", "read-only"):
            assert f"{path} " in machine.run(["cognito-session", "doctor"]).stdout
    finally:
        machine.run(["sh", "-c", "umount /var/fleet/metrics 2>/dev/null; rm -rf /var/fleet/metrics /var/fleet/other"])


def test_links_in_the_folder(machine: Machine, product: Product) -> None:
    """A link in the file's place is replaced, and what it points to is as it was."""
    machine.write("/etc/precious", "precious\n")
    machine.link(FILE, "/etc/precious")
    product.reap()
    assert machine.read("/etc/precious") == "precious\n"
    assert figures(machine) and not machine.run(["test", "-L", FILE]).returncode == 0
    machine.remove("/etc/precious")


@pytest.mark.parametrize(
    "make",
    [
        f"printf x >{TALLY}",
        f"ln -s /etc/precious {TALLY}",
        f"mkfifo {TALLY}",
        f"install -o alice -m 0600 /dev/null {TALLY}",
        f"head -c 65536 /dev/zero >{TALLY}; chmod 0666 {TALLY}",
    ],
    ids=["short", "a link", "a pipe", "somebody's", "everybody's"],
)
def test_counters_that_are_none(machine: Machine, product: Product, make: str) -> None:
    """Sign-ins go on and count nothing there; the next round has a file that counts."""
    machine.write("/etc/precious", "precious\n")
    machine.run(["sh", "-c", make], check=True)
    for _ in range(2):
        with product.signed_in() as driver:
            driver.sign_out()
        assert machine.read("/etc/precious") == "precious\n"
        product.reap()
    assert figures(machine)["sign_ins_total", "cognito", "other"] == 1
    machine.remove("/etc/precious")


def test_whoever_has_no_rights(machine: Machine, product: Product) -> None:
    """They neither read nor change the counters, and put nothing beside the figures."""
    product.reap()
    before = machine.read_bytes(TALLY)
    for command in (f"cat {TALLY}", f"echo >>{TALLY}", f"rm -f {TALLY}", f"echo >>{FILE}", f"touch {FOLDER}/x.prom"):
        assert machine.run(["sh", "-c", command], user="alice").returncode != 0, command
    assert machine.read_bytes(TALLY) == before


def test_every_reason_is_known() -> None:
    """The words for why that the sources have are those that are counted and explained, and no others."""
    sources = {path: path.read_text() for path in (REPOSITORY / "Sources").rglob("*.swift")}
    text = "\n".join(sources.values())
    table = re.search(r"var logReasons: \[StaticString\] \{\s*\[(.*?)\]", text, re.S)
    assert table
    known = re.findall(r'"([a-z_]+)"', table[1])
    # Of an account's states two keep its person out without a word of their own.
    used = {*re.findall(r'(?:reason: |AuditReason\(\s*|notReused\(\s*user, session,\s*|reason = )"([a-z_]+)"', text)}
    used |= {"unknown", "locked", "forgotten"}
    for extension in ("extension FailureReason", "extension AgentRefusal", "extension Shortfall"):
        names = [
            name
            for block in re.findall(rf"{extension} {{.*?^}}", text, re.S | re.M)
            for body in re.findall(r"var (?:name: |words: \(name: )StaticString[^{]*\{.*?^    \}", block, re.S | re.M)
            for name in re.findall(r': \(?"([a-z_]+)"', body)
        ]
        assert names, extension
        used |= set(names)
    assert len(known) == len(set(known)) and set(known) == used
