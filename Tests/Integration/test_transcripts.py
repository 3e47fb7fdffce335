"""The transcripts of the documents are what the product says now."""

from .transcripts import PAGE, masked, page


def test_page_of_transcripts_is_that_of_a_run() -> None:
    assert masked(PAGE.read_text()) == masked(page())
