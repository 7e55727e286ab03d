"""Suspects: elements under which a launcher died, and when they have failed for that.

Rules
- If one element ran alone in a launcher that died, the death is its own. After DEATHS_MAX of them it has failed.
- If several ran, nobody knows which of them it was. None of them is blamed, and each is next run in a launcher without
  others (command.py), which tells: an innocent one ends, and is a suspect no more.
- What only waited in the launcher has nothing to do with it.

It is kept for one life of the node; other nodes count for themselves.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from roost.model.ids import TaskId
from roost.model.ranges import RangeSet

#: How often an element may end its launcher before it has failed.
DEATHS_MAX: Final = 3
#: Suspects that are remembered; with more the oldest is forgotten, and begins anew if it is one again.
_SUSPECTS_MAX: Final = 10_000

Suspect: TypeAlias = tuple[TaskId, int]


class Suspects:
    def __init__(self) -> None:
        #: How many launchers died under each while it ran alone.
        self._deaths: dict[Suspect, int] = {}

    def __bool__(self) -> bool:
        return bool(self._deaths)

    def died_under(self, ran: Iterable[Suspect]) -> Suspect | None:
        """A launcher died while these ran. Return the one that has failed by that, if one has."""
        suspects = list(ran)
        for suspect in suspects:
            self._deaths[suspect] = self._deaths.pop(suspect, 0) + (len(suspects) == 1)
            if self._deaths[suspect] >= DEATHS_MAX:
                del self._deaths[suspect]
                return suspect
        while len(self._deaths) > _SUSPECTS_MAX:
            del self._deaths[next(iter(self._deaths))]
        return None

    def ended(self, task: TaskId, indices: Iterable[int]) -> None:
        """These elements have ended, well or not, and their launcher lives."""
        for index in indices:
            self._deaths.pop((task, index), None)

    def are_in(self, task: TaskId, ranges: RangeSet) -> bool:
        """Whether one of these elements is to run alone."""
        return any(suspect == task and index in ranges for suspect, index in self._deaths)
