"""dpkg is killed at each stage of an upgrade: local accounts and root sign in then, and the upgrade can be finished."""

import re
from pathlib import Path

import pytest

from Integration.hosts import Sshd, login
from Integration.machine import Machine
from Integration.product import LOCAL, RIGHT

from .test_deb import PackagedProduct, dpkg, packed, pam_auth_update, product, sshd, unpacked  # noqa: F401

ROOTS = "a-password-of-root-3"
#: Renames by which dpkg puts files and its own database in place: the first ones, the last ones, and some between.
RENAMES = ("rename", (1, 2, 3, 10, 40, 80, -20, -10, -1))
#: Starts of maintainer scripts and of dpkg's own programs.
STARTS = ("clone", (1, 2, 3, -3, -2))
#: Places in maintainer scripts: before the first statement, after debhelper's ones, and at the end.
SCRIPTS = [
    ("prerm", "begin"),
    ("prerm", "end"),
    *((script, place) for script in ("postinst", "postrm") for place in ("begin", "middle", "end")),
]


@pytest.fixture(scope="module")
def upgrade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest package as the next version; where /tmp/stage tells so, its scripts kill dpkg."""
    tree = tmp_path_factory.mktemp("upgrade") / "tree"
    unpacked(tree, r"\1+next")
    (tree / "etc/security/pam_cognito.conf").open("a").write("# next\n")
    for script in ("prerm", "postinst", "postrm"):
        path = tree / "DEBIAN" / script
        path.write_text(killing(path.read_text(), script))
    return packed(tree, "pam-cognito_next.deb")


def killing(script: str, name: str) -> str:
    """The script, which kills dpkg in the place that /tmp/stage names."""

    def kill(place: str) -> str:
        return f'[ "$(cat /tmp/stage 2>/dev/null)" != "{name} {place}" ] || {{ kill -9 "$PPID"; sleep 600; }}\n'

    before, after = re.split(r"(?<=set -e\n)", script, maxsplit=1)
    # Between debhelper's part and ours, if it has one.
    middle = "\n# End automatically added section\n"
    if middle in after:
        theirs, ours = after.rsplit(middle, 1)
        after = theirs + middle + kill("middle") + ours
    return before + kill("begin") + after + kill("end")


def state(machine: Machine) -> str:
    shown = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${db:Status-Eflag} ${Version}", "pam-cognito"]
    return machine.run(shown, check=True).stdout


def local_users_sign_in(product: PackagedProduct, sshd: Sshd) -> None:  # noqa: F811
    """Local accounts and root."""
    assert sshd.run("bob", LOCAL, method="keyboard-interactive").accepted
    for name, password in (("bob", LOCAL), ("root", ROOTS)):
        with login(product.machine, name, password) as session:
            assert session.accepted, (name, session.seen)
            session.logout()
    # And no user by a wrong password.
    assert not sshd.run("alice", LOCAL, method="keyboard-interactive").accepted


@pytest.fixture(scope="module")
def installed(product: PackagedProduct, upgrade: Path) -> PackagedProduct:  # noqa: F811
    machine = product.machine
    machine.run(["chpasswd"], input=f"root:{ROOTS}\n", check=True)
    machine.write("/tmp/upgrade.deb", upgrade.read_bytes())
    pam_auth_update(machine, "--enable", "cognito")
    return product


def upgrade_killed(machine: Machine, *wrapper: str) -> None:
    """All that dpkg has started is gone with it."""
    command = ["dpkg", "--force-confdef", "--force-confold", "-i", "/tmp/upgrade.deb"]
    machine.run(
        ["unshare", "--pid", "--fork", "--kill-child", "sh", "-c", '"$@"; exit 0', "sh", *wrapper, *command],
        env={"DEBIAN_FRONTEND": "noninteractive"},
    )


def finished(machine: Machine) -> str:
    """As docs/howto/upgrade.md says; returns what was needed."""
    machine.write("/tmp/stage", "")
    machine.run(["dpkg", "--force-confdef", "--force-confold", "--configure", "-a"], check=False)
    if state(machine).startswith("installed ok ") and state(machine).endswith("+next"):
        return "dpkg --configure -a"
    dpkg(machine, "-i", "/tmp/upgrade.deb")
    return "dpkg -i"


@pytest.fixture(scope="module")
def counts(installed: PackagedProduct) -> dict[str, int]:
    """How often dpkg makes each call in an upgrade that is not interrupted."""
    machine = installed.machine
    upgrade_killed(machine, "strace", "-o", "/tmp/calls", "-e", "trace=rename,clone")
    calls = re.findall(r"(?m)^(rename|clone)\(", machine.read("/tmp/calls"))
    assert state(machine).endswith("+next")
    found = {name: calls.count(name) for name in ("rename", "clone")}
    print(found)
    return found


def check(installed: PackagedProduct, sshd: Sshd, stage: str) -> None:  # noqa: F811
    machine = installed.machine
    before = state(machine)
    assert before != "", stage
    local_users_sign_in(installed, sshd)
    alice = sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
    needed = finished(machine)
    assert state(machine).startswith("installed ok ") and state(machine).endswith("+next"), state(machine)
    assert machine.run(["dpkg", "--audit"], check=True).stdout == ""
    local_users_sign_in(installed, sshd)
    assert sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
    print(f"{stage}: {before}; finished by {needed}")
    # Managed accounts sign in, too: each file is replaced as a whole.
    assert alice, stage
    # From when the new files are in place, dpkg need not be given the package again.
    assert (needed == "dpkg --configure -a") == before.endswith("+next"), stage


@pytest.fixture
def old(installed: PackagedProduct) -> Machine:
    """The package from before the upgrade; of its scripts, prerm runs in an upgrade."""
    machine = installed.machine
    machine.write("/tmp/stage", "")
    dpkg(machine, "-i", "/tmp/pam-cognito.deb")
    return machine


@pytest.mark.parametrize(("call", "place"), [(call, place) for call, places in (RENAMES, STARTS) for place in places])
def test_killed_at_a_call(
    installed: PackagedProduct,
    sshd: Sshd,  # noqa: F811
    counts: dict[str, int],
    old: Machine,
    call: str,
    place: int,
) -> None:
    when = place if place > 0 else counts[call] + 1 + place
    assert 0 < when <= counts[call]
    upgrade_killed(
        old, "strace", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={when}"
    )
    check(installed, sshd, f"{call} {when} of {counts[call]}")


@pytest.mark.parametrize(("script", "place"), SCRIPTS)
def test_killed_in_a_script(
    installed: PackagedProduct,
    sshd: Sshd,  # noqa: F811
    old: Machine,
    script: str,
    place: str,
) -> None:
    """Of the old package, prerm and postrm run; of the new one, postinst."""
    for name in ("prerm", "postrm"):
        path = f"/var/lib/dpkg/info/pam-cognito.{name}"
        old.write(path, killing(old.read(path), name), mode=0o755)
    old.write("/tmp/stage", f"{script} {place}")
    upgrade_killed(old)
    assert not state(old).startswith("installed ok ") or not state(old).endswith("+next"), "dpkg was not killed"
    check(installed, sshd, f"{script}, {place}")
