"""A sign-in with a browser: from the pasted code to PAM_SUCCESS, which is one request at the token endpoint."""

from Integration.federation import Federation
from Integration.product import Product

from .challenges import Conversation
from .figures import Subject


def measure(product: Product, count: int = 15) -> Subject:
    subject = Subject("A sign-in with a browser, with the server's own time")
    federation, times = Federation(product), []
    product.configure(**federation.settings(federated="only", username_template="{user}@example.com"))
    for _ in range(count + 1):
        with Conversation(product.machine, "alone", "alice", observe=False) as driver:
            times += [taken * 1000 for taken in driver.answer_times([federation.answer])]
            driver.finish()
    product.configure()
    # The first one fills the caches.
    subject.add("from the pasted address to PAM_SUCCESS", times[1:])
    return subject
