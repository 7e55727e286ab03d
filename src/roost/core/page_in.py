"""Page-in: records that had left memory come back, because a request or a message is about them."""

from typing import TYPE_CHECKING

from roost.core.completion import Completion
from roost.core.events import Recalled
from roost.core.facts import StatesMerged
from roost.core.holdings import Holdings
from roost.core.tickets import Note
from roost.model.elements import Elements
from roost.model.ids import TaskId, run_of
from roost.model.record import TaskRecord

if TYPE_CHECKING:
    from roost.core.node import Node


def take_back(node: "Node", ending: Completion, event: Recalled) -> None:
    """Take runs and tasks into memory again, and go on with what they were looked up for."""
    ending.release_kept()
    for run in event.runs:
        if run.record.spec.id not in node.replica.runs:
            node.replica.restore_run(run, kept=True)
            node.digests.run_changed(run.record.spec.id)
    for task in event.tasks:
        _take_task(node, ending, task)
    _take_holdings(node, event.holdings)
    back = [task.spec.id for task in event.tasks if task.spec.id in node.replica.tasks]
    for name in (*event.named, *map(run_of, back)):
        run_entry = node.replica.runs.get(name)
        if run_entry is not None:
            # It may have stayed from an earlier request, and would leave before the one that is to come.
            run_entry.kept = run_entry.kept or run_entry.finished_at is not None
    _revive(node, back)
    for run_id in dict.fromkeys([*(run.record.spec.id for run in event.runs), *map(run_of, back)]):
        if node.replica.has_whole(run_id):
            node.digests.recount(run_id)
    if event.about is not None:
        node.mesh.heard(event.about, looked_up=True)
    else:
        node.overruled.recalled()
        node.mesh.re_replication.recalled(event.named)
    _let_go_of_others(node, event.holdings)


def _take_task(node: "Node", ending: Completion, task: TaskRecord) -> None:
    # Whose run, or a task that it needs, a full disk refused is not whole: others will tell of both again.
    has_run = task.spec.run in node.replica.runs
    whole = has_run and all(edge.source in node.replica.tasks for edge in task.spec.edges)
    if whole and task.spec.id not in node.replica.tasks:
        node.applying.follow(task)
        ending.recalled(task.spec.id)
        node.digests.task_returns(task.spec.id)
        node.touch(task.spec.id)


def _take_holdings(node: "Node", holdings: tuple[Holdings, ...]) -> None:
    for held in holdings:
        if held.task in node.replica.tasks:
            node.inventory.restore(held)
        # What was voted on a forgotten task has to be known before the message that brings the task back is heard.
        node.mesh.quorum.restore(held)


def _let_go_of_others(node: "Node", holdings: tuple[Holdings, ...]) -> None:
    """Tasks that did not come back after all are none of memory's business."""
    for held in holdings:
        if held.task not in node.replica.tasks:
            node.mesh.quorum.forget(held.task)


def _revive(node: "Node", back: list[TaskId]) -> None:
    """What a task was aborted for may have been done since, in another run: then it goes on, and is not archived."""
    going_on = [task for task in back if not node.dataflow.has_ended(task)]
    if going_on:
        node.persist(Note(tuple(going_on)), *(StatesMerged(task, Elements()) for task in going_on))
