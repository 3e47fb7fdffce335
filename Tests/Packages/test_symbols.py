"""The package of debugging symbols: a core dump of a PAM application is readable with it."""

import re
import subprocess
from pathlib import Path

import pytest

from Integration.hosts import Session
from Integration.machine import REPOSITORY
from Integration.product import ALONE

from .test_deb import PackagedProduct, dpkg, newest_package, product  # noqa: F401

PROGRAMS = {"pam_cognito.so", *(f"cognito-{name}" for name in ("worker", "agent", "accounts", "doctor", "session"))}


def symbols() -> Path:
    (package,) = (REPOSITORY / ".build/deb").glob("pam-cognito-dbgsym_*.deb")
    return package


def programs(root: Path) -> dict[str, Path]:
    """The programs of our own under `root`, by name."""
    found = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.name: path for path in found if path.read_bytes().startswith(b"\x7fELF")}


def sections(path: Path) -> set[str]:
    said = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\] (\.\w+)", said))


def build_id(path: Path) -> str:
    said = subprocess.run(["readelf", "-nW", path], check=True, capture_output=True, text=True).stdout
    (found,) = re.findall(r"Build ID: (\w+)", said)
    return found


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    for package in (newest_package(), symbols()):
        subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
    return tmp_path


def test_each_program_has_its_lines(unpacked: Path) -> None:
    """Apart from the program, which has none."""
    installed = programs(unpacked)
    assert PROGRAMS <= set(installed)
    for name in PROGRAMS:
        number = build_id(installed[name])
        assert not sections(installed[name]) & {".symtab", ".debug_line"}, name
        debug = unpacked / f"usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
        assert {".symtab", ".debug_line", ".debug_info"} <= sections(debug), name


@pytest.mark.parametrize(("strip", "kept"), [([], False), (["STRIP="], True)])
def test_installation_without_a_package(tmp_path: Path, strip: list[str], kept: bool) -> None:
    script = ["sh", REPOSITORY / "packaging/install.sh", f"DESTDIR={tmp_path}", *strip]
    subprocess.run(script, check=True)
    installed = programs(tmp_path)
    assert set(installed) == PROGRAMS
    with_lines = {name for name, path in installed.items() if ".debug_line" in sections(path)}
    assert with_lines == (PROGRAMS if kept else set())


def test_core_dump(product: PackagedProduct) -> None:  # noqa: F811
    """Of a PAM application that waits for a password: the functions of the module with files and lines."""
    machine = product.machine
    machine.write("/tmp/symbols.deb", symbols().read_bytes())
    dpkg(machine, "-i", "/tmp/symbols.deb")
    machine.pam("alone", ALONE)
    with Session(machine.spawn_pty(["pamtester", "alone", "alice", "authenticate"])) as session:
        assert session.asking == "Password: ", session.seen
        pid = machine.run(["pgrep", "-x", "pamtester"], check=True).stdout.strip()
        machine.run(["gcore", "-o", "/tmp/core", pid], check=True)
    debugger = ["gdb", "-nx", "-batch", "-ex", "backtrace", "/usr/bin/pamtester", f"/tmp/core.{pid}"]
    said = machine.run(debugger, check=True).stdout
    print(said)
    frames = re.findall(r"(?m)^#\d+ +(?:0x\w+ in )?(\S+) \(.*\)\s+at (\S+):(\d+)$", said)
    assert ("pam_sm_authenticate", "Sources/Module/PAM/EntryPoints.swift") in {
        (function, file.removeprefix("./")) for function, file, _ in frames
    }, said
    # Each of the files is one of ours, and the line is in it.
    ours = [(REPOSITORY / file, int(line)) for _, file, line in frames if "Sources/" in file]
    assert len(ours) >= 5
    assert all(0 < line <= len(path.read_text().splitlines()) for path, line in ours), frames
