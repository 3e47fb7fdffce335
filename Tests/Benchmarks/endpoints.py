"""Sign-ins through the second endpoint of a list, as long as the first one cannot be reached."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from Emulator.client import running_emulator
from Integration.test_early_begin import BEGIN, Typing, made
from Integration.test_endpoints import endpoints, servers
from Integration.test_worker_protocol import signed_in

from .figures import Subject

#: What the first endpoint does -> what it is called in the tests.
FIRST = {
    "answers (no other is asked)": None,
    "refuses connections": "dead",
    "drops packets": "dropping",
    "takes connections and says nothing": "slow",
    "has another certificate": "lying",
}
#: As pam_cognito.conf(5) has them, in milliseconds.
LIMITS = {"time_limit": 15_000, "connect_time_limit": 5_000}


def measure(count: int = 5) -> Iterator[Subject]:
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        with running_emulator(Path(directory) / "emulator") as service:
            for what, kind in FIRST.items():
                account = made(service)
                keys = account.sign_in()[0].fields["key_set"]
                subject = Subject(f"The first endpoint {what}")
                at_once, behind = [], []
                with servers(account, *filter(None, [kind])) as others:
                    order = endpoints(account, [kind, "good"] if kind else ["good"], others)
                    fields = {"endpoint": order, "key_set": keys, **LIMITS}
                    for _ in range(count):
                        begun = time.monotonic()
                        signed_in(account.sign_in(**fields))
                        at_once.append((time.monotonic() - begun) * 1000)
                        with Typing(account, BEGIN, **fields) as typing:
                            begun = time.monotonic()
                            signed_in(typing.answer())
                            behind.append((time.monotonic() - begun) * 1000)
                subject.add("the password there at once", at_once)
                subject.add("behind Enter, begun while the user typed", behind)
                yield subject
