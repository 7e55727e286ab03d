"""What a node knows when it starts decides how it goes on."""

from roost.core.node import Node
from roost.core.restored import Archived, Restored, with_all_needed
from roost.model.clock import Stamp
from roost.model.record import RunRecord, TaskRecord
from roost.model.resources import Capacity
from tests.core.harness import ASH, GIB, RUN, edge, run_spec, task


def test_a_node_that_knows_nothing_starts_empty() -> None:
    node = Node(ASH, Capacity.of(1.0, GIB, "3.11"), Restored(1, Stamp(0, 0, ASH)))
    assert (node.queue.replica.runs, node.queue.replica.tasks, node.boot) == ({}, {}, 1)


def test_a_node_goes_on_with_its_runs_and_tasks_and_counts_stamps_on_from_the_last() -> None:
    last = Stamp(200_000, 7, ASH)
    restored = Restored(4, last, (Archived(RunRecord(run_spec()), {"done": 2}, 1),), (TaskRecord(task("a")),))
    node = Node(ASH, Capacity.of(1.0, GIB, "3.11"), restored)
    assert node.queue.replica.runs[RUN].archived == {"done": 2}
    assert list(node.queue.replica.tasks) == [task("a").id]
    assert node.stamp_at(5.0) > last


def test_tasks_are_left_out_whose_run_or_source_is_not_there() -> None:
    records = [TaskRecord(task("a")), TaskRecord(task("b", 1, edge("a"))), TaskRecord(task("c", 1, edge("x")))]
    assert with_all_needed(records, {RUN}) == records[:2]
    assert with_all_needed(records, set()) == []
