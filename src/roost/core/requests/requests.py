"""Requests of people: submit, seal, cancel, retry, send back, answer, suspend, resume, forget.

Rules
- A request is checked whole before anything is written, written before anything is changed, and answered after that.
- What the disk refuses was never applied: nothing was changed, and the person may try later.
"""

from typing import NamedTuple, TypeAlias, assert_never

from roost.core.actions import Refused, Reply
from roost.core.events import (
    Answered,
    CancelAsked,
    ForgetAsked,
    ReopenAsked,
    RetryAsked,
    Sealed,
    Submitted,
    SuspendAsked,
)
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.requests.cancelling import Cancelling
from roost.core.requests.sending_back import SendingBack
from roost.core.requests.submitting import Submitting
from roost.core.requests.switching import Switching
from roost.core.requests.trying_again import TryingAgain
from roost.core.tickets import Cancellation, Change, Forgetting, Reopening, Retry, Submission
from roost.core.tickets import Switching as SwitchingChange
from roost.core.tombstones import Tombstones
from roost.core.turn import Turn
from roost.model.errors import InvalidInput
from roost.model.ids import CauseId, RunId, TaskId, run_of

Request: TypeAlias = Submitted | Sealed | CancelAsked | RetryAsked | ReopenAsked | Answered | SuspendAsked | ForgetAsked
#: What was asked, on its way to the disk.
Asked: TypeAlias = Submission | Cancellation | Retry | Reopening | SwitchingChange | Forgetting


class Requests:
    def __init__(
        self,
        turn: Turn,
        forgotten: ForgottenRuns,
        submitting: Submitting,
        cancelling: Cancelling,
        trying_again: TryingAgain,
        sending_back: SendingBack,
        switching: Switching,
        tombstones: Tombstones,
    ) -> None:
        self._turn = turn
        self._forgotten = forgotten
        self._submitting = submitting
        self._cancelling = cancelling
        self._trying_again = trying_again
        self._sending_back = sending_back
        self._switching = switching
        self._tombstones = tombstones

    def ask(self, event: Request) -> None:
        """Check a request and write it down, or refuse it with one sentence."""
        try:
            self._refuse_what_goes(event)
            self._ask(event)
        except InvalidInput as refusal:
            self._turn.act(Reply(event.cause, Refused(str(refusal))))

    def _ask(self, event: Request) -> None:
        match event:
            case ForgetAsked():
                self._tombstones.ask(event)
            case Submitted():
                self._submitting.ask(event)
            case Sealed():
                self._switching.ask(event.cause, event.run, "sealed")
            case SuspendAsked():
                self._switching.ask(event.cause, event.run, "suspended" if event.on else "resumed")
            case CancelAsked():
                self._cancelling.ask(event)
            case RetryAsked():
                self._trying_again.ask(event)
            case ReopenAsked():
                self._sending_back.ask(event)
            case Answered():
                self._sending_back.answer(event)
            case _:
                assert_never(event)

    def apply(self, change: Asked) -> None:
        """What was asked is on disk: make it so, and answer."""
        match change:
            case Submission():
                self._submitting.apply(change)
            case Cancellation():
                self._cancelling.apply(change)
            case Retry():
                self._trying_again.apply(change)
            case Reopening():
                self._sending_back.apply(change)
            case SwitchingChange():
                self._switching.apply(change)
            case Forgetting():
                self._tombstones.apply(change)
            case _:
                assert_never(change)

    def refuse(self, change: Change, reason: str) -> None:
        """What was asked could not be written: nothing was changed, and the person may try later."""
        message = f"this node cannot write its journal ({reason}), so nothing was changed; try again when there is room"
        cause = self._take_back(change)
        if cause is not None:
            self._turn.act(Reply(cause, Refused(message, temporary=True)))

    def _take_back(self, change: Change) -> CauseId | None:
        """Forget what was being written; return the request that is to be answered."""
        match change:
            case Submission(event=event):
                self._submitting.refuse(change)
                return event.cause
            case Forgetting(cause=cause):
                self._tombstones.refuse(change)
                return cause
            case Cancellation(cause=cause):
                self._cancelling.refuse(change)
                return cause
            case SwitchingChange(cause=cause):
                self._switching.refuse(change)
                return cause
            case Retry(cause=cause) | Reopening(cause=cause):
                return cause
            case _:
                # All else is written again (tickets.py).
                return None

    def _refuse_what_goes(self, event: Request) -> None:
        """Raise InvalidInput if a request is about a run that was forgotten, or is about to be."""
        if self._forgotten.is_empty or isinstance(event, ForgetAsked):
            return
        named = named_by(event)
        gone = next((run for run in (*named.runs, *named.whole) if self._forgotten.has_forgotten(run)), None)
        if gone is not None:
            raise InvalidInput(f"run {gone} was forgotten")


class Named(NamedTuple):
    """What has to be in memory for a request: runs, others with all their tasks, and tasks with all that they need."""

    runs: list[RunId]
    whole: list[RunId]
    tasks: list[TaskId]


def named_by(request: Request) -> Named:
    match request:
        case Submitted(tasks=tasks, run=run):
            new = {task.id for task in tasks}
            sources = [edge.source for task in tasks for edge in task.edges if edge.source not in new]
            # Other runs are there whole, because what they build on must not be forgotten without them.
            others = dict.fromkeys(other for source in sources if (other := run_of(source)) != run.id)
            return Named([run.id], list(others), sources)
        case CancelAsked() | RetryAsked() | ReopenAsked() | Answered():
            # A run is there whole: what depends on the tasks that were asked for must follow them.
            named = [request.task] if isinstance(request, Answered) else [task for task, _ in request.tasks]
            runs = list(dict.fromkeys(map(run_of, named)))
            return Named(runs, runs, [])
        case ForgetAsked(runs=forgotten):
            return Named(list(forgotten), [], [])
        case Sealed(run=name) | SuspendAsked(run=name):
            return Named([name], [], [])
        case _:
            assert_never(request)
