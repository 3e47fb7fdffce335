"""Which version a build is: packages of a later commit are later ones, wherever the sources came from."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .machine import REPOSITORY

ENVIRONMENT = os.environ | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
#: packaging/versions, but for its comment.
VERSIONS = [
    line.split() for line in (REPOSITORY / "packaging/versions").read_text().splitlines() if not line.startswith("#")
]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)


def out(*command: str | Path, cwd: Path) -> str:
    done = run(*command, cwd=cwd)
    assert done.returncode == 0, done
    return done.stdout.strip()


def version(sources: Path) -> str:
    return out("sh", "packaging/version.sh", cwd=sources)


def is_before(one: str, other: str) -> bool:
    return subprocess.run(["dpkg", "--compare-versions", one, "lt", other]).returncode == 0


def commit(repository: Path) -> None:
    out("git", "commit", "-q", "--allow-empty", "-m", "one more", cwd=repository)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "packaging").mkdir(parents=True)
    for name in ("version.sh", "archive.sh", "versions"):
        shutil.copy(REPOSITORY / "packaging" / name, folder / "packaging")
    out("git", "init", "-q", cwd=folder)
    out("git", "add", ".", cwd=folder)
    commit(folder)
    return folder


def test_each_commit_is_later(repository: Path) -> None:
    """Also the tenth, and the hundredth; all of them are before the version that they lead to."""
    (*made, _), (coming,) = VERSIONS[-2], VERSIONS[-1]
    before = made[0]
    for count in range(1, 102):
        if count in (1, 2, 9, 10, 99, 100, 101):
            now = version(repository)
            assert re.fullmatch(rf"{re.escape(coming)}~dev{count}\+g[0-9a-f]{{12}}", now)
            assert is_before(before, now) and is_before(now, coming), (before, now)
            before = now
        commit(repository)


def test_source_archive(repository: Path) -> None:
    """It is the commit's version, and needs no git; archives of one commit are the same."""
    commit(repository)
    archive = Path(out("sh", "packaging/archive.sh", cwd=repository))
    data, there = archive.read_bytes(), repository.with_name("unpacked")
    there.mkdir()
    out("tar", "-xf", archive, cwd=there)
    (sources,) = there.iterdir()
    assert sources.name == f"pam-cognito-{version(repository)}" and version(sources) == version(repository)
    (repository / "packaging/uncommitted").touch()
    assert Path(out("sh", "packaging/archive.sh", cwd=repository)).read_bytes() == data


def test_what_cannot_be_counted_is_refused(repository: Path) -> None:
    """A number that is too small would be a version from before what is installed."""
    commit(repository)
    shallow, copied = repository.with_name("shallow"), repository.with_name("copied")
    out("git", "clone", "-q", "--depth", "1", f"file://{repository}", shallow, cwd=repository)
    shutil.copytree(repository, copied, ignore=shutil.ignore_patterns(".git"))
    # Somebody else's repository around it.
    out("git", "init", "-q", cwd=copied.parent)
    for sources, said in ((shallow, "git fetch --unshallow"), (copied, "packaging/archive.sh")):
        done = run("sh", "packaging/version.sh", cwd=sources)
        assert (done.returncode, done.stdout) == (1, "") and said in done.stderr, done
        assert run("sh", "packaging/archive.sh", cwd=sources).returncode == 1


def has_history() -> bool:
    done = run("git", "rev-parse", "--is-shallow-repository", cwd=REPOSITORY)
    return (REPOSITORY / ".git").exists() and done.stdout.strip() == "false"


@pytest.mark.skipif(not has_history(), reason="neither a source archive nor a shallow clone has the history")
def test_each_version_has_its_commit() -> None:
    for _, made_of in VERSIONS[:-1]:
        out("git", "merge-base", "--is-ancestor", made_of, "HEAD", cwd=REPOSITORY)
