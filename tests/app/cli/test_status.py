"""How the node does."""

import json

from roost.app.cli.status import status_lines
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import STATUS, FakeNode


def test_status_is_told_in_words(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    ended = roost("status")
    assert ended.code == 0
    assert "attic-1 (pid 4711" in ended.out
    assert "3 of 4 free" in ended.out
    assert "alone so far" in ended.out
    assert "stays     on line for the first time; too little history to tell how long it stays" in ended.out
    assert "state     very stable (super-peer): nothing speaks against it" in ended.out
    assert "trouble" not in ended.out


def test_one_that_is_too_unstable_says_so_and_why() -> None:
    low = {"state": "too unstable", "role": "none", "why": "its battery is at 15 %"}
    assert "state     too unstable (takes no work): its battery is at 15 %" in status_lines(STATUS | low)


def test_trouble_is_told() -> None:
    assert status_lines(STATUS | {"trouble": "the disk is full"})[-1].endswith("the disk is full")


def test_one_that_drains_says_so() -> None:
    assert "takes no new work" in status_lines(STATUS | {"draining": True})[-1]


def test_the_strategy_of_fairness_is_told_where_there_is_one() -> None:
    told = status_lines(STATUS | {"fairness": "not-best", "fairness_group": 10})[-1]
    assert told == "fairness  not-best, compared with those near it, up to 10 nodes in all"
    assert status_lines(STATUS | {"fairness": "none"}) == status_lines(STATUS)


def test_who_has_done_how_much_and_for_whom_is_told_when_anything_was_done() -> None:
    even, nobody = {"jains_index": 0.8, "variance": 18.0}, {"jains_index": None, "variance": None}
    work = {
        "nodes": [{"name": "ash", "elements": 9, "busy_s": 90.0}, {"name": "elm", "elements": 3, "busy_s": 30.0}],
        "users": [{"name": "ann", "elements": 12, "busy_s": 120.0}],
        **dict.fromkeys(("elements_by_node", "busy_s_by_node"), even),
        **dict.fromkeys(("elements_by_user", "busy_s_by_user"), nobody),
    }
    shared = "ash 9 (about 1 min 30 s), elm 3 (about 30.0 s), since it started"
    assert status_lines(STATUS | {"work": work})[-2:] == [
        f"done by   {shared}; Jain's index 0.8 and variance 18 of elements",
        "done for  ann 12 (about 2 min 00 s), since it started",
    ]
    idle = {**work, "nodes": [{"name": "ash", "elements": 0, "busy_s": 0.0}], "users": []}
    assert not any("done" in line for line in status_lines(STATUS | {"work": idle}))


def test_json_is_what_the_node_says(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    assert json.loads(roost("status", "--json").out) == STATUS
