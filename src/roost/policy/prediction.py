"""When a run will have ended: an interval, learnt from what has finished so far.

How it is reckoned
- Of each step it is known how many elements are left, and from those that finished how long one takes: mean m and
  spread s of n finished ones. What is left is then the work W, the sum of m over all elements that are left, less what
  those that run have done already. Its error has two parts: single elements differ (s), and the mean is only
  estimated (s / sqrt n).
- The work is shared by the lanes that were busy with this run over the last while, P.
- Steps wait for each other. The longest chain of steps that are left, one element of each, is L.
- Greedy scheduling ends not before max(W / P, L) and not after W / P + L (1 - 1/P) (Graham 1966). Errors of W, and of
  the elements on the chain, widen both ends (Z).
- While there are fewer ready elements than lanes, the graph is the limit and not the lanes, so more of them may be
  busy later: the early end then counts with all lanes that there are.
- A step of which nothing has finished is taken to be like those that are known, if these are ALIKE_STEPS or more: its
  mean is drawn from theirs. Otherwise it may take no time at all, or as long as LONG_STEP times the longest mean that
  is known. That makes the interval wide, as it should be, and such steps are named.
Nothing is promised about machines that come and go, nor about what people do: manual steps are left out and named.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from roost.policy.pace import Pace

#: How many standard errors to each side: 1.64 leaves one in ten outside, were everything normally distributed.
Z = 1.64
#: A step that is not known may take this many times the longest step that is.
LONG_STEP = 2.0
#: So many steps tell what the others will be like.
ALIKE_STEPS = 3
#: What is never promised more exactly than this: starting and writing things down takes time, too.
SLACK = 0.05
SLACK_S = 0.5


@dataclass(frozen=True, slots=True)
class StepLeft:
    """What is left of a step."""

    name: str
    #: Elements that have not ended, those that run among them.
    left: int
    #: How long each of those that run has run.
    running_s: tuple[float, ...] = ()
    ready: int = 0
    #: Steps that it waits for, which stand before it in the list.
    sources: tuple[str, ...] = ()
    #: People do it.
    manual: bool = False
    #: Its number of elements is not known yet.
    growing: bool = False


class Outlook(NamedTuple):
    """Seconds until the end, at the earliest and at the latest; None if nothing can be said, and why."""

    low_s: float | None
    high_s: float | None
    why: str = ""


def outlook(steps: Sequence[StepLeft], paces: Mapping[str, Pace], busy: float, lanes: float) -> Outlook:
    """Return when the steps will have ended.

    ``busy`` is how many lanes worked on them over the last while, ``lanes`` how many there are altogether.
    """
    going_on = [step for step in steps if step.left or step.growing]
    automatic = [step for step in going_on if not step.manual]
    if not going_on:
        return Outlook(0.0, 0.0)
    if not automatic:
        return Outlook(None, None, "only people's steps are left")
    if not paces:
        return Outlook(None, None, "no element has finished yet")
    longest_s = max(pace.mean_s for pace in paces.values())
    paces = _with_likely(paces, automatic)
    work = [_work(step, paces.get(step.name), longest_s) for step in automatic]
    low_chain, high_chain = _chain(steps, paces, longest_s)
    running = float(sum(len(step.running_s) for step in automatic))
    many, few = _parallel(automatic, busy, running, lanes)
    mean, error = sum(part.mean_s for part in work), sum(part.variance for part in work) ** 0.5
    least = max(0.0, mean - Z * error) / many
    most = (mean + sum(part.perhaps_s for part in work) + Z * error) / few
    low_s = max(least, low_chain) * (1 - SLACK) - SLACK_S
    high_s = (most + high_chain * max(0.0, 1 - 1 / few)) * (1 + SLACK) + SLACK_S
    return Outlook(max(0.0, low_s), max(high_s, high_chain, SLACK_S), _why(going_on, paces))


def _with_likely(paces: Mapping[str, Pace], steps: Sequence[StepLeft]) -> Mapping[str, Pace]:
    """Add what the steps that are not known will be like, if enough others are."""
    if len(paces) < ALIKE_STEPS:
        return paces
    known = list(paces.values())
    mean_s = sum(pace.mean_s for pace in known) / len(known)
    between = sum((pace.mean_s - mean_s) ** 2 for pace in known) / (len(known) - 1)
    within = sum(pace.spread_s**2 for pace in known) / len(known)
    likely = Pace(len(known), mean_s, (between + within) ** 0.5, 0.0)
    return {**{step.name: likely for step in steps}, **paces}


class _Work(NamedTuple):
    """Seconds of work in a step: what is expected, its variance, and what may come on top."""

    mean_s: float
    variance: float
    perhaps_s: float


def _work(step: StepLeft, pace: Pace | None, longest_s: float) -> _Work:
    if pace is None:
        return _Work(0.0, 0.0, max(step.left, 1) * longest_s * LONG_STEP)
    done_s = sum(min(seconds, pace.mean_s) for seconds in step.running_s)
    variance = pace.spread_s**2 * (step.left + step.left**2 / pace.finished)
    more = pace.mean_s if step.growing and not step.left else 0.0
    return _Work(max(0.0, step.left * pace.mean_s - done_s), variance, more)


def _chain(steps: Sequence[StepLeft], paces: Mapping[str, Pace], longest_s: float) -> tuple[float, float]:
    """Return how long the longest chain of what is left takes, at the least and at the most."""
    least: dict[str, float] = {}
    most: dict[str, tuple[float, float]] = {}
    for step in steps:
        before_low = max((least.get(source, 0.0) for source in step.sources), default=0.0)
        before_high = max((most.get(source, (0.0, 0.0)) for source in step.sources), default=(0.0, 0.0), key=_bound)
        low, high, variance = _one_more(step, paces.get(step.name), longest_s)
        least[step.name] = before_low + low
        most[step.name] = (before_high[0] + high, before_high[1] + variance)
    return max(least.values(), default=0.0), max(map(_bound, most.values()), default=0.0)


def _bound(chain: tuple[float, float]) -> float:
    return chain[0] + Z * math.sqrt(chain[1])


def _one_more(step: StepLeft, pace: Pace | None, longest_s: float) -> tuple[float, float, float]:
    """Return how long one more element of a step takes at the least, about how long at the most, and its variance."""
    if step.manual or not (step.left or step.growing):
        return 0.0, 0.0, 0.0
    if pace is None:
        return 0.0, longest_s * LONG_STEP, 0.0
    # If all of them run, the chain is as short as what the youngest has to go.
    begun_s = min(step.running_s, default=0.0) if len(step.running_s) >= step.left > 0 else 0.0
    low = max(0.0, pace.mean_s - Z * pace.spread_s - begun_s)
    high = max(0.0, pace.mean_s - begun_s)
    if begun_s > pace.mean_s:
        # It is one of the long ones already; nobody knows how long.
        high = begun_s * SLACK + pace.spread_s
    return low, high, pace.spread_s**2


def _parallel(steps: Sequence[StepLeft], busy: float, running: float, lanes: float) -> tuple[float, float]:
    """Return how many lanes will share the work, at the most and at the least."""
    many, few = max(busy, running, 1.0), max(min(busy, running or busy), 0.1)
    if not any(step.ready for step in steps):
        many = max(many, lanes)
    return many, few


def _why(steps: Sequence[StepLeft], paces: Mapping[str, Pace]) -> str:
    """Say what the interval does not know."""
    unknown = [step.name for step in steps if step.name not in paces and not step.manual]
    manual = [step.name for step in steps if step.manual]
    parts = []
    if unknown:
        named = unknown[0] if len(unknown) == 1 else f"{unknown[0]} and {len(unknown) - 1:,} more"
        parts.append(f"nothing of {named} has finished yet")
    if manual:
        named = manual[0] if len(manual) == 1 else f"{len(manual):,} steps"
        parts.append(f"without the time that people take for {named}")
    return "; ".join(parts)
