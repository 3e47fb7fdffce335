"""Every host, right and wrong: who comes in, what they hold, and that nothing of it outlives the session."""

import pytest

from .hosts import Sshd, allow_sudo, login, pamtester, su, sudo_command
from .machine import Machine
from .pam_driver import CronOrder, PamDriver
from .product import LOCAL, RIGHT, WRONG, Product

METHODS = ("password", "keyboard-interactive")
#: pam_keyinit where the shipped stack has it, after us, and not at all.
POSITIONS = ("before", "after", "absent")


@pytest.fixture(scope="module", params=["bare", "systemd-style"])
def sshd(machine: Machine, product: Product, request: pytest.FixtureRequest):
    with Sshd(machine, start=request.param) as server:
        yield server


def move_keyinit(machine: Machine, position: str) -> None:
    """Puts pam_keyinit elsewhere in the shipped session stack."""
    lines = machine.read("/etc/pam.d/cognito-session").splitlines()
    keyinit = next(line for line in lines if "pam_keyinit.so" in line and not line.startswith("#"))
    lines.remove(keyinit)
    if position == "after":
        lines.append(keyinit)
    elif position == "before":
        lines.insert(0, keyinit)
    machine.write("/etc/pam.d/cognito-session", "\n".join(lines) + "\n", 0o644)


def assert_signed_out(product: Product, tokens) -> None:
    """Cognito refuses the tokens, and nothing of the session is left."""
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")
    alive = product.alive(tokens)
    assert not alive["access"] and not alive["refresh"], alive


class TestSsh:
    @pytest.mark.parametrize("position", POSITIONS)
    @pytest.mark.parametrize("method", METHODS)
    def test_right_password(self, machine: Machine, product: Product, sshd: Sshd, method: str, position: str) -> None:
        """The hand-off from the process that authenticates to the one with the session, in every way to start."""
        with machine.preserved("/etc/pam.d/cognito-session"):
            move_keyinit(machine, position)
            result = sshd.run("alice", RIGHT, method=method, command=f"{product.read_tokens}; env; keyctl show @u")
        tokens = product.tokens(result.output)
        assert tokens.payload["username"] == "alice"
        assert "PAM_COGNITO" not in result.output
        assert "pam-cognito:sessions" not in result.output
        assert_signed_out(product, tokens)
        assert "GlobalSignOut" in product.operations()

    def test_numbers_without_padding(self, product: Product, sshd: Sshd) -> None:
        """Cognito leaves zeros in front of SALT and SRP_B out: once in 16 sign-ins."""
        product.emulator.switch(short_srp_values=True)
        assert sshd.run("alice", RIGHT).accepted

    @pytest.mark.parametrize("method", METHODS)
    def test_wrong_password(self, machine: Machine, product: Product, sshd: Sshd, method: str) -> None:
        mark = machine.log_mark()
        result = sshd.run("alice", WRONG, method=method)
        assert not result.accepted and "Permission denied" in result.errors
        lines = machine.log(mark, containing="authentication failure; user='alice'")
        assert len([line for line in lines if "reason=refused" in line.message]) == 1
        assert product.operations().count("RespondToAuthChallenge") == 1

    @pytest.mark.parametrize("method", METHODS)
    def test_local_account_while_cognito_is_down(self, product: Product, sshd: Sshd, method: str) -> None:
        product.emulator.down()
        assert sshd.run("bob", LOCAL, method=method, command="id -un").output == "bob\n"
        assert product.emulator.connection_count() == 0

    @pytest.mark.parametrize("name", ["nobody-at-all", "root"])
    def test_names_that_never_reach_cognito(self, product: Product, sshd: Sshd, name: str) -> None:
        assert not sshd.run(name, RIGHT, method="keyboard-interactive").accepted
        assert product.emulator.connection_count() == 0

    def test_key_login_has_no_tokens(self, product: Product, sshd: Sshd) -> None:
        sshd.authorize("carol")
        result = sshd.run("carol", method="publickey", command="cognito-session; echo status $?; keyctl show @s")
        assert "status 1" in result.output and "cognito:" not in result.output
        assert product.emulator.connection_count() == 0

    def test_session_on_a_terminal(self, product: Product, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT, method="keyboard-interactive") as session:
            assert session.accepted
            assert "alice" in session.command("cognito-session").output
            tokens = product.tokens(session.command(product.read_tokens).output)
            assert product.alive(tokens)["access"]
            session.logout()
        assert_signed_out(product, tokens)

    def test_client_that_vanishes(self, product: Product, sshd: Sshd) -> None:
        with sshd.open("alice", RIGHT, method="keyboard-interactive") as session:
            tokens = product.tokens(session.command(product.read_tokens).output)
            session.kill_client()
            session.wait_for_server()
        assert_signed_out(product, tokens)


def test_refused_account_never_reaches_cognito(machine: Machine, product: Product) -> None:
    """sshd replaces the password of an account that it does not let in; that must not cost an attempt at Cognito.

    Before the answer nobody knows: a sign-in may have begun, in which nothing is proved.
    """
    with Sshd(machine, port=2223, options={"DenyUsers": "alice"}) as server:
        for method in METHODS:
            assert not server.run("alice", RIGHT, method=method).accepted
    assert set(product.operations()) <= {"InitiateAuth"}


class TestLogin:
    def test_right_password(self, product: Product) -> None:
        with login(product.machine, "alice", RIGHT) as session:
            assert session.accepted and "Signed in to Cognito as alice" in session.seen
            tokens = product.tokens(session.command(product.read_tokens).output)
            session.logout()
        assert_signed_out(product, tokens)

    def test_wrong_password(self, product: Product) -> None:
        with login(product.machine, "alice", WRONG) as session:
            assert session.refused and not session.accepted

    def test_local_account(self, product: Product) -> None:
        login(product.machine, "bob", LOCAL).visit()
        assert product.emulator.connection_count() == 0


class TestSu:
    @pytest.mark.parametrize("login_shell", [False, True])
    def test_right_password(self, product: Product, login_shell: bool) -> None:
        with su(product.machine, "bob", "alice", RIGHT, login_shell=login_shell) as session:
            assert session.accepted
            tokens = product.tokens(session.command(product.read_tokens).output)
            session.logout()
        assert_signed_out(product, tokens)

    def test_wrong_password(self, product: Product) -> None:
        with su(product.machine, "bob", "alice", WRONG) as session:
            assert session.refused

    def test_into_the_same_account(self, product: Product) -> None:
        """The inner session has tokens of its own; its end takes nothing but those, as far as the mode says."""
        product.configure(sign_out="session")
        with su(product.machine, "bob", "alice", RIGHT, login_shell=True) as outer:
            before = product.tokens(outer.command(product.read_tokens).output)
            outer.terminal.converse("su alice -c 'true'", "Password: ", RIGHT)
            assert product.tokens(outer.command(product.read_tokens).output).access == before.access
            assert product.alive(before)["refresh"]
            outer.logout()
        assert_signed_out(product, before)


def test_sudo_gets_no_tokens(product: Product) -> None:
    """sudo asks the caller, its session is the target's: what was minted is revoked, the caller's tokens stay."""
    machine = product.machine
    allow_sudo(machine, "alice")
    product.configure(sign_out="session")
    with su(machine, "bob", "alice", RIGHT, login_shell=True) as session:
        own = product.tokens(session.command(product.read_tokens).output)
        seen = session.terminal.converse("sudo -k; sudo -u bob keyctl show @s", "assword", RIGHT)
        assert "cognito:" not in seen
        assert product.alive(own)["refresh"]
        assert len(product.entries()) == 1
        session.logout()
    assert_signed_out(product, own)


def test_sudo_of_a_local_account(product: Product) -> None:
    allow_sudo(product.machine, "bob")
    status, output, _ = sudo_command(product.machine, "bob", "root", ["id", "-un"], LOCAL)
    assert status == 0 and "root" in output
    assert product.emulator.connection_count() == 0


def test_pamtester(product: Product) -> None:
    """A caller that is none of the great hosts, with the shipped stack."""
    product.machine.pam("tester", product.machine.read("/etc/pam.d/login"))
    done = pamtester(product.machine, "tester", "alice", ["authenticate", "acct_mgmt"], RIGHT)
    assert done.succeeded, done.seen
    # pamtester ends without a session: what it got waits in the registry for the reaper's time.
    assert len(product.entries()) == 1
    product.machine.forget_keys()


def test_order_of_calls_of_cron(product: Product) -> None:
    product.machine.pam(
        "cron", "account include cognito-account\nsession include cognito-session\nauth required pam_permit.so\n"
    )
    job = CronOrder(product.machine, "alice").run("keyctl show @s")
    assert "cognito:" not in str(job)
    assert product.emulator.connection_count() == 0


@pytest.mark.parametrize(
    "name", ["ALICE", "alic\u00e9", "alice\u0301", b"alice\xff", "alice ", "a/lice", "alice\x07", ""]
)
def test_other_names_are_other_people(product: Product, name: str | bytes) -> None:
    """Accounts are compared as bytes: what looks the same, or sorts the same, is somebody else."""
    with PamDriver(product.machine, "alone", name) as driver:
        assert driver.authenticate(RIGHT).code == "PAM_USER_UNKNOWN"
    assert product.emulator.connection_count() == 0


def test_self_registered_stranger(product: Product) -> None:
    """Somebody registers in the pool under the name of a local account that is not Cognito's."""
    product.emulator.user(product.pool["pool_id"], "deploy", RIGHT, groups=["staff"])
    product.machine.add_user("deploy", password=LOCAL)
    with PamDriver(product.machine, "alone", "deploy") as driver:
        assert driver.authenticate(RIGHT).code in ("PAM_IGNORE", "PAM_PERM_DENIED")
    product.machine.add_to_group("deploy", "cognito")
    # In the group, but with a password of this machine: still not Cognito's unless listed by name.
    with PamDriver(product.machine, "alone", "deploy") as driver:
        assert driver.authenticate(RIGHT).code in ("PAM_IGNORE", "PAM_PERM_DENIED")
    assert product.emulator.connection_count() == 0


def test_closed_account(machine: Machine, product: Product) -> None:
    """passwd -l closes an account of the group, and does not make it Cognito's; one without any password stays so."""
    product.member("lea")
    machine.add_user("lea", password=LOCAL, groups=["cognito"])
    hashed = machine.read("/etc/shadow").splitlines()[-1].split(":")[1]
    for option, closed in (("-l", True), ("-d", False)):
        machine.run(["passwd", option, "lea"], check=True)
        if option == "-d":
            machine.run(["usermod", "--password", "!", "lea"], check=True)
        asked = product.emulator.connection_count()
        for password in (RIGHT, LOCAL, f"!{hashed}"):
            with su(machine, "bob", "lea", password) as session:
                assert session.accepted == (not closed and password == RIGHT), (option, password)
                if session.accepted:
                    session.logout()
        assert (product.emulator.connection_count() == asked) == closed
        product.forget_failures("lea")
    machine.run(["sh", "-c", f"printf 'lea:%s\\n' '!{hashed}' | chpasswd --encrypted"], check=True)
    product.configure(users="lea")
    with su(machine, "bob", "lea", RIGHT) as session:
        assert session.accepted, "who is named is Cognito's, whatever password there is"
        session.logout()


@pytest.mark.parametrize(
    ("password", "reaches"), [("", False), ("x" * 257, False), ("x" * 2000, False), ("x" * 256, True)]
)
def test_passwords_that_cannot_be_right(product: Product, password: str, reaches: bool) -> None:
    with PamDriver(product.machine, "alone", "alice") as driver:
        assert driver.authenticate(password).code == "PAM_AUTH_ERR"
    # Where the answer took its time, the sign-in had begun.
    assert ("RespondToAuthChallenge" in product.operations()) == reaches


def test_group_that_may_not_come_in(product: Product) -> None:
    product.emulator.user(product.pool["pool_id"], "dora", RIGHT, groups=[])
    product.machine.add_user("dora")
    product.machine.add_to_group("dora", "cognito")
    with PamDriver(product.machine, "alone", "dora") as driver:
        assert driver.authenticate(RIGHT).code == "PAM_PERM_DENIED"
    product.machine.wait_until(lambda: "RevokeToken" in product.operations(), "the revocation")


def test_password_flow(product: Product) -> None:
    client = product.emulator.app_client(
        product.pool["pool_id"], auth_flows=["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]
    )
    product.configure(auth_flow="password", client_id=client["client_id"], client_secret_file=None)
    with product.signed_in() as driver:
        assert driver.call("close_session").code == "PAM_SUCCESS"
    assert product.operations()[0] == "InitiateAuth"


def test_mail_addresses_as_names(product: Product) -> None:
    """`username_template`: the verified e-mail address is the identity, the canonical name a UUID."""
    with product.other_pool({"username_attributes": ["email"]}, username_template="{user}@example.com"):
        product.member("alice@example.com", email="alice@example.com")
        product.member("carol@example.com", email="carol@example.com", email_verified=False)
        with product.signed_in() as driver:
            driver.call("close_session")
        with PamDriver(product.machine, "alone", "carol") as driver:
            assert driver.authenticate(RIGHT).code == "PAM_PERM_DENIED"
        # The domain has no case; what is before it does, and both spellings are in the log.
        for address, expected in [("alice@Example.COM", "PAM_SUCCESS"), ("Alice@example.com", "PAM_PERM_DENIED")]:
            # The emulator finds nobody by an address that is spelled otherwise, as pools do: the token says so instead.
            product.emulator.clear_faults()
            product.emulator.fault("RespondToAuthChallenge", "claims", set={"email": address}, tokens=["IdToken"])
            mark = product.machine.log_mark()
            with PamDriver(product.machine, "alone", "alice") as driver:
                assert driver.visit(RIGHT).code == expected
        (line,) = product.machine.log(mark, containing="reason=other_identity")
        assert "the pool has 'Alice@example.com', and this machine expects 'alice@example.com'" in line.message
