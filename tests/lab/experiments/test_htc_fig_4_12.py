"""HTC figure 4.12: wrong lengths."""

from roost.lab.compiled.wrong_lengths import WrongLengths
from tests.lab.compiled.kept_results import report_of


def test_three_scenarios_have_a_curve_for_each_policy_and_the_ideal() -> None:
    report = report_of("htc-fig-4.12", WrongLengths(20, 1e7, 1, (1.0, 3.0)))
    assert [len(panel.series) for panel in report.figures[0].panels] == [7, 7, 7]
    assert report.rows
