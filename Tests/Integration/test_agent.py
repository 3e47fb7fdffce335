"""The agent: renewals that lose nothing, sign-outs that go through, and clients that wish it ill."""

import contextlib
import hashlib
import json
import re
import struct
import subprocess
import time

import pytest

from .agent_process import ANYWAY, COUNTS, SOCKET, AgentProcess, refusal, sign_in
from .answers import answer_of
from .hosts import Sshd, login, su
from .pam_driver import PamDriver
from .product import AGENT, RIGHT, WRONG, Product
from .worker_process import encode

#: After answers that were wrong.
NOT_ACCEPTED = (
    "You were not signed in: the password or the code was not accepted. Try again. "
    "If you have forgotten the password, run 'cognito-session forgot-password'."
)
# Asks on and on; prints a line once the answer is another one, which is that this is too much.
ASK_ON = f"""
import socket, sys
def ask():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect("{SOCKET}")
    s.send(bytes.fromhex(sys.argv[1]))
    try:
        return s.recv(10000)
    except ConnectionResetError:
        return b""
first, told = ask(), False
while True:
    if ask() != first and not told:
        told = True
        print("busy", flush=True)
"""


@pytest.fixture(autouse=True)
def fresh_turns(agent: AgentProcess):
    agent.forget_turns()


class OpenSession:
    """A session of somebody's, opened without a host's own program: quicker, and it is where we say."""

    def __init__(self, product: Product, driver: PamDriver):
        self.product, self.driver = product, driver

    @property
    def key(self) -> int:
        return self.product.token_keys()[0].serial

    @property
    def keys(self) -> list[int]:
        return sorted(key.serial for key in self.product.token_keys())

    @property
    def tokens(self):
        return self.product.tokens(self.product.token_keys(payloads=True)[0].payload.decode())

    def close(self) -> None:
        self.driver.call("close_session")


@pytest.fixture
def session(product: Product):
    """alice's, open."""
    with product.signed_in() as driver:
        product.emulator.clear_requests()
        yield OpenSession(product, driver)
        driver.call("close_session")


def alive(product: Product, tokens) -> tuple[bool, bool]:
    """Whether Cognito accepts the access token, and the refresh token."""
    found = product.alive(tokens)
    return found["access"], found["refresh"]


DEAD = (False, False)


def calls(product: Product, operation: str = "GetTokensFromRefreshToken") -> int:
    return product.operations().count(operation)


class TestRenewal:
    def test_in_place(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        before, key = session.tokens, session.key
        answer = agent.renew(key)
        assert (answer.kind, answer.fields["renewal_outcome"]) == ("renewal", 1), answer
        assert session.keys == [key]
        after = session.tokens
        assert after.access != before.access and after.refresh == before.refresh
        assert answer.fields["access_token_expiry"] == after.payload["expires_at"]
        found = next(k for k in product.machine.keys() if k.serial == key)
        assert (found.permissions, found.uid) == ("0b3f0000", 0) and found.timeout > 40 * 365 * 86400
        assert product.alive(after)["access"]
        assert len(product.entries()) == 1
        session.close()
        assert not product.alive(after)["refresh"] and not product.alive(after)["access"]

    @pytest.mark.parametrize(("minimum_life", "outcome"), [(60, 2), (3000, 2), (ANYWAY, 1), (2**63 - 1, 1)])
    def test_only_when_needed(
        self, product: Product, agent: AgentProcess, session: OpenSession, minimum_life: int, outcome: int
    ) -> None:
        before = session.tokens
        answer = agent.renew(session.key, minimum_life)
        assert answer.fields["renewal_outcome"] == outcome
        assert calls(product) == (outcome == 1) == (session.tokens.access != before.access)

    @pytest.mark.parametrize("kilobytes", [12, 16, 20])
    def test_tokens_with_many_claims(self, product: Product, agent: AgentProcess, sshd: Sshd, kilobytes: int) -> None:
        """What fits into a key is taken, handed out, renewed and revoked, as any other."""
        for operation in ("RespondToAuthChallenge", "GetTokensFromRefreshToken"):
            product.emulator.fault(operation, "huge_token", kilobytes=kilobytes, tokens=["IdToken"])
        with sshd.open("alice", RIGHT) as shell:
            assert shell.command("cognito-session refresh").status == 0
            mine = product.tokens(shell.command(product.read_tokens).output)
            assert len(mine.payload["id_token"]) > kilobytes * 1024
            printed = shell.command("cognito-session token --id | sha256sum").output.split()[0]
            assert printed == hashlib.sha256((mine.payload["id_token"] + "\n").encode()).hexdigest()
            verdict = shell.command("cognito-session claims --id --json | grep -o '\"verif.*'").output
            assert '"verification":"valid","verified":true' in verdict, verdict
            assert shell.command("cognito-session status --online").status == 0
            shell.logout()
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert alive(product, mine) == DEAD

    def test_tokens_that_no_key_holds(self, product: Product, agent: AgentProcess) -> None:
        """The log says what it is that is too large, and nothing of it is left at Cognito."""
        mark = product.machine.log_mark()
        product.emulator.clear_requests()
        product.emulator.fault("RespondToAuthChallenge", "huge_token", kilobytes=15, tokens=["AccessToken", "IdToken"])
        with PamDriver(product.machine, "alone", "alice") as driver:
            assert driver.authenticate(RIGHT).code != "PAM_SUCCESS"
        said = " ".join(product.machine.lines(mark))
        assert "too large for a key (32767 bytes)" in said and "malformed" not in said, said
        assert product.operations()[-1] == "RevokeToken" and not product.entries()

    def test_ten_at_once(self, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
        """Rotation is on: the losers of the race would lose the session, if there were a race."""
        with product.other_pool({"rotation": True, "rotation_grace_seconds": 30}):
            product.member()
            with sshd.open("alice", RIGHT) as shell:
                before = product.tokens(shell.command(product.read_tokens).output)
                product.emulator.clear_requests()
                product.emulator.fault("GetTokensFromRefreshToken", "delay", seconds=1.5)
                token = "cognito-session token --min-life 366d | cat; echo status=${PIPESTATUS[0]}"
                script = f"bash -c 'for i in {{1..10}}; do ({token}) & done; wait'"
                said = shell.command(script, timeout=60).output
                # The pool gives no token of that length, so each says that it was renewed and is still too short.
                assert said.count("status=2") == 10, said
                assert calls(product) == 1, product.operations()
                after = product.tokens(shell.command(product.read_tokens).output)
                assert after.access != before.access and after.refresh != before.refresh
                assert alive(product, after) == (True, True)
                shell.logout()

    def test_a_lost_answer(self, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
        """Rotated at Cognito, the answer lost, no grace: nobody has signed out, and nothing is ended for it."""
        options = {"check_interval": "1s", "sign_out": "last", "on_revoked": "terminate"}
        with product.other_pool({"rotation": True, "rotation_grace_seconds": 0}, **options):
            product.member()
            with sshd.open("alice", RIGHT) as shell:
                key = int(shell.command(f"keyctl search @s user {product.key_description}").output.split()[0])
                mark = product.machine.log_mark()
                product.emulator.fault("GetTokensFromRefreshToken", "reset", times=1, processed=True, sent=0.5)
                said = json.loads(shell.command("cognito-session refresh --json >~/said; cat ~/said").output)
                assert (said["exit_status"], said["error"]) == (3, "renewal_lost"), said
                assert "no longer accepts" not in said["message"]
                assert refusal(agent.renew(key)) == "renewal_lost"
                product.machine.run([AGENT, "reap", "--now"], timeout=60)
                lines = product.machine.lines(mark)
                assert not any("session ended;" in line or "session terminated" in line for line in lines), lines
                # The access token is good until it ends.
                assert shell.command("cognito-session status --online").status == 0
                assert shell.command("cognito-session token | wc -c").output.strip() != "0"
                tokens = product.tokens(shell.command(product.read_tokens).output)
                shell.logout()
            assert alive(product, tokens) == DEAD and not product.entries() and product.tokens_given() == []

    def test_a_late_answer(self, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
        """After the time, with rotation and no grace: who asked has heard so, and the session gets the tokens."""
        options = {"rotation": True, "rotation_grace_seconds": 0}
        with product.other_pool(options, network_timeout="6s"):
            product.member()
            with sshd.open("alice", RIGHT) as shell:
                before = product.tokens(shell.command(product.read_tokens).output)
                mark = product.machine.log_mark()
                product.emulator.fault("GetTokensFromRefreshToken", "delay", seconds=10, times=1)
                said = json.loads(shell.command("cognito-session refresh --json >~/said; cat ~/said").output)
                assert (said["exit_status"], said["error"]) == (4, "unreachable"), said
                renewed = "renewed; user="
                product.machine.wait_until(lambda: product.machine.log(mark, containing=renewed), "the renewal")
                after = product.tokens(shell.command(product.read_tokens).output)
                assert after.refresh != before.refresh and alive(product, after) == (True, True)
                assert shell.command("cognito-session refresh").status == 0
                shell.logout()
            assert not product.entries() and product.tokens_given() == []

    def test_the_client_does_not_wait(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        before = session.tokens
        product.emulator.fault("GetTokensFromRefreshToken", "delay", seconds=1)
        proof = agent.proof(session.key)
        request = encode(
            "renew_request", {"key": session.key, "minimum_life": ANYWAY, "asked_at": 2**62, "proof": proof}
        )
        agent.exchange([request], stop_after=0)
        # Nothing says that it has begun.
        product.machine.wait_until(lambda: session.tokens.access != before.access, "the end of the renewal")
        product.machine.wait_until(lambda: not agent.servers(), "the end of the agent")

    @pytest.mark.parametrize("kind", ["throttle", "empty_500", "garbage", "reset", "bad_signature", "waf_403"])
    def test_nothing_is_lost_to_a_fault(
        self, product: Product, agent: AgentProcess, session: OpenSession, kind: str
    ) -> None:
        before = session.tokens
        product.emulator.fault("GetTokensFromRefreshToken", kind)
        assert refusal(agent.renew(session.key)) in ("throttled", "service_fault", "unreachable")
        product.emulator.clear_faults()
        assert session.tokens.access == before.access
        assert agent.renew(session.key).kind == "renewal"

    def test_cognito_is_down(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        before = session.tokens
        with product.emulator.away():
            assert refusal(agent.renew(session.key)) == "unreachable"
            # What is good is still good.
            assert agent.renew(session.key, 60).fields["renewal_outcome"] == 2
        assert session.tokens.access == before.access

    def test_ended_elsewhere(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """Only a definite refusal ends the session: then here, too, and at once."""
        key = session.key
        mark = product.machine.log_mark()
        product.sign_out_elsewhere()
        assert refusal(agent.renew(key)) == "ended_elsewhere"
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert session.keys == []
        assert refusal(agent.renew(key)) == "no_session"
        lines = product.machine.lines(mark, tag="cognito-agent")
        assert any("session ended; user='alice'" in line for line in lines), lines

    def test_the_registry_has_what_is_newest(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """Renewed by rotation, then the person throws the key away: the end revokes the newest all the same."""
        tokens = session.tokens
        assert agent.renew(session.key).kind == "renewal"
        newest = session.tokens
        product.machine.run(["keyctl", "invalidate", str(session.key)])
        assert refusal(agent.renew(session.key if session.keys else 1)) == "no_session"
        session.close()
        assert alive(product, newest) == alive(product, tokens) == DEAD


class TestRegistry:
    def test_what_root_is_told(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        state = agent.registered()
        assert (state.text("user_name"), state.text("service_name")) == ("alice", "alone")
        assert state.text("sign_out_mode") == "global"
        assert state.fields["access_token_expiry"] == session.tokens.payload["expires_at"]
        assert state.fields["host_process"] == session.driver.host.pid
        assert 0 <= state.fields["signed_in_ago"] < 60


class TestCheck:
    def test_from_a_session(self, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT) as shell:
            product.emulator.clear_requests()
            claims = shell.command("cognito-session claims")
            assert claims.status == 0 and "The signature has just been verified" in claims.output
            assert '"verified": true' in shell.command("cognito-session claims --id --json").output
            assert product.operations() == [], "nothing but the key set is needed to verify a signature"
            status = shell.command("cognito-session status --online")
            assert status.status == 0 and "accepted just now" in status.output
            assert product.operations() == ["GetUser"]

            with product.emulator.away():
                unknown = shell.command("cognito-session status --online", timeout=60)
            assert unknown.status == 4 and "Cognito could not be reached" in unknown.output
            assert shell.command("cognito-session --check").status == 0

            product.sign_out_elsewhere()
            ended = shell.command("cognito-session status --online")
            assert ended.status == 3 and "Cognito no longer accepts this session" in ended.output.replace("\r\n", " ")
            product.machine.wait_until(lambda: not product.entries(), "the end of the session")
            assert shell.command("cognito-session --check").status == 1
            shell.logout()

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            ({"kind": "error", "name": "TooManyRequestsException", "times": 9}, "throttled"),
            ({"kind": "error", "name": "InternalErrorException", "times": 9}, "service_fault"),
            ({"kind": "error", "name": "NotAuthorizedException", "message": "User is disabled."}, "ended_elsewhere"),
        ],
    )
    def test_what_cognito_says(
        self, product: Product, agent: AgentProcess, session: OpenSession, fault: dict, said: str
    ) -> None:
        product.emulator.fault("GetUser", **fault)
        key = session.key
        assert refusal(agent.ask("check_request", key=key, online=1)) == said
        product.machine.wait_until(lambda: bool(product.entries()) == (said != "ended_elsewhere"), "the registry")
        assert session.keys == ([] if said == "ended_elsewhere" else [key])

    def test_throttled_is_not_unreachable(self, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
        """Whoever is told that Cognito cannot be reached looks for a fault in the network."""
        with sshd.open("alice", RIGHT) as shell:
            for kind, word in (("throttle", "throttled"), ("empty_500", "service_fault")):
                for command in ("refresh", "sign-out --global --yes", "status --online"):
                    product.emulator.clear_requests()
                    product.emulator.fault("*", kind, times=20)
                    said = json.loads(shell.command(f"cognito-session {command} --json >~/said; cat ~/said").output)
                    product.emulator.clear_faults()
                    assert (said["exit_status"], said["error"]) == (4, word), said
                    assert "could not be reached" not in said["message"]
                    # Somebody waits: a sign-out is asked for once.
                    assert product.operations().count("GlobalSignOut") == ("sign-out" in command)
            assert len(product.entries()) == 1
            shell.logout()

    def test_of_somebody_else(self, agent: AgentProcess, session: OpenSession) -> None:
        assert refusal(agent.ask("check_request", "carol", key=session.key, online=1)) == "no_session"
        assert agent.ask("check_request", key=session.key, online=0).kind == "tokens_valid"


class TestSignOut:
    def test_everywhere(self, product: Product, agent: AgentProcess, session: OpenSession, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT) as other:
            elsewhere = product.tokens(other.command(product.read_tokens).output)
            mine, key = session.tokens, session.key
            # Two sessions, two keys: the driver's is the older one.
            answer = agent.ask("sign_out_request", key=key, revocation=1)
            assert (answer.kind, answer.fields["outcome"]) == ("ending", 1)
            assert alive(product, mine) == alive(product, elsewhere) == DEAD
            assert len(product.entries()) == 1
            other.logout()

    def test_here(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """At once, without waiting for Cognito; which is told all the same."""
        mine = session.tokens
        product.emulator.fault("RevokeToken", "delay", seconds=1)
        answer = agent.ask("sign_out_request", key=session.key, revocation=2)
        assert answer.kind == "ending" and session.keys == []
        product.machine.wait_until(lambda: not product.entries(), "the end of the sign-out")
        assert alive(product, mine) == DEAD
        assert product.operations() == ["RevokeToken"]

    def test_here_while_cognito_is_down(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        mine = session.tokens
        with product.emulator.away():
            assert agent.ask("sign_out_request", key=session.key, revocation=2).kind == "ending"
            assert session.keys == []
            # Killed while it tries on its own: what is left to do is in the registry.
            for server in agent.servers():
                # It may have given up already.
                with contextlib.suppress(ProcessLookupError):
                    product.machine.kill(server)
        # The kernel may be slower to free a killed one's lock than the reaper to come to it.
        product.machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")
        assert alive(product, mine) == DEAD

    def test_everywhere_while_cognito_is_down(
        self, product: Product, agent: AgentProcess, session: OpenSession
    ) -> None:
        """Nothing was done, so nothing is taken away."""
        mine, key = session.tokens, session.key
        with product.emulator.away():
            assert refusal(agent.ask("sign_out_request", key=key, revocation=1)) == "unreachable"
        assert session.keys == [key] and alive(product, mine) == (True, True)
        assert product.reap().returncode == 0
        assert alive(product, mine) == (True, True), "the reaper did what the person was told is not done"
        assert agent.ask("sign_out_request", key=key, revocation=1).fields["outcome"] == 1

    def test_everywhere_with_an_expired_access_token(self, product: Product, agent: AgentProcess) -> None:
        with product.other_pool({}):
            product.member()
            with product.signed_in() as driver:
                session = OpenSession(product, driver)
                mine = session.tokens
                product.emulator.fault(
                    "GlobalSignOut", "error", name="NotAuthorizedException", times=1, message="Access Token has expired"
                )
                answer = agent.ask("sign_out_request", key=session.key, revocation=1)
                assert answer.fields["outcome"] == 1 and alive(product, mine) == DEAD

    def test_signed_out_elsewhere_before(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        product.sign_out_elsewhere()
        assert agent.ask("sign_out_request", key=session.key, revocation=1).fields["outcome"] == 2
        assert product.entries() == [] and session.keys == []


def field(tag: int, value: bytes, length: int | None = None) -> bytes:
    return struct.pack(">BI", tag, len(value) if length is None else length) + value


NUMBER = bytes(8)
#: What is sent on one connection -> why it is refused; None: no answer at all
HOSTILE = {
    "nothing": ([b""], None),
    "one byte": ([b"\x01"], "malformed"),
    "another version": ([b"\x63\x46" + field(64, NUMBER)], "malformed"),
    "an unknown kind": ([b"\x01\xfe"], "malformed"),
    "a message of the worker's": ([b"\x01\x09" + field(27, b"\x01")], "malformed"),
    "a message of the root side's": ([b"\x01\x06"], "malformed"),
    "an answer to no question": ([b"\x01\x08" + field(22, b"x")], "malformed"),
    "an answer of the agent's": ([b"\x01\x41" + field(67, b"\x01") + field(21, b"x")], "malformed"),
    "no key": ([b"\x01\x46"], "malformed"),
    "two keys": ([b"\x01\x46" + field(64, NUMBER) * 2], "malformed"),
    "a short number": ([b"\x01\x46" + field(64, b"\0\0")], "malformed"),
    "a length that lies": ([b"\x01\x46" + field(64, NUMBER, 2**31)], "malformed"),
    "a field too much": ([b"\x01\x46" + field(64, NUMBER) + field(13, b"{}")], "malformed"),
    "8 KB": ([b"\x01\x46" + bytes(8000)], "malformed"),
    "64 KB": ([b"\x01\x46" + bytes(64_000)], "malformed"),
    "key 0": ([encode("check_request", {"key": 0, "online": 0})], "no_session"),
    "a negative key": ([encode("check_request", {"key": -3, "online": 0})], "no_session"),
    "a key beyond all": ([encode("check_request", {"key": 2**62, "online": 0})], "no_session"),
    "an unknown sign-out": ([encode("sign_out_request", {"key": 1, "revocation": 9})], "no_session"),
}


def count_file(machine, places: bytes) -> None:
    """What the agent counts in, with these places taken."""
    machine.write(COUNTS, places.ljust(4096 * 16, b"\0"), mode=0o600)


class TestHostileClients:
    @pytest.mark.parametrize("kind", HOSTILE)
    def test_nonsense(self, agent: AgentProcess, kind: str) -> None:
        packets, expected = HOSTILE[kind]
        answers = agent.exchange(packets)
        assert [refusal(answer) for answer in answers] == ([expected] if expected else []), answers
        agent.machine.wait_until(lambda: not agent.servers(), "the end of the request")

    def test_the_sessions_of_others(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """What is another's cannot be told from what is nobody's."""
        before = session.tokens
        for kind, fields in [
            ("check_request", {"online": 0}),
            ("renew_request", {"minimum_life": ANYWAY, "asked_at": 0}),
            ("sign_out_request", {"revocation": 1}),
            ("sign_out_request", {"revocation": 2}),
        ]:
            theirs = agent.ask(kind, "carol", key=session.key, **fields)
            nobodys = agent.ask(kind, "carol", key=1, **fields)
            assert refusal(theirs) == "no_session" and theirs == nobodys
        assert session.tokens.access == before.access and product.operations() == []

    def test_forged_keys(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """A key of the same name, even with the bundle of the real one, names nothing."""
        make = f"keyctl add user {product.key_description} forged @s"
        for script in (make, f"k=$({make}); keyctl setperm $k 0x0b3f0000; echo $k"):
            made = product.machine.run(["keyctl", "session", "-", "sh", "-c", script], user="alice", check=True)
            serial = int(made.stdout.split()[-1])
            assert refusal(agent.renew(serial)) == "no_session"
        # Nor do root's own: the registry's entries.
        for key in product.machine.keys():
            if key.description.startswith("pam-cognito:"):
                assert refusal(agent.renew(key.serial)) == "no_session", key

    def test_several_requests(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """One connection, one request; the others are not even read."""
        request = encode("check_request", {"key": session.key, "online": 0, "proof": agent.proof(session.key)})
        assert [answer.kind for answer in agent.exchange([request] * 5)] == ["tokens_valid"]

    def test_silence(self, agent: AgentProcess) -> None:
        """Whoever says nothing is not waited for."""
        assert agent.exchange([]) == []

    def test_too_often(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """Cognito is not asked without end, and who may not ask is told; others are not concerned."""
        # All 40 of alice's are used up: they are back in so many milliseconds since the machine's start.
        back = int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000) + 40 * 5000
        count_file(product.machine, struct.pack("=Qq", 2 << 56 | product.machine.uid("alice"), back))
        assert refusal(agent.renew(session.key)) == "busy"
        assert agent.renew(session.key, 60).kind == "renewal"
        assert product.operations() == []

    def test_signed_out_all_the_same(self, product: Product, agent: AgentProcess, session: OpenSession) -> None:
        """Sign-outs have turns of their own, and these are counted, too."""
        back = int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000) + 40 * 5000
        alice = product.machine.uid("alice")
        calls = struct.pack("=Qq", 2 << 56 | alice, back)
        count_file(product.machine, calls + struct.pack("=Qq", 6 << 56 | alice, back))
        assert refusal(agent.renew(session.key)) == "busy"
        assert refusal(agent.ask("sign_out_request", key=session.key, revocation=1)) == "busy"
        assert product.operations() == []
        count_file(product.machine, calls)
        assert agent.ask("sign_out_request", key=session.key, revocation=1).kind == "ending"
        assert "GlobalSignOut" in product.operations()

    @pytest.mark.parametrize("what", ["all places taken", "no file", "a link", "read-only"])
    def test_what_cannot_be_counted(
        self, product: Product, agent: AgentProcess, session: OpenSession, what: str
    ) -> None:
        """It is refused; but nobody is kept from signing out."""
        machine = product.machine
        if what == "all places taken":
            back = int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000) + 80_000_000
            places = (struct.pack("=Qq", 2 << 56 | 3_000_000 + i, back) for i in range(4096))
            count_file(machine, b"".join(places))
        elif what == "no file":
            machine.make_directory(COUNTS)
        elif what == "a link":
            machine.link(COUNTS, "/run/elsewhere")
        try:
            if what == "read-only":
                machine.run(["mount", "--bind", "/run/pam-cognito", "/run/pam-cognito"], check=True)
                machine.run(["mount", "-o", "remount,bind,ro", "/run/pam-cognito"], check=True)
            assert refusal(agent.renew(session.key)) == "internal_fault"
            assert refusal(agent.ask("recover_request", "bob", user_name="alice")) == "internal_fault"
            assert product.operations() == []
            assert agent.ask("sign_out_request", key=session.key, revocation=1).kind == "ending"
        finally:
            if what == "read-only":
                machine.run(["umount", "/run/pam-cognito"], check=True)

    def test_codes_for_somebody(self, product: Product, agent: AgentProcess) -> None:
        """However many ask: only so many are sent. Nobody can tell who exists by that."""
        for name in ("alice", "nobody-at-all"):
            request = encode("recover_request", {"user_name": name})
            product.emulator.clear_requests()
            heard = []
            for user in ("bob", "carol") * 4:
                heard.append(agent.exchange([request], user=user, stop_after=1)[0])
            kinds = [answer.kind for answer in heard]
            assert kinds[5:] == ["refused"] * 3 and "refused" not in kinds[:5], kinds
            assert all(refusal(answer) == "busy" for answer in heard[5:])
            assert "Too many codes" in heard[5].text("text")
            agent.machine.wait_until(lambda: not agent.servers(), "the end of the requests")
            assert product.operations().count("ForgotPassword") == 5
        # Whom others plague helps themselves.
        own = agent.exchange([encode("recover_request", {})], user="alice", stop_after=1)
        assert own[0].kind != "refused"
        assert agent.machine.stat(COUNTS).st_size == 4096 * 16

    def test_who_may_start_it(self, product: Product) -> None:
        machine = product.machine
        assert machine.run([AGENT, "serve"], user="alice").returncode == 77
        assert machine.run([AGENT, "listen"], user="alice").returncode == 77
        for wrong in (["serve"], ["listen", "--socket"], ["listen", "/tmp/x"]):
            assert machine.run([AGENT, *wrong]).returncode == 64, wrong
        assert machine.run([AGENT, "listen", "--socket", "/nowhere/at/all"]).returncode == 69


@pytest.fixture
def by_key(sshd: Sshd):
    """alice, logged in with an ssh key: without tokens."""
    sshd.authorize("alice")
    with sshd.open("alice", method="publickey") as shell:
        assert shell.accepted
        assert shell.command("cognito-session status --check").status == 1
        yield shell


class TestSignIn:
    def test_with_a_key_login(self, product: Product, agent: AgentProcess, by_key) -> None:
        said = sign_in(by_key, RIGHT)
        assert "status=0." in said and "Signed in to Cognito as alice" in said, said
        shown = by_key.command("keyctl show @s").output
        assert shown.count("cognito:") == 1 and "inbox" not in shown, shown
        (key,) = product.token_keys()
        assert (key.uid, key.permissions) == (0, "0b3f0000") and key.timeout > 40 * 365 * 86400
        mine = product.tokens(by_key.command(product.read_tokens).output)
        assert mine.payload["username"] == "alice"
        assert agent.registered().fields["host_process"] == by_key.monitor_pid
        # Then everything is as after any sign-in.
        assert by_key.command("cognito-session refresh").status == 0
        newer = product.tokens(by_key.command(product.read_tokens).output)
        assert newer.access != mine.access
        by_key.logout()
        assert product.entries() == [] and alive(product, newer) == DEAD

    def test_over_dead_tokens(self, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
        """One step; where they live, it is said how to go on."""
        with sshd.open("alice", RIGHT) as shell:
            alive_still = shell.command("cognito-session sign-in")
            assert alive_still.status == 64 and "already has tokens" in alive_still.output
            product.sign_out_elsewhere()
            assert "status=0." in sign_in(shell, RIGHT)
            assert shell.command("cognito-session status --online").status == 0
            piped = shell.command("cognito-session sign-out </dev/null")
            assert piped.status == 64 and "--local" in piped.output, piped
            shell.logout()
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")

    @pytest.mark.parametrize("host", ["login", "su", "su -"])
    def test_other_hosts(self, product: Product, agent: AgentProcess, host: str) -> None:
        """Whoever came in without Cognito, over login or su: the host's end is the session's."""
        if host == "login":
            shell = login(product.machine, "alice", authenticated=True)
        else:
            shell = su(product.machine, None, "alice", login_shell=host == "su -")
        with shell:
            assert shell.accepted and shell.command("cognito-session --check").status == 1
            product.emulator.clear_requests()
            said = sign_in(shell, RIGHT)
            assert "status=0." in said, said
            assert shell.command("cognito-session status --online").status == 0
            mine = product.tokens(shell.command(product.read_tokens).output)
            assert len(product.token_keys()) == 1
            assert agent.registered().fields["host_process"] == shell.parent_pid
            shell.logout()
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert alive(product, mine) == DEAD

    def test_json(self, product: Product, agent: AgentProcess, by_key) -> None:
        """The questions are on the terminal, and one object where it is wanted."""
        results = {}
        for answer in (WRONG, RIGHT, None):
            said = sign_in(by_key, *([answer] if answer else []), options="--json >~/said")
            results[re.search(r"status=(\d+)", said)[1]] = json.loads(by_key.command("cat ~/said").output)
        assert results["3"] == {"exit_status": 3, "error": "refused", "message": NOT_ACCEPTED}
        assert results["0"]["error"] is results["0"]["message"] is None
        person = {"username": "alice", "email": "alice@example.com", "groups": ["staff"]}
        assert {**results["0"], **person, "exit_status": 0} == results["0"]
        assert (results["64"]["error"], results["64"]["exit_status"]) == ("usage", 64)
        by_key.logout()

    def test_killed_host(self, product: Product, agent: AgentProcess, by_key) -> None:
        assert "status=0." in sign_in(by_key, RIGHT)
        mine = product.tokens(by_key.command(product.read_tokens).output)
        by_key.kill_host()
        by_key.wait_for_server()
        assert product.reap().returncode == 0
        assert product.entries() == [] and alive(product, mine) == DEAD

    def test_again(self, product: Product, agent: AgentProcess, by_key) -> None:
        """Who has tokens is not asked for a password; who signed out is."""
        assert "status=0." in sign_in(by_key, RIGHT)
        again = sign_in(by_key)
        assert "status=64." in again and "sign-out --local" in again
        assert by_key.command("cognito-session sign-out --local").status == 0
        assert "status=0." in sign_in(by_key, RIGHT)
        assert by_key.command("keyctl show @s").output.count("cognito:") == 1
        by_key.logout()
        product.machine.wait_until(lambda: not product.entries(), "the end of both sessions")

    @pytest.mark.parametrize("answer", [WRONG, ""])
    def test_refused(self, product: Product, agent: AgentProcess, by_key, answer: str) -> None:
        said = sign_in(by_key, answer)
        assert "status=3." in said and NOT_ACCEPTED in re.sub(r"\s+", " ", said), said
        assert product.entries() == [] and "cognito" not in by_key.command("keyctl show @s").output

    def test_interrupted(self, product: Product, agent: AgentProcess, by_key) -> None:
        """The terminal is as it was, and nothing is left."""
        before = by_key.command("stty -a").output
        by_key.terminal.type_line("cognito-session sign-in; echo status=$?.")
        by_key.terminal.expect_exact("Password: ")
        by_key.terminal.send("\x03")
        by_key.terminal.expect_exact("status=6.")
        assert "cognito" not in by_key.command("keyctl show @s").output
        assert by_key.command("stty -a").output == before
        product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
        assert product.entries() == []

    def test_local_account(self, product: Product, agent: AgentProcess, sshd: Sshd) -> None:
        sshd.authorize("bob")
        with sshd.open("bob", method="publickey") as shell:
            said = sign_in(shell)
            assert "status=1." in said and "does not sign in with Cognito" in said
            shell.logout()
        assert product.emulator.connection_count() == 0

    def test_cognito_is_down(self, product: Product, agent: AgentProcess, by_key) -> None:
        product.emulator.down()
        assert "status=4." in sign_in(by_key, RIGHT)

    def test_session_without_a_keyring_of_its_own(self, product: Product, agent: AgentProcess, by_key) -> None:
        """The shell that the tool is started from gets one (keyctl_session_to_parent(3))."""
        by_key.terminal.type_line("sh")
        by_key.terminal.type_line("keyctl new_session >/dev/null; PS1='> '; cognito-session sign-in; echo status=$?.")
        by_key.terminal.expect_exact("Password: ")
        by_key.terminal.type_line(RIGHT)
        by_key.terminal.expect(r"status=\d+\.")
        assert "status=0." in by_key.terminal.after
        by_key.terminal.type_line("exit")
        by_key.logout()
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")

    @pytest.mark.parametrize("ring", ["nobody's", "no ring", "no inbox", "another's", "the session's"])
    def test_what_is_no_inbox(self, product: Product, agent: AgentProcess, ring: str) -> None:
        serial = 1
        if ring != "nobody's":
            make = {
                "no ring": "keyctl add user cognito-inbox x @u",
                "no inbox": "keyctl newring cognito-inbox @u",
                "another's": "k=$(keyctl newring cognito-inbox @u); keyctl setperm $k 0x3f050000; echo $k",
                "the session's": "keyctl show @s | sed -n 2p",
            }[ring]
            user = "carol" if ring == "another's" else "alice"
            made = product.machine.run(["sh", "-c", make], user=user, check=True)
            serial = int(made.stdout.split()[0])
        assert refusal(agent.ask("sign_in_request", key=serial)) == "no_inbox"
        assert product.emulator.connection_count() == 0
        product.machine.run(["keyctl", "clear", "@u"], user="alice")
        product.machine.run(["keyctl", "clear", "@u"], user="carol")

    @pytest.mark.parametrize("point", ["at the question", "at the key", "a wrong message", "no taking"])
    def test_client_that_goes_away(self, product: Product, agent: AgentProcess, point: str) -> None:
        """Whatever it leaves undone, no token survives."""
        make = "k=$(keyctl newring cognito-inbox @u); keyctl setperm $k 0x3f050000; echo $k"
        made = product.machine.run(["sh", "-c", make], user="alice", check=True)
        packets = [encode("sign_in_request", {"key": int(made.stdout)})]
        if point != "at the question":
            packets.append(encode("answer", {"answer": RIGHT}))
        if point == "a wrong message":
            packets.append(encode("answer", {"answer": "x"}))
        agent.exchange(
            packets, stop_after={"at the question": 1, "at the key": 2, "a wrong message": 0, "no taking": 2}[point]
        )
        product.machine.wait_until(lambda: not agent.servers(), "the end of the request")
        product.machine.wait_until(lambda: not product.entries(), "the end of the tokens")
        assert product.tokens_given() == []
        product.machine.run(["keyctl", "clear", "@u"], user="alice")


MENU = "Choice [4]: "


class TestTool:
    """`cognito-session sign-out` and `refresh`, as people and scripts use them."""

    @pytest.fixture
    def shell(self, product: Product, agent: AgentProcess, sshd: Sshd):
        with sshd.open("alice", RIGHT) as shell:
            yield shell
            if not shell.terminal.process.ended:
                shell.logout()

    def choose(self, shell, answer: str, command: str = "cognito-session sign-out", prompt: str = MENU) -> str:
        shell.terminal.type_line(f"{command}; echo status=$?.")
        shell.terminal.expect_exact(prompt)
        shell.terminal.type_line(answer)
        shell.terminal.expect(r"status=\d+\.")
        return shell.terminal.before + shell.terminal.after

    @pytest.mark.parametrize("answer", ["4", "", "x", "12", "\x04"])
    def test_cancel(self, product: Product, shell, answer: str) -> None:
        mine = product.tokens(shell.command(product.read_tokens).output)
        said = self.choose(shell, answer)
        assert "status=6." in said and "Nothing was changed" in said
        assert alive(product, mine) == (True, True) and len(product.entries()) == 1
        assert shell.command("cognito-session status --check").status == 0

    @pytest.mark.parametrize(("options", "prompt"), [("", MENU), ("--global", "[y/N]: ")])
    def test_cancelled_for_a_program(self, product: Product, shell, options: str, prompt: str) -> None:
        said = self.choose(shell, "", f"cognito-session sign-out --json {options} >~/said", prompt)
        assert "status=6." in said and "Nothing was changed" not in said
        assert json.loads(shell.command("cat ~/said").output) == {
            "exit_status": 6,
            "error": "cancelled",
            "message": "Nothing was changed.",
        }
        assert len(product.entries()) == 1

    @pytest.mark.parametrize(
        ("answer", "operation"), [("1", "RevokeToken"), ("2", "RevokeToken"), ("3", "GlobalSignOut")]
    )
    def test_chosen(self, product: Product, shell, answer: str, operation: str) -> None:
        mine = product.tokens(shell.command(product.read_tokens).output)
        product.emulator.clear_requests()
        assert "status=0." in self.choose(shell, answer)
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert alive(product, mine) == DEAD and product.operations() == [operation]
        assert shell.command("cognito-session status --check").status == 1

    @pytest.mark.parametrize(("answer", "status"), [("n", 6), ("", 6), ("y", 0)])
    def test_global_is_asked_about(self, product: Product, shell, answer: str, status: int) -> None:
        said = self.choose(shell, answer, "cognito-session sign-out --global", "[y/N]: ")
        assert f"status={status}." in said
        assert len(product.entries()) == (1 if status else 0)

    #: options -> exit status, code; without a terminal, as in a script
    @pytest.mark.parametrize(
        ("options", "status", "operation"),
        [
            ("--local", 0, "RevokeToken"),
            ("--machine", 0, "RevokeToken"),
            ("--global", 0, "GlobalSignOut"),
            ("--yes", 0, "RevokeToken"),
            ("--yes --global", 0, "GlobalSignOut"),
            ("", 64, None),
            ("--local --global", 64, None),
            ("--machine --local", 64, None),
        ],
    )
    def test_in_a_script(self, product: Product, shell, options: str, status: int, operation: str | None) -> None:
        product.emulator.clear_requests()
        done = shell.command(f"(setsid -w cognito-session sign-out {options} </dev/null; echo $?) 2>&1 | cat")
        assert done.output.split()[-1] == str(status), done.output
        if operation:
            product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert product.operations() == ([operation] if operation else [])

    def test_two_machines_worth_of_sessions(self, product: Product, shell, sshd: Sshd) -> None:
        """Here leaves the other alone; everywhere ends it, and the next call there says so and clears up."""
        with sshd.open("alice", RIGHT) as other, sshd.open("alice", RIGHT) as third:
            theirs = product.tokens(other.command(product.read_tokens).output)
            assert third.command("cognito-session sign-out --local").status == 0
            product.machine.wait_until(lambda: len(product.entries()) == 2, "the end of the third session")
            assert alive(product, theirs) == (True, True)
            assert shell.command("cognito-session sign-out --global --yes").status == 0
            assert alive(product, theirs) == DEAD
            refreshed = other.command("cognito-session refresh")
            assert refreshed.status == 3 and "Cognito no longer accepts this session" in refreshed.output
            assert other.command("cognito-session status --check").status == 1
            other.logout()
            third.logout()

    @pytest.mark.parametrize("trouble", [None, "down"])
    def test_this_machine(self, product: Product, shell, by_key, sshd: Sshd, trouble: str | None) -> None:
        """All of the person's sessions here, and nobody else's; also from a session without tokens."""
        by_command = "cognito-session sign-out --machine --json"
        with sshd.open("alice", RIGHT) as other, sshd.open("carol", RIGHT) as carol:
            mine = [product.tokens(each.command(product.read_tokens).output) for each in (shell, other)]
            theirs = product.tokens(carol.command(product.read_tokens).output)
            with product.emulator.away() if trouble else contextlib.nullcontext():
                told = by_key.command(by_command)
            said = json.loads(told.output)
            assert (told.status, said["reached"], said["pending"]) == (0, "machine", True), told
            assert said["message"].startswith("Signed out of your 2 sessions on this machine")
            for each in (shell, other):
                assert each.command("cognito-session --check").status == 1
            if trouble:
                product.reap("--now")
            product.machine.wait_until(lambda: len(product.entries()) == 1, "the end of the sessions")
            assert [alive(product, tokens) for tokens in mine] == [DEAD, DEAD]
            assert alive(product, theirs) == (True, True)
            again = json.loads(by_key.command(by_command).output)
            assert (again["reached"], again["pending"], again["error"]) == ("nothing", False, None)
            other.logout()
            carol.logout()
        by_key.logout()

    def test_while_turns_are_used_up(self, product: Product, agent: AgentProcess, shell) -> None:
        """Who asks without end is refused, and told that nothing was done; but signs out all the same."""
        mine = product.tokens(shell.command(product.read_tokens).output)
        product.machine.write("/tmp/ask-on", ASK_ON)
        packet = encode("check_request", {"key": 1, "online": 0}).hex()
        shell.command(f"python3 /tmp/ask-on {packet} >~/asked &")
        shell.command("for i in $(seq 300); do [ -s ~/asked ] && break; sleep 0.1; done; [ -s ~/asked ]")
        told = shell.command("cognito-session sign-out --machine --json; kill %1")
        said = json.loads(told.output)
        assert (said["exit_status"], said["reached"], said["pending"]) == (0, "machine", True), told
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert alive(product, mine) == DEAD

    def test_codes(self, product: Product, agent: AgentProcess, shell, by_key) -> None:
        for options, status in (("--global --yes", 1), ("--local", 0)):
            none = by_key.command(f"cognito-session sign-out {options} --json")
            said = json.loads(none.output)
            assert none.status == said["exit_status"] == status
            assert (said.get("code"), said["error"]) == ((9001, "none") if status else (None, None))
            assert said["message"].startswith("This session has no Cognito tokens, ")
            assert ("To sign out on your other devices" in said["message"]) == bool(status)
        product.configure(network_timeout="2s", connect_timeout="1s")
        with product.emulator.away():
            down = shell.command("cognito-session sign-out --global --yes --json")
        product.configure()
        said = json.loads(down.output)
        assert down.status == 4 and said["code"] == 9000 and said["message"].startswith("Error signing out: ")
        assert "--local" in said["message"] and len(product.entries()) == 1
        gone = shell.command("cognito-session sign-out --global --yes --json")
        assert gone.status == 0 and "code" not in json.loads(gone.output)
        by_key.logout()


#: What Cognito does, and what becomes of each command then.
TROUBLES: dict[str, tuple[dict | None, dict[str, int]]] = {
    "ended elsewhere": (
        {},
        {"status --online": 3, "refresh": 3, "token --min-life 2h": 3, "exec --min-life 2h -- true": 125}
        | {"claims": 0, "sign-out --global --yes": 3, "sign-out --machine": 0},
    ),
    "unreachable": (
        None,
        {"status --online": 4, "refresh": 4, "token --min-life 2h": 4, "sign-out --global --yes": 4}
        | {"sign-out --machine": 0, "status": 1},
    ),
    "throttled": (
        {"operation": "*", "kind": "throttle", "times": 20},
        {"status --online": 4, "refresh": 4, "token --min-life 2h": 4, "sign-out --global --yes": 4},
    ),
    "failing": (
        {"operation": "*", "kind": "empty_500", "times": 20},
        {"status --online": 4, "refresh": 4, "token --min-life 2h": 4, "sign-out --global --yes": 4},
    ),
    "partly signed out": (
        {"operation": "GlobalSignOut", "kind": "waf_403", "times": 9},
        {"status --online": 0, "sign-out --global --yes": 9},
    ),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_one_shape(product: Product, agent: AgentProcess, sshd: Sshd, trouble: str) -> None:
    """As without the agent: the same three members, and those of the command."""
    fault, commands = TROUBLES[trouble]
    product.configure(network_timeout="5s")
    shells = []
    with contextlib.ExitStack() as stack:
        for command, status in commands.items():
            if not shells or trouble == "ended elsewhere":
                shells.append(stack.enter_context(sshd.open("alice", RIGHT)))
            if fault is None:
                product.emulator.down()
            elif fault:
                product.emulator.fault(**fault)
            else:
                product.sign_out_elsewhere()
            program, _, arguments = command.partition(" ")
            line = f"cognito-session {program} --json {arguments}"
            try:
                done = shells[-1].command(f"{line} >~/said 2>~/failed </dev/null")
            finally:
                product.emulator.up()
                product.emulator.clear_faults()
            said, failed = (shells[-1].command(f"cat ~/{name}").output for name in ("said", "failed"))
            result = subprocess.CompletedProcess(line, done.status, said, failed)
            assert done.status == status, result
            if program != "exec" or done.status:
                answer_of(result, program)
        product.reap("--now")
        for shell in shells:
            shell.logout()


def test_without_the_agent(product: Product, agent: AgentProcess, sshd: Sshd) -> None:
    """What needs root is said not to be possible; letting go of the tokens is, and they are revoked at logout."""
    with agent.away(), sshd.open("alice", RIGHT) as shell:
        mine = product.tokens(shell.command(product.read_tokens).output)
        for command, status in [
            ("refresh", 5),
            ("sign-out --global --yes", 5),
            ("status --check", 0),
            ("sign-out --local", 0),
            ("status --check", 1),
        ]:
            done = shell.command(f"cognito-session {command}")
            assert done.status == status, (command, done)
        assert "cognito-agent" in sign_in(shell)
        assert alive(product, mine) == (True, True)
        shell.logout()
    assert product.entries() == [] and alive(product, mine) == DEAD


class TestKills:
    """Whoever is killed, and when: with rotation and a grace period the session goes on, and no token is lost."""

    @pytest.fixture
    def rotating(self, product: Product):
        with product.other_pool({"rotation": True, "rotation_grace_seconds": 60}):
            product.member()
            with product.signed_in() as driver:
                session = OpenSession(product, driver)
                product.emulator.clear_requests()
                yield session
                newest = session.tokens
                driver.call("close_session")
                assert alive(product, newest) == DEAD and product.tokens_given() == []

    @pytest.mark.parametrize("victim", ["cognito-agent", "cognito-worker", "client", "all"])
    @pytest.mark.parametrize("rotated", [False, True], ids=["before the rotation", "after the rotation"])
    def test_killed_while_renewing(
        self, product: Product, agent: AgentProcess, rotating: OpenSession, victim: str, rotated: bool
    ) -> None:
        machine, key = product.machine, rotating.key
        product.emulator.fault("GetTokensFromRefreshToken", "hang", processed=rotated)
        proof = agent.proof(key)
        request = encode("renew_request", {"key": key, "minimum_life": ANYWAY, "asked_at": 2**62, "proof": proof})
        client = machine.start(agent.client([request]), user="alice")

        def workers() -> list[int]:
            return machine.pids("cognito-worker")

        machine.wait_until(lambda: calls(product) and workers(), "the request at Cognito")
        victims = {
            "cognito-agent": agent.servers(),
            "cognito-worker": workers(),
            "client": [client.pid],
            "all": [*agent.servers(), *workers(), client.pid],
        }[victim]
        for pid in victims:
            # The one may have ended over the other's death.
            with contextlib.suppress(ProcessLookupError):
                machine.kill(pid)
        product.emulator.clear_faults()
        product.emulator.down()
        product.emulator.up()
        client.end()
        machine.wait_until(lambda: not agent.servers() and not workers(), "the end of the renewal")
        # The next one goes through, with whatever refresh token the registry has.
        assert agent.renew(key).kind == "renewal"
        assert rotating.keys == [key] and alive(product, rotating.tokens) == (True, True)
