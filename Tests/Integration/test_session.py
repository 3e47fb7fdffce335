"""What a session holds, who can reach it, and how it ends."""

import signal

import pytest

from .hosts import Sshd, login, su
from .pam_driver import PamDriver
from .product import AGENT, LOCAL, RIGHT, Product
from .test_sign_in import assert_signed_out


@pytest.fixture
def only_this_session(product: Product):
    """Sign-out takes this session alone, so that tests of two of them can tell them apart."""
    product.configure(sign_out="session")


def serial(session, product: Product) -> str:
    return session.command(f"keyctl search @s user {product.key_description}").output.strip().splitlines()[-1]


class TestKey:
    def test_owner_and_permissions(self, product: Product, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT) as session:
            key = next(key for key in product.machine.keys() if key.description == product.key_description)
            assert (key.type, key.uid, key.permissions) == ("user", 0, "0b3f0000")
            key_serial = key.serial
            # No estimate of the refresh token's end takes it from a session that goes on.
            assert key.timeout is not None and key.timeout > 40 * 365 * 86400
            assert session.command("grep -c 'user.*cognito:' /proc/keys").output.strip() == "1"
            payload = next(key for key in product.machine.keys(payloads=True) if key.serial == key_serial).payload
            assert payload is not None and b"access_token" in bytes(payload)
            session.logout()

    def test_the_person_cannot_change_it(self, product: Product, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT) as session:
            key = serial(session, product)
            for attempt in (
                f"keyctl update {key} forged",
                f"keyctl add user {product.key_description} forged @s",
                f"keyctl setperm {key} 0x3f3f3f3f",
                f"keyctl timeout {key} 5",
                f"keyctl chown {key} $(id -u)",
            ):
                result = session.command(attempt)
                assert result.status != 0 and "denied" in result.output.lower(), (attempt, result)
            assert product.tokens(session.command(product.read_tokens).output).payload["username"] == "alice"
            session.logout()

    def test_another_session_of_the_same_person(self, product: Product, sshd: Sshd, only_this_session: None) -> None:
        """Neither by the key's serial nor by the ring's, which its owner may see."""
        with sshd.open("alice", RIGHT) as first, sshd.open("alice", RIGHT) as second:
            key = serial(first, product)
            ring = first.command("keyctl describe @s >/dev/null; keyctl show @s | sed -n 2p").output.split()[0]
            for attempt in (
                f"keyctl pipe {key}",
                f"keyctl link {key} @s",
                f"keyctl link {ring} @s && keyctl pipe {key}",
                f"keyctl setperm {key} 0x3f3f3f3f",
            ):
                result = second.command(attempt)
                assert result.status != 0 and "access_token" not in result.output, (attempt, result)
            mine = product.tokens(first.command(product.read_tokens).output)
            theirs = product.tokens(second.command(product.read_tokens).output)
            assert mine.access != theirs.access
            first.logout()
            product.machine.wait_until(lambda: len(product.entries()) == 1, "the end of the first session")
            assert not product.alive(mine)["refresh"] and product.alive(theirs)["refresh"]
            second.logout()
        assert_signed_out(product, theirs)

    def test_su_to_somebody_else(self, product: Product, sshd: Sshd) -> None:
        """`su bob` inherits the caller's keyring unless it gets one of its own."""
        with sshd.open("alice", RIGHT) as session:
            key = serial(session, product)
            look = f"su bob -c 'id -un; keyctl show @s; keyctl pipe {key}'"
            seen = session.terminal.converse(look, "Password: ", LOCAL)
            assert "bob" in seen and "cognito:" not in seen and "access_token" not in seen
            session.logout()

    def test_the_person_may_throw_it_away(self, product: Product, sshd: Sshd) -> None:
        """Root has its own: the end of the session revokes all the same."""
        with sshd.open("alice", RIGHT) as session:
            tokens = product.tokens(session.command(product.read_tokens).output)
            assert session.command(f"keyctl invalidate {serial(session, product)}").status == 0
            assert session.command("cognito-session").status == 1
            session.logout()
        assert_signed_out(product, tokens)

    def test_quota_of_the_person_is_not_touched(self, product: Product, sshd: Sshd, only_this_session: None) -> None:
        """Users have 20,000 bytes and 200 keys. Full already, their sign-in still works."""
        uid = product.machine.uid("alice")
        fill = "i=0; while keyctl add user filler$i x @u >/dev/null 2>&1; do i=$((i+1)); done; keyctl session - true"
        product.machine.run(["sh", "-c", fill], user="alice", timeout=60)
        try:
            with sshd.open("alice", RIGHT) as session:
                tokens = product.tokens(session.command(product.read_tokens).output)
                usage = session.command(f"grep '^ *{uid}:' /proc/key-users").output
                assert "200/200" in usage or "/20000" in usage
                session.logout()
            assert_signed_out(product, tokens)
        finally:
            product.machine.run(["keyctl", "clear", "@u"], user="alice")

    def test_refresh_token_may_stay_with_root(self, product: Product, sshd: Sshd) -> None:
        product.configure(refresh_token="root")
        with sshd.open("alice", RIGHT) as session:
            tokens = product.tokens(session.command(product.read_tokens).output)
            assert tokens.refresh is None
            session.logout()
        product.machine.wait_until(lambda: not product.entries(), "the end of the session")
        assert not product.alive(tokens)["access"]

    def test_planted_key(self, product: Product, sshd: Sshd) -> None:
        """A key of the same description that the person made before must not be what the tokens are put into."""
        with sshd.open("alice", RIGHT) as session:
            session.command(f"keyctl unlink {serial(session, product)} @s")
            planted = session.command(f"keyctl add user {product.key_description} mine @s").output.strip()
            look = f"su alice -c '{product.read_tokens}; keyctl pipe {planted}'"
            seen = session.terminal.converse(look, "Password: ", RIGHT)
            assert product.tokens(seen).payload["username"] == "alice"
            assert session.command(f"keyctl pipe {planted}").output.strip() == "mine"
            session.logout()
        product.machine.wait_until(lambda: not product.entries(), "the end of both sessions")


class TestHandOff:
    """The variable between sshd's two processes names a key; only a key of root's own counts."""

    @pytest.mark.parametrize(
        "value",
        ["", "1", "x:y", "99999999999999999999:pam-cognito:s:00", "1:pam-cognito:s:" + "0" * 32, "-5:pam-cognito:s:0"],
    )
    def test_forged(self, product: Product, value: str) -> None:
        with PamDriver(product.machine, "alone", "alice") as driver:
            driver.put_environment("PAM_COGNITO_H=" + value)
            assert driver.call("open_session").code == "PAM_SUCCESS"
        assert product.emulator.connection_count() == 0

    def test_key_of_the_person(self, product: Product) -> None:
        """A user can make a key of that description, but not one that is root's."""
        made = product.machine.run(
            ["sh", "-c", "keyctl add user pam-cognito:s:" + "a" * 32 + " forged @u"], user="alice", check=True
        ).stdout.strip()
        mark = product.machine.log_mark()
        with PamDriver(product.machine, "alone", "alice") as driver:
            driver.put_environment(f"PAM_COGNITO_H={made}:pam-cognito:s:" + "a" * 32)
            driver.call("open_session")
        assert product.machine.log(mark, containing="does not come from pam_cognito")
        product.machine.run(["keyctl", "clear", "@u"], user="alice")


class TestEnd:
    def test_expired_access_token_is_renewed_first(self, product: Product) -> None:
        """GlobalSignOut takes an unexpired access token only."""
        client = product.emulator.app_client(product.pool["pool_id"], access_token_seconds=2)
        product.configure(client_id=client["client_id"], client_secret_file=None)
        with product.signed_in() as driver:
            product.machine.run(["sleep", "3"])
            product.emulator.clear_requests()
            assert driver.call("close_session").code == "PAM_SUCCESS"
        operations = product.operations()
        assert operations[-1] == "GlobalSignOut"
        assert {"GetTokensFromRefreshToken", "InitiateAuth"} & set(operations[:-1])

    @pytest.mark.parametrize(
        ("mode", "operation"), [("global", "GlobalSignOut"), ("session", "RevokeToken"), ("none", None)]
    )
    def test_modes(self, product: Product, mode: str, operation: str | None) -> None:
        product.configure(sign_out=mode)
        with product.signed_in() as driver:
            product.emulator.clear_requests()
            assert driver.call("close_session").code == "PAM_SUCCESS"
        assert product.operations() == ([operation] if operation else [])
        assert not product.entries()

    def test_cognito_silent(self, product: Product) -> None:
        """The end waits its time and no more; the tokens stay in the registry until the reaper has succeeded."""
        product.configure(sign_out_wait="1s")
        with product.signed_in() as driver:
            product.emulator.fault("*", "hang")
            assert driver.call("close_session").code == "PAM_SUCCESS"
            assert len(product.entries()) == 1
            assert not [key for key in product.machine.keys() if key.description == product.key_description]
        # The worker that nobody waits for any more gives up some time later; another attempt need not wait for it.
        product.machine.kill_all(product.machine.pids("cognito-worker"))
        product.emulator.clear_faults()
        reaped = product.reap()
        assert reaped.returncode == 0 and "outcome=" in reaped.stdout, reaped
        assert not product.entries()

    @pytest.mark.parametrize("kind", ["down", "reset", "throttle", "html_500"])
    def test_cognito_in_trouble_at_once(self, product: Product, kind: str) -> None:
        """The end waits for the first attempt only; for one session, the worker goes on until Cognito is back."""
        product.configure(sign_out_wait="60s", sign_out="session")
        with product.signed_in() as driver:
            product.emulator.down() if kind == "down" else product.emulator.fault("*", kind)
            assert driver.call("close_session").succeeded
        # It gives up when its time is up: whoever had waited for that would not meet it.
        assert product.machine.pids("cognito-worker")
        assert len(product.entries()) == 1
        product.emulator.up()
        product.emulator.clear_faults()
        product.machine.wait_until(lambda: not product.tokens_given(), "the sign-out by the worker")
        assert "outcome=revoked" in product.reap().stdout
        assert not product.entries()

    @pytest.mark.parametrize("expired", [False, True])
    def test_two_short_sessions_in_one_second(self, product: Product, expired: bool) -> None:
        """Cognito counts in seconds: it calls the newer access token revoked, and the refresh token beside it lives."""
        if expired:
            # Of little life from the beginning: it is renewed first.
            client = product.emulator.app_client(product.pool["pool_id"], access_token_seconds=20)
            product.configure(client_id=client["client_id"], client_secret_file=None)
        # A second that is long enough for a slow machine.
        product.emulator.switch(revocation_seconds=60)
        for _ in range(2):
            with product.signed_in() as driver:
                assert driver.call("close_session").succeeded
        assert product.operations()[-2:] == ["GlobalSignOut", "RevokeToken"]
        assert not product.tokens_given() and not product.entries()

    def test_whoever_ends_the_session_does_not_end_its_sign_out(self, product: Product, sshd: Sshd) -> None:
        """systemd sends SIGTERM and SIGHUP to all that is in a session's scope, the worker included."""
        with sshd.open("alice", RIGHT) as session:
            tokens = product.tokens(session.command(product.read_tokens).output)
            with product.emulator.held("GlobalSignOut"):
                session.leave()
                [worker] = product.machine.wait_until(
                    lambda: product.machine.pids("cognito-worker"), "the worker of the sign-out"
                )
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    product.machine.kill(worker, number)
            session.wait_for_server()
        assert_signed_out(product, tokens)

    def test_host_killed(self, product: Product, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT, method="keyboard-interactive") as session:
            tokens = product.tokens(session.command(product.read_tokens).output)
            product.machine.kill(session.monitor_pid)
            session.terminal.hang_up()
        assert len(product.entries()) == 1
        product.machine.wait_until(
            lambda: session.monitor_pid not in {process.pid for process in product.machine.processes()},
            "the end of the host",
        )
        assert product.reap("--dry-run").stdout.count("would be signed out; ") == 1 and product.alive(tokens)["refresh"]
        assert product.reap().returncode == 0
        assert_signed_out(product, tokens)

    def test_where_clone3_is_not_allowed(self, product: Product) -> None:
        """RestrictNamespaces and older containers refuse it, since a filter cannot see what it is asked for."""
        with product.signed_in():
            pass
        refused = ["strace", "-f", "-o", "/dev/null", "-e", "inject=clone3:error=ENOSYS"]
        reaped = product.machine.run([*refused, AGENT, "reap"], timeout=60)
        assert reaped.returncode == 0 and ": the PAM application has ended" in reaped.stdout, reaped.stdout
        assert not product.entries() and not product.tokens_given()

    def test_living_sessions_are_left_alone(self, product: Product) -> None:
        with login(product.machine, "alice", RIGHT) as session:
            tokens = product.tokens(session.command(product.read_tokens).output)
            reaped = product.reap()
            assert (reaped.returncode, reaped.stdout) == (0, "") and product.alive(tokens)["access"]
            session.logout()
        assert_signed_out(product, tokens)

    def test_never_delivered(self, product: Product) -> None:
        """Tokens that no session had are not worth ending every session of the person."""
        with product.authenticated():
            entry = product.entries()
            assert len(entry) == 1
            # The session may be about to begin.
            assert product.reap().stdout == "" and product.entries() == entry
        assert ": no session was opened after the sign-in" in product.reap().stdout and not product.entries()
        assert "GlobalSignOut" not in product.operations()

    def test_open_twice_and_close_twice(self, product: Product) -> None:
        with product.signed_in() as driver:
            codes = [driver.call(hook).code for hook in ("open_session", "close_session", "close_session")]
        assert codes == ["PAM_SUCCESS"] * 3
        assert product.operations().count("GlobalSignOut") == 1

    def test_only_root_reaps(self, product: Product) -> None:
        refused = product.machine.run(["/usr/libexec/pam-cognito/cognito-agent", "reap"], user="alice")
        assert refused.returncode == 77 and "run cognito-agent as root" in refused.stderr
        assert product.machine.run(["/usr/libexec/pam-cognito/cognito-agent", "sweep"]).returncode == 64


class TestTool:
    def test_status(self, product: Product, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT) as session:
            text = session.command("cognito-session").output
            for word in ("alice", "alice@example.com", "staff", product.pool["pool_id"], "left"):
                assert word in text, text
            machine_readable = session.command("cognito-session --json")
            assert machine_readable.status == 0 and '"alice"' in machine_readable.output
            assert "eyJ" not in text + machine_readable.output
            session.logout()

    def test_no_session(self, product: Product) -> None:
        nothing = product.machine.run(["cognito-session"], user="bob")
        assert nothing.returncode == 1 and nothing.stdout + nothing.stderr


def test_su_by_root(product: Product) -> None:
    """root becomes anybody without a question, and no tokens come with that."""
    with su(product.machine, "root", "alice", login_shell=True) as session:
        assert session.accepted and session.command("cognito-session").status == 1
        session.logout()
    assert product.emulator.connection_count() == 0


def test_what_cognito_is_told_of_who_asks(product: Product, sshd: Sshd) -> None:
    """Every request of a session names this machine and the service, which is what Cognito's list of sessions shows."""
    machine = product.machine
    name = machine.run(["uname", "-n"], check=True).stdout.strip()
    version = machine.run(["cognito-session", "--version"], check=True).stdout.split()[-1]
    for service, open_session in (
        ("sshd", lambda: sshd.open("alice", RIGHT)),
        ("login", lambda: login(machine, "alice", RIGHT)),
    ):
        product.emulator.clear_requests()
        open_session().visit()
        machine.wait_until(lambda: not product.entries(), "the end of the session")
        agents = {request["headers"]["user-agent"] for request in product.emulator.requests()}
        assert agents == {f"pam-cognito/{version} (Linux; {name}; {service})"}
