"""What the checkers take for the inputs of an element."""

from roost.model.elements import Elements
from roost.model.ids import TaskId
from roost.model.pools import POOL_BLOCK, behind
from roost.model.ranges import RangeSet
from roost.model.record import TaskRecord
from roost.model.states import Absent, Done, Failed, State
from roost.model.task import TaskSpec
from roost.sim.checkers.inputs import has_all_inputs
from tests.core.harness import ASH, edge, inside, mapping, ranges, task
from tests.tokens import attempt

DONE = Done(attempt(1), ASH)
B = POOL_BLOCK


def records(*given: tuple[TaskSpec, dict[State, RangeSet]]) -> dict[TaskId, TaskRecord]:
    return {spec.id: TaskRecord(spec, Elements(states)) for spec, states in given}


def test_an_element_needs_the_element_of_its_index() -> None:
    known = records((task("a", 2), {DONE: ranges("1")}))
    b = task("b", 2, edge("a"))
    assert [has_all_inputs(b, index, known) for index in range(2)] == [False, True]


def test_a_whole_edge_needs_all() -> None:
    a, b = task("a", 2), task("b", 1, edge("a", "all"))
    assert not has_all_inputs(b, 0, records((a, {DONE: ranges("1"), Failed(0, attempt(1), ASH, 1): ranges("0")})))
    assert has_all_inputs(b, 0, records((a, {DONE: ranges("0-1")})))


M = mapping("m", 2)
P = inside("p", M, is_mapped=True)
N = inside("n", P)


def test_an_element_of_a_pool_needs_its_list() -> None:
    known = records((M, {Done(attempt(1), ASH, 2): ranges("1")}))
    assert has_all_inputs(P, B + 1, known)
    assert not has_all_inputs(P, 0, known)


def test_what_gathers_needs_all_that_the_list_says() -> None:
    lists: dict[State, RangeSet] = {Done(attempt(1), ASH, 2): ranges("0-1")}
    ends: dict[State, RangeSet] = {Absent(): behind(0, 2) | behind(1, 2)}
    g = task("g", 2, edge("p", "gather"))
    known = records((M, lists), (P, {**ends, DONE: ranges(f"0-1,{B}")}))
    assert [has_all_inputs(g, index, known) for index in range(2)] == [True, False]
    assert not has_all_inputs(g, 0, records((M, lists), (P, {DONE: ranges("0-1")})))


def test_all_of_a_pool_needs_its_mapper_too() -> None:
    s = task("s", 1, edge("p", "all"))
    ends: dict[State, RangeSet] = {Absent(): behind(0, 1), DONE: ranges("0")}
    assert not has_all_inputs(s, 0, records((M, {Done(attempt(1), ASH, 1): ranges("0")}), (P, ends)))
    whole: dict[State, RangeSet] = {Absent(): behind(0, 1) | behind(1, 0), DONE: ranges("0")}
    lists: dict[State, RangeSet] = {Done(attempt(1), ASH, 1): ranges("0"), Done(attempt(1), ASH, 0): ranges("1")}
    assert has_all_inputs(s, 0, records((M, lists), (P, whole)))


def test_two_pools_out_everything_in_between_is_needed() -> None:
    h = task("h", 2, edge("n", "gather"))
    lists: dict[State, RangeSet] = {Done(attempt(1), ASH, 1): ranges("0-1")}
    inner: dict[State, RangeSet] = {
        Absent(): behind(0, 1) | behind(1, 1),
        Done(attempt(1), ASH, 2): ranges("0"),
        Done(attempt(1), ASH, 0): ranges(str(B)),
    }
    innermost: dict[State, RangeSet] = {Absent(): behind(0, 2) | behind(B, 0), DONE: ranges("0")}
    known = records((M, lists), (P, inner), (N, innermost))
    assert [has_all_inputs(h, index, known) for index in range(2)] == [False, True]
