"""The input of a map, cut into slices that become array tasks.

The first slice is short, so that work begins while the rest is still being pickled; the next are longer and longer, so
that a million elements are a few hundred tasks. A slice of large arguments ends early.
"""

from collections.abc import Iterable, Iterator
from typing import Final

FIRST_SLICE: Final = 64
LONGEST_SLICE: Final = 5_000
SLICE_BYTES_MAX: Final = 1024 * 1024


def slices(items: Iterable[bytes], length: int | None = None) -> Iterator[list[bytes]]:
    """Cut ``items`` into lists that are never empty; ``length`` fixes their number of items."""
    longest = length or FIRST_SLICE
    current: list[bytes] = []
    size = 0
    for item in items:
        current.append(item)
        size += len(item)
        if len(current) >= longest or size >= SLICE_BYTES_MAX:
            yield current
            current, size = [], 0
            longest = length or min(2 * longest, LONGEST_SLICE)
    if current:
        yield current
