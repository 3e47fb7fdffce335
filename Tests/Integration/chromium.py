"""A real browser signs users in at an identity provider, and shows the redirect page. Tests/browser runs this.

Tests/run plays the browser by plain HTTP (Emulator/browser.py): Chromium is 300 MB.
"""

import base64
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from Emulator.chromium import REDIRECT_URI

from .agent_process import AgentProcess
from .hosts import Session, Sshd, su
from .machine import REPOSITORY, Machine
from .product import Product
from .test_federated import FOREIGN, KEYBOARD, Browser, address, browser, living

__all__ = ["browser"]


def open_in_chromium(machine: Machine, *arguments: str) -> dict[str, str]:
    """The texts of the redirect page."""
    result = machine.run(
        [sys.executable, "-m", "Emulator.chromium", *arguments],
        cwd=REPOSITORY / "Tests",
        env={"PYTHONDONTWRITEBYTECODE": "1", "HOME": "/root"},
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def chromium(browser: Browser) -> Iterator[Browser]:
    browser.settings["redirect_uri"] = REDIRECT_URI
    browser.configure()
    yield browser


def test_over_ssh(machine: Machine, product: Product, sshd: Sshd, agent: AgentProcess, chromium: Browser) -> None:
    """The page shows the code, and for which machine, user, program and address it is."""
    pages: list[dict[str, str]] = []

    def code(prompt: str) -> str:
        pages.append(open_in_chromium(machine, address(prompt), "alice", FOREIGN))
        return pages[0]["code"]

    with sshd.open("alice", code, method=KEYBOARD) as session:
        assert session.accepted, session.seen
        assert product.alive(product.tokens(session.command(product.read_tokens).output))
        session.logout()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")
    [page] = pages
    host = machine.run(["hostname"]).stdout.strip()
    assert (page["host"], page["user"], page["service"]) == (host, "alice@example.com", "sshd")
    assert page["client"] == "127.0.0.1"
    assert str(datetime.now(tz=UTC).year) in page["time"]
    # The history of the browser and its address line have no code.
    assert page["address"] == REDIRECT_URI


def test_in_su(machine: Machine, product: Product, chromium: Browser) -> None:
    def code(prompt: str) -> str:
        return open_in_chromium(machine, address(prompt), "alice", FOREIGN)["code"]

    su(machine, "bob", "alice", code).visit()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")


def test_plink(machine: Machine, product: Product, sshd: Sshd, chromium: Browser) -> None:
    """PuTTY's client begins each line of a prompt with "| ", and breaks long ones: the rest begins with "> "."""

    def code(prompt: str) -> str:
        whole = re.sub(r"[\r\n]+> ", "", prompt).replace("\n| ", "\n")
        return open_in_chromium(machine, address(whole), "alice", FOREIGN)["code"]

    listed = machine.run(["ssh-keygen", "-lf", f"{sshd.folder}/host_key.pub"]).stdout
    argv = ["plink", "-ssh", "-no-antispoof", "-P", str(sshd.port), "-hostkey", listed.split()[1], "alice@127.0.0.1"]
    Session(machine.spawn_pty(argv, env={"HOME": "/root"}), [code]).visit()
    product.machine.wait_until(lambda: not living(product), "the end of the tokens")


def test_user_who_refuses(machine: Machine, product: Product, sshd: Sshd, chromium: Browser) -> None:
    """The page says so; with what it shows, the user is not signed in."""
    with sshd.open("alice", method=KEYBOARD) as session:
        page = open_in_chromium(machine, address(session.asking))
        assert page["error"] == "access was denied."
        session.hang_up()
    assert not living(product)


HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>document.body.remove()</script>"


@pytest.mark.parametrize(
    "query",
    [
        {"code": HOSTILE, "state": {name: HOSTILE for name in ("host", "user", "service", "client", "time")}},
        {"code": "1", "state": {"host": {"toString": HOSTILE}}},
        {"code": "1", "state": "%%%"},
        {"code": "1", "state": "bnVsbA"},
        {"error": HOSTILE, "error_description": HOSTILE},
        {"error": "access_denied", "error_description": HOSTILE},
    ],
    ids=["markup", "objects", "no state", "null", "error", "description"],
)
def test_page_shows_everything_as_text(machine: Machine, product: Product, query: dict) -> None:
    """Whatever the address has, the page has the elements of the file and no others."""
    state = query.get("state")
    if isinstance(state, dict):
        query = query | {"state": base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")}
    plain = open_in_chromium(machine, f"{REDIRECT_URI}?code=1")
    page = open_in_chromium(machine, f"{REDIRECT_URI}?{urlencode(query)}")
    assert page["elements"] == plain["elements"]
    assert page.get("code", query.get("code")) == query.get("code")
