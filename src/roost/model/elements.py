"""The states of all elements of an array: for each state that occurs, the ranges that are in it.

Few states occur at a time, so this stays small whatever the array's length. ``merge`` is the join of the record's
lattice, element by element (see states.py); ``diff`` gives what the other side lacks, which is what travels.
"""

from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter
from typing import Final

from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done, Key, State, order_key
from roost.model.token import Token


class Elements:
    """An immutable map from elements to states. An element without an entry is fresh."""

    __slots__ = ("_found", "_in_order", "_sets", "_sought")

    def __init__(self, sets: Mapping[State, RangeSet] | None = None) -> None:
        """Take disjoint sets; ``join`` takes overlapping ones."""
        self._sets: dict[State, RangeSet] = {state: ranges for state, ranges in (sets or {}).items() if ranges}
        self._in_order: tuple[tuple[Key, State, RangeSet], ...] | None = None
        #: What was looked for last, because who merges looks for the same twice, and what was found.
        self._sought: tuple[int, int] | None = None
        self._found: list[tuple[State, RangeSet]] = []

    @classmethod
    def join(cls, entries: Iterable[tuple[State, RangeSet]]) -> "Elements":
        """Make one of entries that may overlap: an element is in the largest state that any entry gives it."""
        joined: dict[State, RangeSet] = {}
        settled = EMPTY
        for state, ranges in sorted(entries, key=lambda entry: order_key(entry[0]), reverse=True):
            joined[state] = joined.get(state, EMPTY) | (ranges - settled)
            settled |= ranges
        return cls(joined)

    def items(self) -> Collection[tuple[State, RangeSet]]:
        """Return states and their ranges, largest state first: the same order on every node."""
        if len(self._sets) <= 1:
            # As with most tasks, which are single.
            return self._sets.items()
        return [(state, ranges) for _, state, ranges in self._ordered()]

    def _ordered(self) -> tuple[tuple[Key, State, RangeSet], ...]:
        """Return states and their ranges, largest state first. Sorted once, because records are looked at often."""
        if self._in_order is None:
            keyed = [(order_key(state), state, ranges) for state, ranges in self._sets.items()]
            if len(keyed) > 1:
                keyed.sort(key=itemgetter(0), reverse=True)
            self._in_order = tuple(keyed)
        return self._in_order

    @property
    def range_count(self) -> int:
        """The ranges of all states together, with which the size of all this grows."""
        return sum([ranges.range_count for ranges in self._sets.values()])

    def in_state(self, *kinds: type) -> RangeSet:
        """Return the elements whose state is of one of these types."""
        found = EMPTY
        for state, ranges in self._sets.items():
            if isinstance(state, kinds):
                found |= ranges
        return found

    def in_exactly(self, state: State) -> RangeSet:
        """Return the elements that are in this very state."""
        return self._sets.get(state, EMPTY)

    def made(self, token: Token, node: NodeId) -> RangeSet:
        """Return the elements whose accepted results a node made under a token."""
        found = EMPTY
        for state, ranges in self._sets.items():
            if isinstance(state, Done) and (state.token, state.node) == (token, node):
                found |= ranges
        return found

    def entries_within(self, ranges: RangeSet) -> list[tuple[State, RangeSet]]:
        """Return the states that occur within ``ranges``, largest first, each with its part of them."""
        if not ranges:
            return []
        parts = [(state, part) for state, own in self._overlapping(ranges) if (part := own & ranges)]
        if len(parts) > 1:
            parts.sort(key=lambda entry: order_key(entry[0]), reverse=True)
        return parts

    def within(self, ranges: RangeSet) -> "Elements":
        """Return the entries of these elements only."""
        return Elements({state: own & ranges for state, own in self._sets.items()})

    def without(self, ranges: RangeSet) -> "Elements":
        """Return the entries of all other elements."""
        return Elements({state: own - ranges for state, own in self._sets.items()})

    def known(self) -> RangeSet:
        """Return the elements that are not fresh."""
        found = EMPTY
        for ranges in self._sets.values():
            found |= ranges
        return found

    def at(self, index: int) -> State | None:
        return next((state for state, ranges in self._sets.items() if index in ranges), None)

    def merge(self, other: "Elements") -> "Elements":
        """Return the join: for every element the larger of the two states. Cheap when ``other`` is small."""
        return self.adopt(other.diff(self))

    def adopt(self, news: "Elements") -> "Elements":
        """Take over what ``diff`` against these elements gave; merge for those who want to see the difference too."""
        if not news:
            return self
        if not self._sets:
            return news
        changed = news.known()
        merged = self._sets.copy()
        for state, ranges in self._overlapping(changed):
            left = ranges - changed
            if left or state in news._sets:
                merged[state] = left
            else:
                del merged[state]
        for state, ranges in news._sets.items():
            merged[state] = merged.get(state, EMPTY) | ranges
        adopted = Elements()
        adopted._sets = merged
        return adopted

    def diff(self, known: "Elements") -> "Elements":
        """Return the entries that ``known`` lacks or has smaller, so that ``known.merge(diff)`` equals the merge."""
        if not known._sets:
            return self
        lacking: dict[State, RangeSet] = {}
        for key, state, ranges in self._ordered():
            lacks = ranges
            for their_state, their_ranges in known._overlapping(ranges):
                if order_key(their_state) >= key:
                    lacks -= their_ranges
            lacking[state] = lacks
        return Elements(lacking)

    def _overlapping(self, ranges: RangeSet) -> list[tuple[State, RangeSet]]:
        """Return the entries that may have some of ``ranges``, in no order: most news are about a few of them."""
        first, stop = ranges.bounds[0], ranges.bounds[-1]
        if (first, stop) != self._sought:
            self._sought = (first, stop)
            self._found = [
                (state, own)
                for state, own in self._sets.items()
                if (bounds := own.bounds)[0] < stop and first < bounds[-1]
            ]
        return self._found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Elements) and self._sets == other._sets

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __bool__(self) -> bool:
        return bool(self._sets)

    def __repr__(self) -> str:
        return f"Elements({', '.join(f'{state!r}: {ranges}' for state, ranges in self.items())})"


#: What is known of the elements of a new task: most of a hundred thousand wait, and share this.
NO_STATES: Final = Elements()
