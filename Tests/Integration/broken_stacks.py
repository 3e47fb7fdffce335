"""PAM stacks broken in every way that one slip can break them, and what real sign-ins make of them."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .machine import Machine, password_hash
from .pam_driver import PamDriver
from .product import CONFIGURATION, LOCAL, RIGHT, WRONG, Product

MODULE = "/usr/lib/x86_64-linux-gnu/security/pam_cognito.so"
SWITCH = "/run/pam-cognito/disabled"
ROOTS = "the-password-of-root-3"
CONTROLS = ("required", "requisite", "sufficient", "optional")
#: Which services are set-uid programs', for which nobody comes in where the module cannot be loaded.
SET_UID = ("su", "su-l", "sudo", "sudo-i")
#: Whose sign-ins judge a file: what includes it, in the order in which its real host calls.
JUDGES = {
    "cognito-auth": ("sshd", "su"),
    "cognito-account": ("sshd", "su"),
    "cognito-session": ("sshd", "su"),
    "cognito-password": ("passwd",),
    "su-l": ("su-l",),
    "sudo-i": ("sudo-i",),
}
FILES = ("cognito-auth", "cognito-account", "cognito-session", "cognito-password", "sshd", "login", "su", "sudo")
SMALL_FILES = ("passwd", "screen-lock", "su-l", "sudo-i")


@dataclass(frozen=True)
class Broken:
    """One file of the shipped ones with one slip in it."""

    file: str
    slip: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.slip}"


def _statements(text: str) -> list[int]:
    lines = text.splitlines()
    return [index for index, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]


def _controls(line: str) -> Iterator[str]:
    """The line with other controls: the four words, and each part of one in brackets taken out or changed."""
    match = re.match(r"(\S+\s+)(\[[^\]]*\]|\S+)(.*)", line)
    if match is None or line.startswith("@"):
        return
    head, control, rest = match.groups()
    if control in ("include", "substack"):
        return
    for word in CONTROLS:
        if word != control:
            yield head + word + rest
    if not control.startswith("["):
        return
    parts = control[1:-1].split()
    for index, part in enumerate(parts):
        name, action = part.split("=")
        others = (
            {"ignore", "ok", "done", "bad", "die"} if name in ("default", "success", "ignore") else {"ignore", "die"}
        )
        if action.isdigit():
            others |= {str(int(action) + 1), str(int(action) - 1)}
        if len(parts) > 1:
            yield head + "[" + " ".join(parts[:index] + parts[index + 1 :]) + "]" + rest
        for other in sorted(others - {action, "0"}):
            yield head + "[" + " ".join([*parts[:index], f"{name}={other}", *parts[index + 1 :]]) + "]" + rest


def generate(machine: Machine, files: tuple[str, ...]) -> list[Broken]:
    """Every line removed, moved up and down, with every other control, and with its arguments taken away."""
    found: dict[tuple[str, str], Broken] = {}

    def add(file: str, slip: str, lines: list[str]) -> None:
        text = "\n".join(lines) + "\n"
        found.setdefault((file, text), Broken(file, slip, text))

    for file in files:
        text = machine.read(f"/etc/pam.d/{file}")
        lines = text.splitlines()
        places = _statements(text)
        for number, index in enumerate(places):
            line = " ".join(lines[index].split())
            add(file, f"without '{line}'", lines[:index] + lines[index + 1 :])
            if number:
                above = places[number - 1]
                moved = list(lines)
                moved[above], moved[index] = moved[index], moved[above]
                add(file, f"'{line}' one up", moved)
            for changed in _controls(lines[index]):
                add(file, f"'{' '.join(changed.split())}'", [*lines[:index], changed, *lines[index + 1 :]])
            module, _, arguments = lines[index].partition(".so ")
            if arguments.strip():
                add(file, f"'{line}' without arguments", [*lines[:index], module + ".so", *lines[index + 1 :]])
            if "pam_cognito.so" in line:
                for argument in ("debug", "sign_out=never"):
                    wrong = f"{lines[index].rstrip()} {argument}"
                    add(file, f"{argument} behind '{line}'", [*lines[:index], wrong, *lines[index + 1 :]])
    return list(found.values())


class EnoughError(Exception):
    """One fault answers the question."""


@dataclass
class Verdict:
    """What went wrong at real sign-ins, in words; with `is_brief` the first of it alone."""

    is_brief: bool = False
    wrong: list[str] = field(default_factory=list)

    def expect(self, what: str, got: object, wanted: object) -> None:
        if got != wanted:
            self.wrong.append(f"{what}: {got}")
            if self.is_brief:
                raise EnoughError


class Judge:
    """Real sign-ins through a service, by people of every kind, in every state that Cognito can be in."""

    def __init__(self, product: Product):
        self.product = product
        self.machine = machine = product.machine
        machine.add_user("dora", password=LOCAL)
        machine.add_user("gone", password=LOCAL)
        machine.add_user("dated", password=LOCAL)
        for name in ("erin", "away", "aged"):
            machine.add_user(name)
            machine.add_to_group(name, "cognito")
            product.member(name)
        product.emulator.note_secret("password", "Another-Horse-11!")
        #: The current password of the one who changes it, and the next.
        self.passwords = (RIGHT, "Another-Horse-11!")
        shadow = machine.read("/etc/shadow")
        shadow = re.sub(r"(?m)^root:[^:]*:", lambda _: f"root:{password_hash(ROOTS)}:", shadow)
        # Expired on the second day of 1970.
        shadow = re.sub(r"(?m)^((?:gone|away):.*):::$", r"\1::1:", shadow)
        # This machine wants new passwords of them, of which one has none.
        shadow = re.sub(r"(?m)^((?:dated|aged):[^:]*):.*$", r"\1:18000:0:90:7:::", shadow)
        machine.write("/etc/shadow", shadow, 0o640)
        product.configure(users="dora", sign_out="session", welcome="no")
        self.configuration = machine.read(CONFIGURATION)

    def _driver(self, service: str, user: str, by_root: bool = False, **options) -> PamDriver:
        caller = "bob" if service in SET_UID and not by_root else None
        driver = PamDriver(self.machine, service, user, caller=caller, observe=False, **options)
        driver.do_not_wait()
        return driver

    def enters(self, service: str, user: str, password: str, by_root: bool = False) -> bool:
        """Whether the sign-in gets as far as a session; screen locks have none."""
        order = [("authenticate", ()), ("acct_mgmt", ()), ("setcred", "ESTABLISH"), ("open_session", ())]
        if service == "screen-lock":
            order = order[:2]
        with self._driver(service, user, by_root) as driver:
            results = driver.sign_in(password, password, order=order)
            entered = len(results) == len(order) and results[-1].succeeded
            if entered and len(order) > 2:
                driver.sign_out()
            return entered

    def tokens(self, service: str) -> str:
        """What Cognito's alice gets: "tokens", "none" in her session's keyring, or "refused"."""
        with self._driver(service, "alice") as driver:
            results = driver.sign_in(RIGHT, RIGHT)
            if len(results) < 4 or not results[-1].succeeded:
                return "refused"
            again = "ESTABLISH" if service in ("sshd", "login") else None
            done = driver.job("alice", self.product.read_tokens, setcred=again)
            driver.sign_out()
            return "tokens" if "access_token" in done.stdout else "none"

    def has_own_keyring(self, service: str) -> bool:
        """Whether a local person's session shares no keyring with the program that began it, as systemd starts one."""
        with self._driver(service, "bob", new_session_keyring=True) as driver:
            before = driver.session_keyring()
            driver.sign_in(LOCAL)
            after = driver.session_keyring()
            driver.sign_out()
            return before != after

    def reaches_end(self, service: str) -> bool:
        """Whether what stands behind all other session lines has its turn when Cognito's alice comes in.

        Where it has none without our module either, it is another's line that ends them, and not ours.
        """
        path, sign = f"/etc/pam.d/{service}", "/run/end-of-session-lines"
        behind = f"\nsession optional pam_exec.so quiet /usr/bin/touch {sign}\n"

        def is_reached(user: str, password: str, by_root: bool = False) -> bool:
            entered = self.enters(service, user, password, by_root)
            reached = self.machine.exists(sign)
            self.machine.remove(sign)
            return reached or not entered

        with self._with(path, self.machine.read(path) + behind):
            if is_reached("alice", RIGHT):
                return True
            with self._removed():
                return not is_reached("bob", LOCAL, by_root=True)

    def credentials(self, service: str) -> bool:
        """sshd's process after keyboard-interactive, in which nobody has authenticated."""
        with self._driver(service, "bob") as driver:
            return driver.call("setcred", "ESTABLISH").succeeded and driver.call("open_session").succeeded

    @contextlib.contextmanager
    def _removed(self) -> Iterator[None]:
        self.machine.run(["mv", MODULE, MODULE + ".away"], check=True)
        try:
            yield
        finally:
            self.machine.run(["mv", MODULE + ".away", MODULE], check=True)

    @contextlib.contextmanager
    def _with(self, path: str, content: str | None, mode: int = 0o644) -> Iterator[None]:
        with self.machine.preserved(path):
            if content is None:
                self.machine.remove(path)
            else:
                self.machine.write(path, content, mode)
            yield

    def judge(self, service: str, is_brief: bool = False) -> Verdict:
        """All of it for one service."""
        verdict = Verdict(is_brief)
        with contextlib.suppress(EnoughError):
            if "password" in self.machine.read(f"/etc/pam.d/{service}"):
                self._judge_passwords(verdict, service)
            if service != "passwd":
                self._judge_people(verdict, service)
                self._judge_states(verdict, service)
        # Those of sign-ins that came no further: nobody may have more than fifty.
        self.machine.forget_keys()
        return verdict

    def _judge_people(self, verdict: Verdict, service: str) -> None:
        verdict.expect("local", self.enters(service, "bob", LOCAL), True)
        verdict.expect("local, wrong password", self.enters(service, "bob", WRONG), False)
        verdict.expect("root", self.enters(service, "root", ROOTS), True)
        verdict.expect("root, wrong password", self.enters(service, "root", WRONG), False)
        if service == "screen-lock":
            verdict.expect("Cognito's", self.enters(service, "alice", RIGHT), True)
        else:
            verdict.expect("Cognito's", self.tokens(service), "tokens")
        if service in ("sshd", "login"):
            verdict.expect("a keyring of its own", self.has_own_keyring(service), True)
        verdict.expect("Cognito's, wrong password", self.enters(service, "alice", WRONG), False)
        verdict.expect("refused by Cognito, local password", self.enters(service, "dora", LOCAL), False)
        verdict.expect("expired", self.enters(service, "gone", LOCAL), False)
        verdict.expect("expired, Cognito's", self.enters(service, "away", RIGHT), False)
        verdict.expect("aged", self.enters(service, "dated", LOCAL), False)
        verdict.expect("aged, Cognito's", self.enters(service, "aged", RIGHT), True)
        if service != "screen-lock":
            verdict.expect("lines behind the others", self.reaches_end(service), True)
        if "pam_nologin" in self.machine.read(f"/etc/pam.d/{service}"):
            with self._with("/etc/nologin", ""):
                verdict.expect("closed", self.enters(service, "bob", LOCAL), False)
                verdict.expect("closed, Cognito's", self.enters(service, "alice", RIGHT), False)
        if service == "sshd":
            verdict.expect("after keyboard-interactive", self.credentials(service), True)

    def _judge_states(self, verdict: Verdict, service: str) -> None:
        with self.product.emulator.away():
            verdict.expect("local, down", self.enters(service, "bob", LOCAL), True)
            verdict.expect("Cognito's, down", self.enters(service, "alice", RIGHT), False)
        with self._with(CONFIGURATION, "nonsense\n"):
            verdict.expect("local, wrong configuration", self.enters(service, "bob", LOCAL), True)
            verdict.expect("local, wrong both", self.enters(service, "bob", WRONG), False)
            verdict.expect("root, wrong configuration", self.enters(service, "root", ROOTS), True)
            verdict.expect("Cognito's, wrong configuration", self.enters(service, "alice", RIGHT), False)
        with self._with(SWITCH, ""):
            verdict.expect("local, switched off", self.enters(service, "bob", LOCAL), True)
            verdict.expect("Cognito's, switched off", self.enters(service, "alice", RIGHT), False)
        with self._removed():
            is_open = service not in SET_UID
            verdict.expect("local, removed", self.enters(service, "bob", LOCAL), is_open)
            verdict.expect("root, removed", self.enters(service, "root", ROOTS), is_open)
            verdict.expect("Cognito's, removed", self.enters(service, "alice", RIGHT), False)
            if not is_open:
                # Either of both refuses, also for a program that asks for one alone.
                with self._driver(service, "bob") as driver:
                    entered = driver.call("authenticate", (), [LOCAL]).succeeded
                    verdict.expect("auth lines, removed", entered, False)
                with self._driver(service, "bob") as driver:
                    verdict.expect("account lines, removed", driver.call("acct_mgmt").succeeded, False)

    def _judge_passwords(self, verdict: Verdict, service: str) -> None:
        """Changing a password: with passwd, and in the middle of a sign-in with one that has run out."""
        shadow = self.machine.read("/etc/shadow")
        changed = "another-local-password-8"
        for state in ("well", "wrong configuration", "removed"):
            with contextlib.ExitStack() as stack:
                if state == "wrong configuration":
                    stack.enter_context(self._with(CONFIGURATION, "nonsense\n"))
                if state == "removed":
                    stack.enter_context(self._removed())
                with PamDriver(self.machine, service, "bob", caller="bob", observe=False) as driver:
                    done = driver.call("chauthtok", (), [LOCAL, changed, changed, changed])
                    verdict.expect(f"local password, {state}", done.succeeded, True)
                self.machine.write("/etc/shadow", shadow, 0o640)
        if service != "passwd":
            # Cognito asks for a new password in the course of the sign-in itself.
            return
        current, other = self.passwords
        with PamDriver(self.machine, service, "erin", caller="erin", observe=False) as driver:
            done = driver.call("chauthtok", (), [current, other, other])
            verdict.expect("Cognito's password", done.succeeded, True)
        if done.succeeded:
            self.passwords = (other, current)


def judges(file: str) -> tuple[str, ...]:
    """The services whose sign-ins say what a slip in `file` does."""
    return JUDGES.get(file, (file,))
