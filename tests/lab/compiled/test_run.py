"""Worlds of any nodes and work."""

import numpy as np
import pytest

from roost.lab.compiled.run import Lives, run
from roost.lab.worlds.published import PUBLISHED


def lives(count: int, up_s: float, speed: float = 1.0) -> Lives:
    ones = np.ones(count)
    return Lives(up_s * ones, 0.7 * ones, 500.0 * ones, 0.5 * ones, speed * ones)


@pytest.mark.parametrize("policy", PUBLISHED)
def test_nodes_that_are_twice_as_fast_and_never_fail_take_half_the_time(policy: str) -> None:
    length = np.full(40, 1000.0)
    slow, fast = (run(policy, lives(4, 1e15, speed), length, length, seed=1) for speed in (1.0, 2.0))
    waits = 0.0 if slow.world[0]["window_s"] == 0 else 100.0
    assert slow.world[0]["now"] - waits == pytest.approx(2 * (fast.world[0]["now"] - waits))


def test_time_that_is_spent_is_time_that_there_is() -> None:
    length = np.linspace(100.0, 9000.0, 200)
    nodes = run("bfgc", lives(10, 20_000.0), length, length, seed=4).nodes
    assert nodes["useful_s"].sum() == pytest.approx(length.sum())
    assert np.all(nodes["useful_s"] + nodes["wasted_s"] <= nodes["online_s"] + 1e-6)


@pytest.mark.parametrize("policy", ["fcfs", "bfgc", "fr", "wqr-2"])
def test_nodes_that_stay_twice_as_long_take_no_longer_on_average(policy: str) -> None:
    length = np.linspace(100.0, 9000.0, 100)
    spans = [
        sum(run(policy, lives(10, up_s), length, length, seed=seed).world[0]["now"] for seed in range(30))
        for up_s in (8000.0, 16_000.0)
    ]
    assert spans[1] < spans[0]
