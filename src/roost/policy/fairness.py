"""Fairness between devices: whoever does worse than its neighbours leaves work to them (FAIR 3.2).

A node compares its performance (performance.py) with what its neighbours have told of theirs, and abstains if its
strategy says so. It is a wrapper around any policy, which is asked for all that must not wait, and for everything as
soon as nobody better is known.

Rules
- Without neighbours of whom anything is known nobody abstains; so a node that is alone never does.
- Only candidates are compared: not those that take no work, have nothing to give now, as when all their lanes are
  taken, or could never take what waits. Else each that is busy would make the others look good.
- What must not wait: interactive work that was handed in here, what others have handed to this node, and what several
  nodes have to find again. What was won is had already.
- Nothing waits for ever. FAIR switches a strategy off when a job has waited too long, ten seconds for each candidate.
  Here it is off on a node as soon as this node itself has left the first task that it could begin with for PATIENCE_S
  for each candidate that does better, and until nothing of that task is ready. So of those that abstain the best is the
  first to go on. What waits for its inputs, or while all nodes are busy, has not been left by anybody.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec

from roost.model.errors import InvalidInput
from roost.model.task import Priority
from roost.model.visible import quoted
from roost.policy.choose import Abstain, Candidate, Choice, Neighbour, Policy, Underway, View
from roost.policy.performance import in_words
from roost.policy.view_of import ViewOf

#: How long the first task is left to others for each of them that could take it and does better. FAIR's ten seconds are
#: for jobs of two minutes among mobile devices. Here a performance is told once a second at most, and a contest is over
#: in less, so in a second the best can have heard that it is, and have begun. Longer: slow networks are as fair.
#: Shorter: less waits where the best have no time after all.
PATIENCE_S: Final = 1.0
#: FAIR varies it from 2 to 20; with 10 all but one strategy even out nearly everything there.
GROUP: Final = 10
#: The name of no strategy.
NONE: Final = "none"

#: Says why a node abstains, from its own performance and those of its neighbours; nothing if it does not.
Strategy: TypeAlias = Callable[[int, Sequence[Neighbour]], str]


class Fairness(msgspec.Struct, frozen=True):
    """What the owner of a node has chosen."""

    strategy: str = NONE
    #: How many nodes are compared, this one among them.
    group: int = GROUP

    @property
    def is_on(self) -> bool:
        return self.strategy != NONE


def not_best(own: int, neighbours: Sequence[Neighbour]) -> str:
    """FAIR 3.2: there is an i with f(T_i) > f(T_0)."""
    best = max(neighbours, key=_performance)
    if not best.performance > own:
        return ""
    theirs, mine = _told(best.performance, own)
    return f"{best.node} has a performance of {theirs}, which is better than {mine}, that of this node"


def worst(own: int, neighbours: Sequence[Neighbour]) -> str:
    """FAIR 3.2: f(T_i) > f(T_0) for all i."""
    least = min(neighbours, key=_performance)
    if not least.performance > own:
        return ""
    theirs, mine = _told(least.performance, own)
    return (
        f"of {len(neighbours) + 1} nodes this one has the least performance, {mine}; the next is {least.node}, {theirs}"
    )


def worse_than_average(own: int, neighbours: Sequence[Neighbour]) -> str:
    """FAIR 3.2: the mean of all f(T_i) is more than f(T_0)."""
    total, count = sum(map(_performance, neighbours)), len(neighbours)
    # Whole numbers, so that nothing is rounded.
    if not total > own * count:
        return ""
    theirs, mine = _told(total / count, own)
    return (
        f"the other {count} have a performance of {theirs} on average, which is better than {mine}, that of this node"
    )


def worse_than_majority(own: int, neighbours: Sequence[Neighbour]) -> str:
    """FAIR 3.2: f(T_i) > f(T_0) for more than half of all i."""
    better = sum(one.performance > own for one in neighbours)
    if not 2 * better > len(neighbours):
        return ""
    return f"{better} of the other {len(neighbours)} have a better performance than {in_words(own)}, that of this node"


def equal_or_worse_than_majority(own: int, neighbours: Sequence[Neighbour]) -> str:
    """FAIR 3.2: f(T_i) >= f(T_0) for more than half of all i."""
    as_good = sum(one.performance >= own for one in neighbours)
    if not 2 * as_good > len(neighbours):
        return ""
    return (
        f"{as_good} of the other {len(neighbours)} have at least as good a performance as {in_words(own)}, "
        "that of this node"
    )


STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType(
    {
        "not-best": not_best,
        "worst": worst,
        "worse-than-average": worse_than_average,
        "worse-than-majority": worse_than_majority,
        "equal-or-worse-than-majority": equal_or_worse_than_majority,
    }
)
NO_FAIRNESS: Final = Fairness()


def known_strategy(name: str) -> str:
    """Return the name of a strategy, or that of none. Raise InvalidInput, with those that there are, for any other."""
    if name != NONE and name not in STRATEGIES:
        raise InvalidInput(f"there is no fairness {quoted(name)}; there are {', '.join((NONE, *STRATEGIES))}")
    return name


def fairly(policy: Policy, fairness: Fairness) -> Policy:
    """Return the policy that abstains from what ``policy`` wants while the strategy says so."""
    if not fairness.is_on:
        return policy
    strategy = STRATEGIES[fairness.strategy]

    def choose(view: View) -> Sequence[Choice]:
        left = _left(view, strategy, fairness.strategy)
        return policy(view) if left is None else (*policy(_WhatMustNotWait(view)), left)

    return choose


def _left(view: View, strategy: Strategy, name: str) -> Abstain | None:
    """Return why this node abstains, and until when; None if it does not."""
    if view.alone or not view.may_bid or not (neighbours := view.neighbours):
        return None
    first = _first(view)
    candidates = () if first is None else [one for one in neighbours if one.performance > 0 and first.fits(one.node)]
    why = strategy(view.performance, candidates) if candidates else ""
    if first is None or not why:
        return None
    patience_s = PATIENCE_S * max(1, sum(one.performance > view.performance for one in candidates))
    until = (view.now if first.left_since is None else first.left_since) + patience_s
    if until <= view.now:
        return None
    return Abstain(f"{why}, so it waits for up to {patience_s:g} s ({name})", until, leaves=first.task)


def _first(view: View) -> Candidate | None:
    """Return the first task that this node could begin with, and that may wait."""
    for candidate in view.queue:
        if not _is_urgent(candidate, view) and candidate.hungry_lanes and not candidate.is_hopeless and candidate.ready:
            return candidate
    return None


def _is_urgent(candidate: Candidate, view: View) -> bool:
    """Whether it is interactive and was handed in here (LAN 3.2: it runs where it was submitted)."""
    return candidate.priority is Priority.INTERACTIVE and candidate.submitter == view.node


class _WhatMustNotWait(ViewOf):
    @property
    def queue(self) -> Sequence[Candidate]:
        return [one for one in self._view.queue if _is_urgent(one, self._view)]

    @property
    def elsewhere(self) -> Sequence[Underway]:
        """Nothing: what others run is repeated only when nothing waits."""
        return ()

    @property
    def begun_elsewhere(self) -> Sequence[Underway]:
        return ()


def _performance(neighbour: Neighbour) -> int:
    return neighbour.performance


def _told(theirs: float, own: float) -> tuple[str, str]:
    return in_words(theirs, own), in_words(own, theirs)
