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


def section(page: str, name: str) -> str:
    text = (ROOT / "packaging/man" / page).read_text().replace("\\ ", " ").replace("\\&", "")
    return re.split(r"(?m)^\.Sh ", text.split(f"\n.Sh {name}\n", 1)[1], maxsplit=1)[0]


def test_manual_page_of_the_module_has_every_return_value() -> None:
    values = re.findall(r"case \w+ = (\d+)", (ROOT / "Sources/LoginCore/ReturnValue.swift").read_text())
    header = Path("/usr/include/security/_pam_types.h").read_text()
    returned = header.split("_PAM_RETURN_VALUES")[0]
    names = {number: name for name, number in re.findall(r"#define (PAM_\w+)\s+(\d+)\b", returned)}
    assert len(values) > 10
    described = re.findall(r"^\.It Dv (PAM_\w+)$", section("pam_cognito.8", "RETURN VALUES"), re.MULTILINE)
    assert sorted(described) == sorted(names[value] for value in values)


def test_manual_page_of_the_module_has_the_stacks_that_are_shipped() -> None:
    examples = section("pam_cognito.8", "EXAMPLES")
    for name in ("auth", "account", "session", "password"):
        lines = (ROOT / f"pam.d/cognito-{name}").read_text().splitlines()
        stack = [" ".join(line.split()) for line in lines if line and not line.startswith("#")]
        shown = re.search(rf"/etc/pam\.d/cognito-{name} :\n\.Bd -literal\n(.*?)\n\.Ed", examples, re.DOTALL)
        assert shown is not None
        assert shown[1].splitlines() == stack


def test_manual_pages_have_every_command() -> None:
    """What `--help` of the agent knows, its page knows, too."""
    help_text = (ROOT / "Sources/cognito-agent/main.swift").read_text()
    commands = re.findall(r"^      ([a-z]\w+) +\w", help_text, re.MULTILINE)
    page = (ROOT / "packaging/man/cognito-agent.8").read_text()
    assert len(commands) >= 5
    assert [name for name in commands if f"\n.It Cm {name}\n" not in page] == []
