"""Who gets what where several are idle; test_engine.py compares all of it with the plain world."""

import numpy as np
import pytest

from roost.lab.compiled.run import Lives, run
from roost.lab.worlds.reading import Looks, Reading

FOREVER = 1e15


def begins(policy: str, nodes: int, tasks: int, reading: Reading) -> list[tuple[float, int]]:
    ones = np.ones(nodes)
    lives = Lives(FOREVER * ones, ones, ones, ones, ones)
    length = np.linspace(100.0, 200.0, tasks)
    state = run(policy, lives, length, length, seed=3, reading=reading, pieces=100)
    kept = state.pieces[: state.world[0]["traced"]]
    return sorted((float(one["began"]), int(one["task"])) for one in kept)


@pytest.mark.parametrize("policy", ["ec", "bfc", "egc", "bfgc", "bfgce"])
def test_one_contest_gives_all_that_are_idle_something(policy: str) -> None:
    assert begins(policy, 20, 20, Reading()) == [(10.0, task) for task in range(20)]


@pytest.mark.parametrize("policy", ["fr", "wqr-2", "wqr-fa-4"])
def test_a_central_scheduler_does_so_at_once(policy: str) -> None:
    first = begins(policy, 20, 20, Reading())[:20]
    assert first == [(0.0, task) for task in range(20)]


@pytest.mark.parametrize("looks", ["retry", "own", "all"])
def test_a_long_queue_is_served_in_its_order(looks: Looks) -> None:
    assert [task for _, task in begins("fcfs", 3, 9, Reading(looks=looks))] == list(range(9))


def test_nodes_that_only_look_together_lose_time_between() -> None:
    times = [at for at, _ in begins("fcfs", 1, 3, Reading(looks="all"))]
    assert times == [0.0, 100.0, 250.0]
