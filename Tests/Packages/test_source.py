"""The Debian source package that packaging/source-package.sh has made, as Debian's own tools see it."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY

SOURCE = REPOSITORY / ".build/source"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (description,) = SOURCE.glob("*.dsc")
    subprocess.run(["dpkg-source", "--extract", description, tmp_path / "tree"], check=True, capture_output=True)
    return tmp_path / "tree"


def rules(tree: Path, target: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["debian/rules", target], cwd=tree, env=os.environ | environment, capture_output=True, text=True
    )


def test_clean_removes_what_was_built(tree: Path) -> None:
    product = tree / ".build/product"
    product.mkdir(parents=True)
    (product / "pam_cognito.so").touch()
    done = rules(tree, "clean")
    assert done.returncode == 0, done
    assert not (tree / ".build").exists()


def test_what_was_built_before_is_not_taken_for_the_build(tree: Path, tmp_path: Path) -> None:
    """The compiler is asked: here one that fails, so that the build does."""
    product = tree / ".build/product"
    product.mkdir(parents=True)
    (product / "pam_cognito.so").touch()
    compiler = tmp_path / "bin/swift"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\necho the compiler was asked\nexit 1\n")
    compiler.chmod(0o755)
    done = rules(tree, "build", PATH=f"{compiler.parent}:{os.environ['PATH']}")
    assert done.returncode != 0 and "the compiler was asked" in done.stdout + done.stderr, done


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def releases(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder of releases, and its address."""
    folder = tmp_path / "releases"
    folder.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_uscan_finds_a_newer_release(tree: Path, releases: tuple[Path, str]) -> None:
    folder, address = releases
    (now,) = re.findall(r"^pam-cognito \((\S+)-1\)", (tree / "debian/changelog").read_text())
    for version in ("0.1.0", now, "99.10.0", "99.9.0"):
        shutil.copy(next(SOURCE.glob("*.orig.tar.gz")), folder / f"pam-cognito-{version}.tar.gz")
    watch = tree / "debian/watch"
    watch.write_text(re.sub(r"https://\S+\.invalid/releases/", address, watch.read_text()))
    done = subprocess.run(["uscan", "--no-download", "--dehs"], cwd=tree, capture_output=True, text=True)
    assert "<upstream-version>99.10.0</upstream-version>" in done.stdout, done
    assert f"<debian-uversion>{now}</debian-uversion>" in done.stdout
