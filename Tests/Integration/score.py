"""How often the doctor was right about set-ups that are broken by one slip, summed up at the end of a run."""

from collections.abc import Iterable
from dataclasses import dataclass, field

PROPERTY = "doctor's score"


@dataclass
class Score:
    """Hits and errors of either kind, on one kind of set-up."""

    kind: str
    hits: int = 0
    silent: int = 0
    misses: list[str] = field(default_factory=list)
    false_alarms: list[str] = field(default_factory=list)

    def note(self, what: str, is_wrong: bool, said: list[str], *, is_remarked: bool = False) -> None:
        """One set-up: whether a real sign-in found something wrong, and what the doctor complained of.

        `is_remarked`: it made a note of it without complaining, which is enough either way.
        """
        if is_wrong and not said and not is_remarked:
            self.misses.append(what)
        elif said and not is_wrong:
            self.false_alarms.append(f"{what}: {said}")
        elif said:
            self.hits += 1
        else:
            self.silent += 1

    def record(self, record_property) -> None:
        """Hands it to the report of the whole run (`lines`)."""
        record_property(PROPERTY, [self.kind, self.hits, self.silent, len(self.misses), len(self.false_alarms)])

    def check(self, record_property) -> None:
        self.record(record_property)
        wrong = [f"missed: {what}" for what in self.misses] + [f"false alarm: {what}" for what in self.false_alarms]
        assert not wrong, "\n".join(wrong)


def lines(properties: Iterable[tuple[str, object]]) -> list[str]:
    """A line for each kind."""
    sums: dict[str, list[int]] = {}
    for name, value in properties:
        if name == PROPERTY:
            kind, *numbers = value
            sums[kind] = [one + other for one, other in zip(sums.get(kind, [0] * 4), numbers, strict=True)]
    words = "{} tried: {} hits, {} rightly silent, {} misses, {} false alarms"
    return [f"{kind}: {words.format(sum(numbers), *numbers)}" for kind, numbers in sorted(sums.items())]
