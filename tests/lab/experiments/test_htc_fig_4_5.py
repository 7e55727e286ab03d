"""HTC figure 4.5: use of all nodes."""

from tests.lab.compiled.kept_results import TINY, report_of


def test_it_has_its_rows_and_panels() -> None:
    report = report_of("htc-fig-4.5", TINY)
    assert (len(report.rows), len(report.figures[0].panels)) == (20, 9)
