"""A driver with a real journal, and an executor that a test can look into."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from roost.core.actions import Accepted, Change, Notify, Refused, Reply, Send, StopMode
from roost.core.events import ElementsDone, ElementsReturned, Heard, Submitted
from roost.core.medium.alone import Alone
from roost.core.medium.port import MakeMedium
from roost.core.node import Node
from roost.executors.order import Order
from roost.executors.port import Report
from roost.model.clock import Stamp
from roost.model.ids import CauseId, LeaseId, NodeId, RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.task import Command, Function, RunKind, RunSpec, Script, TaskSpec, Work
from roost.runtime.clock import Clock
from roost.runtime.driver import Driver
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.schema import open_file
from roost.wire.messages import Message

PATIENCE_S = 20.0
NODE = NodeId("ash")
RUN = RunId("1-bababa")
TASK = task_id(RUN, "work")


async def until(condition: Callable[[], object]) -> None:
    """Let the loop go round until it is so; fail if it takes too long."""
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up, "what was waited for did not come"
        await asyncio.sleep(0.001)


def spec(name: str = "work", count: int = 3, work: Work | None = None, **more: Any) -> TaskSpec:
    elements = RangeSet.span(0, count)
    return TaskSpec(task_id(RUN, name), RUN, work or Command(("true",)), elements, Stamp(1, 0, NODE), **more)


def submitted(*tasks: TaskSpec, cause: str = "submit-1", **more: Any) -> Submitted:
    run = RunSpec(RUN, "work", RunKind.COMMAND, "ada", "here", Stamp(1, 0, NODE))
    return Submitted(CauseId(cause), run, tasks, **more)


class ManualExecutor:
    """Keeps the promises of the port, when the test says so; ``at_once`` answers inside ``start``.

    Of every order the first element has begun and no other.
    """

    def __init__(self, *, at_once: bool = False) -> None:
        self.report: Report = lambda event: None
        self.at_once = at_once
        self.orders: list[Order] = []
        self.told: list[tuple[str, LeaseId]] = []

    def start(self, order: Order) -> None:
        self.orders.append(order)
        if self.at_once:
            self.finish(order)

    def finish(self, order: Order) -> None:
        values = [b"result %d" % index for index in order.ranges]
        first = order.ranges.first
        self.report(ElementsDone(order.lease, (pack(first, values),), 0.001))

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        self.told.append((f"stop {mode}", lease))
        (order,) = [order for order in self.orders if order.lease == lease]
        begun = order.ranges.take(1) if mode is StopMode.UNSTARTED else RangeSet()
        if ranges - begun:
            self.report(ElementsReturned(lease, ranges - begun))

    def pause(self, lease: LeaseId) -> None:
        self.told.append(("pause", lease))

    def resume(self, lease: LeaseId) -> None:
        self.told.append(("resume", lease))

    async def close(self) -> None:
        """Nothing to end."""


class Life:
    """One life of a node on a journal, from its start to ``end``. Make it inside a running loop."""

    def __init__(self, folder: Path, *, at_once: bool = False, cpus: float = 1.0, medium: MakeMedium = Alone) -> None:
        # The connection is at hand, so that a test can fill the disk.
        self._writing, reading = open_file(folder / "journal.db")
        self.journal = Journal(folder / "journal.db", self._writing, reading)
        self.journal.begin_boot()
        self.node = Node(NODE, Capacity.of(cpus, 2**30, "3.11"), self.journal.restore(), medium, chance=Random(1))
        self.given_up: list[str] = []
        #: Whether it was said to be a failure of Roost itself.
        self.was_ours: list[bool] = []
        #: What others have said, and comes in when the driver hears them.
        self.unheard: list[Heard] = []
        self.driver = Driver(self.node, self.journal, Clock(), self._speak, self._give_up, self._hear)
        self.replies: dict[CauseId, Accepted | Refused] = {}
        self.changes: list[Change] = []
        self.sent: list[Message] = []
        #: Whether the run was on disk when each reply left.
        self.run_was_on_disk: list[bool] = []
        self.command = ManualExecutor(at_once=at_once)
        self.function = ManualExecutor(at_once=at_once)
        self.script = ManualExecutor(at_once=at_once)
        self.command.report = self.function.report = self.script.report = self.driver.feed
        self.driver.start({Command: self.command, Function: self.function, Script: self.script})

    def _speak(self, said: Reply | Notify | Send) -> None:
        if isinstance(said, Notify):
            self.changes.append(said.change)
        elif isinstance(said, Reply):
            self.replies[said.cause] = said.outcome
            self.run_was_on_disk.append(self.journal.has_run(RUN))
        else:
            self.sent.append(said.message)

    def _give_up(self, reason: str, is_ours: bool) -> None:
        self.given_up.append(reason)
        self.was_ours.append(is_ours)

    def _hear(self) -> None:
        while self.unheard:
            self.driver.feed(self.unheard.pop(0))

    async def ask(self, event: Any) -> Accepted | Refused:
        self.driver.feed(event)
        await until(lambda: event.cause in self.replies)
        return self.replies[event.cause]

    def is_written(self, task: TaskId) -> bool:
        """Whether others find it in the database; the journal's own answers have it written first."""
        with closing(sqlite3.connect(self.journal.path)) as other:
            return bool(other.execute("SELECT 1 FROM tasks WHERE task = ?", (task,)).fetchall())

    def fill_the_disk(self) -> None:
        self._limit_pages(1)

    def make_room(self) -> None:
        self._limit_pages(1_000_000)

    def _limit_pages(self, count: int) -> None:
        connection: sqlite3.Connection = self._writing
        connection.execute(f"PRAGMA max_page_count = {count}").fetchone()

    def results(self, task: TaskId = TASK) -> list[bytes]:
        record = self.journal.task_record(task)
        segments = self.journal.results(task, record.elements, record.spec.elements)
        return [value for segment in segments for value in segment.values()]

    def end(self) -> None:
        self.driver.close()
        self.journal.close()
