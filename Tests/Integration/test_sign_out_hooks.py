"""Programs that are run as the person when their session's tokens have ended."""

import contextlib
import re
import signal
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Sshd, su
from .machine import REPOSITORY, Machine
from .product import AGENT, PEOPLE, RIGHT, Product

FOLDER = "/etc/pam-cognito/sign-out.d"
OWN = "/home/alice/.config/pam-cognito/sign-out"
#: Where hooks leave what they saw: anybody may write there.
SEEN = "/tmp/seen"

#: What a hook finds about itself.
LOOK = f"""#!/bin/sh
exec >{SEEN}.new 2>&1
echo "reason=$PAM_COGNITO_REASON others=$PAM_COGNITO_OTHER_SESSIONS"
echo "id=$(id -un) $(id -u) $(id -ru) $(id -g) $(id -G)"
printf fds=; ls -m /proc/$$/fd
echo "stdin=$(readlink /proc/$$/fd/0)"
echo "cwd=$(pwd) umask=$(umask)"
echo "session=$(ps -o sid= -p $$ | tr -d ' ') self=$$ tty=$(ps -o tty= -p $$)"
(: </dev/tty) 2>/dev/null && echo "a terminal"
env | sort | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=
echo "keys=$(keyctl show @s | tail -n +2 | wc -l)"
echo "signals=$(grep -E '^(SigBlk|SigIgn)' /proc/$$/status | tr -s '\\t' ' ' | tr '\\n' ' ')"
grep NoNewPrivs /proc/$$/status | tr '\\t' ' '
keyctl show
mv {SEEN}.new {SEEN}
"""


@pytest.fixture(autouse=True)
def folder(product: Product, machine: Machine) -> Iterator[None]:
    product.configure(sign_out="session", welcome="no", check_interval="1s")
    machine.make_directory(FOLDER)
    machine.run(["sh", "-c", f"rm -rf {FOLDER}/* {SEEN}* /home/alice/.config"], check=True)
    yield
    machine.run(["rm", "-rf", "/etc/pam-cognito", "/home/alice/.config"], check=True)


def hook(machine: Machine, script: str, name: str = "50-hook", mode: int = 0o755) -> None:
    machine.write(f"{FOLDER}/{name}", script, mode)


def own_hook(machine: Machine, script: str, mode: int = 0o700, owner: str = "alice") -> None:
    machine.run(["mkdir", "-p", "/home/alice/.config/pam-cognito"], user="alice", check=True)
    machine.write(OWN, script, mode, owner)


def seen(machine: Machine) -> str:
    machine.wait_until(lambda: machine.exists(SEEN), "the hook's report")
    return machine.read(SEEN)


def session(product: Product) -> None:
    """One that is opened and closed."""
    with product.signed_in() as driver:
        assert driver.call("close_session").code == "PAM_SUCCESS"


def outcome(machine: Machine, mark: int, name: str) -> str:
    """What the log says of a hook."""
    found = machine.wait_until(
        lambda: machine.log(mark, containing=f"sign-out hook; user='alice' cause=logout hook='{name}' "), "the line"
    )
    return found[0].message.split("outcome=")[1]


@pytest.mark.parametrize("whose", ["administrator's", "person's"])
def test_surroundings(product: Product, machine: Machine, sshd: Sshd, whose: str) -> None:
    """As the person for good, with nothing of root's or of the session's."""
    hook(machine, LOOK) if whose == "administrator's" else own_hook(machine, LOOK)
    with sshd.open("alice", RIGHT) as shell:
        shell.command("export SECRET=of-the-session; cd /tmp; umask 0")
        shell.logout()
    alice = machine.account("alice")
    lines = seen(machine).splitlines()
    facts = dict(line.split("=", 1) for line in lines if "=" in line)
    uid, gid = alice["uid"], alice["gid"]
    found = facts["id"].split()
    assert found[:4] == ["alice", str(uid), str(uid), str(gid)] and {int(n) for n in found[4:]} == set(alice["groups"])
    assert "reason=logout others=0" in lines
    assert facts["stdin"] == "/dev/null" and "cwd=/ umask=0077" in lines
    # The shell has the script open, as 10.
    assert facts["fds"].split(", ") == ["0", "1", "10", "2"]
    numbers = facts["session"].split()
    assert numbers[0] == numbers[1].removeprefix("self=") and numbers[2] == "tty=?" and "a terminal" not in lines
    environment = {name: value for name, value in facts.items() if name.isupper()}
    assert environment == {
        "HOME": "/home/alice", "LOGNAME": "alice", "USER": "alice", "SHELL": "/bin/sh", "LC_ALL": "C",
        "PATH": "/usr/local/bin:/usr/bin:/bin", "PAM_COGNITO_REASON": "logout", "PAM_COGNITO_OTHER_SESSIONS": "0",
    }  # fmt: skip
    assert "pam-cognito" not in "".join(lines[lines.index("NoNewPrivs: 0") :]) and facts["keys"].strip() == "1"
    assert set(facts["signals"].replace("SigIgn:", "").replace("SigBlk:", "").split()) == {"0" * 16}


def test_an_agent_lets_go(product: Product, machine: Machine, sshd: Sshd) -> None:
    """What a session left running is ended by the person's hook, which is told that it was the last session."""
    own_hook(machine, '#!/bin/sh\n[ "$PAM_COGNITO_OTHER_SESSIONS" = 0 ] && kill "$(cat /tmp/agent.pid)"\n')
    with sshd.open("alice", RIGHT) as first:
        first.command("setsid sh -c 'echo $$ >/tmp/agent.pid; exec sleep 1000' >/dev/null 2>&1 &")
        machine.wait_until(lambda: machine.exists("/tmp/agent.pid"), "the agent")
        agent = int(machine.read("/tmp/agent.pid"))
        with sshd.open("alice", RIGHT) as second:
            mark = machine.log_mark()
            second.logout()
        assert outcome(machine, mark, "~/.config/pam-cognito/sign-out") == "ended status=1"
        assert (machine.proc / str(agent)).exists()
        first.logout()
    machine.wait_until(lambda: not (machine.proc / str(agent)).exists(), "the end of the agent")


def test_each_way_of_ending(product: Product, machine: Machine, sshd: Sshd) -> None:
    """Once for each, with the reason."""
    hook(machine, f'#!/bin/sh\necho "$PAM_COGNITO_REASON" >>{SEEN}\n')

    def reasons(*expected: str) -> None:
        machine.wait_until(lambda: machine.exists(SEEN) and machine.read(SEEN).split() == list(expected), f"{expected}")

    with AgentProcess(machine), sshd.open("alice", RIGHT) as shell:
        shell.command("cognito-session sign-out --local")
        reasons("sign-out")
        shell.logout()
    with sshd.open("alice", RIGHT) as shell:
        product.sign_out_elsewhere()
        assert "session ended" in product.reap("--now").stdout
        reasons("sign-out", "ended-elsewhere")
        shell.logout()
    with sshd.open("alice", RIGHT) as shell:
        product.await_rounds()
        machine.kill(shell.monitor_pid, signal.SIGKILL)
        sshd.wait_for_process_end(shell.monitor_pid)
        shell.hang_up()
        assert product.reap().returncode == 0
        reasons("sign-out", "ended-elsewhere", "crash")
    with su(machine, "bob", "alice", RIGHT) as shell:
        shell.logout()
    reasons("sign-out", "ended-elsewhere", "crash", "logout")


def test_one_that_hangs_is_killed(product: Product, machine: Machine) -> None:
    """With all of its group; nobody has waited for it."""
    hook(machine, "#!/bin/sh\nsleep 1000 & sleep 1000\n", "10-hangs")
    hook(machine, f"#!/bin/sh\necho here >{SEEN}\n", "20-next")
    mark = machine.log_mark()
    session(product)
    assert not machine.exists(SEEN)
    assert outcome(machine, mark, "10-hangs") == "killed: the hook took too long"
    assert outcome(machine, mark, "20-next") == "ended status=0"
    assert not machine.pids("sleep")


def test_a_drain_does_not_wait(product: Product, machine: Machine) -> None:
    """Hooks of the sessions that it ends are started, once; one that hangs holds nothing up, and ends all the same."""
    hook(machine, f'#!/bin/sh\necho "$PAM_COGNITO_REASON" >>{SEEN}.$USER\n')
    own_hook(machine, f'#!/bin/sh\necho "$PAM_COGNITO_REASON" >>{SEEN}\nsleep 1000 & sleep 1000\n')
    mark = machine.log_mark()
    with contextlib.ExitStack() as stack:
        drivers = [stack.enter_context(product.signed_in(user)) for user in PEOPLE]
        drained = machine.run([AGENT, "drain"])
        # The one that hangs is killed after a while, and the log says so then.
        assert not machine.log(mark, containing="outcome=killed")
        assert drained.returncode == 0 and drained.stdout.count("all sessions are being ended") == len(PEOPLE), drained
        assert [driver.call("close_session").code for driver in drivers] == ["PAM_SUCCESS"] * len(PEOPLE)
    cause, own = "cause=shutdown hook='", "~/.config/pam-cognito/sign-out' outcome="
    expected = [f"'{user}' {cause}50-hook' outcome=ended status=0" for user in PEOPLE]
    expected.append(f"'alice' {cause}{own}killed: the hook took too long")
    machine.wait_until(
        lambda: not [process for process in machine.processes() if process.name in ("cognito-agent", "sleep")],
        "the end of them all",
    )
    said = machine.log(mark, containing="sign-out hook; ")
    assert sorted(line.message.split("user=")[1] for line in said) == sorted(expected)
    files = [SEEN, *(f"{SEEN}.{user}" for user in PEOPLE)]
    assert [machine.read(file) for file in files] == ["shutdown\n"] * len(files)


#: Hooks that are not run: how they are made, and what the log says.
REFUSED = {
    "root's, not executable": (
        "10-x", lambda machine: hook(machine, LOOK, "10-x", 0o644), "the hook is not executable"),
    "root's, others may write": (
        "10-x", lambda machine: hook(machine, LOOK, "10-x", 0o757), "users other than the owner can write to the hook"),
    "somebody's": (
        "10-x",
        lambda machine: machine.write(f"{FOLDER}/10-x", LOOK, 0o755, "bob"),
        "the hook does not belong to root",
    ),
    "a link": (
        "10-x",
        lambda machine: machine.link(f"{FOLDER}/10-x", "/bin/true"),
        "the hook is not a regular file (symbolic links are not allowed)",
    ),
    "own, not executable": (
        "~/.config/pam-cognito/sign-out", lambda machine: own_hook(machine, LOOK, 0o600), "the hook is not executable"),
    "own, others may write": (
        "~/.config/pam-cognito/sign-out", lambda machine: own_hook(machine, LOOK, 0o722),
        "users other than the owner can write to the hook"),
    "own, root's": (
        "~/.config/pam-cognito/sign-out", lambda machine: own_hook(machine, LOOK, 0o755, "root"),
        "the hook does not belong to the user"),
    "own, a link to root's": (
        "~/.config/pam-cognito/sign-out",
        lambda machine: (own_hook(machine, LOOK), machine.remove(OWN), machine.link(OWN, "/bin/true")),
        "the hook is not a regular file (symbolic links are not allowed)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(product: Product, machine: Machine, case: str) -> None:
    name, make, why = REFUSED[case]
    make(machine)
    hook(machine, "#!/bin/sh\ntrue\n", "90-last")
    mark = machine.log_mark()
    session(product)
    assert outcome(machine, mark, name) == f"refused: {why}"
    assert outcome(machine, mark, "90-last") == "ended status=0"
    assert not machine.exists(SEEN)


def test_a_folder_that_others_can_write(product: Product, machine: Machine) -> None:
    hook(machine, LOOK)
    own_hook(machine, LOOK)
    machine.run(["chmod", "777", FOLDER], check=True)
    mark = machine.log_mark()
    session(product)
    machine.wait_until(lambda: machine.log(mark, containing="cause=logout outcome=not_run: the directory"), "the line")
    assert not machine.exists(SEEN)


def test_without_the_folder_nothing_is_run(product: Product, machine: Machine) -> None:
    machine.run(["rm", "-rf", FOLDER], check=True)
    own_hook(machine, LOOK)
    session(product)
    assert not machine.pids("cognito-agent")
    assert not machine.exists(SEEN)


def test_a_host_keeps_nothing_of_it(product: Product, machine: Machine) -> None:
    """No child, no descriptor, and no wait for what takes its time."""
    machine.run(["mkfifo", "/run/go"], check=True)
    hook(machine, "#!/bin/sh\nread line </run/go\n")
    with product.signed_in() as driver:
        before = sorted((machine.proc / str(driver.pid) / "fd").iterdir())
        assert driver.call("close_session").code == "PAM_SUCCESS"
        running = [process for process in machine.processes() if process.name in ("cognito-agent", "50-hook")]
        assert running and driver.pid not in {process.parent for process in running}
        assert sorted((machine.proc / str(driver.pid) / "fd").iterdir()) == before
    machine.run(["sh", "-c", "echo >/run/go; rm /run/go"], check=True)
    machine.wait_until(lambda: not machine.pids("cognito-agent"), "its end")


def test_each_reason_is_documented() -> None:
    """Hooks hear of all but two, which show only when hooks have run."""
    source = (REPOSITORY / "Sources/Sessions/EndReason.swift").read_text()
    words = {word or name for name, word in re.findall(r'^    case (\w+)(?: = "([^"]+)")?$', source, re.M)}
    page = (REPOSITORY / "packaging/man/cognito-agent.8").read_text()
    section = page.split(".It Ev PAM_COGNITO_REASON")[1].split(".It Ev")[0]
    assert words - {"session_limit", "unclear"} == set(re.findall(r"^\.It Cm (\S+)", section, re.M))
