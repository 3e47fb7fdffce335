"""What is between the worker and Cognito, at its worst: each a sign-in that ends in time, with one line, or succeeds.

Certificates that are wrong, old TLS, answers that are cut off, hang or are nonsense: `test_faults.py`.
"""

import contextlib
from collections.abc import Iterator

import pytest

from .emulated_cognito import DIRECTORY_NAME
from .product import Product
from .test_network_path import configure, serving, sign_in

PORT = 3129
#: Each name of the service's certificate is good for it.
NAME = "cognito-idp.eu-west-1.amazonaws.com"
#: For what is known before the time is over: that is longer than the host's answer is waited for.
LONG = {"network_timeout": "120s", "connect_timeout": "60s"}

#: What a server does -> the reason in the log, and whether that is known before the time is over; None: it signs in.
SERVERS: dict[str, tuple[str, bool] | None] = {
    "no_tls": ("unreachable", False),
    "slow_head": ("unreachable", False),
    "slow_body": ("unreachable", False),
    "endless_head": ("service_fault", True),
    "endless_line": ("service_fault", True),
    "endless_body": ("service_fault", True),
    "endless_chunks": ("service_fault", True),
    "endless_continue": ("service_fault", True),
    "gzip_bomb": ("service_fault", True),
    "truncated": ("unreachable", True),
    "two_lengths": ("unreachable", True),
    "no_http": ("service_fault", True),
    "continue": None,
}


@contextlib.contextmanager
def unanswered(product: Product, *addresses: str) -> Iterator[None]:
    """What these addresses of this machine send is lost on its way."""
    machine = product.machine
    for family in ("-4", "-6"):
        own = f"ip {family} rule show | grep -q '^0:' && ip {family} rule add pref 100 lookup local"
        machine.run(["sh", "-c", f"{own} && ip {family} rule del pref 0"])
    rules = [["-6" if ":" in address else "-4", address] for address in addresses]
    for family, address in rules:
        machine.run(["ip", family, "rule", "add", "pref", "1", "from", address, "blackhole"], check=True)
    try:
        yield
    finally:
        for family, address in rules:
            machine.run(["ip", family, "rule", "del", "pref", "1", "from", address], check=True)


def expect(product: Product, reason: tuple[str, bool] | None) -> None:
    code, lines = sign_in(product)
    machine = product.machine
    machine.wait_until(lambda: not machine.pids("cognito-worker"), "the worker's end")
    if reason is None:
        assert code == "PAM_SUCCESS" and not product.tokens_given(), lines
        return
    assert code == "PAM_CRED_UNAVAIL" and len(lines) == 1 and f"reason={reason[0]}: " in lines[0], (code, lines)


def limits(reason: tuple[str, bool] | None) -> dict[str, str]:
    return LONG if reason and reason[1] else {}


@pytest.mark.parametrize("kind", SERVERS)
def test_server(product: Product, kind: str) -> None:
    reason = SERVERS[kind]
    certificate = product.machine.shared / DIRECTORY_NAME / "private/good.pem"
    configure(product, endpoint=f"https://localhost:{PORT}", **limits(reason))
    with serving(product, PORT, "odd_server.py", kind, str(product.emulator.port), str(certificate)):
        expect(product, reason)


#: How a name is found and where that leads: the addresses, those of them that nothing comes from, and what comes of it.
WAYS: dict[str, tuple[list[str], list[str], tuple[str, bool] | None]] = {
    "black hole": (["127.0.0.9"], ["127.0.0.9"], ("unreachable", False)),
    "nobody listens": (["127.0.0.9"], [], ("unreachable", True)),
    "one good address of many": (["127.0.0.9", "127.0.0.10", "127.0.0.1"], [], None),
    "one good address, another is a black hole": (["127.0.0.9", "127.0.0.1"], ["127.0.0.9"], None),
    "dead IPv6": (["::1", "127.0.0.1"], ["::1"], None),
    "silent name server": ([], ["127.0.0.53"], ("unreachable", False)),
}


@pytest.mark.parametrize("way", WAYS)
def test_way(product: Product, way: str) -> None:
    addresses, lost, reason = WAYS[way]
    hosts = "127.0.0.1 localhost\n" + "".join(f"{address} {NAME}\n" for address in addresses)
    configure(product, endpoint=f"https://{NAME}:{product.emulator.port}", **limits(reason))
    with product.machine.preserved("/etc/hosts", "/etc/resolv.conf"), unanswered(product, *lost):
        product.machine.write("/etc/hosts", hosts, 0o644)
        product.machine.write("/etc/resolv.conf", "nameserver 127.0.0.53\n", 0o644)
        expect(product, reason)
