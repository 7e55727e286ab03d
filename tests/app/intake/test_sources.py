"""Edges to what was submitted earlier."""

import pytest

from roost.model.ids import RunId, task_id
from roost.model.task import Edge, EdgeKind
from tests.app.web.running_api import RunningApi

EXAMPLES = "write for example last, all, 5, 1-10 or 5-kedova"


def edges_of(api: RunningApi, *edges: dict[str, str]) -> tuple[Edge, ...]:
    """Submit a task with these edges; return what became of them."""
    run = api.submit({"name": "sink", "edges": list(edges)})
    return api.service.specs[task_id(run, "sink")].edges


@pytest.fixture
def earlier(api: RunningApi) -> RunId:
    """A run with a chain a -> b and a task c of its own, whose result is that of b."""
    chain = [{"source": "a", "kind": "broadcast", "port": "x"}]
    return api.submit({"name": "a"}, {"name": "b", "edges": chain}, {"name": "c"}, final=["b"])


def test_an_earlier_task_is_found_by_number_id_or_the_start_of_it(api: RunningApi, earlier: RunId) -> None:
    a = task_id(earlier, "a")
    for source in ("1/a", f"{earlier}/a", f"{earlier[:4]}/a"):
        edge = {"source": source, "kind": "broadcast", "port": "p"}
        assert edges_of(api, edge) == (Edge(a, EdgeKind.BROADCAST, "p"),)


def test_waiting_for_a_run_is_waiting_for_all_that_feeds_no_other(api: RunningApi, earlier: RunId) -> None:
    expected = (Edge(task_id(earlier, "b"), EdgeKind.AFTER), Edge(task_id(earlier, "c"), EdgeKind.AFTER))
    assert edges_of(api, {"source": earlier, "kind": "after"}) == expected


def test_the_result_of_a_run_is_that_of_its_final_task(api: RunningApi, earlier: RunId) -> None:
    edge = {"source": "1", "kind": "broadcast", "port": "p"}
    assert edges_of(api, edge) == (Edge(task_id(earlier, "b"), EdgeKind.BROADCAST, "p"),)


def test_a_name_of_the_same_submission_comes_first(api: RunningApi, earlier: RunId) -> None:
    run = api.submit({"name": "last"}, {"name": "sink", "edges": [{"source": "last", "kind": "after"}]})
    assert api.service.specs[task_id(run, "sink")].edges == (Edge(task_id(run, "last"), EdgeKind.AFTER),)


@pytest.mark.parametrize(
    ("edges", "status", "problem"),
    [
        (
            [{"source": "9", "kind": "after"}],
            404,
            "'9' is not a task of this submission, and there is no run '9'",
        ),
        (
            [{"source": "1/z", "kind": "after"}],
            404,
            (
                "'1/z' is not a task of this submission, "
                "and run 1-gomofa has no task 'z'; 'roost show 1-gomofa' lists them"
            ),
        ),
        (
            [{"source": "what", "kind": "after"}],
            400,
            "'what' is not a task of this submission, and 'what' does not name a run; " + EXAMPLES,
        ),
        (
            [{"source": "2", "kind": "all", "port": "p"}],
            404,
            "'2' is not a task of this submission, and run 2-gomofa has 2 final tasks; name one as 2-gomofa/name",
        ),
        (
            [{"source": "1/a", "kind": "all", "port": "p"}, {"source": "1/b", "kind": "all", "port": "p"}],
            400,
            "two edges arrive at the port 'p'; give each its own",
        ),
    ],
)
def test_an_edge_that_leads_nowhere_is_refused(
    api: RunningApi, earlier: RunId, edges: list[dict[str, str]], status: int, problem: str
) -> None:
    second = api.submit({"name": "a"}, {"name": "b"})
    before = api.service.snapshot()
    work = {"command": {"argv": ["true"]}}
    answer = api.post("/v1/runs", {"tasks": [{"name": "sink", "edges": edges, **work}]})
    told = answer.message.replace(earlier, "1-gomofa").replace(second, "2-gomofa")
    assert (answer.status, told) == (status, f"task 'sink', field 'edges': {problem}")
    assert api.service.snapshot() == before
