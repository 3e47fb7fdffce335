"""What a login leaves in the program that called PAM, for as long as the session lasts."""

from Integration.machine import Machine, MachineError
from Integration.pam_driver import PamDriver
from Integration.process_state import ProcessState
from Integration.product import LOCAL, RIGHT, Product

from .figures import Subject
from .tools import only


def _states(machine: Machine, service: str, user: str, password: str) -> tuple[ProcessState, ProcessState]:
    """The host before pam_start, and with the session open."""
    with PamDriver(machine, service, user, observe=False, start=False) as driver:
        # The driver's own buffers come with its first answer.
        driver.session_keyring()
        before = machine.state(driver.pid)
        driver.start(service, user)
        results = driver.sign_in(password)
        if not results[-1].succeeded:
            raise MachineError(f"{service}: {results}")
        after = machine.state(driver.pid)
        driver.sign_out()
        driver.end()
    return before, after


def measure(product: Product, count: int = 11) -> Subject:
    subject = Subject("What a login leaves in its host: private memory, before pam_start and with the session open")
    for service in ("pam_permit", "pam_unix"):
        only(product.machine, service, f"{service}.so")
    for name, service, user, password in (
        ("pam_cognito alone", "alone", "alice", RIGHT),
        ("pam_unix alone", "pam_unix", "bob", LOCAL),
        ("pam_permit alone: libpam's own part", "pam_permit", "bob", LOCAL),
    ):
        states = [_states(product.machine, service, user, password) for _ in range(count)]
        # Written pages. "Private_Dirty" counts a file's own too where /usr is in memory, as in the test machines.
        subject.add(name, [after.memory["Anonymous"] - before.memory["Anonymous"] for before, after in states], "KB")
        descriptors = max(len(after.descriptors) - len(before.descriptors) for before, after in states)
        threads = max(after.threads - before.threads for before, after in states)
        children = max(len(after.children) for _, after in states)
        libraries = max(len(set(after.libraries) - set(before.libraries)) for before, after in states)
        subject.note(
            f"{name.split(':')[0]}: new descriptors {descriptors}, threads {threads}, children {children}, "
            f"libraries {libraries}"
        )
    subject.note('The descriptor is syslog(3)\'s. libpam loads the modules of the service "other" each time.')
    return subject
