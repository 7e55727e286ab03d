"""`roost forget`."""

import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode

TOLD = {
    "runs": [{"run": "4-bobaba", "name": "render", "bytes": 3_000_000}, {"run": "5-kedova", "name": "x", "bytes": 24}],
    "bytes": 3_000_024,
    "kept": [{"run": "6-sesese", "why": "it has not ended"}],
    "dry_run": False,
    "dated_ahead": [],
}


def test_it_says_how_many_runs_and_bytes_and_what_stays(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/forget"] = TOLD
    assert roost("forget", "4", "5") == (0, "", "6-sesese stays: it has not ended\n2 runs forgotten, 2.9 MiB\n")
    assert node.posted("/v1/forget") == [{"select": "4,5", "dry_run": False}]


def test_a_dry_run_lists_what_would_go(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/forget"] = TOLD | {"kept": []}
    ended = roost("forget", "--older", "30d", "--dry-run")
    assert ended.out == "4-bobaba  2.9 MiB  render\n5-kedova  24 B  x\n"
    assert ended.err == "2 runs would be forgotten, 2.9 MiB\n"
    assert node.posted("/v1/forget") == [{"select": "all", "dry_run": True, "older_s": 30 * 86_400}]


def test_json_is_what_the_node_says(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/forget"] = TOLD
    assert json.loads(roost("forget", "all", "--json").out) == TOLD


def test_nothing_to_forget_is_said(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/forget"] = {"runs": [], "bytes": 0, "kept": [], "dry_run": False, "dated_ahead": []}
    assert roost("forget", "all") == (0, "", "there was nothing to forget\n")


def test_runs_that_are_dated_in_the_future_are_told_in_one_sentence(roost: Roost, node: FakeNode) -> None:
    nothing = {"runs": [], "bytes": 0, "kept": [], "dry_run": False}
    node.answers["POST /v1/forget"] = nothing | {"dated_ahead": ["4-bobaba"]}
    assert roost("forget", "--older", "30d").err == (
        "1 run stays, because its end is dated in the future (4-bobaba): a clock was wrong, and how old that is cannot "
        "be told; forget it by name\nthere was nothing to forget\n"
    )
    node.answers["POST /v1/forget"] = nothing | {"dated_ahead": [f"{number}-bobaba" for number in range(1, 8)]}
    told = roost("forget", "--older", "30d").err
    assert told.startswith("7 runs stay, because their end is dated in the future (1-bobaba, ")
    assert "5-bobaba, ...): a clock was wrong" in told


def test_it_needs_runs_or_an_age(roost: Roost, node: FakeNode) -> None:
    assert roost("forget").code == 2
    assert roost("forget", "--older", "soon").code == 2
    assert node.asked == []
