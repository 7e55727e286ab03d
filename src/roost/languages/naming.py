"""Names for the ids of nodes and files. An id may be anything; what is no name becomes one that is unique."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from roost.model.ids import TASK_NAME
from roost.model.limits import NAME_LENGTH_MAX

PROCESSOR: Final = ".processor"
REDUCER: Final = ".reducer"
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_.-]")
#: Room for what is added to a pool's name, and for a number.
_BASE_LENGTH_MAX: Final = NAME_LENGTH_MAX - len(PROCESSOR) - 8


class Names:
    """Names of which none is given twice. ``room`` is how long one may be to which a number is added."""

    def __init__(self, taken: Iterable[str] = (), room: int | None = None) -> None:
        #: How often each was wanted, so that looking for a free one never begins at the beginning again.
        self._wanted = dict.fromkeys(taken, 1)
        self._room = room

    def free(self, wanted: str, endings: tuple[str, ...] = ("",)) -> str:
        """Return the name that is wanted, or one with a number behind it: one that is free with all its endings."""
        name = wanted
        while any(name + ending in self._wanted for ending in endings):
            self._wanted[wanted] = number = self._wanted.get(wanted, 1) + 1
            name = f"{wanted[: self._room]}-{number}"
        self._wanted.update((name + ending, 1) for ending in endings)
        return name


def unique_names(ids: Iterable[str], is_name: Callable[[str], object], like: Callable[[str], str]) -> dict[str, str]:
    """Return a name for each id: the id itself where it can be one, otherwise one ``like`` it that no other has."""
    every = list(ids)
    kept = set(filter(is_name, every))
    names = Names(kept)
    return {id_: id_ if id_ in kept else names.free(like(id_)) for id_ in every}


def task_names(plain: Iterable[str], pools: Iterable[str]) -> dict[str, str]:
    """Return a name for every id. A pool's also leaves free the names of what is inside it."""
    endings = dict.fromkeys(pools, ("", PROCESSOR, REDUCER))
    every = [*endings, *(id_ for id_ in plain if id_ not in endings)]
    names = Names(room=_BASE_LENGTH_MAX)
    # Ids that can stay what they are come first, so that none of them gives way to one that was mended.
    every.sort(key=lambda one: not TASK_NAME.fullmatch(one))
    return {id_: names.free(_legal(id_, id_ in endings), endings.get(id_, ("",))) for id_ in every}


def _legal(id_: str, is_pool: bool) -> str:
    return legal(id_, _ILLEGAL)[: _BASE_LENGTH_MAX if is_pool else NAME_LENGTH_MAX]


def legal(id_: str, illegal: re.Pattern[str]) -> str:
    """Return an id without what no name holds, and with a letter first."""
    name = illegal.sub("_", id_)
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"
