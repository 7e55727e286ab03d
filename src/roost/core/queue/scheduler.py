"""The scheduler: which ready elements go to which lane, now.

Rules
- Tasks wait in the order of the queue (fair_queue.py), and the first that fits starts. One that does not fit now lets
  others by, but only for PATIENCE_S; then nobody behind it starts before it does.
- Where several users have work that waits, each lane is given to whoever has had the least by then.
- A task that this node could not run even when idle is not in the queue, and is in nobody's way.
- A lane gets its next lease before the last is done, if that is short, so that it never waits for a message.
- What was won among others is leased whole and at once, shared out among the lanes that wanted it: what is won and not
  leased is kept from others by a bid alone, which is forgotten soon. If no lane will be free soon it is not leased.
- When a lane could be opened and nothing is ready, the fullest lane gives back half of what it has not begun.
- A suspended run's lanes are frozen; they go on, before anything new starts, once they may and there is room.
- A closed scheduler starts nothing; what runs goes on to its end. Nor does one whose lanes take more than is offered.
- Interactive work goes behind no low work that has not begun, which makes way for it (preemption.py).
- A lane whose element waits for other work gets nothing more; its processors are free for others (lending.py).

It decides; leasing itself is asked of ``grant``, which changes what is ready.
"""

import math
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import TypeAlias

from roost.core.queue.expectations import Expectations
from roost.core.queue.fair_queue import FairQueue
from roost.core.queue.lanes import Lane, Lanes
from roost.core.queue.leases import Lease
from roost.core.queue.replica import TaskEntry
from roost.model.ids import RunId, TaskId
from roost.model.limits import LEASE_ELEMENTS_MAX
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.task import Function, Priority, Script, TaskSpec
from roost.policy.batch import CHAIN_MAX, LEASE_TARGET_S, lease_size, updated_mean
from roost.policy.match import reasons_never

#: How long others may overtake a task that does not fit now. Longer: fuller lanes. Shorter: large tasks start sooner.
PATIENCE_S = 30.0
#: How old a lease must be before an idle lane takes from it: younger ones are nearly through.
STEAL_AFTER_S = 0.2
#: How long a lane may have work and still get what was won. Longer: less is won in vain. Shorter: less waits here that
#: another node could do.
LATE_S = 0.5
#: Interactive tasks for which room is made at a time.
HURRIED_MAX = 16
#: A lane that still has more gets no further ones: several at a time are looked for, written and started together.
REFILL_AT = CHAIN_MAX // 2
#: Functions whose length is remembered; the oldest is forgotten first.
LENGTHS_MAX = 10_000

#: The ready elements of a task that this node has been granted and may lease to its lanes.
Claimed: TypeAlias = Callable[[TaskId], RangeSet]
Grant: TypeAlias = Callable[[TaskEntry, RangeSet, Lane], Lease]


class Scheduler:
    def __init__(self, capacity: Capacity, expectations: Expectations, queue: FairQueue) -> None:
        self._expectations = expectations
        self._queue = queue
        self.lanes = Lanes(capacity)
        #: Whether nothing may start any more (draining.py).
        self.closed = False
        #: Tasks with ready elements that ask for more than this node offers.
        self._too_large: dict[TaskId, TaskEntry] = {}
        #: When a task was first passed over because it did not fit.
        self._passed_over: dict[TaskId, float] = {}
        #: Since when a task that this node could have begun with is left to others.
        self._left: dict[TaskId, float] = {}
        #: How long an element takes, of how many that is known, and the largest lease so far, by what it does.
        self._mean_s: dict[str, float] = {}
        self._seen: dict[str, int] = {}
        self._largest: dict[str, int] = {}

    def set_ready(self, entry: TaskEntry, *, ready: bool) -> None:
        """Queue a task that has ready elements, or take it out of the queue."""
        task = entry.spec.id
        if ready == (task in self._queue):
            if not ready:
                self._too_large.pop(task, None)
            return
        if not ready:
            self._queue.remove(task)
            self._passed_over.pop(task, None)
            self._left.pop(task, None)
        elif reasons_never(entry.spec, self.lanes.capacity):
            self._too_large[task] = entry
            self._queue.place(entry.spec)
        else:
            self._queue.add(entry)

    def set_capacity(self, capacity: Capacity) -> None:
        """Offer more or less from now on; what runs is not looked at (yielding.py).

        Of what waits only what this node could not run before, or cannot now, changes its place: a queue is long, and
        a node often learns something new of its machine.
        """
        self.lanes.set_capacity(capacity)
        self._passed_over.clear()
        could, could_not = list(self._queue), list(self._too_large.values())
        changed = [entry for entry in could if reasons_never(entry.spec, capacity)]
        changed += [entry for entry in could_not if not reasons_never(entry.spec, capacity)]
        for entry in changed:
            self.set_ready(entry, ready=False)
            self.set_ready(entry, ready=True)

    def forget(self, task: TaskId) -> None:
        """A task leaves memory."""
        entry = self._queue.get(task)
        if entry is not None:
            self.set_ready(entry, ready=False)
        self._too_large.pop(task, None)
        self._unlearn(task)
        self._expectations.forget(task)
        self._queue.forget(task)

    def _unlearn(self, key: str) -> None:
        for known in (self._mean_s, self._seen, self._largest):
            known.pop(key, None)

    def learn(self, spec: TaskSpec, elements: int, busy_s: float) -> None:
        """Elements took this long; size the next leases accordingly."""
        key = _work_key(spec)
        seen = self._seen.get(key, 0)
        self._mean_s[key] = updated_mean(self._mean_s.get(key), seen, busy_s / elements, elements)
        self._seen[key] = seen + elements
        if len(self._mean_s) > LENGTHS_MAX:
            oldest = next(iter(self._mean_s))
            self._unlearn(oldest)

    def assign(self, now: float, claimed: Claimed, grant: Grant, won: Iterable[TaskId] | None = None) -> None:
        """Open lanes and lengthen short ones while there are elements that this node may take.

        ``won``: only of these tasks, in this order; what may be taken is this node's share already, and none of it is
        left for later.
        """
        if self.closed:
            return
        if won is not None:
            queue = [entry for task in won if (entry := self._queue.get(task)) is not None]
            self._open_lanes(now, queue, claimed, grant, won=True)
            self._hand_out(queue, claimed, grant)
            return
        if self._queue.users > 1:
            self._open_lanes_in_turn(now, claimed, grant)
        else:
            self._open_lanes(now, self._queue.first(), claimed, grant)
        self._lengthen(claimed, grant)

    def _open_lanes(
        self, now: float, queue: Iterable[TaskEntry], claimed: Claimed, grant: Grant, *, won: bool = False
    ) -> None:
        # With no room at all there is nothing to look at, and a long queue costs nothing.
        for entry in queue if self.has_processors() else ():
            task = entry.spec.id
            while task in self._queue and self.lanes.fits(entry.spec.needs) and (ranges := claimed(task)):
                share = len(ranges) / self.free_lanes(entry.spec) if won else None
                self._lease_to(self.lanes.open_for(entry.spec), entry, ranges, grant, share)
            if self._is_to_wait_for(entry, now) or not self.has_processors():
                # Nobody may overtake it any more, or nobody can overtake anybody now.
                break

    def _open_lanes_in_turn(self, now: float, claimed: Claimed, grant: Grant) -> None:
        """Do the same for several users, and look anew after each lease whose turn it is."""
        passed: set[TaskId] = set()
        while self.has_processors():
            entry = next((entry for entry in self._queue.first() if entry.spec.id not in passed), None)
            if entry is None or self._is_to_wait_for(entry, now):
                break
            if self.lanes.fits(entry.spec.needs) and (ranges := claimed(entry.spec.id)):
                self._lease_to(self.lanes.open_for(entry.spec), entry, ranges, grant)
            else:
                passed.add(entry.spec.id)

    def _is_to_wait_for(self, entry: TaskEntry, now: float) -> bool:
        """Whether a task does not fit now, and has been passed over for so long that nobody behind it may start."""
        task = entry.spec.id
        if task not in self._queue or self.lanes.fits(entry.spec.needs):
            return False
        return now - self._passed_over.setdefault(task, now) > PATIENCE_S

    def has_processors(self) -> bool:
        return self.lanes.free.cpus > 1e-9

    def leave(self, task: TaskId, now: float) -> None:
        """This node leaves a task to others; since when it does is remembered until nothing of it is ready."""
        if task in self._queue:
            self._left.setdefault(task, now)

    def left_since(self, task: TaskId) -> float | None:
        return self._left.get(task)

    def in_order(self, tasks: Iterable[TaskId]) -> list[TaskId]:
        """Return those of these tasks that wait here, in the order of the queue."""
        waiting = [entry for task in tasks if (entry := self._queue.get(task)) is not None]
        return [entry.spec.id for entry in self._queue.in_order(waiting)]

    def overlooked(self, now: float, claimed: Claimed) -> TaskId | None:
        """Return the first task of which ``assign`` would start something now, if there is one."""
        for entry in self._queue.first() if not self.closed else ():
            task = entry.spec.id
            if not self.lanes.fits(entry.spec.needs):
                if now - self._passed_over.get(task, now) > PATIENCE_S:
                    break
            elif claimed(task):
                return task
        return None

    def steal(self, now: float) -> Lease | None:
        """Return the lease that should give back half of what it has not begun, if a lane could be opened for it."""
        old_enough = [lease for lease in self._stealable() if lease.granted_at + STEAL_AFTER_S <= now]
        return max(old_enough, key=lambda lease: (len(lease.outstanding), lease.name)) if old_enough else None

    def next_steal_at(self) -> float | None:
        stealable = self._stealable()
        return min(lease.granted_at for lease in stealable) + STEAL_AFTER_S if stealable else None

    def resumable(self, may_run: Callable[[RunId], bool]) -> Lane | None:
        """Return a frozen lane that may go on and fits, if there is one."""
        for lane in self.lanes.open_lanes.values() if not self.closed else ():
            if lane.paused and self.lanes.fits(lane.needed) and may_run(lane.front.spec.run):
                return lane
        return None

    def _stealable(self) -> list[Lease]:
        if self._queue or self.closed or not self.lanes.open_lanes:
            return []
        return [
            lease
            for lane in self.lanes.open_lanes.values()
            if not lane.paused and not lane.lent and self.lanes.fits(lane.needs)
            for lease in lane.leases.values()
            if not lease.behind and not lease.stopping and lane.unbegun(lease) > 0
        ]

    def _lease_to(
        self, lane: Lane, entry: TaskEntry, ready: RangeSet, grant: Grant, share: float | None = None
    ) -> Lease:
        """Lease some of the ready elements to a lane: its ``share``, or as many as should not be left to others."""
        ready = entry.in_edition(ready, entry.edition_of(ready.first))
        key = _work_key(entry.spec)
        largest = self._largest.get(key, 0)
        if share is None:
            lanes = self.lanes.could_hold(lane.needs)
            size = lease_size(self.length_s(entry.spec), len(ready), lanes, largest)
        else:
            size = min(math.ceil(share), LEASE_ELEMENTS_MAX)
        lease = grant(entry, ready.take(size), lane)
        self._largest[key] = max(largest, lease.size)
        lane.leases[lease.name] = lease
        return lease

    def _lengthen(self, claimed: Claimed, grant: Grant) -> None:
        entry = self._first(claimed) if self.lanes.open_lanes else None
        for lane in self.lanes.open_lanes.values():
            if len(lane.leases) > REFILL_AT:
                continue
            ahead_s = self.ahead_s(lane) if entry is not None else 0.0
            while entry is not None and self.is_short(lane, entry.spec, ahead_s):
                lease = self._lease_to(lane, entry, claimed(entry.spec.id), grant)
                ahead_s += self._mean_s[_work_key(lease.spec)] * lease.size
                entry = self._first(claimed)

    def _hand_out(self, queue: list[TaskEntry], claimed: Claimed, grant: Grant) -> None:
        """Lease what was won to the lanes that will be free first, unless that turns out to be late."""
        for entry in queue if self.lanes.open_lanes else []:
            task = entry.spec.id
            if task not in self._queue or not claimed(task):
                continue
            lanes = [lane for lane in self.lanes.open_lanes.values() if self._is_short(lane, entry.spec, LATE_S)]
            first_s = min(map(self.ahead_s, lanes), default=0.0)
            hungry = [lane for lane in lanes if self.ahead_s(lane) <= first_s + LEASE_TARGET_S / 2]
            for behind, lane in enumerate(hungry):
                ranges = claimed(task)
                if ranges:
                    self._lease_to(lane, entry, ranges, grant, len(ranges) / (len(hungry) - behind))

    def _first(self, claimed: Claimed) -> TaskEntry | None:
        """Return the first task of which something can be taken."""
        return next((entry for entry in self._queue.first() if claimed(entry.spec.id)), None)

    def _could_take(self, lane: Lane, spec: TaskSpec) -> bool:
        room = not lane.paused and not lane.lent and not self.lanes.over
        if spec.priority is Priority.INTERACTIVE and room:
            # It would wait for all that is before it in the lane (preemption.py).
            room = not any(
                lease.spec.priority is Priority.LOW and lane.unbegun(lease) for lease in lane.leases.values()
            )
        return room and len(lane.leases) < CHAIN_MAX and lane.takes(spec)

    def _is_short(self, lane: Lane, spec: TaskSpec, soon_s: float) -> bool:
        """Whether a lane could take a lease of this task now and should, because it will soon have nothing to do."""
        known = _work_key(spec) in self._mean_s
        return known and self._could_take(lane, spec) and self.ahead_s(lane) <= soon_s and not self._is_kept(lane, spec)

    def _is_kept(self, lane: Lane, spec: TaskSpec) -> bool:
        """Whether a lane is to end because that makes room for the first in the queue, which is another user's.

        Short work that always has more would fill its lanes for ever before others get one.
        """
        first = next(iter(self._queue.first()), None) if self._queue.users > 1 else None
        if first is None or (lane.takes(first.spec) and _work_key(first.spec) in self._mean_s):
            return False
        others_turn = not self._queue.is_turn_of(spec) and not self.lanes.fits(first.spec.needs)
        return others_turn and self.lanes.free.plus(lane.taken).covers(first.spec.needs)

    # For those who look for work elsewhere, or ahead.

    def open_lane(self, spec: TaskSpec) -> Lane | None:
        """Open a lane for what is not in the queue; None if there is no room, or this node may not run it."""
        if self.closed or not self.lanes.fits(spec.needs) or reasons_never(spec, self.lanes.capacity):
            return None
        return self.lanes.open_for(spec)

    def lanes_to_chain(self) -> list[Lane]:
        """Return the lanes of functions that could take more than is ready; none while anything is."""
        if self._queue or self.closed:
            return []
        lanes = self.lanes.open_lanes.values()
        return [lane for lane in lanes if lane.kind is Function and len(lane.leases) <= REFILL_AT and not lane.lent]

    def is_short(self, lane: Lane, spec: TaskSpec, ahead_s: float) -> bool:
        """Whether a lane that holds so much work could take a lease of this task now, and should."""
        known = _work_key(spec) in self._mean_s
        return known and ahead_s <= LEASE_TARGET_S / 2 and self._could_take(lane, spec)

    def waiting(self) -> Collection[TaskEntry]:
        """Return the first tasks with ready elements, in their order; closed, none of them."""
        return () if self.closed else self._queue.first()

    def hurried(self) -> list[TaskEntry]:
        """Return the interactive tasks at the head of the queue that do not fit now."""
        waiting = []
        for entry in islice(self._queue.first(), HURRIED_MAX):
            if entry.spec.priority is not Priority.INTERACTIVE:
                break
            if not self.lanes.fits(entry.spec.needs):
                waiting.append(entry)
        return waiting

    def has_room_in(self, soon_s: float) -> bool:
        """Whether some lane has nothing to do in ``soon_s``."""
        return any(self.ahead_s(lane) <= soon_s for lane in self.lanes.open_lanes.values() if not lane.lent)

    def free_lanes(self, spec: TaskSpec) -> int:
        """Return how many lanes could be opened for a task now."""
        return max(0, self.lanes.free.times(spec.needs))

    def all_lanes(self, spec: TaskSpec) -> int:
        """Return how many lanes the whole node has room for, of such as a task needs; at least one."""
        return self.lanes.could_hold(spec.needs)

    def hungry_lanes(self, spec: TaskSpec, soon_s: float = LEASE_TARGET_S / 2) -> int:
        """Return how many lanes could take elements of a task now, or should in ``soon_s``."""
        short = sum(self._is_short(lane, spec, soon_s) for lane in self.lanes.open_lanes.values())
        return self.free_lanes(spec) + short

    def mean_s(self, spec: TaskSpec) -> float | None:
        """Return how long an element of a task takes, as far as was seen here."""
        return self._mean_s.get(_work_key(spec))

    def length_s(self, spec: TaskSpec) -> float | None:
        """Return the same, and before anything was seen what is expected."""
        learnt = self.mean_s(spec)
        if learnt is not None or spec.stated_s is None:
            return learnt
        expected = self._expectations.of(spec)
        return None if expected is None else expected.length_s

    @property
    def speed(self) -> float:
        """How fast this node is, compared with what lengths are stated for."""
        return self._expectations.speed

    def experience(self, spec: TaskSpec) -> int:
        """Return how many elements that do the same this node has done, or leased at a time; 0 before the first."""
        key = _work_key(spec)
        return max(self._largest.get(key, 0), self._seen.get(key, 0))

    def ahead_s(self, lane: Lane) -> float:
        """Estimate the work that a lane still holds; without end if an element's length is not known."""
        total = 0.0
        for lease in lane.leases.values():
            total += self._mean_s.get(_work_key(lease.spec), float("inf")) * len(lease.outstanding)
        return total

    # For those who look at the queue through it.

    @property
    def users(self) -> int:
        """How many users' tasks wait."""
        return self._queue.users

    def is_before_all(self, spec: TaskSpec) -> bool:
        """Whether a task, which need not be in the queue, goes before all that are."""
        return self._queue.is_before_all(spec)

    def is_turn_of(self, spec: TaskSpec) -> bool:
        """Whether a task, which need not be in the queue, goes before all that wait of other users."""
        return self._queue.is_turn_of(spec)


def _work_key(spec: TaskSpec) -> str:
    """Return the name under which lengths are learnt: the code's if there is some, else the task's.

    What may be taken over from earlier runs takes no time then, and says nothing of other tasks with the same code.
    """
    work = spec.work
    return work.code if isinstance(work, Function | Script) and not spec.reuse.looks else spec.id
