"""Where the time of one sign-in goes, piece by piece: by the host's clock and the server's log, which are one clock."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from Integration.machine import MachineError
from Integration.pam_driver import CODES, PamDriver
from Integration.product import RIGHT, Product

from .comparison import USER
from .processor import Group
from .sign_in import THINKING


@dataclass(frozen=True)
class Piece:
    """Milliseconds of something; `whose` is "ours", "way" or "server"."""

    name: str
    whose: str
    milliseconds: float


#: What is there before the person has typed, and what comes behind Enter.
Timeline = tuple[Sequence[Piece], Sequence[Piece]]


class _WatchedDriver(PamDriver):
    def moments(self) -> list[float]:
        """Of the call, of Enter, of success."""
        begun = time.time()
        self._tell("call", "authenticate", 0)
        self._hear()
        time.sleep(THINKING)
        typed = time.time()
        self._tell("answer", RIGHT.encode().hex())
        while "code" not in (heard := self._hear()):
            pass
        if CODES[heard["code"]] != "PAM_SUCCESS":
            raise MachineError(CODES[heard["code"]])
        return [begun, typed, time.time()]


def _once(product: Product, distance: float) -> Timeline:
    """`distance` is in seconds, to the server and back."""
    emulator, way = product.emulator, distance / 2
    emulator.clear_requests()
    with Group() as group:
        with _WatchedDriver(product.machine, "alone", USER, observe=False) as driver:
            group.take(product.machine, driver.pid)
            begun, typed, done = driver.moments()
            begin, proof = emulator.requests()
            connected = emulator.connections()[0]["time"]
            driver.sign_in(order=[("setcred", "ESTABLISH"), ("open_session", ())])
            driver.sign_out()
            driver.end()
        # Nothing of the sign-out falls into the next one.
        group.wait()
    before = [
        ("the worker starts", "ours", connected - begun),
        ("TCP and TLS", "way", begin["time"] - way - connected),
        ("there", "way", way),
        (begin["operation"], "server", begin["seconds"]),
        ("back", "way", way),
    ]
    answered = proof["time"] + proof["seconds"] + way
    after = [
        ("proof", "ours", proof["time"] - way - typed),
        ("there", "way", way),
        (proof["operation"], "server", proof["seconds"]),
        ("back", "way", way),
        ("tokens", "ours", done - answered),
    ]
    return tuple([Piece(name, whose, seconds * 1000) for name, whose, seconds in pieces] for pieces in (before, after))


def measure(product: Product, distance: float, count: int) -> Timeline:
    """Each piece's median."""
    # The first fills the caches, the pool's key set among them.
    runs = [_once(product, distance) for _ in range(count + 1)][1:]
    return tuple(
        [
            Piece(
                pieces[0].name,
                pieces[0].whose,
                max(0.0, statistics.median(piece.milliseconds for piece in pieces)),
            )
            for pieces in zip(*(run[half] for run in runs), strict=True)
        ]
        for half in (0, 1)
    )
