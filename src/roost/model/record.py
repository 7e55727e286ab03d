"""Records that merge: what is replicated about a task and a run.

Specs are written once. Everything else is a lattice: element states (states.py), last-writer-wins switches, whose
writes are ordered by hybrid stamps, the latest of such stamps, and sets that grow. So ``merge`` is commutative,
associative and idempotent, and replicas that saw the same facts in any order, twice or late, are equal.
"""

import msgspec

from roost.model.clock import NEVER, Stamp
from roost.model.elements import NO_STATES, Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import RunId
from roost.model.task import RunSpec, TaskSpec
from roost.model.tombstones import Touches, latest


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
    #: Who has set it to work again last, and when (tombstones.py); and the runs whose tasks build on its tasks.
    touched: Touches = ()
    needed_by: tuple[RunId, ...] = ()
    #: Who had forgotten it and has it again, and since when: what that node had kept of its data is gone.
    returned: Touches = ()

    def merge(self, other: "RunRecord") -> "RunRecord":
        if self.spec != other.spec:
            raise InvariantViolated(f"two different runs share the id {self.spec.id}")
        return RunRecord(
            self.spec,
            self.suspended.merge(other.suspended),
            self.sealed.merge(other.sealed),
            max(self.task_count, other.task_count),
            max(self.finished, other.finished),
            self.touched if self.touched == other.touched else latest((*self.touched, *other.touched)),
            self.needed_by if self.needed_by == other.needed_by else tuple(sorted({*self.needed_by, *other.needed_by})),
            self.returned if self.returned == other.returned else latest((*self.returned, *other.returned)),
        )
