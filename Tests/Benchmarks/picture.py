"""Draws docs/comparison.svg, from a run of its own: `cd Tests && ../.build/venv/bin/python -m Benchmarks.picture`."""

import html
import os
import statistics
import sys
from collections.abc import Callable

from Integration.emulated_cognito import EmulatedCognito
from Integration.machine import REPOSITORY, Machine
from Integration.product import Product

from . import comparison, timeline
from .comparison import BARE, BAREST, WAYS, Comparison, Cost
from .figures import table
from .sign_in import THINKING
from .timeline import Timeline
from .tools import Tools

FILE = REPOSITORY / "docs" / "comparison.svg"
DISTANCE = 80
WIDTH, LEFT, ROW, MARGIN = 920, 280, 22, 20
COLORS = {"ours": "#2f6feb", "way": "#c9d1d9", "server": "#d29922", "other": "#8b949e"}
SHOWN = [way.name for way in WAYS if way.password is not None] + [BARE, BAREST]


class Drawing:
    """Lines and bars from top to bottom."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._y = MARGIN

    def text(self, x: float, text: str, *, bold: bool = False, color: str = "#1f2328", anchor: str = "start") -> None:
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'<text x="{x:.0f}" y="{self._y + 15}" fill="{color}" text-anchor="{anchor}"{weight}>'
            f"{html.escape(text, quote=False)}</text>"
        )

    def bar(self, x: float, width: float, whose: str, title: str) -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{self._y + 3}" width="{max(width, 1):.1f}" height="{ROW - 6}" '
            f'fill="{COLORS[whose]}"><title>{html.escape(title)}</title></rect>'
        )

    def next(self, pixels: int = ROW) -> None:
        self._y += pixels

    def heading(self, text: str) -> None:
        self.text(MARGIN, text, bold=True)
        self.next()

    def svg(self, title: str) -> str:
        height = self._y + MARGIN
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}">\n<title>{html.escape(title)}</title>\n'
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>\n'
            '<g font-family="system-ui, -apple-system, Segoe UI, DejaVu Sans, sans-serif" font-size="13">\n'
            + "\n".join(self._parts)
            + "\n</g>\n</svg>\n"
        )


def _draw_timeline(drawing: Drawing, times: Timeline) -> None:
    before, after = times
    drawing.heading(f"Where a sign-in's time goes, {DISTANCE} ms from the server, typed after {THINKING * 1000:.0f} ms")
    scale = (WIDTH - LEFT - MARGIN - 60) / max(
        THINKING * 1000, *(sum(piece.milliseconds for piece in half) for half in times)
    )
    for name, half in (("while the user types", before), ("after Enter", after)):
        drawing.text(MARGIN, name)
        x = float(LEFT)
        for piece in half:
            drawing.bar(x, piece.milliseconds * scale, piece.whose, f"{piece.name}: {piece.milliseconds:.1f} ms")
            x += piece.milliseconds * scale
        drawing.text(x + 6, f"{sum(piece.milliseconds for piece in half):.0f} ms")
        drawing.next()
    x = float(LEFT)
    drawing.text(MARGIN, "after Enter, of these", color="#57606a")
    for whose, name in (("ours", "module and worker"), ("way", "on the way"), ("server", "the emulator itself")):
        total = sum(piece.milliseconds for piece in after if piece.whose == whose)
        label = f"{name} {total:.0f} ms"
        drawing.bar(x, 12, whose, label)
        drawing.text(x + 18, label, color="#57606a")
        x += 48 + 7 * len(label)
    drawing.next(ROW + 14)


def _draw_bars(
    drawing: Drawing, heading: str, found: Comparison, distance: int, value: Callable[[Cost], float]
) -> None:
    drawing.heading(heading)
    medians = {name: statistics.median(found.milliseconds(name, distance, value)) for name in SHOWN}
    scale = (WIDTH - LEFT - MARGIN - 80) / max(medians.values())
    for name, median in medians.items():
        drawing.text(MARGIN, name)
        drawing.bar(LEFT, median * scale, "ours" if name == WAYS[0].name else "other", f"{name}: {median:.1f} ms")
        drawing.text(LEFT + median * scale + 6, f"{median:.1f} ms" if median < 10 else f"{median:.0f} ms")
        drawing.next()
    drawing.next(14)


def draw(found: Comparison, times: Timeline, caption: str) -> str:
    drawing = Drawing()
    _draw_timeline(drawing, times)
    for heading, distance, value in (
        ("Processor time of a sign-in, its session and the sign-out, all processes", 0, lambda cost: cost.processor),
        (f"From Enter to success, {DISTANCE} ms from the server", DISTANCE, lambda cost: cost.entering),
        (f"Leaving, {DISTANCE} ms from the server", DISTANCE, lambda cost: cost.leaving),
    ):
        _draw_bars(drawing, heading, found, distance, value)
    drawing.text(MARGIN, caption, color="#57606a")
    drawing.next()
    return drawing.svg("Where a sign-in's time goes, and what it costs beside what else one could pick")


def main() -> int:
    count = int(sys.argv[1]) if sys.argv[1:] else 9
    load = os.getloadavg()[1]
    with Machine("benchmarks") as machine, EmulatedCognito(machine) as emulated:
        product, tools = Product(machine, emulated.client), Tools(machine)
        with comparison.prepared(product) as move:
            found = comparison.compare(tools, product, move, count)
            print(table(comparison.subjects(found)), flush=True)
            move(DISTANCE)
            times = timeline.measure(product, DISTANCE / 1000, count)
    caption = (
        f"Medians of {count} runs on {os.cpu_count()} cores at a load of {load:.0f}: it lengthens times, but hardly "
        "processor time. The server is the emulator."
    )
    FILE.write_text(draw(found, times, caption))
    return 0


if __name__ == "__main__":
    sys.exit(main())
