"""The plain world of HTC chapter 4, by small examples that can be worked out by hand."""

import math
from collections.abc import Sequence

import pytest

from roost.lab.worlds.lifetimes import Churn
from roost.lab.worlds.published import CENTRAL, PUBLISHED, Chance, PublishedWorld
from roost.lab.worlds.reading import ATTEMPTS_MAX, Reading
from roost.lab.worlds.scenarios import Work
from roost.policy.catalogue import DEFAULT_POLICY, POLICIES
from roost.policy.reliability import Exponential

#: What is asked for is what is given: stays come from the test.
ANY = Churn(Exponential(1.0), Exponential(1.0))


def lived(
    policy: str, stays: Sequence[Sequence[float]], lengths: Sequence[float], reading: Reading | None = None
) -> PublishedWorld:
    def stay_s(node: int, turn: int) -> float:
        return stays[node][turn] if turn < len(stays[node]) else math.inf

    chance = Chance(stay_s, lambda task, node: (7 * task + 3 * node) % 11 / 11, lambda node, executions: node / 99)
    work = [Work(length, length) for length in lengths]
    world = PublishedWorld(policy, [ANY] * len(stays), work, reading or Reading(), chance)
    world.run()
    return world


def test_the_published_policies_are_all_but_the_default() -> None:
    assert set(PUBLISHED) == set(POLICIES) - {DEFAULT_POLICY}


def test_first_come_first_served_begins_at_once_and_goes_on_at_once() -> None:
    world = lived("fcfs", [()], [100.0, 50.0])
    assert [(one.element, one.begin_s, one.end_s) for one in world.pieces] == [(0, 0.0, 100.0), (1, 100.0, 150.0)]


@pytest.mark.parametrize("policy", PUBLISHED)
def test_a_competition_takes_a_window_and_a_central_scheduler_none(policy: str) -> None:
    begins = min(one.begin_s for one in lived(policy, [(), ()], [100.0]).pieces)
    assert begins == (0.0 if policy in CENTRAL or policy == "fcfs" else 10.0)


def test_an_aborted_task_goes_before_all_that_waits() -> None:
    # Node 0 leaves after 40 s with task 0, which node 1 takes before task 2.
    world = lived("fcfs", [(40.0,), ()], [100.0, 60.0, 60.0])
    assert [(one.node, one.element, one.begin_s) for one in world.pieces if one.is_done] == [
        (1, 1, 0.0),
        (1, 0, 60.0),
        (1, 2, 160.0),
    ]


def test_idle_nodes_look_again_together_and_who_became_idle_last_comes_first() -> None:
    # Task 0 is aborted at 43 s, when nodes 1 and 2 are idle since 5 and 25 s; all look every ten seconds.
    stays = [(43.0,), (), ()]
    lengths = [100.0, 5.0, 25.0]
    assert lived("fcfs", stays, lengths).pieces[-1][:3] == (2, 0, 50.0)
    assert lived("fcfs", stays, lengths, Reading(order="longest")).pieces[-1][:3] == (1, 0, 50.0)
    # By itself node 1 looks at 45 s: ten seconds each since it became idle.
    assert lived("fcfs", stays, lengths, Reading(looks="own")).pieces[-1][1:3] == (0, 45.0)


def test_an_aborted_task_is_seen_when_its_heartbeat_is_missed() -> None:
    world = lived("fcfs", [(43.0,), ()], [100.0, 5.0], Reading(unseen_s=20.0))
    assert world.pieces[-1][:3] == (1, 0, 70.0)


def test_a_task_that_never_ends_is_dropped() -> None:
    world = lived("fcfs", [(10.0, 1.0) * 200], [100.0])
    assert (world.dropped, world.executions) == (1, ATTEMPTS_MAX)


def test_the_first_of_several_executions_counts() -> None:
    world = lived("wqr-2", [(), ()], [100.0])
    assert [(one.end_s, one.is_done) for one in world.pieces] == [(100.0, True), (100.0, False)]
