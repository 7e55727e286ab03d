"""Sets of integers kept as ranges, so that a million neighbours cost as much as one.

A set is the sorted tuple of its boundaries ``(start, stop, start, stop, ...)``, half open. An integer is inside when an
odd number of boundaries is at or below it, which makes every operation a walk or a binary search over boundaries.
Cost grows with the number of ranges, never with the number of members.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import lt
from typing import Final, final

from roost.model.errors import InvalidInput
from roost.model.limits import INDEX_MAX, POOL_INDEX_MAX, RANGES_MAX


@final
class RangeSet:
    """An immutable set of integers. Make one with ``of``, ``span``, ``parse`` or ``EMPTY``; combine with | & -."""

    __slots__ = ("_count", "bounds")

    def __init__(self, bounds: tuple[int, ...] = ()) -> None:
        """Take boundaries that are sorted already; ``from_bounds`` takes those that nobody has checked."""
        self.bounds: Final = bounds
        self._count = -1

    @classmethod
    def span(cls, start: int, stop: int) -> "RangeSet":
        if start == 0 and stop == 1:
            return ONE
        return cls((start, stop) if start < stop else ())

    @classmethod
    def of(cls, members: Iterable[int]) -> "RangeSet":
        return cls(_joined((member, member + 1) for member in sorted(set(members))))

    @classmethod
    def of_spans(cls, spans: Iterable[tuple[int, int]]) -> "RangeSet":
        """Take ranges as (start, stop) in any order; they may touch or overlap."""
        return cls(_joined(sorted(spans)))

    @classmethod
    def from_bounds(cls, bounds: Iterable[int]) -> "RangeSet":
        """Take boundaries from outside; raise InvalidInput unless they are an even count of strictly growing integers.

        Their number has no limit of its own: the message that brought them has one, and a record that grew to many
        ranges must be readable again.
        """
        given = tuple(bounds)
        if len(given) % 2:
            raise InvalidInput("a set of ranges has an even number of boundaries")
        if not all(map(lt, given, given[1:])):
            raise InvalidInput("the boundaries of a set of ranges must grow strictly")
        if given and (given[0] < 0 or given[-1] > POOL_INDEX_MAX + 1):
            raise InvalidInput(f"an index lies between 0 and {POOL_INDEX_MAX:,}")
        return ONE if given == (0, 1) else cls(given)

    @classmethod
    def parse(cls, text: str, largest: int = INDEX_MAX) -> "RangeSet":
        """Read ``5``, ``1-10``, ``2-10:2``, ``1,3,5-8``; ``1_000`` is a thousand. Both ends belong to a range."""
        spans: list[tuple[int, int]] = []
        for part in text.split(","):
            indices = _parse_part(part.strip(), text, largest)
            range_count = 1 if indices.step == 1 else len(indices)
            if len(spans) + range_count > RANGES_MAX:
                raise InvalidInput(f"'{text[:40]}' describes more than {RANGES_MAX:,} separate ranges; use fewer")
            if range_count == 1:
                spans.append((indices[0], indices[-1] + 1))
            else:
                spans += ((index, index + 1) for index in indices)
        return cls(_joined(sorted(spans)))

    @property
    def range_count(self) -> int:
        return len(self.bounds) // 2

    @property
    def first(self) -> int:
        return self.bounds[0]

    @property
    def last(self) -> int:
        return self.bounds[-1] - 1

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield each range as (start, stop)."""
        bounds = self.bounds
        for at in range(0, len(bounds), 2):
            yield bounds[at], bounds[at + 1]

    def __len__(self) -> int:
        if self._count < 0:
            self._count = sum(self.bounds[1::2]) - sum(self.bounds[::2])
        return self._count

    def __bool__(self) -> bool:
        return bool(self.bounds)

    def __iter__(self) -> Iterator[int]:
        for start, stop in self.spans():
            yield from range(start, stop)

    def __contains__(self, member: int) -> bool:
        return bisect_right(self.bounds, member) % 2 == 1

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, RangeSet) and self.bounds == other.bounds)

    def __hash__(self) -> int:
        return hash(self.bounds)

    def __repr__(self) -> str:
        return f"RangeSet({self})"

    def __str__(self) -> str:
        return ",".join(str(start) if stop == start + 1 else f"{start}-{stop - 1}" for start, stop in self.spans())

    def __or__(self, other: "RangeSet") -> "RangeSet":
        mine, theirs = self.bounds, other.bounds
        if not theirs or mine == theirs:
            return self
        if not mine:
            return other
        if mine[-1] < theirs[0]:
            return RangeSet(mine + theirs)
        if len(mine) >= len(theirs):
            return RangeSet(_splice(mine, theirs, _FILL))
        return RangeSet(_splice(theirs, mine, _FILL))

    def __and__(self, other: "RangeSet") -> "RangeSet":
        mine, theirs = self.bounds, other.bounds
        if not mine or mine == theirs:
            return self
        if not theirs or mine[-1] <= theirs[0] or theirs[-1] <= mine[0]:
            return EMPTY
        if len(mine) >= len(theirs):
            return RangeSet(_look_through(mine, theirs, _INSIDE))
        return RangeSet(_look_through(theirs, mine, _INSIDE))

    def __sub__(self, other: "RangeSet") -> "RangeSet":
        mine, theirs = self.bounds, other.bounds
        if not mine or not theirs or mine[-1] <= theirs[0] or theirs[-1] <= mine[0]:
            return self
        if mine == theirs:
            return EMPTY
        if len(mine) >= len(theirs):
            return RangeSet(_splice(mine, theirs, _CLEAR))
        return RangeSet(_look_through(theirs, mine, _OUTSIDE))

    def isdisjoint(self, other: "RangeSet") -> bool:
        return not self & other

    def issubset(self, other: "RangeSet") -> bool:
        return not self - other

    def take(self, count: int) -> "RangeSet":
        """Return the ``count`` smallest members (all of them if there are fewer)."""
        if count >= len(self):
            return self
        taken: list[int] = []
        for start, stop in self.spans():
            if count <= 0:
                break
            end = min(stop, start + count)
            taken += (start, end)
            count -= end - start
        return RangeSet(tuple(taken))

    def nth(self, position: int) -> int:
        """Return the member at ``position`` in ascending order; raise IndexError if there are not that many."""
        before = position
        for start, stop in self.spans():
            if 0 <= before < stop - start:
                return start + before
            before -= stop - start
        raise IndexError(position)


EMPTY: Final = RangeSet()
#: The element of every task that is no array, kept once for all of them.
ONE: Final = RangeSet((0, 1))

# Both walks below take one step for each range of the *smaller* set and copy the larger set's boundaries in slices.
# An even number of boundaries passed means outside the larger set, an odd number inside; a boundary of the smaller set
# belongs to the result when it lies where the operation says.
_FILL, _CLEAR = 0, 1
_OUTSIDE, _INSIDE = 0, 1


def _splice(bounds: tuple[int, ...], patches: tuple[int, ...], parity: int) -> tuple[int, ...]:
    """Return the set with every patch filled (union) or cleared (difference)."""
    result: list[int] = []
    cursor = 0
    for at in range(0, len(patches), 2):
        start, stop = patches[at], patches[at + 1]
        # Touching ranges become one, hence the opposite sides of the two searches.
        low = bisect_left(bounds, start, cursor)
        high = bisect_right(bounds, stop, low)
        result += bounds[cursor:low]
        if low % 2 == parity:
            result.append(start)
        if high % 2 == parity:
            result.append(stop)
        cursor = high
    result += bounds[cursor:]
    return tuple(result)


def _look_through(bounds: tuple[int, ...], windows: tuple[int, ...], parity: int) -> tuple[int, ...]:
    """Return the part of the windows that is inside the set (intersection) or outside of it (difference)."""
    result: list[int] = []
    cursor = 0
    for at in range(0, len(windows), 2):
        start, stop = windows[at], windows[at + 1]
        low = bisect_right(bounds, start, cursor)
        high = bisect_left(bounds, stop, low)
        if low % 2 == parity:
            result.append(start)
        result += bounds[low:high]
        if high % 2 == parity:
            result.append(stop)
        cursor = high
    return tuple(result)


def _joined(spans: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Return the boundaries of spans that are sorted by their start but may touch or overlap."""
    bounds: list[int] = []
    for start, stop in spans:
        if bounds and start <= bounds[-1]:
            bounds[-1] = max(bounds[-1], stop)
        else:
            bounds += (start, stop)
    return tuple(bounds)


def _parse_part(part: str, text: str, largest: int) -> range:
    span, colon, step_text = part.partition(":")
    first_text, dash, last_text = span.partition("-")
    first = _index(first_text, text, largest)
    last = _index(last_text, text, largest) if dash else first
    step = _index(step_text, text, largest) if colon else 1
    if last < first:
        raise InvalidInput(f"'{part}' counts downwards; write the smaller number first")
    if step == 0:
        raise InvalidInput(f"the step in '{part}' is 0; use 1 or more")
    return range(first, last + 1, step)


def _index(text: str, whole: str, largest: int) -> int:
    digits = text.strip().replace("_", "")
    if not (digits.isascii() and digits.isdigit()):
        raise InvalidInput(f"'{whole[:40]}' is not a set of indices; write for example 5 or 1-10 or 1,3,5-8")
    if len(digits) > len(str(largest)) or int(digits) > largest:
        raise InvalidInput(f"the index {digits[:20]} is too large; the largest is {largest:,}")
    return int(digits)
