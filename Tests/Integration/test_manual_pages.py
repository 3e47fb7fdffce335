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
    assert "Muestra el inicio de sesión." in page
    assert missing(sources) == before + 1
    # It is kept for whoever translates, and no more used than before.
    assert run(sources / "catalogue").returncode == 0
    assert "Escribe el nombre con el que Cognito conoce a la persona." in (sources / "es.po").read_text()
    assert made(sources).read_text() == page


def test_a_page_of_which_little_is_translated_is_not_made(sources: Path) -> None:
    assert made(sources).exists()
    shutil.rmtree(sources / "made")
    catalogue = sources / "es.po"
    whole = catalogue.read_text()
    first = whole.index("E<.Nm> muestra quién ha")
    catalogue.write_text(whole[:first] + re.sub(r'(?m)^msgstr "\w.*"$', 'msgstr ""', whole[first:]))
    assert not made(sources).exists()


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("Con E<.Fl -check> no dice nada", "No dice nada", "-check"),
        ("E<.Cm exec> encontró", "E<.Cm ejecuta> encontró", "ejecuta exec"),
        ("E<.Pa /dev/log>", "E<.Pa /dev/registro>", "/dev/log /dev/registro"),
        ('msgstr "Fl -show Ar usuario"', 'msgstr "Fl -mostrar Ar usuario"', "-mostrar -show"),
        ("de acceso E<.Pq Ql renewal_lost>", "de acceso", "renewal_lost"),
        ("ha revocado E<.Pq RevokeToken>", "ha revocado", "RevokeToken"),
    ],
)
def test_what_is_typed_is_the_same(sources: Path, right: str, wrong: str, told: str) -> None:
    catalogue = sources / "es.po"
    # The last one is in the translation.
    head, found, tail = catalogue.read_text().rpartition(right)
    assert found
    catalogue.write_text(head + wrong + tail)
    checked = run(sources / "catalogue", "--check")
    assert checked.returncode == 1
    assert checked.stderr.endswith(f"not in both languages: {told}\n")
