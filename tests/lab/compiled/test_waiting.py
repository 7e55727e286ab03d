"""The queue: what is taken out, what comes back, and how long the head waits."""

import math

from roost.lab.compiled.waiting import first_waits, put_first, queued, take_out
from tests.lab.compiled.small_states import small_state


def test_what_is_behind_the_head_can_be_taken_and_the_head_is_skipped() -> None:
    state = small_state(1, 1.0, 2.0, 3.0)
    take_out(state, 2)
    assert queued(state) == 2
    assert state.queue[state.world[0]["head"] :].tolist() == [0, 1]
    assert state.tasks["skipped"].tolist() == [1, 0, 0]


def test_what_comes_back_is_the_head() -> None:
    state = small_state(1, 1.0, 2.0)
    take_out(state, 0)
    put_first(state, 0)
    assert state.queue[state.world[0]["head"] :].tolist() == [0, 1]


def waits(*, waits_on: bool) -> list[float]:
    """Task 1 is the head from 0 to 4 and from 6 to 10 s: task 0 is back in between."""
    state = small_state(1, 1.0, 2.0, waits_on=waits_on)
    state.world["head_task"] = -1
    world = state.world[0]
    first_waits(state)
    take_out(state, 0)
    for now, acts in (
        (4.0, lambda: put_first(state, 0)),
        (6.0, lambda: take_out(state, 0)),
        (10.0, lambda: take_out(state, 1)),
    ):
        world["now"] = now
        acts()
    return [float(one) for one in state.tasks["waited_s"]]


def test_a_task_that_another_is_put_before_waits_on_or_does_not() -> None:
    assert math.isclose(waits(waits_on=True)[1], 10.0)
    assert math.isclose(waits(waits_on=False)[1], 8.0)
    assert waits(waits_on=True)[0] == 2.0
