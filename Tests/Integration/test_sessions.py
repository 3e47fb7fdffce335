"""`cognito-session sessions`: root sees everybody's sessions, however root came to be root, and others their own."""

import contextlib
import json
import re

import pytest

from .agent_process import AgentProcess, refusal
from .hosts import Sshd, allow_sudo, su, sudo
from .machine import Machine, password_hash
from .product import AGENT, LOCAL, RIGHT, Product

LIST = ["cognito-session", "sessions"]


def listed(product: Product) -> list[dict]:
    done = product.machine.run([*LIST, "--json"], check=True)
    assert not [secret["kind"] for secret in product.emulator.secrets() if secret["value"] in done.stdout]
    report = json.loads(done.stdout)
    assert report["exit_status"] == 0
    return report["sessions"]


def test_who_and_from_where(product: Product, machine: Machine) -> None:
    assert listed(product) == []
    with Sshd(machine) as server, server.open("carol", RIGHT) as carol:
        with su(machine, "bob", "alice", RIGHT) as alice:
            first, second = sorted(listed(product), key=lambda session: session["service"])
            assert (first["user"], first["service"], first["state"]) == ("carol", "sshd", "open")
            assert first["remote_host"] in ("127.0.0.1", "::1", "localhost") and first["process"] == carol.monitor_pid
            assert (second["user"], second["service"], second["remote_host"]) == ("alice", "su", None)
            assert second["terminal"].endswith(alice.command("tty").output.strip().removeprefix("/dev/"))
            assert second["sign_out"] == "global" and second["access_token"]["expires_in"] > 3000
            assert second["signed_in_at"] >= first["signed_in_at"] - 1 and second["next_attempt_at"] is None
            text = machine.run(LIST, check=True).stdout
            assert text.startswith("2 sessions of 2 users.\n") and "alice" in text and "sshd" in text
            alice.leave()
            alice.terminal.wait()
        assert [session["user"] for session in listed(product)] == ["carol"]
        carol.logout()
    assert listed(product) == []


def test_what_went_wrong(product: Product, machine: Machine) -> None:
    """Left without a word, being ended, waiting for another attempt, another container's, damaged."""
    with contextlib.ExitStack() as stack:
        closing, gone, living = (stack.enter_context(product.signed_in()) for _ in range(3))
        product.emulator.fault("*", "waf_403")
        closing.call("close_session")
        gone.close()
        assert sorted(session["state"] for session in listed(product)) == ["abandoned", "closing", "open"]
        inside = machine.run(["unshare", "--pid", "--fork", "--mount-proc", *LIST, "--json"], check=True)
        assert [session["state"] for session in json.loads(inside.stdout)["sessions"]] == ["foreign"] * 3
        assert product.reap().returncode == 1
        assert product.reap("--now").returncode == 1
        tried = [session for session in listed(product) if session["state"] == "closing"]
        assert max(session["attempts"] for session in tried) == 2
        assert all(session["next_attempt_at"] >= session["signed_in_at"] for session in tried)
        for entry, content in zip(product.entries(), ("\\001garbage", "\\002garbage"), strict=False):
            machine.run(["sh", "-c", f"printf '{content}' | keyctl pupdate {entry.serial}"], check=True)
        states = sorted(session["state"] for session in listed(product))
        assert len(states) == 3 and states.count("damaged") == 1 and states.count("other_version") == 1
        product.emulator.clear_faults()
        living.call("close_session")
    machine.forget_keys()


@pytest.mark.parametrize("way", ["sudo", "su", "su -"])
def test_root_by_way_of(product: Product, machine: Machine, way: str) -> None:
    """root's ring is found whoever's keyrings the process came with."""
    allow_sudo(machine, "bob")
    machine.run(["usermod", "-p", password_hash(LOCAL), "root"], check=True)
    with product.signed_in() as driver:
        shell = (
            sudo(machine, "bob", "root", LOCAL)
            if way == "sudo"
            else su(machine, "bob", "root", LOCAL, login_shell=way == "su -")
        )
        with shell as root:
            assert root.accepted, root.seen
            said = root.command(" ".join(LIST) + " --json").output
            report = json.loads(said[said.index("{") : said.rindex("}") + 1])
            assert [session["user"] for session in report["sessions"]] == ["alice"]
            root.leave()
            root.terminal.wait()
        driver.call("close_session")


def test_a_person_sees_their_own(product: Product, machine: Machine) -> None:
    with AgentProcess(machine), contextlib.ExitStack() as stack:
        for user in ("alice", "carol", "alice"):
            stack.callback(stack.enter_context(product.signed_in(user)).sign_out)
        for user, count in (("alice", 2), ("carol", 1), ("bob", 0)):
            done = machine.run([*LIST, "--json"], user=user, check=True)
            assert [session["user"] for session in json.loads(done.stdout)["sessions"]] == [user] * count
            assert not [secret["kind"] for secret in product.emulator.secrets() if secret["value"] in done.stdout]
        assert machine.run(LIST, user="alice", check=True).stdout.startswith("2 sessions of 1 user.\n")
        assert machine.run(LIST, user="bob", check=True).stdout.startswith("You have no Amazon Cognito sessions")
    alone = machine.run(LIST, user="alice")
    assert alone.returncode == 5 and "cognito-agent" in alone.stderr, alone


def test_root_ends_sessions(product: Product, machine: Machine) -> None:
    """Of somebody, or one: their tokens go at once, and are revoked; others stay as they were."""
    with contextlib.ExitStack() as stack:
        for user in ("alice", "carol", "alice", "carol"):
            stack.enter_context(product.signed_in(user))
        for whose in ("bob", "4711", "0", "-1", "99999999999"):
            none = machine.run([*LIST, "--end", whose])
            assert none.returncode == 1 and "No open session matches" in none.stderr, (whose, none)
        assert len(listed(product)) == 4
        refused = machine.run([*LIST, "--end", "carol", "--json"], user="alice")
        assert (refused.returncode, json.loads(refused.stdout)["error"]) == (77, "not_permitted")
        with AgentProcess(machine) as agent:
            for fields in ({"user_name": "carol"}, {"key": listed(product)[0]["session"]}):
                request = {"key": 0, "revocation": 3, "tells_reach": 1} | fields
                assert refusal(agent.ask("sign_out_request", "alice", **request)) == "not_permitted"
        assert len(product.tokens_given("alice")) == len(product.tokens_given("carol")) == 2

        done = machine.run([*LIST, "--end", "alice", "--json"], check=True)
        assert {"ended": 2, "pending": True, "error": None}.items() <= json.loads(done.stdout).items()
        [first, second] = [session["session"] for session in listed(product) if session["state"] == "open"]
        text = machine.run([*LIST, "--end", str(first)], check=True).stdout
        assert text.startswith("Signed out 1 session; ")
        machine.wait_until(lambda: [session["session"] for session in listed(product)] == [second], "the end of three")
        assert not product.tokens_given("alice") and len(product.tokens_given("carol")) == 1
        assert machine.run([*LIST, "--end", "carol"]).returncode == 0
        machine.wait_until(lambda: not product.entries(), "the end of all")
    assert not product.tokens_given("carol")


def test_everywhere(product: Product, machine: Machine) -> None:
    """What the pool itself lists, another application's sign-in among it; that one is ended from here.

    How the service lists them is our reading of its model, see Emulator/behaviours/session_tracking.py."""
    options = {"session_limit": 20, "auth_flows": ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]}
    with product.other_pool(options), AgentProcess(machine), contextlib.ExitStack() as stack:
        product.member("alice")
        others, mine = (stack.enter_context(product.signed_in()) for _ in range(2))

        def everywhere(*more: str):
            done = mine.job("alice", " ".join([*LIST, "--everywhere", *more, "--json"]))
            assert not [secret["kind"] for secret in product.emulator.secrets() if secret["value"] in done.stdout]
            return done.returncode, json.loads(done.stdout)

        status, report = everywhere()
        [own, other] = sorted(report["sessions"], key=lambda session: not session["current"])
        assert status == 0 and own["current"] and not other["current"], report
        assert all(re.fullmatch(r"pam-cognito/\S+ \(Linux; \S+; alone\)", one["device"]) for one in (own, other))
        for name, expected in ((own["session"], 64), ("tkn" + "0" * 25, 1), ("alice", 1)):
            assert everywhere("--end", name)[0] == expected
        assert len(product.tokens_given("alice")) == 2
        assert everywhere("--end", other["session"]) == (
            0,
            {"ended": 1, "error": None, "exit_status": 0, "message": None},
        )
        assert everywhere("--end", other["session"])[1]["error"] == "not_listed"
        assert len(product.tokens_given("alice")) == 1 and len(everywhere()[1]["sessions"]) == 1
        target = {"UserPoolId": product.pool["pool_id"], "TokenSession": {"MaxPerUser": 20}}
        product.emulator.admin("SetUserPoolSessionConfiguration", {**target, "UserSessionTracking": "DISABLED"})
        status, report = everywhere()
        assert status == 1 and "does not track sessions" in report["message"], report
        for driver in (others, mine):
            driver.sign_out()
        none = machine.run([*LIST, "--everywhere"], user="bob")
        assert none.returncode == 1 and none.stdout == "", none


def test_without_the_agent(product: Product, machine: Machine) -> None:
    with machine.preserved(AGENT):
        machine.remove(AGENT)
        failed = machine.run(LIST)
        assert failed.returncode == 70 and "cognito-agent cannot be started" in failed.stderr, failed
