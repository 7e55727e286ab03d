"""One task on a machine whose disk is full (core/queue/disk_pressure.py)."""

from collections.abc import Callable, Hashable

from roost.core.queue.disk_pressure import REST_S, DiskPressure
from roost.core.tickets import RETRY_AFTER_S_MAX
from roost.model.ids import TaskId, task_id
from roost.model.ranges import EMPTY, RangeSet
from tests.core.harness import RUN, ranges
from tests.machines.machine import Machine, State, methods_of

TASK = task_id(RUN, "a")
FIRST, SECOND, BOTH = ranges("0"), ranges("1"), ranges("0-1")
FREE, HELD, AGAIN, TRIED = "free", "held", "held again", "tried anew"
_WHY = "no space left on device"


class Machinery:
    def __init__(self) -> None:
        self.pressure = DiskPressure()
        self.now = 100.0
        self.done = EMPTY

    def met(self, elements: RangeSet) -> None:
        self.done -= elements
        self.pressure.met(TASK, elements, _WHY, self.now)

    def found_room(self, elements: RangeSet) -> str | None:
        self.done |= elements
        return self._tried(self.pressure.found_room(TASK, elements, self.now, self.has_work))

    def wait(self, seconds: float) -> str | None:
        self.now += seconds
        return self._tried(self.pressure.tick(self.now, self.has_work))

    def has_work(self, _: TaskId) -> bool:
        return self.done != BOTH

    @staticmethod
    def _tried(tasks: list[TaskId]) -> str | None:
        return "tried" if tasks else None


def state(machinery: Machinery) -> State:
    pressure = machinery.pressure
    if TASK in pressure._once:
        return State(HELD, HELD)
    if TASK in pressure._often:
        return State(AGAIN, AGAIN)
    label = TRIED if TASK in pressure._found else FREE
    return State(label, label)


def rest(machinery: Machinery) -> Hashable:
    pressure, found = machinery.pressure, machinery.pressure._found.get(TASK)
    known = None if found is None else (str(found.turned_away), str(found.tried), found.goes_on)
    next_try_in = None if pressure._next_try_at is None else max(pressure._next_try_at - machinery.now, 0.0)
    return pressure.why, known, str(machinery.done), pressure._pause_s, next_try_in


def check(machinery: Machinery) -> None:
    pressure, held = machinery.pressure, state(machinery).label in (HELD, AGAIN)
    # Held means that nothing of it starts, that somebody can say why, and that it will be tried.
    assert (pressure.allowed(TASK, BOTH) == EMPTY) == held
    assert (pressure.why_held(TASK, machinery.now) is not None) == held
    assert not held or pressure.next_deadline() is not None
    # What is free leaves nothing behind but the moment of rest.
    if state(machinery).label == FREE:
        assert pressure.allowed(TASK, BOTH) == BOTH
        assert pressure.why is not None or pressure.next_deadline() is None


def _acts(act: Callable[[Machinery], object]) -> Callable[[Machinery], str | None]:
    def acted(machinery: Machinery) -> None:
        act(machinery)

    return acted


MACHINE: Machine[Machinery] = Machine(
    name="disk-pressure",
    make=Machinery,
    state=state,
    events={
        "met": {
            "an element finds no room": _acts(lambda machinery: machinery.met(FIRST)),
            "another finds no room": _acts(lambda machinery: machinery.met(SECOND)),
        },
        "found_room": {
            "an element is done": lambda machinery: machinery.found_room(FIRST),
            "another is done": lambda machinery: machinery.found_room(SECOND),
        },
        "tick": {
            "a moment passes": lambda machinery: machinery.wait(REST_S / 2),
            "the longest pause passes": lambda machinery: machinery.wait(RETRY_AFTER_S_MAX),
        },
        "forget": {"it leaves memory": _acts(lambda machinery: machinery.pressure.forget(TASK))},
    },
    event_kinds=methods_of(DiskPressure, without=("allowed", "next_deadline", "why_held")),
    state_kinds=(FREE, HELD, AGAIN, TRIED),
    check=check,
    rest=rest,
    order=(FREE, HELD, TRIED, AGAIN),
)
