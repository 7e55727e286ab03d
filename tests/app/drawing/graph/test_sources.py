"""Graphs of files and of runs."""

from pathlib import Path

from roost.app.drawing.graph.nesting import Box, nested
from roost.app.drawing.graph.sources import graph_of_outline, graph_of_run
from roost.languages.outline import Outline, OutlineLink, OutlineNode
from roost.languages.read import read_workflow
from tests.app.cli.fake_node import run, step

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"


def test_an_outline_becomes_steps_and_links() -> None:
    outline = Outline(
        "work",
        (
            OutlineNode("list", "command", 1, "ls"),
            OutlineNode("size", "value", 2, "12"),
            OutlineNode("fit", "script", 3, "", (), "", "list"),
        ),
        (
            OutlineLink("list", "fit", "x", "spread", 4),
            OutlineLink("size", "fit", "", "after", 5),
            OutlineLink("12-other/x", "fit", "", "after", 6),
        ),
        (),
    )
    graph = graph_of_outline(outline)
    assert [(one.key, one.kind, one.pool) for one in graph.steps] == [
        ("list", "command", ""),
        ("size", "value", ""),
        ("fit", "script", "list"),
    ]
    assert [(link.source, link.target, link.bare) for link in graph.links] == [
        ("list", "fit", False),
        ("size", "fit", True),
    ]
    assert graph.steps[0].state == ""


def test_a_pool_of_any_language_names_the_list_that_it_goes_over_and_its_reducer_stands_outside() -> None:
    for example in ("weevil/pi.xml", "pool/flow.yaml"):
        root = nested(graph_of_outline(read_workflow(EXAMPLES / example, {}).outline))
        (pool,) = (child for child in root.children if isinstance(child, Box))
        assert pool.label == "for each of split"
        assert len(pool.children) == 1
        (reducer,) = (link.target for link in root.links if link.source == pool.key)
        assert reducer in {"points.reducer", "total"}


def test_a_run_has_its_counts_and_leaves_other_runs_out() -> None:
    detail = run(5, done=2, failed=1)
    edges = [
        {"source": "5-kedova/echo", "kind": "all", "port": ""},
        {"source": "4-bobaba/x", "kind": "after", "port": ""},
    ]
    detail["steps"].append(step("use", waiting=1) | {"edges": edges, "sized_by": "5-kedova/echo"})
    graph = graph_of_run(detail)
    assert [(one.label, one.state, one.done, one.total) for one in graph.steps] == [
        ("echo", "failed", 2, 3),
        ("use", "waiting", 0, 1),
    ]
    assert graph.steps[1].pool == "5-kedova/echo"
    assert [(link.source, link.target) for link in graph.links] == [("5-kedova/echo", "5-kedova/use")]
