"""Where the tasks of a submission lie."""

from typing import Any

import msgspec
import pytest

from roost.api.requests import TaskAsked
from roost.app.intake.pools import PoolPlaces, elements_in_pool, mapper_of
from roost.app.intake.reading import read_body
from roost.model.errors import InvalidInput
from roost.model.pools import below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import EdgeKind

ONE = RangeSet.of([0])


def asked(name: str, **fields: Any) -> TaskAsked:
    return read_body(msgspec.json.encode({"name": name, "command": {"argv": ["true"]}, **fields}), TaskAsked)


def places(*tasks: TaskAsked, **elements: RangeSet) -> PoolPlaces:
    return PoolPlaces(tasks, [elements.get(task.name, ONE) if mapper_of(task) is None else EMPTY for task in tasks])


def nested() -> PoolPlaces:
    """a maps into b, b maps into c; d lies beside b, and e and the array f outside."""
    tasks = [asked("c", sized_by="b"), asked("b", sized_by="a"), asked("a"), asked("d", sized_by="a")]
    return places(*tasks, asked("e"), asked("f", array="0-2"), f=RangeSet.span(0, 3))


def test_a_task_lies_in_the_blocks_of_its_mapper_in_whatever_order_they_are_written() -> None:
    found = nested()
    b, c = found.of("b"), found.of("c")
    assert (b.mapper, b.depth, b.elements) == ("a", 1, below(ONE))
    assert (c.mapper, c.depth, c.elements) == ("b", 2, below(ONE, 2))
    assert (found.of("a").mapper, found.of("a").depth) == (None, 0)
    assert found.mapped == {"a", "b"}


def test_an_edge_that_spreads_sizes_a_task_that_names_nothing_else() -> None:
    spread = [{"source": "a", "kind": "spread", "port": "x"}]
    assert mapper_of(asked("b", edges=spread)) == "a"
    assert mapper_of(asked("b", sized_by="z", edges=spread)) == "z"
    assert mapper_of(asked("b")) is None


@pytest.mark.parametrize(
    ("task", "source", "kind"),
    [("e", "b", "gather"), ("e", "c", "gather"), ("d", "c", "gather"), ("f", "b", "all"), ("f", "e", "all")],
)
def test_all_of_what_lies_below_gathers(task: str, source: str, kind: str) -> None:
    assert nested().kind(task, source, EdgeKind.ALL) is EdgeKind(kind)


def test_other_edges_stay_what_they_are_and_so_do_those_from_earlier_runs() -> None:
    assert nested().kind("e", "b", EdgeKind.AFTER) is EdgeKind.AFTER
    assert nested().kind("e", "5-kedova/x", EdgeKind.ALL) is EdgeKind.ALL


@pytest.mark.parametrize(
    ("tasks", "sentence"),
    [
        ([asked("b", sized_by="x")], "task 'b', field 'sized_by': 'x' is not a task of this submission"),
        (
            [asked("a", sized_by="b"), asked("b", sized_by="a")],
            "task 'b', field 'sized_by': it and 'a' would be sized by each other",
        ),
        ([asked("a", sized_by="a")], "task 'a', field 'sized_by': it and 'a' would be sized by each other"),
        (
            [asked("a"), asked("b", sized_by="a"), asked("c", sized_by="b"), asked("d", sized_by="c")],
            "task 'd', field 'sized_by': at most 2 pools may lie inside each other",
        ),
    ],
)
def test_a_pool_that_cannot_be_is_refused(tasks: list[TaskAsked], sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        places(*tasks)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("field", "given"), [("array", "0-2"), ("items", [1, 2])])
def test_a_pools_task_does_not_say_itself_which_elements_it_has(field: str, given: Any) -> None:
    with pytest.raises(InvalidInput, match=f"field '{field}': the task is in a pool"):
        elements_in_pool(asked("b", sized_by="a", **{field: given}))
    assert not elements_in_pool(asked("b", sized_by="a"))
