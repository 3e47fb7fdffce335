"""What a process in a test machine looks like, by the machine's /proc: to prove that a host was left as found."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path


@dataclass(frozen=True)
class ProcessState:
    """A snapshot; `environ` is the environment the program was started with, not what it has changed since."""

    pid: int
    parent: int
    name: str
    arguments: tuple[bytes, ...]
    uids: tuple[int, ...]
    gids: tuple[int, ...]
    groups: tuple[int, ...]
    threads: int
    children: tuple[int, ...]
    descriptors: dict[int, str]
    signals: dict[str, str] = field(metadata={"why": "blocked, ignored and caught signals, as masks"})
    working_directory: str
    file_mode_mask: str
    environ: tuple[bytes, ...]
    limits: dict[str, tuple[str, str]]
    libraries: tuple[str, ...]
    no_new_privileges: str
    memory: dict[str, int] = field(compare=False, metadata={"why": "kilobytes; grows by itself"})

    def differences(self, other: "ProcessState") -> dict[str, tuple]:
        """Field by field, what is not the same in `other`; memory is left out."""
        pairs = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.compare}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _status_fields(proc: Path) -> dict[str, str]:
    lines = (proc / "status").read_text(errors="surrogateescape").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _list(path: Path) -> tuple[bytes, ...]:
    return tuple(item for item in path.read_bytes().split(b"\0") if item)


def _limits(proc: Path) -> dict[str, tuple[str, str]]:
    rows = (proc / "limits").read_text().splitlines()[1:]
    return {row[:26].strip(): (row[26:47].strip(), row[47:68].strip()) for row in rows}


def _descriptors(proc: Path) -> dict[int, str]:
    found = {}
    for name in os.listdir(proc / "fd"):
        try:
            found[int(name)] = os.readlink(proc / "fd" / name)
        except FileNotFoundError:
            continue
    return dict(sorted(found.items()))


def _libraries(proc: Path) -> tuple[str, ...]:
    names = set()
    for line in (proc / "maps").read_text(errors="surrogateescape").splitlines():
        columns = line.split(None, 5)
        if len(columns) == 6 and columns[5].startswith("/"):
            names.add(columns[5])
    return tuple(sorted(names))


def _memory(proc: Path) -> dict[str, int]:
    lines = (proc / "smaps_rollup").read_text().splitlines()[1:]
    return {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}


def read_state(proc: Path) -> ProcessState:
    """Reads `/…/proc/PID`; raises FileNotFoundError or ProcessLookupError when the process is gone."""
    status = _status_fields(proc)
    numbers = {name: tuple(int(n) for n in status[name].split()) for name in ("Uid", "Gid", "Groups")}
    children = {
        int(child)
        for task in os.listdir(proc / "task")
        for child in (proc / "task" / task / "children").read_text().split()
    }
    return ProcessState(
        pid=int(proc.name),
        parent=int(status["PPid"]),
        name=status["Name"],
        arguments=_list(proc / "cmdline"),
        uids=numbers["Uid"],
        gids=numbers["Gid"],
        groups=numbers["Groups"],
        threads=int(status["Threads"]),
        children=tuple(sorted(children)),
        descriptors=_descriptors(proc),
        signals={name: status[name] for name in ("SigBlk", "SigIgn", "SigCgt")},
        working_directory=os.readlink(proc / "cwd"),
        file_mode_mask=status["Umask"],
        environ=_list(proc / "environ"),
        limits=_limits(proc),
        libraries=_libraries(proc),
        no_new_privileges=status["NoNewPrivs"],
        memory=_memory(proc),
    )


@dataclass(frozen=True)
class ProcessSummary:
    """One line of what `ps` would show, cheap enough to read for every process."""

    pid: int
    parent: int
    name: str
    state: str
    uid: int
    arguments: tuple[bytes, ...]


_SUMMARY = re.compile(rb"Name:\t(.*)\n(?:.*\n)*?State:\t(.).*\n(?:.*\n)*?PPid:\t(\d+)\n(?:.*\n)*?Uid:\t(\d+)")


def list_processes(proc_root: Path) -> Iterator[ProcessSummary]:
    """Tests ask for them again and again while they wait, so this reads no more than it tells."""
    root = os.fspath(proc_root)
    for pid in os.listdir(root):
        if not pid.isdigit():
            continue
        try:
            with open(f"{root}/{pid}/status", "rb", buffering=0) as status:
                found = _SUMMARY.match(status.read(4096))
            with open(f"{root}/{pid}/cmdline", "rb", buffering=0) as cmdline:
                arguments = tuple(item for item in cmdline.readall().split(b"\0") if item)
        except (FileNotFoundError, ProcessLookupError):
            continue
        name, state, parent, uid = found.groups()
        yield ProcessSummary(int(pid), int(parent), os.fsdecode(name), state.decode(), int(uid), arguments)
