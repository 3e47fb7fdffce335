"""A mistake in the configuration: who is refused, who signs in with a password of this machine, and what is logged."""

from collections.abc import Callable, Iterator

import pytest

from . import test_local_password
from .agent_process import AgentProcess
from .hosts import Sshd, pamtester, su_command
from .machine import Machine
from .pam_driver import PamDriver
from .product import CONFIGURATION, LOCAL, Product
from .test_doctor import Report

pytestmark = pytest.mark.leaves_keys("sign-ins that came no further than the account lines")

STACK = "/etc/pam.d/cognito-auth"
SAID = "This machine's Cognito settings contain a mistake, or do not match the user pool. Tell your administrator."
#: alice is managed by `unix_group`, dora by `users`; dora and bob have a password of this machine, kim has none.
ACCOUNTS = ("alice", "dora", "bob", "kim")


@pytest.fixture(scope="module")
def product(product: Product) -> Product:
    product.machine.add_user("dora", password=LOCAL)
    product.machine.add_user("kim")
    return product


@pytest.fixture(autouse=True)
def put_back(product: Product) -> Iterator[None]:
    with product.machine.preserved(CONFIGURATION, STACK, "/etc/pam.d/sshd"):
        yield
        product.machine.run(["rm", "-rf", CONFIGURATION], check=True)


def added(text: str, **changes: str | None) -> Callable[[Product], None]:
    """Writes the configuration with a line more."""

    def change(product: Product) -> None:
        product.configure(**{"users": "dora", **changes})
        product.machine.write(CONFIGURATION, product.machine.read(CONFIGURATION) + text + "\n", 0o644)

    return change


def done(command: str) -> Callable[[Product], None]:
    """Has a shell change the file, whose name is $0."""

    def change(product: Product) -> None:
        product.configure(users="dora")
        product.machine.run(["sh", "-c", command, CONFIGURATION], check=True)

    return change


def argument(text: str, **changes: str) -> Callable[[Product], None]:
    """Writes a module argument."""

    def change(product: Product) -> None:
        product.configure(users="dora", **changes)
        stack = product.machine.read(STACK).replace("pam_cognito.so", f"pam_cognito.so {text}")
        product.machine.write(STACK, stack, 0o644)

    return change


ELSEWHERE = ({"alice", "dora"}, {"bob"})
UNREADABLE = ({"alice", "kim"}, {"bob", "dora"})
#: What is wrong -> who is refused without being asked, whom a local password opens, and what the line in the log says.
MISTAKES = {
    "unknown option": (added("colour = red"), *ELSEWHERE, "conf:10: unknown key 'colour'"),
    "wrong value": (added("welcome = perhaps"), *ELSEWHERE, "conf:10: welcome cannot be 'perhaps'"),
    "given twice": (added("allowed_groups = staff"), *ELSEWHERE, "conf:10: allowed_groups is set twice"),
    "allowed_groups": (added("", allowed_groups="staff *"), *ELSEWHERE, "allowed_groups cannot be 'staff *'"),
    "no allowed_groups": (added("", allowed_groups=None), *ELSEWHERE, "allowed_groups is required but missing"),
    "denied_groups": (added("denied_groups = *"), *ELSEWHERE, "conf:10: denied_groups cannot be '*'"),
    "too long": (added("proxy = " + "x" * 5000), *ELSEWHERE, "conf:10: the line has more than 4096 bytes"),
    "NUL": (added("welcome = n\0o"), *ELSEWHERE, "conf:10: the line contains bytes that are not UTF-8 text"),
    "elsewhere, with local passwords": (
        added("colour = red", local_password="unavailable"),
        set(),
        {"bob", "dora"},
        "conf:11: unknown key",
    ),
    "local_password": (added("local_password = perhaps"), *ELSEWHERE, "conf:10: local_password cannot be 'perhaps'"),
    "local_password given twice": (
        added("local_password = unavailable", local_password="unavailable"),
        *ELSEWHERE,
        "is set twice",
    ),
    "required_acr": (added('required_acr = "', local_password="unavailable"), *ELSEWHERE, "conf:11: required_acr"),
    "users given twice": (
        added("users = alice"),
        {"alice", "dora", "kim"},
        {"bob"},
        "conf:10: users is set twice",
    ),
    "unix_group": (added("", unix_group="a b"), {"alice", "dora", "kim"}, {"bob"}, "unix_group cannot be 'a b'"),
    "users too long": (
        added("users = dora" + " x" * 3000, users=None),
        *UNREADABLE,
        "conf:9: the line has more than 4096 bytes",
    ),
    "users, misspelt": (added("Users = dora", users=None), *UNREADABLE, "conf:9: unknown key 'Users'"),
    "empty": (done('truncate -s 0 "$0"'), *UNREADABLE, "conf: user_pool_id is required but missing"),
    "missing": (done('rm "$0"'), *UNREADABLE, "conf: does not exist"),
    "of another user": (done('chown bob "$0"'), *UNREADABLE, "conf: does not belong to root"),
    "writable by others": (done('chmod 666 "$0"'), *UNREADABLE, "conf: can be changed by users other"),
    "a directory": (done('rm "$0"; mkdir "$0"'), *UNREADABLE, "conf: is not a regular file"),
    "a link": (done('mv "$0" "$0.real"; ln -s "$0.real" "$0"'), *UNREADABLE, "conf: is not a regular file"),
    "too large": (done('yes "#" | head -c 70000 >>"$0"'), *UNREADABLE, "conf: is too large"),
    "argument": (argument("colour=red"), *ELSEWHERE, "unknown module argument 'colour=red'"),
    "argument local_password": (
        argument("local_password=perhaps", local_password="unavailable"),
        *ELSEWHERE,
        "local_password cannot be",
    ),
    "argument denied_groups": (argument("denied_groups=*"), *ELSEWHERE, "denied_groups cannot be '*'"),
    "another path": (
        argument("config=/etc/security/none.conf"),
        *UNREADABLE,
        "/etc/security/none.conf: does not exist",
    ),
    "a path from the caller's directory": (
        argument("config=etc/security/pam_cognito.conf"),
        *UNREADABLE,
        "which is not an absolute path",
    ),
}

#: One of each kind.
MAIN = ["unknown option", "elsewhere, with local passwords", "users given twice", "missing"]


def enters(machine: Machine, service: str, user: str) -> tuple[bool, str, list[str]]:
    """Whether the local password opens an account, what the user was told, and the lines that the module logged."""
    mark = machine.log_mark()
    entered, said = test_local_password.enters(machine, service, user, LOCAL)
    return entered, said, machine.lines(mark, containing="pam_cognito(")


@pytest.mark.parametrize("service", ["sshd", "su"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_who_is_refused(product: Product, mistake: str, service: str) -> None:
    change, refused, opened, line = MISTAKES[mistake]
    change(product)
    wrong = []
    for user in ACCOUNTS:
        entered, said, lines = enters(product.machine, service, user)
        is_logged = len(lines) == 1 and line in lines[0]
        if user in refused:
            is_logged = is_logged and f"authentication failure; user='{user}' " in lines[0]
        if (entered, SAID in said, is_logged) != (user in opened, user in refused, True):
            wrong.append(f"{user}: entered {entered}, said {said!r}, {lines}")
    assert wrong == []
    # Root needs none of it.
    assert enters(product.machine, service, "root")[2] == []
    assert product.emulator.connection_count() == 0


def test_group_that_does_not_exist(product: Product) -> None:
    """Whom `users` names signs in all the same; who might be a member is refused."""
    product.configure(users="dora", unix_group="none")
    for user, expected in {"alice": (False, True, 1), "kim": (False, True, 1), "bob": (True, False, 0)}.items():
        entered, said, lines = enters(product.machine, "sshd", user)
        assert (entered, SAID in said, len(lines)) == expected, (user, lines)
        assert all("unix_group is 'none', which is not a group on this machine" in line for line in lines)


@pytest.mark.parametrize("mistake", MAIN)
def test_real_programs(product: Product, sshd: Sshd, agent: AgentProcess, mistake: str) -> None:
    """sshd and su themselves, and a screen lock, which asks the agent."""
    change, _, opened, _ = MISTAKES[mistake]
    change(product)
    machine = product.machine
    for user in ACCOUNTS:
        expected = user in opened
        assert sshd.run(user, LOCAL, method="keyboard-interactive").accepted == expected, user
        assert sshd.run(user, LOCAL, method="password").accepted == expected, user
        status, seen, _ = su_command(machine, "bob", user, "echo entered", LOCAL)
        assert (status == 0 and "entered" in seen) == expected, (user, seen)
        agent.forget_turns()
        assert pamtester(machine, "screen-lock", user, ["authenticate"], LOCAL, caller=user).succeeded == expected, user


@pytest.mark.parametrize(
    ("change", "account_line", "refused"),
    [
        (added("colour = red", key_logins="refuse"), "", {"alice", "dora"}),
        (added("key_logins = perhaps"), "", {"alice", "dora"}),
        (added("users = alice", key_logins="refuse"), "", {"alice", "dora", "kim"}),
        (added("users = alice"), "", set()),
        (done('rm "$0"'), "key_logins=refuse", {"alice", "kim"}),
        (done('rm "$0"'), "", set()),
    ],
    ids=["elsewhere", "key_logins", "coverage", "keys are let in", "no file, argument", "no file"],
)
def test_ssh_keys(
    product: Product, sshd: Sshd, change: Callable[[Product], None], account_line: str, refused: set[str]
) -> None:
    """key_logins = refuse keeps out whom it would, and whom it might; what cannot be read keeps no user out."""
    machine = product.machine
    change(product)
    lines = machine.read("/etc/pam.d/cognito-account").replace("pam_cognito.so", f"pam_cognito.so {account_line}")
    stack = machine.read("/etc/pam.d/sshd").replace("@include cognito-account", lines)
    machine.write("/etc/pam.d/sshd", stack, 0o644)
    for user in ACCOUNTS:
        sshd.authorize(user)
        mark = machine.log_mark()
        assert sshd.run(user, method="publickey").accepted == (user not in refused), user
        lines = machine.lines(mark, containing="account refused")
        assert len(lines) == (1 if user in refused else 0), lines


def test_passwords_are_not_changed(product: Product) -> None:
    """passwd of an account that may be managed ends there, and of any other goes on to this machine's."""
    for mistake in ("unknown option", "missing"):
        change, refused, _, line = MISTAKES[mistake]
        change(product)
        for user in ACCOUNTS:
            mark = product.machine.log_mark()
            with PamDriver(product.machine, "alone", user, observe=False) as driver:
                code = driver.call("chauthtok").code
            lines = product.machine.lines(mark, containing="pam_cognito(")
            assert (code == "PAM_AUTHTOK_RECOVERY_ERR") == (user in refused) and code != "PAM_SUCCESS", (user, code)
            assert [line in text for text in lines] == ([True] if user in refused else []), lines


@pytest.mark.parametrize("mistake", MAIN)
def test_doctor(product: Product, mistake: str) -> None:
    """The doctor names the accounts that are refused, and says of each that it is."""
    change, refused, opened, _ = MISTAKES[mistake]
    change(product)
    machine = product.machine
    # carol is in the group, too, and has no password of this machine.
    out = (set(ACCOUNTS) | {"carol"}) - opened - (set() if "kim" in refused else {"kim"})
    lines = [finding["what"] for finding in Report(machine).areas["configuration"]["findings"]]
    (named,) = [
        line
        for line in lines
        if line.startswith("Because of a mistake in the configuration, sign-ins to these accounts are refused: ")
    ]
    listed = set(named.partition(": ")[2].removesuffix(".").split(", "))
    # This machine's own users may be among them.
    assert listed & {*ACCOUNTS, "carol", "root", "nobody", "daemon"} == out
    for user in ACCOUNTS:
        said = machine.run(["cognito-session", "doctor", "--explain", user]).stdout
        assert (f"has a mistake, and {user} is refused" in said) == (user in out), said
