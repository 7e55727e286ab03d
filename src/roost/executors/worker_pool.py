"""Worker processes of one kind that live on from lease to lease, and which of them serves which lane."""

import asyncio
from typing import ClassVar, Final

from roost.core.actions import StopMode
from roost.executors.leases import cannot_start
from roost.executors.order import Order
from roost.executors.places import Places
from roost.executors.port import Report
from roost.executors.worker_process import WorkerProcess
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet

#: A worker without work ends after this time: it keeps the memory of all the modules that it has loaded.
IDLE_S: Final = 60.0


class WorkerPool:
    """See Executor. A lane has a worker of its own while it has leases; workers of idle lanes serve the next."""

    #: The program that the workers run.
    module: ClassVar[str]

    def __init__(self, places: Places, report: Report, *, niceness: int = 10, idle_s: float = IDLE_S) -> None:
        self._places = places
        self._report = report
        self._niceness = niceness
        self._idle_s = idle_s
        self._workers: list[WorkerProcess] = []
        self._lanes: dict[int, WorkerProcess] = {}
        #: Those without a lease, with the timer that ends them; the last used is the first to serve again.
        self._idle: dict[WorkerProcess, asyncio.TimerHandle] = {}

    def warm(self, count: int) -> None:
        """Have so many workers ready, so that the first elements need not wait for Python to start."""
        while len(self._workers) < count:
            self._rest(self._new_worker())

    def start(self, order: Order) -> None:
        worker = self._lanes.get(order.lane)
        if worker is None or not worker.usable:
            try:
                worker = self._lanes[order.lane] = self._free_worker()
            except OSError as error:
                cannot_start(order, error, self._report)
                return
        worker.start(order)

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        for worker in self._workers:
            if lease in worker:
                worker.stop(lease, ranges, mode)

    def pause(self, lease: LeaseId) -> None:
        for worker in self._workers:
            if lease in worker:
                worker.pause(lease)

    def resume(self, lease: LeaseId) -> None:
        for worker in self._workers:
            if lease in worker:
                worker.resume(lease)

    async def close(self) -> None:
        """End all processes; nothing is reported any more."""
        workers = list(self._workers)
        for timer in self._idle.values():
            timer.cancel()
        for worker in workers:
            worker.silence()
            worker.kill()
        await asyncio.gather(*[worker.ended.wait() for worker in workers])

    def _new_worker(self) -> WorkerProcess:
        worker = WorkerProcess(self.module, self._places, self._report, self._niceness, self._on_idle, self._on_gone)
        self._workers.append(worker)
        return worker

    def _free_worker(self) -> WorkerProcess:
        while self._idle:
            worker, timer = self._idle.popitem()
            timer.cancel()
            if worker.usable:
                return worker
        for worker in self._workers:
            # The new lease may follow from the answer to a worker's last one, before the worker counts as idle.
            if worker.usable and worker.has_answered:
                self._leave_lane(worker)
                return worker
        return self._new_worker()

    def _on_idle(self, worker: WorkerProcess) -> None:
        self._leave_lane(worker)
        self._rest(worker)

    def _rest(self, worker: WorkerProcess) -> None:
        if worker not in self._idle:
            self._idle[worker] = asyncio.get_running_loop().call_later(self._idle_s, self._retire, worker)

    def _retire(self, worker: WorkerProcess) -> None:
        del self._idle[worker]
        worker.kill()

    def _on_gone(self, worker: WorkerProcess) -> None:
        self._workers.remove(worker)
        self._leave_lane(worker)
        timer = self._idle.pop(worker, None)
        if timer is not None:
            timer.cancel()

    def _leave_lane(self, worker: WorkerProcess) -> None:
        for lane, owner in list(self._lanes.items()):
            if owner is worker:
                del self._lanes[lane]
