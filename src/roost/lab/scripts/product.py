"""Roost's own way: QuickJS in the worker processes that a node has for scripts, started by the node's own code.

Two ways are measured. A worker that is started for each job is what WEB's browsers do, and what the first job of a lane
waits for. Workers that live on from job to job are how a node has them: what a job costs to start is then a context.
"""

import asyncio
import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import msgspec

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import Order
from roost.executors.places import Places
from roost.executors.script import ScriptExecutor, has_engine
from roost.lab.scripts.engine import Lap, NotMeasured, Result, Round
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, LeaseId, NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Needs, Script, TaskSpec
from roost.model.token import Token

_RUN: Final = RunId("1-lab")
_TASK: Final = TaskId("1-lab/job")
_ITEM: Final = b'[{"item":true}]'
_WARM: Final = Round("function weevil_main() { return { operations: 0, value: 0 } }", 0, limit_s=math.inf)
Event = ElementsDone | ElementFailed | ElementsReturned | Progressed


class ProductSession:
    """See Session."""

    def __init__(self, places: Places, *, lives_on: bool) -> None:
        self._places = places
        self._lives_on = lives_on
        self.title = f"QuickJS (quickjs-ng {version('quickjs-ng')})"

    def run(self, order: Round) -> tuple[Lap, ...]:
        return asyncio.run(_Rounds(self._places, lives_on=self._lives_on).run(order))


class _Rounds:
    """One round, in a loop of its own."""

    def __init__(self, places: Places, *, lives_on: bool) -> None:
        self._places = places
        self._lives_on = lives_on
        self._leases = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Event]] = {}
        self._laps: list[Lap] = []
        self._origin = 0.0

    async def run(self, order: Round) -> tuple[Lap, ...]:
        executors = [self._new_executor() for _ in range(order.workers if self._lives_on else 0)]
        try:
            await asyncio.gather(*(self._call(executor, _WARM) for executor in executors))
            self._origin = perf_counter()
            open_jobs = iter(range(order.jobs))
            await asyncio.gather(*(self._serve(order, worker, open_jobs, executors) for worker in range(order.workers)))
        finally:
            await asyncio.gather(*(executor.close() for executor in executors))
        return tuple(self._laps)

    async def _serve(
        self, order: Round, worker: int, open_jobs: Iterator[int], executors: list[ScriptExecutor]
    ) -> None:
        for _ in open_jobs:
            begun_s = perf_counter() - self._origin
            executor = executors[worker] if self._lives_on else self._new_executor()
            try:
                result, busy_s = await self._call(executor, order)
                self._laps.append(Lap(worker, begun_s, perf_counter() - self._origin, busy_s, result))
            finally:
                if not self._lives_on:
                    await executor.close()

    def _new_executor(self) -> ScriptExecutor:
        # As willing as the other engines: a node's workers give way to everybody.
        return ScriptExecutor(self._places, self._report, niceness=0)

    def _report(self, event: Event) -> None:
        waiting = None if isinstance(event, Progressed) else self._waiting.get(event.lease)
        if waiting is not None and not waiting.done():
            waiting.set_result(event)

    async def _call(self, executor: ScriptExecutor, order: Round) -> tuple[Result, float]:
        lease = next(self._leases)
        waiting = self._waiting[lease] = asyncio.get_running_loop().create_future()
        executor.start(_order(lease, order))
        event = await waiting
        del self._waiting[lease]
        if isinstance(event, ElementsDone):
            (value,) = event.segments[0].values()
            return msgspec.json.decode(value, type=Result), event.busy_s
        raise NotMeasured(event.failure.reason if isinstance(event, ElementFailed) else "its worker gave the job back")


def _order(lease: int, order: Round) -> Order:
    code, item = order.source.encode(), str(order.argument).encode()
    blobs = tuple((BlobHash(blake2b(blob, digest_size=16).hexdigest()), blob) for blob in (code, _ITEM))
    work = Script(blobs[0][0], "job", arguments=blobs[1][0])
    elements, stamp = RangeSet.span(0, 1), Stamp(0, 0, NodeId("lab"))
    needs = Needs.of(time_limit_s=None if math.isinf(order.limit_s) else order.limit_s)
    spec = TaskSpec(_TASK, _RUN, work, elements, stamp, needs=needs, has_items=True)
    return Order(LeaseId(lease), 0, spec, elements, Token(attempt=1), items=(pack(0, [item]),), blobs=blobs)


@contextmanager
def open_product(*, lives_on: bool) -> Iterator[ProductSession]:
    """Make room for Roost's own workers. Raise NotMeasured if the engine is not on this machine."""
    if not has_engine():
        raise NotMeasured("there is no QuickJS for this machine (quickjs-ng)")
    with TemporaryDirectory(prefix="roost-lab-") as folder:
        home = Path(folder)
        places = Places(home / "logs", home / "blobs", home / "scratch")
        for path in (places.logs, places.blobs, places.scratch):
            path.mkdir()
        yield ProductSession(places, lives_on=lives_on)
