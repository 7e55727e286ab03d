"""Pools: arrays whose length is known only at run time (WEB 3.3), and pools inside pools.

A task of a pool has no length of its own. It has one for each element of its *mapper*: as many elements as the list
that is the mapper's result is long. Each element of the mapper has a *block* of POOL_BLOCK indices in the pool, so
that indices need no agreement: element j below the mapper's element p is p * POOL_BLOCK + j. A pool inside a pool has
the same rule once more, and its indices still name the whole way down.

How long a block is stands in the pool's own record: what lies behind the end of the list is ``Absent``. Every node
derives that from the accepted result of the mapper alone, so that all agree without a word.
"""

from roost.model.ranges import EMPTY, RangeSet

#: Indices of one block. The list of a mapper must be shorter, so that every block that is known has an absent end.
POOL_BLOCK = 2**20
#: Items of a mapper's list.
POOL_ITEMS_MAX = POOL_BLOCK - 1
#: How many pools may lie inside each other, so that JSON numbers carry all indices exactly.
POOL_DEPTH_MAX = 2


def below(ranges: RangeSet, levels: int = 1) -> RangeSet:
    """Return all indices that lie in the blocks of these elements, so many pools further in."""
    factor = POOL_BLOCK**levels
    return ranges if levels == 0 else RangeSet(tuple(bound * factor for bound in ranges.bounds))


def above(ranges: RangeSet, levels: int = 1) -> RangeSet:
    """Return the elements in whose blocks these lie, so many pools further out."""
    if levels == 0:
        return ranges
    factor = POOL_BLOCK**levels
    bounds: list[int] = []
    for start, stop in ranges.spans():
        first, end = start // factor, (stop - 1) // factor + 1
        if bounds and first <= bounds[-1]:
            bounds[-1] = end
        else:
            bounds += (first, end)
    return RangeSet(tuple(bounds))


def behind(parent: int, length: int) -> RangeSet:
    """Return the indices of a block that a list of this length leaves absent."""
    return RangeSet.span(parent * POOL_BLOCK + length, (parent + 1) * POOL_BLOCK)


def known_blocks(absent: RangeSet) -> RangeSet:
    """Return the blocks, whole, whose lengths are known: those with an absent end."""
    return below(above(absent)) if absent else EMPTY


def place_in_block(index: int) -> tuple[int, int]:
    """Return the mapper's element that an index lies below, and which item of its list it is for."""
    return divmod(index, POOL_BLOCK)
