"""polkit 127 and newer: its helper asks PAM as root, in a sandbox without a network, for whoever connected to it.

polkit_socket.c stands for systemd with the unit that polkit 128 comes with, the scripted host for the helper in it.
"""

import contextlib
import subprocess
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .challenges import APP, SECRET, totp
from .compiled import compiled
from .machine import Machine
from .pam_driver import PamDriver, PamResult
from .product import LOCAL, RIGHT, WRONG, Product
from .worker_process import encode

HELPER = "/run/polkit/agent-helper.socket"
#: As Debian's polkit-1 has it, which is in /usr/lib/pam.d.
STACK = "@include cognito-auth\n@include cognito-account\n"
#: What a desktop's own prompt, or pkttyagent, has to do with it: it carries what is said.
RELAY = f"""
import os, socket, sys, threading
if len(sys.argv) > 1:
    os.setresuid(int(sys.argv[1]), 0, 0)
s = socket.socket(socket.AF_UNIX)
s.connect("{HELPER}")
def say():
    while text := os.read(0, 65536):
        s.sendall(text)
    s.shutdown(socket.SHUT_WR)
threading.Thread(target=say, daemon=True).start()
while text := s.recv(65536):
    os.write(1, text)
os._exit(0)
"""


def system_calls(name: str) -> Iterator[str]:
    """Those of a group, as systemd has them."""
    listed = subprocess.run(
        ["systemd-analyze", "--no-pager", "syscall-filter", name], capture_output=True, text=True, check=True
    ).stdout
    for word in listed.split("\n")[1:]:
        if (word := word.strip()) and not word.startswith("#"):
            yield from system_calls(word) if word.startswith("@") else [word]


@pytest.fixture(scope="module")
def helper(product: Product, machine: Machine) -> Iterator[None]:
    program = "/usr/local/libexec/polkit-socket"
    machine.write(program, compiled("polkit_socket", "-lseccomp"), 0o755)
    machine.pam("polkit-1", STACK)
    # Puts the scripted host in its place.
    PamDriver(machine, "alone", "alice", observe=False).close()
    machine.make_directory("/run/polkit")
    # Later versions of systemd have those in it with which a program goes into a sandbox of its own.
    sandbox = ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"]
    calls = " ".join(sorted({*system_calls("@system-service"), *sandbox}))
    process = machine.start([program, HELPER, calls, "/usr/local/libexec/pam-driver"])
    machine.wait_until(lambda: process.ended or machine.exists(HELPER), "the helper's socket")
    assert not process.ended
    yield
    process.end()


@pytest.fixture(autouse=True)
def usual(agent: AgentProcess, product: Product, helper: None) -> Iterator[None]:
    agent.forget_turns()
    product.configure(max_failures="3")
    product.emulator.clear_requests()
    yield
    product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
    product.forget_failures("alice", "dora")
    product.machine.wait_until(lambda: not product.entries(), "the end of all sessions, the watcher's, too")
    assert product.tokens_given() == []


def prompt(machine: Machine, user: str, caller: str | None, *arguments: str) -> PamDriver:
    relay = ["python3", "-IS", "-c", RELAY, *arguments]
    return PamDriver(machine, "polkit-1", user, caller=caller, through=relay, observe=False)


def ask(machine: Machine, *answers: str, user: str = "alice", caller: str = "bob") -> list[PamResult]:
    """What `caller`'s prompt for `user` comes to: what polkit-agent-helper-1 calls, until one of them fails."""
    with prompt(machine, user, caller) as driver:
        driver.do_not_wait()
        return driver.sign_in(*answers, order=[("authenticate", ()), ("acct_mgmt", ())])


def codes(results: list[PamResult]) -> list[str]:
    return [result.code for result in results]


IN, OUT = ["PAM_SUCCESS", "PAM_SUCCESS"], ["PAM_AUTH_ERR"]


def test_sandbox(machine: Machine, product: Product) -> None:
    """There is no network, or this would be no test: what has options of its own asks by itself."""
    # It is in /tmp, of which the helper has one of its own.
    product.configure(ca_file=None, connect_timeout="2s")
    mark = machine.log_mark()
    with machine.preserved("/etc/pam.d/polkit-1"):
        machine.pam("polkit-1", STACK.replace("@include cognito-auth", "auth required pam_cognito.so combined_code=no"))
        assert codes(ask(machine, RIGHT)) == ["PAM_CRED_UNAVAIL"]
    assert machine.lines(mark, containing="reason=unreachable") and product.operations() == []


@pytest.mark.parametrize("caller", ["alice", "bob", None])
def test_yes(machine: Machine, product: Product, caller: str | None) -> None:
    """pkexec as oneself, and with the name of an administrator; and for root."""
    mark = machine.log_mark()
    results = ask(machine, RIGHT, caller=caller)
    assert codes(results) == IN and len(results[0].prompts) == 1
    (line,) = machine.lines(mark, containing="identity proved; user='alice'")
    assert "service='polkit-1'" in line
    assert product.operations().count("RevokeToken") == 1
    assert product.failures() == {}


def test_key_logins_are_refused(machine: Machine, product: Product) -> None:
    """Whom the agent let in has signed in."""
    product.configure(key_logins="refuse")
    assert codes(ask(machine, RIGHT)) == IN


def test_a_code(machine: Machine, product: Product, agent: AgentProcess) -> None:
    with product.other_pool(APP):
        product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
        assert codes(ask(machine, RIGHT, totp())) == IN
        machine.wait_until(lambda: not agent.servers(), "the end of the request")
        assert product.tokens_given() == []


def test_no(machine: Machine, product: Product) -> None:
    """Wrong ones count for who asked, and close no other door."""
    for _ in range(3):
        assert codes(ask(machine, WRONG)) == OUT
    assert product.failures() == {("alice", machine.uid("bob")): 3}
    mark = machine.log_mark()
    assert codes(ask(machine, RIGHT)) == OUT
    assert machine.lines(mark, containing="reason=too_many_failures")
    assert codes(ask(machine, RIGHT, caller="carol")) == IN
    with product.authenticated():
        pass
    product.reap("--now")


def test_on_a_terminal(machine: Machine, product: Product) -> None:
    """pkexec asks there itself, with root's rights: it stands for who has started it, and closes no door of root's."""
    with prompt(machine, "alice", None, str(machine.uid("bob"))) as driver:
        assert not driver.authenticate(WRONG).succeeded
    assert product.failures() == {("alice", machine.uid("bob")): 1}


def test_group(machine: Machine, product: Product) -> None:
    product.configure(allowed_groups="others")
    mark = machine.log_mark()
    assert codes(ask(machine, RIGHT)) == OUT
    assert len(machine.lines(mark, containing="reason=group")) == 1


def test_local_account(machine: Machine, product: Product) -> None:
    assert codes(ask(machine, LOCAL, user="bob")) == IN
    assert codes(ask(machine, WRONG, user="bob")) == OUT
    assert product.operations() == []


@pytest.fixture(scope="module")
def somebody(machine: Machine, product: Product) -> None:
    machine.add_user("dora", password=LOCAL)
    product.member("dora")


@pytest.fixture
def dora(product: Product, somebody: None) -> None:
    """She has a password of this machine, too, which is good while Cognito is away."""
    product.configure(users="dora", local_password="unavailable", max_failures="3")


def test_local_password(machine: Machine, product: Product, dora: None) -> None:
    """Not because the helper has no network; and wrong ones count."""
    assert codes(ask(machine, LOCAL, user="dora")) == OUT
    product.forget_failures("dora")
    with contextlib.ExitStack() as stack:
        product.emulator.down()
        stack.callback(product.emulator.up)
        assert codes(ask(machine, LOCAL, user="dora")) == IN
        assert product.failures() == {}
        for number in range(1, 4):
            assert codes(ask(machine, WRONG, user="dora")) == OUT
            # Counted when the helper is gone, which answers before.
            expected = {("dora", machine.uid("bob")): number}
            machine.wait_until(lambda expected=expected: product.failures() == expected, "that it counts")
        assert codes(ask(machine, LOCAL, user="dora")) == OUT


def test_without_the_agent(machine: Machine, product: Product, agent: AgentProcess, dora: None) -> None:
    """Nobody is let in, by no other password either; the log says what to do."""
    mark = machine.log_mark()
    with agent.away():
        assert codes(ask(machine, RIGHT)) == OUT
        assert codes(ask(machine, LOCAL, user="dora")) == OUT
    told = machine.lines(mark, containing="polkit-1 runs in polkit's sandbox and needs cognito-agent")
    assert len(told) == 2 and all(line.endswith("systemctl enable --now pam-cognito-agent.socket") for line in told)
    assert product.operations() == []


def test_one_who_opens_prompts_without_end(machine: Machine, product: Product, agent: AgentProcess) -> None:
    """Theirs are full; root's requests and other people's prompts have places."""
    with contextlib.ExitStack() as stack:
        prompts = [stack.enter_context(prompt(machine, "alice", "bob")) for _ in range(20)]
        asked = sum([driver.is_asked() for driver in prompts])
        assert 1 <= asked <= 8
        (answer,) = agent.exchange([encode("registry_request", {})], "root")
        assert answer.kind == "complete"
        assert codes(ask(machine, RIGHT, caller="carol")) == IN
