"""Public keys that are pinned, and a proxy: judged by a sign-in and by the doctor."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .emulated_cognito import DIRECTORY_NAME
from .pam_driver import PamDriver
from .product import RIGHT, Product

PORT = 3128
OTHER_PIN = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="


def configure(product: Product, **changes: str) -> None:
    """With less patience."""
    product.configure(**{"network_timeout": "3s", "connect_timeout": "2s", **changes})


@contextlib.contextmanager
def serving(product: Product, port: int, program: str, *arguments: str) -> Iterator[None]:
    """A program of this folder, which has the listening socket of the port as its standard input."""
    listening = product.machine.listen(port)
    try:
        command = [sys.executable, str(Path(__file__).with_name(program)), *arguments]
        process = product.machine.start(command, stdin=listening)
    finally:
        os.close(listening)
    try:
        yield
    finally:
        process.end()


def sign_in(product: Product) -> tuple[str, list[str]]:
    """Signs in, and out again; what the sign-in returned, and what the log says."""
    mark = product.machine.log_mark()
    with PamDriver(product.machine, "alone", "alice") as driver:
        code = driver.visit(RIGHT).code
    return code, product.machine.lines(mark, containing="pam_cognito(")


def cognito_area(product: Product) -> dict:
    done = product.machine.run(["cognito-session", "doctor", "--json"])
    return next(area for area in json.loads(done.stdout)["areas"] if area["area"] == "cognito")


def is_signed_in_and_out(product: Product) -> bool:
    code, lines = sign_in(product)
    return code == "PAM_SUCCESS" and "outcome=revoked_everywhere" in lines[-1] and not product.tokens_given()


@pytest.mark.parametrize("pins", ["{0}", "{1};{0}", "{0} ; {1}"])
def test_pinned(product: Product, pins: str) -> None:
    pin = product.emulator.pin
    assert cognito_area(product)["summary"].count(f", public key {pin}, clock") == 1
    configure(product, pinned_public_keys=pins.format(pin, OTHER_PIN))
    assert is_signed_in_and_out(product)
    assert f", public key {pin}, which is pinned" in cognito_area(product)["summary"]


@pytest.mark.parametrize("kind", ["good", "self_signed"])
def test_not_pinned(product: Product, kind: str) -> None:
    """Nor does a right key make up for a certificate that nobody signed."""
    pin = product.emulator.certificate(kind)
    seen = pin if kind == "good" else "certificate was not accepted"
    configure(product, pinned_public_keys=OTHER_PIN if kind == "good" else pin)
    code, lines = sign_in(product)
    assert code == "PAM_CRED_UNAVAIL" and len(lines) == 1
    assert seen in lines[0] and "Cognito's server is not trusted" in lines[0]
    (finding,) = cognito_area(product)["findings"]
    assert seen in finding["what"] and finding["severity"] == "broken"
    assert not product.operations()


@contextlib.contextmanager
def proxy(product: Product, kind: str) -> Iterator[Path]:
    """A proxy of that kind; the file into which it writes who was asked for."""
    folder = product.machine.shared / DIRECTORY_NAME
    log = folder / "proxy.log"
    log.write_text("")
    certificate = [str(folder / "private/good.pem")] if kind == "tls" else []
    with serving(product, PORT, "proxy.py", kind, str(log), *certificate):
        yield log


@pytest.mark.parametrize(("kind", "scheme"), [("connect", "http"), ("tls", "https"), ("socks", "socks5h")])
def test_through_a_proxy(product: Product, kind: str, scheme: str) -> None:
    address = f"{scheme}://127.0.0.1:{PORT}"
    configure(product, proxy=address, pinned_public_keys=product.emulator.pin)
    with proxy(product, kind) as log:
        assert is_signed_in_and_out(product)
        asked = log.read_text().splitlines()
        # The sign-in and the sign-out.
        assert len(asked) == 2 and set(asked) == {product.emulator.endpoint.removeprefix("https://")}
        area = cognito_area(product)
        assert f" through the proxy {address}, " in area["summary"] and area["findings"] == []
        assert len(log.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("refuses", "HTTP status 403"),
        ("asks", "a user name and a password"),
        ("ends", "no connection through the proxy"),
        ("hangs", "the connection timed out"),
        (None, "no connection through the proxy"),
    ],
)
def test_proxy_that_is_none(product: Product, kind: str | None, words: str) -> None:
    """Cognito could be reached without, and is not."""
    address = f"http://127.0.0.1:{PORT}"
    limits = {"network_timeout": "1s", "connect_timeout": "1s"} if kind == "hangs" else {}
    configure(product, proxy=address, **limits)
    with proxy(product, kind) if kind else contextlib.nullcontext():
        code, lines = sign_in(product)
        assert code == "PAM_CRED_UNAVAIL" and len(lines) == 1
        assert "reason=unreachable" in lines[0] and words in lines[0] and '"proxy"' in lines[0]
        (finding,) = cognito_area(product)["findings"]
        assert words in finding["what"] and f"--proxy {address} " in finding["mend"]
    assert not product.operations()
