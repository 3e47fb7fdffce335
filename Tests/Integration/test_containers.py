"""Machines where system calls are refused, as by containers' seccomp profiles: log and doctor say so."""

import contextlib
import errno
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from .compiled import compiled
from .machine import Machine
from .pam_driver import PamDriver
from .product import AGENT, LOCAL, RIGHT, WORKER, Product
from .test_doctor import Report

REFUSED_CALLS = "/usr/local/bin/refused-calls"


class Refused:
    """Words before a command that is to run where system calls are refused."""

    def __init__(self, machine: Machine):
        machine.write(REFUSED_CALLS, compiled("refused_calls", "-lseccomp"), 0o755)

    def __call__(self, error: int, *calls: str) -> list[str]:
        return [REFUSED_CALLS, str(error), ",".join(calls)]


@pytest.fixture(scope="module")
def refused(machine: Machine) -> Refused:
    return Refused(machine)


#: Docker and systemd-nspawn refuse with EPERM; LXC, gVisor and a kernel without CONFIG_KEYS with ENOSYS.
KEYRING_CALLS = [
    (error, calls)
    for error in (errno.EPERM, errno.ENOSYS)
    for calls in (("keyctl", "add_key", "request_key"), ("keyctl",), ("add_key",))
]
NAMES = [f"{errno.errorcode[error]}-{'+'.join(calls)}" for error, calls in KEYRING_CALLS]
WORDS = "keyrings(7) calls are not permitted"
DRIVER = "/usr/local/libexec/pam-driver"


@pytest.mark.parametrize(("error", "calls"), KEYRING_CALLS, ids=NAMES)
def test_keyrings_that_are_not_permitted(product: Product, refused: Refused, error: int, calls: Sequence[str]) -> None:
    """Sign-ins with Cognito are refused, and the log says why; others are unaffected; the doctor names the calls."""
    machine, around = product.machine, refused(error, *calls)
    areas = Report(machine, around=around).areas
    (finding,) = areas["keyrings"]["findings"]
    assert areas["keyrings"]["worst"] == "broken"
    assert finding["what"] == f"{WORDS} (errno {error})." and "must allow keyctl, add_key" in finding["mend"]
    for entry in areas["cognito"]["findings"]:
        assert WORDS in entry["what"] and entry["mend"] == finding["mend"], entry
    assert bool(areas["cognito"]["findings"]) == ("keyctl" in calls)
    with PamDriver(machine, "alone", "alice", observe=False):
        pass
    mark = machine.log_mark()
    with PamDriver(machine, "alone", "alice", observe=False, through=[*around, DRIVER]) as driver:
        assert [result.code for result in driver.sign_in(RIGHT)] == ["PAM_CRED_UNAVAIL"]
    (line,) = machine.lines(mark)
    assert f"(errno {error})" in line and WORDS in line and "reinstall" not in line, line
    assert product.tokens_given() == []
    mark = machine.log_mark()
    with PamDriver(machine, "sshd", "bob", observe=False, through=[*around, DRIVER]) as driver:
        assert [result.code for result in driver.sign_in(LOCAL)][:3] == ["PAM_SUCCESS"] * 3
    assert machine.log(mark, containing="pam_cognito(") == []


def test_the_reaper_says_that_it_cannot_read_the_registry(product: Product, refused: Refused) -> None:
    machine = product.machine
    mark = machine.log_mark()
    done = machine.run([*refused(errno.EPERM, "keyctl", "add_key"), AGENT, "reap"])
    assert done.returncode != 0 and WORDS in done.stdout, done
    (line,) = machine.lines(mark, tag="cognito-agent")
    assert f"the registry cannot be read (errno {errno.EPERM}); {WORDS}" in line, line


@dataclass(frozen=True)
class NoStart:
    """What keeps workers from starting, and what is said of it."""

    what: str
    words: str
    #: What fails; the numbers of the worker's account are filled in.
    error: int = 0
    calls: str = ""
    #: What is in the place of the worker; nothing: it is missing.
    program: bytes | None = None
    mode: int = 0o755
    fix: str | None = None

    def __str__(self) -> str:
        return self.what

    @contextlib.contextmanager
    def made(self, machine: Machine, refused: Refused) -> Iterator[list[str]]:
        """The words before a command to which it is so."""
        if self.calls:
            yield refused(self.error, self.calls.format(uid=machine.uid("_pam-cognito")))
            return
        with machine.preserved(WORKER):
            machine.remove(WORKER)
            if self.program is not None:
                machine.write(WORKER, self.program, self.mode)
            yield []


NO_STARTS = [
    NoStart("descriptors", "close_range(2) needs Linux 5.9", errno.ENOSYS, "close_range"),
    NoStart("processes", "increase TasksMax=", errno.EAGAIN, "clone=0x400"),
    NoStart("forbidden clone", "clone(2) with CLONE_PIDFD", errno.EPERM, "clone=0x400"),
    NoStart("surroundings", "must allow prctl(2)", errno.EPERM, "prctl=38"),
    NoStart("quota", "root's key quota is full", errno.EDQUOT, "keyctl=1", fix="docker run"),
    NoStart("ids", "does not map the ids", errno.EINVAL, "setresuid={uid}"),
    NoStart("rights", "CAP_SETUID", errno.EPERM, "setresuid={uid}"),
    NoStart("missing", "is missing: reinstall pam-cognito", fix="apt install --reinstall"),
    NoStart("damaged", "is damaged or", program=b"nothing that runs", fix="apt install --reinstall"),
    NoStart("mode", "check the file's mode", program=b"#!/bin/true\n", mode=0o644),
]


@pytest.mark.parametrize("case", NO_STARTS, ids=str)
def test_each_way_in_which_a_worker_does_not_start(product: Product, refused: Refused, case: NoStart) -> None:
    machine = product.machine
    with PamDriver(machine, "alone", "alice", observe=False):
        pass
    with case.made(machine, refused) as around:
        mark = machine.log_mark()
        with PamDriver(machine, "alone", "alice", observe=False, through=[*around, DRIVER]) as driver:
            assert not any(result.succeeded for result in driver.sign_in(RIGHT))
        (line,) = machine.lines(mark, containing="pam_cognito(")
        assert "cognito-worker cannot be started: " in line and case.words in line, line
        findings = Report(machine, around=around).areas["cognito"]["findings"]
    (finding,) = findings
    assert case.words in finding["what"] and (finding["mend"] or "").startswith(case.fix or ""), finding
    assert (finding["mend"] is None) == (case.fix is None)
    assert ("reinstall" in line) == ("reinstall" in (case.fix or "")), line


#: What is refused and how, and what the doctor says.
LANDLOCK = "landlock_create_ruleset"
LAYERS = [
    (errno.EPERM, LANDLOCK, "does not allow landlock_create_ruleset"),
    (errno.EOPNOTSUPP, LANDLOCK, "does not allow landlock_create_ruleset"),
    (errno.EPERM, "seccomp,prctl=22", "does not allow seccomp"),
    (errno.EPERM, f"prctl=22,seccomp,{LANDLOCK}", "does not allow seccomp"),
]


@pytest.mark.parametrize(("error", "calls", "words"), LAYERS)
def test_a_layer_that_is_missing(product: Product, refused: Refused, error: int, calls: str, words: str) -> None:
    """Workers do their work there all the same: the doctor's has asked Cognito."""
    machine = product.machine
    assert Report(machine).areas["cognito"]["findings"] == []
    findings = Report(machine, around=refused(error, calls)).areas["cognito"]["findings"]
    assert len(findings) == ("seccomp" in calls) + ("landlock" in calls), findings
    (finding,) = [finding for finding in findings if words in finding["what"]]
    assert finding["severity"] == "warning" and "must allow the calls" in finding["mend"], finding


def test_the_log_names_missing_layers_once_a_day(product: Product, refused: Refused) -> None:
    machine = product.machine
    mark = machine.log_mark()
    for _ in range(2):
        around = refused(errno.ENOSYS, "seccomp", "landlock_create_ruleset")
        assert machine.run([*around, AGENT, "reap"]).returncode == 0
    assert machine.lines(mark, tag="cognito-agent", containing="workers are running without") == [
        "workers are running without seccomp and Landlock, which this kernel or container does not provide"
    ]
