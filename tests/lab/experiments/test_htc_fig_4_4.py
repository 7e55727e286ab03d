"""HTC figure 4.4: make-spans."""

from tests.lab.compiled.kept_results import TINY, report_of


def test_it_has_the_nine_reductions_and_says_who_is_served_first() -> None:
    report = report_of("htc-fig-4.4", TINY)
    assert [row.published for row in report.rows[:18:2]] == [1.37, 1.41, 3.33, 16.88, 16.97, 15.92, 19.13, 20.46, 17.79]
    assert len({row.what for row in report.rows}) == len(report.rows)
    assert len(report.figures[0].panels) == 9
    assert len(report.tables[0].rows) == 18
    assert any("served first" in finding for finding in report.findings)
