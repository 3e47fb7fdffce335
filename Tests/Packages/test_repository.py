"""The repositories that packaging/repository makes, and what apt, with nothing but a loopback, takes and refuses."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY

DAY = 86400
#: Its signatures, which alone may differ between two repositories of the same packages.
SIGNATURES = {"InRelease", "Release.gpg", "repomd.xml.asc"}


def run(*command: str | Path, **environment: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)


def must(*command: str | Path, **environment: str | Path) -> str:
    done = run(*command, **environment)
    assert done.returncode == 0, done
    return done.stdout


class Keys:
    """Secret keys, each in a folder of gpg's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self, name: str, *, faked_time: str = "") -> tuple[Path, str]:
        """Returns gpg's folder and the fingerprint. It is valid for a day, from now or from `faked_time` on."""
        home = self.folder / name
        home.mkdir(mode=0o700)
        if faked_time:
            (home / "gpg.conf").write_text(f"faked-system-time {faked_time}\n")
        command = ["gpg", "--batch", "--passphrase", "", "--quick-gen-key", name, "ed25519", "sign", "1d"]
        must(*command, GNUPGHOME=home)
        said = must("gpg", "--batch", "--with-colons", "--list-secret-keys", GNUPGHOME=home)
        (fingerprint,) = re.findall(r"(?m)^fpr:+(\w+):", said)
        return home, fingerprint


@pytest.fixture(scope="module")
def keys() -> Iterator[Keys]:
    # The name of a socket in it has to be short.
    folder = Path(tempfile.mkdtemp())
    yield Keys(folder)
    for home in folder.iterdir():
        run("gpgconf", "--kill", "all", GNUPGHOME=home)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def right(keys: Keys) -> tuple[Path, str]:
    return keys.make("right")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Packages of a single file: which one it is does not matter to a repository."""
    folder = tmp_path_factory.mktemp("packages")
    tree = folder / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        "Package: pam-cognito\nVersion: 1.0-1\nArchitecture: amd64\nMaintainer: a <a@example.com>\nDescription: a\n"
    )
    (tree / "installed").write_text("by apt\n")
    deb = folder / "pam-cognito_1.0-1_amd64.deb"
    must("dpkg-deb", "--root-owner-group", "--build", tree, deb)
    spec = folder / "a.spec"
    spec.write_text(
        "Name: pam-cognito\nVersion: 1.0\nRelease: 1\nSummary: a\nLicense: MIT\nBuildArch: noarch\n%description\na\n"
        "%install\nmkdir -p %{buildroot}\necho by rpm >%{buildroot}/installed\n%files\n/installed\n"
    )
    must("rpmbuild", "-bb", "--define", f"_topdir {folder}", "--define", f"_rpmdir {folder}", spec)
    return [deb, *folder.rglob("*.rpm")]


def repository(key: tuple[Path, str], output: Path, *words, at: float | None = None) -> Path:
    home, fingerprint = key
    epoch = str(int(at or time.time()))
    said = must(
        REPOSITORY / "packaging/repository", "--key", fingerprint, *words[:-1], output, *words[-1],
        GNUPGHOME=home, SOURCE_DATE_EPOCH=epoch,
    )  # fmt: skip
    assert said == f"{output}\n"
    return output


def beside(served: Path, script: str, **environment: str) -> subprocess.CompletedProcess:
    """Runs a script that has nothing but a loopback, and there the repository."""
    serve = 'ip link set lo up; python3 -m http.server -b 127.0.0.1 -d "$0" 8000 >/dev/null 2>&1 & '
    wait = "until curl -so /dev/null http://127.0.0.1:8000/; do :; done; "
    command = ["unshare", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", serve + wait + script]
    return run(*command, str(served), **{"LC_ALL": "C", "http_proxy": "", **environment})


class Manager:
    """A package manager with folders of its own, and the repository at its loopback."""

    def __init__(self, folder: Path, served: Path) -> None:
        self.served = served
        self.root = folder / "root"

    @property
    def has_installed(self) -> bool:
        return (self.root / "installed").exists()


class Apt(Manager):
    kind, suffix = "apt", "deb"

    def __init__(self, folder: Path, served: Path) -> None:
        super().__init__(folder, served)
        for name in ("root/var/lib/dpkg/info", "root/var/lib/dpkg/updates", "state/lists", "cache/archives", "log"):
            (folder / name).mkdir(parents=True)
        (self.root / "var/lib/dpkg/status").touch()
        self.configuration = folder / "apt.conf"
        self.configuration.write_text(f"""
            Dir::Etc {{ main "/dev/null"; parts "/nonexistent"; sourcelist "{folder}/sources.list";
                sourceparts "/nonexistent"; trusted "/nonexistent"; trustedparts "/nonexistent";
                preferences "/nonexistent"; preferencesparts "/nonexistent"; }};
            Dir::State "{folder}/state";
            Dir::State::status "{self.root}/var/lib/dpkg/status";
            Dir::Cache "{folder}/cache";
            Dir::Log "{folder}/log";
            APT {{ Architecture "amd64"; Architectures {{ "amd64"; }}; Sandbox::User "root"; }};
            Acquire {{ http::Proxy "DIRECT"; Retries "0"; Languages "none"; }};
            DPkg::Options {{ "--root={self.root}"; "--force-not-root"; }};
        """)
        source = f"deb [signed-by={served}/key.asc] http://127.0.0.1:8000/apt stable main\n"
        (folder / "sources.list").write_text(source)

    def installs(self) -> subprocess.CompletedProcess:
        script = "apt-get update --error-on=any && apt-get install -y pam-cognito"
        return beside(self.served, script, APT_CONFIG=str(self.configuration))


class Dnf(Manager):
    """It has the lines of docs/howto/install.md for the repository."""

    kind, suffix = "rpm", "rpm"

    def __init__(self, folder: Path, served: Path) -> None:
        super().__init__(folder, served)
        text = (REPOSITORY / "docs/howto/install.md").read_text()
        (lines,) = re.findall(r"(?ms)^```ini\n(\[pam-cognito\]\n.*?)^```$", text)
        self.configuration = folder / "dnf.conf"
        self.configuration.write_text(
            f"[main]\nreposdir=/nonexistent\npluginpath=/nonexistent\nmodule_platform_id=platform:none\n"
            f"cachedir={folder}/cache\npersistdir={folder}/state\nlogdir={folder}/log\nretries=1\n"
            + lines.replace("https://pam-cognito.invalid/", "http://127.0.0.1:8000/")
        )

    def installs(self) -> subprocess.CompletedProcess:
        command = f"dnf -c {self.configuration} --installroot={self.root} --releasever=1 -y install pam-cognito"
        return beside(self.served, command, HOME=str(self.root.parent))


@pytest.mark.parametrize(("manager", "content"), [(Apt, "by apt\n"), (Dnf, "by rpm\n")])
def test_right_one_is_installed(
    tmp_path: Path, right: tuple[Path, str], packages: list[Path], manager: type[Apt | Dnf], content: str
) -> None:
    its = manager(tmp_path, repository(right, tmp_path / "served", packages))
    done = its.installs()
    assert done.returncode == 0 and its.has_installed, done
    assert (its.root / "installed").read_text() == content


def signed_by_another(its: Apt | Dnf, keys: Keys, packages: list[Path]) -> None:
    other = repository(keys.make(f"another-of-{its.kind}"), its.served.with_name("another"), packages)
    shutil.rmtree(its.served / its.kind)
    shutil.move(other / its.kind, its.served / its.kind)


def other_package(its: Apt | Dnf, keys: Keys, packages: list[Path]) -> None:
    """Of the same size."""
    (package,) = (its.served / its.kind).rglob(f"*.{its.suffix}")
    package.write_bytes(package.read_bytes()[:-1] + b"x")


def changed_afterwards(its: Apt, keys: Keys, packages: list[Path]) -> None:
    for name in ("InRelease", "Release"):
        file = its.served / "apt/dists/stable" / name
        file.write_text(file.read_text().replace("Label: pam-cognito", "Label: pam-cognitO"))


def unsigned(its: Apt, keys: Keys, packages: list[Path]) -> None:
    for name in ("InRelease", "Release.gpg"):
        (its.served / "apt/dists/stable" / name).unlink()


def cut_short(its: Apt, keys: Keys, packages: list[Path]) -> None:
    (package,) = (its.served / "apt").rglob("*.deb")
    package.write_bytes(package.read_bytes()[:-100])


def other_list(its: Apt, keys: Keys, packages: list[Path]) -> None:
    for file in (its.served / "apt").rglob("Packages*"):
        file.write_bytes(file.read_bytes()[:-1])


def index_changed_afterwards(its: Dnf, keys: Keys, packages: list[Path]) -> None:
    (its.served / "rpm/repodata/repomd.xml").open("a").write("\n")


def index_unsigned(its: Dnf, keys: Keys, packages: list[Path]) -> None:
    (its.served / "rpm/repodata/repomd.xml.asc").unlink()


@pytest.mark.parametrize(
    ("manager", "harm", "said"),
    [
        (Apt, signed_by_another, "NO_PUBKEY"),
        (Apt, changed_afterwards, "BADSIG"),
        (Apt, unsigned, "is not signed"),
        (Apt, cut_short, "unexpected size"),
        (Apt, other_package, "Hash Sum mismatch"),
        (Apt, other_list, "unexpected size|Hash Sum mismatch"),
        (Dnf, signed_by_another, "GPG signature verification error"),
        (Dnf, index_changed_afterwards, "GPG signature verification error"),
        (Dnf, index_unsigned, r"404 for http\S+/repomd\.xml\.asc"),
        (Dnf, other_package, "checksum"),
    ],
)
def test_harmed_one_is_refused(
    tmp_path: Path,
    right: tuple[Path, str],
    keys: Keys,
    packages: list[Path],
    manager: type[Apt | Dnf],
    harm: Callable[..., None],
    said: str,
) -> None:
    its = manager(tmp_path, repository(right, tmp_path / "served", packages))
    harm(its, keys, packages)
    done = its.installs()
    assert done.returncode != 0 and not its.has_installed, done
    assert re.search(said, done.stdout + done.stderr), done


def test_expired_key_is_refused(tmp_path: Path, keys: Keys, packages: list[Path]) -> None:
    """What it signed while it was valid, too."""
    served = repository(keys.make("expired", faked_time="20200101T000000"), tmp_path / "served", packages)
    apt = Apt(tmp_path, served)
    done = apt.installs()
    assert done.returncode != 0 and not apt.has_installed and "EXPKEYSIG" in done.stdout + done.stderr, done


@pytest.mark.parametrize(("age", "accepted"), [(2, True), (4, False)])
def test_replayed_one_is_refused(
    tmp_path: Path, right: tuple[Path, str], packages: list[Path], age: int, accepted: bool
) -> None:
    """Signed rightly, `age` days ago, for three days."""
    served = repository(right, tmp_path / "served", "--days", "3", packages, at=time.time() - age * DAY)
    apt = Apt(tmp_path, served)
    done = apt.installs()
    assert (done.returncode == 0) == apt.has_installed == accepted, done
    assert ("is expired" in done.stdout + done.stderr) == (not accepted), done


def test_same_again(tmp_path: Path, right: tuple[Path, str], packages: list[Path]) -> None:
    """Of the same packages, in another order and folder, come the same files."""
    moved = []
    for package in reversed(packages):
        moved.append(tmp_path / "elsewhere" / package.name)
        moved[-1].parent.mkdir(exist_ok=True)
        shutil.copyfile(package, moved[-1])
    trees = []
    for name, given in (("one", packages), ("two", moved)):
        tree = repository(right, tmp_path / name, given, at=1_800_000_000)
        trees.append({file.relative_to(tree): file.read_bytes() for file in tree.rglob("*") if file.is_file()})
    assert trees[0].keys() == trees[1].keys() and len(trees[0]) > 10
    assert {path.name for path in trees[0] if trees[0][path] != trees[1][path]} <= SIGNATURES


def test_rpm_repository(tmp_path: Path, right: tuple[Path, str], packages: list[Path]) -> None:
    """Its index is signed, and has the package's checksum."""
    served = repository(right, tmp_path / "served", packages)
    keyring = tmp_path / "keyring.gpg"
    must("gpg", "--dearmor", "--output", keyring, served / "key.asc")
    index = served / "rpm/repodata/repomd.xml"
    must("gpgv", "--keyring", keyring, f"{index}.asc", index)
    primary = must("gzip", "-dc", served / "rpm/repodata/primary.xml.gz")
    (checksum,) = re.findall(r'<checksum type="sha256" pkgid="YES">(\w+)<', primary)
    (package,) = (served / "rpm").glob("*.rpm")
    assert must("sha256sum", package).split()[0] == checksum
    assert must("sha256sum", served / "rpm/repodata/primary.xml.gz").split()[0] in index.read_text()


def test_security_txt(tmp_path: Path, right: tuple[Path, str], packages: list[Path]) -> None:
    """RFC 9116: a contact, and a time when it is no longer valid."""
    served = repository(right, tmp_path / "served", "--days", "3", packages, at=1_800_000_000)
    text = (served / ".well-known/security.txt").read_text()
    assert re.findall(r"(?m)^(Contact|Expires): (.+)$", text) == [
        ("Contact", "mailto:security@pam-cognito.invalid"),
        ("Expires", "2027-01-18T08:00:00Z"),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "usage: "),
        (["--days", "0"], "'0' is no number of days"),
        (["--key", "0123456789ABCDEF"], "gpg has no secret key"),
        (["--sign"], "unknown option '--sign'"),
        (["OUTPUT", "THERE"], "is not a whole .deb or .rpm package"),
        (["OUTPUT", "CUT.deb"], "is not a whole .deb or .rpm package"),
        (["OUTPUT", "CUT.rpm"], "is not a whole .deb or .rpm package"),
        (["THERE", "DEB"], "is there already"),
    ],
)
def test_script_refuses(
    tmp_path: Path, right: tuple[Path, str], packages: list[Path], words: list[str], said: str
) -> None:
    """With a line, and without an output."""
    home, fingerprint = right
    (tmp_path / "THERE").write_text("something")
    for package in packages:
        (tmp_path / f"CUT{package.suffix}").write_bytes(package.read_bytes()[:-50])
    given = [str(packages[0] if word == "DEB" else tmp_path / word) for word in words]
    if words and words[0].startswith("-"):
        given = [*words, str(tmp_path / "OUTPUT"), str(packages[0])]
    key = [] if not words or "--key" in words else ["--key", fingerprint]
    done = run(REPOSITORY / "packaging/repository", *key, *given, GNUPGHOME=home)
    assert done.returncode != 0 and said in done.stderr and len(done.stderr.splitlines()) == 1, done
    assert not (tmp_path / "OUTPUT").exists()
