"""The live view, one frame of it."""

import io
import json
from typing import Any

from rich.console import Console

from roost.app.cli.top import ELEMENTS_SHOWN, frame
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import STATUS, FakeNode, run
from tests.app.cli.terminal import Terminal


def drawn(taken: dict[str, Any]) -> str:
    screen = io.StringIO()
    Console(file=screen, width=160).print(frame(taken))
    return screen.getvalue()


def element(index: int, fraction: float | None = None) -> dict[str, Any]:
    return {
        "run": "5-kedova",
        "task": "echo",
        "index": index,
        "path": str(index),
        "node": "elm",
        "seconds": 3.0 if index else None,
        "fraction": fraction,
        "note": "fold [2/5]",
    }


def test_a_frame_shows_the_node_what_runs_and_the_runs() -> None:
    text = drawn(
        {"status": STATUS, "runs": [run(4, "bobaba"), run(5, running=1, failed=1)], "elements": [element(7, 0.4)]}
    )
    assert "cpus 1 of 4 busy" in text
    assert "fold [2/5]" in text
    assert "elm" in text, "elements of other nodes are shown, too"
    assert text.index("5-kedova  ") < text.index("4-bobaba  ")


def test_many_elements_are_cut_and_trouble_is_shown() -> None:
    elements = [element(index) for index in range(ELEMENTS_SHOWN + 3)]
    text = drawn({"status": STATUS | {"trouble": "the disk is full"}, "runs": [], "elements": elements})
    assert "and 3 more" in text
    assert "the disk is full" in text
    assert "no runs yet" in text


def test_one_frame_is_printed_where_there_is_no_terminal(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    node.serve_runs(run(5, done=1))
    assert "attic-1" in roost("top").out
    assert "attic-1" in roost("top", "--once").out


def test_json_is_one_snapshot_with_running_elements(roost: Roost, node: FakeNode) -> None:
    running = run(5, running=1)
    running["steps"][0]["running"] = [
        {"index": 3, "path": "3", "node": "elm", "seconds": 1.0, "fraction": 0.5, "note": ""}
    ]
    node.answers["GET /v1/status"] = STATUS
    node.serve_runs(run(4, "bobaba"), running)
    told = json.loads(roost("top", "--json").out)
    assert told["elements"] == [
        {
            "run": "5-kedova",
            "task": "echo",
            "index": 3,
            "path": "3",
            "node": "elm",
            "seconds": 1.0,
            "fraction": 0.5,
            "note": "",
        }
    ]
    assert [found["number"] for found in told["runs"]] == [4, 5]


def test_the_live_view_draws_until_q_is_pressed(node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    node.serve_runs(run(5, running=1, done=1))
    with Terminal("top") as terminal:
        assert "attic-1" in terminal.read_until("5-kedova")
        terminal.type("q")
        assert terminal.ended() == 0


def test_ctrl_c_ends_the_live_view_well(node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    node.serve_runs()
    with Terminal("top") as terminal:
        terminal.read_until("no runs yet")
        terminal.type("\x03")
        assert terminal.ended() == 0


def test_what_goes_on_has_an_outlook(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    node.serve_runs(run(4, "bobaba"), run(5, running=1, done=1))
    node.answers["GET /v1/runs/5-kedova/outlook"] = {"low_s": 61.0, "high_s": 119.0, "why": ""}
    assert "1 to 2 min left" in roost("top", "--once").out
    shown = json.loads(roost("top", "--json").out)["runs"]
    assert [one["left"] for one in shown] == ["", "1 to 2 min left"]
