"""The states of all elements of an array: for each state that occurs, the ranges that are in it.

Few states occur at a time, so this stays small whatever the array's length. ``merge`` is the join of the record's
lattice, element by element (see states.py); ``diff`` gives what the other side lacks, which is what travels.

In a large mesh every node has leases and results of its own, so there are thousands of states, and most news are about
two or three of them. Where ranges begin is kept in order, so that those are found without looking at all others.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter
from typing import Final

from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done, Key, State, order_key
from roost.model.token import Token

#: With so few states it is quicker to look at all of them than to keep in order where their ranges begin.
_FEW: Final = 8
#: News of more ranges than this touch so much that where ranges begin is found out anew.
_MANY_NEWS: Final = 16


class Elements:
    """An immutable map from elements to states. An element without an entry is fresh."""

    __slots__ = ("_in_order", "_index", "_sets")

    def __init__(self, sets: Mapping[State, RangeSet] | None = None) -> None:
        """Take disjoint sets; ``join`` takes overlapping ones."""
        self._sets: dict[State, RangeSet] = {state: ranges for state, ranges in (sets or {}).items() if ranges}
        self._in_order: tuple[tuple[Key, State, RangeSet], ...] | None = None
        self._index: _Index | None = None

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

    def whole_entries(self, ranges: RangeSet) -> list[tuple[State, RangeSet]]:
        """Return the states that occur within ``ranges``, largest first, each with all that is in it."""
        return [(state, self._sets[state]) for state, _ in self.entries_within(ranges)]

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
        if self._index is not None and changed.range_count <= _MANY_NEWS and len(news._sets) <= _FEW < len(merged):
            adopted._index = self._index.after(changed, news._sets, merged)
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

    def _overlapping(self, ranges: RangeSet) -> Collection[tuple[State, RangeSet]]:
        """Return the entries that may have some of ``ranges``, in no order: most news are about a few of them."""
        sets = self._sets
        if len(sets) <= _FEW:
            return sets.items()
        if self._index is None:
            self._index = _Index.of(sets)
        return [(state, sets[state]) for state in self._index.states_in(ranges)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Elements) and self._sets == other._sets

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __bool__(self) -> bool:
        return bool(self._sets)

    def __repr__(self) -> str:
        return f"Elements({', '.join(f'{state!r}: {ranges}' for state, ranges in self.items())})"


class _Index:
    """Where the ranges of all states begin, ascending, and which state each is of."""

    __slots__ = ("_owners", "_starts")

    def __init__(self, starts: list[int], owners: list[State]) -> None:
        self._starts = starts
        self._owners = owners

    @classmethod
    def of(cls, sets: Mapping[State, RangeSet]) -> "_Index":
        begins = [(start, state) for state, ranges in sets.items() for start in ranges.bounds[::2]]
        begins.sort(key=itemgetter(0))
        return cls([start for start, _ in begins], [state for _, state in begins])

    def states_in(self, ranges: RangeSet) -> Iterable[State]:
        """Return each state once that may have some of ``ranges``: the last that begins before may reach into them."""
        if ranges.range_count == 1:
            return dict.fromkeys(self._near(*ranges.bounds))
        return dict.fromkeys([state for start, stop in ranges.spans() for state in self._near(start, stop)])

    def _near(self, start: int, stop: int) -> list[State]:
        low = bisect_right(self._starts, start)
        return self._owners[max(low - 1, 0) : bisect_left(self._starts, stop, low)]

    def after(self, changed: RangeSet, news: Iterable[State], merged: Mapping[State, RangeSet]) -> "_Index":
        """Return the index of ``merged``, which differs within ``changed`` only, by ``news`` that took its place."""
        starts, owners = self._starts.copy(), self._owners.copy()
        for start, stop in changed.spans():
            low = bisect_left(starts, start)
            # What was cut in two goes on where the news end, and what touches them may have become one with them.
            high = bisect_right(starts, stop, low)
            near = dict.fromkeys([*owners[max(low - 1, 0) : high], *news])
            begins = [
                (begin, state) for state in near if state in merged for begin in _begins(merged[state], start, stop)
            ]
            begins.sort(key=itemgetter(0))
            starts[low:high] = [begin for begin, _ in begins]
            owners[low:high] = [state for _, state in begins]
        return _Index(starts, owners)


def _begins(ranges: RangeSet, first: int, last: int) -> tuple[int, ...]:
    """Return where ranges begin, from ``first`` to ``last``."""
    low = bisect_left(ranges.bounds, first)
    return ranges.bounds[low + low % 2 : bisect_right(ranges.bounds, last) : 2]


#: What is known of the elements of a new task: most of a hundred thousand wait, and share this.
NO_STATES: Final = Elements()
