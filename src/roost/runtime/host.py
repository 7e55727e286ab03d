"""The host: one living node, put together. It is the NodeService that the API uses.

What is in memory is answered by the core; runs that have left it, by the journal.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import assert_never

from roost.core.actions import Accepted, Change, Notify, Refused, Reply
from roost.core.events import CancelAsked, Recalled, RetryAsked, Sealed, Submitted, SuspendAsked
from roost.core.explain import explain
from roost.core.facts import StoryTold
from roost.core.node import Node
from roost.core.report import run_view, task_view
from roost.core.views import RunView, TaskView
from roost.executors.command import CommandExecutor
from roost.executors.function import FunctionExecutor
from roost.executors.places import Places
from roost.model.clock import Stamp
from roost.model.errors import InvalidInput, NotFound, Unavailable
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId, run_id, run_of
from roost.model.ranges import RangeSet
from roost.model.record import TaskRecord
from roost.model.resources import Capacity
from roost.model.segments import Segment
from roost.model.task import Failure, RunKind
from roost.runtime.archive import archived_run_view, archived_task_view, explain_archived
from roost.runtime.clock import Clock
from roost.runtime.driver import Driver
from roost.runtime.home import Home
from roost.runtime.journal import Journal
from roost.runtime.service import NodeFacts, Request

log = logging.getLogger(__name__)

_STOPPING = Refused("the node is stopping; ask again when it runs", temporary=True)


class Host:
    """Make one inside a running event loop, in a home whose lock this process holds; ``start`` it, ``close`` it."""

    def __init__(self, home: Home, capacity: Capacity, proposed_name: NodeId, *, niceness: int = 10) -> None:
        """``niceness`` is how far the processes of tasks step back behind the owner's own."""
        self._home = home
        self._clock = Clock()
        self._journal = Journal.open(home.journal)
        name = self._journal.identity(proposed_name)
        self._boot = self._journal.begin_boot()
        self._node = Node(name, capacity, self._journal.restore())
        self._driver = Driver(self._node, self._journal, self._clock, self._speak, self._give_up)
        self._places = Places.of(home)
        self._command = CommandExecutor(home, self._driver.feed, niceness=niceness)
        self._function = FunctionExecutor(home, self._driver.feed, niceness=niceness)
        self._answers: dict[CauseId, asyncio.Future[Accepted | Refused]] = {}
        self._listeners: dict[int, Callable[[Change], None]] = {}
        self._listener_names = 0
        self._causes = 0
        self._started_at = self._clock.now()
        self._closed = False
        self.stopping = asyncio.Event()

    def start(self) -> None:
        self._driver.start(self._command, self._function)

    async def close(self) -> None:
        """End the executors' processes, write what is queued, close the journal; refuse what was not answered."""
        self._closed = True
        self._driver.close()
        await self._command.close()
        await self._function.close()
        await asyncio.get_running_loop().run_in_executor(None, self._journal.close)
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(_STOPPING)

    # Changes.

    def new_cause(self, word: str) -> CauseId:
        self._causes += 1
        return CauseId(f"{word}-{self._boot}.{self._causes}")

    def new_run_id(self) -> RunId:
        return run_id(self._journal.next_run_number(), secrets.randbits(32))

    def stamp(self) -> Stamp:
        return self._node.stamp_at(self._clock.now())

    async def ask(self, request: Request) -> Accepted:
        if self._closed:
            raise Unavailable(_STOPPING.message)
        self._recall(request)
        answer: asyncio.Future[Accepted | Refused] = asyncio.get_running_loop().create_future()
        self._answers[request.cause] = answer
        try:
            self._driver.feed(request)
            outcome = await answer
        finally:
            del self._answers[request.cause]
        if isinstance(outcome, Refused):
            raise (Unavailable if outcome.temporary else InvalidInput)(outcome.message)
        return outcome

    def shut_down(self) -> None:
        self.stopping.set()

    def _speak(self, said: Reply | Notify) -> None:
        if isinstance(said, Notify):
            for listener in list(self._listeners.values()):
                listener(said.change)
        elif (answer := self._answers.get(said.cause)) is not None and not answer.done():
            answer.set_result(said.outcome)

    def _give_up(self, reason: str) -> None:
        log.error("%s; the node stops, and a restart goes on from what the disk holds", reason)
        self._closed = True
        self.shut_down()

    def _recall(self, request: Request) -> None:
        """Bring the records that a request is about back into the core, if they have left it."""
        wanted: list[TaskId] = []
        match request:
            case Submitted(tasks=tasks, run=run):
                sources = {edge.source for task in tasks for edge in task.edges} - {task.id for task in tasks}
                wanted, runs = sorted(sources), {run.id}
            case CancelAsked(tasks=asked) | RetryAsked(tasks=asked):
                # A run comes back whole: what depends on the tasks that were asked for must follow them.
                runs = {run_of(task) for task, _ in asked}
                wanted = [task for run_name in sorted(runs) for task in self._journal.task_ids(run_name)]
            case Sealed(run=run_name) | SuspendAsked(run=run_name):
                runs = {run_name}
            case _:
                assert_never(request)
        records = self._missing(wanted)
        runs |= {record.spec.run for record in records}
        gone = [name for name in sorted(runs - self._node.replica.runs.keys()) if self._journal.has_run(name)]
        if records or gone:
            self._driver.feed(Recalled(tuple(self._journal.archived(name) for name in gone), tuple(records)))

    def _missing(self, wanted: list[TaskId]) -> list[TaskRecord]:
        """Read the tasks that are not in memory, with all that they need, each after those it needs."""
        found: dict[TaskId, TaskRecord] = {}
        waiting = [task for task in wanted if task not in self._node.replica.tasks]
        while waiting:
            task = waiting.pop()
            if task not in found and self._journal.has_task(task):
                record = found[task] = self._journal.task_record(task)
                sources = [edge.source for edge in record.spec.edges]
                waiting += [source for source in sources if source not in self._node.replica.tasks]
        order = TopologicalSorter({task: [edge.source for edge in found[task].spec.edges] for task in found})
        return [found[task] for task in order.static_order() if task in found]

    # Questions. What is answered may be told on: it is flushed first.

    def facts(self) -> NodeFacts:
        lanes = self._node.scheduler.lanes
        return NodeFacts(
            node=self._node.name,
            pid=os.getpid(),
            home=str(self._home.path),
            capacity=lanes.capacity,
            free=lanes.free,
            boot=self._boot,
            uptime_s=self._clock.now() - self._started_at,
            runs=self._journal.run_count(),
            running=sum(not lane.paused for lane in lanes.open_lanes.values()),
            trouble=self._node.tickets.trouble,
        )

    def run_ids(self) -> list[RunId]:
        return self._journal.run_ids()

    def open_sessions(self) -> list[RunId]:
        runs = self._node.replica.runs
        return [name for name, run in runs.items() if run.record.spec.kind is RunKind.SESSION and not run.sealed]

    def run(self, run: RunId) -> RunView:
        self._driver.settle()
        if run in self._node.replica.runs:
            return run_view(self._node, run)
        return archived_run_view(self._journal, run)

    def tasks(self, run: RunId) -> list[TaskView]:
        return [self.task(task) for task in self._journal.task_ids(run)]

    def task(self, task: TaskId) -> TaskView:
        self._driver.settle()
        if task in self._node.replica.tasks:
            return task_view(self._node, task)
        return archived_task_view(self._journal, task)

    def explain(self, task: TaskId, index: int | None) -> list[str]:
        self._driver.settle()
        if task in self._node.replica.tasks:
            return explain(self._node, task, index)
        return explain_archived(self._journal, task, index)

    def story(self, task: TaskId) -> list[StoryTold]:
        self._driver.settle()
        return self._journal.story(task)

    def results(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        self._driver.settle()
        entry = self._node.replica.tasks.get(task)
        elements = entry.elements if entry is not None else self._journal.task_record(task).elements
        return self._journal.results(task, elements, ranges)

    def failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Failure]]:
        self._driver.settle()
        return self._journal.failures(task, ranges)

    def has_blob(self, blob: BlobHash) -> bool:
        return self._journal.has_blob(blob)

    def log_path(self, task: TaskId, index: int, stream: str) -> Path:
        return self._places.log_path(task, index, stream)

    def file_path(self, content: str) -> Path:
        path = self._places.blob_path(content)
        if not path.exists():
            raise NotFound(f"no file with the content {content} is kept here")
        return path

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        self._listener_names += 1
        name = self._listener_names
        self._listeners[name] = listener

        def stop() -> None:
            self._listeners.pop(name, None)

        return stop
