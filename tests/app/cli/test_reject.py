"""Sending earlier steps back."""

import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode
from tests.app.cli.manual_runs import refuse

REJECT = "/v1/runs/5/reject"
TOLD = {"run": "5-kedova", "task": "5-kedova/measure", "sent_back": "3", "elements": 3}


def test_a_step_is_sent_back_with_the_reason(roost: Roost, node: FakeNode) -> None:
    node.answers[f"POST {REJECT}"] = TOLD
    ended = roost("reject", "5", "check/3", "--to", "measure", "--why", "not level", "--as", "ben")
    told = "5-kedova: sent back measure 3; 3 elements in all will be done again\n"
    assert (ended.code, ended.out, ended.err) == (0, "", told)
    assert node.posted(REJECT) == [
        {"task": "check", "element": 3, "to": "measure", "why": "not level", "amend": False, "who": "ben"}
    ]


def test_an_answer_is_given_up_if_that_is_said(roost: Roost, node: FakeNode) -> None:
    node.answers[f"POST {REJECT}"] = TOLD
    assert json.loads(roost("reject", "5", "--to", "measure", "--why", "x", "--amend", "--json").out) == TOLD
    assert node.posted(REJECT)[0]["amend"] is True


def test_what_is_wrong_is_one_sentence(roost: Roost, node: FakeNode) -> None:
    refuse(node, REJECT, "'sum' does not lead to 'check'; 'measure' does")
    ended = roost("reject", "5", "--to", "sum", "--why", "x")
    assert (ended.code, ended.err) == (2, "roost: 'sum' does not lead to 'check'; 'measure' does\n")
    ended = roost("reject", "5", "check", "verdict=wrong", "--to", "sum", "--why", "x")
    told = "roost: 'verdict=wrong' is too much; a rejection has no values, only --to and --why\n"
    assert (ended.code, ended.err) == (2, told)
    assert "--why" in roost("reject", "5", "--to", "measure").err
