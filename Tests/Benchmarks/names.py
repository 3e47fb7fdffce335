"""How long a refusal takes for a name that the pool has, for one that it does not have, and for one that is not ours.

Whoever sees only times must not learn from them which names there are. Each turn takes one of each kind, in another
order each time. The figure is how often the one took longer than the other, of all pairs: one half tells nothing, 1
tells all.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from Integration.machine import MachineError
from Integration.pam_driver import CODES, PamDriver
from Integration.product import LOCAL, WRONG, Product

from .figures import Subject

_KINDS = ("in the pool", "not in the pool", "of this machine alone")
#: Tries of one name: Cognito refuses the fifth for a while, whatever is typed.
_TRIES = 4
#: As the shipped service files have it, but for the two seconds after a refusal, which hide what is shorter.
_SERVICE = "sshd"


class Refused(PamDriver):
    def seconds(self, thinking: float) -> float:
        """From the wrong password to the refusal."""
        self._tell("call", "authenticate", 0)
        self._hear()
        time.sleep(thinking)
        typed = time.monotonic()
        self._tell("answer", WRONG.encode().hex())
        while "code" not in (heard := self._hear()):
            self._tell("refuse")
        done = time.monotonic()
        if CODES[heard["code"]] == "PAM_SUCCESS":
            raise MachineError("a wrong password was accepted")
        return done - typed


def _share_longer(some: list[float], others: list[float]) -> float:
    """How often one of `some` is longer than one of `others` (Mann and Whitney's U, of all pairs)."""
    pairs = [(value > other) + (value == other) / 2 for value in some for other in others]
    return sum(pairs) / len(pairs)


@contextmanager
def _people(product: Product, mark: str, count: int) -> Iterator[dict[str, list[str]]]:
    """Names of each kind; all have accounts here."""
    names = {
        kind: [f"{word}{mark}{number}" for number in range(count)] for kind, word in zip(_KINDS, "knl", strict=True)
    }
    with product.machine.preserved("/etc/passwd", "/etc/shadow", "/etc/group"):
        for kind, group in names.items():
            is_local = kind == _KINDS[2]
            for name in group:
                product.machine.add_user(
                    name, password=LOCAL if is_local else None, groups=[] if is_local else ["cognito"]
                )
        for name in names[_KINDS[0]]:
            product.member(name)
        yield names


def _server_seconds(product: Product, is_typed: bool) -> float:
    """The server's own time for what the person waited for, which is another one for a name that it does not have."""
    # Its log has an answer a moment after that is here.
    time.sleep(0.02)
    before = {"jwks", *(["InitiateAuth"] if is_typed else [])}
    found = [request for request in product.emulator.requests() if request["operation"] not in before]
    product.emulator.clear_requests()
    return sum(request["seconds"] for request in found)


def _measured(product: Product, names: dict[str, list[str]], count: int, thinking: float) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    product.emulator.clear_requests()
    for turn in range(count):
        for kind in random.sample(_KINDS, len(_KINDS)):
            with Refused(product.machine, _SERVICE, names[kind][turn // _TRIES], observe=False) as driver:
                driver.do_not_wait()
                seconds = driver.seconds(thinking)
                driver.end()
            times[kind].append(seconds - _server_seconds(product, thinking > 0))
    return times


def measure(product: Product, count: int = 500) -> list[Subject]:
    subjects = []
    for mark, what, thinking in (("a", "at once", 0.0), ("b", "typed after 100 ms", 0.1)):
        subject = Subject(f"From a wrong password, {what}, to the refusal, without the server's own time")
        product.configure(max_failures="0")
        try:
            with _people(product, mark, -(-count // _TRIES)) as names:
                times = _measured(product, names, count, thinking)
        finally:
            product.configure()
        for kind in _KINDS:
            subject.add(kind, [seconds * 1000 for seconds in times[kind]])
        for kind in _KINDS[1:]:
            share = _share_longer(times[_KINDS[0]], times[kind])
            subject.note(f"{_KINDS[0]} takes longer than {kind}: {share:.3f} of all pairs")
        half = [times[_KINDS[0]][::2], times[_KINDS[0]][1::2]]
        subject.note(f"one half of {_KINDS[0]} than the other half: {_share_longer(*half):.3f}")
        subjects.append(subject)
    return subjects
