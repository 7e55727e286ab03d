"""Workers that share a queue on an eventually consistent store, event by event (HTC 2.4 and 2.5).

Rules
- An idle worker looks at the head of the queue now and then. What it sees there it tries to claim, the first one first.
  Who has lost a claim tries what came next; who has lost all of them, or has seen nothing, looks again after a while.
- Claims, by which kind of queue it is:
  - ``table``, HTC's: it inscribes itself in task_workers with the time of its clock as score, waits a window, and reads
    who is there. The best score that it sees has the task; it then takes the task out of the queue and runs it.
  - ``none``: it takes what it has seen out of the queue, and runs it.
  - ``conditional``, as Roost claims on a store: it writes its name under the condition that nobody's is there.
- Whoever has won runs the task. If two have, both do: a collision.
- Idle workers that look at an empty queue change nothing, so that is not simulated one by one. When a task comes, each
  of them looks at some moment of the next poll period. How busy their looking keeps the store is reckoned from how many
  are idle.
- Clocks of workers differ from each other by errors that last. Nobody dies.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from random import Random
from typing import Literal, TypeAlias

import msgspec

from roost.lab.store_queue.measures import Execution
from roost.lab.store_queue.store import Arrivals, Store, StoreTimes, sees
from roost.lab.store_queue.workload import Arrival

Claim: TypeAlias = Literal["table", "none", "conditional"]
#: When idle workers look: each period at another moment, or each of them always at its own.
Looks: TypeAlias = Literal["at any moment", "by the clock"]
_Step: TypeAlias = Callable[[], None]
#: So many tasks at the head of the queue are read at a time.
LOOK = 10


class QueueTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How workers use the store. HTC states none of it; htc-2.5 says from which of its words these follow."""

    #: How long an idle worker waits until it looks again.
    poll_s: float = 0.075
    looks: Looks = "at any moment"
    #: How long a worker waits between inscribing itself and reading who else is there.
    window_s: float = 0.0
    #: The standard deviation of what clocks of workers are wrong by.
    clock_s: float = 0.0005


class _Task:
    __slots__ = ("at", "bids", "claimed", "claiming_until_s", "inserted", "length_s", "removed")

    def __init__(self, at: int, length_s: float, inserted: Arrivals) -> None:
        self.at = at
        self.length_s = length_s
        self.inserted = inserted
        #: When each replica knows that it is no more in the queue; the earliest time if several have removed it.
        self.removed: Arrivals | None = None
        #: Who is in task_workers: score, worker, and when each replica has it.
        self.bids: list[tuple[float, int, Arrivals]] = []
        self.claimed = False
        #: Until when conditional writes to its row go on.
        self.claiming_until_s = 0.0


class World:
    """One run, from the first task until the last execution has ended."""

    def __init__(
        self, nodes: int, work: Sequence[Arrival], claim: Claim, times: QueueTimes, store: StoreTimes, seed: str
    ) -> None:
        self._rng = Random(seed)
        self._store = Store(store, self._rng)
        self._times = times
        self._tries = {"table": self._inscribes, "none": self._takes, "conditional": self._writes_if}[claim]
        self._nodes = nodes
        self._clocks = [self._rng.gauss(0.0, times.clock_s) for _ in range(nodes)]
        self._moments = [self._rng.random() * times.poll_s for _ in range(nodes)]
        self._asleep = list(range(nodes))
        self._running = 0
        self._runs_change(0)
        #: What may be in the queue of any replica, in order.
        self._open: deque[_Task] = deque()
        self._now = 0.0
        self._events: list[tuple[float, int, _Step]] = []
        self._number = 0
        self._executions: list[Execution] = []
        for at, arrival in enumerate(work):
            self._at(arrival.at_s, partial(self._comes, at, arrival.length_s))

    def run(self) -> list[Execution]:
        """Live through it; return all executions in the order in which they began."""
        while self._events:
            self._now, _, step = heappop(self._events)
            step()
        return self._executions

    def _at(self, when: float, step: _Step) -> None:
        self._number += 1
        heappush(self._events, (when, self._number, step))

    # The queue.

    def _comes(self, at: int, length_s: float) -> None:
        inserted, _ = self._store.write(self._now)
        self._open.append(_Task(at, length_s, inserted))
        for worker in self._asleep:
            self._looks(worker, self._now + self._wakes_in_s(worker))
        self._asleep.clear()

    def _wakes_in_s(self, worker: int) -> float:
        """Return when an idle worker looks that has seen nothing for a while."""
        poll_s = self._times.poll_s
        if self._times.looks == "by the clock":
            return (self._moments[worker] - self._now) % poll_s
        return self._rng.random() * poll_s

    def _looks(self, worker: int, asks_s: float) -> None:
        self._at(asks_s + self._store.half_trip_s(), partial(self._reads_queue, worker, asks_s))

    def _reads_queue(self, worker: int, began_s: float) -> None:
        while self._open and self._is_gone(self._open[0]):
            self._open.popleft()
        replicas = self._store.replicas()
        seen: deque[_Task] = deque()
        for task in self._open:
            is_removed = task.removed is not None and sees(task.removed, replicas, self._now)
            if not is_removed and sees(task.inserted, replicas, self._now):
                seen.append(task)
                if len(seen) == LOOK:
                    break
        if seen:
            answered_s = self._now + self._store.half_trip_s()
            self._at(answered_s, partial(self._tries, worker, began_s, seen.popleft(), seen))
        else:
            self._has_nothing(worker)

    def _is_gone(self, task: _Task) -> bool:
        return task.removed is not None and max(task.removed) <= self._now

    def _has_nothing(self, worker: int) -> None:
        if any(not self._is_gone(task) for task in self._open):
            by_the_clock = self._times.looks == "by the clock"
            self._looks(worker, self._now + (self._wakes_in_s(worker) if by_the_clock else self._times.poll_s))
        else:
            self._asleep.append(worker)

    def _remove(self, task: _Task) -> float:
        """Take a task out of the queue; return when that is confirmed."""
        arrivals, confirmed_s = self._store.write(self._now)
        before = task.removed
        task.removed = arrivals if before is None else tuple(map(min, before, arrivals))
        return confirmed_s

    # Claims.

    def _takes(self, worker: int, began_s: float, task: _Task, _others: deque[_Task]) -> None:
        self._at(self._remove(task), partial(self._runs, worker, began_s, task))

    def _inscribes(self, worker: int, began_s: float, task: _Task, others: deque[_Task]) -> None:
        score = self._now + self._clocks[worker]
        arrivals, confirmed_s = self._store.write(self._now)
        task.bids.append((score, worker, arrivals))
        reads_s = confirmed_s + self._times.window_s + self._store.half_trip_s()
        self._at(reads_s, partial(self._reads_bids, worker, began_s, task, others, score))

    def _reads_bids(self, worker: int, began_s: float, task: _Task, others: deque[_Task], score: float) -> None:
        replicas = self._store.replicas()
        best = min((bid[:2] for bid in task.bids if sees(bid[2], replicas, self._now)), default=(score, worker))
        step = self._takes if best >= (score, worker) else self._loses
        self._at(self._now + self._store.half_trip_s(), partial(step, worker, began_s, task, others))

    def _loses(self, worker: int, began_s: float, _task: _Task, others: deque[_Task]) -> None:
        if others:
            self._tries(worker, began_s, others.popleft(), others)
        else:
            self._has_nothing(worker)

    def _writes_if(self, worker: int, began_s: float, task: _Task, others: deque[_Task]) -> None:
        begins_s = max(self._now, task.claiming_until_s)
        task.claiming_until_s = begins_s + self._store.conditional_s()
        step = self._loses if task.claimed else self._takes
        task.claimed = True
        self._at(task.claiming_until_s, partial(step, worker, began_s, task, others))

    # Work.

    def _runs(self, worker: int, began_s: float, task: _Task) -> None:
        self._runs_change(1)
        ends_s = self._now + task.length_s
        self._executions.append(Execution(worker, task.at, self._now, ends_s, self._now - began_s))
        self._at(ends_s, partial(self._has_run, worker))

    def _has_run(self, worker: int) -> None:
        self._runs_change(-1)
        self._looks(worker, self._now)

    def _runs_change(self, by: int) -> None:
        """More or fewer workers run something; the others look, which keeps the store busy."""
        self._running += by
        self._store.stretch = self._store.times.stretch((self._nodes - self._running) / self._times.poll_s)
