"""What comes out the same each time, beside what is recorded: Tests/Integration/test_counts.py fails where it grows."""

from collections.abc import Sequence

from Integration.counting import counts, recorded
from Integration.product import Product

from .figures import Subject


def measure(product: Product) -> Sequence[Subject]:
    known, made = recorded(), []
    for of, counted in counts(product).items():
        subject = Subject(f"Counts of {of}, and what is recorded")
        for what, count in counted.items():
            subject.add(what, [count], f"({known[of][what]})")
        made.append(subject)
    return made
