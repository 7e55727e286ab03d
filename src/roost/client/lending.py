"""Waiting for other work from inside of an element: its node is told, and lends its processors meanwhile.

    with waiting():
        future_of_other_work.result()

Outside of elements nothing happens. Inside, a thread of its own tells the node, over a connection that lives as long as
this process: when that ends, however it does, the wait has ended, too. Who waits is not kept from it by any of this,
and goes on though the node could not be told.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final

from roost.api.element_waiting import WAITING_PATH, Waiting, encode_waiting
from roost.client.start import home_at, require_node
from roost.executors.worker import place
from roost.executors.worker.place import ElementPlace
from roost.model.errors import Unavailable

if TYPE_CHECKING:
    from roost.client.link import Link

#: Whoever has waited so long lends. Longer: short waits cost the node nothing. Shorter: nested work begins sooner.
LEND_AFTER_S: Final = 0.02


class Lender:
    """Tells the node whether any thread of this process waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waits = 0
        #: How often a wait has begun while there was none: one may follow so soon that the thread sees no end between.
        self._turn = 0
        self._thread: threading.Thread | None = None
        self._link: Link | None = None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        if place.here() is None:
            yield
            return
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._changed:
            if not self._waits:
                self._turn += 1
            self._waits += change
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._tell_for_ever, name="roost-lending", daemon=True)
                self._thread.start()

    def _tell_for_ever(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waits)
                turn = self._turn
                if self._has_ended(turn, LEND_AFTER_S):
                    continue
            at = place.here()
            self._tell(at, waits=True)
            with self._changed:
                self._has_ended(turn)
            self._tell(at, waits=False)

    def _has_ended(self, turn: int, timeout_s: float | None = None) -> bool:
        """Wait for the end of a wait; say whether it has come. The lock is held."""
        return self._changed.wait_for(lambda: not self._waits or self._turn != turn, timeout_s)

    def _tell(self, at: ElementPlace | None, *, waits: bool) -> None:
        # Twice: a connection that was kept since the last wait may have been closed.
        for _ in range(2):
            try:
                if at is not None:
                    self._send(Waiting(at.lease, at.index, waits))
            except (Unavailable, OSError):
                self._link = None
            else:
                return

    def _send(self, message: Waiting) -> None:
        if self._link is None:
            # Only here: commands that wait outside of elements need not load it.
            from roost.client.link import Link  # noqa: PLC0415 - see above

            self._link = Link(require_node(home_at()), WAITING_PATH)
        self._link.send(encode_waiting(message))


_lender = Lender()


def waiting() -> AbstractContextManager[None]:
    """Return a context in which this thread waits for other work of Roost, and does nothing else."""
    return _lender.waiting()


def _begin_anew() -> None:
    """In a process that was forked: the thread and the connection are the parent's."""
    global _lender  # noqa: PLW0603 -- one for the process, whose threads all wait
    _lender = Lender()


os.register_at_fork(after_in_child=_begin_anew)
