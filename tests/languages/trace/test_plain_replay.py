import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.trace.plain_replay import NotPlainError, PlainReplay, PlainTask
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.submission import trace_submission
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from tests.languages.recorded import traces

FIRST: PlainTask = ("a", "make", [], ["start"], ["x", "y"], 1.5)


def replayed(tasks: list[PlainTask], sizes: dict[str, int], simulation: Simulation | None = None) -> Any:
    """Return the tasks and warnings, None if they are not plain."""
    replay = PlainReplay(simulation or Simulation(), sizes)
    try:
        return replay.tasks(iter(tasks)), replay.warnings()
    except NotPlainError:
        return None


def carefully_replayed(trace: Trace) -> Any:
    """Return the tasks and warnings of the careful way; it has nothing to complain about."""
    problems = TraceProblems()
    submission, warnings = trace_submission(trace, Path("/nowhere"), Simulation(), problems)
    assert not problems
    assert not problems.warned
    return submission["tasks"], warnings


def plain(task: TraceTask) -> PlainTask:
    return task.id, task.kind, task.parents, task.inputs, task.outputs, task.seconds


def plain_trace(tasks: list[PlainTask], sizes: dict[str, int]) -> Trace:
    made = [
        TraceTask(own, kind, None, inputs, outputs, parents, seconds)
        for own, kind, parents, inputs, outputs, seconds in tasks
    ]
    return Trace("w", made, sizes)


def test_tasks_become_what_the_careful_way_makes_of_them() -> None:
    sizes = {"start": 1, "x": 10, "y": 0, "z": 2**40}
    second: PlainTask = ("b", "count", ["a"], ["y", "x", "start"], ["z"], 0.0)
    third: PlainTask = ("c", "", ["b", "a"], ["x"], [], 3.0)
    tasks = [FIRST, second, third, ("d", "", [], [], [], 0.0)]
    assert replayed(tasks, sizes) == carefully_replayed(plain_trace(tasks, sizes))
    (written,) = replayed(tasks, sizes)[1]
    assert written.startswith("the placeholders will write 1")


def test_ids_that_only_count_are_told_with_their_kind() -> None:
    tasks: list[PlainTask] = [("ID1", "make", [], [], ["x"], 1.0), ("ID2", "count", ["ID1"], ["x"], [], 1.0)]
    (first, second), _ = replayed(tasks, {"x": 1})
    assert (first["name"], second["name"]) == ("make_ID1", "count_ID2")
    assert second["edges"] == [{"source": "make_ID1", "kind": "broadcast", "port": "p0"}]
    assert replayed([*tasks, ("make_ID1", "", [], [], [], 1.0)], {"x": 1}) is None


def test_hundreds_of_sources_have_ports_of_their_own_and_equal_edges_are_kept_once() -> None:
    first: list[PlainTask] = [(f"t{at}", "", [], [], [f"f{at}"], 1.0) for at in range(700)]
    files = [f"f{at}" for at in range(700)]
    tasks = [*first, *((f"u{at}", "", [f"t{at}"], files, [], 1.0) for at in range(2))]
    sizes = dict.fromkeys(files, 1)
    made, warnings = replayed(tasks, sizes)
    assert (made, warnings) == carefully_replayed(plain_trace(tasks, sizes))
    assert made[-1]["edges"][-1] is made[-2]["edges"][-1]


def second(**changed: Any) -> PlainTask:
    task = TraceTask("b", "count", None, ["x"], ["z"], ["a"], 1.0)
    for name, value in changed.items():
        setattr(task, name, value)
    return plain(task)


@pytest.mark.parametrize(
    "task",
    [
        second(id="a"),
        second(id="b/1"),
        second(id="b\n"),
        second(parents=["c"]),
        second(parents=["b"]),
        second(parents=["a", "a"]),
        second(inputs=["x", "x"]),
        second(inputs=[""]),
        second(inputs=["z"]),
        second(outputs=["start"]),
        second(outputs=["x"]),
        second(outputs=["z", "z"]),
        second(outputs=["nobody knows how large"]),
        second(outputs=["sub/z"]),
        second(outputs=["huge"]),
        second(seconds=None),
        second(seconds=-1.0),
        second(seconds=float("nan")),
        second(seconds=1e30),
    ],
)
def test_what_is_not_plain_is_left_to_the_careful_way(task: PlainTask) -> None:
    sizes = {"x": 1, "y": 1, "z": 1, "sub/z": 1}
    assert replayed([FIRST, second()], sizes) is not None
    assert replayed([FIRST, task], {**sizes, "huge": 2**61} if task[4] == ["huge"] else sizes) is None


def test_no_tasks_and_lines_that_fit_into_no_argument_are_not_plain() -> None:
    assert replayed([], {}) is None
    files = [f"file-{number:05}" for number in range(4_000)]
    assert replayed([("a", "", [], [], files, 1.0)], dict.fromkeys(files, 1)) is None


@given(traces(recorded=True), st.randoms(use_true_random=False), st.booleans())
def test_both_ways_agree(trace: Trace, chance: Any, is_shuffled: bool) -> None:
    if is_shuffled:
        chance.shuffle(trace.tasks)
    trace = dataclasses.replace(trace, sizes=trace.sizes or {})
    made = replayed(list(map(plain, trace.tasks)), trace.sizes or {})
    assert made is not None or is_shuffled
    assert made is None or made == carefully_replayed(trace)
