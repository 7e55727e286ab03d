"""What a node takes in the state that it is in (node_state.py); FAIR 3.1, in Roost's terms.

- *Very stable, stable*: what its policy wants.
- *Unstable*: FAIR lets such a node hold no lock on the queue, and has others process its jobs redundantly. Here it
  holds no lease alone: it takes only what is pure, which super-peers then run, too (backing_up.py); of all else nobody
  knows what a second execution at the same time does, so it is left to others. It never takes anything without a
  contest, neither sections nor its own interactive work, and bids so that everybody else who wants the same gets it.
- *Too unstable*: it takes nothing, and says why. What it runs goes on.
- What no other node could do, because of what it requires, is taken in every state: else it would wait for ever. So is
  what several nodes have to find again, of which there may be too few otherwise.
- FAIR's mesh goes on without these services when no super-peer is left. So here: an unstable node among others of which
  none is a super-peer, one that is too unstable among others that all are, and one that is alone do what their policy
  wants.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.vitals import NodeState
from roost.policy.bids import LAST_SCORE
from roost.policy.choose import Abstain, BidFor, Candidate, Choice, Policy, Take, Underway, View
from roost.policy.node_state import why_so
from roost.policy.view_of import ViewOf

#: How long a node that takes nothing waits until it looks whether something has come that only it could do. That the
#: state of a node has changed, it hears at once.
LOOK_AFTER_S: Final = 30.0
#: So many tasks of the queue are looked at for that.
LOOKED_AT: Final = 64


def as_its_state_allows(policy: Policy) -> Policy:
    """Return the policy that wants what ``policy`` wants, as far as the state of the node lets it."""

    def choose(view: View) -> Sequence[Choice]:
        state = view.condition.state
        if state < NodeState.UNSTABLE or view.alone:
            return policy(view)
        if state is NodeState.TOO_UNSTABLE:
            return policy(view) if _nobody_works(view) else _hardly_anything(policy, view)
        return _contested(policy(_Pure(view)), view) if view.supers else policy(view)

    return choose


def _nobody_works(view: View) -> bool:
    return all(view.state_of(other) is NodeState.TOO_UNSTABLE for other in view.others)


def _hardly_anything(policy: Policy, view: View) -> Sequence[Choice]:
    wanted = _contested(policy(_OnlyHere(view)), view)
    if wanted or not len(view.queue):
        return wanted
    why = f"it is too unstable to take work, because {why_so(view.condition)}"
    return (Abstain(why, view.now + LOOK_AFTER_S),)


def _contested(wanted: Iterable[Choice], view: View) -> Sequence[Choice]:
    """Return what is wanted with bids that everybody else beats, and nothing that needs no contest."""
    choices: list[Choice] = []
    bid: dict[TaskId, RangeSet] = {}
    for choice in wanted:
        if not isinstance(choice, Take | BidFor):
            choices.append(choice)
        elif view.may_bid:
            before = bid.get(choice.task, EMPTY)
            if ranges := choice.ranges - before:
                bid[choice.task] = before | ranges
                choices.append(BidFor(choice.task, ranges, choice.why, LAST_SCORE, choice.past))
    return choices


class _Pure(ViewOf):
    """What is pure, and what only this node could do."""

    @cached_property
    def queue(self) -> Sequence[Candidate]:
        return [one for one in self._view.queue if one.is_pure or one.only_here]

    @property
    def handed(self) -> Sequence[Candidate]:
        return [one for one in self._view.handed if one.is_pure]


class _OnlyHere(ViewOf):
    """What only this node could do, and what lacks findings of further nodes."""

    @cached_property
    def queue(self) -> Sequence[Candidate]:
        return [one for one in islice(self._view.queue, LOOKED_AT) if one.only_here]

    @property
    def handed(self) -> Sequence[Candidate]:
        return ()

    @property
    def elsewhere(self) -> Iterator[Underway]:
        return iter(())

    @property
    def begun_elsewhere(self) -> Iterator[Underway]:
        return iter(())
