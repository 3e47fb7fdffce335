"""Which version a build is: packages of a later commit are later ones, wherever the sources came from."""

import email.utils
import hashlib
import json
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
    for name in ("version.sh", "archive.sh", "provenance.sh", "versions"):
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


def test_provenance(repository: Path) -> None:
    """A package's checksum, and the commit that it was built from; it says if something was not committed."""
    package = repository.with_name("package.deb")
    package.write_bytes(b"a package")
    for committed in (True, False):
        said = json.loads(out("sh", "packaging/provenance.sh", package, cwd=repository))
        digest = {"sha256": hashlib.sha256(b"a package").hexdigest()}
        assert said["subject"] == [{"name": "package.deb", "digest": digest}]
        built = said["predicate"]["buildDefinition"]
        assert built["externalParameters"] == {"version": version(repository), "allCommitted": committed}
        made_of = built["resolvedDependencies"][0]["digest"]
        assert made_of == {"gitCommit": out("git", "rev-parse", "HEAD", cwd=repository)}
        (repository / "packaging/uncommitted").touch()


def test_vex_is_of_what_the_programs_are_linked_with() -> None:
    """OpenVEX: each statement names a library of the package, and why it does not matter."""
    control = (REPOSITORY / "packaging/debian/control").read_text()
    said = json.loads((REPOSITORY / "packaging/vex.json").read_text())
    assert said["statements"]
    for statement in said["statements"]:
        assert statement["status"] == "not_affected" and statement["justification"] and statement["impact_statement"]
        (product,) = statement["products"]
        (part,) = product["subcomponents"]
        library = part["@id"].removeprefix("pkg:deb/debian/").rstrip("0123456789")
        assert product["@id"] == "pkg:deb/debian/pam-cognito" and f"{library}-dev" in control, part


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


def released(text: str) -> list[str]:
    """The versions in packaging/versions that have a commit, the newest first."""
    return re.findall(r"(?m)^([\d.]+) [0-9a-f]{40}$", text)[::-1]


def named(sources: Path) -> dict[str, list[str]]:
    """What each of the files that packaging/release stamps says of the versions, the newest first."""
    spec = (sources / "packaging/rpm/pam-cognito.spec").read_text()
    changelog = (sources / "packaging/debian/changelog").read_text()
    return {
        "changelog": [entry.removesuffix("-1") for entry in re.findall(r"(?m)^pam-cognito \((\S+)\)", changelog)],
        "spec": re.findall(r"(?m)^\* .* - (\S+)-1$", spec),
        "Version of the spec": re.findall(r"(?m)^Version: +(\S+)$", spec),
        "NEWS": re.findall(r"(?m)^## (.+)$", (sources / "NEWS.md").read_text()),
    }


def agreeing(sources: Path, now: str) -> dict[str, list[str]]:
    """What these files have to say in a build whose version is `now`."""
    text = (sources / "packaging/versions").read_text()
    made, coming = released(text), text.split()[-1]
    news = [coming if now == coming else f"{coming} (not yet released)", *made]
    return {"changelog": [coming, *made], "spec": [coming, *made], "Version of the spec": [coming], "NEWS": news}


@pytest.mark.skipif(not has_history(), reason="neither a source archive nor a shallow clone has the history")
def test_version_is_the_same_everywhere() -> None:
    now = version(REPOSITORY)
    assert named(REPOSITORY) == agreeing(REPOSITORY, now)
    for program in ("cognito-session", "cognito-agent"):
        built = out(REPOSITORY / ".build/product" / program, "--version", cwd=REPOSITORY).split()[1]
        # The programs may be of an earlier commit.
        assert built.split("~")[0] == now.split("~")[0], program


def test_news_are_a_change_log() -> None:
    """In each version the same kinds of changes, what to do first; each change in at most 20 words."""
    kinds = ["Upgrade notes", "Security", "Changed", "Added", "Fixed"]
    _, *sections = re.split(r"(?m)^## ", (REPOSITORY / "NEWS.md").read_text())
    for section in sections:
        headings = re.findall(r"(?m)^### (.+)$", section)
        assert headings == [kind for kind in kinds if kind in headings], headings
        for entry in re.findall(r"(?ms)^- (.*?)(?=^\S|\Z)", section):
            words = re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)", "CODE", entry).split()
            assert len(words) <= 20, entry
    # The first version has no other one before it.
    assert all("### " in section for section in sections[:-1] if "\n- " in section)


@pytest.fixture
def releasable(tmp_path: Path) -> Path:
    """The files that a release is made of, as they are here, in a repository of their own."""
    folder = tmp_path / "releasable"
    (folder / "packaging/debian").mkdir(parents=True)
    (folder / "packaging/rpm").mkdir()
    for name in ("version.sh", "archive.sh", "release", "versions", "debian/changelog", "rpm/pam-cognito.spec"):
        shutil.copy(REPOSITORY / "packaging" / name, folder / "packaging" / name)
    for name in ("NEWS.md", ".gitignore"):
        shutil.copy(REPOSITORY / name, folder)
    out("git", "init", "-q", cwd=folder)
    out("git", "add", ".", cwd=folder)
    commit(folder)
    return folder


def test_release(releasable: Path) -> None:
    """Two in a row; each tagged commit says its version, also in an archive, and all files agree before and after."""
    text = (releasable / "packaging/versions").read_text()
    last, first = text.split()[-1], released(text)
    major, minor, _ = (int(part) for part in last.split("."))
    assert last.endswith(".0"), "what comes after a version is the next MINOR"
    # The second one is a fix of the first, before the version that has begun.
    for made in (last, f"{major}.{minor}.1", f"{major}.{minor + 1}.1"):
        assert is_before(version(releasable), made) or made.endswith(f".{minor}.1")
        out("packaging/release", made, cwd=releasable)
        now = version(releasable)
        assert is_before(made, now) and "~dev" in now
        assert out("git", "status", "--porcelain", cwd=releasable) == ""
        at = out("git", "rev-parse", f"v{made}^{{commit}}", cwd=releasable)
        assert f"\n{made} {at}\n" in (releasable / "packaging/versions").read_text()
        assert named(releasable) == agreeing(releasable, now)
        # Not yet: nothing is said of the next one.
        assert "no section" in run("packaging/release", "9.9.9", cwd=releasable).stderr
        news = releasable / "NEWS.md"
        news.write_text(news.read_text().replace(" (not yet released)\n", " (not yet released)\n\n- One more.\n"))
        out("git", "commit", "-q", "-a", "-m", "news", cwd=releasable)
        there = releasable.with_name(made)
        out("git", "clone", "-q", "--branch", f"v{made}", releasable, there, cwd=releasable)
        assert version(there) == made and named(there) == agreeing(there, made)
        assert out("sh", "packaging/archive.sh", cwd=there).endswith(f"/pam-cognito-{made}.tar.gz")
    assert released((releasable / "packaging/versions").read_text())[3:] == first
    # lintian wants each entry to be later than the one before.
    dates = re.findall(r"(?m)^ -- .*>  (.+)$", (releasable / "packaging/debian/changelog").read_text())
    times = [email.utils.parsedate_to_datetime(date) for date in dates]
    assert times[0] > times[1], dates


#: A hook of git's for commits.
HOOK = "f=.git/hooks/commit-msg; touch $f; chmod +x $f; printf '%s\\n' >$f '#!/bin/sh"


@pytest.mark.parametrize(
    ("words", "prepare", "said"),
    [
        ([], "", "usage: "),
        (["1.2"], "", "this is not a version"),
        (["0.2.0-rc1"], "", "is not a version"),
        (["01.2.3"], "", "is not a version"),
        (["0.2.0\n"], "", "is not a version"),
        (["9.9.9"], "echo more >>NEWS.md", "not committed"),
        (["9.9.9"], "touch forgotten", "not committed"),
        (["0.1.0"], "", "version 0.1.0 was released already"),
        (["9.9.9"], "git tag v9.9.9", "version 9.9.9 was released already"),
        (["0.0.9"], "", "version 0.0.9 is older than 0.1.0"),
        (["9.9.9"], "sed -i 's/ (not yet.*//' NEWS.md && git commit -qam x", f"no section '## {VERSIONS[-1][0]} (not"),
        (["9.9.9"], "sed -i '/^- /d' NEWS.md && git commit -qam x", f"no section '## {VERSIONS[-1][0]} (not"),
        (["9.9.9"], "git clone -q --depth 1 file://$PWD shallow && mv .git full && mv shallow/.git .", "unshallow"),
        (["9.9.9"], "rm -rf .git", "no git repository"),
        (["9.9.9"], f"{HOOK}' 'exit 1'", "git refused; everything is as it was"),
        (["9.9.9"], f"{HOOK}' '! grep -q begins \"$1\"'", "git refused; everything is as it was"),
        (
            ["9.9.9"],
            "git config tag.gpgSign true; git config gpg.program false",
            "git refused; everything is as it was",
        ),
    ],
)
def test_release_is_refused(releasable: Path, words: list[str], prepare: str, said: str) -> None:
    """With a line, and without a change."""
    if prepare:
        out("sh", "-c", prepare, cwd=releasable)
    before = {path: path.read_bytes() for path in releasable.rglob("*") if path.is_file() and ".git" not in path.parts}
    done = run("packaging/release", *words, cwd=releasable)
    assert done.returncode not in (0, 2) and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 or "git" in said, done
    assert said in done.stderr
    after = {path: path.read_bytes() for path in releasable.rglob("*") if path.is_file() and ".git" not in path.parts}
    assert after == before
    if (releasable / ".git").exists():
        assert not set(out("git", "tag", cwd=releasable).split()) - {"v9.9.9"}
        assert "Version " not in out("git", "log", "--format=%s", cwd=releasable)
