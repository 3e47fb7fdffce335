"""A host that lives for very many sign-ins: what it has grown by, beside pam_unix and libpam themselves."""

from Integration.machine import MachineError
from Integration.pam_driver import PamDriver
from Integration.product import LOCAL, RIGHT, Product

from .figures import Subject

_WAYS = {
    "pam_cognito": ("alone", "alice", RIGHT),
    "pam_unix": ("unix", "bob", LOCAL),
    "pam_permit": ("permit", "bob", ""),
}
_FIRST = 20


def _grown(product: Product, way: str, count: int) -> tuple[float, float, int]:
    """Bytes of written pages and of the heap for each sign-in after the first ones, and descriptors."""
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
            states.append((state.memory["Anonymous"] * 1024, driver.heap(), len(state.descriptors)))
        before, after = states
    return (after[0] - before[0]) / count, (after[1] - before[1]) / count, after[2] - before[2]


def measure(product: Product, count: int = 500) -> Subject:
    subject = Subject(f"A host that lives for {count} sign-ins after its first {_FIRST}: growth for each")
    for service in ("unix", "permit"):
        lines = [f"{kind} required pam_{service}.so\n" for kind in ("auth", "account", "session")]
        product.machine.pam(service, "".join(lines))
    for way in _WAYS:
        pages, heap, descriptors = _grown(product, way, count)
        subject.add(f"{way}: written pages", [pages], "bytes")
        subject.add(f"{way}: heap in use", [heap], "bytes")
        subject.note(f"{way}: descriptors {descriptors:+d}.")
    return subject
