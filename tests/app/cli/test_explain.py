"""Reasons and stories."""

import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run

TOLD = {
    "lines": ["echo: 3 elements wait for a free processor"],
    "story": [{"at": 1.0, "task": "5-kedova/echo", "elements": "1-3", "what": "submitted", "cause": "submit-1.1"}],
}


def test_reasons_come_first_and_then_the_story(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    node.answers["GET /v1/runs/5-kedova/explain"] = TOLD
    ended = roost("explain", "5/echo", "--element", "2")
    assert ended.out.startswith("echo: 3 elements wait for a free processor\n")
    assert "echo 1-3  submitted" in ended.out
    assert node.asked[-1].query == {"task": "echo", "element": "2"}


def test_what_was_reused_is_asked_for(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    node.answers["GET /v1/runs/5-kedova/explain"] = {"lines": ["echo: not taken over: it never ran"], "story": []}
    assert roost("explain", "5/echo", "--cache").out == "echo: not taken over: it never ran\n"
    assert node.asked[-1].query == {"task": "echo", "cache": "true"}


def test_several_runs_have_titles_and_json_names_them(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba"), run(5))
    node.answers["GET /v1/runs/5-kedova/explain"] = TOLD
    node.answers["GET /v1/runs/4-bobaba/explain"] = {"lines": ["done"], "story": []}
    assert roost("explain", "all").out.startswith("4-bobaba\ndone\n5-kedova\n")
    assert json.loads(roost("explain", "--json").out) == {"run": "5-kedova"} | TOLD


def test_a_long_story_is_cut_at_its_beginning(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    story = [TOLD["story"][0] | {"what": f"event {number}"} for number in range(50)]
    node.answers["GET /v1/runs/5-kedova/explain"] = TOLD | {"story": story}
    out = roost("explain").out
    assert "30 earlier lines; --all shows them" in out
    assert "event 29\n" not in out
    assert "event 30\n" in out
    assert "event 0\n" in roost("explain", "--all").out
