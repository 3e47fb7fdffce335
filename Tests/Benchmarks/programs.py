"""How long our programs take to start, do the least that they can do, and end."""

import shutil

from Integration.pam_driver import PamDriver
from Integration.product import AGENT, RIGHT, WORKER, Product

from .figures import Subject
from .tools import Tools


def measure(tools: Tools, product: Product, rounds: int = 8, count: int = 6) -> Subject:
    subject = Subject("Starting a program, from posix_spawn to its end, as alice")
    with (
        PamDriver(product.machine, "alone", "alice", observe=False) as outside,
        PamDriver(product.machine, "alone", "alice", observe=False) as session,
    ):
        session.sign_in(RIGHT)
        programs = (
            ("cognito-session, with tokens", session, ["cognito-session"], 0),
            ("cognito-session, without", outside, ["cognito-session"], 1),
            ("cognito-session token", session, ["cognito-session", "token"], 0),
            ("cognito-session prompt", session, ["cognito-session", "prompt"], 0),
            ("cognito-session prompt, without", outside, ["cognito-session", "prompt"], 1),
            ("cognito-session --version", session, ["cognito-session", "--version"], 0),
            ("cognito-agent --version", session, [AGENT, "--version"], 0),
            ("/bin/true", session, ["/bin/true"], 0),
            ("keyctl show", session, ["keyctl", "show"], 0),
            ("cognito-worker, refusing to be run by hand", session, [WORKER], 64),
            ("a C program that links libcurl and does nothing", session, [tools.paths["bare_client"]], 0),
        )
        if shutil.which("klist"):
            # Kerberos's tool for the same, with nothing to show; Debian's krb5-user, which nothing else here needs.
            programs += (("klist, without a ticket", outside, ["klist"], 1),)
        times: dict[str, list[float]] = {}
        # In turns, so that what else the machine does falls on all of them.
        for _ in range(rounds):
            for name, driver, program, status in programs:
                output = driver.job("alice", " ".join(tools.start_command(program, count))).stdout
                times.setdefault(name, []).extend(tools.start_times(output, status))
        session.sign_out()
    for name, values in times.items():
        subject.add(name, values)
    return subject
