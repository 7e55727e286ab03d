"""A journal with runs whose results can be found by keys, and what looks for them there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from roost.core.facts import Fact, KeysNoted, ResultsStored, RunMerged, StatesMerged, TaskAdded
from roost.core.node import Node
from roost.executors.places import Places
from roost.executors.reuse.entries import Entry, encode_entry
from roost.model.elements import Elements
from roost.model.ids import RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.states import Done, State
from roost.model.task import Command, Reuse, TaskSpec, Work
from roost.runtime.data.shelf import Shelf
from roost.runtime.reuse.index import ReuseIndex
from tests.runtime.journalling import NODE, OpenJournal, run_record, task_spec
from tests.tokens import attempt

FIRST, SECOND, THIRD, FOURTH = RunId("1-kedova"), RunId("2-lamiso"), RunId("3-nopuze"), RunId("4-ratiga")
KEY = b"k" * 16


class Lab(OpenJournal):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "journal.db")
        self.places = Places(folder / "logs", folder / "blobs", folder / "scratch")
        for path in (self.places.logs, self.places.blobs):
            path.mkdir()

    def run(
        self, run: RunId, count: int = 2, work: Work | None = None, reuse: Reuse = Reuse.PURE, workflow: str = ""
    ) -> TaskId:
        """Add a run of one task."""
        task = task_id(run, "work")
        at = int(run.partition("-")[0])
        record = run_record(run, at=at, workflow=workflow)
        spec = msgspec.structs.replace(task_spec(task, count, at=at), work=work or Command(("true",)), reuse=reuse)
        self.write(RunMerged(record), TaskAdded(spec))
        return task

    def kept(
        self, task: TaskId, index: int, value: bytes, entry: Entry, token: int = 1, state: State | None = None
    ) -> None:
        """Let an element be done, and be found by its entry."""
        done = state or Done(attempt(token), NODE)
        facts: list[Fact] = [StatesMerged(task, Elements({done: RangeSet.span(index, index + 1)}))]
        facts.append(ResultsStored(task, attempt(token), NODE, pack(index, [value])))
        facts.append(KeysNoted(task, attempt(token), NODE, pack(index, [encode_entry(entry)])))
        self.write(*facts)

    def moved(self, task: TaskId, index: int, state: State) -> None:
        self.write(StatesMerged(task, Elements({state: RangeSet.span(index, index + 1)})))

    def shelf(self) -> Shelf:
        """Return what a node knows that starts now."""
        return Shelf(Node(NODE, Capacity.of(1.0, 2**30, "3.11"), self.journal.restore()), self.journal)

    def index(self) -> ReuseIndex:
        return ReuseIndex(self.journal, self.shelf(), self.places)

    def spec(self, task: TaskId) -> TaskSpec:
        return self.journal.task_record(task).spec


@contextmanager
def lab(folder: Path) -> Iterator[Lab]:
    with Lab(folder) as made:
        yield made
