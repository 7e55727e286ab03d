"""Questions about tasks that a message named and nobody here knows, and answers to others (unknown_tasks.py)."""

from roost.core.actions import Send
from roost.core.mesh.anti_entropy.comparing import Comparing
from roost.core.mesh.anti_entropy.unknown_tasks import AskEverybody, Known, Saying, UnknownTasks
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.replica import Replica
from roost.core.turn import Turn
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.wire.messages import AlreadyFinished, DoYouKnow, Forgotten


class Questions:
    def __init__(
        self,
        turn: Turn,
        replica: Replica,
        dataflow: Dataflow,
        comparing: Comparing,
        forgotten: ForgottenRuns,
        unknown_tasks: UnknownTasks,
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._dataflow = dataflow
        self._comparing = comparing
        self._forgotten = forgotten
        self._unknown = unknown_tasks

    def ask_about(self, task: TaskId) -> None:
        """A message named a task that was never heard of here."""
        if not self._forgotten.has_forgotten(run_of(task)):
            self._unknown.unknown(task, self._turn.now)

    def answered(self, task: TaskId) -> None:
        """Somebody has told of a task, to whomever."""
        self._unknown.answered(task, self._turn.now)

    def ask_no_more(self, run: RunId) -> None:
        """A run was forgotten, whatever others have said of it."""
        self._unknown.forget_run(run)

    def left_alone(self) -> None:
        """Nobody is left to be asked."""
        self._unknown.left_alone()

    def asked(self, sender: NodeId, task: TaskId) -> None:
        """Another node asks about a task."""
        tombstone = self._forgotten.tombstone_of(run_of(task))
        if tombstone is not None:
            self._turn.act(Send(sender, Forgotten((tombstone,))))
        else:
            self._unknown.asked(task, self._turn.now, self._knows(task))

    def _knows(self, task: TaskId) -> Known:
        if task not in self._replica.tasks:
            return Known.NO
        return Known.ENDED if self._dataflow.has_ended(task) else Known.OPEN

    def tick(self, delivery_s: float) -> None:
        """Say what is due; ``delivery_s`` is how long a message takes now."""
        self._unknown.delivery_s = delivery_s
        for saying in self._unknown.tick(self._turn.now):
            self._say(saying)

    def regrouped(self, nodes: int) -> None:
        """So many nodes live now, this one included."""
        self._unknown.nodes = nodes

    def _say(self, saying: Saying) -> None:
        if isinstance(saying, AskEverybody):
            self._turn.act(Send(None, DoYouKnow(saying.task), promises=False))
        elif saying.finished:
            self._turn.act(Send(None, AlreadyFinished(saying.task)))
        else:
            for message in self._comparing.all_of(run_of(saying.task)):
                self._turn.act(Send(None, message))

    def next_deadline(self) -> float | None:
        return self._unknown.next_deadline()

    @property
    def size(self) -> int:
        return self._unknown.size

    def check(self) -> None:
        self._unknown.check()
