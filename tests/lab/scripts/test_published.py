"""What the document says, checked against itself where it can be."""

import pytest

from roost.lab.scripts import published


def test_the_table_has_nine_lines_and_grows() -> None:
    for rates in (published.WEBWORKER, published.WEBCL):
        assert len(rates) == 9
        assert list(rates) == sorted(rates)
        assert list(rates.values()) == sorted(rates.values())


def test_the_sentences_agree_with_the_table() -> None:
    # "44 MFLOPS for WebWorker jobs and 186 MFLOPS for WebCL jobs", cut off.
    assert int(published.WEBWORKER[published.NEGLIGIBLE_SIZE]) == 44
    assert int(published.WEBCL[published.NEGLIGIBLE_SIZE]) == 186


def test_80_percent_is_what_the_document_divides() -> None:
    share = published.SARA_ATTAINED / published.SARA_THEORETICAL
    assert share == pytest.approx(published.SARA_SHARE, abs=0.005)
