"""How long a run will still take, in words."""

from typing import Any

import pytest

from roost.app.cli import left
from roost.app.cli.left import Lefts, left_of, left_words
from roost.client.control import Control, node_of
from roost.runtime.home import Home
from tests.app.cli.fake_node import FakeNode, run


def outlook(low_s: float | None, high_s: float | None, why: str = "") -> dict[str, Any]:
    return {"run": "5-kedova", "low_s": low_s, "high_s": high_s, "why": why, "busy": 1.0, "steps": []}


@pytest.mark.parametrize(
    ("low_s", "high_s", "words"),
    [
        (350, 530, "5 to 9 min left"),
        (4.2, 9.1, "4 to 10 s left"),
        (0.3, 9.1, "at most 10 s left"),
        (7.0, 7.0, "about 7 s left"),
        (3600, 3.0 * 3600, "1 to 3 h left"),
        (86_400 * 2, 86_400 * 4, "2 to 4 days left"),
        (59 * 60, 60 * 60, "about 60 min left"),
        (0.0, 0.0, ""),
    ],
)
def test_an_interval_is_told_in_one_unit(low_s: float, high_s: float, words: str) -> None:
    assert left_words(outlook(low_s, high_s)) == words


def test_what_is_not_known_is_said() -> None:
    assert left_words(outlook(None, None, "no element has finished yet")) == "no element has finished yet"


def test_a_node_that_cannot_tell_is_no_reason_to_fail(node: FakeNode) -> None:
    with node_of(Home(node.home)) as control:
        assert left_of(control, "5-kedova") == ""
        node.answers["GET /v1/runs/5-kedova/outlook"] = outlook(10, 20)
        assert left_of(control, "5-kedova") == "10 to 20 s left"


def test_where_there_is_room_it_is_said_what_an_interval_does_not_know(node: FakeNode) -> None:
    node.answers["GET /v1/runs/5-kedova/outlook"] = outlook(10, 20, "without the time that people take for check")
    with node_of(Home(node.home)) as control:
        assert left_of(control, "5-kedova") == "10 to 20 s left"
        told = left_of(control, "5-kedova", whole=True)
    assert told == "10 to 20 s left (without the time that people take for check)"


def test_runs_that_are_waited_for_are_asked_about_now_and_then(node: FakeNode, monkeypatch: pytest.MonkeyPatch) -> None:
    node.answers["GET /v1/runs/5-kedova/outlook"] = outlook(10, 20)
    with node_of(Home(node.home)) as control:
        assert _noted(control) == run(5)
        assert node.asked == []
        monkeypatch.setattr(left, "EVERY_S", 0.0)
        assert _noted(control) == run(5) | {"left": "10 to 20 s left"}


def _noted(control: Control) -> dict[str, Any]:
    lefts = Lefts(control)
    lefts.note([run(5)])
    return lefts.told(run(5))
