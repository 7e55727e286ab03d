"""Executions begin and end, and who is idle stands in the order in which they became so."""

import numpy as np

from roost.lab.compiled.executions import becomes_idle, execute, is_idle_no_more, stops
from roost.lab.compiled.state import RUNS, State
from tests.lab.compiled.small_states import small_state


def idle(state: State) -> list[int]:
    return [int(number) for number in state.nodes["idle"][: state.world[0]["idle"]]]


def test_idle_nodes_keep_their_order() -> None:
    state = small_state(5, 1.0)
    for number in (3, 1, 4, 0):
        becomes_idle(state, number)
    is_idle_no_more(state, 1)
    assert idle(state) == [3, 4, 0]


def test_an_execution_ends_with_what_it_took() -> None:
    state = small_state(2, 30.0)
    state.nodes["changes_at"] = np.inf
    for number in (0, 1):
        becomes_idle(state, number)
        execute(state, number, 0)
    assert (idle(state), state.tasks["copies"][0], state.nodes["doing"].tolist()) == ([], 2, [RUNS, RUNS])
    state.world["now"] = 30.0
    stops(state, 0, 1)
    stops(state, 1, 0)
    assert (state.nodes["useful_s"].tolist(), state.nodes["wasted_s"].tolist()) == ([30.0, 0.0], [0.0, 30.0])
    assert (state.tasks["lost_s"][0], state.tasks["runs"][0]) == (30.0, 2)
    assert [tuple(piece) for piece in state.pieces[:2][["node", "ended", "is_done"]]] == [(0, 30.0, 1), (1, 30.0, 0)]
