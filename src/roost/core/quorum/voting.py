"""Voting: what one voter of a task with a quorum may promise and hold (single-decree Paxos, the acceptor).

Every element and edition is decided by itself; sets of ranges let one word speak of many of them.

Rules
- A promise for a ballot is given where nothing larger was promised. It names what the voter already holds, and under
  which ballot, so that whoever leads the ballot goes on with that and not with a result of its own.
- A result is held under a ballot where nothing larger was promised. It replaces what was held under a smaller one.
- Both are on disk before they are told (quorum/quorum.py); they merge in any order, so disks may be read in any.
"""

from collections.abc import Iterable
from typing import NamedTuple

from roost.model.ballots import Ballot, Vote
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet

#: Smaller than every ballot.
NO_BALLOT = Ballot(0, NodeId(""), 0)


class Word(NamedTuple):
    """What a voter says to a ballot."""

    #: Elements for which it was promised, or is held now.
    granted: RangeSet
    #: Elements that a larger ballot has, and the largest of those.
    refused: RangeSet
    largest: Ballot


class Paper:
    """One voter's words on the elements of one task in one edition."""

    __slots__ = ("_held", "_promised")

    def __init__(self) -> None:
        #: Disjoint sets: each element is under the largest ballot that was promised for it ...
        self._promised: dict[Ballot, RangeSet] = {}
        #: ... and what is held of it under the largest that it was held under.
        self._held: dict[Ballot, Elements] = {}

    def promise(self, ballot: Ballot, ranges: RangeSet) -> Word:
        word = self._word(ballot, ranges)
        self._raise(ballot, word.granted)
        return word

    def hold(self, ballot: Ballot, values: Elements) -> Word:
        word = self._word(ballot, values.known())
        self._raise(ballot, word.granted)
        self._take(ballot, values.within(word.granted))
        return word

    def refusal(self, ballot: Ballot, ranges: RangeSet) -> tuple[RangeSet, Ballot]:
        """Return the elements that a larger ballot has, and the largest of those."""
        word = self._word(ballot, ranges)
        return word.refused, word.largest

    def held(self, ranges: RangeSet) -> tuple[tuple[Ballot, Elements], ...]:
        """Return what is held of these elements, and under which ballots."""
        found = ((ballot, values.within(ranges)) for ballot, values in sorted(self._held.items(), key=_by_ballot))
        return tuple((ballot, values) for ballot, values in found if values)

    def merge(self, vote: Vote) -> None:
        """Take up what was said before, in whichever order."""
        larger = self._word(vote.ballot, vote.promised).refused
        self._raise(vote.ballot, vote.promised - larger)
        later = EMPTY
        for ballot, values in self._held.items():
            if ballot > vote.ballot:
                later |= values.known()
        self._take(vote.ballot, vote.held.without(later))

    def votes(self, edition: int) -> list[Vote]:
        """Return the words from which this paper can be made again."""
        ballots = sorted(self._promised.keys() | self._held.keys())
        return [
            Vote(edition, ballot, self._promised.get(ballot, EMPTY), self._held.get(ballot, Elements()))
            for ballot in ballots
        ]

    def _word(self, ballot: Ballot, ranges: RangeSet) -> Word:
        refused, largest = EMPTY, NO_BALLOT
        for other, promised in self._promised.items():
            if other > ballot and (part := promised & ranges):
                refused |= part
                largest = max(largest, other)
        return Word(ranges - refused, refused, largest)

    def _raise(self, ballot: Ballot, ranges: RangeSet) -> None:
        if ranges:
            rest = {other: promised - ranges for other, promised in self._promised.items()}
            rest[ballot] = rest.get(ballot, EMPTY) | ranges
            self._promised = {other: promised for other, promised in rest.items() if promised}

    def _take(self, ballot: Ballot, values: Elements) -> None:
        if values:
            rest = {other: held.without(values.known()) for other, held in self._held.items()}
            rest[ballot] = rest.get(ballot, Elements()).merge(values)
            self._held = {other: held for other, held in rest.items() if held}


def _by_ballot(entry: tuple[Ballot, Elements]) -> Ballot:
    return entry[0]


def folded(votes: Iterable[Vote]) -> list[Vote]:
    """Return as few words as say the same."""
    papers: dict[int, Paper] = {}
    for vote in votes:
        papers.setdefault(vote.edition, Paper()).merge(vote)
    return [vote for edition, paper in sorted(papers.items()) for vote in paper.votes(edition)]
