"""Finding tasks and elements of a run by what people call them."""

from pathlib import Path

import msgspec
import pytest

from roost.app.intake.lookup import (
    elements_of,
    final_tasks,
    known_task,
    sinks,
    sole_element,
    sole_task,
    state_of,
    task_named,
)
from roost.core.events import Submitted
from roost.core.telling.views import TaskView
from roost.model.clock import Stamp
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import CauseId, NodeId, RunId, task_id
from roost.model.pools import POOL_BLOCK, below
from roost.model.ranges import RangeSet
from roost.model.task import Command, Edge, EdgeKind, RunKind, RunSpec, TaskSpec
from tests.app.web.plain_service import PlainService

ZERO = Stamp(0, 0, NodeId("ash"))


def service_with(home: Path, run: RunId, elements: dict[str, RangeSet], final: tuple[str, ...] = ()) -> PlainService:
    """A node with one run, whose tasks wait for each other in a chain."""
    service = PlainService(home)
    stamp = service.stamp()
    spec = RunSpec(run, "work", RunKind.FLOW, "me", "here", stamp, tuple(task_id(run, name) for name in final))
    names = list(elements)
    tasks = [
        TaskSpec(
            task_id(run, name),
            run,
            Command(("true",)),
            elements[name],
            stamp,
            (Edge(task_id(run, before), EdgeKind.AFTER),) if before else (),
        )
        for before, name in zip(["", *names], names, strict=False)
    ]
    service.do(Submitted(CauseId("submit-1"), spec, tuple(tasks)))
    return service


RUN = RunId("1-kedova")
SINGLE = RangeSet.of([0])


def test_a_task_is_found_by_name_or_by_its_whole_id(tmp_path: Path) -> None:
    service = service_with(tmp_path, RUN, {"a": SINGLE, "b": SINGLE})
    assert task_named(service, RUN, "b").spec.id == "1-kedova/b"
    assert task_named(service, RUN, "1-kedova/b").spec.id == "1-kedova/b"
    for wrong in ("c", "2-kedova/b", "", "1-kedova/1-kedova/b"):
        with pytest.raises(NotFound):
            task_named(service, RUN, wrong)


def test_the_only_task_needs_no_name(tmp_path: Path) -> None:
    assert sole_task(service_with(tmp_path, RUN, {"a": SINGLE}), RUN, None).spec.id == "1-kedova/a"
    several = service_with(tmp_path, RUN, {"a": SINGLE, "b": SINGLE})
    assert sole_task(several, RUN, "b").spec.id == "1-kedova/b"
    with pytest.raises(InvalidInput, match="run 1-kedova has 2 tasks; say which one you mean with 'task'"):
        sole_task(several, RUN, None)


def test_the_final_tasks_are_those_declared_or_those_that_feed_no_other(tmp_path: Path) -> None:
    chain = {"a": SINGLE, "b": SINGLE, "c": SINGLE}
    undeclared = service_with(tmp_path, RUN, chain)
    assert [view.spec.id for view in sinks(undeclared.tasks(RUN))] == ["1-kedova/c"]
    assert [view.spec.id for view in final_tasks(undeclared, RUN)] == ["1-kedova/c"]
    declared = service_with(tmp_path, RUN, chain, final=("b", "a"))
    assert [view.spec.id for view in final_tasks(declared, RUN)] == ["1-kedova/b", "1-kedova/a"]


def test_elements_must_be_the_tasks_own(tmp_path: Path) -> None:
    view = service_with(tmp_path, RUN, {"a": RangeSet.span(1, 10)}).tasks(RUN)[0]
    assert elements_of(view, None) == RangeSet.span(1, 10)
    assert str(elements_of(view, "2,4-5")) == "2,4-5"
    with pytest.raises(NotFound, match="task 'a' has no element 0; it has 1-9"):
        elements_of(view, "0-3")


def test_the_only_element_needs_no_index(tmp_path: Path) -> None:
    single, array = service_with(tmp_path, RUN, {"a": SINGLE, "b": RangeSet.span(1, 10)}).tasks(RUN)
    assert sole_element(single, None) == 0
    assert sole_element(array, 9) == 9
    with pytest.raises(InvalidInput, match="task 'b' has 9 elements; say which one you mean with 'element'"):
        sole_element(array, None)
    with pytest.raises(NotFound, match="task 'b' has no element 10; it has 1-9"):
        sole_element(array, 10)


def test_very_scattered_elements_are_named_shortly(tmp_path: Path) -> None:
    view = service_with(tmp_path, RUN, {"a": RangeSet.of(range(0, 1_000, 2))}).tasks(RUN)[0]
    with pytest.raises(NotFound, match="task 'a' has no element 3; it has 0 to 998, not all of them"):
        sole_element(view, 3)


def test_an_element_is_in_the_state_whose_ranges_hold_it(tmp_path: Path) -> None:
    service = service_with(tmp_path, RUN, {"a": RangeSet.span(1, 10)})
    service.finish(task_id(RUN, "a"), 4, b"")
    view = service.tasks(RUN)[0]
    assert (state_of(view, 4), state_of(view, 5)) == ("done", "ready")


def test_ways_are_read_in_pools_and_nowhere_else() -> None:
    array = TaskSpec(
        task_id(RunId("1-kedova"), "a"), RunId("1-kedova"), Command(("true",)), RangeSet.parse("1-2"), ZERO
    )
    inside = msgspec.structs.replace(array, elements=below(array.elements), mapper=array.id, depth=1)
    pool = TaskView(inside, {"done": RangeSet.of([POOL_BLOCK, POOL_BLOCK + 1, 2 * POOL_BLOCK])})
    assert elements_of(pool, "1.0-1") == RangeSet.of([POOL_BLOCK, POOL_BLOCK + 1])
    with pytest.raises(NotFound, match=r"has no element 2\.1; it has 1\.0-1,2\.0$"):
        elements_of(pool, "2.0-1")
    with pytest.raises(InvalidInput, match="is not a set of indices"):
        elements_of(TaskView(array, {"done": array.elements}), "1.0")


def test_of_a_task_that_was_forgotten_it_is_said(tmp_path: Path) -> None:
    run, gone = RunId("5-kedova"), RunId("4-bobaba")
    service = service_with(tmp_path, run, {"a": RangeSet.of([0])})
    service.forgotten.append(gone)
    assert known_task(service, task_id(run, "a")).spec.id == task_id(run, "a")
    with pytest.raises(NotFound, match=r"^4-bobaba was forgotten; nothing of it is kept$"):
        known_task(service, task_id(gone, "a"))
    with pytest.raises(NotFound) as caught:
        known_task(service, task_id(run, "b"))
    assert "forgotten" not in str(caught.value)
