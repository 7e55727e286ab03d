"""Handing in: warnings, waiting, and a node that has to be started first."""

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, result, run

ACCEPTED = {
    "run": "5-kedova",
    "number": 5,
    "tasks": ["5-kedova/echo"],
    "warnings": ["it needs more memory than is free"],
}


def test_warnings_are_told(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    assert "roost: it needs more memory than is free\n" in roost("submit", "-q", "--", "echo").err


def test_waiting_prints_the_results_and_not_the_id(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED | {"warnings": []})
    node.serve_runs(run(5, done=1))
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "hello\n")], "next": None}
    assert roost("submit", "--wait", "--", "echo") == (0, "hello\n", "run 5-kedova\n")
    told = json.loads(roost("submit", "--wait", "--json", "-q", "--", "echo").out)
    assert (told["number"], told["results"][0]["stdout"]) == (5, "hello\n")


def test_the_code_of_waiting_says_how_it_ended(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    node.serve_runs(run(5, aborted=1))
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [], "next": None}
    assert roost("submit", "--wait", "--", "echo").code == 1


def test_a_node_is_started_if_none_runs_and_that_is_said(
    roost: Roost, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeNode(home)
    fake.answers["POST /v1/runs"] = (201, ACCEPTED)
    monkeypatch.setattr("roost.app.cli.handing_in.ensure_node", lambda _home, meanwhile: fake.start())
    ended = roost("submit", "--", "echo")
    fake.stop()
    assert ended.out == "5-kedova\n"
    assert "no node runs here; starting one" in ended.err
