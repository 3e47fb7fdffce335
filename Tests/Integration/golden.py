"""What people see, compared with prompts.golden. UPDATE_GOLDEN=1 writes that file anew."""

import os
import re
from pathlib import Path

GOLDEN = Path(__file__).with_name("prompts.golden")


def _recognisable(text: str) -> str:
    """A text without what differs each time: the picture, the key that it shows, and what was typed."""
    text = text.replace("\r\n", "\n").replace("\r", "")
    text = re.sub(r"(?m)^ *[\u2580\u2584\u2588][ \u2580\u2584\u2588]*(?:\n[ \u2580\u2584\u2588]+)*", "<QR>", text)
    text = re.sub(r"(?m)^\d{6,}$", "<what was typed>", text)
    return re.sub(r"(?:[A-Z2-7]{4} ){6,}[A-Z2-7]{1,4}", "<KEY>", text)


def _outcome(text: str) -> str:
    """What our own words are of the last that was shown: not the machine's greeting, nor the shell's prompt."""
    lines = [line for line in _recognisable(text).strip("\n").split("\n") if line and not line.endswith(("$ ", "# "))]
    start = next((index for index, line in enumerate(lines) if line.startswith(("Last login", "Linux "))), len(lines))
    ours = [line for line in lines[start:] if "Cognito" in line]
    return "".join(f"{line}\n" for line in lines[:start] + ours)


class Golden:
    """The questions of each scenario, and what is said at the end."""

    def __init__(self) -> None:
        text = GOLDEN.read_text() if GOLDEN.exists() else ""
        parts = re.split(r"(?m)^== (.*)\n", text)
        self.expected = dict(zip(parts[1::2], parts[2::2], strict=True))
        self.seen: dict[str, str] = {}

    def check(self, name: str, prompts: list[str], outcome: str = "") -> None:
        shown = "".join(f"{_recognisable(prompt).rstrip()}\n" for prompt in prompts) + _outcome(outcome) + "\n"
        self.seen[name] = shown
        if "UPDATE_GOLDEN" not in os.environ:
            assert shown == self.expected.get(name), f"what is seen of {name!r} is other than in {GOLDEN.name}"

    def save(self) -> None:
        if "UPDATE_GOLDEN" in os.environ:
            whole = {**self.expected, **self.seen}
            GOLDEN.write_text("".join(f"== {name}\n{text}" for name, text in sorted(whole.items())))
