"""Which runs a person means: ``last``, ``all``, ``5``, ``1-10``, ``5-ked`` (the start of an id), or a comma list."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId, run_number
from roost.model.ranges import RangeSet
from roost.model.visible import quoted

_ID_START = re.compile(r"[0-9]+-[a-z]+")
_SINGLE_NUMBER = re.compile(r"[0-9_]+")
_CANDIDATES_SHOWN = 5


Forgotten: TypeAlias = Callable[[], Sequence[RunId]]


def _none() -> Sequence[RunId]:
    return ()


def select_runs(text: str, runs: Sequence[RunId], forgotten: Forgotten = _none) -> list[RunId]:
    """Return the chosen ones of ``runs``, which are oldest first, in their order; ``forgotten`` are no more.

    Raise NotFound for a part that chooses nothing, and InvalidInput for one that cannot be read or is ambiguous.
    """
    chosen: set[RunId] = set()
    for part in text.split(","):
        chosen.update(_select_part(part.strip(), runs, forgotten))
    return [run for run in runs if run in chosen]


def select_one(text: str, runs: Sequence[RunId], forgotten: Forgotten = _none) -> RunId:
    """Return the one run that is meant; several are an error."""
    chosen = select_runs(text, runs, forgotten)
    if len(chosen) != 1:
        raise InvalidInput(f"{quoted(text)} means {_several(chosen)}; name one run")
    return chosen[0]


def _select_part(part: str, runs: Sequence[RunId], forgotten: Forgotten) -> Sequence[RunId]:
    if part == "all":
        return runs
    if part == "last":
        if not runs:
            raise NotFound("there is no last run, because there are no runs yet")
        return runs[-1:]
    if _ID_START.fullmatch(part):
        return _by_id(part, runs, forgotten)
    return _by_number(part, runs, forgotten)


def _by_id(part: str, runs: Sequence[RunId], forgotten: Forgotten) -> Sequence[RunId]:
    found = [run for run in runs if run.startswith(part)]
    if not found:
        raise _not_found(part, [run for run in forgotten() if run.startswith(part)])
    if len(found) > 1:
        raise InvalidInput(f"{quoted(part)} could be {_several(found)}; write more letters")
    return found


def _not_found(part: str, forgotten: Sequence[RunId]) -> NotFound:
    return was_forgotten(forgotten) if forgotten else NotFound(f"there is no run {quoted(part)}")


def was_forgotten(forgotten: Sequence[RunId]) -> NotFound:
    """Say of runs that are no more that they were."""
    was = "was" if len(forgotten) == 1 else "were"
    return NotFound(f"{_several(forgotten)} {was} forgotten; nothing of it is kept")


def _by_number(part: str, runs: Sequence[RunId], forgotten: Forgotten) -> Sequence[RunId]:
    try:
        numbers = RangeSet.parse(part)
    except InvalidInput:
        raise InvalidInput(
            f"{quoted(part)} does not name a run; write for example last, all, 5, 1-10 or 5-kedova"
        ) from None
    found = [run for run in runs if run_number(run) in numbers]
    if not found:
        raise _not_found(part, [run for run in forgotten() if run_number(run) in numbers])
    if len(found) > 1 and _SINGLE_NUMBER.fullmatch(part):
        raise InvalidInput(f"{quoted(part)} could be {_several(found)}; write the letters too")
    return found


def _several(runs: Sequence[RunId]) -> str:
    if not runs:
        return "no run"
    shown = ", ".join(runs[:_CANDIDATES_SHOWN])
    return shown if len(runs) <= _CANDIDATES_SHOWN else f"{shown} and {len(runs) - _CANDIDATES_SHOWN:,} more"
