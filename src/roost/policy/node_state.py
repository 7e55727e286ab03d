"""The state of a node, from how its machine is, where that leads, and how long it tends to stay (FAIR 3.1).

Very stable, stable, unstable, too unstable: FAIR names the states, the values that they follow from, and linear
regression for what comes next; it gives no numbers. These are Roost's, and so is how far each sign can go:

                          very stable   stable       unstable     too unstable
    remaining             60 % and up   40 % and up  20 % and up  below
    link                  50 % and up   40 % and up  25 % and up  below
    utilisation           up to 70 %    above
    survival (10 min)     90 % and up   below

- A battery that is empty and a network that is gone take a node away with all that it has, so they can keep it from
  work. How busy its owner is says nothing of that, and how long it tended to stay says it of long work only, which the
  policies that ask for it weigh better than a state: these take the role of a super-peer, and no more.
- Each vital counts as it is and as it will be at the horizon, and the worse of the two decides. The line is that of
  least squares through the vitals of the last HISTORY_S, each of which lasts until the next. Nothing is foretold
  further than it was looked at.
- A node is better again only when the sign for which it was worse is so by MARGIN, so that it does not flap between two
  states.
- Survival is the chance to stay on line for the horizon (reliability.py). A node of which too little is known stays, as
  HTC 4.4.1 begins.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from roost.model.vitals import SOUND, Condition, NodeState, Sign, Vitals

#: How far it is looked ahead. Longer: what runs for long is warned earlier. Shorter: less is foretold wrongly.
HORIZON_S: Final = 600.0
#: How far it is looked back. Longer: a short burst of work says less. Shorter: a change shows sooner.
HISTORY_S: Final = 900.0
#: By how much a node must be better than a threshold to pass it again. More: it flaps less. Less: it is back sooner.
MARGIN: Final = 0.05
#: Below so much less within the horizon a vital does not fall: readings are as coarse.
FALLS_MIN: Final = 0.02

#: The least value of each state but the last one, the best first; a sign cannot lead to a state that it does not name.
_LEAST: Final = {
    Sign.REMAINING: (0.6, 0.4, 0.2),
    Sign.LINK: (0.5, 0.4, 0.25),
    # How much is left of the processors: for all signs more is better.
    Sign.UTILISATION: (0.3,),
    Sign.STAY: (0.9,),
}
#: So that what was reckoned does not miss a threshold by a rounding error.
_EXACT: Final = 1e-9


class Seen(NamedTuple):
    """How a machine was, from then until the next time."""

    at: float
    vitals: Vitals


class Reading(NamedTuple):
    """A sign, as good as it is now, and as it will be at the horizon."""

    sign: Sign
    now: float
    then: float

    @property
    def worse(self) -> float:
        return min(self.now, self.then)


def judge(history: Sequence[Seen], now: float, survival: float, before: Condition) -> Condition:
    """Return the state of a node that was seen so, oldest first, and of the sign that is worst for it.

    ``survival`` is its chance to stay for HORIZON_S, ``before`` what was judged last.
    """
    worst, worst_state = None, NodeState.VERY_STABLE
    for reading in readings(history, now, survival):
        state = _state_of(reading, before)
        if worst is None or state > worst_state:
            worst, worst_state = reading, state
    if worst is None or worst_state is NodeState.VERY_STABLE:
        return SOUND
    return Condition(worst_state, worst.sign, round(100 * worst.now), round(100 * (worst.then - worst.now)))


def readings(history: Sequence[Seen], now: float, survival: float) -> list[Reading]:
    """Return every sign, in the order in which the first of equals is named as the reason."""
    found: list[Reading] = []
    if history:
        ahead_s = min(HORIZON_S, now - max(history[0].at, now - HISTORY_S))
        for sign, good in _GOOD.items():
            value = good(history[-1].vitals)
            drift = slope([(seen.at, good(seen.vitals)) for seen in history], now) * ahead_s
            found.append(Reading(sign, value, min(max(value + drift, 0.0), 1.0)))
    return [*found, Reading(Sign.STAY, survival, survival)]


def slope(values: Sequence[tuple[float, float]], now: float) -> float:
    """Return by how much a value changes in a second: that of the line of least squares through all that it was.

    ``values`` has since when it was what, oldest first, and only what was within HISTORY_S counts.
    """
    began = max(values[0][0], now - HISTORY_S)
    length = now - began
    if length <= 0.0:
        return 0.0
    middle, moment = (began + now) / 2, 0.0
    ends = [at for at, _ in values[1:]] + [now]
    for (start, value), end in zip(values, ends, strict=True):
        if end > began:
            moment += value * ((end - middle) ** 2 - (max(start, began) - middle) ** 2) / 2
    return moment / (length**3 / 12)


_GOOD: Final[dict[Sign, Callable[[Vitals], float]]] = {
    Sign.REMAINING: lambda vitals: vitals.remaining,
    Sign.LINK: lambda vitals: vitals.link,
    Sign.UTILISATION: lambda vitals: 1.0 - vitals.utilisation,
}


def _state_of(reading: Reading, before: Condition) -> NodeState:
    """Return the state by one sign: worse at once, better only if it is so by a margin."""
    plain = _by_thresholds(reading, 0.0)
    return plain if reading.sign is not before.sign else max(plain, min(before.state, _by_thresholds(reading, MARGIN)))


def _by_thresholds(reading: Reading, margin: float) -> NodeState:
    least = _LEAST[reading.sign]
    # Nothing can be better than whole.
    return NodeState(sum(reading.worse < min(bound + margin, 1.0) - _EXACT for bound in least))


# In words.


def why_so(condition: Condition) -> str:
    """Say why a node is in its state, with the number that counts."""
    percent, change = condition.percent, condition.change
    match condition.sign:
        case Sign.REMAINING:
            return f"its battery is at {percent} %{_and_falls(percent, change, 'it will be empty')}"
        case Sign.LINK:
            return f"its network link has a quality of {percent} %{_and_falls(percent, change, 'it will be gone')}"
        case Sign.UTILISATION:
            return f"others use {100 - percent} % of its processors{_and_rises(change)}"
        case Sign.STAY if condition.state is NodeState.VERY_STABLE:
            return "nothing speaks against it: battery, network link, work of others and how long it tends to stay"
        case Sign.STAY:
            return f"it stays for another {_minutes(HORIZON_S)} with {percent} %, by when it was on line before"


def _and_falls(percent: int, change: int, end: str) -> str:
    if change > -round(100 * FALLS_MIN):
        return ""
    left_s = HORIZON_S * percent / -change
    return f" and falls; {end} in {_minutes(left_s)}"


def _and_rises(change: int) -> str:
    return ", and more soon" if change <= -round(100 * FALLS_MIN) else ""


def _minutes(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return "a minute" if minutes == 1 else f"{minutes} minutes"
