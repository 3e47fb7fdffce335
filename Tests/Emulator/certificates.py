"""A throw-away certificate authority, the certificates the server can show, and its TLS settings.

Everything is made at start-up with P-256 keys (a millisecond each), so nothing has to be kept, renewed or shipped.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import ipaddress
import os
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

KINDS = ("good", "expired", "not_yet_valid", "other_ca", "wrong_name", "self_signed")
_PROTOCOLS = {
    "1.0": ssl.TLSVersion.TLSv1,
    "1.1": ssl.TLSVersion.TLSv1_1,
    "1.2": ssl.TLSVersion.TLSv1_2,
    "1.3": ssl.TLSVersion.TLSv1_3,
}


class Authority:
    """A certificate authority that lives as long as the emulator."""

    def __init__(self, name: str) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.UTC)
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(self._name)
            .issuer_name(self._name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=2))
            .not_valid_after(now + datetime.timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(authority=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), critical=False)
            .sign(self.key, hashes.SHA256())
        )

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def issue(self, key: ec.EllipticCurvePrivateKey, names: list[str], begins: int, ends: int) -> x509.Certificate:
        """A server certificate for `names` valid from `begins` to `ends`, in days from now."""
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])]))
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(days=begins))
            .not_valid_after(now + datetime.timedelta(days=ends))
            .add_extension(x509.SubjectAlternativeName([_general_name(n) for n in names]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(authority=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False)
            .sign(self.key, hashes.SHA256())
        )


class TLSSettings:
    """Which certificate and which TLS versions the listener offers; both can be changed while it runs."""

    def __init__(self, directory: Path, names: list[str]) -> None:
        self._private = directory / "private"
        self._private.mkdir(mode=0o700, exist_ok=True)
        self._names = names
        self._authority = Authority("emulator test authority")
        self.ca_path = directory / "ca.pem"
        # As where people are: one certificate among all of the system's.
        system = ssl.get_default_verify_paths().cafile
        self.ca_path.write_bytes((Path(system).read_bytes() if system else b"") + self._authority.pem)
        self.authority_path = directory / "authority.pem"
        self.authority_path.write_bytes(self._authority.pem)
        self.authority_path.chmod(0o644)
        self.ca_path.chmod(0o644)
        self._pins: dict[str, str] = {}
        self._kind = "good"
        self._maximum: str | None = None
        self.context = self._build()

    @property
    def pin(self) -> str:
        """The shown certificate's public key in libcurl's CURLOPT_PINNEDPUBLICKEY form."""
        return self._pins[self._kind]

    def show(self, kind: str) -> None:
        if kind not in KINDS:
            raise ValueError(f"certificate {kind!r}: not one of {', '.join(KINDS)}")
        self._kind = kind
        self.context = self._build()

    def limit(self, maximum: str | None) -> None:
        """Restrict the versions spoken. Below 1.2 OpenSSL needs security level 0 as well."""
        if maximum is not None and maximum not in _PROTOCOLS:
            raise ValueError(f"TLS version {maximum!r}: not one of {', '.join(_PROTOCOLS)}")
        self._maximum = maximum
        self.context = self._build()

    def reset(self) -> None:
        """The good certificate, and no limit."""
        if (self._kind, self._maximum) != ("good", None):
            self._kind, self._maximum = "good", None
            self.context = self._build()

    def _build(self) -> ssl.SSLContext:
        chain = self._private / f"{self._kind}.pem"
        if self._kind not in self._pins:
            self._write_chain(chain)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        context.set_alpn_protocols(["http/1.1"])
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if self._maximum:
            if self._maximum in ("1.0", "1.1"):
                context.set_ciphers("ALL:@SECLEVEL=0")
                context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = _PROTOCOLS[self._maximum]
        return context

    def _write_chain(self, path: Path) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        names, begins, ends, issuer = self._names, -2, 14, self._authority
        if self._kind == "expired":
            begins, ends = -2, -1
        elif self._kind == "not_yet_valid":
            begins, ends = 1, 14
        elif self._kind == "wrong_name":
            names = ["cognito.wrong-name.example"]
        elif self._kind == "other_ca":
            issuer = Authority("another authority")
        elif self._kind == "self_signed":
            issuer = Authority(names[0])
            key = issuer.key
        certificate = issuer.issue(key, names, begins, ends)
        path.touch(mode=0o600)
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        os.chmod(path, 0o600)
        public = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self._pins[self._kind] = "sha256//" + base64.b64encode(hashlib.sha256(public).digest()).decode()


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _key_usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )
