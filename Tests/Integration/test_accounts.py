"""People who stand in the store of accounts and nowhere else, and what local people notice of that: nothing."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest

from .accounts import PROGRAM, SERVICE, SOCKET, STORE, Accounts, Record, at_weight, user_id
from .agent_process import AgentProcess, sign_in
from .hosts import Session, Sshd, pamtester
from .machine import Machine
from .product import CONFIGURATION, RIGHT, WRONG, Product
from .test_doctor import Report


@pytest.fixture(scope="module")
def accounts(product: Product) -> Iterator[Accounts]:
    product.configure(accounts="directory", unix_group=None, group_map="crew:adm,nothing-of-the-kind")
    served = Accounts(product.machine)
    served.put(Record("dora", 70001, groups=["adm", "nothing-of-the-kind"]))
    served.put(Record("eric", 70002, subject="2", state="locked", groups=["adm"]))
    served.put(Record("fay", 70003, subject="3", state="forgotten"))
    yield served
    served.stop()


@pytest.fixture(autouse=True)
def service(accounts: Accounts) -> Iterator[None]:
    """It runs, and what a test has put into the store is gone afterwards."""
    before = accounts.files()
    accounts.start()
    yield
    accounts.stop()
    for file in accounts.files() - before:
        accounts.machine.remove(f"{STORE}/{file}")


def test_names_and_numbers(accounts: Accounts) -> None:
    line = "dora:x:70001:70001:Somebody:/home/dora:/bin/sh"
    assert accounts.getent("passwd", "dora") == accounts.getent("passwd", "70001") == [line]
    assert accounts.getent("group", "dora") == accounts.getent("group", "70001") == ["dora:x:70001:"]
    assert accounts.machine.run(["id", "dora"]).stdout == "uid=70001(dora) gid=70001(dora) groups=70001(dora),4(adm)\n"
    assert accounts.getent("passwd", "eric") == ["eric:x:70002:70002:Somebody:/home/eric:/usr/sbin/nologin"]
    assert accounts.machine.run(["id", "eric"]).stdout == "uid=70002(eric) gid=70002(eric) groups=70002(eric)\n"
    for nobody in ("fay", "70003", "Dora", "dora ", "70004", "no-such-person"):
        assert accounts.getent("passwd", nobody) == []


def test_who_is_told(accounts: Accounts) -> None:
    everybody = {"dora", "eric"}
    listed = {reply["parameters"]["record"]["userName"] for reply in accounts.ask("GetUserRecord", more=True)}
    assert listed == everybody
    assert everybody <= {line.split(":")[0] for line in accounts.getent("passwd")}
    assert not everybody & {line.split(":")[0] for line in accounts.getent("passwd", user="bob")}
    (reply,) = accounts.ask("GetUserRecord", user="bob", more=True)
    assert reply["error"] == "io.systemd.UserDatabase.EnumerationNotSupported"


def test_userdbctl(accounts: Accounts) -> None:
    """systemd's own client, beside nss-systemd."""
    machine = accounts.machine

    def ask(*words: str, user: str | None = None) -> tuple[int, list[dict], str]:
        options = ["--with-nss=no", f"--service={SERVICE}", "--output=json", "--json=short"]
        done = machine.run(["userdbctl", *options, *words], user=user)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    status, (record,), _ = ask("user", "dora")
    assert status == 0 and (record["uid"], record["gid"], record["service"]) == (70001, 70001, SERVICE), record
    assert (record["disposition"], record["homeDirectory"]) == ("regular", "/home/dora")
    assert "emailAddress" not in record and "privileged" not in record
    assert ask("user", "70001")[1] == [record]
    status, (record,), _ = ask("user", "eric")
    assert status == 0 and record["locked"] is True and record["shell"] == "/usr/sbin/nologin", record
    status, (record,), _ = ask("group", "dora")
    assert status == 0 and (record["groupName"], record["gid"]) == ("dora", 70001), record
    status, records, _ = ask("user")
    # userdbctl has these two by itself.
    assert status == 0 and {record["userName"] for record in records} - {"root", "nobody"} == {"dora", "eric"}
    members = machine.run(
        ["userdbctl", "--with-nss=no", f"--service={SERVICE}", "users-in-group", "adm", "--no-legend"]
    )
    assert members.returncode == 0 and members.stdout.split() == ["dora", "adm"], members
    for nobody in ("fay", "Dora", "sudo", "70003"):
        assert ask("user", nobody)[:2] in [(1, []), (0, [])], nobody
    assert "dora" not in {record["userName"] for record in ask("user", user="bob")[1]}
    status, (record,), _ = ask("user", "dora", user="bob")
    assert status == 0 and record["uid"] == 70001


def test_the_program_is_another_account_and_can_do_nothing(accounts: Accounts) -> None:
    state = accounts.process.state()
    assert state.uids == (accounts.machine.uid("_pam-cognito-accounts"),) * 4
    status = (accounts.machine.proc / str(accounts.process.pid) / "status").read_text()
    assert "CapEff:\t0000000000000000\n" in status


@pytest.mark.parametrize("name", ["sudo", "docker", "postgres", "bob", "adm", "1000", "Dora", "a..b", "daemon"])
def test_names_that_are_never_served(accounts: Accounts, name: str) -> None:
    """bob and daemon are users, adm is a group of this machine; the others are nobody."""
    before = accounts.getent("passwd", name), accounts.getent("group", name)
    accounts.put(Record(name, 70010, subject="9"))
    for key in {"userName": name}, {"uid": 70010}:
        (reply,) = accounts.ask("GetUserRecord", **key)
        # A link to what can be nobody's name is damage.
        assert reply["error"].endswith((".NoRecordFound", ".ServiceNotAvailable"))
    assert (accounts.getent("passwd", name), accounts.getent("group", name)) == before


def test_numbers_that_are_never_served(accounts: Accounts) -> None:
    bob = accounts.machine.uid("bob")
    for uid in (1000, bob, 65535, 100000, 2**31 - 1):
        accounts.put(Record("gus", uid, subject="9"))
        (reply,) = accounts.ask("GetUserRecord", userName="gus")
        assert reply["error"] == "io.systemd.UserDatabase.NoRecordFound", uid
        accounts.machine.remove(f"{STORE}/{uid}")


LEFT = {
    "edited": lambda machine, path, record: machine.write(path, record.file().replace(b"uid 70020", b"uid 70021")),
    "cut off": lambda machine, path, record: machine.write(path, record.file()[:-1]),
    "empty": lambda machine, path, record: machine.write(path, b""),
    "somebody's": lambda machine, path, record: machine.write(path, record.file(), owner="bob"),
    "writable by others": lambda machine, path, record: machine.write(path, record.file(), 0o666),
    "a link": lambda machine, path, record: (
        machine.write("/tmp/hal", record.file()),
        machine.link(path, "/tmp/hal"),
    ),
    "huge": lambda machine, path, record: machine.write(path, record.file() + b"\n" * 100_000),
}


@pytest.mark.parametrize("left", LEFT)
def test_record_that_root_has_not_left_so(accounts: Accounts, left: str) -> None:
    record = accounts.put(Record("hal", 70020, subject="9"))
    path = f"{STORE}/hal"
    LEFT[left](accounts.machine, path, record)
    mark = accounts.machine.log_mark()
    accounts.stop()
    accounts.start()
    assert accounts.getent("passwd", "hal") == accounts.getent("passwd", "70020") == []
    accounts.machine.wait_until(
        lambda: accounts.machine.log(mark, tag="cognito-accounts", containing="is not trusted"), "the log's line"
    )
    assert accounts.getent("passwd", "dora")


def test_configuration_is_read_again(product: Product, accounts: Accounts) -> None:
    with product.machine.preserved(CONFIGURATION):
        product.configure(unix_group="cognito")
        assert accounts.getent("passwd", "dora") == []
        product.machine.write(CONFIGURATION, "nonsense\n")
        assert accounts.getent("passwd", "dora") == []
        assert product.machine.log(tag="cognito-accounts", containing="pool users have no accounts on this machine")
    assert accounts.getent("passwd", "dora")


CALL = b'{"method":"io.systemd.UserDatabase.GetUserRecord","parameters":{"userName":"dora","service":"%s"}}\0' % (
    SOCKET.rpartition("/")[2].encode()
)


@pytest.mark.parametrize(
    "parts",
    [
        [b"\0"],
        [b"garbage\0"],
        [b"\xff" * 100 + b"\0"],
        [b"[" * 4000 + b"\0"],
        [b"x" * 4096],
        [b"x" * 1_000_000],
        [b"{}\0", CALL],
    ],
    ids=["nothing", "garbage", "bytes", "deep", "long", "huge", "no call before one"],
)
def test_what_is_no_call_ends_the_connection(accounts: Accounts, parts: list[bytes]) -> None:
    assert accounts.converse(parts, user="bob") == []
    assert accounts.getent("passwd", "dora")


def test_calls_in_pieces_and_in_one(accounts: Accounts) -> None:
    (reply,) = accounts.converse([bytes([byte]) for byte in CALL])
    assert json.loads(reply)["parameters"]["record"]["uid"] == 70001
    both = accounts.converse([CALL + CALL.replace(b"dora", b"nono")])
    assert [("error" in json.loads(reply)) for reply in both] == [False, True]


# Connections that are there and say nothing, in as many processes as it takes; then one says a word about each look-up.
_FLOOD = """
import os, socket, sys
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        held = []
        while True:
            try:
                s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                s.setblocking(False)
                s.connect(sys.argv[1])
                s.send(sys.argv[3].encode())
                held.append(s)
                if len(held) > 900:
                    held.clear()
            except OSError:
                held.clear()
os.wait()
"""

_LOOK_UPS = """
import os, pwd, sys
lost = 0
for _ in range(int(sys.argv[1])):
    if sys.argv[2] == "groups":
        os.getgrouplist(sys.argv[3], 1)
    else:
        try:
            pwd.getpwnam(sys.argv[3])
        except KeyError:
            lost += 1
print(lost)
"""


def lost_look_ups(accounts: Accounts, kind: str, name: str, count: int = 200, user: str | None = None) -> int:
    """How many of so many look-ups found nobody.

    They are so many that they never end if each waits: nss-systemd(8) waits for 45 s, the service for 2 s until it
    closes a connection that says nothing.
    """
    command = ["python3", "-IS", "-c", _LOOK_UPS, str(count), kind, name]
    return int(accounts.machine.run(command, user=user, check=True, timeout=120).stdout)


@pytest.fixture
def set_uid_python(accounts: Accounts) -> Iterator[str]:
    """What su and sudo are while they look somebody up: root's by their effective user id alone."""
    path = "/usr/bin/set-uid-python"
    accounts.machine.run(
        ["sh", "-c", f"cp $(readlink -f $(command -v python3)) {path} && chmod 4755 {path}"], check=True
    )
    yield path
    accounts.machine.remove(path)


@pytest.mark.parametrize(
    ("said", "is_set_uid"),
    [("", False), ("{", False), (CALL.decode().rstrip("\0"), False), ("", True)],
    ids=["silent", "slow", "unfinished", "set-uid"],
)
def test_flood_from_one_user_keeps_nobody_waiting(
    accounts: Accounts, set_uid_python: str, said: str, is_set_uid: bool
) -> None:
    mark = accounts.machine.log_mark()
    program = set_uid_python if is_set_uid else "python3"
    flood = accounts.machine.start(at_weight(10, [program, "-IS", "-c", _FLOOD, SOCKET, "12", said]), user="bob")
    try:
        accounts.machine.wait_until(lambda: len(accounts.machine.descendants(flood.pid)) == 12, "the flood")
        # Root's places are root's, and the way to them is never full.
        assert lost_look_ups(accounts, "user", "dora", 1000) == 0
        named = f"too many connections from the user id {accounts.machine.uid('bob')} "
        accounts.machine.wait_until(
            lambda: accounts.machine.log(mark, tag="cognito-accounts", containing=named), "the log's line"
        )
        lost_look_ups(accounts, "groups", "daemon")
        assert accounts.getent("passwd", "dora")
        size = int((accounts.machine.proc / str(accounts.process.pid) / "statm").read_text().split()[1]) * 4096
        assert size < 8 << 20
    finally:
        flood.end_group()


# A connection of each of so many user ids, which says nothing; and another one whenever the service has ended it.
_USER_IDS = """
import os, socket, sys
for number in range(int(sys.argv[3])):
    if os.fork() == 0:
        os.setresuid(*[int(sys.argv[2]) + number] * 3)
        while True:
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(sys.argv[1])
            s.recv(1)
os.wait()
"""


def test_subordinate_user_ids_have_no_more_places_than_one_user(accounts: Accounts) -> None:
    mark = accounts.machine.log_mark()
    first = 4 << 16
    flood = accounts.machine.start(["python3", "-IS", "-c", _USER_IDS, SOCKET, str(first), "120"])
    try:
        accounts.machine.wait_until(
            lambda: accounts.machine.log(mark, tag="cognito-accounts", containing=f"an account (from {first})"),
            "the log's line",
        )
        assert lost_look_ups(accounts, "user", "dora", 50, user="bob") == 0
    finally:
        flood.end_group()


def test_service_that_is_gone_holds_nobody_up(accounts: Accounts) -> None:
    accounts.process.signal(signal.SIGKILL)
    accounts.process.wait()
    for kind, name, lost in (("user", "dora", 200), ("user", "root", 0), ("groups", "daemon", 0)):
        assert lost_look_ups(accounts, kind, name) == lost


def test_stalled_service_and_local_people(accounts: Accounts) -> None:
    """With `initgroups: files systemd`; without systemd nobody ends what is stalled."""
    accounts.machine.append("/etc/nsswitch.conf", "initgroups: files systemd\n")
    accounts.machine.add_to_group("bob", "people")
    with accounts.stalled():
        assert lost_look_ups(accounts, "user", "bob") == 0
        lost_look_ups(accounts, "groups", "bob")
    assert accounts.getent("passwd", "dora")


def test_ten_thousand_accounts(accounts: Accounts) -> None:
    accounts.put_many(10_000, first=80_000)
    assert accounts.getent("passwd", "p9999") == ["p9999:x:89999:89999:Somebody:/home/p9999:/bin/sh"]
    listed = accounts.ask("GetUserRecord", more=True)
    assert len(listed) == 10_002
    status = (accounts.machine.proc / str(accounts.process.pid) / "status").read_text()
    (peak,) = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
    assert peak < 8 << 10
    accounts.machine.run(["sh", "-c", f"cd {STORE} && rm -f p[0-9]* 8????"], check=True)


def test_first_login_of_somebody_whom_no_file_names(product: Product, accounts: Accounts, sshd: Sshd) -> None:
    machine = product.machine
    person = product.member("dora")
    accounts.put(Record("dora", 70001, person["sub"], product.pool["pool_id"], groups=["adm", "nothing-of-the-kind"]))
    accounts.await_age("dora")
    with machine.preserved("/etc/pam.d/common-session", "/etc/login.defs"):
        machine.append("/etc/login.defs", "HOME_MODE 0700\n")
        # As `pam-auth-update --enable mkhomedir` does it.
        machine.append("/etc/pam.d/common-session", "session optional pam_mkhomedir.so\n")
        done = sshd.run("dora", RIGHT, command="id; pwd; stat -c '%U %a' .; cognito-session whoami")
    assert done.accepted, done.shown
    ids, home, owner, person = done.output.splitlines()
    assert ids == "uid=70001(dora) gid=70001(dora) groups=70001(dora),4(adm)"
    assert (home, owner, person) == ("/home/dora", "dora 700", "dora")
    product.await_rounds()
    # What the doctor's findings about nsswitch.conf rest on.
    for shadow, lets_in in (("shadow: files systemd", True), ("", True), ("shadow: files", False)):
        with machine.preserved("/etc/nsswitch.conf"):
            machine.write("/etc/nsswitch.conf", f"passwd: files systemd\ngroup: files systemd\n{shadow}\n")
            assert sshd.run("dora", RIGHT).accepted == lets_in, shadow
    # No local password decides, whatever is typed.
    assert not sshd.run("dora", WRONG).accepted
    assert not sshd.run("eric", RIGHT).accepted
    # Somebody else's home is nobody's to have.
    machine.run(["chown", "bob", "/home/dora"], check=True)
    mark = machine.log_mark()
    assert not sshd.run("dora", RIGHT).accepted
    assert machine.log(mark, containing="reason=foreign_file: /home/dora belongs to another user id")
    machine.run(["rm", "-r", "/home/dora"], check=True)
    # The sign-in that led to no session.
    machine.wait_until(lambda: product.reap().returncode == 0 and not product.entries(), "its end")


def test_keys_end_with_the_account(product: Product, accounts: Accounts, sshd: Sshd) -> None:
    """What lies in `~/.ssh`, or came from AuthorizedKeysCommand, opens an enabled account and no other."""
    machine = product.machine
    for state, accepted in (("enabled", True), ("locked", False), ("barred", False)):
        accounts.put(Record("kim", 70030, subject="8", state=state))
        accounts.await_age("kim")
        sshd.authorize("kim")
        mark = machine.log_mark()
        done = sshd.run("kim", method="publickey", command="id -un")
        assert done.accepted is accepted, (state, done.shown)
        assert bool(machine.log(mark, containing="user='kim'")) is not accepted


def test_barred_by_every_way(product: Product, accounts: Accounts, sshd: Sshd, agent: AgentProcess) -> None:
    """Programs that ask for no account hook, and a shell that is still open, sign nobody in whom root has locked."""
    machine = product.machine
    person = product.member("mia")
    record = Record("mia", 70050, person["sub"], product.pool["pool_id"])
    accounts.put(record)
    accounts.await_age("mia")
    product.configure(accounts="directory", unix_group=None, authenticating_users="bob", sign_out="session")
    machine.pam("only-auth", "auth required pam_cognito.so\naccount required pam_permit.so\n")
    sshd.authorize("mia")

    def unlock(shell: Session) -> bool:
        shell.terminal.type_line("pamtester only-auth mia authenticate; echo status=$?.")
        shell.terminal.expect_exact("Password: ")
        shell.terminal.type_line(RIGHT)
        shell.terminal.expect(r"status=\d+\.")
        return "status=0." in shell.terminal.after

    def ask(caller: str | None) -> bool:
        return pamtester(machine, "only-auth", "mia", ["authenticate", "acct_mgmt"], RIGHT, caller=caller).succeeded

    with sshd.open("mia", method="publickey") as shell:
        ways = {
            "cognito-session sign-in": lambda: "status=0." in sign_in(shell, RIGHT),
            "a program that may ask": lambda: ask("bob"),
            "a screen lock": lambda: unlock(shell),
            "a program of root's": lambda: ask(None),
            "ssh": lambda: sshd.run("mia", RIGHT).accepted,
        }
        agent.forget_turns()
        assert [name for name, enter in ways.items() if not enter()] == []
        shell.command("cognito-session sign-out --yes")
        agent.forget_turns()
        assert command(machine, "--lock", "mia")[0] == 0
        mark = machine.log_mark()
        assert [name for name, enter in ways.items() if enter()] == []
        machine.settle()
        barred = machine.log(mark, containing="authentication failure; user='mia'")
        assert len(barred) == len(ways) and all("reason=barred" in entry.message for entry in barred), barred
        shell.logout()
    machine.wait_until(lambda: product.reap("--now").returncode == 0 and not product.entries(), "all ends")
    assert product.tokens_given() == []


def test_user_id_that_a_process_has_is_kept(accounts: Accounts) -> None:
    """As its user id, or as one of its group ids."""
    machine = accounts.machine
    accounts.put(Record("lea", 70040, subject="7", state="forgotten"))
    for option in (["--reuid", "70040"], ["--regid", "70040"], ["--groups", "70040"]):
        clear = [] if option[0] == "--groups" else ["--clear-groups"]
        running = machine.start(["setpriv", *option, *clear, "sleep", "1000"])
        # setpriv has become it once the program is another one.
        name = machine.proc / str(running.pid) / "comm"
        machine.wait_until(lambda name=name: name.read_text() == "sleep\n", "the process")
        status, answer = command(machine, "--release-uid", "lea")
        assert status != 0 and f"process {running.pid} " in answer["message"], answer
        running.end()
    machine.write("/home/lea", "", 0o600)
    machine.run(["chown", "70040", "/home/lea"], check=True)
    assert "/home/lea " in command(machine, "--release-uid", "lea")[1]["message"]
    machine.remove("/home/lea")
    assert command(machine, "--release-uid", "lea", user="bob")[0] == 77
    status, answer = command(machine, "--release-uid", "lea")
    assert status == 0 and "70040" in answer["message"], answer
    assert not machine.exists(f"{STORE}/lea") and not machine.exists(f"{STORE}/70040")
    assert command(machine, "--release-uid", "lea")[0] == 1


# Hears what a service tells systemd, counts the signs of life, and sends some calls at the same time.
_SIGNS = """
import json, os, select, socket, subprocess, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind("/run/signs")
heard.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
os.chmod("/run/signs", 0o666)
service = subprocess.Popen([sys.argv[1]], env={"NOTIFY_SOCKET": "/run/signs", "WATCHDOG_USEC": "3000"})
assert heard.recv(100) == b"READY=1"
calls, signs, replies = 8, 0, b""
asking = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(calls)]
for one in asking:
    one.connect(sys.argv[2])
    one.sendall(bytes.fromhex(sys.argv[3]))
    one.recv(65536)
service.send_signal(19)
os.waitid(os.P_PID, service.pid, os.WSTOPPED)
while select.select([heard], [], [], 0)[0]:
    heard.recv(100)
for one in asking:
    one.sendall(bytes.fromhex(sys.argv[3]))
service.send_signal(18)
while replies.count(b"\\0") < calls:
    for ready in select.select([heard, *asking], [], [])[0]:
        if ready is heard:
            signs += heard.recv(100) == b"WATCHDOG=1"
        else:
            replies += ready.recv(65536)
while select.select([heard], [], [], 0)[0]:
    signs += heard.recv(100) == b"WATCHDOG=1"
print(signs, replies.decode())
service.kill()
"""


def test_signs_of_life_under_a_flood(accounts: Accounts) -> None:
    """However many calls have come at once, and however long /etc/group is, signs are given between them."""
    machine = accounts.machine
    accounts.stop()
    call = {"method": "io.systemd.UserDatabase.GetUserRecord", "parameters": {"userName": "dora", "service": SERVICE}}
    with machine.preserved("/etc/group"):
        machine.append("/etc/group", "".join(f"crowd{number}:x:{200_000 + number}:\n" for number in range(100_000)))
        sent = (json.dumps(call).encode() + b"\0").hex()
        done = machine.run(["python3", "-IS", "-c", _SIGNS, PROGRAM, SOCKET, sent], check=True)
    count, _, replies = done.stdout.partition(" ")
    assert replies.count('"userName":"dora"') == 8
    # None is given within a millisecond of another one, in which a fast machine answers; one is of the whole round.
    assert int(count) >= 4
    accounts.start()


def command(machine: Machine, *arguments: str, user: str | None = None) -> tuple[int, dict]:
    done = machine.run(["cognito-session", "accounts", *arguments, "--json"], user=user)
    return done.returncode, json.loads(done.stdout)


def test_root_sees_and_changes_accounts(accounts: Accounts) -> None:
    machine = accounts.machine
    accounts.put(Record("lea", 70040, subject="7", groups=["adm"]))
    status, answer = command(machine)
    listed = {row["user"]: row["state"] for row in answer["accounts"]}
    assert status == 0
    assert listed == {"dora": "enabled", "eric": "locked", "fay": "forgotten", "lea": "enabled"}
    status, answer = command(machine, "--show", "lea")
    assert (status, answer["accounts"][0]["uid"], answer["accounts"][0]["groups"]) == (0, 70040, ["adm"])
    assert command(machine, "--lock", "lea")[0] == 0
    assert machine.run(["id", "lea"]).stdout == "uid=70040(lea) gid=70040(lea) groups=70040(lea)\n"
    assert command(machine, "--unlock", "lea")[0] == 0
    status, answer = command(machine, "--show", "lea")
    assert (status, answer["accounts"][0]["state"]) == (0, "locked")  # until the directory's next round
    assert machine.run(["id", "lea"]).stdout == "uid=70040(lea) gid=70040(lea) groups=70040(lea)\n"
    status, answer = command(machine, "--forget", "lea")
    assert status == 0 and "70040" in answer["message"]
    assert accounts.getent("passwd", "lea") == accounts.getent("passwd", "70040") == []
    assert command(machine, "--forget", "lea")[0] == command(machine, "--show", "no-such")[0] == 1
    assert command(machine, user="bob")[0] == 77


# As su has the lock of the records, or, with "file", as the agent has it.
_HOLDER = """
import fcntl, os, signal, struct, sys
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
command = fcntl.F_OFD_SETLK if sys.argv[2] == "file" else fcntl.F_SETLK
fcntl.fcntl(lock, command, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1, 1, 0))
os.kill(os.getpid(), signal.SIGSTOP)
"""


@pytest.mark.parametrize(("kind", "is_ended"), [("process", True), ("file", False)])
def test_stopped_host_keeps_nobody_from_being_locked_out(accounts: Accounts, kind: str, is_ended: bool) -> None:
    machine = accounts.machine
    accounts.put(Record("lea", 70040, subject="7"))
    holder = machine.start(["python3", "-IS", "-c", _HOLDER, f"{STORE}/.lock", kind])
    machine.wait_until(lambda: holder.is_stopped, "the stop")
    try:
        assert (command(machine, "--lock", "lea")[0] == 0) is is_ended
        if is_ended:
            holder.wait()
        assert holder.ended is is_ended
    finally:
        if not holder.ended:
            machine.kill(holder.pid)
            holder.wait()


def complaints(machine: Machine) -> list[str]:
    """What the doctor says of accounts, notes included."""
    return [finding["what"] for finding in Report(machine).areas["accounts"]["findings"]]


def test_doctor_finds_what_accounts_rest_on(product: Product, accounts: Accounts) -> None:
    machine = accounts.machine
    with machine.preserved("/etc/nsswitch.conf", "/etc/subuid"):
        machine.write("/etc/nsswitch.conf", "passwd: files systemd\ngroup: files systemd\ninitgroups: files systemd\n")
        (said,) = complaints(machine)
        assert "accounts = directory is set, but this machine has no IAM identity" in said
        product.configure(accounts="directory", unix_group=None, iam_credentials_file="/etc/security/pam_cognito.iam")
        assert complaints(machine) == []
        machine.append("/etc/subuid", "bob:90000:100\n")
        accounts.put(Record("adm", 70050, subject="x"))
        machine.write(f"{STORE}/hal", "nonsense")
        said = complaints(machine)
        assert len(said) == 3, said
        for words in ("/etc/subuid, bob", "hal is damaged", "adm has an account record"):
            assert any(words in line for line in said), (words, said)
        for file in ("adm", "70050", "hal"):
            machine.remove(f"{STORE}/{file}")
        machine.write("/etc/subuid", "")
        machine.write("/etc/nsswitch.conf", "passwd: files\ngroup: files systemd\nshadow: files\n")
        said = complaints(machine)
        found = [words in line for words, line in zip(("passwd", "shadow", "initgroups"), said, strict=True)]
        assert found == [True, True, True], said
    product.configure(accounts="directory", unix_group=None)
    accounts.stop()
    assert "No program is listening on" in complaints(machine)[0]
    explained = machine.run(["cognito-session", "doctor", "--json", "--explain", "dora"], timeout=120)
    assert json.loads(explained.stdout)["rule"] == "record"


def test_user_ids_are_the_same_everywhere() -> None:
    """As Tests/AccountsTests has them, by another program."""
    assert user_id("5c0a-1", "eu-west-1_AbCdEf123") == 69260
    assert user_id("5c0a-1", "eu-west-1_AbCdEf123", 1879048192, 2147483647) == 1908056563
