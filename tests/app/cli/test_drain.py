"""`roost drain` beside a node that a test plays; real ones are in tests/real/test_leaving.py."""

import json
from typing import Any

import pytest

from roost.app.cli import drain
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import Asked, FakeNode


def told(**more: Any) -> dict[str, Any]:
    known = {"draining": True, "running": 0, "unwritten": 0, "only_here": 0, "others": 2, "may_stop": True}
    return known | more


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "LOOK_EVERY_S", 0.0)


def test_it_shows_what_is_left_and_says_when_the_machine_may_be_switched_off(roost: Roost, node: FakeNode) -> None:
    steps = [told(running=1, only_here=2, may_stop=False), told()]
    node.answers["POST /v1/drain"] = told(running=2, may_stop=False)
    node.answers["GET /v1/drain"] = lambda _: steps.pop(0)
    ended = roost("drain")
    assert ended.code == 0
    assert ended.err.splitlines() == [
        "draining: 2 leases still at work",
        "draining: 1 lease still at work, 2 things on no other disk yet",
        "nothing runs and nothing is only here; 'roost down' stops the node, then the machine may be switched off",
    ]
    assert node.posted("/v1/drain") == [{"on": True, "at_once": False}]


def test_one_that_was_restarted_meanwhile_is_asked_again(roost: Roost, node: FakeNode) -> None:
    def ask(asked: Asked) -> Any:
        return told(running=1, may_stop=False) if len(node.posted("/v1/drain")) == 1 else told()

    node.answers["POST /v1/drain"] = ask
    node.answers["GET /v1/drain"] = told(draining=False, may_stop=False)
    assert roost("drain", "--now").code == 0
    assert node.posted("/v1/drain") == [{"on": True, "at_once": True}, {"on": True}]


def test_alone_it_says_what_becomes_of_what_waits(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/drain"] = told(others=0)
    assert "goes on at the next 'roost up'" in roost("drain").err


def test_it_can_be_ended_and_need_not_be_waited_for(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/drain"] = told(draining=False, may_stop=False)
    assert roost("drain", "--off").err == "this node works again\n"
    assert node.posted("/v1/drain") == [{"on": False, "at_once": False}]
    node.answers["POST /v1/drain"] = told(running=1, may_stop=False)
    assert roost("drain", "--no-wait").err == "this node drains: 1 lease still at work\n"


def test_json_is_what_the_node_says(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/drain"] = told()
    assert json.loads(roost("drain", "--json").out) == told()
