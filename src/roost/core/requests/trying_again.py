"""Trying again: a person wants what failed or was cancelled run once more, and what was lost made again."""

from roost.core.actions import Accepted, Reply
from roost.core.data.losses import Losses
from roost.core.events import ReopenAsked, RetryAsked
from roost.core.facts import StatesMerged
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.replica import Replica
from roost.core.queue.retrying import retried
from roost.core.requests.decisions import Decisions
from roost.core.requests.sending_back import SendingBack
from roost.core.tickets import Retry
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.happenings import ResultLost, TriedAgain
from roost.model.ids import CauseId, run_of

#: What a person is told of a run that is suspended, where that may be a surprise.
_IS_HELD = "run {0} is suspended, so nothing of it starts before 'roost resume {0}'"


class TryingAgain:
    def __init__(
        self,
        turn: Turn,
        replica: Replica,
        dataflow: Dataflow,
        decisions: Decisions,
        sending_back: SendingBack,
        losses: Losses,
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._dataflow = dataflow
        self._decisions = decisions
        self._sending_back = sending_back
        self._losses = losses

    def ask(self, event: RetryAsked) -> None:
        asked = self._decisions.asked(event.tasks)
        deltas = tuple(retried(self._replica, self._dataflow, asked).items())
        lost = self._losses.among(event.tasks)
        if lost:
            cause = event.cause if not deltas else CauseId("damage")
            self._sending_back.ask(ReopenAsked(cause, lost, ResultLost()))
            if not deltas:
                return
        # What was aborted goes on with it; empty states say on disk that it is no longer archived.
        behind = self._dataflow.aborted_behind(task for task, _ in deltas)
        revived = [StatesMerged(task, Elements()) for task in behind]
        named = tuple(task for task, _ in event.tasks)
        change = Retry(event.cause, deltas, named, self._decisions.touched(deltas))
        self._decisions.write(change, TriedAgain(), *revived)

    def apply(self, change: Retry) -> None:
        self._decisions.touch(change.touched)
        count = self._decisions.merge(change.deltas)
        runs = dict.fromkeys(run_of(task) for task, _ in change.deltas)
        held = tuple(_IS_HELD.format(run) for run in runs if self._replica.runs[run].suspended)
        self._turn.act(Reply(change.cause, Accepted(held, count)))
