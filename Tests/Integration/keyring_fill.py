"""Root's keyrings filled with copies, as after very many sign-ins."""

import json
from collections.abc import Sequence
from pathlib import Path

from .machine import Machine

#: The ring's name, how many keys, what is before and after the random part of their descriptions, and the key that they
#: are copies of, if it matters: these hang in the keyring of its person, too.
Group = tuple[str, int, str, str, int | None]

_FILL = """
import json, os, sys
folder, groups = json.loads(sys.argv[1])
sys.path.insert(0, folder)
import keyring_view as view
rings = {view.describe(ring)[4]: ring for ring in view.keyring_members(view.USER_KEYRING)}
people = rings.get("pam-cognito:people")
people = {view.describe(ring)[4]: ring for ring in view.keyring_members(people)} if people else {}
for name, count, prefix, suffix, original in groups:
    payload = view.read(original) if original else b"1"
    suffix = view.describe(original)[4][len(prefix) + 32 :] if original else suffix
    own = people["pam-cognito:p" + suffix] if original else rings[name]
    for _ in range(count):
        description = (prefix + os.urandom(16).hex() + suffix).encode()
        key = view.add_key(b"user", description, payload, view.PROCESS_KEYRING)
        view.set_permissions(key, 0x3f0000)
        view.link(key, rings[name])
        view.link(key, own)
        view.unlink(key, view.PROCESS_KEYRING)
"""


def fill(machine: Machine, groups: Sequence[Group]) -> None:
    command = ["python3", "-IS", "-c", _FILL, json.dumps([str(Path(__file__).parent), groups])]
    machine.run(command, timeout=600, check=True)
