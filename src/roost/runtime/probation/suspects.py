"""Node suspects: elements that ran when the node died, and when one of them has failed for that.

Nobody is told who killed a node, and people kill nodes, too. So a death is laid to an element only if it follows the
element's start, and nothing else's:

- What began more than YOUNG_S before the death has nothing to do with it. Each of the others is next run while nothing
  else runs on the node (probation.py).
- If one ran alone, the death is its own. The next one counts with it only if it comes as long after the element's
  start. After DEATHS_MAX of them, one after the other, it has failed.
- Before each of these runs the node waits, each time longer. Whoever kills nodes by the clock is found out by that.
- A node that dies while a suspect does not run clears it of all earlier deaths; if nothing had just begun, it clears
  all suspects.
- A suspect that ends, or that outlives the time of the death, is one no more.

Each node counts for itself, also over its restarts, and until the machine is started again.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from roost.executors.suspects import DEATHS_MAX
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Failure

#: What kills a node does so within this time.
YOUNG_S: Final = 30.0
#: By how much the times of two deaths may differ: so much, and this share of the later.
_SLACK_S: Final = 1.0
_SLACK_SHARE: Final = 0.1
#: The wait before an element is run, for each death that is its own. Twice this is more than the slack ever is.
WAIT_S: Final = 5.0


#: Suspects that are remembered.
_SUSPECTS_MAX: Final = 1000


class Ran(msgspec.Struct, frozen=True):
    """Elements of a task of which one ran when the node died, and for how long."""

    task: TaskId
    first: int
    last: int
    age_s: float


class NodeSuspect(msgspec.Struct, frozen=True):
    """Elements of a task that are to run alone; it is one if deaths are its own."""

    task: TaskId
    bounds: tuple[int, ...]
    #: When the node died, after it began.
    age_s: float
    deaths: int = 0

    @property
    def elements(self) -> RangeSet:
        return RangeSet(self.bounds)

    @property
    def has_failed(self) -> bool:
        return self.deaths >= DEATHS_MAX

    @property
    def trial_s(self) -> float:
        """For how long it has to live to be a suspect no more."""
        return (self.age_s + 2 * _SLACK_S) / (1 - _SLACK_SHARE)

    def without(self, index: int) -> "NodeSuspect":
        return msgspec.structs.replace(self, bounds=(self.elements - RangeSet.span(index, index + 1)).bounds)

    def failure(self) -> Failure:
        when = f"{self.age_s:.1f} s after it began, while it ran alone"
        return Failure(f"the node died {when}, and so it was {self.deaths} times", permanent=True)

    def __str__(self) -> str:
        return f"{self.task} element{'s' * (len(self.elements) > 1)} {self.elements}"


def after_death(known: Sequence[NodeSuspect], ran: Sequence[Ran]) -> list[NodeSuspect]:
    """Return the suspects after the node died, while these ran."""
    young = [one for one in ran if one.task and one.age_s <= YOUNG_S]
    found = [NodeSuspect(one.task, RangeSet.span(one.first, one.last + 1).bounds, one.age_s) for one in young]
    if not found:
        return []
    if len(found) == 1 and len(found[0].elements) == 1:
        alone = found[0]
        before = [one.deaths for one in known if one.bounds == alone.bounds and _is_again(one, alone)]
        found = [msgspec.structs.replace(alone, deaths=max(before, default=0) + 1)]
    # Of two that kill nodes each would clear the other for ever if the other was not to run alone any more.
    kept = [msgspec.structs.replace(one, deaths=0) for one in known if not _is_among(one, found)]
    return [*found, *kept][:_SUSPECTS_MAX]


def _is_among(suspect: NodeSuspect, others: Sequence[NodeSuspect]) -> bool:
    return any(other.task == suspect.task and other.bounds == suspect.bounds for other in others)


def _is_again(before: NodeSuspect, now: NodeSuspect) -> bool:
    later = max(before.age_s, now.age_s)
    return before.task == now.task and abs(before.age_s - now.age_s) <= _SLACK_S + _SLACK_SHARE * later
