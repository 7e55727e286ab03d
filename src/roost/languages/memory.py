"""Reading a large workflow makes millions of small objects that all live on, and none that only circles keep alive.

Python's collector looks through all of them again and again as they grow in number: a third of the whole time for a
hundred thousand nodes.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let the collector rest, and leave it as it was."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
