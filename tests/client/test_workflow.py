import io
import pickle
from typing import Any, cast

import pytest

from roost.client.handles import Handle
from roost.client.workflow import Options, TaskFunction, Workflow, WorkflowStep, task, workflow
from roost.model.errors import InvalidInput
from roost.model.ids import TaskId
from roost.model.task import Edge, EdgeKind, Function, Needs, PortType, Priority
from tests.client.functions import add, double

DOUBLE = task(double)
ADD = task(name="plus", cpus=2, retries=3, priority="interactive", time_limit="1min", memory=1024)(add)


class PortReader(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        return pid


def read(data: bytes | None) -> Any:
    assert data is not None
    return PortReader(io.BytesIO(data)).load()


def shared(step: WorkflowStep) -> Any:
    """Return the arguments that all elements of a step have."""
    assert isinstance(step.work, Function)
    assert step.work.arguments is not None
    return read(step.blobs[step.work.arguments])


def edges(step: WorkflowStep) -> dict[tuple[str, EdgeKind], str]:
    return {(edge.source, edge.kind): edge.port for edge in step.edges}


def step(handle: Handle) -> WorkflowStep:
    return handle.flow.steps[handle.name]


def test_outside_a_workflow_a_task_is_the_plain_function() -> None:
    assert DOUBLE(4) == 8
    assert ADD.map([1, 2], [3, 4]) == [4, 6]
    assert ADD.map([1, 2], right=1) == [2, 3]
    assert (DOUBLE.name, DOUBLE.__name__, DOUBLE.__wrapped__) == ("double", "double", double)


def test_inside_a_workflow_a_call_is_written_down() -> None:
    with workflow("w") as flow:
        handle = ADD(1, right=2)
    assert isinstance(handle, Handle)
    written = step(handle)
    assert (written.name, written.place.length, written.items, written.edges) == ("plus", None, None, ())
    assert shared(written) == ((1,), {"right": 2})
    assert written.options == Options(Needs.of(2.0, 1024, 60.0), Priority.INTERACTIVE, 3)
    assert list(flow.steps) == ["plus"]


def test_a_single_result_as_an_argument_is_a_broadcast() -> None:
    with Workflow("w"):
        first = DOUBLE(1)
        second = ADD(first, 5)
    assert edges(step(second)) == {("double", EdgeKind.BROADCAST): "p0"}
    assert shared(step(second)) == ((("port", "p0"), 5), {})


def test_an_array_in_a_plain_call_gathers_all() -> None:
    with Workflow("w"):
        array = DOUBLE.map(range(3))
        total = task(sum)(array)
    assert step(array).place.length == 3
    assert [read(item) for item in step(array).items or ()] == [((0,), {}), ((1,), {}), ((2,), {})]
    assert edges(step(total)) == {("double", EdgeKind.ALL): "p0"}


def test_an_array_in_a_map_goes_element_by_element_and_a_single_result_to_all() -> None:
    with Workflow("w"):
        single, array = DOUBLE(1), DOUBLE.map(range(100))
        both = ADD.map(array, single)
    assert edges(step(both)) == {("double-2", EdgeKind.EACH): "p0", ("double", EdgeKind.BROADCAST): "p1"}
    assert (step(both).place.length, step(both).items) == (100, None)
    assert shared(step(both)) == ((("port", "p0"), ("port", "p1")), {})


def test_an_array_and_an_iterable_end_with_the_shorter() -> None:
    with Workflow("w"):
        array = DOUBLE.map(range(5))
        shorter, longer = ADD.map(array, range(3)), ADD.map(array, range(1000))
    assert (step(shorter).place.length, step(longer).place.length) == (3, 5)
    assert read((step(shorter).items or ())[2]) == ((("port", "p0"), 2), {})
    assert edges(step(shorter)) == {("double", EdgeKind.EACH): "p0"}


def test_handles_may_be_nested_in_arguments() -> None:
    with Workflow("w"):
        single, array = DOUBLE(1), DOUBLE.map(range(3))
        nested = ADD({"one": [single], "all": (array, single)})
    assert shared(step(nested)) == (({"one": [("port", "p0")], "all": (("port", "p1"), ("port", "p0"))},), {})
    assert edges(step(nested)) == {("double", EdgeKind.BROADCAST): "p0", ("double-2", EdgeKind.ALL): "p1"}


def test_the_same_array_may_arrive_whole_and_element_by_element() -> None:
    with Workflow("w"):
        array = DOUBLE.map(range(3))
        both = ADD.map(array, right=array)
    assert edges(step(both)) == {("double", EdgeKind.EACH): "p0", ("double", EdgeKind.ALL): "p1"}


def test_a_handle_is_enough_to_know_the_workflow() -> None:
    flow = Workflow("w")
    with flow:
        first = DOUBLE(1)
    second = DOUBLE(first)
    assert second.flow is flow
    assert list(flow.steps) == ["double", "double-2"]


def test_names_are_cleaned_and_made_unique() -> None:
    with Workflow("w"):
        names = [task(lambda x: x)(1).name for _ in range(3)]
        assert names == ["lambda", "lambda-2", "lambda-3"]
        assert TaskFunction(double, name="9 odd/näme!")(1).name == "oddnme"


def test_results_of_another_workflow_are_refused() -> None:
    with Workflow("a"):
        foreign = DOUBLE(1)
    with Workflow("b"), pytest.raises(InvalidInput, match="another workflow"):
        DOUBLE(foreign)
    with pytest.raises(TypeError, match="result of another workflow"):
        pickle.dumps(foreign)


def test_what_cannot_be_is_refused_with_a_sentence() -> None:
    with Workflow("w"):
        single = DOUBLE(1)
        with pytest.raises(InvalidInput, match="to know how often"):
            ADD.map(single)
        with pytest.raises(InvalidInput, match="nothing to go through"):
            DOUBLE.map([])
        with pytest.raises(InvalidInput, match="not there yet"):
            list(single)
    with pytest.raises(InvalidInput, match="needs a name"):
        Workflow("")


def test_workflows_may_be_entered_inside_each_other() -> None:
    with Workflow("outer") as outer:
        with Workflow("inner") as inner:
            DOUBLE(1)
        DOUBLE(2)
        DOUBLE(3)
    assert (len(inner.steps), len(outer.steps)) == (1, 2)
    assert DOUBLE(4) == 8


def test_a_list_of_unknown_length_makes_a_pool_and_a_plain_call_gathers_it() -> None:
    def split(text: str) -> list[int]:
        return [len(text)]

    with Workflow("w"):
        numbers = task(split)("a")
        doubled = DOUBLE.map(numbers.spread())
        again = ADD.map(doubled, right=numbers)
        total = task(sum)(again)
    assert (doubled.mappers, again.mappers, total.mappers) == (("split",), ("split",), ())
    assert step(doubled).edges == (Edge(TaskId("split"), EdgeKind.SPREAD, "p0", type=PortType.NUMBER),)
    assert edges(step(again)) == {("double", EdgeKind.EACH): "p0", ("split", EdgeKind.BROADCAST): "p1"}
    assert edges(step(total)) == {("plus", EdgeKind.ALL): "p0"}


def test_a_pool_goes_with_no_items_and_is_spread_in_a_map_only() -> None:
    with Workflow("w"):
        numbers = task(list)("abc")
        with pytest.raises(InvalidInput, match=r"make them a roost\.value"):
            ADD.map(numbers.spread(), [1, 2])
        with pytest.raises(InvalidInput, match=r"use 'plus\.map'"):
            ADD(numbers.spread())
        with pytest.raises(InvalidInput, match="not inside others"):
            ADD([numbers.spread()])
        with pytest.raises(InvalidInput, match=r"take result\.spread\(\)"):
            ADD.map(numbers)


def test_parts_of_a_result_arrive_at_ports_of_their_own() -> None:
    with Workflow("w"):
        row = task(dict)(a=1, b=2)
        both = ADD(row["a"], [row["b"], row["a"]])
    assert [(edge.port, edge.pick) for edge in step(both).edges] == [("p0", "a"), ("p1", "b")]
    assert shared(step(both)) == ((("port", "p0"), [("port", "p1"), ("port", "p0")]), {})


def test_functions_whose_annotations_do_not_fit_are_refused_where_they_meet() -> None:
    def text(number: int) -> str:
        return str(number)

    with Workflow("w"):
        with pytest.raises(InvalidInput, match="'text' gives String, but 'number' of 'double' takes Number"):
            DOUBLE(task(text)(1))
        with pytest.raises(InvalidInput, match="'number' of 'double' takes Number, but gets the list of all results"):
            DOUBLE(DOUBLE.map(range(3)))
        with pytest.raises(InvalidInput, match="'number' of 'text' takes Number, but is given 'one'; pass what it"):
            task(text)("one")


def test_a_call_that_cannot_be_is_refused_where_it_is_written() -> None:
    with Workflow("w") as flow:
        for call in (
            DOUBLE,
            lambda: DOUBLE(1, 2, 3),
            lambda: DOUBLE.map([1], [2], [3]),
            lambda: DOUBLE(1, z=2),
        ):
            with pytest.raises(InvalidInput, match="cannot be called so: "):
                call()
        with pytest.raises(InvalidInput, match="3 is no result of a step; give what a task returned"):
            flow.final(cast("Handle", 3))
    assert flow.steps == {}


def test_final_results_are_named_and_whole() -> None:
    with Workflow("w") as flow:
        first, second = DOUBLE(1), DOUBLE(2)
        flow.final(first, second)
    assert flow.finals == (first, second)
    with pytest.raises(InvalidInput, match="is a part"):
        flow.final(task(dict)(a=first)["a"])
    with Workflow("other"), pytest.raises(InvalidInput, match="belongs to another workflow"):
        flow.final(DOUBLE(1))


def test_a_fan_in_of_many_single_results_takes_no_square_of_time() -> None:
    with Workflow("w"):
        singles = [DOUBLE(at) for at in range(2_000)]
        total = task(sum)(singles)
    assert len(step(total).edges) == 2_000
