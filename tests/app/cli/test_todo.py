"""The list of what waits for people."""

import getpass
import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode
from tests.app.cli.manual_runs import serve_todo, todo


def test_all_that_waits_is_listed(roost: Roost, node: FakeNode) -> None:
    serve_todo(node, todo(1), todo(2, late=True, deadline=1.0), more=7)
    ended = roost("todo", "5", "6")
    assert "5-kedova/check/1  Look at it\n" in ended.out
    assert "5-kedova/check/2  Look at it  late by " in ended.out
    assert "\n\n5-kedova/check/2" in ended.out
    assert "and 7 more; 'roost todo --limit 27' lists them" in ended.err
    assert node.asked[-1].query == {"run": "5,6", "limit": "20"}


def test_me_is_the_user(roost: Roost, node: FakeNode) -> None:
    serve_todo(node)
    ended = roost("todo", "--who", "me")
    assert (ended.code, ended.out, ended.err) == (0, "", f"nothing waits for {getpass.getuser()}\n")
    assert node.asked[-1].query["who"] == getpass.getuser()
    assert roost("todo").err == "nothing waits for a person\n"


def test_json_is_what_the_node_said(roost: Roost, node: FakeNode) -> None:
    serve_todo(node, todo(1))
    assert json.loads(roost("todo", "--json").out) == {"todo": [todo(1)], "more": 0}
