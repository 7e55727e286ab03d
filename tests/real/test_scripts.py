"""JavaScript jobs through a real node, handed in and read as a person does."""

from typing import Any

import pytest

from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

SQUARE = {"code": "function weevil_main(x){return x*x}", "arguments": [{"item": True}]}


@pytest.fixture
def node(node_home: NodeHome) -> NodeHome:
    node_home.start()
    return node_home


def finished(node: NodeHome, *tasks: dict[str, Any]) -> Any:
    """Submit tasks, wait until the run has ended, and return how it is."""
    with node.control() as control:
        run = control.post("/v1/runs", {"tasks": list(tasks)})["run"]
        seen: dict[str, Any] = {}

        def is_over() -> bool:
            seen.update(control.get(f"/v1/runs/{run}"))
            return seen["state"] in ("done", "failed", "cancelled")

        wait_until(is_over, lambda: f"that the run ends; it is {seen}")
        return seen


def values(node: NodeHome, run: str, **query: str) -> list[Any]:
    with node.control() as control:
        return [result["value"] for result in control.get(f"/v1/runs/{run}/results", **query)["results"]]


def test_an_array_of_scripts_gives_json_values(node: NodeHome) -> None:
    run = finished(node, {"name": "square", "script": SQUARE, "items": [1, 2, 3]})
    assert (run["state"], run["counts"]["done"]) == ("done", 3)
    assert (run["steps"][0]["kind"], run["steps"][0]["what"]) == ("script", "square")
    assert values(node, run["run"]) == [1, 4, 9]
    assert node.roost("get", run["run"]).stdout == "1\n4\n9\n"


def test_scripts_take_from_and_give_to_commands_and_functions(node: NodeHome) -> None:
    run = finished(
        node,
        {"name": "say", "command": {"argv": ["echo", "[{i},10]"]}, "array": "0-2"},
        {
            "name": "sum",
            "script": {
                "code": "function weevil_main(a) { return {sum: eval(a).reduce((x, y) => x + y)} }",
                "arguments": [{"port": "list"}],
            },
            "array": "0-2",
            "edges": [{"source": "say", "kind": "each", "port": "list"}],
        },
        {
            "name": "sort",
            "function": {"call": "builtins:len", "arguments": [{"port": "sums"}]},
            "edges": [{"source": "sum", "kind": "all", "port": "sums"}],
        },
        {
            "name": "told",
            "command": {"argv": ["printf", "%s;", "{needs.sum}"]},
            "array": "0-2",
            "edges": [{"source": "sum", "kind": "each", "port": "sum"}],
        },
        {
            "name": "end",
            "script": {
                "code": "async (x) => 0; const weevil_main = async (n, texts) => [n, ...texts]",
                "arguments": [{"port": "n"}, {"port": "texts"}],
            },
            "edges": [
                {"source": "sort", "kind": "broadcast", "port": "n"},
                {"source": "told", "kind": "all", "port": "texts"},
            ],
        },
    )
    assert run["state"] == "done", node.roost("explain", run["run"]).stdout
    assert values(node, run["run"]) == [[3, '{"sum":10};', '{"sum":11};', '{"sum":12};']]


def test_a_script_that_fails_is_explained_and_its_output_is_kept(node: NodeHome) -> None:
    code = """
    function weevil_main(x) {
      console.log("saw", x);
      if (x === 2) throw new Error("not two");
      while (x === 3);
      return x;
    }
    """
    run = finished(node, {"name": "job", "script": {"code": code}, "items": [1, 2, 3, 4], "time_limit_s": 0.5})
    assert (run["state"], run["counts"]["done"], run["counts"]["failed"]) == ("failed", 2, 2)
    with node.control() as control:
        failures = control.get(f"/v1/runs/{run['run']}/failures")["failures"]
    assert [(failure["index"], failure["reason"]) for failure in failures] == [
        (1, "Error: not two"),
        (2, "took longer than 0.5 s"),
    ]
    assert "at weevil_main (job:4:" in failures[0]["detail"]
    assert node.roost("logs", run["run"], "--element", "1").stdout == "saw 2\n"
