"""Trials of policies, and comparisons between them."""

from typing import Any

import pytest
from scipy.stats import ttest_rel

from roost.lab.experiment import Cell
from roost.lab.worlds.desktop_trials import Average, Bag, Found, Trials, average, make_span
from roost.lab.worlds.desktops import Lived, Trial
from roost.lab.worlds.populations import Day, Knobs

TRIALS = Trials(
    populations=("mixed", "office"),
    workloads=("small",),
    policies=("fcfs", "bfgc", "roost"),
    nodes=10,
    tasks_per_node=5,
    seeds=4,
    seed=1,
    knobs=Knobs(),
    day=Day((((0.0, 10.0),),), 24.0),
)
SPANS = {"fcfs": (2.0, 2.2, 2.1, 2.4), "bfgc": (1.5, 1.4, 1.6, 1.5), "roost": (1.4, 1.35, 1.55, 1.38)}


class Made:
    """Results that are made up: the same ones for each population."""

    def of(self, cell: Cell[Any]) -> Any:
        assert isinstance(cell.argument, Trial)
        return tuple(
            Lived(
                make_span=span,
                make_span_999=span,
                wasted=0.1,
                given_up=0,
                jain=0.8,
                jain_by_time=0.9,
                variance=2.0,
            )
            for span in SPANS[cell.argument.policy]
        )


FOUND = Found(TRIALS, Made())
BAG = Bag("mixed", "small")


def test_each_population_workload_and_policy_has_a_cell() -> None:
    labels = [cell.label for cell in TRIALS.cells()]
    assert len(labels) == len(set(labels)) == 6
    assert "office, small, roost" in labels


def test_only_the_office_depends_on_the_trace() -> None:
    mixed, office = (TRIALS.cell(Bag(name, "small"), "fcfs").argument for name in ("mixed", "office"))
    assert isinstance(mixed, Trial)
    assert isinstance(office, Trial)
    assert (mixed.day.machines, office.day) == ((), TRIALS.day)


def test_policies_come_with_the_soonest_first() -> None:
    assert FOUND.by_make_span(BAG, TRIALS.policies) == ["roost", "bfgc", "fcfs"]
    assert FOUND.mean(BAG, "bfgc", make_span).mean == pytest.approx(1.5)


def test_two_policies_are_compared_seed_by_seed() -> None:
    later = FOUND.later(BAG, "roost", "bfgc")
    ratios = [100 * (one / two - 1) for one, two in zip(SPANS["roost"], SPANS["bfgc"], strict=True)]
    low, high = ttest_rel(ratios, [0.0] * 4).confidence_interval(0.95)
    assert (later.mean - later.error, later.mean + later.error) == (pytest.approx(low), pytest.approx(high))


def test_what_chance_explains_is_not_clear() -> None:
    assert not average([1.0, -0.5, 0.2]).is_clear
    assert average([1.0, 1.1, 1.2]).is_clear
    assert Average(-2.0, 1.0).is_clear
