"""What a sign-in takes, counted: no more of anything than is recorded. UPDATE_GOLDEN=1 records it anew."""

import os

from .counting import RECORDED, counts, grown, record
from .product import Product


def test_nothing_has_grown(product: Product) -> None:
    found = counts(product, most=10)
    if "UPDATE_GOLDEN" in os.environ:
        record(found)
    assert not grown(found), f"more than in {RECORDED}"
