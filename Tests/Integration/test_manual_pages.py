"""The manual pages in Spanish: what is made of a translation that is whole, behind the English page, or wrong."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = "cognito-session.1"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what the pages are made from."""
    shutil.copytree(ROOT / "packaging/man", tmp_path / "packaging/man")
    return tmp_path / "packaging/man"


def run(program: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=120)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def made(sources: Path) -> Path:
    done = run(sources / "translated", sources / "made")
    assert done.returncode == 0, done.stderr
    return sources / "made/es/man1" / PAGE


def test_sections_are_those_that_people_and_groff_look_for(sources: Path) -> None:
    page = made(sources).read_text()
    sections = re.findall(r"^\.Sh (.*)$", page, re.MULTILINE)
    assert (sections[:3], sections[-1]) == (
        ["NOMBRE", "SINOPSIS", r"DESCRIPCI\['O]N"],
        r"V\['E]ASE TAMBI\['E]N",
    )
    # Each form of the command begins a line of its own.
    shown = subprocess.run(["man", "-E", "UTF-8", "-l", made(sources)], capture_output=True, text=True, check=True)
    assert len(re.findall(r"^ {5,7}cognito-session", shown.stdout, re.MULTILINE)) > 15
    known = subprocess.run(["lexgrog", "-m", made(sources)], capture_output=True, text=True, check=True).stdout
    assert '"cognito-session - muestra ' in known


def missing(sources: Path) -> int:
    """How many texts of the page the catalogue says are not translated."""
    checked = run(sources / "catalogue", "--check")
    assert checked.returncode == 0, checked.stderr
    said = re.search(rf"^{re.escape(PAGE)}: (\d+) of ", checked.stdout, re.MULTILINE)
    return int(said[1]) if said else 0


def test_a_changed_paragraph_is_in_english(sources: Path) -> None:
    before = missing(sources)
    edit(sources / PAGE, "Print the name under which", "Say the name by which")
    page = made(sources).read_text()
    assert "Say the name by which Cognito knows the person." in page
    assert "Muestra la versión." in page
    assert missing(sources) == before + 1
    # It is kept for whoever translates, and no more used than before.
    assert run(sources / "catalogue").returncode == 0
    assert "Escribe el nombre con el que Cognito conoce a la persona." in (sources / "es.po").read_text()
    assert made(sources).read_text() == page


def test_a_page_of_which_little_is_translated_is_not_made(sources: Path) -> None:
    assert made(sources).exists()
    shutil.rmtree(sources / "made")
    catalogue = sources / "es.po"
    catalogue.write_text(re.sub(r'(?m)^msgstr "\w.*"$', 'msgstr ""', catalogue.read_text()))
    assert not made(sources).exists()


@pytest.mark.parametrize(
    ("line", "english", "right", "wrong", "told"),
    [
        ("Zebras\n.Fl -run", "Zebras E<.Fl -run>", "Cebras E<.Fl -run>", "Cebras", "-run"),
        ("Zebras\n.Cm run", "Zebras E<.Cm run>", "Cebras E<.Cm run>", "Cebras E<.Cm correr>", "correr run"),
        ("Zebras\n.Pq Ql run_fast", "Zebras E<.Pq Ql run_fast>", "Cebras E<.Pq Ql run_fast>", "Cebras", "run_fast"),
        (
            "Zebras in /etc/run",
            "Zebras in /etc/run",
            "Cebras en /etc/run",
            "Cebras en /etc/correr",
            "/etc/correr /etc/run",
        ),
        ("Zebras by\n.Pq RunFast", "Zebras by E<.Pq RunFast>", "Cebras por E<.Pq RunFast>", "Cebras", "RunFast"),
    ],
)
def test_what_is_typed_is_the_same(sources: Path, line: str, english: str, right: str, wrong: str, told: str) -> None:
    with open(sources / PAGE, "a") as page:
        page.write(f".Pp\n{line}\n")
    whole = (sources / "es.po").read_text()
    for translation, complaint in ((right, ""), (wrong, f"not in both languages: {told}")):
        entry = f'\n#. type: Plain text\n#: packaging/man/{PAGE}\nmsgid "{english}"\nmsgstr "{translation}"\n'
        (sources / "es.po").write_text(whole + entry)
        checked = run(sources / "catalogue", "--check")
        assert (checked.returncode, complaint in checked.stderr) == (1 if complaint else 0, True)
