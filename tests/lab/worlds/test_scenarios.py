"""The nine scenarios of HTC 4.4.1."""

from random import Random

import pytest

from roost.lab.worlds.lifetimes import Model, stable
from roost.lab.worlds.scenarios import LENGTHS_S, SCENARIOS, SYSTEMS, Scenario, draw_work, nodes_of


def test_there_are_nine_for_each_kind_of_failures() -> None:
    assert len(SCENARIOS) == 18
    assert len({(one.system, one.workload) for one in SCENARIOS}) == 9


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_has_its_share_of_stable_nodes_and_no_order_tells_them_apart(system: str) -> None:
    nodes = nodes_of(Scenario(system, "small", Model.EXPONENTIAL), 100)
    assert sum(one == stable(Model.EXPONENTIAL) for one in nodes) == round(100 * SYSTEMS[system])
    half = [sum(one == stable(Model.EXPONENTIAL) for one in part) for part in (nodes[:50], nodes[50:])]
    assert abs(half[0] - half[1]) <= 1


@pytest.mark.parametrize("workload", LENGTHS_S)
def test_a_workload_is_as_long_as_asked_and_four_fifths_of_its_tasks_are_of_its_kind(workload: str) -> None:
    work = draw_work(workload, 2e7, 1.0, Random("work"))
    assert 2e7 <= sum(one.stated_s for one in work) < 2e7 + 25_000.0
    low, high = LENGTHS_S[workload]
    assert sum(low <= one.stated_s <= high for one in work) / len(work) == pytest.approx(0.8, abs=0.05)
    assert all(one.length_s == one.stated_s for one in work)


def test_with_k_what_is_stated_is_wrong_by_up_to_that_factor() -> None:
    work = draw_work("medium", 1e7, 3.0, Random("work"))
    ratios = [one.length_s / one.stated_s for one in work]
    assert 1 / 3 <= min(ratios) < 0.4
    assert 2.9 < max(ratios) <= 3.0
    # Uniform between l/3 and 3l: 5/3 on average.
    assert sum(ratios) / len(ratios) == pytest.approx(5 / 3, rel=0.05)
