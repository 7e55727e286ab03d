"""Expectations: how long elements take, as their owners say, corrected by how right that was before.

Rules
- Only tasks with a stated length teach anything, and each of them once for its owner and once for its owner and name,
  however many elements it has: they were stated with one breath. It counts from its first element on, and moves with
  the others.
- What this node saw is what counts: on another machine the same work takes another time. Until it has seen enough, it
  goes by what others with such a processor tell of their speed; it tells only what it has seen itself.
- Tasks, owners and names are remembered up to a bound; whose last element ended longest ago is forgotten first.
- The newest of it is handed to the disk now and then (runtime/experience.py). Losing it costs little: it is learnt
  anew within a few tasks.
"""

import math
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NamedTuple, TypeAlias, TypeVar

from roost.model.ids import RunId, TaskId, name_of
from roost.model.task import TaskSpec
from roost.policy.expected_length import NOTHING_SEEN, Expected, Learnt, Logs, expected_length, log_ratio, speed_of

#: Tasks, owners and names of tasks that are remembered.
REMEMBERED_MAX: Final = 10_000
#: Owners and names of tasks that outlive the process: about 50 KiB, which are written as a whole.
KEPT_MAX: Final = 1_000

#: All owners together: what their lengths have in common is how fast this node is.
EVERYBODY: Final[tuple[str, ...]] = ()
#: An owner, or a name of tasks of this owner, or everybody.
_Whose: TypeAlias = tuple[str, ...]
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Seen(NamedTuple):
    #: Of the lengths of its elements.
    lengths: Logs
    #: What it has taught: the logarithm of the ratio.
    taught: float


class Expectations:
    def __init__(self, owner_of: Callable[[RunId], str], earlier: Iterable[Learnt] = ()) -> None:
        """``earlier`` is what was learnt in earlier lives."""
        self._owner_of = owner_of
        self._tasks: dict[TaskId, _Seen] = {}
        #: Who has taught something last comes last.
        self._ratios: dict[_Whose, Logs] = {learnt.whose: learnt.ratios for learnt in earlier}
        #: How often anything was learnt.
        self.lessons = 0
        #: Set once, when the node is put together: the ratios of other nodes with such a processor, one for each.
        self.alike: Callable[[], Logs] = lambda: NOTHING_SEEN

    def note(self, spec: TaskSpec, elements: int, busy_s: float) -> None:
        """Elements of a task have ended, and took this long together."""
        if spec.stated_s is None or busy_s <= 0:
            return
        self.lessons += 1
        before = self._tasks.pop(spec.id, None)
        lengths = (NOTHING_SEEN if before is None else before.lengths).plus(math.log(busy_s / elements))
        taught = log_ratio(math.exp(lengths.mean), spec.stated_s)
        self._tasks[spec.id] = _Seen(lengths, taught)
        for whose in (EVERYBODY, *self._whose(spec)):
            known = self._ratios.pop(whose, NOTHING_SEEN)
            self._ratios[whose] = known.plus(taught) if before is None else known.moved(before.taught, taught)
        _forget_oldest(self._tasks)
        _forget_oldest(self._ratios)

    def of(self, spec: TaskSpec) -> Expected | None:
        """Return how long an element of a task takes; None if nobody has said so."""
        if spec.stated_s is None:
            return None
        owner, name = (self._ratios.get(whose, NOTHING_SEEN) for whose in self._whose(spec))
        seen = self._tasks.get(spec.id)
        lengths = NOTHING_SEEN if seen is None else seen.lengths
        return expected_length(spec.stated_s, owner, name, lengths, self.alike())

    @property
    def speed(self) -> float:
        """Return how much work this node does in a second, compared with what lengths are stated for."""
        return speed_of(self._ratios.get(EVERYBODY, NOTHING_SEEN), self.alike())

    @property
    def speed_seen(self) -> float:
        """Return the same, as far as this node has seen it itself."""
        return speed_of(self._ratios.get(EVERYBODY, NOTHING_SEEN))

    def learnt(self) -> tuple[Learnt, ...]:
        """Return the newest of what was learnt, for later lives."""
        newest = list(islice(reversed(self._ratios.items()), KEPT_MAX))
        return tuple(Learnt(whose, ratios) for whose, ratios in reversed(newest))

    def forget(self, task: TaskId) -> None:
        """A task leaves memory; what it taught stays."""
        self._tasks.pop(task, None)

    def _whose(self, spec: TaskSpec) -> tuple[_Whose, _Whose]:
        owner = self._owner_of(spec.run)
        return (owner,), (owner, name_of(spec.id))


def _forget_oldest(remembered: dict[_Key, _Value]) -> None:
    while len(remembered) > REMEMBERED_MAX:
        del remembered[next(iter(remembered))]
