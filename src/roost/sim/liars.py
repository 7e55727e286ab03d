"""Elements that lie: what runs them says things that are not true, beside what the executor says for it.

A lie reaches the node as an answer does. It may be about an element that is answered, given back or not in the lease,
about a lease that is over or never was, or about progress that cannot be. What nobody could know for a lie, an answer
for an element that is still owed, counts: it is that element's result, if it comes first. All others are marked, so
that they are known if they are ever accepted.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

import msgspec

from roost.core.actions import Start
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.model.ids import LeaseId, NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Failure

#: Leases of which something may still be said.
REMEMBERED: Final = 8
#: The longest time after which something is said.
LATE_S: Final = 5.0
#: No result of any element, for what must never be accepted.
LIE: Final = b"a lie"
FRACTIONS: Final = (0.5, 0.9, 0.2, -1.0, 7.0, float("nan"), float("inf"), float("-inf"))
DURATIONS: Final = (0.01, -1.0, float("nan"), float("inf"))
NO_LEASE: Final = LeaseId(10**9)

Said: TypeAlias = ElementsDone | ElementFailed | ElementsReturned | Progressed


class Lie(msgspec.Struct, frozen=True):
    said: Said


def result_of(task: TaskId, index: int) -> bytes:
    return f"{task}[{index}]".encode()


def wrong_result(right: bytes, node: NodeId) -> bytes:
    """Return what a machine gives whose results are wrong; no other one gives the same."""
    return right + b"#wrong on " + node.encode()


def is_result_of(value: bytes, task: TaskId, index: int) -> bool:
    """Whether this is the result of an element, as it is, as one attempt of a fickle one gave it, or as a wrong one."""
    result = result_of(task, index)
    return value == result or value.startswith(result + b"#")


class Liar:
    def __init__(self, rng: Random, chance: float, later: Callable[[float, Lie], None]) -> None:
        """Lie about an element with this ``chance``, through ``later``."""
        self._rng = rng
        self._chance = chance
        self._later = later
        self._starts: deque[Start] = deque(maxlen=REMEMBERED)

    def fickle_result(self, task: TaskId, index: int) -> bytes:
        """Return a result that no other attempt at this element gives."""
        return result_of(task, index) + b"#%08x" % self._rng.getrandbits(32)

    def began(self, start: Start, index: int) -> None:
        """An element has begun; perhaps something is said about it, or instead of it, sooner or later."""
        if not self._chance:
            return
        if not self._starts or self._starts[-1] is not start:
            self._starts.append(start)
        if self._rng.random() < self._chance:
            tell = self._rng.choice(
                [self._again, self._stranger, self._old_lease, self._given_back, self._progress, self._nothing]
            )
            tell(start, index)

    def stopped(self, start: Start, ranges: RangeSet) -> None:
        """Elements were told to stop; perhaps one of them answers all the same."""
        if ranges and self._chance and self._rng.random() < self._chance:
            self._again(start, self._rng.choice(list(ranges)))

    def _again(self, start: Start, index: int) -> None:
        """It is answered twice more: in time, or when it is no longer owed."""
        for _ in range(2):
            self._say(self._answer(start, index, self.fickle_result(start.spec.id, index)))

    def _stranger(self, start: Start, _: int) -> None:
        """An element is answered that the lease does not have, whether the task has it or not."""
        # Near each span of the lease, because the elements of an inner pool may lie a million apart.
        near = RangeSet.of_spans((max(first - 3, 0), stop + 3) for first, stop in start.ranges.spans())
        index = self._rng.choice(list(near - start.ranges))
        self._say(self._answer(start, index, LIE))
        # Half of it is true.
        if index + 1 in start.ranges:
            values = [LIE, self.fickle_result(start.spec.id, index + 1)]
            self._say(ElementsDone(start.lease, (pack(index, values),), self._rng.choice(DURATIONS)))

    def _old_lease(self, _start: Start, _index: int) -> None:
        """An element is answered under a lease that is over, or never was: its token is superseded."""
        old = self._rng.choice(self._starts)
        index = self._rng.choice(list(old.ranges))
        self._say(self._answer(old, index, self.fickle_result(old.spec.id, index)))
        self._say(ElementsDone(NO_LEASE, (pack(index, [LIE]),), 0.01))

    def _given_back(self, start: Start, _: int) -> None:
        """Everything comes back, though it runs on."""
        self._say(ElementsReturned(start.lease, start.ranges))

    def _progress(self, start: Start, index: int) -> None:
        for fraction in self._rng.sample(FRACTIONS, 4):
            self._say(Progressed(start.lease, index, fraction, "nearly there"))

    def _nothing(self, start: Start, _: int) -> None:
        self._say(ElementsDone(start.lease, (), 0.01))

    def _answer(self, start: Start, index: int, value: bytes) -> Said:
        match self._rng.randrange(4):
            case 0:
                return ElementFailed(start.lease, index, Failure(reason="exit code 1, it says"))
            case 1:
                return ElementsReturned(start.lease, RangeSet.span(index, index + 1))
            case _:
                segment = pack(index, [value])
                segments = (segment, segment) if self._rng.random() < 0.2 else (segment,)
                return ElementsDone(start.lease, segments, self._rng.choice(DURATIONS))

    def _say(self, said: Said) -> None:
        self._later(self._rng.choice([0.0, 0.001, 0.05, 1.0, LATE_S]) * self._rng.random(), Lie(said))
