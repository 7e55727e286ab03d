"""The checker of ends notices a run whose end is missing or tells something else."""

import pytest

from roost.core.completion import Completion
from roost.core.facts import RunFinished
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import task_id
from roost.model.record import RunRecord, TaskRecord
from roost.model.states import Done
from roost.sim.checkers.ends_told import EndsTold
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from tests.core.harness import ASH, RUN, Bench, ranges, run_spec, task
from tests.sim.checkers.worlds import live_through
from tests.tokens import attempt


def disk_with_end(state: str | None, counts: dict[str, int]) -> SimDisk:
    disk = SimDisk(ASH)
    disk.flushed.runs[RUN] = RunRecord(run_spec())
    disk.flushed.tasks[task_id(RUN, "a")] = TaskRecord(task("a", 2), Elements({Done(attempt(1), ASH): ranges("0-1")}))
    if state is not None:
        disk.flushed.ends[RUN] = RunFinished(RUN, Stamp(1, 0, ASH), state, counts, 1)
    return disk


def test_it_is_content_when_the_end_says_what_the_tasks_say() -> None:
    EndsTold().at_rest(Bench().node, disk_with_end("done", {"done": 2}))


@pytest.mark.parametrize(
    ("state", "counts"),
    [(None, {}), ("done", {"done": 1}), ("failed", {"done": 2}), ("done", {"done": 2, "failed": 1})],
)
def test_it_notices_an_end_that_is_missing_or_wrong(state: str | None, counts: dict[str, int]) -> None:
    with pytest.raises(Broken, match=r"run 1-bababa ended with \{'done': 2\}"):
        EndsTold().at_rest(Bench().node, disk_with_end(state, counts))


def test_it_notices_a_node_that_takes_an_old_end_for_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Completion, "reopen", lambda ending, run: None)
    with pytest.raises(Broken, match="ended with"):
        live_through(range(46, 60))
