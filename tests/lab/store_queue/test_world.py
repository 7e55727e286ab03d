"""Workers that share a queue on a store: who runs what, and how often two run one task."""

import math
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from statistics import fmean, variance
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.store_queue.measures import Execution
from roost.lab.store_queue.store import StoreTimes
from roost.lab.store_queue.workload import Arrival
from roost.lab.store_queue.world import Claim, Looks, QueueTimes, World

#: Far behind, so that much collides.
BEHIND = StoreTimes(operation_s=0.01, spread_s=0.03)
CLAIMS: Sequence[Claim] = get_args(Claim)


def lived(
    nodes: int,
    work: Sequence[Arrival],
    claim: Claim = "table",
    store: StoreTimes = BEHIND,
    seed: int = 1,
    **times: float,
) -> list[Execution]:
    return World(nodes, work, claim, QueueTimes(**times), store, f"{seed}").run()


def collisions(executions: Sequence[Execution]) -> int:
    return len(executions) - len({one.task for one in executions})


def evenly(count: int, every_s: float, length_s: float) -> list[Arrival]:
    return [Arrival(at * every_s, length_s) for at in range(count)]


def test_one_worker_runs_all_tasks_in_the_order_in_which_they_came() -> None:
    executions = lived(1, evenly(20, 0.5, 1.0))
    assert [one.task for one in executions] == list(range(20))
    assert all(before.ended_s < after.began_s for before, after in pairwise(executions))


@given(st.integers(0, 10_000), st.sampled_from(CLAIMS), st.integers(1, 8), st.floats(0.0, 2.0))
@settings(max_examples=40, deadline=None)
def test_each_task_is_run_and_no_worker_runs_two_at_a_time(seed: int, claim: Claim, nodes: int, every_s: float) -> None:
    work = evenly(30, every_s, 1.0)
    executions = lived(nodes, work, claim, seed=seed)
    assert {one.task for one in executions} == set(range(30))
    assert all(one.began_s > work[one.task].at_s and one.ended_s == one.began_s + 1.0 for one in executions)
    for worker in range(nodes):
        own = [one for one in executions if one.worker == worker]
        assert all(before.ended_s < after.began_s for before, after in pairwise(own))
    if claim == "conditional":
        assert collisions(executions) == 0


def test_the_table_lets_less_collide_than_nothing_and_conditional_writes_let_nothing_collide() -> None:
    work = evenly(200, 5.0, 1.0)
    found = {claim: collisions(lived(10, work, claim)) for claim in CLAIMS}
    assert found["none"] > 2 * found["table"] > 0
    assert found["conditional"] == 0


def test_nothing_collides_in_the_table_if_most_are_asked_after_a_window_that_all_writes_fit_in() -> None:
    work = evenly(300, 5.0, 1.0)
    quorum = StoreTimes(operation_s=0.01, spread_s=0.03, consistency="quorum")
    assert collisions(lived(10, work, store=quorum, clock_s=0.0, window_s=1.0)) == 0
    # Each of the three alone does not do.
    assert collisions(lived(10, work, store=quorum, clock_s=0.0)) > 0
    assert collisions(lived(10, work, store=quorum, clock_s=0.3, window_s=0.0)) > 0
    assert collisions(lived(10, work, store=BEHIND, clock_s=0.0, window_s=0.0)) > 0


def test_clocks_that_differ_let_more_collide() -> None:
    work = evenly(300, 5.0, 1.0)
    none, much = (collisions(lived(10, work, clock_s=clock_s)) for clock_s in (0.0, 0.1))
    assert much > 1.5 * none


def test_more_idle_workers_let_more_collide() -> None:
    work = evenly(300, 5.0, 1.0)
    few, many = (collisions(lived(nodes, work, poll_s=2.0)) for nodes in (4, 16))
    assert many > 2 * few > 0


def test_idle_workers_that_keep_to_their_own_moments_are_used_less_evenly() -> None:
    def variance_of_tasks(looks: Looks) -> float:
        times = QueueTimes(poll_s=2.0, looks=looks)
        executions = World(10, evenly(300, 5.03, 1.0), "conditional", times, BEHIND, "1").run()
        return variance([sum(one.worker == worker for one in executions) for worker in range(10)])

    assert variance_of_tasks("by the clock") > 3 * variance_of_tasks("at any moment")


def test_a_claim_takes_as_long_as_its_operations() -> None:
    work = evenly(100, 5.0, 1.0)
    store = StoreTimes(operation_s=0.01, spread_s=1e-9, busy_s=0.0)
    scheduling = {claim: fmean(one.scheduling_s for one in lived(1, work, claim, store)) for claim in CLAIMS}
    # Each reads the queue and removes the task; between the two it reads and writes, or writes under a condition.
    assert scheduling["none"] == pytest.approx(0.02, rel=0.1)
    assert scheduling["table"] == pytest.approx(0.04, rel=0.1)
    assert scheduling["conditional"] == pytest.approx(0.06, rel=0.1)
    assert fmean(one.scheduling_s for one in lived(1, work, "table", store, window_s=0.5)) == pytest.approx(
        0.54, rel=0.1
    )


def test_the_same_seed_brings_the_same_and_another_something_else() -> None:
    work = evenly(50, 0.3, 1.0)
    assert lived(5, work) == lived(5, work)
    assert lived(5, work) != lived(5, work, seed=2)


def test_waiting_is_what_erlangs_formula_says_when_the_store_takes_no_time() -> None:
    servers, load, mean_s = 4, 0.8, 10.0
    rng, now, work = Random(5), 0.0, []
    for _ in range(30_000):
        now += rng.expovariate(servers * load / mean_s)
        work.append(Arrival(now, rng.expovariate(1 / mean_s)))
    store = StoreTimes(operation_s=1e-6, spread_s=1e-9, busy_s=0.0)
    executions = lived(servers, work, "conditional", store, poll_s=1e-3)
    offered = servers * load
    terms = [offered**k / math.factorial(k) for k in range(servers)]
    all_busy = offered**servers / math.factorial(servers) / (1 - load)
    expected_s = all_busy / (sum(terms) + all_busy) * mean_s / (servers * (1 - load))
    assert fmean(one.began_s - work[one.task].at_s for one in executions) == pytest.approx(expected_s, rel=0.1)
