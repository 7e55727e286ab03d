"""The figure of make-spans, and its rows."""

from roost.lab.compiled.make_spans import PUBLISHED_REDUCTIONS, make_span_figure, reduction_rows, word_rows
from roost.lab.compiled.nine_scenarios import ALL_POLICIES, Nine
from tests.lab.compiled.kept_results import TINY, KeptResults


def test_nine_panels_have_a_bar_for_each_policy() -> None:
    figure = make_span_figure(Nine(TINY, 1), KeptResults(), "title")
    assert (len(figure.panels), figure.columns) == (9, 3)
    for panel in figure.panels:
        assert all(series.x == ALL_POLICIES for series in panel.series)
        whole, nearly, ideal = (series.y for series in panel.series)
        assert all(one >= other for one, other in zip(whole, nearly, strict=True))
        assert set(ideal) == {5e5}


def test_published_reductions_stand_beside_what_came_out() -> None:
    rows = list(reduction_rows(Nine(TINY, 1), KeptResults(), PUBLISHED_REDUCTIONS))
    assert [row.published for row in rows if row.published is not None] == list(PUBLISHED_REDUCTIONS)
    assert len(rows) == 18


def test_words_of_the_text_have_rows() -> None:
    rows = list(word_rows(Nine(TINY, 1), KeptResults()))
    assert {"very similar", "even worse", "better in groups"} <= {row.published for row in rows}
