"""Screen locks, which run as the person: pamtester without root's rights stands for one."""

import contextlib
from collections.abc import Iterator

import pytest

from .agent_process import SOCKET, AgentProcess, refusal
from .challenges import APP, SECRET, totp
from .hosts import Answer, PamtesterResult, pamtester
from .machine import Machine
from .product import LOCAL, RIGHT, WRONG, Product, Tokens
from .worker_process import encode

SERVICE = "screen-lock"


@pytest.fixture(autouse=True)
def usual(agent: AgentProcess, product: Product) -> Iterator[None]:
    """Everybody may ask as often as at first."""
    agent.forget_turns()
    product.emulator.clear_requests()
    yield
    product.machine.wait_until(lambda: not product.entries(), "the end of all sessions, the watcher's, too")
    assert product.tokens_given() == []


@pytest.fixture
def session(product: Product) -> Iterator[None]:
    """alice's, open."""
    with product.signed_in() as driver:
        product.emulator.clear_requests()
        yield
        driver.call("close_session")


def unlock(product: Product, *answers: Answer, user: str = "alice", caller: str = "alice") -> PamtesterResult:
    return pamtester(product.machine, SERVICE, user, ["authenticate", "acct_mgmt", "setcred"], *answers, caller=caller)


def served(product: Product, agent: AgentProcess) -> None:
    """Waits until the agent has done what comes after its answer."""
    product.machine.wait_until(lambda: not agent.servers(), "the end of the request")


def own(product: Product) -> tuple[int, Tokens]:
    """The one session's token key, and what is in it."""
    (key,) = [k for k in product.machine.keys(payloads=True) if k.description == product.key_description]
    return key.serial, product.tokens(bytes(key.payload).decode())


def assert_only_the_session(product: Product) -> None:
    """One entry, one token key, one sign-in that Cognito has not forgotten: the session's own."""
    assert len(product.entries()) == 1
    (given,) = product.tokens_given()
    tokens = own(product)[1]
    assert given["alive"] and product.alive(tokens)["access"] and product.alive(tokens)["refresh"]


def test_unlocks(machine: Machine, product: Product, agent: AgentProcess, session: None) -> None:
    """The person's own session goes on with new tokens; those of the proof are dead."""
    mark = machine.log_mark()
    key, before = own(product)
    done = unlock(product, RIGHT)
    assert done.succeeded, done
    assert [prompt.splitlines()[-1].strip() for prompt in done.prompts] == ["Password:"]
    served(product, agent)
    renewed, after = own(product)
    assert renewed == key and after.access != before.access
    assert_only_the_session(product)
    assert {"RevokeToken", "GetTokensFromRefreshToken"} <= set(product.operations())
    (line,) = machine.lines(mark, containing="screen unlocked")
    assert "user='alice'" in line and line.endswith("allowed_groups='staff'")
    assert len(machine.lines(mark, containing="renewed; user='alice'")) == 1


def test_without_a_session(product: Product, agent: AgentProcess) -> None:
    """Whoever came with a key has no tokens, and gets none."""
    assert unlock(product, RIGHT).succeeded
    served(product, agent)
    assert product.operations().count("RevokeToken") == 1


def test_a_code(product: Product, agent: AgentProcess) -> None:
    with product.other_pool(APP):
        product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
        done = unlock(product, RIGHT, lambda prompt: totp())
        assert done.succeeded and len(done.prompts) == 2, done
        served(product, agent)
        assert product.tokens_given() == []
        assert not unlock(product, RIGHT, "000000", "000000", "000000").succeeded
        served(product, agent)
        assert product.tokens_given() == []


class TestServerWithAnAccountOfItsOwn:
    """PostgreSQL's way: its people are others, and it runs as none of them. bob's account stands for the server's."""

    @pytest.fixture(autouse=True)
    def trusted(self, usual: None, product: Product, machine: Machine) -> Iterator[None]:
        product.configure(authenticating_users="bob", max_failures="3")
        machine.pam("server", "auth required pam_cognito.so\naccount required pam_permit.so\n")
        yield
        product.forget_failures("alice")

    def ask(self, product: Product, *answers: str, user: str = "alice") -> PamtesterResult:
        return pamtester(product.machine, "server", user, ["authenticate", "acct_mgmt"], *answers, caller="bob")

    def test_yes(self, machine: Machine, product: Product, agent: AgentProcess, session: None) -> None:
        """Told yes, without a token, and alice's own session is as before."""
        mark, (key, before) = machine.log_mark(), own(product)
        assert self.ask(product, RIGHT).succeeded
        served(product, agent)
        after = own(product)
        assert after[0] == key and after[1].access == before.access
        assert_only_the_session(product)
        (line,) = machine.lines(mark, containing="identity proved; user='alice'")
        assert "service='bob'" in line

    def test_no(self, machine: Machine, product: Product, agent: AgentProcess) -> None:
        """Wrong ones count for that door alone."""
        for _ in range(3):
            assert not self.ask(product, WRONG).succeeded
        mark = machine.log_mark()
        assert not self.ask(product, RIGHT).succeeded
        assert machine.lines(mark, containing="reason=too_many_failures")
        assert product.failures() == {("alice", machine.uid("bob")): 3}
        assert unlock(product, RIGHT).succeeded
        served(product, agent)

    @pytest.mark.parametrize("user", ["root", "bob", "nobody-of-the-kind", "al/ice", "a" * 300])
    def test_about_whom_nothing_is_said(self, product: Product, agent: AgentProcess, user: str) -> None:
        assert not self.ask(product, RIGHT, user=user).succeeded
        assert product.operations() == []

    def test_group(self, product: Product, agent: AgentProcess) -> None:
        product.configure(authenticating_users="bob", allowed_groups="others")
        assert not self.ask(product, RIGHT).succeeded
        served(product, agent)

    def test_cognito_is_away(self, product: Product, agent: AgentProcess) -> None:
        product.emulator.down()
        assert not self.ask(product, RIGHT).succeeded

    def test_mistake_in_the_configuration(self, machine: Machine, product: Product, agent: AgentProcess) -> None:
        """The log says that it is one, not that nobody may ask."""
        machine.append("/etc/security/pam_cognito.conf", "nonsense = yes\n")
        mark = machine.log_mark()
        answer = agent.ask("unlock_request", user="bob", user_name="alice")
        assert refusal(answer) == "configuration" and product.operations() == []
        assert machine.lines(mark, containing="nonsense") and not machine.lines(mark, containing="does not list")

    def test_another_account(self, machine: Machine, product: Product, agent: AgentProcess) -> None:
        """One that is not named is refused, whatever it asks."""
        mark = machine.log_mark()
        done = pamtester(machine, "server", "alice", ["authenticate"], RIGHT, caller="carol")
        assert not done.succeeded and product.operations() == []
        assert len(machine.lines(mark, containing="authenticating_users does not list 'carol'")) == 1


class TestStaysLocked:
    def test_wrong_password(self, machine: Machine, product: Product, agent: AgentProcess, session: None) -> None:
        mark, before = machine.log_mark(), own(product)
        done = unlock(product, WRONG)
        assert not done.succeeded and len(done.prompts) == 1, done
        served(product, agent)
        assert own(product)[1].access == before[1].access
        assert_only_the_session(product)
        assert "reason=refused" in machine.lines(mark, containing="authentication failure; user='alice'")[0]

    def test_somebody_else(self, machine: Machine, product: Product, agent: AgentProcess) -> None:
        """Also with the right password: the agent goes by the caller's user id."""
        mark = machine.log_mark()
        assert not unlock(product, RIGHT, user="carol").succeeded
        assert not unlock(product, RIGHT, caller="bob").succeeded
        assert refusal(agent.ask("unlock_request", user_name="carol")) == "not_permitted"
        assert refusal(agent.ask("unlock_request", user_name="Alice")) == "not_permitted"
        assert len(machine.lines(mark, containing="reason=not_permitted")) == 4
        assert product.operations() == []

    def test_group(self, product: Product, agent: AgentProcess, session: None) -> None:
        product.configure(allowed_groups="admins")
        assert not unlock(product, RIGHT).succeeded
        served(product, agent)
        product.machine.wait_until(lambda: len(product.tokens_given()) == 1, "the end of the tokens")
        assert_only_the_session(product)

    def test_cognito_down(self, machine: Machine, product: Product, agent: AgentProcess, session: None) -> None:
        """A fault that is not the person's: pam_unix is asked, and has no password for alice."""
        mark, before = machine.log_mark(), own(product)
        product.emulator.down()
        assert not unlock(product, RIGHT).succeeded
        product.emulator.up()
        assert machine.lines(mark, containing="reason=unreachable")
        served(product, agent)
        assert own(product)[1].access == before[1].access
        assert_only_the_session(product)

    def test_no_session_is_reused(self, machine: Machine, product: Product, agent: AgentProcess, session: None) -> None:
        mark = machine.log_mark()
        with machine.preserved(f"/etc/pam.d/{SERVICE}"):
            machine.pam(SERVICE, "auth required pam_cognito.so try_session=yes\n")
            assert not pamtester(machine, SERVICE, "alice", ["authenticate"], WRONG, caller="alice").succeeded
        assert machine.lines(mark, containing=f"try_session is ignored: {SERVICE} runs without root privileges")
        served(product, agent)


@pytest.mark.parametrize(
    ("program", "by"), [("/usr/local/bin/vlock-main", "the agent"), ("/usr/sbin/vlock-main", "itself")]
)
def test_vlock(machine: Machine, product: Product, agent: AgentProcess, session: None, program: str, by: str) -> None:
    """A real lock of terminals: run as the person, as other locks are, and set-uid root, as Debian installs it."""
    machine.run(["install", "-m", "0755", "/usr/sbin/vlock-main", "/usr/local/bin/vlock-main"], check=True)
    machine.write("/etc/pam.d/vlock", machine.read(f"/etc/pam.d/{SERVICE}"))
    _, before = own(product)
    terminal = machine.spawn_pty([program], user="alice", env={"VLOCK_MESSAGE": "locked"})

    def sleeps() -> bool:
        return any(process.pid == terminal.pid and process.state == "S" for process in machine.processes())

    def answer(prompt: str, line: str) -> None:
        """It forgets what was typed before it asked, a moment after its prompt is shown."""
        terminal.expect_exact(prompt)
        machine.wait_until(lambda: not terminal.echo_is_on and sleeps(), "that it waits for a line")
        terminal.type_line(line)

    for password in (WRONG, RIGHT):
        answer("locked", "")
        answer("alice's Password: ", password)
        if password == WRONG:
            # Nor does root's open it, who has none here.
            answer("root's Password: ", WRONG)
    assert terminal.wait() == 0, terminal.seen
    served(product, agent)
    _, after = own(product)
    assert (after.access != before.access) == (by == "the agent")
    assert_only_the_session(product)


class TestLeaving:
    """Whoever goes away, nothing is left."""

    @pytest.mark.parametrize("answered", [False, True])
    def test_client(self, product: Product, agent: AgentProcess, session: None, answered: bool) -> None:
        packets = [encode("unlock_request", {"user_name": "alice"})]
        if answered:
            packets.append(encode("answer", {"answer": RIGHT}))
        agent.exchange(packets, stop_after=1)
        served(product, agent)
        product.machine.wait_until(lambda: len(product.tokens_given()) == 1, "the end of the tokens")
        assert_only_the_session(product)

    def test_host_killed_at_the_question(self, product: Product, agent: AgentProcess, session: None) -> None:
        command = ["pamtester", SERVICE, "alice", "authenticate"]
        terminal = product.machine.spawn_pty(command, user="alice")
        terminal.expect("assword: ")
        product.machine.kill(terminal.pid)
        terminal.wait()
        served(product, agent)
        product.machine.wait_until(lambda: len(product.tokens_given()) == 1, "the end of the tokens")
        assert_only_the_session(product)

    def test_agent_killed_before_it_revokes(self, machine: Machine, product: Product, agent: AgentProcess) -> None:
        """The tokens are in the registry by then, of nobody's session; the reaper does the rest."""
        # Until it is killed the agent waits for this answer.
        product.emulator.fault("RevokeToken", "hang")
        command = ["pamtester", SERVICE, "alice", "authenticate"]
        terminal = machine.spawn_pty(command, user="alice")
        terminal.expect("assword: ")
        terminal.type_line(RIGHT)
        machine.wait_until(product.entries, "the tokens' entry")
        machine.kill_all(agent.servers())
        terminal.wait()
        served(product, agent)
        machine.kill_all(machine.pids("cognito-worker"))
        product.emulator.clear_faults()
        assert len(product.tokens_given()) == 1
        assert product.reap("--now").returncode == 0


def test_local_account(product: Product, agent: AgentProcess) -> None:
    assert unlock(product, LOCAL, user="bob", caller="bob").succeeded
    assert product.operations() == []


# Waits for somebody to say their password to it.
_IMPOSTOR = """
import os, socket
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind("/tmp/impostor.sock")
os.chmod("/tmp/impostor.sock", 0o666)
listener.listen()
while True:
    print(listener.accept()[0].recv(1000), flush=True)
"""


@pytest.mark.parametrize("listener", ["nobody", "somebody who is not root"])
def test_without_the_agent(machine: Machine, product: Product, agent: AgentProcess, listener: str) -> None:
    """Nothing is said to anybody else than root; the log says what to do."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(agent.away())
        if listener != "nobody":
            impostor = machine.start(["python3", "-IS", "-c", _IMPOSTOR], user="bob")
            stack.callback(impostor.end)
            machine.wait_until(lambda: machine.exists("/tmp/impostor.sock"), "the impostor's socket")
            machine.run(["mv", "/tmp/impostor.sock", SOCKET], check=True)
        mark = machine.log_mark()
        done = unlock(product, RIGHT)
        assert not done.succeeded
        (line,) = machine.lines(mark, containing="needs cognito-agent")
        assert line.endswith("systemctl enable --now pam-cognito-agent.socket")
    assert product.operations() == []
