"""English and Spanish: which of them people are spoken to in, by each host, and how translations are kept."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from Emulator.app_codes import code_at
from Emulator.client import EmulatorClient

from .agent_process import AgentProcess
from .challenges import APP, SECRET
from .hosts import Session, Sshd, login, su
from .machine import Machine
from .product import LOCAL, RIGHT, WRONG, Product

ROOT = Path(__file__).resolve().parents[2]

ENGLISH = ("Code from your authenticator app (TOTP device): ", "Signed in to Cognito as alice for up to 30 days.")
SPANISH = (
    "Código de su aplicación de autenticación (TOTP device): ",
    "Sesión iniciada en Cognito como alice, para 30 días como máximo.",
)
LOCALE = "/etc/default/locale"
#: What somebody could have us read who must not.
HOSTILE = {
    "LANGUAGE": "es",
    "NLSPATH": "/tmp/%N",
    "LOCPATH": "/tmp/locale",
    "TEXTDOMAINDIR": "/tmp",
}


@pytest.fixture(scope="module")
def pool(product: Product) -> Iterator[None]:
    """alice, with a second factor: something is asked."""
    product.emulator.note_secret("password", WRONG)
    with product.other_pool(APP):
        product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
        yield


@pytest.fixture(autouse=True)
def without_locale(machine: Machine) -> Iterator[None]:
    with machine.preserved(LOCALE, "/etc/locale.conf"):
        machine.remove(LOCALE)
        machine.remove("/etc/locale.conf")
        yield


@pytest.fixture(scope="module")
def locales(machine: Machine) -> None:
    """A Spanish and an English locale that hosts can set: by name alone they differ from C.UTF-8."""
    for name in ("es_ES.utf8", "es", "en_US.utf8"):
        for file in Path("/usr/lib/locale/C.utf8").rglob("*"):
            if file.is_file():
                inside = f"/usr/lib/locale/{name}/{file.relative_to('/usr/lib/locale/C.utf8')}"
                machine.write(inside, file.read_bytes().decode("latin-1").encode("latin-1"))


@pytest.fixture(autouse=True)
def codes_again(emulator: EmulatorClient) -> None:
    """All these tests share one user, who would run out of codes."""
    emulator.switch(refuse_totp_replay=False)


def code(prompt: str) -> str:
    return code_at(SECRET, time.time())


def assert_speaks(session: Session, texts: tuple[str, str], first: str = "Password: ") -> None:
    session.visit()
    assert first in session.prompts[0]
    assert session.prompts[1].endswith(texts[0])
    assert texts[1] in session.seen


@pytest.mark.parametrize(
    ("files", "texts"),
    [
        ({}, ENGLISH),
        ({LOCALE: "LANG=es_ES.UTF-8\n"}, SPANISH),
        ({LOCALE: 'LANG="es_ES.UTF-8"\nLC_MESSAGES=C.UTF-8\n'}, ENGLISH),
        ({"/etc/locale.conf": "LANG=es_MX.UTF-8\n"}, SPANISH),
        ({LOCALE: "LANG=fr_FR.UTF-8\n"}, ENGLISH),
        ({LOCALE: "\0" * 100 + "LANG=../../es\nLANGUAGE=es\n"}, ENGLISH),
    ],
    ids=["none", "es", "messages", "locale.conf", "unknown", "nonsense"],
)
def test_ssh_speaks_the_machines_language(
    machine: Machine, pool: None, sshd: Sshd, files: dict[str, str], texts: tuple[str, str]
) -> None:
    for path, content in files.items():
        machine.write(path, content, 0o644)
    assert_speaks(sshd.open("alice", RIGHT, code, method="keyboard-interactive"), texts)


def test_a_file_that_others_can_write_is_not_believed(machine: Machine, pool: None, sshd: Sshd) -> None:
    machine.write(LOCALE, "LANG=es_ES.UTF-8\n", 0o666)
    assert_speaks(sshd.open("alice", RIGHT, code, method="keyboard-interactive"), ENGLISH)


def test_prompts_are_translated_where_that_is_asked_for(
    machine: Machine, product: Product, pool: None, sshd: Sshd
) -> None:
    machine.write(LOCALE, "LANG=es_ES.UTF-8\n", 0o644)
    product.configure(client_secret_file=None, translate_prompts="yes")
    assert_speaks(sshd.open("alice", RIGHT, code, method="keyboard-interactive"), SPANISH, first="Contraseña: ")


@pytest.mark.parametrize(
    ("environment", "system", "texts"),
    [
        ({"LC_ALL": "es_ES.UTF-8"}, "", SPANISH),
        ({"LC_ALL": "es"}, "", SPANISH),
        ({"LC_ALL": "en_US.UTF-8"}, "LANG=es_ES.UTF-8\n", ENGLISH),
        ({"LC_ALL": "C"}, "LANG=es_ES.UTF-8\n", SPANISH),
        ({"LC_ALL": "xx_XX.UTF-8"}, "", ENGLISH),
        ({"LC_ALL": "en_US.UTF-8", **HOSTILE}, "", ENGLISH),
        ({"LC_ALL": "C", **HOSTILE}, "", ENGLISH),
    ],
    ids=["es_ES", "es", "en", "none", "unknown", "hostile", "hostile without"],
)
def test_su_speaks_its_own_language(
    machine: Machine, pool: None, locales: None, environment: dict[str, str], system: str, texts: tuple[str, str]
) -> None:
    if system:
        machine.write(LOCALE, system, 0o644)
    # su wants no word after the sign-in (PAM_SILENT).
    assert_speaks(su(machine, "bob", "alice", RIGHT, code, env=environment), (texts[0], ""))


def test_login_speaks_its_own_language(machine: Machine, pool: None, locales: None) -> None:
    assert_speaks(login(machine, "alice", RIGHT, code, env={"LANG": "es_ES.UTF-8"}), SPANISH)


def test_the_tool_and_its_agent_speak_the_persons(machine: Machine, product: Product, pool: None, sshd: Sshd) -> None:
    with AgentProcess(machine), sshd.open("bob", LOCAL) as session:
        said = session.command("LC_ALL=es_ES.UTF-8 cognito-session").output
        assert "No hay tokens de Cognito en esta sesión." in said
        assert "There are no Cognito tokens" in session.command("LC_ALL=C LANGUAGE=es cognito-session").output
        # What the agent says of itself, to somebody who is not Cognito's.
        said = session.command("LANG=es_ES.UTF-8 LC_ALL= cognito-session sign-in").output
        assert "Esta cuenta no inicia sesión con Cognito en este equipo." in said
        said = session.command("LANG=en_US.UTF-8 LC_ALL= cognito-session sign-in").output
        assert "This account does not sign in with Cognito on this machine." in said
        session.logout()


def test_the_log_is_english(machine: Machine, pool: None, sshd: Sshd) -> None:
    machine.write(LOCALE, "LANG=es_ES.UTF-8\n", 0o644)
    mark = machine.log_mark()
    with sshd.open("alice", RIGHT, code, method="keyboard-interactive") as session:
        session.logout()
    machine.wait_until(lambda: machine.log(mark, containing="signed out;"), "the line of the logout")
    lines = machine.lines(mark, containing="user='alice'")
    assert any(": signed in;" in line for line in lines), lines
    assert not [line for line in lines if re.search(r"[áéíóúñ¿]|sesión", line)]


def test_programs_that_nobody_calls_speak_the_callers(machine: Machine, product: Product) -> None:
    environment = {"LC_ALL": "es_ES.UTF-8"}
    said = machine.run(["/usr/libexec/pam-cognito/cognito-agent", "--help"], env=environment, check=True).stdout
    assert said.startswith("Uso: cognito-agent reap") and "/run/pam-cognito/agent.sock" in said
    for program, complaint in (("cognito-agent", "se esperaba"), ("cognito-worker", "No tiene opciones")):
        refused = machine.run([f"/usr/libexec/pam-cognito/{program}", "nonsense"], env=environment)
        assert refused.returncode == 64 and complaint in refused.stderr


def test_the_module_says_only_what_is_in_its_own_table() -> None:
    """The rest of the translations is left out of it, for its size."""
    others = {}
    for folder in ("Sessions", "Module"):
        for file in (ROOT / "Sources" / folder).rglob("*.swift"):
            names = set(re.findall(r"\b(\w*Wording)\.", file.read_text())) - {"Wording"}
            if names:
                others[file.name] = names
    assert others == {}


# The catalogue


def catalogue(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [folder / "packaging/po/catalogue", *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what the catalogue is made from."""
    for folder in ("packaging/po", "Sources/Messages"):
        (tmp_path / folder).mkdir(parents=True)
        for file in (ROOT / folder).iterdir():
            (tmp_path / folder / file.name).write_bytes(file.read_bytes())
            (tmp_path / folder / file.name).chmod(os.stat(file).st_mode)
    return tmp_path


def test_the_table_is_that_of_today() -> None:
    checked = catalogue(ROOT, "--check")
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("source", "english"),
    [
        ('    static let fresh: Phrase = "Not translated yet."\n', ["Not translated yet."]),
        ('    static let fresh = text("Fresh " + "and new {0}.")\n', ["Fresh and new {0}."]),
        (
            '    static func fresh(_ a: Int64) -> String { plural(a, one: "a goat", other: "\\(a) goats") }\n',
            ["a goat", "{0} goats"],
        ),
    ],
    ids=["phrase", "joined", "plural"],
)
def test_a_text_without_a_translation_is_listed(sources: Path, source: str, english: list[str]) -> None:
    """It is no mistake: the table has no line for it, so that its English form is shown (PhraseTests)."""
    file, table = sources / "Sources/Messages/Wording.swift", sources / "Sources/Messages/Spanish.swift"
    before, listed = table.read_text(), catalogue(sources, "--check").stdout.splitlines()
    file.write_text(file.read_text().replace("package enum Wording {\n", "package enum Wording {\n" + source, 1))
    assert catalogue(sources).returncode == 0
    assert table.read_text() == before
    checked = catalogue(sources, "--check")
    assert (checked.returncode, checked.stderr) == (0, "")
    new = [line for line in checked.stdout.splitlines() if line not in listed]
    assert new == [f"not translated: {text!r}" for text in english]


def test_another_text_is_another_line(sources: Path) -> None:
    texts, po, table = (
        sources / path
        for path in ("Sources/Messages/Wording.swift", "packaging/po/es.po", "Sources/Messages/Spanish.swift")
    )
    before = table.read_text().splitlines()
    first = "package enum Wording {\n"
    texts.write_text(texts.read_text().replace(first, first + '    static let fresh: Phrase = "Translated here."\n', 1))
    po.write_text(po.read_text() + '\nmsgid "Translated here."\nmsgstr "Traducido aquí."\n')
    assert catalogue(sources).returncode == 0
    after = table.read_text().splitlines()
    added = [line for line in after if "Traducido aquí." in line]
    assert len(added) == 1
    assert [line for line in after if line not in added] == before
    assert catalogue(sources, "--check").returncode == 0


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ('    package static let forgotten: StaticString = "Nobody translates this."\n', "neither a Phrase nor"),
        ('    package static var forgotten: String { "Nobody translates this." }\n', "neither a Phrase nor"),
        ('    package static let forgotten: Phrase = "Not \\(this)."\n', "no interpolation"),
        ('    package static func fresh(_ a: Int) -> String { plural(a, one: "a goat") }\n', "has no plural"),
        ('    // Of comments it takes "no notice".\n', ""),
    ],
    ids=["static", "computed", "interpolated", "singular", "comment"],
)
def test_no_text_is_forgotten(sources: Path, source: str, complaint: str) -> None:
    file = sources / "Sources/Messages/Wording.swift"
    file.write_text(file.read_text().replace("package enum Wording {\n", "package enum Wording {\n" + source, 1))
    checked = catalogue(sources, "--check")
    assert (checked.returncode == 0) == (not complaint), checked.stderr
    assert complaint in checked.stderr


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("Código enviado por SMS a {0}: ", "Código enviado por SMS: ", "argument '0' doesn't exist"),
        ("Código enviado por SMS a {0}: ", "Código enviado por SMS a {1}: ", "argument '0' doesn't exist"),
        ("Código enviado por SMS a {0}: ", "Código enviado por SMS a {0}:", "ends in a blank"),
        ('"No se ha escrito nada.\\n"', '"No se ha escrito nada."', "end with"),
        ("No se ha escrito nada.", "Nada se ha escrito.", "not up to date"),
        ("plural=(n != 1)", "plural=(n > 1)", "plural"),
    ],
    ids=["lost", "another", "blank", "line end", "stale", "plurals"],
)
def test_translations_agree_with_their_texts(sources: Path, before: str, after: str, complaint: str) -> None:
    file = sources / "packaging/po/es.po"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after, 1))
    checked = catalogue(sources, "--check")
    assert checked.returncode == 1
    assert complaint in checked.stderr
