"""Measures and prints the table: what takes two minutes, with "--whole" everything, or what is named."""

import os
import sys
import time
from collections.abc import Callable, Iterable

from Integration.emulated_cognito import EmulatedCognito
from Integration.machine import Machine
from Integration.product import Product

from . import agent, challenges, comparison, crowd, endings, host, life, lossy, module, programs, registry, sign_in, ssh
from .figures import Subject, table
from .tools import Tools

Measurement = Callable[[Tools, Product], Subject | Iterable[Subject]]
USUAL: dict[str, Measurement] = {
    "module": lambda tools, _: module.measure(tools),
    "host": lambda _, product: host.measure(product),
    "sign_in": sign_in.measure,
    "challenges": challenges.measure,
    "programs": programs.measure,
    "ssh": lambda _, product: ssh.measure(product),
    "agent": lambda _, product: agent.measure(product),
    "attacks": lambda _, product: agent.measure_attacks(product),
    "close": lambda _, product: endings.measure_close(product),
    "hooks": lambda _, product: endings.measure_hooks(product),
    "journal": lambda _, product: endings.measure_journal(product),
    "reaper": lambda _, product: endings.measure_reaper(product, (1, 100)),
}
LONG: dict[str, Measurement] = {
    "comparison": comparison.measure,
    "crowd": lambda _, product: crowd.measure(product),
    "lossy": lambda _, product: lossy.measure(product),
    "life": lambda _, product: life.measure(product),
    "registry": lambda _, product: registry.measure(product),
    "reaper_2000": lambda _, product: endings.measure_reaper(product, (2000,)),
}


def measured(names: Iterable[str]) -> tuple[list[Subject], list[str]]:
    """Everything named, in one machine; and the requests that Cognito's model does not allow."""
    subjects: list[Subject] = []
    with Machine("benchmarks") as machine, EmulatedCognito(machine) as emulated:
        product, tools = Product(machine, emulated.client), Tools(machine)
        for name in names:
            before = os.getloadavg()[0]
            found = (USUAL | LONG)[name](tools, product)
            for subject in [found] if isinstance(found, Subject) else found:
                subject.note(f"Load of {os.cpu_count()} cores: {before:.1f} before, {os.getloadavg()[0]:.1f} after.")
                subjects.append(subject)
        return subjects, emulated.client.violations()


def main() -> int:
    words = sys.argv[1:]
    if unknown := set(words) - {"--whole", *USUAL, *LONG}:
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
