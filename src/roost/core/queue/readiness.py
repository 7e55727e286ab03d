"""Readiness: which elements may start, and what holds them back although their inputs are there.

Rules
- Nothing starts of a suspended run, of one that is about to be forgotten, nor of work that nobody runs (values, steps
  that people do). Nor does what is being cancelled because nobody has leased it, while that is on its way to the disk.
- Here nothing starts, either, that the disk has no room for (disk_pressure.py), nor what a further attempt of this node
  is at (attempts.py): it goes on, though whoever had leased the element has given it back or died.
- Suspects, elements that have failed when one more node goes down with them, start one by one, after all others of
  their task, and on each node only while it has no other one in hand. So it is clear which of them the next death is.
"""

from roost.core.queue.dataflow import Dataflow
from roost.core.queue.disk_pressure import DiskPressure
from roost.core.queue.findings import Findings
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.leases import Leases
from roost.core.queue.replica import Replica
from roost.core.tickets import Tickets
from roost.model.downed import is_suspect
from roost.model.elements import Elements
from roost.model.ids import CauseId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import downed_in
from roost.model.task import UNRUN, TaskSpec


class Readiness:
    def __init__(
        self,
        replica: Replica,
        dataflow: Dataflow,
        tickets: Tickets,
        disk_pressure: DiskPressure,
        forgotten: ForgottenRuns,
        leases: Leases,
        findings: Findings,
    ) -> None:
        self._replica = replica
        self._dataflow = dataflow
        self._tickets = tickets
        self._disk_pressure = disk_pressure
        self._forgotten = forgotten
        self._leases = leases
        self._findings = findings
        #: What is being cancelled because nobody has leased it, by the request.
        self._withdrawn: dict[CauseId, dict[TaskId, RangeSet]] = {}

    @property
    def trouble(self) -> str | None:
        """Why nothing new may start here, in words, or None: what it leaves could not be kept."""
        if self._tickets.trouble:
            return f"this node cannot write its journal ({self._tickets.trouble})"
        return self._disk_pressure.why and f"the disk of this node is full ({self._disk_pressure.why})"

    def goes_on(self, spec: TaskSpec) -> bool:
        """Whether a task is one that nodes run, and whose run is neither suspended nor about to be forgotten."""
        held = isinstance(spec.work, UNRUN) or self._replica.runs[spec.run].suspended
        return not held and not self._forgotten.is_going(spec.run)

    def ready(self, task: TaskId) -> RangeSet:
        """Return the elements of a task that may start now, on some node."""
        if not self.goes_on(self._replica.tasks[task].spec):
            return EMPTY
        ready = self._dataflow.ready(task)
        return ready - self.withdrawn(task) if self._withdrawn else ready

    def has_ready(self, task: TaskId) -> bool:
        return task in self._replica.tasks and bool(self.ready(task))

    def ready_here(self, task: TaskId) -> RangeSet:
        """Return those of them that this node may start, as far as its disk, its attempts and its findings go."""
        ready = self.has_room_for(task, self.ready(task))
        if self._findings.size:
            ready -= self._findings.own(task)
        if task in self._replica.marked:
            ready = self._one_suspect(task, ready)
        return ready - self._leases.attempted(task) if self._leases.attempts else ready

    def _one_suspect(self, task: TaskId, ready: RangeSet) -> RangeSet:
        """Return what is ready without suspects, or if there is nothing else, one of them."""
        suspects = suspects_in(self._replica.tasks[task].elements) & ready
        if not suspects or suspects != ready:
            return ready - suspects
        return EMPTY if self.tries_suspect() else suspects.take(1)

    def tries_suspect(self) -> bool:
        """Whether a suspect is in the hands of this node."""
        tasks, marked = self._replica.tasks, self._replica.marked
        held = [lease for lease in self._leases.active.values() if lease.spec.id in marked]
        return any(suspects_in(tasks[lease.spec.id].elements) & lease.outstanding for lease in held)

    def has_room_for(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return those of these elements that may be tried, as far as this disk goes."""
        return self._disk_pressure.allowed(task, ranges)

    def why_not_again(self, task: TaskId) -> str | None:
        """Say why nothing of a task may start here if this node is at work on all that is ready of it, or was."""
        ready, attempted, found = self.ready(task), self._leases.attempted(task), self._findings.own(task)
        if not ready or not ready.issubset(attempted | found):
            return None
        if ready.issubset(found):
            return "this node has run it, and others have to find the same"
        return "this node attempts it already, beside the node that had leased it"

    def withdraw(self, cause: CauseId, tasks: dict[TaskId, RangeSet]) -> None:
        """A cancellation that spares what is leased is being written: this must not be leased any more."""
        self._withdrawn[cause] = tasks

    def end_withdrawal(self, cause: CauseId) -> list[TaskId]:
        """It is written, or is off; return what it was about."""
        return list(self._withdrawn.pop(cause, ()))

    def withdrawn(self, task: TaskId) -> RangeSet:
        """Return what must not be leased any more of a task."""
        found = EMPTY
        for tasks in self._withdrawn.values():
            found |= tasks.get(task, EMPTY)
        return found


def suspects_in(elements: Elements) -> RangeSet:
    """Return the elements that have failed when one more node goes down with them."""
    found = EMPTY
    for state, ranges in elements.items():
        if is_suspect(downed_in(state)):
            found |= ranges
    return found
