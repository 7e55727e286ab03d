"""Competition for the head of the queue: EC, BFC (HTC 4.1.2, 4.2) and FR (HTC 4.3.2), which differ in their scores.

Every node that has room bids for the first task with its own score, and the best score wins it.

HTC's algorithm 2, read to the letter, starts one task per window in the whole system, because all compete for the one
that is first. Here the first is, for each node, the first that nobody competes for with a better score: who is beaten
goes on to the next at once, and a mesh starts as many tasks per window as it has nodes with room. Among nodes that
score alike, who was beaten by several leaves room for them (bids.py), so that they do not all meet again.

Nobody hesitates here as with first come, first served, however many nodes there are: the best must be among those that
bid. Nor are sections of an array, or tasks of a long queue, taken without a contest: whom they suit best is not decided
by names.

A node that is alone wins every contest, so it takes what is ready in the order of the queue.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from roost.model.ids import TaskId
from roost.model.ranges import RangeSet
from roost.policy.at_once import WHATEVER_IS_READY, at_once_or
from roost.policy.batch import CHAIN_MAX
from roost.policy.bids import Offer, choose_places, places_looked_at
from roost.policy.choose import BidFor, Candidate, Choice, Policy, View
from roost.policy.rating import Rate, Rating, by_failure_rate, by_fitness, by_survival


class Rated(NamedTuple):
    """A task that this node could compete for, and what it would bid."""

    candidate: Candidate
    score: float
    #: What nobody bids better for.
    ready: RangeSet

    @property
    def offer(self) -> Offer:
        return Offer(self.candidate.task, self.ready, self.candidate.size)


def rated(candidates: Iterable[Candidate], rating: Rating) -> Iterator[Rated]:
    """Yield what this node has lanes for and could win, in the order of the queue."""
    for candidate in candidates:
        if candidate.hungry_lanes and not candidate.is_hopeless:
            score = rating.score(candidate)
            if ready := candidate.ready_for(score):
                yield Rated(candidate, score, ready)


def bids_for(places: Sequence[tuple[TaskId, RangeSet]], among: Sequence[Rated], rating: Rating) -> list[BidFor]:
    known = {one.candidate.task: one for one in among}
    return [BidFor(task, ranges, rating.why(known[task].candidate), known[task].score) for task, ranges in places]


def competition(rate: Rate) -> Policy:
    """Return the policy that competes for the head of the queue with the scores of ``rate``."""

    def choose(view: View) -> Sequence[Choice]:
        return WHATEVER_IS_READY if view.alone else at_once_or(view, partial(compete, rate))

    return choose


def compete(rate: Rate, view: View) -> Sequence[Choice]:
    """Bid for the first that nobody competes for with a better score."""
    rating = rate(view)
    first = _first(rated(view.queue, rating), places_looked_at(view.rank, nodes=1))
    return bids_for(choose_places([one.offer for one in first], view.rank), first, rating)


def _first(all_of_them: Iterator[Rated], places: int) -> list[Rated]:
    """Return the first of them, until they fill so many places."""
    found: list[Rated] = []
    # A place may be filled by nearly twice as much as it has room for, since elements are whole.
    room = 2.0 * places
    for one in all_of_them:
        found.append(one)
        room -= len(one.ready) / max(one.candidate.size, 1)
        if room <= 0.0 or len(found) == places * CHAIN_MAX:
            break
    return found


#: Competition by the expected survival of nodes (f1).
EC = competition(by_survival)
#: Competition by the best fit of task and node (f2).
BFC = competition(by_fitness)
#: Competition by the failure rate of nodes.
FR = competition(by_failure_rate)
