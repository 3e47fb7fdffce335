"""What it costs to keep the accounts of a machine as the pool's directory is."""

import time
from collections.abc import Sequence

from Integration.machine import MachineError
from Integration.product import AGENT, Product

from .figures import Subject

_KEYS = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "of-the-benchmarks-and-nobody-else"}
_FILE = "/etc/security/pam_cognito.iam"
_PEOPLE = 10_000


def _round(product: Product, said: str) -> float:
    """The seconds that a round takes, which has to say that."""
    began = time.monotonic()
    done = product.machine.run([AGENT, "accounts", "sync"], timeout=600)
    taken = time.monotonic() - began
    if done.returncode != 0 or said not in done.stdout:
        raise MachineError(f"accounts sync: {done}")
    return taken


def measure(product: Product, count: int = 1) -> Sequence[Subject]:
    machine, emulator = product.machine, product.emulator
    emulator.iam_identity(**_KEYS, actions=["ListUsersInGroup"])
    lines = "".join(f"aws_{name} = {value}\n" for name, value in _KEYS.items())
    machine.write(_FILE, f"[default]\n{lines}", mode=0o600)
    machine.run(["install", "-d", "-m", "0700", "/var/lib/pam-cognito"], check=True)
    subject = Subject(f"cognito-agent accounts sync, {_PEOPLE} people")
    first, again, out = [], [], []
    for _ in range(count):
        machine.run(["rm", "-rf", "/var/lib/pam-cognito/accounts"])
        with product.other_pool(
            {}, iam_credentials_file=_FILE, accounts="directory", account_uid_claim="custom:uid"
        ) as pool:
            emulator.people(pool["pool_id"], _PEOPLE, "staff", attributes={"custom:uid": "{uid}"})
            emulator.clear_requests()
            first.append(_round(product, f"entered={_PEOPLE}"))
            requests = len(emulator.requests("ListUsersInGroup"))
            again.append(_round(product, "entered=0 changed=0 locked=0"))
            process = machine.start(
                ["setpriv", "--reuid", "70000", "--regid", "70000", "--clear-groups", "sleep", "1000"]
            )
            emulator.admin(
                "AdminRemoveUserFromGroup",
                {"UserPoolId": pool["pool_id"], "Username": "person00000", "GroupName": "staff"},
            )
            out.append(_round(product, "locked=1"))
            if not process.ended:
                raise MachineError("the process of who is out goes on")
    subject.add("the first round, which enters everybody", first, "s")
    subject.add("another one, which finds nothing new", again, "s")
    subject.add("one that locks somebody and ends their process", out, "s")
    subject.note(f"{requests} requests each (ListUsersInGroup), 150 ms apart on purpose: {requests * 0.15:.0f} s.")
    return [subject]
