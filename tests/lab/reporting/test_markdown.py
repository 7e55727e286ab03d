"""What came out as a document."""

from roost.lab.reporting.markdown import markdown
from tests.lab.reporting.test_outcome import outcome


def test_the_document_has_an_overview_with_links_to_each_experiment() -> None:
    lines = markdown([outcome()], "Title", "today").splitlines()
    assert lines[:3] == ["# Title", "", "today"]
    assert "| [small](#small-squares) | TEST 1.2 | Squares | 2 | 1 | 1 |" in lines
    assert "## small: Squares" in lines
    assert "With quick parameters: up-to 2, factor 1, names a; seed 3." in lines


def test_each_figure_is_a_row_and_a_bar_in_a_text_is_no_border() -> None:
    lines = markdown([outcome()], "Title", "today").splitlines()
    assert "| 1 squared | 1 | 1 | 0 | 0.1 | m² | holds |  |" in lines
    assert "| nobody knows | - | 1.5 ± 0.2 | - | - |  |  |  |" in lines
    assert "| <b>differs</b> | 10 | 1 | -9 | 1 |  | differs | the other \\| one |" in lines


def test_tables_and_findings_are_there() -> None:
    text = markdown([outcome()], "Title", "today")
    assert "\nSquares grow.\n" in text
    assert "**Roots**\n\n| of | root |\n| --- | --- |\n| four | 2 |\n" in text
