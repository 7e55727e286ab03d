"""A process of ours that runs leases, seen from the node: whatever becomes of it, each of its elements is answered."""

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from typing import Final

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors import orphans
from roost.executors.kept import SentBefore
from roost.executors.leases import OpenLeases
from roost.executors.order import Order, in_parts, told
from roost.executors.places import Places
from roost.executors.port import Report
from roost.executors.process import Child, Ending
from roost.executors.worker import notes
from roost.executors.worker.messages import FromChild, Ready
from roost.model.ids import LeaseId
from roost.model.limits import KIB
from roost.model.task import Failure

#: Functions and values up to this size travel in one message with the lease that names them.
_TOGETHER_BYTES: Final = 64 * KIB


class LeaseProcess:
    """Whoever derives from it says how elements fare that ran when the process ended (``_judge``)."""

    #: What people call it.
    name: str

    def __init__(
        self,
        module: str,
        mark: str,
        places: Places,
        report: Report,
        arguments: Sequence[object],
        *,
        noted: int = 1,
        lent: Sequence[int] = (),
        output: tuple[int, int] | None = None,
    ) -> None:
        """``noted`` is how many elements may run at a time; for the others see Child."""
        self._report: Report | None = report
        self._leases = OpenLeases(self._say)
        self._kept = SentBefore()
        self.ready = False
        #: Whether we ended it on purpose.
        self._killed = False
        #: Set when it has ended, and all that it has started is dead too.
        self.ended = asyncio.Event()
        self._mark = mark
        self._path = places.life / mark
        shared, self._notes = notes.make(self._path, noted)
        words = [str(word) for word in (shared, *arguments)]
        try:
            self._child = Child(
                module, words, places.home, mark, self._heard, self._dead, lent=(shared, *lent), output=output
            )
        except OSError:
            self._forget_notes()
            raise
        finally:
            os.close(shared)

    def __contains__(self, lease: LeaseId) -> bool:
        return lease in self._leases

    def start(self, order: Order) -> None:
        self._leases.add(order)
        named: list[tuple[str, tuple[bytes, ...]]] = [(name, (data,)) for name, data in order.blobs]
        if not order.behind:
            named += [(shared.key, shared.values) for shared in order.shared]
        kept, parts = self._kept.provide(named), [told(part) for part in in_parts(order)]
        if len(parts) == 1 and sum([len(value) for _, values in named for value in values]) <= _TOGETHER_BYTES:
            self._child.send(*kept, *parts)
        else:
            for message in (*kept, *parts):
                self._child.send(message)

    def silence(self) -> None:
        """Report nothing any more."""
        self._report = None

    def _say(self, event: ElementsDone | ElementFailed | ElementsReturned | Progressed) -> None:
        if self._report is not None:
            self._report(event)

    def _heard(self, messages: list[FromChild]) -> None:
        for message in messages:
            self._hear(message)

    def _hear(self, message: FromChild) -> None:
        if isinstance(message, Ready):
            self.ready = True
        else:
            self._leases.pass_on(message)

    def _dead(self, ending: Ending) -> None:
        """First all that it has started must be dead too; then its elements are free."""
        orphans.when_gone(partial(self._gone, ending), self._mark, self._child.pid)

    def _gone(self, ending: Ending) -> None:
        if not self.ready and not self._killed:
            failure = Failure(f"{self.name} could not be started: it {ending}", detail=self._last_words())
            self._leases.fail_all(failure)
        self._judge(ending)
        self._leases.give_back_all()
        self._forget_notes()
        self.ended.set()

    def _judge(self, ending: Ending) -> None:
        """Answer for what ran when it ended, if that was its fault; all else comes back."""
        raise NotImplementedError

    def _last_words(self) -> str:
        """Return what it wrote last, if anybody knows."""
        return ""

    def _forget_notes(self) -> None:
        self._notes.close()
        notes.forget(self._path)
