"""Measures everything and prints the table; with "--whole" also what takes minutes."""

import os
import sys
import time

from Integration.emulated_cognito import EmulatedCognito
from Integration.machine import Machine
from Integration.product import Product

from . import agent, challenges, endings, host, module, programs, sign_in, ssh
from .figures import table
from .tools import Tools


def main() -> int:
    begun, load = time.monotonic(), os.getloadavg()[0]
    with Machine("benchmarks") as machine, EmulatedCognito(machine) as emulated:
        product, tools = Product(machine, emulated.client), Tools(machine)
        subjects = [
            module.measure(tools),
            host.measure(product),
            *sign_in.measure(tools, product),
            challenges.measure(tools, product),
            programs.measure(tools, product),
            ssh.measure(product),
            agent.measure(product),
            agent.measure_attacks(product),
            endings.measure_close(product),
            endings.measure_hooks(product),
            endings.measure_journal(product),
            endings.measure_reaper(product, (1, 100, 2000) if "--whole" in sys.argv else (1, 100)),
        ]
        violations = emulated.client.violations()
    print(table(subjects))
    seconds = time.monotonic() - begun
    print(f"{os.cpu_count()} cores, everything on loopback; load {load:.2f} before; measured in {seconds:.0f} s.")
    if violations:
        print(f"Requests that Cognito's model does not allow: {violations}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
