"""Competition in groups of tasks: EGC, BFGC (HTC 4.1.3, 4.4.4) and BFGCE (HTC 4.6.1).

A node looks at the first GROUP tasks of the queue and competes for the one for which it has the best score. So short
tasks go to nodes that leave soon, and long ones wait a little for those that stay.

HTC's algorithm 3, read to the letter, starts one task per window for each group in the whole system. Here a group is,
for each node, the first GROUP tasks that nobody competes for with a better score; who is beaten looks at the others.

The head of the queue could be passed over for ever, because it suits nobody. HTC limits how often, and gives no number:
each node passes it over SKIPS_MAX times, and then competes for it whatever its score is. A group is of one priority
class, that of its head: what is interactive goes before what is not, however well that fits.

A node that is alone takes the best fit of the group first. There its group also has what it has no lane for now: if
that is its head, and was passed over often enough, nothing else starts until there is room for it.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from msgspec.structs import replace

from roost.policy.at_once import AHEAD, at_once_or
from roost.policy.bids import choose_places
from roost.policy.choose import Candidate, Choice, Policy, Take, View
from roost.policy.competition import Rated, bids_for, rated
from roost.policy.rating import Rate, Rating, by_corrected_fitness, by_fitness, by_survival

#: G of HTC 4.4.4: with more there is hardly more throughput, and tasks wait longer.
GROUP: Final = 10
#: How often a node passes over the head of the queue. More: better fits. Fewer: nobody waits long for a turn.
SKIPS_MAX: Final = 10


def in_groups(rate: Rate, group: int = GROUP, skips: int = SKIPS_MAX) -> Policy:
    """Return the policy that competes for the best of the first ``group`` tasks, by the scores of ``rate``."""

    def choose(view: View) -> Sequence[Choice]:
        if not view.alone:
            return at_once_or(view, compete)
        return [*_in_order(view, rate(view), group, skips), AHEAD]

    def compete(view: View) -> Sequence[Choice]:
        return _compete(view, rate(view), group, skips)

    return choose


def _compete(view: View, rating: Rating, size: int, skips: int) -> Sequence[Choice]:
    group = list(islice(rated(of_one_class(view.queue), rating), size))
    if not group:
        return ()
    head = group[0].candidate
    if head.overtaken >= skips:
        places = choose_places([group[0].offer], rank=0)
    else:
        best_first = sorted(group, key=lambda one: one.score)
        places = choose_places([one.offer for one in best_first], view.rank)
    bids = bids_for(places, group, rating)
    if all(bid.task != head.task for bid in bids):
        # Once for all that is bid for together.
        bids[0] = replace(bids[0], past=head.task)
    return bids


def _in_order(view: View, rating: Rating, size: int, skips: int) -> list[Take]:
    """Return what is taken of the group, the best first; but before its head no more than may pass it."""
    waiting = (one for one in of_one_class(view.queue) if one.ready and not one.is_hopeless)
    group = [Rated(one, rating.score(one), one.ready) for one in islice(waiting, size)]
    if not group:
        return []
    head = group[0]
    left = max(skips - head.candidate.overtaken, 0)
    if not left:
        return [_take(head, rating, 0)]
    best_first = sorted(group, key=lambda one: one.score)
    before = best_first[: best_first.index(head)]
    order = [*before[:left], head, *before[left:], *best_first[len(before) + 1 :]]
    takes = [_take(one, rating, at) for at, one in enumerate(order)]
    passing = min(len(before), left)
    return [*(replace(take, past=head.candidate.task) for take in takes[:passing]), *takes[passing:]]


def _take(one: Rated, rating: Rating, place: int) -> Take:
    candidate = one.candidate
    return Take(candidate.task, one.ready.take(max(candidate.size, 1)), rating.why(candidate), float(place))


def of_one_class(queue: Iterable[Candidate]) -> Iterable[Candidate]:
    """Return the first of the queue, as far as they are as urgent as its head."""
    priority = None
    for candidate in queue:
        if priority is None:
            priority = candidate.priority
        if candidate.priority is priority:
            yield candidate


#: Competition in groups by the expected survival of nodes (f1).
EGC = in_groups(by_survival)
#: Competition in groups by the best fit of task and node (f2).
BFGC = in_groups(by_fitness)
#: The same with lengths that aborts correct.
BFGCE = in_groups(by_corrected_fitness)
