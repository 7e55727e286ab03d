"""Reading a large workflow makes millions of small objects that all live on, and none that only circles keep alive.

Python's collector looks through all of them again and again as they grow in number: a third of the whole time for a
hundred thousand nodes.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: Where so many objects came while the collector rested, it would begin with a long look at all of them.
_MANY_OBJECTS = 100_000


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let the collector rest, and leave it as it was. It never looks at what came meanwhile if that is much."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if gc.get_count()[0] > _MANY_OBJECTS:
                gc.freeze()
            gc.enable()
