"""The registry's entries, and the rounds of the reaper through them."""

import contextlib
import errno
import re
import signal

import pytest

from . import lost_output
from .compiled import library
from .hosts import Sshd
from .lost_output import SINKS, UNREAD
from .machine import Machine
from .pam_driver import PamDriver
from .product import AGENT, ALONE, RIGHT, WORKER, Product


@pytest.fixture(scope="module")
def unreadable_proc(machine: Machine) -> dict[str, str]:
    """The environment of a program to which the files of single processes are closed: see there."""
    return {"LD_PRELOAD": library("unreadable_proc", machine.shared)}


def orphan(product: Product, count: int) -> None:
    """Sessions whose hosts end without a word."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(product.signed_in())
        product.await_rounds()
    assert len(product.entries()) >= count


class TestRounds:
    def test_a_service_that_fails_is_asked_once(self, product: Product) -> None:
        orphan(product, 3)
        product.emulator.clear_requests()
        product.emulator.fault("*", "waf_403")
        first = product.reap()
        assert first.returncode == 1 and first.stdout.count("sign-out not finished; ") == 1, first
        assert "round not finished; waiting=2: " in first.stdout
        asked = product.emulator.connection_count()
        # The one that failed waits now; the others take their turn, one a round.
        assert product.reap("--once").returncode == 1 and product.reap().returncode == 1
        assert product.emulator.connection_count() <= 3 * asked and len(product.entries()) == 3
        plan = product.reap("--dry-run").stdout
        told = "would be signed out; .* attempts=1 .*: the sign-out was not finished\n"
        assert len(re.findall(told, plan)) == 3, plan
        product.emulator.clear_faults()
        done = product.reap()
        assert done.returncode == 0 and done.stdout.count("signed out; ") == 3, done
        assert not product.entries()

    @pytest.mark.parametrize("sink", [*SINKS, UNREAD])
    def test_output_that_goes_nowhere(self, product: Product, machine: Machine, sink: str) -> None:
        """What cannot be said is done all the same, to its end."""
        into = lost_output.install(machine)
        error, _ = SINKS.get(sink, SINKS["ignored"])
        lost = f"cognito-agent: cannot write to standard output (errno {error}), "
        orphan(product, 3)
        for options in (["reap", "--dry-run"], ["reap"], ["--help"], ["--version"]):
            ended = machine.run([into, sink, AGENT, *options])
            assert ended.stdout == "" and bool(product.entries()) == (options == ["reap", "--dry-run"])
            if sink == UNREAD and "reap" not in options:
                assert ended.returncode == -signal.SIGPIPE
            else:
                assert (ended.returncode, ended.stderr.startswith(lost)) == (74, True), ended
        orphan(product, 1)
        product.emulator.fault("*", "waf_403")
        assert machine.run([into, sink, AGENT, "reap"]).returncode == 1
        product.emulator.clear_faults()
        assert product.reap("--now").returncode == 0 and not product.entries()

    def test_pause_between_attempts(self, product: Product) -> None:
        """From the second attempt on there is one, unless root is in a hurry."""
        orphan(product, 1)
        product.emulator.fault("*", "waf_403")
        assert [product.reap().returncode for _ in range(2)] == [1, 1]
        product.emulator.clear_faults()
        product.emulator.clear_requests()
        waiting = product.reap()
        assert (waiting.returncode, waiting.stdout) == (1, "") and not product.operations()
        seconds = re.search(r"attempts=2 next=(\d+)s", product.reap("--dry-run").stdout)
        assert seconds and 0 < int(seconds.group(1)) <= 60
        assert product.reap("--now").returncode == 0 and not product.entries()

    def test_processes_that_are_hidden_are_not_dead(self, machine: Machine, product: Product) -> None:
        """/proc with hidepid, without the right to look into others: as the service of the timer sees it."""
        with product.signed_in() as driver:
            hidden = machine.run(
                [
                    "unshare", "-m", "sh", "-c",
                    "mount -t proc -o hidepid=2,gid=4242 proc /proc && "
                    "exec setpriv --bounding-set=-all,+setuid,+setgid,+kill "
                    f"sh -c '! ls -d /proc/{driver.pid} 2>/dev/null && exec {AGENT} reap'",
                ]
            )  # fmt: skip
            assert (hidden.returncode, hidden.stdout) == (0, ""), hidden
            assert len(product.entries()) == 1
            driver.call("close_session")
        assert not product.entries()

    @pytest.mark.parametrize("fault", ["EMFILE", "ENFILE", "ENOMEM", "EIO"])
    @pytest.mark.parametrize("operation", ["open", "read"])
    def test_processes_that_cannot_be_looked_at_are_not_dead(
        self, machine: Machine, product: Product, unreadable_proc: dict[str, str], operation: str, fault: str
    ) -> None:
        """A reaper that lacks descriptors or memory for /proc/PID/stat leaves living sessions alone, and says so."""
        environment = unreadable_proc | {"UNREADABLE_PROC": f"{operation} {errno.__dict__[fault]}"}
        with product.signed_in() as first, product.signed_in() as second:
            plan = machine.run([AGENT, "reap", "--dry-run"], env=environment)
            told = f": the state of the PAM application is unknown (errno {errno.__dict__[fault]})"
            assert (plan.stdout.count("left alone; "), plan.stdout.count(told)) == (2, 2), plan
            done = machine.run([AGENT, "reap"], env=environment)
            assert (done.returncode, done.stdout) == (0, ""), done
            assert len(product.entries()) == len(product.tokens_given()) == 2
            first.call("close_session")
            second.call("close_session")
        assert not product.entries()

    def test_two_at_once(self, product: Product, machine: Machine) -> None:
        orphan(product, 4)
        product.emulator.clear_requests()
        product.emulator.fault("*", "delay", seconds=0.3)
        rounds = [machine.start([AGENT, "reap"]) for _ in range(3)]
        assert [process.wait() for process in rounds] == [0, 0, 0]
        assert not product.entries()
        assert len(product.endings()) == 4


class TestOfOthers:
    @pytest.mark.parametrize("state", ["open", "closing"])
    def test_of_another_container(self, product: Product, machine: Machine, state: str) -> None:
        """A process id means nothing in another pid namespace: its entries are left alone, and --dry-run says so."""
        orphan(product, 1)
        if state == "closing":
            product.emulator.fault("*", "waf_403")
            assert product.reap().returncode == 1
            product.emulator.clear_faults()
        inside = ["unshare", "--pid", "--fork", "--mount-proc", AGENT, "reap"]
        assert machine.run(inside).stdout == ""
        plan = machine.run([*inside, "--dry-run"]).stdout
        assert ": the session belongs to another container (pid namespace " in plan, plan
        assert product.reap().returncode == 0 and not product.entries()

    def test_boot_id_of_a_container(self, product: Product, machine: Machine) -> None:
        """systemd-nspawn covers the boot id, and a service with a /proc of its own uncovers it: it does not matter."""
        with product.signed_in() as living:
            orphan(product, 1)
            uncovered = machine.run(
                [
                    "unshare", "-m", "sh", "-c",
                    "echo 0c96a1d5-6d0e-4ae2-a2a0-3b0b9b3f5a11 >/tmp/boot_id && "
                    f"mount --bind /tmp/boot_id /proc/sys/kernel/random/boot_id && exec {AGENT} reap",
                ]
            )  # fmt: skip
            assert uncovered.returncode == 0 and uncovered.stdout.count("signed out; ") == 1, uncovered
            assert len(product.entries()) == 1
            living.call("close_session")
        assert not product.entries()


class TestLast:
    @pytest.fixture(autouse=True)
    def last(self, product: Product) -> None:
        product.configure(sign_out="last")

    def test_one_after_the_other(self, product: Product, machine: Machine) -> None:
        with Sshd(machine) as server, server.open("alice", RIGHT) as first, server.open("alice", RIGHT) as second:
            kept = product.tokens(second.command(product.read_tokens).output)
            product.emulator.clear_requests()
            first.logout()
            product.machine.wait_until(lambda: len(product.entries()) == 1, "the end of the first session")
            assert product.endings() == ["RevokeToken"] and product.alive(kept)["refresh"]
            second.logout()
        assert product.endings() == ["RevokeToken", "GlobalSignOut"]
        assert not product.alive(kept)["refresh"] and not product.entries()

    def test_at_the_same_moment(self, product: Product, machine: Machine) -> None:
        """Exactly one of them is the last one, each time."""
        with Sshd(machine, port=2223) as server:
            for _ in range(4):
                with server.open("alice", RIGHT) as first, server.open("alice", RIGHT) as second:
                    product.emulator.clear_requests()
                    first.leave()
                    second.leave()
                    first.wait_for_server()
                    second.wait_for_server()
                product.machine.wait_until(lambda: not product.entries(), "the end of both sessions")
                assert sorted(product.endings()) == ["GlobalSignOut", "RevokeToken"]

    def test_killed_sessions_do_not_count(self, product: Product) -> None:
        orphan(product, 1)
        with product.signed_in() as driver:
            driver.call("close_session")
        assert product.endings() == ["GlobalSignOut"]
        assert product.reap().returncode == 0 and not product.entries()

    def test_of_one_service(self, product: Product, machine: Machine) -> None:
        product.configure(sign_out="session")
        machine.pam("one", ALONE.replace("pam_cognito.so", "pam_cognito.so sign_out=last"))
        with PamDriver(machine, "one", "alice") as driver:
            assert driver.visit(RIGHT).succeeded
        assert product.endings() == ["GlobalSignOut"]


def test_reaper_after_a_login(product: Product, machine: Machine) -> None:
    """Whoever comes in has what others left seen to, without waiting for it, and once a minute at most."""
    machine.remove("/run/pam-cognito/counts")
    orphan(product, 1)
    with product.signed_in() as driver:
        machine.wait_until(lambda: len(product.entries()) == 1, "the end of what was left")
        orphan(product, 1)
        assert len(product.entries()) == 2
        driver.call("close_session")
    product.reap()


class TestDrain:
    def test_everything_ends(self, product: Product, machine: Machine) -> None:
        """Also sessions whose hosts live, and those that wait for their next attempt."""
        orphan(product, 1)
        product.emulator.fault("*", "waf_403")
        assert [product.reap().returncode for _ in range(2)] == [1, 1]
        product.emulator.clear_faults()
        with product.signed_in() as alices, product.signed_in("carol") as carols:
            drained = machine.run([AGENT, "drain"])
            assert drained.returncode == 0 and drained.stdout.count("all sessions are being ended") == 2, drained
            assert not product.entries() and not product.tokens_given() and not product.tokens_given("carol")
            assert [driver.call("close_session").code for driver in (alices, carols)] == ["PAM_SUCCESS"] * 2

    def test_says_what_is_left(self, product: Product, machine: Machine) -> None:
        with product.signed_in() as driver:
            product.emulator.fault("*", "waf_403")
            mark = machine.log_mark()
            drained = machine.run([AGENT, "drain"])
            assert drained.returncode == 1 and ": all sessions are being ended: " in drained.stdout, drained
            assert machine.log(mark, containing="sign-out not finished; user='alice'")
            product.emulator.clear_faults()
            driver.call("close_session")
        product.reap()
        assert not product.entries()

    def test_without_cognito(self, product: Product, machine: Machine) -> None:
        """A host that waits, and the drain beside it: over in ten seconds, both are named, and no worker is left."""
        with product.signed_in() as alices, product.signed_in("carol"):
            product.emulator.fault("*", "hang")
            mark = machine.log_mark()
            alices._tell("call", "close_session", 0)
            machine.wait_until(lambda: machine.pids("cognito-worker"), "the worker of the host that closes")
            drained = machine.run([AGENT, "drain"], timeout=12)
            assert drained.returncode == 1, drained
            machine.wait_until(lambda: not machine.pids("cognito-worker"), "the end of the workers")
            for name in ("alice", "carol"):
                line = f"sign-out not finished; user='{name}'"
                assert line in drained.stdout and machine.log(mark, containing=line), drained
            product.emulator.clear_faults()
        product.reap()
        assert not product.entries() and not product.tokens_given() and not product.tokens_given("carol")


#: A worker that understands only messages of a version to come, and says so in its own.
LATER_WORKER = """#!/usr/bin/python3 -IS
import socket
asked = socket.socket(fileno=0)
packet = asked.recv(100000)
asked.send(b"\\x02\\x0b" if packet[0] != 2 else b"\\x02\\x09")
"""


class TestUpgrade:
    """Hosts go on with the module that they have loaded, whatever is installed by then."""

    def test_old_module_with_a_worker_that_does_not_understand_it(self, product: Product, machine: Machine) -> None:
        """Nobody gets in or stays in by it, and what the module cannot end, the agent of the worker's version does."""
        with product.signed_in() as driver:
            with machine.preserved(WORKER):
                machine.write(WORKER, LATER_WORKER, 0o755)
                mark = machine.log_mark()
                assert driver.call("close_session").code == "PAM_SUCCESS"
                assert machine.log(mark, containing="(unknown version 2). Reinstall pam-cognito")
                assert len(product.entries()) == 1 and product.tokens_given()
                with PamDriver(machine, "alone", "alice") as newcomer:
                    assert newcomer.authenticate(RIGHT).code == "PAM_CRED_UNAVAIL"
                assert len(product.tokens_given()) == 1
            # The worker's own agent.
            assert product.reap().stdout.count("signed out; ") == 1
        assert not product.entries() and not product.tokens_given()

    @pytest.mark.parametrize("ended_by", ["module", "agent"])
    def test_entry_with_a_field_of_a_later_version(self, product: Product, machine: Machine, ended_by: str) -> None:
        with product.signed_in() as driver:
            [entry] = product.entries(payloads=True)
            more = (entry.payload or b"") + b"\xfa\x00\x00\x00\x03new"
            machine.write("/tmp/entry", more, 0o600)
            machine.run(["sh", "-c", f"keyctl pupdate {entry.serial} </tmp/entry; rm /tmp/entry"], check=True)
            if ended_by == "module":
                driver.call("close_session")
        if ended_by == "agent":
            assert product.reap().stdout.count("signed out; ") == 1
        assert not product.entries() and not product.tokens_given()


#: The beginning of an entry's description.
ENTRY = "pam-cognito:s:"


def people(machine: Machine) -> list[list[int]]:
    """What hangs in each person's keyring."""
    keys = machine.keys()
    rings = [f"{key.path}/{key.description}" for key in keys if key.description.startswith("pam-cognito:p:")]
    return [[key.serial for key in keys if key.path == ring and key.error != "ENOKEY"] for ring in rings]


def await_nobody(machine: Machine, product: Product) -> None:
    """The rounds take away what nobody needs any more, as soon as the kernel has let go of the keys in it."""
    machine.wait_until(lambda: product.reap().returncode == 0 and not people(machine), "people without keyrings")
    assert not product.entries()


class TestPeople:
    """Whoever signs in or out reads what is their person's, and nothing else of the registry."""

    def test_each_entry_is_in_its_persons_keyring(self, machine: Machine, product: Product) -> None:
        with product.signed_in(), product.signed_in(), product.signed_in("carol"):
            own = people(machine)
            assert sorted(map(len, own)) == [1, 2]
            assert {serial for ring in own for serial in ring} == {key.serial for key in product.entries()}
            product.reap()
            assert people(machine) == own
        await_nobody(machine, product)

    def test_entries_of_another_version(self, machine: Machine, product: Product) -> None:
        """They are in no person's keyring: until a round has put them there, everybody goes through all of them."""
        product.configure(sign_out="last")
        with product.signed_in() as first:
            named = product.entries()[0].description.removeprefix(ENTRY)
            script = (
                "ring=$(keyctl search @u keyring pam-cognito:sessions) && "
                "name=pam-cognito:s:$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n') && "
                f"copy=$(keyctl pipe {product.entries()[0].serial} | keyctl padd user $name @s) && "
                "keyctl setperm $copy 0x003f0000 && keyctl link $copy $ring && keyctl unlink $copy @s && "
                # What belongs to the entry hangs in a keyring of its name.
                f"old=$(keyctl search $ring keyring pam-cognito:k:{named}) && "
                "new=$(keyctl newring pam-cognito:k:${name#pam-cognito:s:} @s) && "
                "keyctl setperm $new 0x003f0000 && keyctl link $new $ring && keyctl unlink $new @s && "
                "for key in $(keyctl rlist $old); do keyctl link $key $new; done && keyctl unlink $old $ring && "
                f"keyctl unlink {product.entries()[0].serial} $ring && "
                "keyctl unlink $(keyctl search @u keyring pam-cognito:people) @u"
            )
            assert machine.run(["keyctl", "session", "-", "sh", "-c", script]).returncode == 0
            assert len(product.entries()) == 1 and not people(machine)
            for is_indexed in (False, True):
                with product.signed_in() as second:
                    product.emulator.clear_requests()
                    assert second.call("close_session").succeeded
                assert product.operations() == ["RevokeToken"], "not her last one"
                assert bool(people(machine)) == is_indexed
                product.reap()
                assert people(machine) == [[product.entries()[0].serial]]
            first.end()
        await_nobody(machine, product)
