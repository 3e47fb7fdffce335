"""Whom the worker trusts: who stands in one file, the system's or `ca_file`'s, and nobody else."""

import subprocess
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import NameOID

from Emulator.certificates import Authority

from .pam_driver import PamDriver
from .product import RIGHT, Product

FOLDER = "/etc/ssl/certs"
BUNDLE = f"{FOLDER}/ca-certificates.crt"
OTHER = "/etc/security/pool.pem"


@pytest.fixture(scope="module")
def own(product: Product) -> bytes:
    return Path(product.emulator.authority).read_bytes()


@pytest.fixture(scope="module")
def system(product: Product) -> bytes:
    return product.machine.read(BUNDLE).encode()


def namesake(own: bytes) -> bytes:
    """A certificate of the emulator's authority's very name, with another key."""
    name = x509.load_pem_x509_certificate(own).subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value
    return Authority(str(name)).pem


def sign_in(product: Product) -> tuple[str, str]:
    mark = product.machine.log_mark()
    with PamDriver(product.machine, "alone", "alice") as driver:
        code = driver.visit(RIGHT).code
    return code, "\n".join(product.machine.lines(mark, containing="pam_cognito("))


GOOD = "outcome=revoked_everywhere"
NOT_TRUSTED = "certificate was not accepted"
CASES = {
    # name: (what the system's file holds, what ca_file holds, what the log says)
    "the system's file": ("{system}{own}", None, GOOD),
    "first of the system's file": ("{own}{system}", None, GOOD),
    "behind one of the same name": ("{system}{namesake}{own}", None, GOOD),
    "before one of the same name": ("{system}{own}{namesake}", None, GOOD),
    "one of the same name alone": ("{system}{namesake}", None, NOT_TRUSTED),
    "not in the system's file": ("{system}", None, NOT_TRUSTED),
    "in ca_file": ("{system}", "{own}", GOOD),
    "in ca_file among others": ("{system}", "# a comment\n{system}\r\n{own}", GOOD),
    "in the system's file, not in ca_file": ("{system}{own}", "{system}", NOT_TRUSTED),
    "an empty ca_file": ("{system}{own}", "", "contains no certificate"),
    "a ca_file that was cut off": ("{system}{own}", "{cut}", "is damaged"),
    "a ca_file with a key in it": ("{system}", "{key}{own}", GOOD),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file(product: Product, own: bytes, system: bytes, case: str) -> None:
    bundle, ca_file, expected = CASES[case]
    key = Authority("somebody").key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    parts = {
        "system": system.decode(),
        "own": own.decode(),
        "namesake": namesake(own).decode(),
        "cut": own.decode()[:200],
        "key": key.decode(),
    }
    with product.machine.preserved(BUNDLE):
        product.machine.write(BUNDLE, bundle.format(**parts), 0o644)
        if ca_file is not None:
            product.machine.write(OTHER, ca_file.format(**parts), 0o644)
        product.configure(ca_file=None if ca_file is None else OTHER)
        code, log = sign_in(product)
        assert expected in log
        assert (code == "PAM_SUCCESS") is (expected == GOOD)


def test_the_folder_is_not_believed(product: Product, own: bytes, system: bytes) -> None:
    """`openssl rehash` links whatever lies there, such as a web server's own certificate."""
    digest = subprocess.run(
        ["openssl", "x509", "-noout", "-hash"], input=own, stdout=subprocess.PIPE, check=True
    ).stdout.decode()
    place = f"{FOLDER}/{digest.strip()}.0"
    with product.machine.preserved(place):
        product.machine.write(place, own, 0o644)
        product.configure(ca_file=None)
        code, log = sign_in(product)
        assert code == "PAM_CRED_UNAVAIL" and NOT_TRUSTED in log
