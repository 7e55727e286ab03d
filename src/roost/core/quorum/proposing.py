"""Proposing: how results of one node come to be held by most voters (single-decree Paxos, the proposer).

Rules
- Under a ballot of its own the proposer first asks for promises. Where most voters have promised, it asks them to hold:
  what they hold already under the largest ballot, and only where they hold nothing, its own result. So whatever most
  voters may have held before stays what is proposed, by whomever.
- Where most voters hold a result under one ballot, it is decided: no larger ballot can bring about another.
- A ballot that was refused, or whose words were lost, is followed by a larger one, which begins anew.
- Elements that are decided elsewhere, or that a person has cancelled, are left out; abandoning a ballot harms nothing.
"""

from collections.abc import Iterable, Sequence

from roost.model.ballots import Ballot
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet


class Proposal:
    """Results of elements of one task and edition, on their way to be decided."""

    def __init__(self, voters: Sequence[NodeId], own: Elements, ballot: Ballot) -> None:
        self.voters = tuple(voters)
        self._own = own
        #: What is neither decided nor left out.
        self.left = own.known()
        self.begin(ballot)

    @property
    def needed(self) -> int:
        """How many voters are most of them."""
        return majority(len(self.voters))

    def begin(self, ballot: Ballot) -> None:
        """Begin anew, under a ballot that nobody has used."""
        self.ballot = ballot
        self._promised: dict[NodeId, RangeSet] = {}
        self._found: dict[Ballot, Elements] = {}
        self._held: dict[NodeId, RangeSet] = {}
        #: What voters are asked to hold under this ballot, and which of them told of it; nobody, if it is our own.
        self.chosen = Elements()
        self._told_by: dict[NodeId, Elements] = {}

    def promised(self, voter: NodeId, ranges: RangeSet, held: Iterable[tuple[Ballot, Elements]]) -> Elements:
        """A voter has promised this ballot, and holds something already; return what voters are to hold now."""
        if voter not in self.voters:
            return Elements()
        self._promised[voter] = self._promised.get(voter, EMPTY) | ranges
        for ballot, values in held:
            mine = values.within(ranges)
            self._found[ballot] = self._found.get(ballot, Elements()).merge(mine)
            self._told_by[voter] = self._told_by.get(voter, Elements()).merge(mine)
        most = in_at_least(self.needed, self._promised.values())
        return self._choose((most & self.left) - self.chosen.known())

    def _choose(self, ranges: RangeSet) -> Elements:
        news = Elements()
        for _, values in sorted(self._found.items(), key=lambda entry: entry[0], reverse=True):
            news = news.merge(values.within(ranges))
            ranges -= values.known()
        news = news.merge(self._own.within(ranges))
        self.chosen = self.chosen.merge(news)
        return news

    def held(self, voter: NodeId, ranges: RangeSet) -> Elements:
        """A voter holds what was chosen of these elements; return what is decided by that."""
        if voter not in self.voters:
            return Elements()
        self._held[voter] = self._held.get(voter, EMPTY) | (ranges & self.chosen.known())
        decided = in_at_least(self.needed, self._held.values()) & self.left
        self.left -= decided
        return self.chosen.within(decided)

    def leave_out(self, ranges: RangeSet) -> None:
        self.left -= ranges

    def unpromised_by(self, voter: NodeId) -> RangeSet:
        """Return the elements for which a voter is still to be asked to promise."""
        return self.left - self.chosen.known() - self._promised.get(voter, EMPTY)

    def unheld_by(self, voter: NodeId) -> Elements:
        """Return what a voter is still to be asked to hold."""
        return self.chosen.within(self.left - self._held.get(voter, EMPTY))

    def promised_by(self, voter: NodeId) -> RangeSet:
        return self._promised.get(voter, EMPTY)

    def by_holders(self) -> list[tuple[RangeSet, list[NodeId]]]:
        """Return what is left, by which voters hold what was chosen of it."""
        parts: list[tuple[RangeSet, list[NodeId]]] = [(self.left, [])]
        for voter in self.voters:
            held = self._held.get(voter, EMPTY)
            with_it = [(ranges & held, [*holders, voter]) for ranges, holders in parts]
            parts = [*with_it, *((ranges - held, holders) for ranges, holders in parts)]
            parts = [(ranges, holders) for ranges, holders in parts if ranges]
        return parts

    def source_of(self, ranges: RangeSet) -> list[tuple[NodeId | None, Elements]]:
        """Return what was chosen of these elements by who has it, or told of it; None if it is our own.

        Who holds it under this ballot has it for sure; who told of it may have lost it since (quorum.py).
        """
        parts: list[tuple[NodeId | None, Elements]] = []
        rest = self.chosen.within(ranges)
        holders = [(voter, self.chosen.within(held)) for voter, held in self._held.items()]
        for voter, told in (*holders, *self._told_by.items()):
            part = Elements({state: own & told.in_exactly(state) for state, own in rest.items()})
            part = part.without(self._own_of(part))
            if part:
                parts.append((voter, part))
                rest = rest.without(part.known())
        return [*parts, (None, rest)] if rest else parts

    def _own_of(self, values: Elements) -> RangeSet:
        own = EMPTY
        for state, ranges in values.items():
            own |= ranges & self._own.in_exactly(state)
        return own


def majority(voters: int) -> int:
    return voters // 2 + 1


def in_at_least(count: int, sets: Iterable[RangeSet]) -> RangeSet:
    """Return the elements that are in at least so many of these sets."""
    in_at_least_so_many = [EMPTY] * count
    for members in sets:
        for at in range(count - 1, 0, -1):
            in_at_least_so_many[at] |= in_at_least_so_many[at - 1] & members
        in_at_least_so_many[0] |= members
    return in_at_least_so_many[-1]
