"""The default: first come, first served while work is short, and the right work for each node where it is long.

Rules
- Where every node outlives an element many times over, and all are about as fast, it does not matter who does it. Then
  all bid alike, and work is shared out as with first come, first served (fcfs.py), in whole sections and without
  contests where that goes.
- Otherwise a node rates the first GROUP tasks of the queue by how long an element takes here until it is done, with all
  that deaths of the node take with them (expected_time.py). Its speed is in there, because lengths are what was
  measured on it, or what is stated, corrected by how right that was on it; and so is data that has to come.
- It competes for the task for which it is best, compared with a typical node of the mesh (company.py). So nodes that
  stay take what is long, those that leave often take what is short, and like nodes keep the order of the queue.
- Of several nodes that compete for the same, the one gets it that is done first, as they expect.
- An element that has lost its holders counts as longer, as with BFGCE (HTC 4.6.1).
- A node passes over the head of the queue SKIPS_MAX times at most, and then competes for it whatever suits it better.
  What is interactive goes before all else.
- A node that is alone takes what is ready in the order of the queue.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from msgspec.structs import replace

from roost.model.resources import format_duration
from roost.policy.at_once import WHATEVER_IS_READY, at_once_or
from roost.policy.bids import Offer, choose_places, places_looked_at
from roost.policy.choose import BidFor, Candidate, Choice, View
from roost.policy.company import Company
from roost.policy.expected_time import time_until_done
from roost.policy.fcfs import take_or_bid
from roost.policy.groups import of_one_class
from roost.policy.rating import (
    LENGTH_UNKNOWN_S,
    corrected,
    corrected_length_of,
    reliability_now,
    stays_in_words,
    takes_in_words,
)
from roost.policy.reliability import Exponential, Reliability

#: How many tasks a node chooses among. More: better fits. Fewer: what came first is done first; less to rate.
GROUP: Final = 64
#: How often a node passes over the head of the queue. More: better fits. Fewer: nobody waits long for a turn.
SKIPS_MAX: Final = 20
#: How much better than at the head a node must be at another task to pass over it. More: the order of the queue is kept
#: where nodes are nearly alike. Less: better fits.
WORTH: Final = 1.02
#: What takes no longer is short for every node, and nothing else is asked.
SHORT_S: Final = 10.0
#: What takes longer counts as if it took so long, a fortnight: nodes of which nothing is known are taken to stay.
LONGEST_S: Final = 14 * 86_400.0
#: An element counts at least so long, that every bid is more than that of nodes to which it does not matter.
LENGTH_MIN_S: Final = 1e-6
#: What is lost, as a share of an element's length, up to which nobody asks who does it. Smaller: less is lost. Larger:
#: more of the work is shared out without contests, and in its order.
NEGLIGIBLE: Final = 0.01
#: Speeds that are within this factor are alike: lengths of the same work scatter as much.
SPEED_ALIKE: Final = 1.25
#: What a piece of data that has to come counts. How large it is nobody knows before it is here, so this decides between
#: nodes that are alike otherwise, and no more.
PIECE_S: Final = 0.5


class _Node(NamedTuple):
    """Who chooses, and with whom it is compared."""

    reliability: Reliability
    age_s: float
    typical: Exponential
    #: How fast this node is, compared with the typical one.
    speed: float


class _Fit(NamedTuple):
    """A task, and how well it suits this node."""

    candidate: Candidate
    #: How long it takes until one of its elements is done here.
    here_s: float
    #: How many times as long it would take on a typical node.
    advantage: float


def roost(view: View) -> Sequence[Choice]:
    return WHATEVER_IS_READY if view.alone else at_once_or(view, _choose)


def _choose(view: View) -> Sequence[Choice]:
    company = view.company
    if not matters_who(company, LONGEST_S):
        return take_or_bid(view)
    # Lengths take time to find out, so each is asked for once.
    group = [(one, one.length_s) for one in islice(of_one_class(view.queue), GROUP)]
    longest_s = min(max((length_s for _, length_s in group if length_s is not None), default=0.0), LONGEST_S)
    if longest_s <= SHORT_S or not matters_who(company, longest_s):
        return take_or_bid(view)
    known, age_s = reliability_now(view)
    return _compete(view, group, _Node(known, age_s, company.typical, view.speed / company.speed))


def matters_who(company: Company, length_s: float) -> bool:
    """Whether nodes are so unlike, and an element so long, that it is to be asked who does it."""
    # While it is small, the share that is lost on the way is about half of the length over the time that a node stays.
    return length_s / company.shortest_s / 2 > NEGLIGIBLE or company.fastest > company.slowest * SPEED_ALIKE


def _compete(view: View, group: Sequence[tuple[Candidate, float | None]], node: _Node) -> Sequence[Choice]:
    """Bid for what this node is best at, of what nobody is expected to have done sooner."""
    fits = [_fit(one, length_s, node) for one, length_s in group if one.hungry_lanes and not one.is_hopeless]
    head = next((fit for fit in fits if fit.candidate.ready_for(fit.here_s)), None)
    if head is None:
        return ()
    best_first = [head] if head.candidate.overtaken >= SKIPS_MAX else _best_first(fits, head)
    wanted = _offers(best_first, places_looked_at(view.rank, nodes=1))
    bids: list[Choice] = []
    past = head.candidate.task
    places = choose_places([offer for _, offer in wanted], view.rank)
    fit_of = {fit.candidate.task: fit for fit, _ in wanted}
    for task, ranges in places:
        bids.append(BidFor(task, ranges, _why(fit_of[task], node), fit_of[task].here_s))
    if all(task != past for task, _ in places):
        # Once for all that is bid for together.
        bids[0] = replace(bids[0], past=past)
    return bids


def _fit(candidate: Candidate, length_s: float | None, node: _Node) -> _Fit:
    length_s = max(corrected(LENGTH_UNKNOWN_S if length_s is None else length_s, candidate), LENGTH_MIN_S)
    here_s = time_until_done(node.reliability.lifetime, length_s, node.age_s) + candidate.missing * PIECE_S
    return _Fit(candidate, here_s, time_until_done(node.typical, length_s * node.speed) / here_s)


def _best_first(fits: Sequence[_Fit], head: _Fit) -> list[_Fit]:
    """Return all in the order in which this node wants them: what is hardly better than the head stays behind it."""
    worth = head.advantage * WORTH
    return sorted(fits, key=lambda fit: -fit.advantage if fit.advantage >= worth else -worth)


def _offers(best_first: Sequence[_Fit], places: int) -> list[tuple[_Fit, Offer]]:
    """Return the first of them of which something is to be had, until they fill so many places."""
    found: list[tuple[_Fit, Offer]] = []
    # A place may be filled by nearly twice as much as it has room for, since elements are whole.
    room = 2.0 * places
    for fit in best_first:
        if ready := fit.candidate.ready_for(fit.here_s):
            offer = Offer(fit.candidate.task, ready, fit.candidate.size)
            found.append((fit, offer))
            room -= len(ready) / max(offer.size, 1)
            if room <= 0.0:
                break
    return found


def _why(fit: _Fit, node: _Node) -> str:
    return (
        f"{stays_in_words(node.reliability, node.age_s)}; {takes_in_words(fit.candidate, corrected_length_of)}, "
        f"{format_duration(fit.here_s)} with what may be lost, and on a typical node {fit.advantage:.3g} times that"
    )
