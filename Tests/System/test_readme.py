"""docs/quickstart.md, typed on a new Debian as it stands: none of its commands is repeated here."""

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from Integration.machine import REPOSITORY
from Packages.test_deb import newest_package

from .guest import Emulator, Guest, Shell

MAILED, OWN = "Mailed-Password-1!", "Correct-Horse-9!"
#: Where the pool of the quick start is, and what the emulator's certificate is for.
NAME = "cognito-idp.eu-west-1.amazonaws.com"


def steps() -> dict[str, list[str]]:
    """The blocks of code of the quick start, by the step that they are in."""
    sections = re.split(r"(?m)^## (?:\d+\. )?", (REPOSITORY / "docs/quickstart.md").read_text())[1:]
    blocks = {section.split("\n")[0]: re.findall(r"(?ms)^```\w+\n(.*?)^```$", section) for section in sections}
    assert all(blocks[name] for name in ("A user pool", "The package", "The configuration", "Switching it on")), blocks
    return blocks


def commands(block: str) -> list[str]:
    """The lines of a block that somebody would type."""
    return [line for line in block.splitlines() if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def newcomer() -> Iterator[tuple[Guest, Emulator]]:
    """A new Debian, and a pool as the quick start makes it. The machine trusts the emulator as it would Amazon."""
    with Guest() as guest:
        guest.write("/etc/hosts", f"127.0.0.1 localhost guest {NAME}\n")
        guest.boot()
        # Somebody has to become root when Cognito is away; the doctor would say so otherwise.
        guest.run("chpasswd", input="root:Old-Faithful-7!\n")
        emulator = Emulator(guest, "emulator-readme", port=443)
        authority = Path(emulator.client.authority).read_text()
        guest.write("/usr/local/share/ca-certificates/emulator.crt", authority)
        yield guest, emulator
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

    (guest.root / "root/.build/deb").mkdir(parents=True)
    shutil.copy(newest_package(), guest.root / "root/.build/deb")
    install = [line for line in commands(blocks["The package"][0]) if not line.startswith("sh packaging/")]
    assert len(install) == 1
    type_in(install[0], "y\n")

    configuration, accounts = blocks["The configuration"]
    for name in ("pool_id", "client_id"):
        option = "user_pool_id" if name == "pool_id" else name
        configuration = re.sub(rf"(?m)^{option} = .*$", f"{option} = {pool[name]}", configuration)
    path = "/etc/security/pam_cognito.conf"
    guest.write(path, guest.read(path) + configuration)
    for line in commands(accounts) + commands(blocks["Switching it on"][0]):
        said = type_in(line)
    # The last one is doctor, whose status was 0: a line for each area and no more.
    assert "Mend:" not in said and "Note:" not in said, said

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
    """The recovery of docs/troubleshooting.md, typed by root."""
    guest, emulator = newcomer
    text = (REPOSITORY / "docs/troubleshooting.md").read_text()
    look, switch, disable = commands(re.search(r"(?ms)^```sh\n(.*?)^```$", text).group(1))
    emulator.client.down()
    assert not guest.ssh("ana", OWN)[0]
    emulator.client.up()
    assert "reason=unreachable" in guest.run("sh", "-c", look)
    assert guest.ssh("ana", OWN)[0]
    guest.run("sh", "-c", switch)
    assert not guest.ssh("ana", OWN)[0]
    guest.run("rm", "/run/pam-cognito/disabled")
    assert guest.ssh("ana", OWN)[0]
    guest.run("sh", "-c", disable)
    assert not guest.ssh("ana", OWN)[0]
