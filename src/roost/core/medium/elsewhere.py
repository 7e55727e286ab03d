"""Elsewhere: what other nodes run, as a policy sees it (policy/choose.py), which may want some of it repeated.

It is known from records who holds what, and from heartbeats what of that they have begun and who attempts it, too. Only
neighbours are heard: of others it is not known how long something runs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from roost.core.data.fetcher import Fetcher
from roost.core.peers import Peers
from roost.core.queue.attempts import Attempts
from roost.core.queue.findings import Findings
from roost.core.queue.replica import Replica
from roost.core.queue.scheduler import Scheduler
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Agreement, TaskSpec
from roost.model.vitals import NodeState

#: Elements of one array and holder that are looked at for findings, at a time.
LOOKED_AT = 256


class Elsewhere:
    """Found out while it is looked at, in the order in which tasks were first leased."""

    def __init__(
        self,
        name: NodeId,
        peers: Peers,
        replica: Replica,
        attempts: Attempts,
        findings: Findings,
        scheduler: Scheduler,
        fetcher: Fetcher,
    ) -> None:
        self._name = name
        self._peers = peers
        self._findings = findings
        self._replica = replica
        self._attempts = attempts
        self._scheduler = scheduler
        self._fetcher = fetcher

    @property
    def attempting(self) -> int:
        """How many elements this node attempts itself, beside their holders."""
        return self._attempts.count

    def __iter__(self) -> "Iterator[_Underway]":
        further = self._further()
        for task in self._replica.leased:
            if self._fetcher.is_hopeless(task):
                continue
            entry = self._replica.tasks[task]
            for holder, held in self._attempts.held_elsewhere(entry):
                for running_s, part in self._by_time(task, holder, held):
                    yield from self._by_attempts(entry.spec, part, holder, running_s, further)

    def begun(self) -> "Iterator[_Underway]":
        """Yield what of that has begun, as its holders say: found by what they say, and not by looking at all."""
        at_hand: dict[TaskId, list[tuple[int, int]]] = {}
        for beat in self._peers.at_work():
            for lease in beat.leases:
                if lease.running_s is not None and lease.ranges:
                    at_hand.setdefault(lease.task, []).append((lease.ranges.first, lease.ranges.first + 1))
        further = self._further() if at_hand else {}
        for task in [task for task in self._replica.leased if task in at_hand] if at_hand else ():
            if self._fetcher.is_hopeless(task):
                continue
            entry = self._replica.tasks[task]
            for holder, held in self._attempts.held_elsewhere(entry, RangeSet.of_spans(at_hand[task])):
                for running_s, part in self._by_time(task, holder, held):
                    if running_s is not None:
                        yield from self._by_attempts(entry.spec, part, holder, running_s, further)

    def lacking(self) -> "Iterator[_Underway]":
        """Yield what lacks findings of further nodes (core/agreement), by how many it takes beside those at work."""
        further = self._further() if self._replica.compared else {}
        for task in self._replica.compared:
            entry = self._replica.tasks[task]
            if self._fetcher.is_hopeless(task) or entry.spec.agreement is None:
                continue
            for holder, held in self._attempts.held_elsewhere(entry):
                parts = self._by_wanted(entry.spec.agreement, task, holder, held, further.get(task, []))
                for wanted, ranges in parts:
                    yield self._underway(entry.spec, ranges, holder, None, 1, wanted)

    def _by_attempts(
        self,
        spec: TaskSpec,
        ranges: RangeSet,
        holder: NodeId,
        running_s: float | None,
        further: Mapping[TaskId, Sequence[RangeSet]],
    ) -> "Iterator[_Underway]":
        for attempts, same in _by_attempts(ranges, further.get(spec.id, ())):
            yield self._underway(spec, same, holder, running_s, attempts)

    def _underway(
        self,
        spec: TaskSpec,
        ranges: RangeSet,
        holder: NodeId,
        running_s: float | None,
        attempts: int,
        wanted: int = 0,
    ) -> "_Underway":
        state = self._peers.state_of(holder)
        return _Underway(spec, ranges, holder, state, running_s, attempts, self._scheduler, wanted)

    def _by_wanted(
        self, agreement: Agreement, task: TaskId, holder: NodeId, held: RangeSet, further: Sequence[RangeSet]
    ) -> list[tuple[int, RangeSet]]:
        """Return elements by how many more nodes have to find a result, as many as are worth looking at."""
        living, parts, looked_at = (self._name, *self._peers.others), dict[int, list[int]](), 0
        for index in held:
            found = self._findings.of(task, index)
            at_work = (holder not in found) + sum(index in attempt for attempt in further)
            wanted = self._findings.lacking(task, index, agreement, living) - at_work
            if wanted > 0:
                parts.setdefault(wanted, []).append(index)
                looked_at += 1
            if looked_at == LOOKED_AT:
                break
        return [(wanted, RangeSet.of(indices)) for wanted, indices in sorted(parts.items())]

    def _further(self) -> dict[TaskId, list[RangeSet]]:
        """Return what other nodes say that they attempt beside its holder."""
        found: dict[TaskId, list[RangeSet]] = {}
        for beat in self._peers.at_work():
            for attempt in beat.attempts:
                found.setdefault(attempt.task, []).append(attempt.ranges)
        return found

    def _by_time(self, task: TaskId, holder: NodeId, held: RangeSet) -> Iterator[tuple[float | None, RangeSet]]:
        """Yield what a node holds by how long it has run there, as it said last; None: not begun, or not known."""
        heartbeat = self._peers.heartbeat_of(holder)
        for lease in () if heartbeat is None else heartbeat.leases:
            if lease.task == task and lease.running_s is not None and (at_hand := lease.ranges.take(1) & held):
                held -= at_hand
                yield lease.running_s, at_hand
        if held:
            yield None, held


def _by_attempts(ranges: RangeSet, further: Iterable[RangeSet]) -> list[tuple[int, RangeSet]]:
    """Return elements by how many attempts each has, that of its holder among them."""
    parts = {1: ranges}
    for attempt in further:
        for count, part in sorted(parts.items(), reverse=True):
            if more := part & attempt:
                parts[count] = part - more
                parts[count + 1] = parts[count + 1] | more if count + 1 in parts else more
    return [(count, part) for count, part in sorted(parts.items()) if part]


class _Underway:
    __slots__ = ("_scheduler", "_spec", "attempts", "holder", "holder_state", "ranges", "running_s", "wanted")

    def __init__(
        self,
        spec: TaskSpec,
        ranges: RangeSet,
        holder: NodeId,
        holder_state: NodeState,
        running_s: float | None,
        attempts: int,
        scheduler: Scheduler,
        wanted: int,
    ) -> None:
        self.wanted = wanted
        self.ranges = ranges
        self.holder = holder
        self.holder_state = holder_state
        self.running_s = running_s
        self.attempts = attempts
        self._spec = spec
        self._scheduler = scheduler

    @property
    def task(self) -> TaskId:
        return self._spec.id

    @property
    def policy(self) -> str:
        return self._spec.policy

    @property
    def may_repeat(self) -> bool:
        return self._spec.may_repeat

    @property
    def is_pure(self) -> bool:
        return self._spec.is_pure

    @property
    def is_first(self) -> bool:
        return self._scheduler.is_before_all(self._spec)

    @property
    def length_s(self) -> float | None:
        return self._scheduler.length_s(self._spec)

    @property
    def free_lanes(self) -> int:
        return self._scheduler.free_lanes(self._spec)

    @property
    def lanes(self) -> int:
        return self._scheduler.all_lanes(self._spec)
