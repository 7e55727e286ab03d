"""HTC figure 4.11: what tasks lose with Weibull failures."""

from tests.lab.compiled.kept_results import TINY, report_of


def test_it_has_its_rows_and_panels() -> None:
    report = report_of("htc-fig-4.11", TINY)
    assert (len(report.rows), len(report.figures[0].panels)) == (46, 9)
