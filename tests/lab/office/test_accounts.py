"""Which cells of LAN's tables do not agree."""

import pytest

from roost.lab.office.accounts import faster_than_shared, gaps, lost_per_failure_min, of_waits


def test_a_chain_is_eight_minutes_and_four_waits() -> None:
    assert of_waits(0.0) == 8.0
    assert of_waits(11.01) == pytest.approx(52.03, abs=0.02)


def test_all_of_ten_workflows_agree_and_nearly_none_of_five() -> None:
    wrong = [(gap.nodes, gap.workflows) for gap in gaps() if not gap.agrees]
    assert wrong == [(2, 5), (2, 15), *((nodes, 5) for nodes in range(3, 10))]


def test_two_nodes_are_published_as_nearly_three_times_as_fast_as_one() -> None:
    found = {(nodes, count): times for nodes, count, times in faster_than_shared()}
    assert found[2, 5] == pytest.approx(2.77, abs=0.01)
    assert (9, 5) not in found
    assert not any(nodes == 1 for nodes, _ in found)


def test_each_failure_costs_about_the_same() -> None:
    assert [round(lost_per_failure_min(failing), 2) for failing in (8, 5, 2)] == [2.58, 2.82, 2.8]
