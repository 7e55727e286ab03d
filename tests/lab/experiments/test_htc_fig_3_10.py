"""HTC figure 3.10."""

from roost.lab.experiments.htc_fig_3_9 import EXPERIMENT as ANTI_ENTROPY
from roost.lab.experiments.htc_fig_3_10 import EXPERIMENT
from tests.lab.availability.running import reported, reproduced


def test_availability_and_time_to_failure_grow_with_the_chance_at_each_rate() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    for what in ("availability", "MTTF"):
        assert reproduced(report, f"steps of the chance at which the {what} grows") == 20


def test_its_lowest_curves_are_those_of_figure_3_9() -> None:
    own, other = (reported(one, one.quick).figures[0].panels for one in (EXPERIMENT, ANTI_ENTROPY))
    assert [panel.series[0].y for panel in own] == [panel.series[0].y for panel in other]
