"""How people read and write an element of a pool inside something: as the way to it, ``2.0.5``, not as 2199023255557.

An index in a pool names the whole way down (pools.py): ``2.0.5`` is item 5 of the list that item 0 of element 2 gave.
Every number of the way counts from 0, as indices do. What leads every element of a task alike is left away: if the
outermost task is no array, the way begins inside it, so that a pool that lies in no other has plain numbers.

Reading needs no task, because leading zeros change nothing: ``5`` and ``0.5`` are the same index, and an index as
programs see it (``ROOST_INDEX``, ``--json``) is read as well.
"""

from itertools import repeat

from roost.model.errors import InvalidInput
from roost.model.limits import POOL_INDEX_MAX
from roost.model.pools import POOL_BLOCK, POOL_DEPTH_MAX, POOL_ITEMS_MAX
from roost.model.ranges import RangeSet
from roost.model.task import TaskSpec

_EXAMPLES = "write for example 5, or 2.5 for item 5 of the list that element 2 gave"
#: Of a number that can be an index at all.
_DIGITS_MAX = len(str(POOL_INDEX_MAX))


def parts_of(spec: TaskSpec) -> int:
    """Return of how many numbers the way to an element of this task is."""
    if spec.mapper is None:
        return 1
    from_one_element = spec.elements.bounds == (0, POOL_BLOCK**spec.depth)
    return spec.depth if from_one_element else spec.depth + 1


def shown_index(index: int, parts: int) -> str:
    """Write an index as the way to it."""
    numbers = []
    for _ in range(parts - 1):
        index, number = divmod(index, POOL_BLOCK)
        numbers.append(number)
    return ".".join(map(str, (index, *reversed(numbers))))


def shown_ranges(ranges: RangeSet, parts: int) -> str:
    """Write a set of indices; a range inside one list repeats only the last number: ``2.0-9``."""
    if parts == 1:
        return str(ranges)
    return ",".join(map(_shown_span, ranges.spans(), repeat(parts)))


def _shown_span(span: tuple[int, int], parts: int) -> str:
    first, last = span[0], span[1] - 1
    begin, end = shown_index(first, parts), shown_index(last, parts)
    if first == last:
        return begin
    inside, _, number = end.rpartition(".")
    return f"{begin}-{number}" if inside == begin.rpartition(".")[0] else f"{begin}-{end}"


def shown_in(spec: TaskSpec, index: int) -> str:
    """Write the index of an element of this task."""
    return shown_index(index, parts_of(spec))


def read_index(text: str) -> int:
    """Read one element as people write it. Raise InvalidInput if it is none."""
    return _read(text, text)


def read_ranges(text: str) -> RangeSet:
    """Read a set of elements as people write it: what RangeSet.parse reads, with ways where that has indices."""
    plain = ",".join(map(_plain, text.split(","))) if "." in text else text
    return RangeSet.parse(plain, POOL_INDEX_MAX)


def _plain(part: str) -> str:
    """Write a part of a set with indices instead of ways."""
    span, colon, step = part.partition(":")
    begin, dash, end = span.partition("-")
    if dash and "." in begin and "." not in end:
        end = f"{begin.rpartition('.')[0]}.{end}"
    return f"{_read(begin, part)}{dash}{_read(end, part) if dash else ''}{colon}{step}"


def _read(text: str, whole: str) -> int:
    numbers = [number.strip().replace("_", "") for number in text.split(".")]
    if not all(number.isascii() and number.isdigit() and len(number) <= _DIGITS_MAX for number in numbers):
        raise InvalidInput(f"'{whole.strip()[:40]}' is no element; {_EXAMPLES}")
    if len(numbers) > POOL_DEPTH_MAX + 1:
        raise InvalidInput(
            f"'{whole.strip()[:40]}' goes too deep; at most {POOL_DEPTH_MAX} pools lie inside each other"
        )
    index, *items = map(int, numbers)
    for item in items:
        if item > POOL_ITEMS_MAX:
            raise InvalidInput(f"'{whole.strip()[:40]}' is no element; a list has at most {POOL_ITEMS_MAX:,} items")
        index = index * POOL_BLOCK + item
    if index > POOL_INDEX_MAX:
        raise InvalidInput(f"'{whole.strip()[:40]}' is too large; the largest index is {POOL_INDEX_MAX:,}")
    return index
