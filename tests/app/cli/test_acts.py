"""What the four verbs share."""

import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, error, run


def test_every_chosen_run_is_asked(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba"), run(5))
    node.answers["POST /v1/runs/4-bobaba/cancel"] = {"elements": 1, "warnings": []}
    node.answers["POST /v1/runs/5-kedova/cancel"] = {"elements": 2, "warnings": []}
    ended = roost("cancel", "all", "--json")
    assert json.loads(ended.out) == {
        "changed": [
            {"run": "4-bobaba", "elements": 1, "warnings": []},
            {"run": "5-kedova", "elements": 2, "warnings": []},
        ]
    }


def test_one_that_cannot_be_changed_does_not_stop_the_others(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba"), run(5))
    node.answers["POST /v1/runs/4-bobaba/cancel"] = (400, error("invalid", "it has ended"))
    node.answers["POST /v1/runs/5-kedova/cancel"] = {"elements": 2, "warnings": []}
    ended = roost("cancel", "all")
    assert ended == (2, "", "roost: 4-bobaba: it has ended\n5-kedova: cancelled 2 elements\n")


def test_a_part_of_a_run_can_be_named(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    node.answers["POST /v1/runs/5-kedova/cancel"] = {"elements": 3, "warnings": []}
    roost("cancel", "5", "--task", "echo", "--elements", "1-3")
    roost("cancel", "5/echo")
    assert node.posted("/v1/runs/5-kedova/cancel") == [
        {"task": "echo", "elements": "1-3"},
        {"task": "echo", "elements": None},
    ]


def test_a_bad_set_of_elements_asks_nothing(roost: Roost, node: FakeNode) -> None:
    assert roost("cancel", "5", "--elements", "x").code == 2
    assert node.asked == []


def test_only_runs_that_it_concerned_are_named(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba"), run(5))
    node.answers["POST /v1/runs/4-bobaba/cancel"] = {"elements": 0, "warnings": []}
    node.answers["POST /v1/runs/5-kedova/cancel"] = {"elements": 1, "warnings": []}
    assert roost("cancel", "all") == (0, "", "5-kedova: cancelled 1 element\n")
    assert roost("cancel", "4") == (0, "", "there was nothing to cancel\n")


def test_what_is_a_surprise_is_said_instead_of_nothing_to_do(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    node.answers["POST /v1/runs/5-kedova/suspend"] = {"elements": 0, "warnings": ["it is idle"]}
    assert roost("suspend", "5") == (0, "", "it is idle\n")
