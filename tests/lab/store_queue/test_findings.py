"""Results of settings, by measure."""

from typing import Any

import pytest

from roost.lab.experiment import Cell
from roost.lab.experiments.htc_2_5 import EXPERIMENT
from roost.lab.store_queue.findings import Found, cell_of, largest
from roost.lab.store_queue.measures import Outcome
from roost.lab.store_queue.runs import Average
from roost.lab.store_queue.settings import Settings


class Two:
    """Results in which two runs have come out alike wherever one asks."""

    def of(self, cell: Cell[Any]) -> Any:
        def outcome(share: float) -> Outcome:
            return Outcome(
                utilisation=share,
                deviation=0.02,
                utilisation_while_tasks_come=1.0,
                slowdown=3.0,
                scheduling_s=0.01,
                collisions=0.5,
                in_vain=0.5,
            )

        return (outcome(0.8), outcome(0.9))


def test_shares_come_as_percent_and_times_as_seconds() -> None:
    settings = Settings(EXPERIMENT.quick, 1)
    found, setting = Found(settings, Two()), settings.one(20, 1.0)
    assert found.utilisation(setting).mean == pytest.approx(85.0)
    assert found.utilisation(setting).error == pytest.approx(12.706 * 5.0, rel=1e-3)
    assert found.deviation(setting).mean == pytest.approx(2.0)
    assert found.collisions(setting).mean == pytest.approx(50.0)
    assert (found.slowdown(setting).mean, found.scheduling_s(setting).mean) == (3.0, 0.01)


def test_the_largest_is_by_mean() -> None:
    assert largest([Average(1.0, 9.0), Average(2.0, 0.0)]) == Average(2.0, 0.0)


def test_what_takes_longer_costs_more() -> None:
    settings = Settings(EXPERIMENT.quick, 1)
    costs = [cell_of(settings.one(nodes, load)).cost for nodes, load in ((10, 2.0), (80, 2.0), (80, 0.2))]
    assert costs == sorted(costs)
