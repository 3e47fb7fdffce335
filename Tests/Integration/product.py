"""The product as shipped, installed into a test machine, with a pool of people to sign in."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .machine import Key, Machine
from .pam_driver import PamDriver

CONFIGURATION = "/etc/security/pam_cognito.conf"
WORKER = "/usr/libexec/pam-cognito/cognito-worker"
AGENT = "/usr/libexec/pam-cognito/cognito-agent"
#: Nothing but the module, so that what it returns is what is seen, without the shipped stacks' delay after a failure.
ALONE = """
auth     required pam_cognito.so
account  required pam_cognito.so
session  required pam_cognito.so
password required pam_cognito.so
"""
#: Who is in the pool.
PEOPLE = ("alice", "carol")
RIGHT = "Correct-Horse-9!"
WRONG = "Wrong-Horse-Entirely-9!"
LOCAL = "a-local-password-7"
REGISTRY = "pam-cognito:sessions"


@dataclass
class Tokens:
    """What a session's key holds."""

    payload: Mapping[str, object]
    access: str = field(init=False)
    refresh: str | None = field(init=False)

    def __post_init__(self) -> None:
        self.access = str(self.payload["access_token"])
        refresh = self.payload.get("refresh_token")
        self.refresh = None if refresh is None else str(refresh)


class Product:
    """The installed product: its configuration, its service files, and who is in the pool."""

    #: Whether each test finds the configuration that the one before it found.
    puts_configuration_back = True

    def __init__(self, machine: Machine, emulator, pool: dict | None = None):
        """`pool` is one that another machine's `Product` has made, with its people."""
        self.machine = machine
        self.emulator = emulator
        self.put_in_place()
        # The tests fail often, and need not wait two seconds each time.
        machine.write("/etc/default/su", "FAIL_DELAY 0\n", 0o644)
        self.pool = pool or self._new_pool()
        machine.add_group("cognito")
        for name in PEOPLE:
            machine.add_user(name, groups=["cognito"])
        machine.add_user("bob", password=LOCAL)
        machine.write("/etc/security/pam_cognito.secret", self.pool["client_secret"] + "\n", 0o600)
        self.configure()

    def _new_pool(self) -> dict:
        pool = self.emulator.pool(groups=["staff"], generate_secret=True)
        self.emulator.note_secret("password", WRONG)
        for name in PEOPLE:
            self.emulator.user(pool["pool_id"], name, RIGHT, groups=["staff"], email=f"{name}@example.com")
        return pool

    def put_in_place(self) -> None:
        """Installs it, with our service files and one that has nothing but the module."""
        self.machine.install_copy()
        self.machine.shipped_pam()
        self.machine.pam("alone", ALONE)
        stack = self.machine.read("/etc/pam.d/cognito-auth")
        self.machine.write("/etc/pam.d/cognito-auth", stack.replace("delay=2000000", "delay=1"), 0o644)

    def settings(self, **changes: str | None) -> dict[str, str]:
        """The configuration's options with `changes`; None takes one out."""
        options: dict[str, str | None] = {
            "user_pool_id": self.pool["pool_id"],
            "client_id": self.pool["client_id"],
            "client_secret_file": "/etc/security/pam_cognito.secret",
            "unix_group": "cognito",
            "allowed_groups": "staff",
            # They see what a logout has done.
            "sign_out_wait": "5s",
            "endpoint": self.emulator.endpoint,
            "ca_file": str(self.emulator.ca),
            **changes,
        }
        return {name: value for name, value in options.items() if value is not None}

    def configure(self, **changes: str | None) -> None:
        """Writes the configuration with `changes`."""
        text = "".join(f"{name} = {value}\n" for name, value in self.settings(**changes).items())
        self.machine.write(CONFIGURATION, text, 0o644)

    @contextlib.contextmanager
    def other_pool(self, options: Mapping[str, object], **changes: str | None) -> Iterator[dict]:
        """Another pool in place of the usual one, with `options` of its own, and `changes` of the configuration."""
        usual = self.pool
        self.pool = self.emulator.pool(groups=["staff"], **options)
        try:
            self.configure(**{"client_secret_file": None, **changes})
            yield self.pool
        finally:
            self.pool = usual
            self.configure()

    def member(self, name: str = "alice", password: str = RIGHT, **options: object) -> dict:
        """A person in the pool, in the group that may come in."""
        options.setdefault("email", f"{name}@example.com")
        return self.emulator.user(self.pool["pool_id"], name, password, groups=["staff"], **options)

    @contextlib.contextmanager
    def authenticated(self, name: str = "alice") -> Iterator[PamDriver]:
        """A host that a test may end as it likes. No session has begun there."""
        with PamDriver(self.machine, "alone", name, observe=False) as driver:
            assert driver.authenticate(RIGHT).succeeded
            yield driver

    @contextlib.contextmanager
    def signed_in(self, name: str = "alice") -> Iterator[PamDriver]:
        """A session, in such a host."""
        with self.authenticated(name) as driver:
            assert driver.call("open_session").succeeded
            yield driver

    def tokens_given(self, name: str = "alice") -> list[dict]:
        """The sign-ins of a person for which Cognito gave tokens that are still good."""
        return [session for session in self.emulator.sessions(self.pool["pool_id"], name) if session["alive"]]

    @property
    def key_description(self) -> str:
        return f"cognito:{self.pool['pool_id']}:{self.pool['client_id']}"

    @property
    def read_tokens(self) -> str:
        """The command that prints the session's tokens."""
        return f"keyctl pipe $(keyctl search @s user {self.key_description})"

    def tokens(self, text: str) -> Tokens:
        """The tokens that `read_tokens` printed."""
        return Tokens(json.loads(text[text.index("{") : text.rindex("}") + 1]))

    def sign_out_elsewhere(self, name: str = "alice") -> None:
        """As an administrator does it, or somebody on another machine."""
        self.emulator.admin("AdminUserGlobalSignOut", {"UserPoolId": self.pool["pool_id"], "Username": name})

    def alive(self, tokens: Tokens) -> dict:
        """The server's side: do these tokens still work?"""
        return self.emulator.tokens_alive(access=tokens.access, refresh=tokens.refresh)

    def operations(self) -> list[str]:
        """The operations that Cognito was asked for, key set aside."""
        return [entry["operation"] for entry in self.emulator.requests() if entry["operation"] not in (None, "jwks")]

    def endings(self) -> list[str]:
        """Those of them that end tokens."""
        return [operation for operation in self.operations() if operation in ("GlobalSignOut", "RevokeToken")]

    def reap(self, *arguments: str):
        """Runs `cognito-agent reap` once."""
        return self.machine.run([AGENT, "reap", *arguments], timeout=60)

    def await_rounds(self) -> None:
        """Nothing that logins or logouts have begun is at work any more: whoever kills hosts then knows who sees it."""
        self.machine.wait_until(
            lambda: not any({b"reap", b"end"} & {*process.arguments} for process in self.machine.processes()),
            "the end of the reaper, and of ends of sessions",
        )

    def failures(self) -> dict[tuple[str, int], int]:
        """How many failed sign-ins count: by the account, and the user id of who tried."""
        listed = self.machine.run([AGENT, "failures"], check=True).stdout
        found = re.findall(r"^user='(.*)' uid=(\d+) failures=(\d+) ends=\d+(?: codes=\d+)?$", listed, re.M)
        assert len(found) == len(listed.splitlines()), listed
        # One that has only codes has none.
        return {(user, int(uid)): int(count) for user, uid, count in found if count != "0"}

    def forget_failures(self, *names: str) -> None:
        """Those of these accounts; without names, of all that have any."""
        for name in names or self._counted():
            self.machine.run([AGENT, "failures", "--reset", name], check=True)

    def _counted(self) -> set[str]:
        found = [
            re.match(rb"pam-cognito:(?:a:\w+:\d+|[rm]:\w+:\d+:\d+:\d+:\d+):\d+:(.*)", key.description.encode(), re.S)
            for key in self.machine.keys()
        ]
        return {match[1].decode() for match in found if match}

    def token_keys(self, payloads: bool = False) -> list[Key]:
        """The sessions' keys with their tokens, root's view."""
        return [key for key in self.machine.keys(payloads=payloads) if key.description == self.key_description]

    def entries(self, payloads: bool = False) -> list:
        """The registry's entries, root's view; each hangs in its person's keyring, too."""
        keys = self.machine.keys(payloads=payloads)
        return list({key.serial: key for key in keys if key.description.startswith("pam-cognito:s:")}.values())
