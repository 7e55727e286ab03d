"""Sending back: finished work is to be done again, or a person answers a manual step, perhaps once more."""

from roost.core.actions import Accepted, Reply
from roost.core.data.inventory import Inventory
from roost.core.events import Answered, ReopenAsked
from roost.core.facts import ResultsStored
from roost.core.medium.port import Medium
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.invalidation import behind, next_edition, reopened
from roost.core.queue.replica import Replica
from roost.core.queue.stopping import Stopping
from roost.core.queue.tokens import Tokens
from roost.core.requests.decisions import Decisions, revived
from roost.core.tickets import Reopening
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.errors import InvalidInput, NotFound
from roost.model.happenings import AmendedBy, AnsweredBy
from roost.model.ids import TaskId, name_of
from roost.model.paths import shown_in
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import NO_LENGTH, Done
from roost.model.task import Manual, Value
from roost.wire.messages import Facts


class SendingBack:
    def __init__(
        self,
        turn: Turn,
        replica: Replica,
        dataflow: Dataflow,
        tokens: Tokens,
        stopping: Stopping,
        inventory: Inventory,
        medium: Medium,
        decisions: Decisions,
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._dataflow = dataflow
        self._tokens = tokens
        self._stopping = stopping
        self._inventory = inventory
        self._medium = medium
        self._decisions = decisions

    def ask(self, event: ReopenAsked) -> None:
        asked: dict[TaskId, RangeSet] = {}
        for task, ranges in event.tasks:
            entry = self._replica.tasks.get(task)
            if entry is None:
                raise NotFound(f"there is no task '{task}'")
            if isinstance(entry.spec.work, Value):
                raise InvalidInput(f"task '{name_of(task)}' is a value, which cannot be done again; start a new run")
            if entry.done & ranges:
                asked[task] = asked.get(task, EMPTY) | (entry.done & ranges)
        if not asked:
            raise InvalidInput("nothing of what is sent back is done; 'roost retry' tries again what failed")
        affected = behind(self._replica, self._dataflow, asked.items())
        for task, ranges in asked.items():
            affected[task] = affected.get(task, EMPTY) | ranges
        deltas = reopened(self._replica, affected, next_edition(self._replica, affected))
        change = Reopening(event.cause, tuple(deltas), touched=self._decisions.touched(deltas))
        self._decisions.write(change, event.why, *revived(affected, deltas))

    def answer(self, event: Answered) -> None:
        task, one = event.task, RangeSet.span(event.index, event.index + 1)
        entry = self._replica.tasks.get(task)
        if entry is None:
            raise NotFound(f"there is no task '{task}'")
        if not isinstance(entry.spec.work, Manual):
            raise InvalidInput(f"task '{name_of(task)}' is not done by people; only manual tasks are answered")
        amends = bool(entry.done & one)
        if not amends and not one.issubset(self._dataflow.ready(task)):
            place = f"element {shown_in(entry.spec, event.index)} of '{name_of(task)}'"
            raise InvalidInput(f"{place} waits for nobody's answer now")
        affected = behind(self._replica, self._dataflow, [(task, one)]) if amends else {}
        edition = (
            next_edition(self._replica, {**affected, task: one})
            if amends
            else next_edition(self._replica, {task: one}) - 1
        )
        token = self._tokens.following([state for state, _ in entry.elements.entries_within(one)], edition)
        done = Elements({Done(token, self._turn.name, NO_LENGTH, edition): one})
        deltas = [*reopened(self._replica, affected, edition), (task, done)]
        result = (task, token, self._turn.name, event.result)
        change = Reopening(event.cause, tuple(deltas), (result,), self._decisions.touched(deltas))
        what = AmendedBy(event.who, task) if amends else AnsweredBy(event.who)
        self._decisions.write(change, what, ResultsStored(*result), *revived(affected, deltas))

    def apply(self, change: Reopening) -> None:
        """What was sent back is on disk: let go of what runs of it, and answer when an answer is safe."""
        self._decisions.touch(change.touched)
        for task, token, maker, segment in change.results:
            self._inventory.add_results(task, token, maker, segment.ranges)
        count = sum(len(delta.known() & self._replica.tasks[task].present) for task, delta in change.deltas)
        for task, delta in change.deltas:
            self._stopping.end(task, delta.known())
        self._decisions.merge(change.deltas)
        reply = Reply(change.cause, Accepted(elements=count))
        if change.results:
            self._medium.keep_answer(Facts(states=change.deltas, results=change.results), reply)
        else:
            self._turn.act(reply)
