"""HTC table 4.2."""

from tests.lab.compiled.kept_results import TINY, report_of


def test_all_forty_figures_of_the_table_have_a_row() -> None:
    rows = report_of("htc-4.2", TINY).rows
    assert len(rows) == 40
    assert {83.105, 17.324, 1812.231} <= {row.published for row in rows}
