"""How long a node tends to stay on line, in words, from what the API tells of it."""

import time
from typing import Any, Final

from roost.model.resources import format_duration
from roost.policy.reliability import Exponential, Lifetime, Weibull, survival_score

#: The element that people are told about.
_EXAMPLE_S: Final = 3600.0
_TOO_LITTLE: Final = "too little history to tell how long it stays"


def stays(status: dict[str, Any]) -> str:
    """Say how often a node was on line, how long on average, and whether an element of an hour survives."""
    reliability = status.get("reliability")
    if reliability is None:
        return _TOO_LITTLE
    times = "for the first time" if reliability["periods"] <= 1 else f"{reliability['periods']:,} times"
    mean = f", {format_duration(reliability['mean_s'])} on average" if reliability["known"] else ""
    return f"on line {times}{mean}; {survives(status)}"


def survives(status: dict[str, Any]) -> str:
    """Say how likely an element of an hour ends before the node does."""
    reliability, online = status.get("reliability"), status.get("online")
    if reliability is None or online is None or not reliability["known"]:
        return _TOO_LITTLE
    age_s = max(time.time() - online["since"], 0.0)
    chance = survival_score(_lifetime(reliability), _EXAMPLE_S, age_s)
    return f"an element of 1 h survives with {chance * 100:.0f} %"


def _lifetime(reliability: dict[str, Any]) -> Lifetime:
    if reliability["model"] == "weibull":
        return Weibull(reliability["scale"], reliability["shape"])
    return Exponential(reliability["rate"])
