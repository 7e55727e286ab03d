"""Changing answers that were given."""

import json
import os

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, result
from tests.app.cli.manual_runs import manual_run, refuse, serve_answer
from tests.app.cli.terminal import Terminal

ANSWER = "/v1/runs/5-kedova/answer"
BEFORE = {"verdict": "ok", "weight": 2.5}


def serve(node: FakeNode, **counts: int) -> None:
    node.serve_runs(manual_run(**counts))
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, None, value=BEFORE)]}
    serve_answer(node, amended=True)


def test_what_is_not_named_stays(roost: Roost, node: FakeNode) -> None:
    serve(node, done=2, ready=1)
    ended = roost("amend", "5-kedova", "check/1", "verdict=wrong", "--as", "ben")
    assert (ended.code, ended.err) == (0, "5-kedova: amended check element 1\n")
    (asked,) = [one for one in node.asked if one.path.endswith("/results")]
    assert asked.query == {"task": "check", "elements": "1"}
    values = {"verdict": "wrong", "weight": 2.5}
    assert node.posted(ANSWER) == [{"task": "check", "element": 1, "values": values, "who": "ben", "amend": True}]


def test_the_only_answer_need_not_be_named(roost: Roost, node: FakeNode) -> None:
    serve(node, done=1, ready=2)
    told = json.loads(roost("amend", "5-kedova", "weight=1", "--json").out)
    assert (told["element"], told["values"]) == (0, {"verdict": "ok", "weight": 1})


def test_where_nothing_was_answered_the_node_says_so(roost: Roost, node: FakeNode) -> None:
    serve(node, ready=1)
    refuse(node, ANSWER, "'check' has no answer that could be amended; 'roost complete' gives one")
    for words in (("5-kedova",), ("5-kedova", "check"), ("5-kedova", "check/0", "verdict=ok")):
        ended = roost("amend", *words)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "has no answer that could be amended" in ended.err


def test_nothing_to_change_is_refused(roost: Roost, node: FakeNode) -> None:
    serve(node, done=1)
    ended = roost("amend", "5-kedova")
    told = "roost: nothing is amended; write what changes as NAME=VALUE, as in verdict=wrong\n"
    assert (ended.code, ended.err) == (2, told)
    assert node.posted(ANSWER) == []


def test_at_a_terminal_the_old_answer_is_offered(node: FakeNode) -> None:
    serve(node, done=1)
    with Terminal("amend", "5-kedova", env=os.environ) as terminal:
        terminal.read_until("verdict (ok, wrong) [ok]:")
        terminal.type("wrong\n")
        terminal.read_until("weight in kg (number; may stay empty) [2.5]:")
        terminal.type("\n")
        assert terminal.ended() == 0
    assert node.posted(ANSWER)[0]["values"] == {"verdict": "wrong", "weight": 2.5}
