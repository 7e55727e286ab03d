"""HTC figure 4.7: what tasks lose."""

from tests.lab.compiled.kept_results import TINY, report_of


def test_it_has_its_rows_and_panels() -> None:
    report = report_of("htc-fig-4.7", TINY)
    assert (len(report.rows), len(report.figures[0].panels)) == (46, 9)
