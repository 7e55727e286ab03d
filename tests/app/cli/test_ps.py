"""The table of runs."""

import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run


def test_runs_are_listed_newest_last(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=8, failed=2), run(4, "bobaba", running=1, done=3))
    ended = roost("ps")
    lines = ended.out.splitlines()
    assert lines[0].split()[:3] == ["RUN", "NAME", "STATE"]
    assert [line.split()[0] for line in lines[1:]] == ["4-bobaba", "5-kedova"]
    assert lines[2].split()[2:6] == ["done", "10", "10", "2"]


def test_the_newest_twenty_are_asked_for_unless_all_are_wanted(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    roost("ps")
    assert node.asked[-1].query == {"select": "all", "limit": "20"}
    roost("ps", "--all")
    assert node.asked[-1].query == {"select": "all"}
    roost("ps", "5", "--limit", "3")
    assert node.asked[-1].query == {"select": "5", "limit": "3"}


def test_a_full_page_says_that_there_may_be_more(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    assert "roost ps --all" in roost("ps", "--limit", "1").err


def test_no_runs_is_a_hint_and_no_error(roost: Roost, node: FakeNode) -> None:
    node.serve_runs()
    ended = roost("ps")
    assert (ended.code, ended.out) == (0, "")
    assert "roost submit" in ended.err
    assert json.loads(roost("ps", "--json").out) == {"runs": [], "damaged": []}


def test_it_is_told_what_was_taken_over(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=3) | {"taken_over": 2, "for_people": 1})
    assert roost("ps").out.rstrip().endswith("1 for people  2 taken over")


def test_a_run_that_is_damaged_is_named_beside_the_others(roost: Roost, node: FakeNode) -> None:
    damaged = ["the record of run 4-bobaba on this disk is damaged"]
    node.answers["GET /v1/runs"] = {"runs": [run(5)], "damaged": damaged}
    ended = roost("ps")
    assert "4-bobaba on this disk is damaged" in ended.err
    assert "5-kedova" in ended.out
