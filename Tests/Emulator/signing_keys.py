"""RSA keys for the pools, made once for all emulators of a checkout.

A key takes a tenth of a second of processor time, a pool needs two, and many a test makes a pool of its own.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

DIRECTORY = Path(__file__).resolve().parents[2] / ".build" / "signing-keys"
# So many keys one emulator has, in turn: neighbours differ, and so do those of a pool before and after a rotation.
STOCK = 16

_make = rsa.generate_private_key


class SigningKeys:
    """Gives keys out in turn; in the place of `rsa`, as ministack uses it."""

    def __init__(self) -> None:
        self._numbers = itertools.cycle(range(STOCK))

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """For everybody who makes a key meanwhile."""
        rsa.generate_private_key = self.generate_private_key
        try:
            yield
        finally:
            rsa.generate_private_key = _make

    def generate_private_key(self, public_exponent: int, key_size: int) -> Any:
        return _stocked(next(self._numbers), public_exponent, key_size)


def make_stock() -> None:
    """Makes those that are not there yet: an emulator in a test machine can read the checkout, and not write to it."""
    for number in range(STOCK):
        _stocked(number, 65537, 2048)


def _stocked(number: int, public_exponent: int, key_size: int) -> Any:
    path = DIRECTORY / f"{public_exponent}-{key_size}-{number}.pem"
    with contextlib.suppress(OSError):
        if pem := path.read_bytes():
            return serialization.load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True)
    try:
        DIRECTORY.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = _make(public_exponent, key_size)
        # Whoever reads it meanwhile finds all of it or nothing; of two that are made at once one stays.
        new = path.with_suffix(f".{os.getpid()}")
        with open(new, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(_pem(key))
        new.replace(path)
        return key
    except OSError:
        # A checkout that nobody may write to.
        return _make(public_exponent, key_size)


def _pem(key: Any) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
