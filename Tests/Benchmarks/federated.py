"""A sign-in with a browser: from the pasted code to PAM_SUCCESS, which is one request at the token endpoint."""

import time

from Integration.federation import Federation
from Integration.machine import MachineError
from Integration.pam_driver import CODES, PamDriver
from Integration.product import Product

from .figures import Subject


class _Pasting(PamDriver):
    def paste_time(self, federation: Federation) -> float:
        """Seconds from the pasted code to the end of pam_authenticate."""
        self._tell("call", "authenticate", 0)
        shown = bytes.fromhex(self._hear()["text"]).decode()
        answer = federation.answer(shown)
        begun = time.monotonic()
        self._tell("answer", answer.encode().hex())
        heard = self._hear()
        taken = time.monotonic() - begun
        if "code" not in heard or CODES[heard["code"]] != "PAM_SUCCESS":
            raise MachineError(f"no sign-in: {heard}")
        return taken


def measure(product: Product, count: int = 15) -> Subject:
    subject = Subject("A sign-in with a browser, with the server's own time")
    federation, times = Federation(product), []
    product.configure(**federation.settings(federated="only", username_template="{user}@example.com"))
    for _ in range(count + 1):
        with _Pasting(product.machine, "alone", "alice", observe=False) as driver:
            times.append(driver.paste_time(federation) * 1000)
            driver.call("setcred", "ESTABLISH")
            driver.call("open_session")
            driver.call("close_session")
            driver.end()
    product.configure()
    # The first one fills the caches.
    subject.add("from the pasted address to PAM_SUCCESS", times[1:])
    return subject
