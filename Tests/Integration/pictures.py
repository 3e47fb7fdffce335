"""Pictures of a terminal, from what a program wrote there. transcripts.py makes those of the documents."""

import html
import re

COLUMNS = 106
#: The colors of the terminal, by the codes that are used (SGR).
STYLES = {
    "1": "font-weight:bold",
    "1;31": "font-weight:bold;fill:#ff7b72",
    "31": "fill:#ff7b72",
    "32": "fill:#7ee787",
    "33": "fill:#e3b341",
}
CELL, LINE, MARGIN = 8.43, 19, 16


def svg(title: str, lines: list[str]) -> str:
    """A terminal with these lines, in which colors are as a program wrote them."""
    width, height = round(COLUMNS * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    drawn = []
    for number, line in enumerate(lines, 1):
        spans, style = "", ""
        for part in re.split(r"(\x1b\[[\d;]*m)", line):
            if part.startswith("\x1b"):
                style = STYLES.get(part[2:-1], "")
            elif part:
                text = html.escape(part, quote=False)
                spans += f'<tspan style="{style}">{text}</tspan>' if style else text
        if spans:
            drawn.append(f'<text x="{MARGIN}" y="{MARGIN + number * LINE - 5}">{spans}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<title>{html.escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        '<g fill="#e6edf3" font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" '
        'xml:space="preserve">\n' + "\n".join(drawn) + "\n</g>\n</svg>\n"
    )


def lines_of(output: str) -> list[str]:
    """The lines as they stay: not what was taken back."""
    return re.sub(r"[^\n]*\r\x1b\[K", "", output).replace("\r", "").strip("\n").split("\n")
