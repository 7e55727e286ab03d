"""What workers of all kinds do: run one lease after the other, and pass on how far an element says it is."""

import mmap
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Final

from roost.executors.worker import notes, place, progress
from roost.executors.worker.arrivals import Unstarted
from roost.executors.worker.declared import Declared
from roost.executors.worker.mailbox import FLUSH_BYTES, Mailbox, WorkerLease
from roost.executors.worker.messages import Progress, Returned
from roost.executors.worker.node_life import NodeLife
from roost.executors.worker.output import ElementLogs
from roost.model.ranges import RangeSet

_PROGRESS_INTERVAL_S: Final = 0.2
#: What ran for so long in all is noted until the node is seen to have outlived it.
_SURE_S: Final = 0.01


class LeaseRunner(ABC):
    """Runs leases one after the other, for ever."""

    def __init__(self, mailbox: Mailbox, page: mmap.mmap, logs: ElementLogs) -> None:
        self._mailbox = mailbox
        self._page = page
        self._logs = logs
        self._progress_at = 0.0
        self._node_life = NodeLife(os.getppid())
        mailbox.on_tick = logs.trim_raw
        self._declared = Declared()
        progress.listen(self._progressed)
        place.ask(lambda: place.ElementPlace(logs.task, logs.lease, logs.index))

    def run(self) -> None:
        while True:
            lease = self._mailbox.next()
            self._logs.lease = lease.lease
            self._logs.task = lease.task
            notes.name(self._page, lease.task)
            self._declared.wear(lease.variables)
            self._run(lease)
            self._logs.close()

    @abstractmethod
    def _run(self, lease: WorkerLease) -> None:
        """Run what a lease holds, also what is added to it meanwhile, until the mailbox has closed it.

        Of each element, what it wrote is settled when it has ended.
        """

    def _elements(self, lease: WorkerLease) -> Iterator[tuple[Unstarted, float]]:
        """Yield the elements of a lease, each with the moment at which it begins, until the mailbox has closed it.

        All that is done here counts for each of them.
        """
        mailbox, page, logs, todo = self._mailbox, self._page, self._logs, lease.todo
        first, sure_until = -1, 0.0
        while True:
            if lease.held:
                mailbox.wait_while_held(lease)
            try:
                element = todo.popleft()
            except IndexError:
                self._make_sure()
                notes.clear(page)
                if mailbox.finish(lease):
                    return
                continue
            started = monotonic()
            logs.index = element[0]
            if started >= sure_until:
                if first >= 0:
                    self._make_sure()
                first, sure_until = element[0], started + _SURE_S
            notes.pack_into(page, 0, lease.lease, first, element[0], started)
            if started >= mailbox.flush_at or mailbox.waiting_bytes > FLUSH_BYTES:
                mailbox.flush()
            yield element, started

    def _make_sure(self) -> None:
        """Go on only if the node has outlived what ran; else the note must stay until we are ended with it."""
        while self._node_life.is_over:
            sleep(_SURE_S)

    def _keep(self, lease: WorkerLease, index: int, value: bytes) -> None:
        """Take a result, unless what was printed with it found no room: then the element has to be run again."""
        no_room = self._logs.no_room
        if no_room:
            self._give_back(lease, index, no_room)
        else:
            self._mailbox.keep(index, value)

    def _give_back(self, lease: WorkerLease, index: int, no_room: str) -> None:
        """Give an element back that found no room, and give up the room that what it printed takes."""
        self._logs.close()
        self._logs.forget_earlier()
        self._mailbox.send(Returned(lease.lease, RangeSet.span(index, index + 1), no_room))

    def _progressed(self, fraction: float, note: str) -> None:
        now = monotonic()
        if now >= self._progress_at:
            self._progress_at = now + _PROGRESS_INTERVAL_S
            self._mailbox.send(Progress(self._logs.lease, self._logs.index, fraction, note))
