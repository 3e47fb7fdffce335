"""The RPM package, installed into a folder: the same files as the Debian package, with the same modes and contents."""

import gzip
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY

from .test_symbols import PROGRAMS, build_id, programs, sections

BUILT = REPOSITORY / ".build"
ELF = b"\x7fELF"


def contents(root: Path) -> dict[str, tuple[str, bytes]]:
    """Every file under `root` by its place on a machine, where /lib is a link into /usr: its mode and what it says."""
    found = {}
    for path in root.rglob("*"):
        if path.is_dir():
            continue
        place = str(path.relative_to(root)).removeprefix("usr/").removeprefix("./")
        data = path.read_bytes()
        if place.endswith(".gz"):
            data = gzip.decompress(data)
        elif data.startswith(ELF):
            # Each kind of package strips programs in its own way.
            data = ELF
        found[place] = (stat.filemode(path.lstat().st_mode), data)
    return found


@pytest.fixture
def deb(tmp_path: Path) -> dict:
    (package,) = (BUILT / "deb").glob("pam-cognito_*.deb")
    subprocess.run(["dpkg-deb", "-x", package, tmp_path / "deb"], check=True)
    return contents(tmp_path / "deb")


@pytest.fixture
def rpm(tmp_path: Path) -> dict:
    (package,) = (BUILT / "rpm").glob("pam-cognito-[0-9]*.rpm")
    root = tmp_path / "rpm"
    root.mkdir()
    # Its scripts want a machine, and its libraries have packages of other names here.
    command = ["rpm", "--root", root, "--dbpath", "/database", "--install", "--nodeps", "--noscripts", package]
    subprocess.run(command, check=True)
    shutil.rmtree(root / "database")
    return contents(root)


def test_same_files(deb: dict, rpm: dict) -> None:
    assert len(deb) > 20
    # Debian has it in the copyright file.
    licenses = [place for place in rpm if place.startswith("share/licenses/")]
    assert [rpm.pop(place)[1] for place in licenses] == [(REPOSITORY / "LICENSE").read_bytes()]
    # The name that Debian gives it beside a source archive.
    deb["share/doc/pam-cognito/changelog.gz"] = deb.pop("share/doc/pam-cognito/changelog.Debian.gz")
    assert sorted(rpm) == sorted(deb)
    assert [place for place in deb if deb[place] != rpm[place]] == []


def test_symbols_of_each_program(tmp_path: Path) -> None:
    """Are in the debuginfo package, by build id."""
    installed, symbols = tmp_path / "installed", tmp_path / "symbols"
    for root, package in ((installed, "pam-cognito-[0-9]*.rpm"), (symbols, "pam-cognito-debuginfo-*.rpm")):
        (found,) = (BUILT / "rpm").glob(package)
        root.mkdir()
        subprocess.run(["sh", "-c", 'rpm2cpio "$0" | cpio -id --quiet', found], cwd=root, check=True)
    elf = list(programs(installed).values())
    assert {path.name for path in elf} == PROGRAMS
    for path in elf:
        number = build_id(path)
        assert not sections(path) & {".symtab", ".debug_line"}, path
        debug = symbols / f"usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
        assert {".symtab", ".debug_line", ".debug_info"} <= sections(debug), path


def test_configuration_is_kept(rpm: dict) -> None:
    (package,) = (BUILT / "rpm").glob("pam-cognito-[0-9]*.rpm")
    files = subprocess.run(["rpm", "-qpc", package], check=True, capture_output=True, text=True).stdout.split()
    assert files == ["/etc/security/pam_cognito.conf"]
