"""HTC figure 4.8: make-spans with Weibull failures."""

from tests.lab.compiled.kept_results import TINY, report_of


def test_it_compares_bfgc_with_fr_in_each_scenario() -> None:
    report = report_of("htc-fig-4.8", TINY)
    assert sum(row.published == "at most 0.2" for row in report.rows) == 9
    assert len(report.figures[0].panels) == 9
