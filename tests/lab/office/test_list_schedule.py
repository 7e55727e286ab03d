"""The floor that make-spans on a real mesh are compared with."""

import pytest

from roost.lab.office.list_schedule import Workflow, makespans

LOW = (False,) * 4
URGENT = (True,) * 4


def test_a_chain_alone_takes_the_time_of_its_tasks() -> None:
    assert makespans([Workflow(3.0, LOW)], lanes=9, seconds=2.0) == [8.0]


def test_with_a_lane_for_each_nobody_waits() -> None:
    assert makespans([Workflow(0.1 * number, LOW) for number in range(9)], 9, 2.0) == pytest.approx([8.0] * 9)


def test_one_lane_does_one_task_after_the_other_first_come_first_served() -> None:
    assert makespans([Workflow(0.0, LOW), Workflow(0.0, LOW)], 1, 2.0) == [8.0, 16.0]


def test_the_last_of_ten_chains_fills_the_gaps_that_nine_lanes_leave_it() -> None:
    spans = makespans([Workflow(0.0, LOW)] * 10, 9, 2.0)
    assert spans == [8.0] * 9 + [16.0]


def test_interactive_tasks_come_first_whenever_a_lane_is_free() -> None:
    assert makespans([Workflow(0.0, LOW), Workflow(1.0, URGENT)], 1, 2.0) == [16.0, 9.0]
    mixed = [Workflow(0.0, (False, False)), Workflow(0.0, (True, False))]
    assert makespans(mixed, 1, 2.0) == [6.0, 8.0]


def test_nothing_begins_before_it_arrives_though_lanes_were_free_earlier() -> None:
    assert makespans([Workflow(5.0, LOW), Workflow(5.0, LOW)], 3, 2.0) == [8.0, 8.0]


def test_a_lane_that_waits_for_the_next_arrival_is_idle_till_then() -> None:
    assert makespans([Workflow(0.0, (False,)), Workflow(10.0, (False,))], 1, 2.0) == [2.0, 2.0]


def test_all_work_is_done_and_never_on_more_lanes_than_there_are() -> None:
    spans = makespans([Workflow(0.0, LOW)] * 15, 9, 2.0)
    assert len(spans) == 15
    assert min(spans) == 8.0
    # 60 tasks on 9 lanes: at least seven rounds.
    assert max(spans) >= 14.0
