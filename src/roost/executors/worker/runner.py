"""What workers of all kinds do: run one lease after the other, and pass on how far an element says it is."""

import mmap
from abc import ABC, abstractmethod
from time import monotonic
from typing import Final

from roost.executors.worker import progress
from roost.executors.worker.mailbox import Mailbox, WorkerLease
from roost.executors.worker.messages import Progress
from roost.executors.worker.output import ElementLogs

_PROGRESS_INTERVAL_S: Final = 0.2


class LeaseRunner(ABC):
    """Runs leases one after the other, for ever."""

    def __init__(self, mailbox: Mailbox, page: mmap.mmap, logs: ElementLogs) -> None:
        self._mailbox = mailbox
        self._page = page
        self._logs = logs
        self._progress_at = 0.0
        progress.listen(self._progressed)

    def run(self) -> None:
        while True:
            lease = self._mailbox.next()
            self._logs.lease = lease.lease
            self._logs.task = lease.task
            self._run(lease)
            self._logs.close()

    @abstractmethod
    def _run(self, lease: WorkerLease) -> None:
        """Run what a lease holds, also what is added to it meanwhile, until the mailbox has closed it."""

    def _progressed(self, fraction: float, note: str) -> None:
        now = monotonic()
        if now >= self._progress_at:
            self._progress_at = now + _PROGRESS_INTERVAL_S
            self._mailbox.send(Progress(self._logs.lease, self._logs.index, fraction, note))
