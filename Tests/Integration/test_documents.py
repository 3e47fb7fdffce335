"""The documents for people who change this: what they name is there."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NEWS.md", "SECURITY.md"]


def test_architecture_names_every_folder_of_the_source() -> None:
    named = set(re.findall(r"`([\w-]+)`", (ROOT / "ARCHITECTURE.md").read_text()))
    folders = {path.name for path in (ROOT / "Sources").iterdir() if path.is_dir()}
    assert folders <= named


def test_imports_go_one_way() -> None:
    """As the table says: to rows above in the same column, or to columns to the left."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    begin = next(number for number, row in enumerate(rows) if "both sides" in row[0])
    place = {
        name[1]: (column, row)
        for row, cells in enumerate(rows[begin + 2 :])
        for column, cell in enumerate(cells)
        if (name := re.match(r" `(\w+)`", cell))
    }
    targets = re.findall(
        r'target\(\s*name: "(\w+)",\s*dependencies: \[(.*?)\]', (ROOT / "Package.swift").read_text(), re.DOTALL
    )
    against = [
        (name, imported)
        for name, dependencies in targets
        for imported in re.findall(r'"(\w+)"', dependencies)
        if name in place and imported in place and not place[imported] < place[name]
    ]
    assert len(place) > 20
    assert against == []


def test_links_and_paths_lead_somewhere() -> None:
    missing = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text()
        local = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
        paths = re.findall(r"`((?:Sources|Tests|packaging|pam\.d)(?:/[\w.@+-]+)+)`", text)
        missing += [(document, name) for name in local + paths if name and not (ROOT / name).exists()]
    assert missing == []


def test_make_targets_exist() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"(?:`|^)make ([\w-]+)", (ROOT / document).read_text(), re.MULTILINE):
            # -n: only says what would be done.
            run = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
            assert run.returncode == 0, run.stderr


def test_news_begin_with_the_version() -> None:
    version = re.search(r'"([\d.]+)"', (ROOT / "Sources/Wording/Version.swift").read_text())
    newest = re.search(r"^## (\S+)$", (ROOT / "NEWS.md").read_text(), re.MULTILINE)
    assert version is not None
    assert newest is not None
    assert newest[1] == version[1]
