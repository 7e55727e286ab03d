"""The rules of a submission, each with the sentence that a person gets."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model import workflow
from roost.model.clock import Stamp
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import BlobHash, NodeId, RunId, TaskId, task_id
from roost.model.limits import (
    COMMAND_WORDS_MAX,
    EDGES_MAX,
    ELEMENTS_MAX,
    POOL_INDEX_MAX,
    RETRIES_MAX,
    SIZE_BYTES_MAX,
)
from roost.model.pools import POOL_BLOCK, below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Command, Edge, EdgeKind, Function, Manual, Needs, TaskSpec
from roost.model.workflow import check_submission

RUN = RunId("5-kedova")
STAMP = Stamp(1, 0, NodeId("ash"))


def task(name: str, indices: str = "1-3", *edges: Edge, **changes: Any) -> TaskSpec:
    spec = TaskSpec(task_id(RUN, name), RUN, Command(("true",)), RangeSet.parse(indices), STAMP, edges)
    return msgspec.structs.replace(spec, **changes)


def edge(source: str, kind: EdgeKind = EdgeKind.EACH, port: str = "x") -> Edge:
    return Edge(task_id(RUN, source), kind, port)


def test_a_chain_with_every_kind_of_edge_is_accepted() -> None:
    check_submission(
        [
            task("a"),
            task("b", "1-3", edge("a")),
            task("c", "7", edge("b", EdgeKind.ALL)),
            task("d", "1-9", edge("c", EdgeKind.BROADCAST), edge("a", EdgeKind.AFTER)),
            task("e", "2", edge("d")),
            task("f", work=Function(BlobHash("00"), "3.11")),
        ],
        {},
    )


def test_an_edge_may_come_from_an_earlier_submission() -> None:
    early = task("a")
    check_submission([task("b", "1-3", edge("a"))], {early.id: early})


@pytest.mark.parametrize(
    ("text", "sentence"), [("y\0z", "of task 't2500' holds a zero byte"), ("\ud800", "of task 't2500' holds '.ud800'")]
)
def test_one_wrong_text_among_thousands_is_told_with_its_task(text: str, sentence: str) -> None:
    tasks = [task(f"t{number}", "0", work=Command(("echo", "schön"))) for number in range(3000)]
    check_submission(tasks, {})
    tasks[2500] = task("t2500", "0", work=Command(("echo", text)))
    with pytest.raises(InvalidInput, match=sentence):
        check_submission(tasks, {})


@pytest.mark.parametrize(
    ("tasks", "sentence"),
    [
        ([task("a"), task("a")], "two tasks are named 'a'"),
        ([task("1a")], "cannot be a task's name"),
        ([task("a" * 65)], "cannot be a task's name"),
        ([task("a", run=RunId("6-other"))], "does not belong to run"),
        ([task("a", elements=EMPTY)], "no elements"),
        ([task("a", elements=RangeSet.span(0, ELEMENTS_MAX + 1))], "at most 100,000,000"),
        ([task("a", retries=-1)], "retries"),
        ([task("a", retries=RETRIES_MAX + 1)], "retries"),
        ([task("a", needs=Needs.of(cpus=0))], "asks for 0 CPUs"),
        ([task("a", needs=Needs.of(cpus=float("nan")))], "asks for nan CPUs"),
        ([task("a", needs=Needs.of(memory_bytes=-1))], "-1 bytes of memory"),
        ([task("a", needs=Needs.of(memory_bytes=SIZE_BYTES_MAX + 1))], "bytes of memory"),
        ([task("a", needs=Needs.of(time_limit_s=0))], "time limit"),
        ([task("a", needs=Needs((("cpus", 1.0), ("gpus", 0))))], "asks for 0 gpus"),
        ([task("a", stated_s=0.0)], "said to take 0 s"),
        ([task("a", stated_s=float("nan"))], "said to take nan s"),
        ([task("a", needs=Needs((("cpus", 1.0), ("cpus", 1.0))))], "twice"),
        ([task("a", needs=Needs.of(time_limit_s=float("inf")))], "time limit"),
        ([task("a", "1", *[edge("b")] * (EDGES_MAX + 1))], "at most 10,000"),
        ([task("a", work=Command(()))], "has no command"),
        ([task("a", work=Command(("",)))], "has no command"),
        ([task("a", work=Command(("x",) * (COMMAND_WORDS_MAX + 1)))], "too long"),
        ([task("a", work=Command(("x", "y\0z")))], "zero byte"),
        ([task("a", work=Command(("x",), env={"a": "\0"}))], "zero byte"),
        ([task("a", work=Command(("x", "caf\udce9")))], r"'caf\\udce9', which is not valid Unicode"),
        ([task("a", work=Command(("x",), stdin="\ud800"))], "not valid Unicode"),
        ([task("a"), task("b", "1-4", edge("a"))], "has elements that 'a' lacks"),
        ([task("a"), task("b", "1", edge("a", EdgeKind.BROADCAST))], "the one result of 'a', which has 3"),
        ([task("a"), task("c"), task("b", "1", edge("a"), edge("c"))], "the same name 'x'"),
        ([task("a", "1-3", edge("a"))], "a → a"),
        ([task("a", "1-3", edge("b")), task("b", "1-3", edge("a"))], "wait for each other in a circle: "),
    ],
)
def test_what_cannot_be_accepted_is_refused_with_a_sentence(tasks: list[TaskSpec], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        check_submission(tasks, {})


def test_a_name_that_an_earlier_task_has_is_refused() -> None:
    early = task("a")
    with pytest.raises(InvalidInput, match="two tasks are named 'a'"):
        check_submission([task("a")], {early.id: early})


def test_a_source_that_does_not_exist_is_named() -> None:
    with pytest.raises(NotFound, match="'b' needs '5-kedova/a', which does not exist"):
        check_submission([task("b", "1", edge("a"))], {})


def test_too_many_tasks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow, "TASKS_MAX", 2)
    with pytest.raises(InvalidInput, match="at most 2"):
        check_submission([task("a"), task("b"), task("c")], {})


def test_text_in_any_language_is_accepted() -> None:
    check_submission([task("a", work=Command(("écho", "日本", "🐦"), env={"ключ": "значение"}))], {})


def test_inputs_without_a_name_and_mere_order_need_no_different_names() -> None:
    check_submission(
        [
            task("a"),
            task("c"),
            task("b", "1", edge("a", port=""), edge("c", port="")),
            task("d", "1", edge("a", EdgeKind.AFTER), edge("c", EdgeKind.AFTER)),
            task("e", "1", edge("a"), edge("a")),
        ],
        {},
    )


def test_a_long_circle_is_told_shortly() -> None:
    names = [f"t{at}" for at in range(1000)]
    tasks = [task(name, "1", edge(names[at - 1])) for at, name in enumerate(names)]
    with pytest.raises(InvalidInput) as caught:
        check_submission(tasks, {})
    assert len(str(caught.value)) < 200


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=10))
def test_random_graphs_are_accepted_just_when_they_have_no_circle(arrows: list[tuple[int, int]]) -> None:
    waits_for: dict[int, set[int]] = {at: set() for at in range(6)}
    for source, target in arrows:
        waits_for[target].add(source)
    tasks = [task(f"t{at}", "1", *(edge(f"t{s}", port="") for s in sorted(waits_for[at]))) for at in waits_for]
    if _has_circle(waits_for):
        with pytest.raises(InvalidInput, match="circle"):
            check_submission(tasks, {})
    else:
        ordered = [spec.id for spec in check_submission(tasks, {})]
        assert sorted(ordered) == [spec.id for spec in tasks]
        for spec in tasks:
            assert all(ordered.index(one.source) < ordered.index(spec.id) for one in spec.edges)


def _has_circle(waits_for: dict[int, set[int]]) -> bool:
    """Take away what waits for nothing, again and again; what stays waits for each other."""
    left = dict(waits_for)
    while free := [at for at, sources in left.items() if not sources & left.keys()]:
        for at in free:
            del left[at]
    return bool(left)


def test_the_order_follows_the_submission_where_nothing_else_decides() -> None:
    tasks = [task("c", "1"), task("a", "1", edge("b")), task("b", "1")]
    assert [spec.id for spec in check_submission(tasks, {})] == [TaskId(f"5-kedova/{name}") for name in "cba"]


# Pools.

MAPPER = task("m", "0", is_mapped=True)
OTHER = task("o", "0", is_mapped=True)


def inside(name: str, mapper: TaskSpec, *edges: Edge, **changes: Any) -> TaskSpec:
    given = {"elements": below(mapper.elements), "mapper": mapper.id, "depth": mapper.depth + 1}
    spread = Edge(mapper.id, EdgeKind.SPREAD, "item")
    return task(name, "0", spread, *edges, **(given | changes))


P = inside("p", MAPPER, is_mapped=True)
N = inside("n", P)


def test_pools_inside_pools_with_every_kind_of_edge_are_accepted() -> None:
    check_submission(
        [
            MAPPER,
            P,
            N,
            inside("q", MAPPER, edge("p"), edge("m", EdgeKind.BROADCAST, "b"), edge("n", EdgeKind.GATHER, "g")),
            inside("i", P, edge("p"), edge("m", EdgeKind.EACH, "far")),
            task("r", "0", edge("n", EdgeKind.GATHER), edge("p", EdgeKind.ALL, "all"), edge("n", EdgeKind.AFTER)),
        ],
        {},
    )


@pytest.mark.parametrize(
    ("tasks", "sentence"),
    [
        ([MAPPER, OTHER, P, inside("q", OTHER, edge("p"))], "'q' takes 'p' element by element, which lies in another"),
        (
            [MAPPER, OTHER, P, N, inside("q", OTHER, edge("n", EdgeKind.GATHER))],
            "'q' takes 'n' element by element, which lies in another pool",
        ),
        ([MAPPER, P, task("r", "0", edge("p"))], "element by element, but has elements that 'p' lacks"),
        ([MAPPER, P, task("r", "0", edge("p", EdgeKind.BROADCAST))], "which has as many as a list has items"),
        ([MAPPER, P, inside("q", MAPPER, edge("p", EdgeKind.ALL))], "lies in a pool and takes all of 'p'"),
        ([MAPPER, task("r", "0", edge("m", EdgeKind.SPREAD))], "which is not just outside its pool"),
        ([MAPPER, P, inside("q", P, edge("m", EdgeKind.SPREAD))], "which is not just outside its pool"),
        ([MAPPER, task("r", "0", edge("m", EdgeKind.GATHER))], "which does not lie in a pool below it"),
        ([task("a", "0", depth=1)], "lies in 1 pools and names no mapper"),
        ([inside("p", task("m", "0")), task("m", "0")], "does not fit the pool that 'm' maps"),
        ([MAPPER, inside("p", MAPPER, depth=2)], "which is not just outside its pool"),
        ([MAPPER, inside("p", MAPPER, has_items=True)], "does not fit the pool"),
        ([MAPPER, task("p", "0", mapper=MAPPER.id, depth=1, elements=below(MAPPER.elements))], "does not wait for it"),
        ([MAPPER, P, N, inside("d", msgspec.structs.replace(N, is_mapped=True))], "does not fit the pool"),
        ([task("m", "0", is_mapped=True, work=Manual("look")), inside("p", MAPPER)], "people do; they give no lists"),
    ],
)
def test_a_pool_that_cannot_be_is_refused(tasks: list[TaskSpec], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        check_submission(tasks, {})


def test_pools_inside_pools_inside_pools_have_an_end() -> None:
    n = msgspec.structs.replace(N, is_mapped=True)
    with pytest.raises(InvalidInput, match="at most 2 pools may lie inside each other"):
        check_submission([MAPPER, P, n, inside("d", n)], {})


def test_a_mapper_with_too_large_an_index_is_refused() -> None:
    far = task("m", str(POOL_INDEX_MAX // POOL_BLOCK), is_mapped=True)
    with pytest.raises(InvalidInput, match="too large indices"):
        check_submission([far, inside("p", far)], {})
