"""A test machine as an instance of EC2."""

import json
import re
import sys
from pathlib import Path

from Emulator.instance_metadata import ADDRESSES

from .emulated_cognito import EmulatedCognito
from .machine import REPOSITORY, Machine

ROLE = {
    "Code": "Success",
    "Type": "AWS-HMAC",
    "AccessKeyId": "ASIAIOSFODNN7EXAMPLE",
    "SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/ROLE+EXAMPLEKEY=",
    "Token": "IQoJb3JpZ2luX2VjE//" + "token+/" * 40 + "==",
    "Expiration": "2030-01-01T00:00:00Z",
}


class Instance:
    """The machine as an instance of EC2 with a role, behind the firewall of the manual page."""

    def __init__(self, machine: Machine, cognito: EmulatedCognito):
        self.machine = machine
        # Where secrets may be.
        self.plan = cognito.directory / "metadata.json"
        self.log = Path(f"{self.plan}.log")
        self.answer()
        for address in ADDRESSES:
            length = 128 if ":" in address else 32
            machine.run(["ip", "address", "add", f"{address}/{length}", "dev", "lo"], check=True)
        program = REPOSITORY / "Tests/Emulator/instance_metadata.py"
        self.process = machine.start([sys.executable, str(program), str(self.plan)])
        machine.wait_until(lambda: self.reached_by("root", ADDRESSES[0]), "the metadata's readiness")
        machine.run(["nft", "-f", "-"], input=firewall(), check=True)

    def answer(self, role: str | None = "reaper", **answers: dict) -> None:
        """With which role it answers; by path, what else it says: see the program."""
        roles = {"role": role} if role else {}
        self.plan.write_text(json.dumps({"keys": ROLE, "answers": answers, **roles}))
        self.log.write_text("")

    @property
    def requests(self) -> list[str]:
        return self.log.read_text().splitlines()

    def reached_by(self, user: str, address: str) -> bool:
        probe = f"import socket; socket.create_connection(({address!r}, 80), 5).close()"
        return self.machine.run(["/usr/bin/python3", "-IS", "-c", probe], user=user).returncode == 0


def firewall() -> str:
    """The rules that cognito-agent(8) tells an administrator to set."""
    page = (REPOSITORY / "packaging/man/cognito-agent.8").read_text()
    (rules,) = re.findall(r"(?s)^table inet instance_metadata \{$.*?^\}$", page, re.M)
    return rules
