"""Does what the doctor shows under Fix: a change of lines, settings of sshd, or a command."""

import re

from .machine import Machine

CHANGE = re.compile(r"(?P<path>/\S+), line (?P<line>\d+): (?P<before>.+) -> (?P<after>.+)")
REMOVAL = re.compile(r"(?P<path>/\S+), line (?P<line>\d+): remove (?P<before>.+)")
ADDITION = re.compile(r"(?P<path>/\S+), before line (?P<line>\d+): add (?P<after>.+)")
SETTING = re.compile(r"(?P<name>\w+) (?P<value>.+) in (?P<paths>/\S+(?:, /\S+)*)")
LIST = re.compile(r"add (?P<value>.+) to (?P<name>\w+) in (?P<paths>/\S+)")
NAMES = re.compile(
    r"/etc/nsswitch.conf: (?:put|add) (?P<word>\w+) (?P<where>first in|at the end of) the (?P<name>\w+) line"
)
COMPARISON = re.compile(r"diff (?P<path>/\S+) (?P<shipped>/\S+)")


def follow(machine: Machine, advice: str) -> None:
    """All of one piece of advice, the last line first: numbers are those of the file as it is."""
    if advice.startswith("/") or "; /" in advice or re.match(r"(\w+ .+|add .+) in /", advice):
        steps = [step for step in advice.split("; ") if not step.startswith("then: ")]
    else:
        steps = [advice]
    for step in sorted(steps, key=line_number, reverse=True):
        follow_step(machine, step.split("   # ")[0])


def line_number(step: str) -> int:
    found = re.search(r", (?:before )?line (\d+): ", step)
    return int(found[1]) if found else 0


def follow_step(machine: Machine, step: str) -> None:
    if found := CHANGE.fullmatch(step) or REMOVAL.fullmatch(step) or ADDITION.fullmatch(step):
        change_line(machine, **found.groupdict())
    elif found := LIST.fullmatch(step) or SETTING.fullmatch(step):
        set_option(machine, adds=step.startswith("add "), **found.groupdict())
    elif found := NAMES.fullmatch(step):
        first = found["where"] == "first in"
        change = rf"s/^({found['name']}:\s*)(.*)/\1" + (rf"{found['word']} \2/" if first else rf"\2 {found['word']}/")
        machine.run(["sed", "-E", "-i", change, "/etc/nsswitch.conf"], check=True)
    elif found := COMPARISON.fullmatch(step):
        # Lines of one's own stay.
        shipped = machine.read(found["shipped"])
        own = [line for line in machine.read(found["path"]).splitlines() if "pam_warn.so" in line]
        machine.write(found["path"], "\n".join([*own, shipped]), 0o644)
    else:
        machine.run(["sh", "-c", step], check=True)


def change_line(machine: Machine, path: str, line: str, before: str = "", after: str = "") -> None:
    lines = machine.read(path).split("\n")
    index = int(line) - 1
    if before:
        old = " ".join(lines[index].split())
        assert before in old, (before, old)
        lines[index : index + 1] = [after] if after else [rest] if (rest := old.replace(before, "").strip()) else []
    else:
        lines.insert(index, after)
    machine.write(path, "\n".join(lines), machine.stat(path).st_mode & 0o777)


def set_option(machine: Machine, name: str, value: str, paths: str, *, adds: bool) -> None:
    older = {"KbdInteractiveAuthentication": "ChallengeResponseAuthentication"}.get(name, name)
    pattern = re.compile(rf"(?mi)^(\s*)(?:{name}|{older})[ =](.*)$")
    for path in paths.split(", "):
        text = machine.read(path)
        new = pattern.sub(lambda found: f"{found[1]}{name} {found[2] + ' ' if adds else ''}{value}", text)
        machine.write(path, new if pattern.search(text) else f"{name} {value}\n{text}", 0o600)
