"""Covering arrays: few cells in which every pair of values of two factors occurs."""

import itertools
from collections.abc import Callable, Mapping, Sequence

Cell = dict[str, str]


def pairs(cell: Mapping[str, str]) -> set[tuple[tuple[str, str], tuple[str, str]]]:
    return set(itertools.combinations(sorted(cell.items()), 2))


def wanted_pairs(
    factors: Mapping[str, Sequence[str]], possible: Callable[[Cell], bool]
) -> set[tuple[tuple[str, str], tuple[str, str]]]:
    """Every pair of values that may stand together."""
    found = set()
    for one, other in itertools.combinations(sorted(factors), 2):
        for left, right in itertools.product(factors[one], factors[other]):
            if possible({one: left, other: right}):
                found.add(((one, left), (other, right)))
    return found


def covering_array(factors: Mapping[str, Sequence[str]], possible: Callable[[Cell], bool]) -> list[Cell]:
    """Cells that hold every pair that is possible: always the same ones.

    `possible` is asked about parts of cells, too, and must not forbid a part for what it does not have yet.
    """
    missing = wanted_pairs(factors, possible)
    cells: list[Cell] = []
    while missing:
        # Each cell begins with a pair that is still missing; every other factor takes the value that adds most.
        cell: Cell = dict(min(missing))
        for name in sorted((name for name in factors if name not in cell), key=lambda name: -len(factors[name])):
            candidates = [value for value in factors[name] if possible({**cell, name: value})]
            if not candidates:
                raise ValueError(f"{cell} cannot be completed: no {name} is possible")
            cell[name] = max(candidates, key=lambda value: len(pairs({**cell, name: value}) & missing))
        cells.append(cell)
        missing -= pairs(cell)
    return cells
