"""A replica and its digests, for tests of what two nodes compare."""

from roost.core.queue.digests import Digests
from roost.core.queue.replica import Replica
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import RunId, TaskId, task_id
from roost.model.record import RunRecord, Switch, TaskRecord
from roost.model.states import Done
from tests.core.harness import ASH, RUN, ranges, run_spec, task
from tests.tokens import attempt

A = task_id(RUN, "a")
DONE = Elements({Done(attempt(1), ASH): ranges("0")})


class Desk:
    """A replica and its digests."""

    def __init__(self, *runs: RunId) -> None:
        self.replica = Replica()
        self.sync = Digests(self.replica)
        for run in runs:
            self.add(run)

    def add(self, run: RunId = RUN, name: str = "a", count: int = 3) -> None:
        if run not in self.replica.runs:
            self.replica.add_run(RunRecord(run_spec(run)))
            self.sync.run_changed(run)
        self.replica.add_task(TaskRecord(task(name, count, run=run)))
        self.sync.task_changed(task_id(run, name))

    def move(self, name: TaskId = A, delta: Elements = DONE) -> None:
        self.replica.tasks[name].merge(delta)
        self.sync.task_changed(name)

    def suspend(self, run: RunId = RUN) -> None:
        self.replica.add_run(RunRecord(run_spec(run), suspended=Switch(Stamp(9, 0, ASH), on=True)))
        self.sync.run_changed(run)

    def drop(self, name: TaskId = A) -> TaskRecord:
        entry = self.replica.tasks[name]
        self.sync.task_leaves(name)
        self.replica.drop_task(name)
        return TaskRecord(entry.spec, entry.elements)


def many(count: int) -> list[RunId]:
    return [RunId(f"{number}-bababa") for number in range(count)]
