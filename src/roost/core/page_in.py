"""Page-in: records that had left memory come back, because a request or a message is about them."""

from roost.core.completion import Completion
from roost.core.data.inventory import Inventory
from roost.core.data.re_replication import ReReplication
from roost.core.events import Recalled
from roost.core.facts import StatesMerged
from roost.core.holdings import Holdings
from roost.core.medium.port import Medium
from roost.core.queue.applying import Applying
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.digests import Digests
from roost.core.queue.replica import Replica
from roost.core.quorum.quorum import Quorum
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.ids import TaskId, run_of
from roost.model.record import TaskRecord


class PageIn:
    def __init__(
        self,
        turn: Turn,
        *,
        replica: Replica,
        dataflow: Dataflow,
        applying: Applying,
        inventory: Inventory,
        digests: Digests,
        quorum: Quorum,
        re_replication: ReReplication,
        medium: Medium,
        completion: Completion,
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._dataflow = dataflow
        self._applying = applying
        self._inventory = inventory
        self._digests = digests
        self._quorum = quorum
        self._re_replication = re_replication
        self._medium = medium
        self._completion = completion

    def take_back(self, event: Recalled) -> None:
        """Take runs and tasks into memory again, and go on with what they were looked up for."""
        self._completion.release_kept()
        for run in event.runs:
            if run.record.spec.id not in self._replica.runs:
                self._replica.restore_run(run, kept=True)
                self._digests.run_changed(run.record.spec.id)
        for task in event.tasks:
            self._take_task(task)
        self._take_holdings(event.holdings)
        back = [task.spec.id for task in event.tasks if task.spec.id in self._replica.tasks]
        for name in (*event.named, *map(run_of, back)):
            run_entry = self._replica.runs.get(name)
            if run_entry is not None:
                self._turn.look_at(name)
                # It may have stayed from an earlier request, and would leave before the one that is to come.
                run_entry.kept = run_entry.kept or run_entry.finished_at is not None
        self._revive(back)
        for run_id in dict.fromkeys([*(run.record.spec.id for run in event.runs), *map(run_of, back)]):
            if self._replica.has_whole(run_id):
                self._digests.recount(run_id)
        self._medium.looked_up(event.about)
        if event.about is None:
            self._re_replication.recalled(event.named)
        self._let_go_of_others(event.holdings)

    def _take_task(self, task: TaskRecord) -> None:
        # Whose run, or a task that it needs, a full disk refused is not whole: others will tell of both again.
        has_run = task.spec.run in self._replica.runs
        whole = has_run and all(edge.source in self._replica.tasks for edge in task.spec.edges)
        if whole and task.spec.id not in self._replica.tasks:
            self._applying.follow(task)
            self._completion.recalled(task.spec.id)
            self._digests.task_returns(task.spec.id)
            self._turn.touch(task.spec.id)

    def _take_holdings(self, holdings: tuple[Holdings, ...]) -> None:
        for held in holdings:
            if held.task in self._replica.tasks:
                self._inventory.restore(held)
            # What was voted on a forgotten task has to be known before the message that brings the task back is heard.
            self._quorum.restore(held)

    def _let_go_of_others(self, holdings: tuple[Holdings, ...]) -> None:
        """Tasks that did not come back after all are none of memory's business."""
        for held in holdings:
            if held.task not in self._replica.tasks:
                self._quorum.forget(held.task)

    def _revive(self, back: list[TaskId]) -> None:
        """What a task was aborted for may have been done since, in another run: then it goes on, and is not kept."""
        going_on = [task for task in back if not self._dataflow.has_ended(task)]
        if going_on:
            self._turn.persist(Note(tuple(going_on)), *(StatesMerged(task, Elements()) for task in going_on))
