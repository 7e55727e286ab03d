"""The core's queue behind the port of the oracle: the machines that a node uses, replica, dataflow and leases.

What it adds to the machines is time: until when each lease holds. Holders are other names for whoever works here; each
has its own leases.
"""

from collections.abc import Iterator, Sequence
from math import inf

from roost.core.queue.dataflow import Dataflow
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.replica import Phase, Replica, TaskEntry
from roost.core.queue.tokens import Tokens
from roost.model.elements import Elements
from roost.model.errors import NotFound
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.segments import Segment
from roost.model.states import Cancelled, Done, Failed, Retried, State
from roost.model.task import Failure, RunKind, RunSpec, TaskSpec
from roost.model.token import NO_TOKEN, Token
from roost.model.workflow import check_submission
from roost.policy.order import order_key
from tests.oracle.queue_port import Claim, Claimable

#: A queue lives as long as its process, so all its leases are of one boot.
_BOOT = 1


class _Hold:
    """A lease, who has it, and until when each part of it holds."""

    def __init__(self, lease: Lease, holder: NodeId, expires_at: float) -> None:
        self.lease = lease
        self.holder = holder
        self.ends = [(expires_at, lease.outstanding)]

    def renew(self, ranges: RangeSet, expires_at: float) -> None:
        kept = [(end, rest) for end, part in self.ends if (rest := part - ranges)]
        self.ends = [*kept, (expires_at, ranges)]

    def over(self, now: float) -> RangeSet:
        """Return the part of the lease whose time has come."""
        found = EMPTY
        for end, part in self.ends:
            if end <= now:
                found |= part
        return found & self.lease.outstanding


class CoreQueue:
    def __init__(self) -> None:
        self._replica = Replica()
        self._dataflow = Dataflow(self._replica)
        self._leases: dict[NodeId, Leases] = {}
        self._holds: dict[TaskId, list[_Hold]] = {}
        self._results: dict[TaskId, dict[int, bytes]] = {}
        #: No lease ends before this, so that nobody needs to look.
        self._quiet_until = inf

    def submit(self, tasks: Sequence[TaskSpec], now: float) -> None:
        self.expire(now)
        known = {name: entry.spec for name, entry in self._replica.tasks.items()}
        for spec in check_submission(tasks, known):
            run = RunSpec(spec.run, spec.run, RunKind.SESSION, "", "", spec.submitted)
            if spec.run not in self._replica.runs:
                self._replica.add_run(RunRecord(run))
            self._dataflow.add(self._replica.add_task(TaskRecord(spec)))
            self._holds[spec.id], self._results[spec.id] = [], {}

    def look(self, now: float, limit: int) -> list[Claimable]:
        self.expire(now)
        offers = []
        for name, entry in self._replica.tasks.items():
            ready = self._dataflow.ready(name)
            if ready:
                offers.append(Claimable(entry.spec, ready))
        return sorted(offers, key=lambda offer: order_key(offer.spec))[:limit]

    def claim(self, task: TaskId, ranges: RangeSet, holder: NodeId, now: float, lease_s: float) -> Claim | None:
        entry = self._entry(task, now)
        ready = self._dataflow.ready(task) & ranges
        if not ready:
            return None
        leases = self._leases.setdefault(holder, Leases(holder, _BOOT))
        lease, delta = leases.grant(entry, ready, Tokens(_BOOT).for_lease(entry, ready), 0, now)
        self._merge(entry, delta)
        self._holds[task].append(_Hold(lease, holder, now + lease_s))
        self._quiet_until = min(self._quiet_until, now + lease_s)
        return Claim(task, holder, lease.token, ready, now + lease_s)

    def renew(
        self, task: TaskId, ranges: RangeSet, holder: NodeId, token: Token, now: float, lease_s: float
    ) -> RangeSet:
        self._entry(task, now)
        renewed = EMPTY
        for hold, part in self._held(task, ranges, holder, token):
            hold.renew(part, now + lease_s)
            renewed |= part
        self._quiet_until = min(self._quiet_until, now + lease_s)
        return renewed

    def release(self, task: TaskId, ranges: RangeSet, holder: NodeId, token: Token, now: float) -> RangeSet:
        entry = self._entry(task, now)
        released = EMPTY
        for hold, part in self._held(task, ranges, holder, token):
            self._give_back(entry, hold, part)
            released |= part
        return released

    def complete(self, task: TaskId, segment: Segment, holder: NodeId, token: Token, now: float) -> RangeSet:
        entry = self._entry(task, now)
        values = segment.values()
        accepted = EMPTY
        for state, part in entry.elements.entries_within(segment.ranges):
            if not isinstance(state, Done) and NO_TOKEN < token <= state.token:
                accepted |= part
        self._settle(entry, Elements({Done(token, holder): accepted}))
        for index in accepted:
            self._results[task][index] = values[index - segment.start]
        return accepted

    def fail(self, task: TaskId, index: int, failure: Failure, holder: NodeId, token: Token, now: float) -> bool:
        entry = self._entry(task, now)
        for hold, _ in self._held(task, RangeSet.span(index, index + 1), holder, token):
            self._merge(entry, self._leases[holder].failed(hold.lease, entry, index, failure))
            return True
        return False

    def cancel(self, task: TaskId, ranges: RangeSet, now: float) -> RangeSet:
        entry = self._entry(task, now)
        wanted = (entry.pending | entry.leased) & ranges
        states: list[tuple[State, RangeSet]] = [(Cancelled(NO_TOKEN), wanted)]
        states += [(Cancelled(state.token), part) for state, part in entry.elements.entries_within(wanted)]
        self._settle(entry, Elements.join(states))
        return wanted

    def retry(self, task: TaskId, ranges: RangeSet, now: float) -> RangeSet:
        entry = self._entry(task, now)
        wanted = entry.phases[Phase.FAILED] & ranges
        self._merge(
            entry,
            Elements.join(
                (Retried(state.round + 1, state.token), part)
                for state, part in entry.elements.entries_within(wanted)
                if isinstance(state, Failed)
            ),
        )
        return wanted

    def expire(self, now: float) -> list[tuple[TaskId, RangeSet]]:
        if now < self._quiet_until:
            return []
        expired = []
        for task, holds in self._holds.items():
            over = EMPTY
            for hold in list(holds):
                part = hold.over(now)
                if part:
                    self._give_back(self._replica.tasks[task], hold, part)
                    over |= part
            if over:
                expired.append((task, over))
        ends = (end for holds in self._holds.values() for hold in holds for end, _ in hold.ends)
        self._quiet_until = min((end for end in ends if end > now), default=inf)
        return expired

    def states(self, task: TaskId, now: float) -> dict[str, RangeSet]:
        entry = self._entry(task, now)
        ranges = {
            "waiting": self._dataflow.waiting(task),
            "ready": self._dataflow.ready(task),
            "leased": entry.leased,
            "done": entry.done,
            "failed": entry.phases[Phase.FAILED],
            "cancelled": entry.phases[Phase.CANCELLED],
            "aborted": self._dataflow.aborted(task),
        }
        return {state: members for state, members in ranges.items() if members}

    def results(self, task: TaskId, ranges: RangeSet) -> dict[int, bytes]:
        entry, kept = self._find(task), self._results[task]
        return {index: kept[index] for index in entry.done & ranges}

    def check(self) -> None:
        """Recompute what is kept twice; raise InvariantViolated where it differs."""
        self._replica.check()
        self._dataflow.check()

    def _find(self, task: TaskId) -> TaskEntry:
        entry = self._replica.tasks.get(task)
        if entry is None:
            raise NotFound(f"there is no task '{task}'")
        return entry

    def _entry(self, task: TaskId, now: float) -> TaskEntry:
        entry = self._find(task)
        self.expire(now)
        return entry

    def _held(self, task: TaskId, ranges: RangeSet, holder: NodeId, token: Token) -> Iterator[tuple[_Hold, RangeSet]]:
        """Yield the holder's leases under this token, each with its part of ``ranges``."""
        for hold in list(self._holds[task]):
            if hold.holder == holder and hold.lease.token == token:
                part = hold.lease.outstanding & ranges
                if part:
                    yield hold, part

    def _merge(self, entry: TaskEntry, delta: Elements) -> None:
        moved = entry.merge(delta)
        self._replica.follow(entry)
        if moved:
            self._dataflow.source_moved(entry.spec.id)
        self._forget_finished(entry.spec.id)

    def _settle(self, entry: TaskEntry, delta: Elements) -> None:
        """Merge final states; whoever has these elements on lease has them no longer."""
        self._merge(entry, delta)
        for hold in list(self._holds[entry.spec.id]):
            part = hold.lease.outstanding & delta.known()
            if part:
                self._give_back(entry, hold, part)

    def _give_back(self, entry: TaskEntry, hold: _Hold, part: RangeSet) -> None:
        self._merge(entry, self._leases[hold.holder].returned(hold.lease, entry, part))

    def _forget_finished(self, task: TaskId) -> None:
        self._holds[task] = [hold for hold in self._holds[task] if hold.lease.outstanding]
