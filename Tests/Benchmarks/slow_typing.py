"""Sign-ins whose password is typed after one to thirty seconds, at a service whose challenges live 3.5 seconds.

Nobody waits: the worker's clock goes ahead, and the challenges become older.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from Emulator.client import running_emulator
from Integration.product import WRONG
from Integration.test_early_begin import BEGIN, FLOWS, PASSWORD, Delay, Typing, made

from .figures import Subject

CHALLENGES_LIVE = 3.5
LONGEST = 30


def measure(count: int = 200) -> Iterator[Subject]:
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        delay = Delay(Path(directory))
        with running_emulator(Path(directory) / "emulator") as service:
            for flow, fields in FLOWS.items():
                account = made(service, auth_session_seconds=CHALLENGES_LIVE)
                for what, password in (("right", PASSWORD), ("wrong", WRONG)):
                    subject = Subject(f"{flow}: {what} passwords, typed after 1 to {LONGEST} s")
                    requests, proofs, ends = [], [], Counter()
                    for number in range(count):
                        seconds = 1 + number % LONGEST
                        environment = delay.environment(seconds)
                        with Typing(account, BEGIN, environment=environment, **fields) as typing:
                            delay.wait(service, seconds)
                            message = typing.answer(password)[-1]
                            ends[message.reason if message.kind == "failed" else message.kind] += 1
                            requests.append(len(typing.operations))
                            proofs.append(typing.operations.count("RespondToAuthChallenge"))
                    subject.add("requests", requests, "")
                    subject.add("proofs", proofs, "")
                    subject.note(f"Requests: {dict(Counter(requests))}; ends: {dict(ends)}.")
                    yield subject
