"""HTC figure 4.3: the size of a group."""

from roost.lab.experiments.htc_fig_4_3 import Groups
from tests.lab.compiled.kept_results import TINY, report_of


def test_throughput_and_waiting_are_drawn_by_size_of_group() -> None:
    report = report_of("htc-fig-4.3", Groups(TINY.nodes, TINY.work_s, TINY.repetitions, (2, 10, 50)))
    assert [series.x for panel in report.figures[0].panels for series in panel.series] == [(2, 10, 50)] * 3
    assert len(report.rows) == 3
