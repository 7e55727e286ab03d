"""Records that merge: what is replicated about a task and a run.

Specs are written once. Everything else is a lattice: element states (states.py), last-writer-wins switches, whose
writes are ordered by hybrid stamps, and the latest of such stamps. So ``merge`` is commutative, associative and
idempotent, and replicas that saw the same facts in any order, twice or late, are equal.
"""

import msgspec

from roost.model.clock import NEVER, Stamp
from roost.model.elements import NO_STATES, Elements
from roost.model.errors import InvariantViolated
from roost.model.task import RunSpec, TaskSpec


class Switch(msgspec.Struct, frozen=True, gc=False, order=True, array_like=True):
    """A yes or no that people change; the later word stays. On wins a tie, which no node makes."""

    changed: Stamp
    on: bool

    def merge(self, other: "Switch") -> "Switch":
        return max(self, other)


#: A switch that nobody has touched.
UNTOUCHED = Switch(NEVER, on=False)


class TaskRecord(msgspec.Struct, frozen=True, gc=False):
    """A task's spec with what is known of its elements."""

    spec: TaskSpec
    elements: Elements = NO_STATES

    def merge(self, other: "TaskRecord") -> "TaskRecord":
        if self.spec != other.spec:
            raise InvariantViolated(f"two different specs share the id {self.spec.id}")
        return TaskRecord(self.spec, self.elements.merge(other.elements))


class RunRecord(msgspec.Struct, frozen=True, gc=False):
    """A run's spec with its switches, and when it ended."""

    spec: RunSpec
    #: On while the run may not start elements.
    suspended: Switch = UNTOUCHED
    #: On when no more tasks will be added: at once, except for sessions.
    sealed: Switch = UNTOUCHED
    #: How many tasks it has at least. A replica that knows fewer cannot tell whether the run has ended.
    task_count: int = 0
    #: When the last of it ended, by the latest word. It says that only of a run whose elements have all ended: after a
    #: retry it is out of date, and a later one follows.
    finished: Stamp = NEVER

    def merge(self, other: "RunRecord") -> "RunRecord":
        if self.spec != other.spec:
            raise InvariantViolated(f"two different runs share the id {self.spec.id}")
        return RunRecord(
            self.spec,
            self.suspended.merge(other.suspended),
            self.sealed.merge(other.sealed),
            max(self.task_count, other.task_count),
            max(self.finished, other.finished),
        )
