"""What bash, zsh and fish offer behind `cognito-session`, against what the program itself accepts."""

import re
import shlex
from collections.abc import Callable, Iterable

import pytest

from .machine import Machine

pytestmark = pytest.mark.lengthy("every option is completed in three shells, and tried")


@pytest.fixture(scope="module")
def machine(machine: Machine) -> Machine:
    machine.install()
    return machine


USAGE_ERROR = 64
#: One for every kind of value that an option may want.
VALUES = ("5m", "3", "NAME")

Line = tuple[str, ...]
#: What the program said to a command line: the same for every shell.
_complaints: dict[Line, str] = {}


def complaints(machine: Machine, lines: Iterable[Line]) -> dict[Line, str]:
    """What the program has against each of these command lines; all are tried in one go."""
    new = [line for line in lines if line not in _complaints]
    calls = "".join(f"cognito-session {shlex.join(line)} --help 2>&1; printf '%s\\0' $?\n" for line in new)
    said = machine.run(["sh"], input=calls, timeout=300, check=True).stdout.split("\0")
    for line, text in zip(new, said[:-1], strict=True):
        _complaints[line] = text if text.endswith(f"\n{USAGE_ERROR}") else ""
    return _complaints


def accepted(machine: Machine, pairs: Iterable[Line]) -> set[Line]:
    """Those of these commands and options that belong together."""
    said = complaints(machine, pairs)
    belong = {pair for pair in pairs if not said[pair]}
    # Of the others those may belong together too whose option wants a value, perhaps one of these.
    open_pairs = [pair for pair in pairs if said[pair] and not re.search("Unknown option|not a valid arg", said[pair])]
    said = complaints(machine, [(*pair, value) for pair in open_pairs for value in VALUES])
    return belong | {pair for pair in open_pairs if not all(said[*pair, value] for value in VALUES)}


@pytest.fixture(scope="module")
def commands(machine: Machine) -> list[str]:
    text = machine.run(["cognito-session", "--help"], check=True).stdout
    found = re.findall(r"^  ([a-z][a-z-]*) ", text, re.MULTILINE)
    assert "status" in found and not any(complaints(machine, [(name,) for name in found]).values())
    return found


def from_bash(machine: Machine, lines: Iterable[Line]) -> list[list[str]]:
    script = """
        source /usr/share/bash-completion/completions/cognito-session
        complete_one() {
            COMP_WORDS=(cognito-session "$@") COMP_CWORD=$# COMPREPLY=()
            _cognito_session
            echo "${COMPREPLY[@]}"
        }
    """
    return completed(machine, ["bash", "--norc", "-s"], script, lines)


def from_fish(machine: Machine, lines: Iterable[Line]) -> list[list[str]]:
    script = """
        source /usr/share/fish/vendor_completions.d/cognito-session.fish
        function complete_one
            echo (complete -C (string join ' ' -- cognito-session $argv) | string split -f 1 \\t)
        end
    """
    return completed(machine, ["fish", "--no-config", "-c", "source"], script, lines)


def from_zsh(machine: Machine, lines: Iterable[Line]) -> list[list[str]]:
    """zsh's own functions work only in an editor at a terminal: what ours gives to them is taken from it."""
    script = """
        _describe() { print -n -- ${${(P)@[-1]}%%:*} ""; }
        _message() { :; }
        _command_names() { print -n "keyctl "; }
        complete_one() {
            words=(cognito-session "$@") CURRENT=$(($# + 1))
            _cognito_session
            print
        }
        _cognito_session() { . /usr/share/zsh/vendor-completions/_cognito-session; }
    """
    lines = list(lines)
    found = completed(machine, ["zsh", "-f", "-s"], script, lines)
    return [[word for word in words if word.startswith(line[-1])] for line, words in zip(lines, found, strict=True)]


def completed(machine: Machine, shell: list[str], script: str, lines: Iterable[Line]) -> list[list[str]]:
    """What `complete_one`, which `script` defines, prints for each line, in one go: a start takes longer."""
    calls = "".join(f"complete_one {shlex.join(line)}\n" for line in lines)
    environment = {"HOME": "/root", "TERM": "dumb"}
    done = machine.run(shell, input=script + calls, env=environment, check=True)
    return [line.split() for line in done.stdout.splitlines()]


SHELLS = {"bash": from_bash, "fish": from_fish, "zsh": from_zsh}


@pytest.fixture(params=SHELLS)
def offered(request: pytest.FixtureRequest, machine: Machine) -> Callable[..., list[list[str]]]:
    """What the shell offers for the last word of each line, which is what has been typed of it."""
    return lambda *lines: [sorted(words) for words in SHELLS[request.param](machine, lines)]


def names(words: Iterable[str], beginning: str) -> list[str]:
    return sorted(word for word in words if word.startswith(beginning))


def test_commands(commands: list[str], offered) -> None:
    assert offered(("",), ("to",), ("status", "")) == [sorted(commands), names(commands, "to"), []]


def test_options(machine: Machine, commands: list[str], offered) -> None:
    """Exactly those that the program accepts."""
    options = dict(zip(commands, offered(*((name, "--") for name in commands)), strict=True))
    every = {option for found in options.values() for option in found}
    pairs = [(name, option) for name in options for option in every]
    assert accepted(machine, pairs) == {(name, option) for name, found in options.items() for option in found}
    assert offered(("--",), ("token", "--mi")) == [options["status"], ["--min-life"]]


def test_command_of_somebody_else(offered) -> None:
    for found in offered(("exec", "keyct"), ("exec", "--id", "keyct")):
        assert "keyctl" in found


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
    assert offered(("token", "--min-life", "")) == [[]]


def test_accounts_and_files(machine: Machine) -> None:
    """bash knows both by itself."""
    machine.write("/tmp/settings.conf", "")
    beginnings = {"--login": "daemo", "--explain": "daemo", "--config": "/tmp/setti"}
    found = from_bash(machine, [("doctor", option, word) for option, word in beginnings.items()])
    assert found == [["daemon"], ["daemon"], ["/tmp/settings.conf"]]
