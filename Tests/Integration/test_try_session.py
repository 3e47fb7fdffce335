"""try_session: who comes in without typing, and everybody who would like to."""

import contextlib
import json
import re
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Sshd, SshSession, allow_sudo
from .machine import Machine
from .product import LOCAL, RIGHT, Product

#: sudo that asks nobody: it fails where a password would be asked for.
SUDO = "sudo -n id -un"
DEFAULTS = ("passwd_tries=1", "!lecture", "noninteractive_auth", "timestamp_timeout=0")


def set_options(machine: Machine, service: str, *options: str) -> None:
    """Puts the lines of cognito-auth into a service's own file, with options; without the delay after a refusal."""
    arguments = " ".join(("pam_cognito.so", *options))
    lines = re.sub(r"pam_cognito\.so$", arguments, machine.read("/etc/pam.d/cognito-auth"), flags=re.MULTILINE)
    assert arguments in lines
    lines = re.sub(r"^auth.*pam_faildelay.*\n", "", lines, flags=re.MULTILINE)
    text = machine.read(f"/etc/pam.d/{service}")
    machine.write(f"/etc/pam.d/{service}", text.replace("@include cognito-auth\n", lines), 0o644)


def allow_reuse(machine: Machine, service: str) -> None:
    set_options(machine, service, "try_session=yes")


@contextlib.contextmanager
def changed(machine: Machine, service: str, old: str, new: str) -> Iterator[None]:
    """A service's own file has other options."""
    path = f"/etc/pam.d/{service}"
    with machine.preserved(path):
        text = machine.read(path)
        assert old in text
        machine.write(path, text.replace(old, new), 0o644)
        yield


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product, agent: AgentProcess) -> Iterator[Sshd]:
    allow_sudo(machine, "alice", "bob", "carol", defaults=DEFAULTS)
    for service in ("sudo", "su", "sshd"):
        allow_reuse(machine, service)
    with Sshd(machine) as server:
        yield server


@pytest.fixture
def shell(product: Product, sshd: Sshd) -> Iterator[SshSession]:
    """alice, in a session of hers that has just begun: sshd asks in any case."""
    with sshd.open("alice", RIGHT) as session:
        assert session.accepted
        product.emulator.clear_requests()
        yield session
        session.logout()
    product.machine.wait_until(lambda: not product.entries(), "the end of the session")


def test_nobody_types(machine: Machine, product: Product, shell: SshSession) -> None:
    """Verified here, confirmed by Cognito; nothing new comes of it, and nothing is lost."""
    before = product.tokens(shell.command(product.read_tokens).output)
    mark = machine.log_mark()
    done = shell.command(SUDO)
    assert (done.output.strip(), done.status) == ("root", 0)
    assert product.operations() == ["GetUser"]
    (line,) = machine.lines(mark, containing="session reused")
    assert re.search(r"user='alice' session=\d+ service='sudo' rhost='' age=\d+ allowed_groups='staff'$", line), line

    # Somebody else's rights, not this session's tokens.
    other = shell.command(f"sudo -n -u bob keyctl search @s user {product.key_description}")
    assert other.status == 1 and "Required key not available" in other.output
    assert product.tokens(shell.command(product.read_tokens).output).access == before.access
    assert product.alive(before) == {**product.alive(before), "access": True, "refresh": True}
    assert len(product.entries()) == 1


def test_su(machine: Machine, product: Product, shell: SshSession) -> None:
    """To oneself, not to anybody else."""
    assert shell.command("su alice -c 'id -un' < /dev/null").output.strip() == "alice"
    assert product.operations() == ["GetUser"]
    for other in ("bob", "carol", "root"):
        assert shell.command(f"su {other} -c 'id -un' < /dev/null").status != 0, other


def test_tmux(machine: Machine, product: Product, sshd: Sshd) -> None:
    """In the session's keyring as long as the session lasts, and not any longer."""
    script = "; ".join(f"{SUDO} > ~/{n} 2>&1; echo $? >> ~/{n}; read x < ~/go" for n in ("during", "after"))
    with sshd.open("alice", RIGHT) as session:
        session.command("rm -f ~/go ~/during ~/after; mkfifo ~/go")
        assert session.command(f"tmux -L test new-session -d '{script}'").status == 0
        home = session.command("echo ~").output.strip()
        read = lambda name: machine.read(f"{home}/{name}") if machine.exists(f"{home}/{name}") else ""  # noqa: E731
        machine.wait_until(lambda: read("during").count("\n") == 2, "sudo in tmux")
        session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")
    assert read("during") == "root\n0\n"
    machine.run(["sh", "-c", f"echo > {home}/go"], user="alice", check=True)
    machine.wait_until(lambda: read("after").endswith("1\n"), "sudo in tmux, after the session")
    assert "root" not in read("after")


def test_renewed_first(machine: Machine, product: Product, sshd: Sshd) -> None:
    """An access token that has ended is no end of the session. A renewal makes no sign-in younger."""
    with product.other_pool({"access_token_seconds": 20}):
        product.member()
        with sshd.open("alice", RIGHT) as session:
            before = product.tokens(session.command(product.read_tokens).output)
            product.emulator.clear_requests()
            mark = machine.log_mark()
            done = session.command(SUDO)
            assert (done.output.strip(), done.status) == ("root", 0)
            assert product.operations() == ["GetTokensFromRefreshToken", "GetUser"]
            renewed, reused = machine.lines(mark, containing="user='alice' session=")
            assert renewed.startswith("renewed; ") and ": session reused; " in reused, (renewed, reused)
            after = product.tokens(session.command(product.read_tokens).output)
            assert after.access != before.access and len(product.entries()) == 1

            with changed(machine, "sudo", "try_session=yes", "try_session=yes try_session_age=1s"):
                assert session.command(f"sleep 2.1; {SUDO}").status == 1

            product.sign_out_elsewhere()
            mark = machine.log_mark()
            assert session.command(SUDO).status == 1
            assert "reason=session_ended" in machine.lines(mark, containing="session not reused")[0]
            assert session.command("cognito-session --check").status == 1
            session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")


class TestAsked:
    """The password is asked for as ever."""

    def test_revoked_elsewhere(self, machine: Machine, product: Product, shell: SshSession) -> None:
        product.sign_out_elsewhere()
        mark = machine.log_mark()
        assert shell.command(SUDO).status == 1
        assert "reason=session_ended" in machine.lines(mark, containing="session not reused")[0]
        assert not [key for key in machine.keys() if key.description == product.key_description]
        assert "root\r\n" in shell.terminal.converse("sudo id -un", "password for alice: ", RIGHT)

    def test_cognito_down(self, machine: Machine, product: Product, shell: SshSession) -> None:
        mark = machine.log_mark()
        product.emulator.down()
        assert shell.command(SUDO, timeout=60).status == 1
        product.emulator.up()
        assert "reason=unreachable" in machine.lines(mark, containing="session not reused")[0]
        assert shell.command(SUDO).status == 0, "what was in doubt is not any more"

    @pytest.mark.parametrize(
        ("claims", "status"),
        [({"auth_time": -240}, 0), ({"auth_time": -400}, 1), ({"auth_time": 240}, 1), ({"cognito:groups": []}, 1)],
    )
    def test_what_the_tokens_say(
        self, machine: Machine, product: Product, sshd: Sshd, claims: dict, status: int
    ) -> None:
        """sshd lets these in, by its own rule; sudo asks anew."""
        now = int(machine.run(["date", "+%s"], check=True).stdout)
        told = {name: now + value if name == "auth_time" else value for name, value in claims.items()}
        product.emulator.fault("RespondToAuthChallenge", "claims", set=told)
        with changed(machine, "sshd", "try_session=yes", "try_session=yes allowed_groups=*"):
            with sshd.open("alice", RIGHT) as session:
                product.emulator.clear_faults()
                assert session.command(SUDO).status == status
                session.logout()

    def test_switched_off(self, machine: Machine, product: Product, shell: SshSession) -> None:
        with changed(machine, "sudo", "try_session=yes", "try_session=no"):
            assert shell.command(SUDO).status == 1
        assert product.operations() == []

    def test_in_the_file(self, machine: Machine, product: Product, shell: SshSession) -> None:
        """It would hold for every service: that is a mistake, and a mistake opens nothing."""
        mark = machine.log_mark()
        with machine.preserved("/etc/security/pam_cognito.conf"):
            product.configure(try_session="yes")
            assert shell.command(SUDO).status == 1
        assert machine.lines(mark, containing="try_session is not allowed in the configuration file")
        assert product.operations() == []

    def test_a_screen_lock(self, machine: Machine, product: Product, shell: SshSession) -> None:
        """As the person, and set-uid root, whatever its service file says."""
        with machine.preserved("/etc/pam.d/swaylock", "/etc/pam.d/physlock", "/usr/local/bin/lock"):
            for service in ("swaylock", "physlock"):
                machine.write(f"/etc/pam.d/{service}", machine.read("/etc/pam.d/sudo"), 0o644)
            mark = machine.log_mark()
            assert shell.command("pamtester swaylock alice authenticate < /dev/null").status == 1
            assert machine.lines(mark, containing="try_session is ignored: swaylock runs without root privileges")
            machine.run(["install", "-m", "4755", "/usr/bin/pamtester", "/usr/local/bin/lock"], check=True)
            assert shell.command("/usr/local/bin/lock physlock alice authenticate < /dev/null").status == 1
            assert machine.lines(mark, containing="physlock seems to be a screen lock")
        assert product.operations() == []


class TestPlanted:
    """Keys that a person puts into their own rings: nothing is gained, nothing is asked of Cognito, nothing breaks."""

    @pytest.fixture
    def bundles(self, machine: Machine, product: Product, shell: SshSession, sshd: Sshd) -> Iterator[dict[str, bytes]]:
        with sshd.open("carol", RIGHT) as other:
            carols = product.tokens(other.command(product.read_tokens).output).payload
            own = product.tokens(shell.command(product.read_tokens).output).payload
            head, body, _ = str(own["access_token"]).split(".")
            yield {
                "alice's own": json.dumps(own).encode(),
                "carol's": json.dumps(carols).encode(),
                "carol's, as alice's": json.dumps({**carols, "username": "alice"}).encode(),
                "unsigned": json.dumps({**own, "access_token": f"{head}.{body}."}).encode(),
                "expired": json.dumps({**own, "expires_at": 1}).encode(),
                "huge": json.dumps({**own, "x": "x" * 15_000}).encode(),
                "binary": bytes(range(256)),
                "empty object": b"{}",
            }
            other.logout()

    def test_payloads(self, machine: Machine, product: Product, bundles: dict[str, bytes]) -> None:
        """Through a set-uid host that has no other module, and so no delay after a refusal."""
        machine.pam("tried", "auth required pam_cognito.so try_session=yes\n")
        machine.run(["install", "-m", "4755", "/usr/bin/pamtester", "/usr/local/bin/tried"], check=True)
        tried = "/usr/local/bin/tried tried alice authenticate"
        product.emulator.clear_requests()
        for mode in ("", "; keyctl setperm $k 0x0b3f0000"):
            script = f"k=$(keyctl padd user {product.key_description} @s){mode}; {tried}"
            for name, payload in bundles.items():
                done = machine.run(["keyctl", "session", "-", "sh", "-c", script], user="alice", input=payload)
                assert done.returncode == 1 and "successfully" not in done.stdout, (name, done.stdout, done.stderr)
        assert product.operations() == []

    def test_rings_of_other_sessions(self, machine: Machine, product: Product, shell: SshSession) -> None:
        """The token key itself cannot be linked; the ring that it is in can, and does not help."""
        ring = int(shell.command("keyctl show @s | awk 'NR==2{print $1}'").output)
        key = int(shell.command(f"keyctl search @s user {product.key_description}").output)
        link = machine.run(["keyctl", "session", "-", "keyctl", "link", str(key), "@s"], user="alice")
        assert link.returncode != 0
        script = f"keyctl link {ring} @s && keyctl search @s user {product.key_description}; {SUDO}"
        for user in ("alice", "carol"):
            done = machine.run(["keyctl", "session", "-", "sh", "-c", script], user=user)
            assert done.returncode == 1 and "root" not in done.stdout, (user, done.stdout)
        assert product.operations() == []

    def test_no_session_at_all(self, machine: Machine, product: Product, shell: SshSession) -> None:
        """alice elsewhere, while a session of hers is open; and bob, whom Cognito does not know."""
        assert machine.run(["sh", "-c", SUDO], user="alice").returncode == 1
        assert machine.run(["sh", "-c", SUDO], user="bob").returncode == 1
        done = machine.run(["sh", "-c", "sudo -S -p '' id -un"], user="bob", input=f"{LOCAL}\n")
        assert done.stdout == "root\n"
