"""Measures and prints the table: what takes two minutes, with "--whole" everything, or what is named.

NAME=COUNT measures so many times in place of the usual number.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable

from Integration.emulated_cognito import EmulatedCognito
from Integration.machine import Machine
from Integration.product import Product

from . import (
    accounts,
    agent,
    challenges,
    comparison,
    counts,
    credentials,
    crowd,
    endings,
    endpoints,
    federated,
    host,
    life,
    lossy,
    module,
    names,
    programs,
    registry,
    sign_in,
    slow_typing,
    ssh,
)
from .figures import Subject, table
from .tools import Tools

Measurement = Callable[..., Subject | Iterable[Subject]]


def _at(measurement: Measurement) -> Measurement:
    """One that needs none of the tools."""
    return lambda _, product, **count: measurement(product, **count)


USUAL: dict[str, Measurement] = {
    "module": lambda tools, _, **count: module.measure(tools, **count),
    "host": _at(host.measure),
    "sign_in": sign_in.measure,
    "challenges": challenges.measure,
    "programs": programs.measure,
    "ssh": _at(ssh.measure),
    "agent": _at(agent.measure),
    "attacks": _at(agent.measure_attacks),
    "close": _at(endings.measure_close),
    "hooks": _at(endings.measure_hooks),
    "journal": _at(endings.measure_journal),
    "counts": _at(counts.measure),
    "reaper": lambda _, product: endings.measure_reaper(product, (1, 100)),
}
LONG: dict[str, Measurement] = {
    "accounts": _at(accounts.measure),
    "first_login": _at(accounts.measure_first_login),
    "look_ups": _at(accounts.measure_look_ups),
    "comparison": comparison.measure,
    "credentials": credentials.measure,
    "crowd": _at(crowd.measure),
    "endpoints": lambda _, __, **count: endpoints.measure(**count),
    "federated": _at(federated.measure),
    "lossy": _at(lossy.measure),
    "names": _at(names.measure),
    "life": _at(life.measure),
    "registry": _at(registry.measure),
    "slow_typing": lambda _, __, **count: slow_typing.measure(**count),
    "renewals": _at(credentials.measure_renewals),
    "reaper_2000": lambda _, product: endings.measure_reaper(product, (2000,)),
}


def measured(words: Iterable[str]) -> tuple[list[Subject], list[str]]:
    """Everything named, in one machine; and the requests that Cognito's model does not allow."""
    subjects: list[Subject] = []
    with Machine("benchmarks") as machine, EmulatedCognito(machine) as emulated:
        product, tools = Product(machine, emulated.client), Tools(machine)
        for word in words:
            name, _, count = word.partition("=")
            before = os.getloadavg()[0]
            found = (USUAL | LONG)[name](tools, product, **({"count": int(count)} if count else {}))
            for subject in [found] if isinstance(found, Subject) else found:
                subject.note(f"Load of {os.cpu_count()} cores: {before:.1f} before, {os.getloadavg()[0]:.1f} after.")
                subjects.append(subject)
        return subjects, emulated.client.violations()


def main() -> int:
    words = sys.argv[1:]
    if unknown := {word.partition("=")[0] for word in words} - {"--whole", *USUAL, *LONG}:
        print(f"No measurement {', '.join(unknown)}; there are {', '.join(USUAL | LONG)}.", file=sys.stderr)
        return 64
    begun = time.monotonic()
    subjects, violations = measured(USUAL | LONG if "--whole" in words else words or USUAL)
    print(table(subjects))
    print(f"Everything on loopback; measured in {time.monotonic() - begun:.0f} s.")
    if violations:
        print(f"Requests that Cognito's model does not allow: {violations}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
