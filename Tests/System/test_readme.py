"""The documents' commands, typed on a new Debian as they stand: none of them is repeated here.

Install from a signed repository, set up by docs/quickstart.md, first login, recovery, removal, install from a file.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY
from Packages.test_deb import newest_package
from Packages.test_repository import keys, repository, right  # noqa: F401

from .guest import FOLDER, Emulator, Guest, Shell

MAILED, OWN, LOCAL = "Mailed-Password-1!", "Correct-Horse-9!", "a-local-password-7"
#: Where the pool of the quick start is, and what the emulator's certificate is for.
NAME = "cognito-idp.eu-west-1.amazonaws.com"
#: Where the documents say that the repository of packages is.
REPOSITORY_NAME = "pam-cognito.invalid"
#: A web server with the certificate in argv[2], for the directory in argv[1], beside the emulator.
WEB_SERVER = """
import contextlib, functools, http.server, ssl, sys

class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def finish(self):
        super().finish()
        # The end of TLS, which OpenSSL's clients want.
        with contextlib.suppress(OSError):
            self.connection.unwrap()

server = http.server.ThreadingHTTPServer(("127.0.0.2", 443), functools.partial(Handler, directory=sys.argv[1]))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print("ready", flush=True)
server.serve_forever()
"""


def blocks_of(page: str) -> dict[str, list[str]]:
    """The blocks of code of a page, by the section that they are in."""
    sections = re.split(r"(?m)^## (?:\d+\. )?", (REPOSITORY / "docs" / page).read_text())[1:]
    return {section.split("\n")[0]: re.findall(r"(?ms)^```\w+\n(.*?)^```$", section) for section in sections}


def steps() -> dict[str, list[str]]:
    blocks = blocks_of("quickstart.md")
    names = ("A user pool", "The package", "The configuration", "Enable pam-cognito")
    assert all(blocks[name] for name in names), blocks
    return blocks


def commands(block: str) -> list[str]:
    """The lines of a block that somebody would type."""
    return [line for line in block.splitlines() if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def served(right) -> Path:  # noqa: F811
    """The repository that packaging/repository makes of the newest package, and its web server's certificate."""
    folder = FOLDER / "served"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    repository(right, folder / "site", [newest_package()])
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={REPOSITORY_NAME}", "-addext", f"subjectAltName=DNS:{REPOSITORY_NAME}",
         "-keyout", "key.pem", "-out", "certificate.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    (folder / "both.pem").write_text((folder / "key.pem").read_text() + (folder / "certificate.pem").read_text())
    return folder


@pytest.fixture(scope="module")
def newcomer(served: Path) -> Iterator[tuple[Guest, Emulator]]:
    """A new Debian, and a pool as the quick start makes it. The machine trusts the emulator as it would Amazon."""
    with Guest() as guest:
        guest.write("/etc/hosts", f"127.0.0.1 localhost guest {NAME}\n127.0.0.2 {REPOSITORY_NAME}\n")
        guest.boot()
        guest.run("useradd", "-m", "-s", "/bin/sh", "-G", "sudo", "bob")
        guest.run("chpasswd", input=f"bob:{LOCAL}\n")
        # Somebody has to become root when Cognito is away; the doctor would say so otherwise.
        guest.run("chpasswd", input="root:Old-Faithful-7!\n")
        emulator = Emulator(guest, "emulator-readme", port=443)
        authority = Path(emulator.client.authority).read_text()
        guest.write("/usr/local/share/ca-certificates/emulator.crt", authority)
        certificate = (served / "certificate.pem").read_text()
        guest.write("/usr/local/share/ca-certificates/repository.crt", certificate)
        web = ["nsenter", f"--target={guest.leader}", "--net", sys.executable, "-c", WEB_SERVER]
        with subprocess.Popen(
            [*web, served / "site", served / "both.pem"],
            stdout=subprocess.PIPE, stderr=(served / "log").open("w"), text=True,
        ) as server:  # fmt: skip
            assert server.stdout.readline() == "ready\n"
            yield guest, emulator
            server.terminate()
        emulator.close()


def test_set_up(newcomer: tuple[Guest, Emulator]) -> None:
    guest, emulator = newcomer
    blocks = steps()
    flows = re.search(r"--explicit-auth-flows ((?:ALLOW_\w+ )+)", blocks["A user pool"][0].replace("\\\n", ""))
    pool = emulator.client.pool(groups=["linux-users"], auth_flows=flows.group(1).split())
    emulator.client.user(
        pool["pool_id"],
        "ana",
        MAILED,
        groups=["linux-users"],
        email="ana@example.com",
        status="FORCE_CHANGE_PASSWORD",
    )
    took: list[tuple[str, float]] = []

    def type_in(line: str, answers: str = "") -> str:
        started = time.monotonic()
        said = guest.run("sh", "-c", f"cd /root && {line}", input=answers)
        took.append((line.split("  #")[0].strip(), time.monotonic() - started))
        return said

    for line in commands("".join(blocks["The package"])):
        type_in(line, "y\n")
    assert "https://pam-cognito.invalid/apt stable" in guest.run("apt-cache", "policy", "pam-cognito")

    configuration, accounts = blocks["The configuration"]
    for name in ("pool_id", "client_id"):
        option = "user_pool_id" if name == "pool_id" else name
        configuration = re.sub(rf"(?m)^{option} = .*$", f"{option} = {pool[name]}", configuration)
    path = "/etc/security/pam_cognito.conf"
    guest.write(path, guest.read(path) + configuration)
    for line in commands(accounts) + commands(blocks["Enable pam-cognito"][0]):
        said = type_in(line)
    # The last one is doctor, whose status was 0: a line for each area and no more.
    assert "Fix:" not in said and "Note:" not in said, said

    started = time.monotonic()
    terminal = guest.client("ana", None)
    terminal.expect("Password: ")
    terminal.sendline(MAILED)
    for prompt in ("New password: ", "Retype new password: "):
        terminal.expect(prompt)
        terminal.sendline(OWN)
    shell = Shell(terminal)
    took.append(("the first login", time.monotonic() - started))
    assert "Signed in to Cognito as ana" in shell.greeting
    assert "Signed in to Amazon Cognito as ana" in shell.output("NO_COLOR=1 cognito-session")
    shell.leave()
    for line, seconds in took:
        print(f"{seconds:6.2f} s  {line}")
    print(f"{sum(seconds for _, seconds in took):6.2f} s  all of it")


def test_recovery(newcomer: tuple[Guest, Emulator]) -> None:
    """The recovery of docs/troubleshooting.md, typed by root without a network: local accounts sign in throughout."""
    guest, emulator = newcomer
    text = (REPOSITORY / "docs/troubleshooting.md").read_text()
    look, switch, disable = commands(re.search(r"(?ms)^```sh\n(.*?)^```$", text).group(1))
    emulator.client.down()
    assert not guest.ssh("ana", OWN)[0] and guest.ssh("bob", LOCAL)[0]
    assert "reason=unreachable" in guest.run("sh", "-c", look)
    for line, undo in (
        (switch, ["rm", "/run/pam-cognito/disabled"]),
        (disable, ["pam-auth-update", "--enable", "cognito"]),
    ):
        # The network does not matter to them; that Cognito is not asked is seen with it.
        emulator.client.down()
        started = time.monotonic()
        guest.run("sh", "-c", line)
        print(f"{time.monotonic() - started:6.2f} s  {line}")
        assert guest.ssh("bob", LOCAL)[0]
        emulator.client.up()
        assert not guest.ssh("ana", OWN)[0]
        guest.run(*undo)
        assert guest.ssh("ana", OWN)[0]


def test_removal(newcomer: tuple[Guest, Emulator]) -> None:
    """docs/howto/uninstall.md, with a session open, and its check."""
    guest, _ = newcomer
    (remove,) = commands(blocks_of("howto/uninstall.md")["Debian"][0])
    shell = guest.open_ssh("ana", OWN)
    started = time.monotonic()
    said = guest.run("sh", "-c", remove, input="y\n")
    print(f"{time.monotonic() - started:6.2f} s  {remove}")
    assert "signed out; user='ana'" in said, said
    shell.leave()
    assert guest.run("grep", "-rs", "pam_cognito", "/etc/pam.d", check=False) == ""
    assert not guest.ssh("ana", OWN)[0]
    local = guest.open_ssh("bob", LOCAL)
    local.type("sudo true; echo status=$?")
    local.answer("assword for bob: ", LOCAL)
    local.terminal.expect("status=0")
    local.leave()
    guest.run("apt-get", "purge", "-y", "-q", "pam-cognito")
    for left in (
        "/etc/security/pam_cognito.conf",
        "/run/pam-cognito",
        "/var/lib/pam-cognito",
        "/usr/libexec/pam-cognito",
    ):
        assert not guest.exists(left), left


def test_package_from_a_file(newcomer: tuple[Guest, Emulator]) -> None:
    """The quick start's own command, for a package that was built."""
    guest, _ = newcomer
    (guest.root / "root/.build/deb").mkdir(parents=True)
    shutil.copy(newest_package(), guest.root / "root/.build/deb")
    build, install = commands(steps()["The package"][1])
    assert build == "sh packaging/deb.sh"
    guest.run("sh", "-c", f"cd /root && {install}", input="y\n")
    assert guest.run("cognito-session", "--version").split()[1] in newest_package().name
