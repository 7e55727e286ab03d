"""`roost attach`."""

import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, result, run


def test_coming_back_waits_and_prints_the_results(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=1))
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "hello\n")], "next": None}
    assert roost("attach", "5") == (0, "hello\n", "")
    assert json.loads(roost("attach", "--json").out)["results"][0]["stdout"] == "hello\n"


def test_the_code_says_how_the_run_ended(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, cancelled=1))
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [], "next": None}
    assert roost("attach").code == 1


def test_it_is_told_what_was_taken_over(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=1) | {"taken_over": 1})
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "hello\n")], "next": None}
    told = "5-kedova: 1 taken over from earlier runs; 'roost explain 5 --cache' says from which\n"
    assert roost("attach", "5") == (0, "hello\n", told)


def test_a_task_is_come_back_to_alone_and_one_that_is_not_there_is_refused(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=1))
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "hello\n")], "next": None}
    assert roost("attach", "5/echo").out == "hello\n"
    assert [asked.query.get("task") for asked in node.asked if asked.path.endswith("/results")] == ["echo"]
    assert roost("attach", "5/nope").code == 3
