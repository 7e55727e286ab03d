"""Manual steps in `roost show`, `ps` and `top`."""

from typing import Any

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import STATUS, FakeNode, run
from tests.app.cli.manual_runs import manual_run, serve_todo, todo


def line(kind: str, what: str) -> dict[str, Any]:
    told = {"at": 1.0, "task": "5-kedova/check", "elements": "1", "who": "x", "cause": "c"}
    return {**told, "kind": kind, "what": what}


def test_show_says_whom_a_step_waits_for_and_what_people_did(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(manual_run(ready=2, done=1))
    serve_todo(node, todo(0), todo(1, late=True, deadline=5.0), more=4)
    story = [
        line("submitted", "submitted"),
        line("answered", "done by anna"),
        line("sent back", "sent back by ben from check: not level"),
        line("done", "done on elm"),
        line("failed", "done by nobody, said the program"),
    ]
    node.answers["GET /v1/runs/5-kedova/explain"] = {"lines": [], "story": story}
    out = roost("show", "5").out
    assert "2 ready, 1 done  2 for people" in out
    assert "1 CPU" not in out
    assert "for anna or ben, since " in out
    assert ": roost complete 5-kedova/check/1  late by " in out
    assert "and 4 more; 'roost todo 5-kedova' lists them" in out
    assert "1 done by anna\n" in out
    assert "1 sent back by ben from check: not level\n" in out
    assert "submitted\n" not in out
    assert "done on elm" not in out
    assert "done by nobody" not in out


def test_a_run_without_manual_steps_asks_for_no_story(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=1))
    assert roost("show", "5").code == 0
    assert not any(asked.path.endswith(("/explain", "/todo")) for asked in node.asked)


def test_lists_of_runs_say_what_is_for_people(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba", done=1), manual_run(ready=2))
    node.answers["GET /v1/status"] = STATUS
    for command in (("ps",), ("top", "--once")):
        out = roost(*command).out
        assert "2 for people" in out
        assert out.count("for people") == 1
