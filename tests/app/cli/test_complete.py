"""Answering manual steps."""

import getpass
import json
import os
from pathlib import Path

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode
from tests.app.cli.manual_runs import refuse, serve_answer, serve_todo, todo
from tests.app.cli.terminal import Terminal

ANSWER = "/v1/runs/5-kedova/answer"


def test_words_become_an_answer_of_the_forms_types(roost: Roost, node: FakeNode) -> None:
    serve_todo(node, todo(3))
    serve_answer(node)
    ended = roost("complete", "5", "check/3", "verdict=ok", "weight=2.5", "--as", "anna")
    assert (ended.code, ended.out, ended.err) == (0, "", "5-kedova: answered check element 3\n")
    assert node.asked[0].query == {"run": "5", "task": "check", "element": "3", "values": "false"}
    values = {"verdict": "ok", "weight": 2.5}
    assert node.posted(ANSWER) == [{"task": "check", "element": 3, "values": values, "who": "anna"}]


def test_the_only_one_that_waits_is_meant_and_the_user_answers(roost: Roost, node: FakeNode) -> None:
    serve_todo(node, todo(2))
    serve_answer(node)
    told = json.loads(roost("complete", "last", "verdict=ok", "--json").out)
    assert (told["task"], told["element"], told["values"]) == ("5-kedova/check", 2, {"verdict": "ok"})
    assert node.posted(ANSWER)[0]["who"] == getpass.getuser()


def test_a_file_may_hold_the_answer(roost: Roost, node: FakeNode, tmp_path: Path) -> None:
    serve_todo(node, todo(2))
    serve_answer(node)
    source = tmp_path / "answer.json"
    source.write_text('{"verdict": "wrong", "weight": 1}')
    assert roost("complete", "5", "--from", str(source), "weight=3").code == 0
    assert node.posted(ANSWER)[0]["values"] == {"verdict": "wrong", "weight": 3}


def test_what_is_wrong_is_one_sentence(roost: Roost, node: FakeNode) -> None:
    serve_todo(node, todo(2))
    assert roost("complete", "5", "weight=heavy").err == "roost: the field 'weight' takes a number, not 'heavy'\n"
    assert node.posted(ANSWER) == []
    refuse(node, ANSWER, "the field 'verdict' is missing; it takes ok or wrong")
    ended = roost("complete", "5")
    assert (ended.code, ended.err) == (2, "roost: the field 'verdict' is missing; it takes ok or wrong\n")


def test_of_several_that_wait_the_node_says_what_is_missing(roost: Roost, node: FakeNode) -> None:
    serve_todo(node, todo(1), todo(2))
    refuse(node, "/v1/runs/5/answer", "task 'check' has 3 elements; say which one you mean with 'element'")
    ended = roost("complete", "5", "verdict=ok")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert node.posted("/v1/runs/5/answer")[0]["element"] is None


def test_at_a_terminal_what_is_missing_is_asked_for(node: FakeNode) -> None:
    serve_todo(node, todo(2))
    serve_answer(node)
    with Terminal("complete", "5", "--as", "anna", env=os.environ) as terminal:
        terminal.read_until("value: measured 1")
        terminal.read_until("verdict (ok, wrong):")
        terminal.type("\n")
        terminal.read_until("'verdict' is needed")
        terminal.type("okk\n")
        terminal.read_until("'okk' is none of ok, wrong")
        terminal.type("ok\n")
        terminal.read_until("weight in kg (number; may stay empty):")
        terminal.type("two\n")
        terminal.read_until("takes a number, not 'two'")
        terminal.type("\n")
        assert terminal.ended() == 0
    assert node.posted(ANSWER)[0]["values"] == {"verdict": "ok", "weight": None}


def test_at_a_terminal_who_gave_what_is_required_is_asked_nothing(node: FakeNode) -> None:
    serve_todo(node, todo(2))
    serve_answer(node)
    with Terminal("complete", "5", "verdict=ok", env=os.environ) as terminal:
        terminal.read_until("answered check element 2")
        assert terminal.ended() == 0
    assert node.posted(ANSWER)[0]["values"] == {"verdict": "ok"}
