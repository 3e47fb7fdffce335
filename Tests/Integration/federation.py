"""People whom a foreign provider knows, and who sign in to the pool with a browser."""

import re

from .product import PEOPLE, Product

PROVIDER = "Example"
REDIRECT = "https://redirect.example.com/done"
#: Of people at the foreign provider.
FOREIGN = "Foreign-Horse-9!"


class Federation:
    """The identity provider of the product's pool; alice and carol are known there, with their addresses.

    product.configure(**federation.settings())
    answer = federation.answer(session.seen, "alice")
    """

    def __init__(self, product: Product):
        self.emulator = product.emulator
        self.pool = product.pool
        self.emulator.federate(self.pool, PROVIDER, redirect_uris=[REDIRECT])
        for name in PEOPLE:
            self.person(name)

    def person(self, name: str, **claims: object) -> str:
        """Somebody whom the provider calls so, in the group that may come in; what the pool calls them."""
        self.emulator.foreign_user(name, FOREIGN, **{"email": f"{name}@example.com", "email_verified": True, **claims})
        subject = str(claims.get("sub", name))
        return self.emulator.federated_user(self.pool["pool_id"], PROVIDER, subject, groups=["staff"])["username"]

    def settings(self, **changes: str | None) -> dict[str, str | None]:
        """The options for it."""
        return {
            "federated": "yes",
            "managed_login_domain": self.emulator.managed_login_domain,
            "identity_provider": PROVIDER,
            "redirect_uri": REDIRECT,
            "identity_claim": "email",
            **changes,
        }

    def address(self, seen: str) -> str:
        """The last address to sign in at that a terminal shows."""
        pattern = rf"https://{re.escape(self.emulator.managed_login_domain)}/oauth2/authorize\?\S+"
        found = re.findall(pattern, seen)
        assert found, seen
        return found[-1]

    def answer(self, seen: str, name: str = "alice") -> str:
        """Where the browser of somebody who signs in there ends."""
        return self.emulator.browse(self.address(seen), name, FOREIGN)
