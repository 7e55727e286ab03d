"""Disk pressure: this machine cannot keep what some work leaves, because its disk is full, as its executors say.

Rules
- What could not be kept was given back, and is no failure of its own: no attempt is used up. Another node may take it.
- When a task finds no room for the first time, nothing new starts here for a moment: the disk may be full for all.
- Then other work goes on, for which there may be room. The task is held, with all its elements, which may be alike.
- Nobody tells when there is room again, so what is held is tried anew, one task after the other, so that however many
  there are, others are not kept from working: those first that have come back once. The pause before the next one
  doubles when one comes back again. One that finds room lets two more be tried at once.
- Of a task that is tried anew, elements that have not come back go first; when all have, each has its turn. While some
  of them find room, one more that does not is no reason for the others to wait longer.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeAlias

from roost.core.tickets import RETRY_AFTER_S, RETRY_AFTER_S_MAX
from roost.model.clock import soonest
from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.resources import format_duration

#: How long nothing starts after a task found no room for the first time. Longer: a full disk is spared. Shorter: other
#: work waits less for one that needs too much.
REST_S = 1.0
#: How many are tried anew when one has found room. More: a disk that was freed is made use of sooner. With one, tasks
#: that are held would follow each other and never run side by side.
TRIED_AFTER_ONE = 2

#: Whether anything of a task could start, if it were not held.
HasWork: TypeAlias = Callable[[TaskId], bool]


class _Found:
    """Of one task, what has found no room."""

    __slots__ = ("goes_on", "tried", "turned_away", "why")

    def __init__(self) -> None:
        #: Elements that have come back and are not done, and those of them that had their turn.
        self.turned_away = EMPTY
        self.tried = EMPTY
        #: Whether other elements were done since.
        self.goes_on = False
        self.why = ""


class DiskPressure:
    def __init__(self) -> None:
        #: Why nothing starts, in words; None if nothing is in the way.
        self.why: str | None = None
        self._rests_until = float("-inf")
        self._found: dict[TaskId, _Found] = {}
        #: The tasks that are held, in the order in which they are tried anew; those that have come back once are first.
        self._once: dict[TaskId, None] = {}
        self._often: dict[TaskId, None] = {}
        self._pause_s = RETRY_AFTER_S
        self._next_try_at: float | None = None

    def met(self, task: TaskId, ranges: RangeSet, why: str, now: float) -> None:
        """Work came back because of it."""
        found = self._found.get(task)
        if found is None:
            found = self._found[task] = _Found()
            self.why, self._rests_until = why, now + REST_S
            self._hold(task, now)
        elif not self._is_held(task):
            # Of what was tried all at once, the first counts, and the rest was begun before it was known.
            self._hold(task, now, again=not found.goes_on or not found.turned_away.isdisjoint(ranges))
        found.goes_on = False
        found.tried = found.tried | ranges if found.tried.isdisjoint(ranges) else ranges
        found.turned_away |= ranges
        found.why = why

    def _hold(self, task: TaskId, now: float, *, again: bool = False) -> None:
        if again:
            self._often[task] = None
            self._pause_s = min(2 * self._pause_s, RETRY_AFTER_S_MAX)
            if not self._once:
                self._next_try_at = now + self._pause_s
        else:
            self._once[task] = None
            self._next_try_at = soonest(self._next_try_at, now + RETRY_AFTER_S)

    def found_room(self, task: TaskId, ranges: RangeSet, now: float, has_work: HasWork) -> list[TaskId]:
        """These elements are done; return the tasks that may be tried anew, if they had come back before."""
        found = self._found.get(task)
        if found is None:
            return []
        if found.turned_away.isdisjoint(ranges):
            found.goes_on = True
            return []
        found.turned_away -= ranges
        found.tried -= ranges
        if not found.turned_away:
            self.forget(task)
        self._pause_s = RETRY_AFTER_S
        return self._release(TRIED_AFTER_ONE, now, has_work)

    def tick(self, now: float, has_work: HasWork) -> list[TaskId]:
        """Let work be tried again, if it is time; return the tasks that were held until now."""
        if self._rests_until <= now:
            self.why = None
        due = self._next_try_at is not None and self._next_try_at <= now
        return self._release(1, now, has_work) if due else []

    def _release(self, count: int, now: float, has_work: HasWork) -> list[TaskId]:
        released: list[TaskId] = []
        while len(released) < count and (task := next(self._held(), None)) is not None:
            self._let_go(task)
            if has_work(task):
                released.append(task)
        if self._next_try_at is not None:
            self._next_try_at = now + (RETRY_AFTER_S if self._once else self._pause_s)
        return released

    def allowed(self, task: TaskId, ready: RangeSet) -> RangeSet:
        """Return those of the ready elements of a task that may start here."""
        found = self._found.get(task)
        if found is None:
            return ready
        return EMPTY if self._is_held(task) else ready - found.tried or ready

    def why_held(self, task: TaskId, now: float) -> str | None:
        """Say why a task does not start here, and when it is tried anew; None if it may start."""
        if self._next_try_at is None or not self._is_held(task):
            return None
        found, before = self._found[task], list(self._held()).index(task)
        again = f"within {format_duration(max(self._next_try_at - now, 0.0))}"
        if before:
            others = f"{before:,} other {'task' if before == 1 else 'tasks'}"
            again = f"after {others} that found none either, the first of which is tried {again}"
        return f"it found no room on the disk of this node ({found.why}), and is tried again {again}"

    def forget(self, task: TaskId) -> None:
        """All of it has found room, or the task has left memory."""
        if self._found.pop(task, None) is not None:
            self._let_go(task)
            if not self._found:
                self._pause_s = RETRY_AFTER_S

    def next_deadline(self) -> float | None:
        return soonest(None if self.why is None else self._rests_until, self._next_try_at)

    def _held(self) -> Iterator[TaskId]:
        return chain(self._once, self._often)

    def _is_held(self, task: TaskId) -> bool:
        return task in self._once or task in self._often

    def _let_go(self, task: TaskId) -> None:
        self._once.pop(task, None)
        self._often.pop(task, None)
        if not self._once and not self._often:
            self._next_try_at = None
