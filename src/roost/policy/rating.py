"""How a policy rates one task for one node, before it competes with that: a score and, in words, why it is so.

Smaller is better, as for all bids (bids.py). What HTC wants to be large is bid with a minus before it; people see it
without. A rating is made of a view once, and asked for each task that the policy looks at. It is that of one element:
how long a node stays decides about each element by itself.

Of what has no length, because nobody has given one and none of it was done here, LENGTH_UNKNOWN_S is assumed. Most work
is short, and after the first element its length is known. That it is the same on every node keeps scores comparable.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from roost.model.hashing import rendezvous
from roost.model.ids import NodeId
from roost.model.online import OnlineLog
from roost.model.resources import format_duration
from roost.policy.choose import Candidate, View
from roost.policy.lifetime_bound import CONFIDENCE, QUANTILE, lifetime_bound
from roost.policy.reliability import (
    MAX_SCORE,
    Lifetime,
    Reliability,
    fitness_score,
    published_reliability,
    reliability_of,
    survival_score,
)

#: How long an element is taken to be while nobody knows. Longer: unknown work waits for stable nodes. Shorter: it goes
#: to those that are about to leave.
LENGTH_UNKNOWN_S: Final = 60.0
#: By how much a length grows with each time that the holder of an element died (BFGCE, HTC 4.6.1).
CORRECTION: Final = 1.1
#: A lifetime is estimated anew whenever the time that a node has stayed is longer by about a tenth, and not before it
#: has stayed for so long. More finely: it is fitted more often, for nothing.
_REFIT_S: Final = 60.0
_REFITS_AN_E: Final = 10
#: Fits that are remembered; a node needs one, a laboratory one for each of its nodes.
_KEPT: Final = 1024
_HOUR_S: Final = 3600.0


class Rating(NamedTuple):
    """What a node bids for a task, and why."""

    score: Callable[[Candidate], float]
    why: Callable[[Candidate], str]


#: Makes the rating of a node from what it knows.
Rate: TypeAlias = Callable[[View], Rating]
#: Says how reliable the node is that looks, and for how long it has been on line.
Estimate: TypeAlias = Callable[[View], tuple[Reliability, float]]
#: Says how lucky a node is with a piece of work: the same for all who ask, and smaller is better.
Luck: TypeAlias = Callable[[str, NodeId], float]
_Formula: TypeAlias = Callable[[Lifetime, float, float], float]


def length_of(candidate: Candidate) -> float:
    """Return how long an element takes: as was learnt here, else as was stated, else as is assumed of all."""
    length_s = candidate.length_s
    return LENGTH_UNKNOWN_S if length_s is None else length_s


def corrected_length_of(candidate: Candidate) -> float:
    """Return the same, longer for each time that it was aborted: it must be longer than was said (HTC 4.6.1)."""
    return corrected(length_of(candidate), candidate)


def corrected(length_s: float, candidate: Candidate) -> float:
    """Return the same for a length that is known already."""
    aborted = candidate.aborted
    return length_s * CORRECTION**aborted if aborted else length_s


def by_survival(view: View) -> Rating:
    """f1: the chance that this node stays for as long as an element takes (HTC 4.2.1)."""
    return _by_lifetime(view, reliability_now, survival_score, length_of)


def by_fitness(view: View) -> Rating:
    """f2: that chance, by how far the length of an element is from the expected lifetime of this node (HTC 4.2.2)."""
    return _by_lifetime(view, reliability_now, fitness_score, length_of)


def by_corrected_fitness(view: View) -> Rating:
    """f2 of the length that aborts have corrected (HTC 4.6.1)."""
    return _by_lifetime(view, reliability_now, fitness_score, corrected_length_of)


def by_published_survival(view: View) -> Rating:
    """f1 with lifetimes estimated as HTC 4.4.1 does it, for experiments."""
    return _by_lifetime(view, published_now, survival_score, length_of)


def by_published_fitness(view: View) -> Rating:
    """f2 likewise."""
    return _by_lifetime(view, published_now, fitness_score, length_of)


def by_published_corrected_fitness(view: View) -> Rating:
    """f2 of the corrected length likewise."""
    return _by_lifetime(view, published_now, fitness_score, corrected_length_of)


def by_failure_rate(view: View) -> Rating:
    """T * (1 + fr): how long an element takes here, and the share of executions here that were aborted (HTC 4.3.2)."""
    executions = view.finished + view.aborted
    rate = view.aborted / executions if executions else 0.0

    def score(candidate: Candidate) -> float:
        return length_of(candidate) * (1 + rate)

    def why(candidate: Candidate) -> str:
        aborted = f"{view.aborted:,} of {executions:,} executions here were aborted" if executions else "none ran here"
        return f"{takes_in_words(candidate, length_of)}, and {aborted}: score {_shown(score(candidate))}"

    return Rating(score, why)


def luck_of_names(work: str, node: NodeId) -> float:
    """Return a number from 0 to 1 that is made of two names."""
    return int.from_bytes(rendezvous(work, node)[:4], "big") / (1 << 32)


def by_chance(view: View, luck: Luck = luck_of_names) -> Rating:
    """Any node is as good as another; names decide by chance, anew for each element (WQR, HTC 4.3.1)."""

    def score(candidate: Candidate) -> float:
        ready = candidate.ready
        return luck(f"{candidate.task}/{ready.first if ready else 0}", view.node)

    def why(candidate: Candidate) -> str:
        return f"it is the next in the queue, and chance gives this node {_shown(score(candidate))}"

    return Rating(score, why)


def by_lifetime_bound(view: View) -> Rating:
    """How long this node stays at the least, nearly surely, by the binomial method (WQR-FA, HTC 4.3.1)."""
    bound_s = _bound_of(view.online)
    stays = f"this node nearly always stays {format_duration(bound_s)} or more"
    if not bound_s:
        stays = "this node was on line too seldom to tell how long it nearly always stays"
    words = f"it is the next in the queue, and {stays}: score {_shown(bound_s)}"
    return Rating(lambda _: -bound_s, lambda _: words)


def reliability_now(view: View) -> tuple[Reliability, float]:
    """Return how reliable this node is, and since when it has been on line, in seconds."""
    age_s = max(view.now - view.online_since, 0.0)
    refits = int(_REFITS_AN_E * math.log(max(age_s / _REFIT_S, 1.0)))
    return _known(view.online, view.online_since, refits), age_s


def published_now(view: View) -> tuple[Reliability, float]:
    """Return the same as HTC 4.4.1 estimates it."""
    return published_reliability(view.online), max(view.now - view.online_since, 0.0)


def _by_lifetime(view: View, estimate: Estimate, formula: _Formula, length: Callable[[Candidate], float]) -> Rating:
    known, age_s = estimate(view)
    lifetime = known.lifetime

    def score(candidate: Candidate) -> float:
        return -formula(lifetime, length(candidate), age_s)

    def why(candidate: Candidate) -> str:
        shown = -score(candidate)
        told = "the best there is" if shown >= MAX_SCORE else _shown(shown)
        return f"{stays_in_words(known, age_s)}; {takes_in_words(candidate, length)}: score {told}"

    return Rating(score, why)


@lru_cache(maxsize=_KEPT)
def _known(log: OnlineLog, online_since: float, refits: int) -> Reliability:
    """Return how reliable a node is that has been on line for so long that it was estimated anew so many times."""
    age_s = _REFIT_S * math.exp(refits / _REFITS_AN_E) if refits else 0.0
    return reliability_of(log, online_since, online_since + age_s)


@lru_cache(maxsize=_KEPT)
def _bound_of(log: OnlineLog) -> float:
    return lifetime_bound([stretch.length_s for stretch in log.stretches], CONFIDENCE, QUANTILE)


def stays_in_words(known: Reliability, age_s: float) -> str:
    if not known.is_known:
        return "how long this node stays is not known yet, so it counts as stable"
    hour, mean_s = known.lifetime.survival(_HOUR_S, age_s), known.lifetime.mean_s
    return f"this node stays an hour with {hour:.0%}, {format_duration(mean_s)} on average"


def takes_in_words(candidate: Candidate, length: Callable[[Candidate], float]) -> str:
    takes = f"an element takes about {format_duration(length(candidate))}"
    if candidate.length_s is None:
        takes = f"nobody knows how long an element takes, so {format_duration(length(candidate))} are assumed"
    aborted = candidate.aborted if length is corrected_length_of else 0
    return f"{takes} (longer than was said, after {aborted} aborted)" if aborted else takes


def _shown(score: float) -> str:
    return f"{score:.3g}"
