"""What bash, zsh and fish offer behind `cognito-session`, against what the program itself accepts."""

import re
import shlex
from collections.abc import Callable, Iterable

import pytest

from .machine import Machine

pytestmark = pytest.mark.lengthy("every option is completed in three shells, and tried")

USAGE_ERROR = 64
#: One for every kind of value that an option may want.
VALUES = ("5m", "3", "NAME")


@pytest.fixture(scope="module")
def machine(machine: Machine) -> Machine:
    machine.install()
    return machine


Line = tuple[str, ...]
#: What the program said to a command line: the same for every shell.
_statuses: dict[Line, int] = {}


def refused(machine: Machine, lines: Iterable[Line]) -> set[Line]:
    """Those of these command lines that the program does not take; all are tried in one go."""
    wanted = list(lines)
    new = [line for line in wanted if line not in _statuses]
    calls = "".join(f"cognito-session {shlex.join(line)} --help </dev/null >/dev/null 2>&1; echo $?\n" for line in new)
    statuses = machine.run(["sh", "-s"], input=calls, timeout=300, check=True).stdout.split()
    _statuses.update(zip(new, map(int, statuses), strict=True))
    return {line for line in wanted if _statuses[line] == USAGE_ERROR}


@pytest.fixture(scope="module")
def commands(machine: Machine) -> list[str]:
    text = machine.run(["cognito-session", "--help"], check=True).stdout
    found = re.findall(r"^  ([a-z][a-z-]*) ", text, re.MULTILINE)
    assert "status" in found and not refused(machine, [(name,) for name in found])
    return found


def from_bash(machine: Machine, words: list[str]) -> list[str]:
    script = """
        source /usr/share/bash-completion/completions/cognito-session
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _cognito_session
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    return machine.run(["bash", "--norc", "-c", script, "bash", *words], check=True).stdout.split()


def from_fish(machine: Machine, words: list[str]) -> list[str]:
    script = "source /usr/share/fish/vendor_completions.d/cognito-session.fish; complete -C (string join ' ' -- $argv)"
    environment = {"HOME": "/root", "TERM": "dumb"}
    done = machine.run(["fish", "--no-config", "-c", script, *words], env=environment, check=True)
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


def from_zsh(machine: Machine, words: list[str]) -> list[str]:
    """zsh's own functions work only in an editor at a terminal: what ours gives to them is taken from it."""
    script = """
        _describe() { print -l -- ${${(P)@[-1]}%%:*}; }
        _message() { :; }
        _command_names() { print keyctl; }
        words=("$@") CURRENT=$#
        _cognito_session() { . /usr/share/zsh/vendor-completions/_cognito-session; }
        _cognito_session
    """
    found = machine.run(["zsh", "-f", "-c", script, "zsh", *words], check=True).stdout.split()
    return [word for word in found if word.startswith(words[-1])]


SHELLS = {"bash": from_bash, "fish": from_fish, "zsh": from_zsh}


@pytest.fixture(params=SHELLS)
def offered(request: pytest.FixtureRequest, machine: Machine) -> Callable[..., list[str]]:
    """What the shell offers for the last word, which is what has been typed of it."""
    return lambda *words: sorted(SHELLS[request.param](machine, ["cognito-session", *words]))


def names(words: Iterable[str], beginning: str) -> list[str]:
    return sorted(word for word in words if word.startswith(beginning))


def test_commands(commands: list[str], offered) -> None:
    assert offered("") == sorted(commands)
    assert offered("to") == names(commands, "to")
    assert offered("status", "") == []


def test_options(machine: Machine, commands: list[str], offered) -> None:
    """Exactly those that the program accepts."""
    options = {name: offered(name, "--") for name in commands}
    every = {option for found in options.values() for option in found}
    values = [(), *((word,) for word in VALUES)]
    refusals = refused(machine, [(name, option, *value) for name in options for option in every for value in values])
    for name, found in options.items():
        for option in every:
            accepted = any((name, option, *value) not in refusals for value in values)
            assert accepted == (option in found), (name, option)
    assert offered("--") == options["status"]
    assert offered("token", "--mi") == ["--min-life"]


def test_command_of_somebody_else(offered) -> None:
    assert "keyctl" in offered("exec", "keyct")
    assert "keyctl" in offered("exec", "--id", "keyct")


def test_zsh_at_a_terminal(machine: Machine) -> None:
    terminal = machine.spawn_pty(["zsh", "-f", "-i"], env={"TERM": "dumb", "HOME": "/root"})
    try:
        terminal.type_line("autoload -U compinit; compinit -u -D; print rea''dy")
        terminal.expect("\nready\r?\n")
        terminal.send("cognito-session sta\t--che\t")
        terminal.expect("--check", timeout=10)
        assert "status" in terminal.seen
    finally:
        terminal.hang_up()
        terminal.process.end()


def test_values(offered) -> None:
    """There is nothing to offer for a length of time, and no file is one."""
    assert offered("token", "--min-life", "") == []


def test_accounts_and_files(machine: Machine) -> None:
    """bash knows both by itself."""
    machine.write("/tmp/settings.conf", "")
    assert from_bash(machine, ["cognito-session", "doctor", "--login", "daemo"]) == ["daemon"]
    assert from_bash(machine, ["cognito-session", "doctor", "--explain", "daemo"]) == ["daemon"]
    assert from_bash(machine, ["cognito-session", "doctor", "--config", "/tmp/setti"]) == ["/tmp/settings.conf"]
