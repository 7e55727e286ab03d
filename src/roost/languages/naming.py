"""Names of tasks for the ids of nodes. An id may be anything; what is no name of a task becomes one that is unique."""

import re
from collections.abc import Iterable
from typing import Final

from roost.model.ids import TASK_NAME
from roost.model.limits import NAME_LENGTH_MAX

PROCESSOR: Final = ".processor"
REDUCER: Final = ".reducer"
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_.-]")
#: Room for what is added to a pool's name, and for a number.
_BASE_LENGTH_MAX: Final = NAME_LENGTH_MAX - len(PROCESSOR) - 8


def task_names(plain: Iterable[str], pools: Iterable[str]) -> dict[str, str]:
    """Return a name for every id. A pool's also leaves free the names of what is inside it."""
    endings = dict.fromkeys(pools, (PROCESSOR, REDUCER))
    every = [*endings, *(id_ for id_ in plain if id_ not in endings)]
    names = _Names()
    # Ids that can stay what they are come first, so that none of them gives way to one that was mended.
    for id_ in sorted(every, key=lambda one: not TASK_NAME.fullmatch(one)):
        names.give(id_, endings.get(id_, ()))
    return names.given


class _Names:
    def __init__(self) -> None:
        self.given: dict[str, str] = {}
        self._taken: set[str] = set()
        #: How often a name was wanted, so that looking for a free one never begins at the beginning again.
        self._wanted: dict[str, int] = {}

    def give(self, id_: str, endings: tuple[str, ...]) -> None:
        base = name = _legal(id_, is_pool=bool(endings))
        while name in self._taken or any(name + ending in self._taken for ending in endings):
            self._wanted[base] = self._wanted.get(base, 1) + 1
            name = f"{base[:_BASE_LENGTH_MAX]}-{self._wanted[base]}"
        self.given[id_] = name
        self._taken.add(name)
        self._taken.update(name + ending for ending in endings)


def _legal(id_: str, is_pool: bool) -> str:
    name = _ILLEGAL.sub("_", id_)
    if not name[:1].isalpha() and name[:1] != "_":
        name = f"_{name}"
    return name[: _BASE_LENGTH_MAX if is_pool else NAME_LENGTH_MAX]
