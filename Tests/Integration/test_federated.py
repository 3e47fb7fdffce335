"""Users of an external identity provider: an address, a browser, a code that is pasted."""

import asyncio
import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import asyncssh
import pytest

from Emulator.chromium import REDIRECT_URI

from . import ssh_library
from .accounts import Accounts
from .agent_process import AgentProcess
from .federation import FOREIGN, PROVIDER, REDIRECT
from .hosts import Session, Sshd, allow_sudo, login, su, sudo
from .machine import Machine
from .product import LOCAL, RIGHT, Product

KEYBOARD = "keyboard-interactive"


def address(prompt: str) -> str:
    """The address that a prompt shows, alone on its line."""
    found = [line for line in re.split(r"[\r\n]+", prompt) if line.startswith("https://") and "/authorize?" in line]
    assert len(found) == 1, prompt
    return found[0]


class Browser:
    """What the user does on another device."""

    def __init__(self, product: Product, settings: dict[str, str]):
        self.product, self.settings = product, settings

    def configure(self, **changes: str | None) -> None:
        """The machine's configuration with changes."""
        self.product.configure(client_secret_file=None, **{**self.settings, **changes})

    def __call__(self, prompt: str) -> str:
        """Where the browser ends."""
        return self.product.emulator.browse(address(prompt), "alice", FOREIGN)

    def code(self, prompt: str) -> str:
        return parse_qs(urlsplit(self(prompt)).query)["code"][0]


@pytest.fixture
def browser(product: Product) -> Iterator[Browser]:
    emulator = product.emulator
    changes = {
        "username_template": "{user}@example.com",
        "allowed_groups": "*",
        "federated": "only",
        "managed_login_domain": emulator.managed_login_domain,
        "identity_provider": PROVIDER,
        "redirect_uri": REDIRECT,
        "identity_claim": "email",
    }
    with product.other_pool({"username_attributes": ["email"]}, **changes):
        emulator.federate(product.pool, PROVIDER, redirect_uris=[REDIRECT, REDIRECT_URI])
        emulator.foreign_user("alice", FOREIGN, email="alice@example.com", email_verified=True)
        yield Browser(product, changes)


def living(product: Product) -> list[dict]:
    """The tokens of the provider's user that are still good; none where the pool does not know her."""
    users = product.emulator.admin("ListUsers", {"UserPoolId": product.pool["pool_id"]})["Users"]
    return [token for user in users for token in product.tokens_given(user["Username"])]


def test_over_ssh(machine: Machine, product: Product, sshd: Sshd, agent: AgentProcess, browser: Browser) -> None:
    """One request at the token endpoint; then everything is as for others, and all is over with the session."""
    mark = machine.log_mark()
    with sshd.open("alice", browser, method=KEYBOARD) as session:
        assert session.accepted, session.seen
        tokens = product.tokens(session.command(product.read_tokens).output)
        assert product.alive(tokens)
        assert session.command("cognito-session refresh").status == 0
        renewed = product.tokens(session.command(product.read_tokens).output)
        assert renewed.access != tokens.access
        assert session.command("cognito-session status").status == 0
        session.logout()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")
    assert len(product.emulator.requests("oauth2/token")) == 1
    # Neither code nor state, verifier or nonce.
    shown = parse_qs(urlsplit(address(session.prompts[0])).query)
    log = machine.log(mark)
    for secret in [shown["state"][0], shown["nonce"][0], shown["code_challenge"][0]]:
        assert not any(secret in str(line) for line in log)
    assert machine.lines(mark, containing="signed in;")


@pytest.mark.parametrize("host", ["su", "login", "sudo"])
def test_in_every_program(machine: Machine, product: Product, browser: Browser, host: str) -> None:
    """libpam's misc_conv reads 511 bytes: the whole address fits."""
    if host == "su":
        session = su(machine, "bob", "alice", browser)
    elif host == "login":
        session = login(machine, "alice", browser)
    else:
        # sudo asks for the password of whoever calls it.
        allow_sudo(machine, "alice")
        session = sudo(machine, "alice", "root", browser.code)
    with session:
        assert session.accepted, session.seen
        session.logout()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")


#: What is pasted in place of the address that the browser ends at.
WRONG: dict[str, Callable[[str], str]] = {
    "cut": lambda end: end[:-10],
    "another prompt": lambda end: re.sub(r"state=[^&]*", "state=eyJ9", end),
    "no state": lambda end: re.sub(r"&?state=[^&]*", "", end),
    "a page": lambda end: f"<html><a href='{end}'>",
    "nothing": lambda end: "",
    "too much": lambda end: end + "x" * 10_000,
    "an error of another prompt": lambda _: f"{REDIRECT}?error=access_denied&error_description=Call+555&state=eyJ9",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_answers_cost_nothing(product: Product, sshd: Sshd, browser: Browser, wrong: str) -> None:
    """The same address is shown again, and the right answer counts then."""
    ends: list[str] = []

    def first(prompt: str) -> str:
        ends.append(browser(prompt))
        return WRONG[wrong](ends[0])

    with sshd.open("alice", first, lambda _: ends[0], method=KEYBOARD) as session:
        assert session.accepted, session.seen
        assert address(session.prompts[0]) == address(session.prompts[1])
        assert "555" not in session.prompts[1].split("Open this address")[0].split("\n", 1)[-1]
        session.logout()


def test_refusal_at_the_provider(machine: Machine, product: Product, sshd: Sshd, browser: Browser) -> None:
    mark = machine.log_mark()
    result = sshd.run("alice", lambda prompt: product.emulator.browse_and_deny(address(prompt)), method=KEYBOARD)
    assert not result.accepted
    assert len(machine.lines(mark, containing="reason=refused:")) == 1
    assert not living(product)


def test_codes_of_two_prompts(product: Product, sshd: Sshd, browser: Browser) -> None:
    """A code is worth nothing at another prompt, and each prompt goes on."""
    with sshd.open("alice", method=KEYBOARD) as one, sshd.open("alice", method=KEYBOARD) as other:
        codes = [browser.code(session.asking) for session in (one, other)]
        one.answer(codes[1])
        other.answer(codes[0])
        for session in (one, other):
            assert session.asking and address(session.asking), session.seen
            session.answer(browser)
            assert session.accepted, session.seen
            session.logout()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")


def test_old_and_used_codes(product: Product, sshd: Sshd, browser: Browser) -> None:
    used: list[str] = []

    def old(prompt: str) -> str:
        code = browser.code(prompt)
        assert product.emulator.expire_authorization_codes()
        return code

    def good(prompt: str) -> str:
        used.append(browser.code(prompt))
        return used[0]

    sshd.open("alice", old, good, method=KEYBOARD).visit()
    assert not sshd.run("alice", *[lambda _: used[0]] * 3, method=KEYBOARD).accepted
    assert not living(product)


def test_no_answer_until_login_grace_time(machine: Machine, product: Product, browser: Browser) -> None:
    """sshd closes the connection, the worker ends with its verifier, and the code is worthless at the next prompt."""
    with Sshd(machine, port=2223, options={"LoginGraceTime": "2"}) as sshd:
        with sshd.open("alice", method=KEYBOARD) as session:
            code = browser.code(session.asking or session.seen)
            # The client reads from its terminal, and does not notice.
            machine.wait_until(lambda: not machine.pids("cognito-worker"), "the worker's end")
            session.abandon()
        answers = [lambda _: code] * 3
        assert not sshd.run("alice", *answers, method=KEYBOARD).accepted
    assert not living(product)


#: Who else comes through the provider, or another way.
OTHERS = {
    "another address": {"email": "mallory@example.com", "email_verified": True},
    "another spelling": {"email": "Alice@example.com", "email_verified": True},
    "an unverified address": {"email": "alice@example.com", "email_verified": False},
    "no address": {},
}


@pytest.mark.parametrize("other", [*OTHERS, "another provider", "linked"])
def test_other_users(machine: Machine, product: Product, sshd: Sshd, browser: Browser, other: str) -> None:
    emulator, mark = product.emulator, machine.log_mark()
    name = f"other-{list(OTHERS).index(other) if other in OTHERS else other.replace(' ', '-')}"
    emulator.foreign_user(
        name, FOREIGN, **OTHERS.get(other, OTHERS["another address"] | {"email": "alice@example.com"})
    )
    if other == "another provider":
        emulator.federate(product.pool, "Another", redirect_uris=[REDIRECT])
    if other == "linked":
        user = emulator.user(product.pool["pool_id"], "alice@example.com", RIGHT, email="alice@example.com")
        emulator.link(product.pool["pool_id"], user["username"], PROVIDER, name)

    def answer(prompt: str) -> str:
        there = address(prompt)
        if other == "another provider":
            there = there.replace(f"identity_provider={PROVIDER}", "identity_provider=Another")
        return emulator.browse(there, name, FOREIGN)

    result = sshd.run("alice", answer, method=KEYBOARD)
    assert not result.accepted
    assert len(machine.lines(mark, containing="reason=other_identity")) == 1
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")


def test_password_or_browser(product: Product, sshd: Sshd, browser: Browser) -> None:
    """`federated = yes`: the pool's own users type a password, the others press Enter."""
    browser.configure(federated="yes")
    product.emulator.user(product.pool["pool_id"], "carol@example.com", RIGHT, email="carol@example.com")
    sshd.open("carol", RIGHT, method=KEYBOARD).visit()
    sshd.open("alice", "", browser, method=KEYBOARD).visit()


def test_password_cannot_be_changed(machine: Machine, product: Product, browser: Browser) -> None:
    mark = machine.log_mark()
    with Session(machine.spawn_pty(["passwd"], user="alice")) as session:
        assert session.refused and not session.prompts
        assert "Your password is not stored on this machine." in session.seen
    assert machine.lines(mark, containing="reason=no_password")


def test_without_the_scope(machine: Machine, product: Product, sshd: Sshd, browser: Browser) -> None:
    """Cognito refuses GlobalSignOut then; the session's own tokens end all the same."""
    browser.configure(managed_login_scopes="openid", sign_out="global")
    mark = machine.log_mark()
    sshd.open("alice", browser, method=KEYBOARD).visit()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")
    assert machine.lines(mark, containing="shortfall=scope") or machine.lines(mark, containing="reason=scope")


IDENTITY = {"userId": "alice", "providerName": PROVIDER, "providerType": "OIDC", "primary": "true", "dateCreated": "1"}


def test_saml(product: Product, sshd: Sshd, browser: Browser) -> None:
    """A provider of SAML is another word in the claim, and nothing else."""
    saml = IDENTITY | {"providerType": "SAML", "issuer": "urn:example:idp", "primary": True, "dateCreated": 1}
    product.emulator.fault("oauth2/token", "claims", set={"identities": [saml]}, tokens=["IdToken"])
    browser.configure(identity_claim="identities.userId", username_template="{user}")
    sshd.open("alice", browser, method=KEYBOARD).visit()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")


#: What the token endpoint does once, the reason in the log, and whether tokens can arrive that must be revoked.
FAULTS: dict[str, tuple[str, dict, str]] = {
    "a page": ("body", {"text": "<html>code</html>", "content_type": "text/html"}, "managed_login"),
    "a fault": ("html_500", {}, "managed_login"),
    "a redirect": ("redirect", {}, "managed_login"),
    "an error": ("error", {"name": "invalid_client", "message": "<b>\n\x1b[2J"}, "managed_login"),
    "no ID token": ("missing_token", {"tokens": ["IdToken"]}, "managed_login"),
    "another nonce": ("claims", {"set": {"nonce": "another"}, "tokens": ["IdToken"]}, "refused"),
    "two identities": ("claims", {"set": {"identities": [IDENTITY] * 2}, "tokens": ["IdToken"]}, "other_identity"),
    "no identity": ("missing_claim", {"claim": "identities", "tokens": ["IdToken"]}, "other_identity"),
    "no answer": ("reset", {}, "managed_login"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_token_endpoint(machine: Machine, product: Product, sshd: Sshd, browser: Browser, fault: str) -> None:
    """One line in the log, without secrets; nobody comes in; the next prompt works."""
    kind, arguments, reason = FAULTS[fault]
    mark = machine.log_mark()
    product.emulator.fault("oauth2/token", kind, times=1, **arguments)
    codes: list[str] = []

    def answer(prompt: str) -> str:
        codes.append(browser.code(prompt))
        return codes[-1]

    assert not sshd.run("alice", answer, method=KEYBOARD).accepted
    lines = machine.lines(mark, containing="authentication failure")
    assert len(lines) == 1 and f"reason={reason}" in str(lines[0]), lines
    assert not any(codes[0] in str(line) for line in machine.log(mark))
    # An answer that never came may have had tokens.
    assert fault == "no answer" or not living(product)
    sshd.open("alice", answer, method=KEYBOARD).visit()


#: How whoever opens the address can change it, to come to something else than a refusal.
CHANGES: dict[str, Callable[[str], str]] = {
    "another nonce": lambda there: re.sub(r"nonce=[^&]*", "nonce=another", there),
    "fewer scopes": lambda there: re.sub(r"scope=[^&]*", "scope=openid", there),
    "no ID token": lambda there: re.sub(r"scope=[^&]*", "scope=aws.cognito.signin.user.admin", there),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_address(machine: Machine, product: Product, sshd: Sshd, browser: Browser, change: str) -> None:
    """With `local_password = unavailable`, nothing of it makes the local password count."""
    browser.configure(local_password="unavailable", users="bob", unix_group="cognito")
    emulator = product.emulator
    emulator.foreign_user("bob", FOREIGN, email="bob@example.com", email_verified=True)
    mark = machine.log_mark()

    def answer(prompt: str) -> str:
        return emulator.browse(CHANGES[change](address(prompt)), "bob", FOREIGN)

    result = sshd.run("bob", answer, LOCAL, method=KEYBOARD)
    assert not result.accepted and len(result.prompts) == 1, result
    assert machine.lines(mark, containing="authentication failure")
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")


def test_domain_away(machine: Machine, product: Product, sshd: Sshd, browser: Browser) -> None:
    """It is not Cognito's being away."""
    browser.configure(local_password="unavailable", users="bob", managed_login_domain="127.0.0.1:1")
    mark = machine.log_mark()
    code = "3f0d1a7e-5c0b-4f55-8a8e-0c7d0d2b7a11"
    result = sshd.run("bob", code, LOCAL, method=KEYBOARD)
    assert not result.accepted and len(result.prompts) == 1, result
    assert machine.lines(mark, containing="reason=managed_login")


def test_browser_that_was_signed_in(product: Product, sshd: Sshd, browser: Browser) -> None:
    """By `auth_time`, whatever the address asked for."""
    product.emulator.fault("oauth2/token", "claims", set={"auth_time": 1_700_000_000}, times=2)
    assert not sshd.run("alice", browser, method=KEYBOARD).accepted
    browser.configure(browser_session="accept")
    assert sshd.run("alice", browser, method=KEYBOARD).accepted


class TestClients:
    """Clients of ssh that are not OpenSSH on a terminal show the address whole, and take the answer."""

    def test_paramiko(self, product: Product, sshd: Sshd, browser: Browser) -> None:
        session = ssh_library.sign_in(sshd, "alice", [browser], product.read_tokens)
        assert session.accepted and product.tokens(session.output), session

    def test_asyncssh(self, machine: Machine, product: Product, sshd: Sshd, browser: Browser) -> None:
        class Client(asyncssh.SSHClient):
            def kbdint_auth_requested(self) -> str:
                return ""

            def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: list) -> list[str]:
                return [browser(prompt) for prompt, _ in prompts]

        async def sign_in() -> str:
            async with asyncssh.connect(
                sock=ssh_library.connection(machine, sshd.port),
                username="alice",
                known_hosts=None,
                client_keys=None,
                config=None,
                agent_path=None,
                client_factory=Client,
            ) as connection:
                return str((await connection.run(product.read_tokens)).stdout)

        assert product.tokens(asyncio.run(sign_in()))

    def test_askpass(self, machine: Machine, product: Product, sshd: Sshd, browser: Browser) -> None:
        """The way of editors: a program is given the prompt as its argument, and prints the answer."""
        machine.run(["mkfifo", "/run/asked", "/run/answered"], check=True)
        machine.write("/run/askpass", '#!/bin/sh\nprintf "%s" "$1" >/run/asked; cat /run/answered\n', 0o755)
        environment = {"SSH_ASKPASS": "/run/askpass", "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0", "HOME": "/root"}
        argv = ["ssh", "-F", f"{sshd.folder}/ssh_config", "-o", "PreferredAuthentications=keyboard-interactive"]
        client = machine.start([*argv, "alice@127.0.0.1", product.read_tokens], env=environment)
        prompt = machine.run(["cat", "/run/asked"]).stdout
        machine.run(["tee", "/run/answered"], input=browser(prompt) + "\n", check=True)
        assert client.wait(60) == 0


class TestAccounts:
    """`accounts = sign-in`."""

    @pytest.fixture
    def accounts(self, machine: Machine, browser: Browser) -> Iterator[Accounts]:
        browser.configure(accounts="sign-in", account_names="dora", unix_group=None)
        machine.run(["install", "-d", "-m", "0755", "/var/lib/pam-cognito"], check=True)
        accounts = Accounts(machine)
        accounts.start()
        yield accounts
        accounts.stop()

    def test_first_user(
        self, machine: Machine, product: Product, sshd: Sshd, accounts: Accounts, browser: Browser
    ) -> None:
        """The account belongs to the user (`sub`) who came first, whatever addresses say later."""
        emulator = product.emulator
        for name in ("dora", "other"):
            emulator.foreign_user(name, FOREIGN, email="dora@example.com", email_verified=True)
        with sshd.open("dora", lambda prompt: emulator.browse(address(prompt), "dora", FOREIGN), method=KEYBOARD) as it:
            assert it.accepted, it.seen
            assert it.command("id -un").output.strip() == "dora"
            it.logout()
        mark = machine.log_mark()
        result = sshd.run("dora", lambda prompt: emulator.browse(address(prompt), "other", FOREIGN), method=KEYBOARD)
        assert not result.accepted
        assert machine.lines(mark, containing="reason=other_person")
        product.machine.wait_until(lambda: not living(product), "the end of the tokens")
