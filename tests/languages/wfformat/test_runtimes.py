from typing import Any

import pytest

from roost.languages.wfformat.runtimes import Runtimes

STEP = {"kind": "function"}


def span(first: int, last: int, busy_s: float, node: str = "ash", task: str | None = "5-a/f", **more: Any) -> Any:
    told = {"task": task, "node": node, "start": 0.0, "busy_s": busy_s, "elements": last - first + 1, "failed": 0}
    return told | {"first": first, "last": last} | more


def ended(index: int, node: str | None = "ash", **more: Any) -> Any:
    return {"task": "5-a/f", "index": index, "node": node, "duration_s": None} | more


def test_an_outcome_that_knows_its_own_time_is_believed() -> None:
    assert Runtimes([span(0, 0, 7.0)]).seconds({"kind": "command"}, ended(0, duration_s=0.5)) == 0.5
    assert Runtimes([]).seconds({"kind": "command"}, ended(0, duration_s=0.0)) == 0.0


def test_elements_that_were_done_together_took_their_mean() -> None:
    runtimes = Runtimes([span(0, 0, 3.0), span(1, 4, 2.0), span(1, 4, 9.0, "elm")])
    assert [runtimes.seconds(STEP, ended(index)) for index in (0, 1, 4)] == [3.0, 0.5, 0.5]
    assert runtimes.seconds(STEP, ended(2, "elm")) == 2.25


def test_of_several_spans_the_closest_counts_and_failed_attempts_do_not() -> None:
    failed = span(2, 2, 40.0, failed=1)
    assert Runtimes([failed, span(0, 9, 10.0), span(2, 2, 4.0)]).seconds(STEP, ended(2)) == 4.0
    assert Runtimes([failed]).seconds(STEP, ended(2)) is None


def test_what_no_span_covers_took_as_long_as_its_like() -> None:
    elsewhere = span(0, 1, 5.0, "elm")
    assert Runtimes([elsewhere]).seconds(STEP, ended(7)) == 2.5
    merged = span(0, 0, 6.0, task=None, elements=3)
    assert Runtimes([merged]).seconds(STEP, ended(7)) == 2.0
    assert Runtimes([merged]).seconds(STEP, ended(7, "elm")) is None
    assert Runtimes([]).seconds(STEP, ended(7)) is None


@pytest.mark.parametrize("kind", ["value", "manual"])
def test_what_nobody_works_on_takes_no_time(kind: str) -> None:
    assert Runtimes([]).seconds({"kind": kind}, ended(0)) == 0.0
