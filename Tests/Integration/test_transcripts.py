"""The transcripts and the pictures of terminals in the documents are what the product says now."""

from .transcripts import FOLDER, PAGE, files, masked


def test_transcripts_and_pictures_are_those_of_a_run() -> None:
    made = files()
    assert set(made) == {PAGE, "login.svg", "status.svg", "doctor.svg"}
    assert {name: masked((FOLDER / name).read_text()) for name in made} == {
        name: masked(text) for name, text in made.items()
    }
