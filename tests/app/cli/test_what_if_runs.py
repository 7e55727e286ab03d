"""Past runs as the work of a what-if."""

from collections.abc import Iterator
from typing import Any

import pytest

from roost.app.cli import what_if_runs
from roost.app.cli.what_if_runs import PastRun, past_run, speeds_seen
from roost.client.control import Control, node_of, this_home
from roost.lab.what_if.work import Link, Measured, Uniform
from roost.model.errors import InvalidInput
from roost.model.pools import POOL_BLOCK
from roost.model.task import EdgeKind, Priority
from tests.app.cli.fake_node import FakeNode, counts, result, run, step


@pytest.fixture
def control(node: FakeNode) -> Iterator[Control]:
    with node_of(this_home()) as found:
        yield found


def edge(source: str, kind: str) -> dict[str, str]:
    return {"source": f"5-kedova/{source}", "kind": kind, "port": ""}


def serve(node: FakeNode, *steps: dict[str, Any], results: list[dict[str, Any]], **more: Any) -> None:
    detail = run(5, done=sum(one["counts"]["total"] for one in steps)) | {"steps": list(steps), **more}
    node.answers["GET /v1/runs/5-kedova"] = detail
    node.answers["GET /v1/runs/5-kedova/timeline"] = {"spans": [], "silent": [], "happened": []}
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": []}
    node.answers["GET /v1/runs/5-kedova/results"] = lambda asked: {
        "results": [one for one in results if one["task"] == f"5-kedova/{asked.query['task']}"]
    }


def took(name: str, index: int, seconds: float, node: str | None = "ash") -> dict[str, Any]:
    return result(index, "", task=f"5-kedova/{name}", duration_s=seconds, node=node)


def asked(control: Control, length_s: float | None = None) -> PastRun:
    return past_run(control, "5-kedova", length_s, is_pure=False)


def test_a_run_is_its_tasks_with_what_was_measured(node: FakeNode, control: Control) -> None:
    second = step("fold", done=1) | {"edges": [edge("cut", "all")], "priority": "interactive", "length_s": 9.0}
    results = [took("cut", 0, 3.0), took("cut", 1, 5.0), took("fold", 0, 7.0)]
    serve(node, step("cut", done=2), second, results=results, finished_at=1_700_000_035.0)
    found = asked(control)
    cut, fold = found.work.tasks
    assert (cut.bounds, cut.lengths, cut.stated_s, cut.owner) == ((0, 2), Measured((3.0, 5.0)), None, "ann")
    assert (fold.links, fold.priority, fold.stated_s) == ((Link(0, EdgeKind.ALL),), Priority.INTERACTIVE, 9.0)
    assert found.make_span_s == 30.0
    assert found.name == "5-kedova (echo)"


def test_what_has_not_ended_takes_as_long_as_the_others_or_as_is_said(node: FakeNode, control: Control) -> None:
    serve(node, step("cut", done=2, ready=1), results=[took("cut", 0, 3.0), took("cut", 1, 5.0)])
    found = asked(control)
    assert found.work.tasks[0].lengths == Measured((3.0, 5.0, 4.0))
    assert found.make_span_s is None
    serve(node, step("cut", ready=2), results=[])
    assert asked(control, 60.0).work.tasks[0].lengths == Measured((60.0, 60.0))
    with pytest.raises(InvalidInput, match="nobody knows how long 'cut' takes"):
        asked(control)


def test_steps_of_people_and_values_are_not_run(node: FakeNode, control: Control) -> None:
    serve(node, step("check", done=1) | {"kind": "manual"}, results=[])
    (task,) = asked(control).work.tasks
    assert (task.is_run, task.lengths) == (False, Uniform(0.0, 0.0))


def test_a_pool_is_told_by_the_way_to_its_elements(node: FakeNode, control: Control) -> None:
    pool = step("pool", done=4) | {"ranges": {"done": "0.0-1,1.0-1"}, "edges": [edge("lists", "spread")]}
    gather = step("gather", done=2) | {"edges": [edge("pool", "gather")]}
    each = step("each", done=4) | {"ranges": {"done": "0.0-1,1.0-1"}, "edges": [edge("lists", "each")]}
    results = [took("lists", 0, 1.0), took("pool", 1, 1.0), took("gather", 0, 1.0), took("each", 1, 1.0)]
    serve(node, step("lists", done=2), pool, gather, each, results=results)
    tasks = asked(control).work.tasks
    assert tasks[1].bounds == (0, 2, POOL_BLOCK, POOL_BLOCK + 2)
    assert [task.links for task in tasks[1:]] == [
        (Link(0, EdgeKind.SPREAD, 1),),
        (Link(1, EdgeKind.GATHER, 1),),
        (Link(0, EdgeKind.EACH, 1),),
    ]


def test_how_fast_nodes_are_follows_from_arrays_that_several_did(node: FakeNode, control: Control) -> None:
    results = [took("cut", at, 10.0 if at % 2 else 20.0, "fir" if at % 2 else "ash") for at in range(40)]
    serve(node, step("cut", done=40), results=results)
    found = asked(control)
    # Half as long would be twice as fast; what was seen is shrunk a little towards what is usual.
    assert found.speeds["fir"] / found.speeds["ash"] == pytest.approx(2.0, rel=0.15)
    lengths = found.work.tasks[0].lengths
    assert isinstance(lengths, Measured)
    assert max(lengths.seconds) / min(lengths.seconds) < 1.2
    assert speeds_seen([[]]) == {}


def test_a_run_that_is_too_large_is_refused(node: FakeNode, control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_if_runs, "WHAT_IF_ELEMENTS_MAX", 3)
    serve(node, step("cut", done=4), results=[], counts=counts(done=4))
    with pytest.raises(InvalidInput, match="run 5-kedova has 4 elements, and at most 3"):
        asked(control)
