import pytest

from roost.languages.trace.graph import TaskLinks, link_tasks
from roost.languages.trace.names import TraceNames
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.model.limits import EDGES_MAX


def linked(*tasks: TraceTask) -> tuple[list[tuple[dict[int, list[str]], list[str]]], TraceProblems]:
    problems = TraceProblems()
    trace = Trace("w", list(tasks), None)
    links = link_tasks(trace, TraceNames(trace), problems)
    return [(_files(link), link.outside) for link in links], problems


def _files(link: TaskLinks) -> dict[int, list[str]]:
    """Return the files that arrive from each source."""
    begins = {source: f"{{needs.{edge.get('port')}." for source, edge in zip(link.sources, link.edges, strict=True)}
    return {
        source: [file for file, word in link.arriving.items() if word.startswith(begin)]
        for source, begin in begins.items()
    }


def task(own: str, parents: str = "", inputs: str = "", outputs: str = "") -> TraceTask:
    return TraceTask(own, "", None, inputs.split(), outputs.split(), parents.split())


def test_files_come_from_the_tasks_that_write_them() -> None:
    links, problems = linked(
        task("a", outputs="x y"),
        task("b", parents="a", inputs="x y z"),
        task("c", parents="a b"),
        task("d", inputs="x"),
    )
    assert not problems
    assert links == [({}, []), ({0: ["x", "y"]}, ["z"]), ({0: [], 1: []}, []), ({0: ["x"]}, [])]


def test_of_several_writers_a_parent_is_taken() -> None:
    links, problems = linked(
        task("a", outputs="x"), task("b", outputs="x"), task("c", parents="b", inputs="x"), task("d", inputs="x")
    )
    assert not problems
    assert [sources for sources, _ in links[2:]] == [{1: ["x"]}, {0: ["x"]}]


def test_a_file_that_a_task_changes_comes_from_another_or_from_outside() -> None:
    links, problems = linked(task("a", inputs="x", outputs="x"), task("b", parents="a", inputs="x", outputs="x"))
    assert not problems
    assert links == [({}, ["x"]), ({0: ["x"]}, [])]


@pytest.mark.parametrize(
    ("tasks", "place", "sentence"),
    [
        ([task("make"), task("b", parents="mike")], (1, "parents", 0),
         "task 'b' has the parent 'mike', which is not in this file; did you mean 'make'?"),
        ([task("b", parents="zzz")], (0, "parents", 0),
         "task 'b' has the parent 'zzz', which is not in this file; add it, or remove it from the parents"),
        ([task("a", parents="a")], (0, "parents", 0), "task 'a' is its own parent; remove it there"),
        ([task("a"), task("a")], (1, "id", 0), "the id 'a' is another task's already; give each task its own"),
        ([task("x"), task("a", parents="x b"), task("b", parents="a")], (1, "parents", 0),
         "these tasks wait for each other in a circle: a needs b needs a; remove one of these parents or files"),
        ([task("a", inputs="y", outputs="x"), task("b", inputs="x", outputs="y")], (0, "parents", 0),
         "these tasks wait for each other in a circle: a needs b needs a; remove one of these parents or files"),
    ],
)  # fmt: skip
def test_what_does_not_hang_together_is_noted(
    tasks: list[TraceTask], place: tuple[int, str, int], sentence: str
) -> None:
    assert linked(*tasks)[1].found == [(place, sentence)]


def test_tasks_may_stand_before_their_parents() -> None:
    links, problems = linked(task("b", parents="a"), task("a"))
    assert not problems
    assert links == [({1: []}, []), ({}, [])]


def test_a_long_circle_is_told_in_short() -> None:
    tasks = [task(f"t{at}", parents=f"t{(at + 1) % 50}") for at in range(50)]
    ((_, sentence),) = linked(*tasks)[1].found
    assert "t0 needs t1 needs t2 needs t3 needs t4 needs t5 needs ... needs t49 needs t0;" in sentence


def test_a_task_waits_for_so_many_others_at_most() -> None:
    tasks = [task(f"t{at}") for at in range(EDGES_MAX + 1)]
    last = TraceTask("last", parents=[other.id for other in tasks])
    ((place, sentence),) = linked(*tasks, last)[1].found
    assert place == (EDGES_MAX + 1, "parents", 0)
    assert sentence == "task 'last' waits for 10,001 others; at most 10,000 are allowed; gather them in several steps"
