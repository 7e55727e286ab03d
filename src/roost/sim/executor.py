"""The simulated executor: it keeps the promises of executors/port.py, with elements that fail and crash at random.

Each lane runs its leases one after the other. Results are a function of the element alone, so that checkers know them;
those of fickle elements begin so, and each attempt gives another. What elements say that is not true is in liars.py.
A test may have results made of what arrives instead. The command ``sleep 120`` takes 120 s, as it does anywhere; all
others take a random time. Elements that say that they are short are told of together, as by executors/worker/outbox.py.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias
from zlib import crc32

import msgspec

from roost.core.actions import Start, StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Event, WaitEnded
from roost.core.node import Node
from roost.executors.worker.outbox import GATHER_S
from roost.model.ids import LeaseId, NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import pack
from roost.model.task import Command, Failure, TaskSpec
from roost.sim.liars import Liar, Lie, result_of, wrong_result
from roost.sim.nesting import Nesting
from roost.sim.poison import SOON_S, Kill, is_poison

#: Tell the world to feed an event after so many seconds, unless the node crashes before.
Later = Callable[[float, Event | Lie | Kill], None]
#: Makes the results of a lease when it starts: those of its elements, each with its length if a pool maps it.
Compute: TypeAlias = Callable[[Start], Mapping[int, tuple[bytes, int]]]


class Mishaps(msgspec.Struct, frozen=True):
    """How often things go wrong, as probabilities for each element."""

    fail: float = 0.0
    crash: float = 0.0
    #: It hangs until its time limit ends it, and fails.
    hang: float = 0.0
    #: It takes far longer than the others of its task.
    slow: float = 0.0
    #: It says things that are not true.
    lie: float = 0.0
    #: It hands in more work, and waits for it before it does its own.
    nest: float = 0.0
    #: Whether every attempt at an element has a result of its own.
    fickle: bool = False
    #: Its result is wrong, on this machine in its own way.
    wrong: float = 0.0
    #: It kills its node (poison.py).
    poison: float = 0.0
    #: Seconds that an element takes on average.
    mean_s: float = 0.05


#: The time limit that ends an element that hangs, and how much longer than usual a slow one takes.
TIME_LIMIT_S = 20.0
SLOWNESS = 20.0
#: So many short elements are told of together at most.
TOGETHER_MAX = 100
#: The lists that pools map are shorter than this.
LENGTHS = 6
_SOMEWHERE = NodeId("sim")


class _Running:
    """A lease in a lane: ``rest`` has not begun; ``current`` runs, and ``behind`` it what is told of together with it.

    ``made`` are results that were computed for it.
    """

    __slots__ = ("behind", "current", "made", "rest", "start")

    def __init__(self, start: Start, made: Mapping[int, tuple[bytes, int]]) -> None:
        self.start = start
        self.made = made
        self.rest = start.ranges
        self.current: int | None = None
        self.behind = EMPTY

    @property
    def at_work(self) -> RangeSet:
        """What is told of next, all together."""
        return EMPTY if self.current is None else RangeSet.span(self.current, self.current + 1) | self.behind


class SimExecutor:
    def __init__(
        self,
        rng: Random,
        mishaps: Mishaps,
        later: Later,
        compute: Compute | None = None,
        node: NodeId = _SOMEWHERE,
    ) -> None:
        self._node = node
        self._rng = rng
        self._compute = compute
        self._mishaps = mishaps
        self._later = later
        self._lanes: dict[int, list[_Running]] = {}
        self._paused: dict[LeaseId, Event | Kill | None] = {}
        #: How often an element has begun.
        self.begun = 0
        #: Leases that gave a result.
        self._done: set[LeaseId] = set()
        # With luck of its own, so that worlds in which nobody lies are what they were.
        self._liar = Liar(Random(rng.random()) if mishaps.lie or mishaps.fickle else rng, mishaps.lie, later)
        self.nesting = Nesting(Random(rng.random()) if mishaps.nest else rng, mishaps.nest)
        self.may_hang = True

    def start(self, start: Start) -> None:
        lane = self._lanes.setdefault(start.lane, [])
        lane.append(_Running(start, {} if self._compute is None else self._compute(start)))
        if len(lane) == 1:
            self._begin(lane[0])

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        running = self._find(lease)
        if running is None:
            return
        gone = running.rest & ranges
        running.rest -= gone
        if mode is StopMode.KILL and running.current is not None:
            at_work = running.at_work
            if at_work & ranges:
                gone |= at_work & ranges
                running.rest |= at_work - ranges
                running.current, running.behind = None, EMPTY
                self._paused.pop(lease, None)
        if gone:
            self._later(0.001, ElementsReturned(lease, gone))
            self._liar.stopped(running.start, gone)
        if running.current is None:
            self._begin(running)

    def pause(self, lease: LeaseId) -> None:
        if self._find(lease) is not None:
            self._paused.setdefault(lease, None)

    def resume(self, lease: LeaseId) -> None:
        missed = self._paused.pop(lease, None)
        if missed is not None:
            self._later(0.001, missed)

    def intercept(self, event: Event) -> bool:
        """Whether an event that the world is about to feed still holds: not if its element was killed or is frozen."""
        if not isinstance(event, ElementsDone | ElementFailed):
            return True
        running = self._find(event.lease)
        if running is None or running.at_work != _told_of(event):
            return False
        if event.lease in self._paused:
            self._paused[event.lease] = event
            return False
        if isinstance(event, ElementsDone):
            self._done.add(event.lease)
        running.current, running.behind = None, EMPTY
        self._begin(running)
        return True

    def still_runs(self, kill: Kill) -> bool:
        """Whether what would kill its node was neither stopped nor is frozen; then it does so when it goes on."""
        running = self._find(kill.lease)
        if running is None or running.current != kill.index:
            return False
        if kill.lease in self._paused:
            self._paused[kill.lease] = kill
            return False
        return True

    def _find(self, lease: LeaseId) -> _Running | None:
        return next((one for lane in self._lanes.values() for one in lane if one.start.lease == lease), None)

    def _begin(self, running: _Running) -> None:
        """Begin the next element of a lease whose turn it is, or go on to the lane's next lease."""
        lane = self._lanes[running.start.lane]
        if lane[0] is not running or running.current is not None:
            if not running.rest and running.current is None:
                lane.remove(running)
            return
        if running.start.behind and running.start.behind not in self._done and running.rest:
            # What it was to take has not been made.
            self._later(0.001, ElementsReturned(running.start.lease, running.rest))
            running.rest = RangeSet()
        if not running.rest:
            lane.pop(0)
            if lane:
                self._begin(lane[0])
            return
        index = running.rest.first
        running.rest -= RangeSet.span(index, index + 1)
        running.current = index
        self.begun += 1
        nested = self.nesting.begins(running.start, index, self._node)
        if nested is None:
            self._decide(running, index)
        else:
            for event in nested:
                self._later(0.001, event)
        self._liar.began(running.start, index)

    def look(self, node: Node) -> None:
        """Let those elements go on whose inner work has ended."""
        for lease, index in self.nesting.ended(node):
            running = self._find(lease)
            if running is not None and running.current == index:
                self._later(0.0, WaitEnded(lease, index))
                self._decide(running, index)

    def _decide(self, running: _Running, index: int) -> None:
        lease, rng, mishaps = running.start.lease, self._rng, self._mishaps
        if mishaps.poison and is_poison(running.start.spec.id, index, mishaps.poison):
            self._later(rng.uniform(0.0, SOON_S), Kill(lease, index))
            return
        stated_s = length_s(running.start.spec)
        duration = rng.expovariate(1 / mishaps.mean_s) if stated_s is None else stated_s
        luck = rng.random()
        # Where the part of luck ends that means each of the mishaps.
        fail, crash = mishaps.fail, mishaps.fail + mishaps.crash
        hang, slow = crash + mishaps.hang, crash + mishaps.hang + mishaps.slow
        if luck < fail:
            self._later(duration, ElementFailed(lease, index, Failure(reason="exit code 1")))
        elif luck < crash:
            # The worker dies under it: the element fails, what was queued behind it is given back. Of some the disk is
            # full by then, as the element says; chance has no part in that, so that worlds stay as they are drawn.
            self._later(duration, ElementFailed(lease, index, Failure(reason="killed by signal 11 (SIGSEGV)")))
            if running.rest:
                self._later(duration, ElementsReturned(lease, running.rest, "the disk is full" if index % 2 else ""))
                running.rest = RangeSet()
        elif luck < hang and self.may_hang:
            self._later(TIME_LIMIT_S, ElementFailed(lease, index, Failure(reason="time limit reached")))
        else:
            duration *= SLOWNESS if hang <= luck < slow else 1.0
            if stated_s is not None and duration < GATHER_S:
                running.behind = running.rest.take(_together(duration) - 1)
                running.rest -= running.behind
                self.begun += len(running.behind)
            duration *= 1 + len(running.behind)
            self._later(duration, self._ends_well(running, index, duration))

    def _ends_well(self, running: _Running, index: int, duration: float) -> ElementsDone:
        spec, mishaps = running.start.spec, self._mishaps
        right = result_of(spec.id, index)
        key = wrong_result(right, self._node) if mishaps.wrong and self._rng.random() < mishaps.wrong else right
        made = self._liar.fickle_result(spec.id, index) if mishaps.fickle else key
        value, length = running.made.get(index) or (made, length_of(spec.id, index))
        lengths = ((index, length),) if spec.is_mapped else ()
        if running.behind:
            return self._all_end_well(running, index, duration)
        # Where attempts differ, executors say what matters about a result. Elsewhere all of it may be compared as well.
        says = spec.agreement is not None and (mishaps.fickle or crc32(spec.id.encode()) % 2)
        compared = (pack(index, [key]),) if says else ()
        return ElementsDone(running.start.lease, (pack(index, [value]),), duration, lengths, compared=compared)

    def _all_end_well(self, running: _Running, index: int, duration: float) -> ElementsDone:
        spec, ended = running.start.spec, RangeSet.span(index, index + 1) | running.behind
        segments = tuple(
            pack(first, [result_of(spec.id, at) for at in range(first, stop)]) for first, stop in ended.spans()
        )
        return ElementsDone(running.start.lease, segments, duration)


def _together(duration: float) -> int:
    """Return how many elements of one length end while the first of them waits to be told of."""
    return TOGETHER_MAX if duration * TOGETHER_MAX <= GATHER_S else int(GATHER_S / duration)


def length_s(spec: TaskSpec) -> float | None:
    """Return how long each element of a task takes, if what it runs says so; else None."""
    match spec.work:
        case Command(argv=("sleep", seconds)):
            return float(seconds)
        case _:
            return None


def length_of(task: TaskId, index: int) -> int:
    """Return how long the list is that an element of a mapper makes: often short, and sometimes empty."""
    return crc32(result_of(task, index)) % LENGTHS


def _told_of(event: ElementsDone | ElementFailed) -> RangeSet:
    if isinstance(event, ElementFailed):
        return RangeSet.span(event.index, event.index + 1)
    return RangeSet.of_spans((segment.start, segment.stop) for segment in event.segments)
