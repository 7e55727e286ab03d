"""The replica: this node's copy of the records, sorted by what can happen next to each element.

Rules
- Records change by merging only (model/record.py). ``merge`` says which elements moved, so that others can follow.
- Every element of a task is in exactly one phase: pending, leased, done, failed, cancelled or absent. Pending means
  that no one has it: fresh, given back, or failed with retries left. Phases follow from states, and ``check``
  recomputes them. Elements of a pool are in a phase once the length of their block is known (model/pools.py).
- The replica does not know inputs (dataflow), lanes (scheduler) or who runs what here (leases).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

import msgspec

from roost.core.restored import Archived
from roost.model.clock import NEVER, Stamp
from roost.model.elements import NO_STATES, Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import RunId, TaskId
from roost.model.pools import known_blocks
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.states import Absent, Cancelled, Done, Failed, Leased, Released, Retried, State, downed_in
from roost.model.task import TaskSpec


class Phase(StrEnum):
    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    #: Behind the end of the list that a pool maps: it does not exist.
    ABSENT = "absent"


_NO_ELEMENTS = dict.fromkeys(Phase, EMPTY)
#: The phases of a task of one element, by the phase of that element: shared by all such tasks, which are most.
_ONE_IN: Final = {phase: {**_NO_ELEMENTS, phase: ONE} for phase in Phase}
#: The phases that an element does not leave by itself.
FINAL_PHASES = (Phase.DONE, Phase.FAILED, Phase.CANCELLED, Phase.ABSENT)


def phase_of(state: State, retries: int) -> Phase:
    match state:
        case Done():
            return Phase.DONE
        case Cancelled():
            return Phase.CANCELLED
        case Absent():
            return Phase.ABSENT
        case Leased():
            return Phase.LEASED
        case Failed(failures=failures):
            return Phase.FAILED if failures > retries else Phase.PENDING
        case Released() | Retried():
            return Phase.PENDING


class TaskEntry(msgspec.Struct, gc=False):
    """A task's record, with its elements by phase. Another set of phases takes the place of the last: some share it.

    There may be millions, and none holds anything that leads back to it: the garbage collector need not look at them.
    """

    spec: TaskSpec
    phases: Mapping[Phase, RangeSet]
    elements: Elements = NO_STATES

    @classmethod
    def fresh(cls, spec: TaskSpec) -> "TaskEntry":
        """Return the entry of a task of whose elements nothing is known."""
        if spec.mapper is not None:
            return cls(spec, _NO_ELEMENTS)
        return cls(
            spec, _ONE_IN[Phase.PENDING] if spec.elements is ONE else {**_NO_ELEMENTS, Phase.PENDING: spec.elements}
        )

    @classmethod
    def of(cls, record: TaskRecord) -> "TaskEntry":
        entry = cls.fresh(record.spec)
        entry.merge(record.elements)
        return entry

    def merge(self, delta: Elements) -> list[tuple[State, RangeSet]]:
        """Join ``delta`` in; return what moved: each new state with the elements that now have it."""
        news = delta.diff(self.elements)
        self.elements = self.elements.adopt(news)
        moved = list(news.items())
        for state, ranges in moved:
            phase = phase_of(state, self.spec.retries)
            if phase is Phase.ABSENT:
                self._open_blocks(ranges)
            self._move(ranges, phase)
        return moved

    def edition_of(self, index: int) -> int:
        state = self.elements.at(index)
        return 0 if state is None else state.edition

    def in_edition(self, ranges: RangeSet, edition: int) -> RangeSet:
        """Return those of these elements that are in this edition."""
        for state, part in self.elements.items():
            if state.edition != edition:
                ranges -= part
        return ranges if not edition else ranges & self.elements.known()

    def _open_blocks(self, absent: RangeSet) -> None:
        """The lengths of these blocks are known now; of what exists, nobody has had anything yet."""
        fresh = known_blocks(absent) - known_blocks(self.phases[Phase.ABSENT])
        pending = self.phases[Phase.PENDING] | fresh - self.elements.known()
        self.phases = {**self.phases, Phase.PENDING: pending}

    def _move(self, ranges: RangeSet, to: Phase) -> None:
        if ranges is ONE and self.spec.elements is ONE and self.spec.mapper is None:
            self.phases = _ONE_IN[to]
            return
        phases = {phase: members - ranges if members else members for phase, members in self.phases.items()}
        phases[to] = self.phases[to] | ranges
        self.phases = phases

    @property
    def pending(self) -> RangeSet:
        pending = self.phases[Phase.PENDING]
        # What was sent back of a pool may turn out not to exist this time.
        return pending if self.spec.mapper is None else pending & known_blocks(self.absent)

    @property
    def leased(self) -> RangeSet:
        return self.phases[Phase.LEASED]

    @property
    def done(self) -> RangeSet:
        return self.phases[Phase.DONE]

    @property
    def absent(self) -> RangeSet:
        return self.phases[Phase.ABSENT]

    @property
    def present(self) -> RangeSet:
        """Elements that exist, as far as is known."""
        if self.spec.mapper is None:
            return self.spec.elements
        return known_blocks(self.absent) - self.absent

    @property
    def in_any_phase(self) -> RangeSet:
        """Elements of which something is known; of a pool also those that were sent back, and may not exist again."""
        found = EMPTY
        for members in self.phases.values():
            found |= members
        return found

    @property
    def unknown(self) -> RangeSet:
        """Elements of a pool of which nobody knows yet whether they exist, and that nobody has cancelled."""
        if self.spec.mapper is None:
            return EMPTY
        return self.spec.elements - known_blocks(self.absent) - self.phases[Phase.CANCELLED]

    @property
    def lost(self) -> RangeSet:
        """Elements that will have no result unless a person acts."""
        return self.phases[Phase.FAILED] | self.phases[Phase.CANCELLED]

    def check(self) -> None:
        # After every event in tests, and most tasks are in one state or in none: no set is made that is there already.
        pending = self.spec.elements if self.spec.mapper is None else known_blocks(self.elements.in_state(Absent))
        recomputed = {**_NO_ELEMENTS}
        for state, ranges in self.elements.items():
            pending -= ranges
            phase = phase_of(state, self.spec.retries)
            recomputed[phase] = recomputed[phase] | ranges if recomputed[phase] else ranges
        recomputed[Phase.PENDING] |= pending
        if recomputed != self.phases:
            raise InvariantViolated(f"{self.spec.id}: phases are {self.phases}, the states say {recomputed}")


class RunEntry:
    """A run's record, its live tasks, and what is left of those that were archived."""

    __slots__ = (
        "archivable",
        "archived",
        "archived_tasks",
        "finished_at",
        "finishing",
        "kept",
        "last_end",
        "last_finish",
        "looked_back",
        "record",
        "tasks",
        "unended",
    )

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        #: Live tasks, in the order of their submission.
        self.tasks: dict[TaskId, None] = {}
        #: Elements of archived tasks, by the state that people see.
        self.archived: dict[str, int] = {}
        self.archived_tasks = 0
        #: Live tasks that have not ended.
        self.unended: dict[TaskId, None] = {}
        #: Live tasks that have ended, and nothing that has not waits for them.
        self.archivable: dict[TaskId, None] = {}
        #: The end that is on its way to the disk.
        self.finishing: Stamp | None = None
        #: When everything had ended, as is on disk; None before, and again after a retry.
        self.finished_at: Stamp | None = None
        #: The last end that was written; what is written later has a larger stamp.
        self.last_finish = NEVER
        #: When the last of its elements that have ended did so, by the word of who ended it.
        self.last_end = record.finished
        #: Whether its archived tasks were looked up before its end was written.
        self.looked_back = False
        #: Whether it was recalled for a request, and stays in memory although it is finished.
        self.kept = False

    @property
    def task_count(self) -> int:
        """How many of its tasks are known here."""
        return len(self.tasks) + self.archived_tasks

    @property
    def is_complete(self) -> bool:
        """Whether all its tasks are known here, and no more will come."""
        return self.sealed and self.task_count >= self.record.task_count

    @property
    def suspended(self) -> bool:
        return self.record.suspended.on

    @property
    def sealed(self) -> bool:
        return self.record.sealed.on


class Replica:
    """All records that this node holds in memory."""

    def __init__(self) -> None:
        self.runs: dict[RunId, RunEntry] = {}
        self.tasks: dict[TaskId, TaskEntry] = {}
        #: Tasks of which somebody holds elements.
        self.leased: dict[TaskId, None] = {}
        #: Those of them whose results have to agree.
        self.compared: dict[TaskId, None] = {}
        #: Tasks with elements with which nodes have gone down (core/mesh/contest/takedowns.py).
        self.marked: dict[TaskId, None] = {}
        #: The policies that tasks name, and how many do.
        self.policies: dict[str, int] = {}

    def follow(self, entry: TaskEntry) -> None:
        """Elements of a task have moved."""
        if entry.leased:
            self.leased[entry.spec.id] = None
            if entry.spec.agreement is not None:
                self.compared[entry.spec.id] = None
        else:
            self._leased_no_more(entry.spec.id)

    def mark(self, entry: TaskEntry, moved: Iterable[tuple[State, RangeSet]]) -> bool:
        """Elements of a task have moved; return whether nodes have gone down with any of it, now or before."""
        task = entry.spec.id
        if task not in self.marked and all(downed_in(state) == () for state, _ in moved):
            return False
        if any(downed_in(state) != () for state, _ in entry.elements.items()):
            self.marked[task] = None
        else:
            self.marked.pop(task, None)
        return True

    def _leased_no_more(self, task: TaskId) -> None:
        self.leased.pop(task, None)
        self.compared.pop(task, None)

    def restore_run(self, run: Archived, *, kept: bool) -> None:
        """Take a run back into memory, unless it is there."""
        if run.record.spec.id not in self.runs:
            entry = self.add_run(run.record)
            entry.archived, entry.archived_tasks = dict(run.counts), run.tasks
            entry.finished_at = run.finished.at if run.finished else None
            entry.last_finish = run.finished.at if run.finished else NEVER
            entry.kept = kept

    def add_run(self, record: RunRecord) -> RunEntry:
        """Add a run, or merge what is new into the one that is known."""
        entry = self.runs.get(record.spec.id)
        if entry is None:
            entry = self.runs[record.spec.id] = RunEntry(record)
        else:
            entry.record = entry.record.merge(record)
            entry.last_end = max(entry.last_end, record.finished)
        return entry

    def owner_of(self, run: RunId) -> str:
        """Return who handed a run in; nobody if it is not in memory."""
        entry = self.runs.get(run)
        return "" if entry is None else entry.record.spec.owner

    def has_whole(self, run: RunId) -> bool:
        """Whether a run is in memory with all its tasks."""
        entry = self.runs.get(run)
        return entry is not None and not entry.archived_tasks

    def add_task(self, record: TaskRecord) -> TaskEntry:
        spec = record.spec
        entry = self.tasks.get(spec.id)
        if entry is None:
            entry = self.tasks[spec.id] = TaskEntry.fresh(spec)
            self.runs[spec.run].tasks[spec.id] = None
            if spec.policy:
                self.policies[spec.policy] = self.policies.get(spec.policy, 0) + 1
        if record.elements is not NO_STATES:
            self.mark(entry, entry.merge(record.elements))
            self.follow(entry)
        return entry

    def drop_task(self, task: TaskId) -> None:
        entry = self.tasks.pop(task)
        self._leased_no_more(task)
        self.marked.pop(task, None)
        del self.runs[entry.spec.run].tasks[task]
        if name := entry.spec.policy:
            self.policies[name] -= 1
            if not self.policies[name]:
                del self.policies[name]

    def entries(self, run: RunId) -> Iterator[TaskEntry]:
        for task in self.runs[run].tasks:
            yield self.tasks[task]

    def check(self) -> None:
        for _ in self.checks():
            pass

    def checks(self) -> Iterator[None]:
        """Check in steps, between which records may come and go."""
        for run_id in [*self.runs]:
            for task in self.runs[run_id].tasks if run_id in self.runs else ():
                if self.tasks[task].spec.run != run_id:
                    raise InvariantViolated(f"{task} is listed under run {run_id}")
            yield
        for task in [*self.tasks]:
            if task in self.tasks:
                self.tasks[task].check()
                yield
        named = Counter(entry.spec.policy for entry in self.tasks.values() if entry.spec.policy)
        if named != self.policies:
            raise InvariantViolated(f"tasks name the policies {dict(named)}, {self.policies} are noted")
        marked = [
            task for task, entry in self.tasks.items() if any(downed_in(one) != () for one, _ in entry.elements.items())
        ]
        if sorted(marked) != sorted(self.marked):
            raise InvariantViolated(f"nodes have gone down with elements of {marked}, noted are {[*self.marked]}")
        leased = sorted(task for task, entry in self.tasks.items() if entry.leased)
        if sorted(self.leased) != leased:
            raise InvariantViolated(f"elements of {leased} are leased, noted are {sorted(self.leased)}")
