"""Figures and the table of them: medians with their number and their spread."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_LINE = "  {:52} {:>3} {:>11}   {}"


@dataclass
class Subject:
    """One thing that is measured; `notes` say what a reader must know to believe the figures."""

    title: str
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, values: Iterable[float], unit: str = "ms") -> None:
        found = list(values)
        spread = f"{_shown(min(found))} - {_shown(max(found))}"
        self.lines.append(_LINE.format(name, len(found), f"{_shown(statistics.median(found))} {unit}", spread))

    def note(self, text: str) -> None:
        self.notes.append(text)


def _shown(value: float) -> str:
    """Three digits, which is more than such figures are good for."""
    return f"{value:.0f}" if value >= 100 else f"{value:.{1 if value >= 10 else 2}f}"


def table(subjects: Sequence[Subject]) -> str:
    lines = [_LINE.format("", "n", "median", "min - max")]
    for subject in subjects:
        lines += [subject.title, *subject.lines, *(f"    {note}" for note in subject.notes), ""]
    return "\n".join(lines)
