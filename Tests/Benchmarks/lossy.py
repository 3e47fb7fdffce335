"""Signing in over a link that loses one packet in a hundred, beside pam_krb5, in turns."""

import contextlib
from collections.abc import Iterator

from Integration.machine import Machine, MachineError
from Integration.product import Product

from .comparison import WAYS, Cost, prepared, sign_in_and_out
from .figures import Subject

DISTANCE = 20
_WAYS = WAYS[:2]


@contextlib.contextmanager
def _loss(machine: Machine) -> Iterator[None]:
    """Of what arrives at either end of the relays' ports: whoever sends is told of what is not sent."""
    rules = "".join(
        f"{kind} {end} {{ 8100-8119 }} numgen random mod 100 < 1 counter drop\n"
        for kind in ("tcp", "udp")
        for end in ("sport", "dport")
    )
    chain = f"chain arriving {{\ntype filter hook input priority 0\n{rules}}}\n"
    table = f"table inet loss {{\n{chain}}}\n"
    machine.run(["nft", "-f", "-"], input=table, check=True)
    try:
        yield
    finally:
        machine.run(["nft", "delete", "table", "inet", "loss"], check=True)


def measure(product: Product, count: int = 60) -> Subject:
    subject = Subject(f"One packet in a hundred is lost, {DISTANCE} ms away: from the password to PAM_SUCCESS")
    costs: dict[str, list[Cost]] = {way.name: [] for way in _WAYS}
    failed = dict.fromkeys(costs, 0)
    with prepared(product) as move:
        move(DISTANCE)
        with _loss(product.machine):
            for _ in range(count):
                for way in _WAYS:
                    try:
                        costs[way.name].append(sign_in_and_out(product.machine, way))
                    except MachineError:
                        failed[way.name] += 1
            listed = product.machine.run(["nft", "list", "ruleset"], check=True).stdout
    for name, found in costs.items():
        entering = sorted(cost.entering * 1000 for cost in found)
        subject.add(name, entering)
        subject.add(f"{name}: the slowest twentieth", entering[-max(1, len(entering) // 20) :])
        subject.add(f"{name}: failed of {count}", [failed[name]], "")
    lost = sum(int(line.split("packets ")[1].split()[0]) for line in listed.splitlines() if "packets " in line)
    subject.note(f"Packets that were lost: {lost}. Kerberos asks by UDP, and again after a second.")
    return subject
