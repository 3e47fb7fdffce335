"""A host that lives for very many sign-ins: what it has grown by, beside pam_unix and libpam themselves."""

from Integration.machine import MachineError
from Integration.pam_driver import PamDriver
from Integration.product import LOCAL, RIGHT, Product

from .figures import Subject
from .tools import only

_WAYS = {
    "pam_cognito": ("alone", "alice", RIGHT),
    "pam_unix": ("unix", "bob", LOCAL),
    "pam_permit": ("permit", "bob", ""),
}
_FIRST = 20


def _grown(product: Product, way: str, count: int) -> tuple[float, float, int]:
    """Kilobytes of written pages and of the heap, and descriptors, beyond those after the first sign-ins."""
    machine, (service, user, password) = product.machine, _WAYS[way]
    with PamDriver(machine, service, user, observe=False, start=False) as driver:
        states = []
        for turns in (_FIRST, count):
            for _ in range(turns):
                driver.start(service, user)
                if not driver.sign_in(password)[-1].succeeded:
                    raise MachineError(f"{way}: no sign-in")
                driver.sign_out()
                driver.end()
            state = machine.state(driver.pid)
            states.append((state.memory["Anonymous"], driver.heap() / 1024, len(state.descriptors)))
        before, after = states
    return after[0] - before[0], after[1] - before[1], after[2] - before[2]


def measure(product: Product, count: int = 500) -> Subject:
    subject = Subject(f"A host that lives for {count} sign-ins after its first {_FIRST}: what it has grown by")
    for service in ("unix", "permit"):
        only(product.machine, service, f"pam_{service}.so")
    for way in _WAYS:
        pages, heap, descriptors = _grown(product, way, count)
        subject.add(f"{way}: written pages", [pages], "KB")
        subject.add(f"{way}: heap in use", [heap], "KB")
        subject.note(f"{way}: descriptors {descriptors:+d}.")
    return subject
