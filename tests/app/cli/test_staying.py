"""How long a node tends to stay, in words."""

import time
from typing import Any

import pytest

from roost.app.cli.staying import stays, survives

NOW_S = 1_800_000_000.0
ONLINE = {"since": NOW_S - 3600.0, "times_before": 11, "mean_s_before": 30_000.0}
EXPONENTIAL = {"model": "exponential", "rate": 1 / 30_000, "mean_s": 30_000.0, "known": True, "periods": 12}
WEIBULL = {"model": "weibull", "scale": 7200.0, "shape": 2.0, "mean_s": 6380.8, "known": True, "periods": 12}
YOUNG = {"model": "exponential", "rate": 1e-8, "mean_s": 1e8, "known": False, "periods": 2}


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW_S)


def told(reliability: dict[str, Any] | None) -> dict[str, Any]:
    return {"online": ONLINE, "reliability": reliability}


def test_how_often_how_long_and_how_surely() -> None:
    assert stays(told(EXPONENTIAL)) == "on line 12 times, 8 h 20 min on average; an element of 1 h survives with 89 %"


def test_a_node_that_ages_is_asked_how_old_it_is() -> None:
    """By hand: exp(0.5^2 - 1^2)."""
    assert survives(told(WEIBULL)) == "an element of 1 h survives with 47 %"


def test_too_little_history_says_so() -> None:
    assert stays(told(YOUNG)) == "on line 2 times; too little history to tell how long it stays"
    assert stays(told(YOUNG | {"periods": 1})).startswith("on line for the first time; too little")


def test_a_node_of_an_earlier_version_says_nothing_of_it() -> None:
    assert stays({}) == survives({}) == "too little history to tell how long it stays"
