"""What a client does after ``os.fork``: the child has a copy of everything, and none of it is its own.

Two processes on one connection would take each other's answers, so the child lets go of the connection without a word
and begins anew when it is used. The threads that would have settled what the parent waits for do not exist in the
child, and locks that they held stay locked: both are left behind.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol
from weakref import WeakSet

from roost.model.errors import Unavailable


class Heir(Protocol):
    """Something that a forked child gets a copy of."""

    def forsake(self) -> None:
        """In the child: give up what belongs to the parent, and tell nobody. No lock of the parent's may be taken."""


_heirs: Final[WeakSet[Heir]] = WeakSet()


def tell_after_fork(heir: Heir) -> None:
    """Have ``heir.forsake()`` called in every child that is forked while it exists."""
    _heirs.add(heir)


class ForkableLock:
    """A lock that is free in a forked child, whoever held it in the parent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        tell_after_fork(self)

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._lock:
            yield

    def forsake(self) -> None:
        self._lock = threading.Lock()


def of_the_parent(what: str) -> Unavailable:
    """Say why a child gets no outcome of what its parent handed in."""
    return Unavailable(
        f"{what} was handed in by the process that this one was forked from, and its outcome arrives there; "
        "roost.attach(id) finds it from here"
    )


def _forsake_all() -> None:
    for heir in list(_heirs):
        heir.forsake()


os.register_at_fork(after_in_child=_forsake_all)
