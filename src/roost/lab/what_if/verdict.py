"""Which policy does best, and how sure that is: paired comparisons over the same worlds.

Rules
- All policies meet the same worlds, so that it is the differences within each world that are averaged: most of what
  chance does to one it does to all.
- An interval is that of Student's t for the mean of the differences. As many are looked at as there are rivals, and as
  many times as worlds are added, so each is that much wider (Bonferroni): all of them hold together with CONFIDENCE.
- A rival is worse if its interval lies above zero, and as good if it ends below MATTERS. While one is neither, more
  worlds are lived through.
- The default is kept unless another policy is shown to be better. Of those that are as good as the best, that is taken
  which wastes the least.
- A policy with which the work is not always done is no rival, unless that is so with all.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from scipy.special import stdtrit

from roost.lab.what_if.outcome import Outcome
from roost.policy.catalogue import DEFAULT_POLICY

CONFIDENCE: Final = 0.95
#: The share of a make-span by which two policies may differ and be as good as each other.
MATTERS: Final = 0.01
#: How exactly the make-span of a single policy is to be known, as a share of it.
EXACT: Final = 0.02
#: Worlds after which it is looked whether it is clear; then after twice as many, and so on.
FIRST_LOOK: Final = 6


class Mean(msgspec.Struct, frozen=True):
    mean: float
    #: Half of its interval.
    error: float


class Rival(msgspec.Struct, frozen=True):
    """A policy beside the best one: by how much its make-span is longer, as a share of its own."""

    policy: str
    longer: Mean

    @property
    def is_worse(self) -> bool:
        return self.longer.mean - self.longer.error > 0.0

    @property
    def is_as_good(self) -> bool:
        return self.longer.mean + self.longer.error <= MATTERS

    @property
    def is_decided(self) -> bool:
        return self.is_worse or self.is_as_good


class Measures(msgspec.Struct, frozen=True):
    """What came out for one policy."""

    policy: str
    worlds: int
    #: In how many of them the work was done. The rest is of those; of all, if it was done in none.
    done: int
    make_span_s: Mean
    wasted: Mean
    nodes_variance: Mean | None
    nodes_jain: Mean | None
    users_variance: Mean | None
    users_jain: Mean | None
    executions: float


class Verdict(msgspec.Struct, frozen=True):
    #: The policy to take, and the one with the shortest make-span on average.
    policy: str
    best: str
    worlds: int
    #: Whether more worlds would tell no more.
    is_clear: bool
    #: The others, the best first.
    rivals: tuple[Rival, ...]
    sentence: str
    confidence: float = CONFIDENCE


def looks(limit: int) -> list[int]:
    """Return after how many worlds it is looked whether it is clear, up to a limit."""
    found, count = [], FIRST_LOOK
    while count < limit:
        found.append(count)
        count *= 2
    return [*found, limit]


def mean_of(values: Sequence[float], doubt: float = 1 - CONFIDENCE) -> Mean:
    """Return the mean with the interval that holds it but for this ``doubt``; one value tells nothing of that."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return Mean(mean, math.inf)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Mean(mean, float(stdtrit(count - 1, 1 - doubt / 2)) * math.sqrt(variance / count))


def measures_of(policy: str, outcomes: Sequence[Outcome]) -> Measures:
    done = [one for one in outcomes if one.is_done]
    told = done or outcomes

    def mean(name: str) -> Mean | None:
        values = [value for one in told if (value := getattr(one, name)) is not None]
        return mean_of(values) if values else None

    return Measures(
        policy,
        len(outcomes),
        len(done),
        mean_of([one.make_span_s for one in told]),
        mean_of([one.wasted for one in told]),
        mean("nodes_variance"),
        mean("nodes_jain"),
        mean("users_variance"),
        mean("users_jain"),
        mean_of([float(one.executions) for one in told]).mean,
    )


def verdict_of(outcomes: Mapping[str, Sequence[Outcome]], times_looked: int) -> Verdict:
    """Compare policies that met the same worlds, at one of so many looks."""
    worlds = len(next(iter(outcomes.values())))
    able = [policy for policy, found in outcomes.items() if all(one.is_done for one in found)]
    if not able:
        best = max(outcomes, key=lambda policy: sum(one.is_done for one in outcomes[policy]))
        said = "with no policy the work is always done: too often machines leave before they have done a task"
        return Verdict(best, best, worlds, True, (), said)
    spans = {policy: [one.make_span_s for one in outcomes[policy]] for policy in able}
    best = min(able, key=lambda policy: math.fsum(spans[policy]))
    doubt = (1 - CONFIDENCE) / max(len(able) - 1, 1) / times_looked
    rivals = sorted((_rival(one, spans[one], spans[best], doubt) for one in able if one != best), key=_longer)
    if not rivals:
        span = mean_of(spans[best], doubt)
        said = f"{best} is the only one with which the work is always done" if len(outcomes) > 1 else ""
        return Verdict(best, best, worlds, span.error <= EXACT * span.mean, (), said)
    is_clear = all(rival.is_decided for rival in rivals)
    policy = _chosen(best, rivals, outcomes)
    return Verdict(policy, best, worlds, is_clear, tuple(rivals), _sentence(policy, best, rivals, worlds))


def _rival(policy: str, own: Sequence[float], best: Sequence[float], doubt: float) -> Rival:
    unit = math.fsum(own) / len(own) or 1.0
    return Rival(policy, mean_of([(mine - theirs) / unit for mine, theirs in zip(own, best, strict=True)], doubt))


def _longer(rival: Rival) -> float:
    return rival.longer.mean


def _chosen(best: str, rivals: Sequence[Rival], outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    if best == DEFAULT_POLICY or any(rival.policy == DEFAULT_POLICY and not rival.is_worse for rival in rivals):
        return DEFAULT_POLICY
    as_good = [best, *(rival.policy for rival in rivals if rival.is_as_good)]
    return min(as_good, key=lambda policy: math.fsum(one.wasted for one in outcomes[policy]))


def _sentence(policy: str, best: str, rivals: Sequence[Rival], worlds: int) -> str:
    default = next((rival for rival in rivals if rival.policy == DEFAULT_POLICY), None)
    sure = f"{CONFIDENCE:.0%} sure, over {worlds} worlds"
    if policy == DEFAULT_POLICY and default is not None:
        by = f"{best}, the shortest on average, is shorter by {_percent(default.longer)}"
        return f"keep {policy}: no policy is shown to be better ({by}; {sure})"
    verb = "keep" if policy == DEFAULT_POLICY else "take"
    if all(not rival.is_worse for rival in rivals):
        return f"{verb} {policy}: of these no policy is better than chance shows, over {worlds} worlds"
    # What a person would have otherwise is the default; beside that it is the next best.
    worse = next(rival for rival in rivals if rival.is_worse)
    beside = worse if default is None else default
    whose = "its make-span" if policy == best else f"the make-span of {best}"
    told = f"{verb} {policy}: {whose} is shorter than that of {beside.policy} by {_percent(beside.longer)} ({sure})"
    like = [rival.policy for rival in rivals if not rival.is_worse]
    if policy != best:
        return f"{told}, and {policy}, which is as short, wastes less"
    return f"{told}; {' and '.join(like)} may be as good" if like else told


def _percent(share: Mean) -> str:
    return f"{100 * share.mean:.1f} % ± {100 * share.error:.1f} %"
