"""Whether the elements of a task keep out of each other's way: what each leaves must lie in a place of its own.

Elements that run in folders of their own always do. Elements that share a folder of the user's do if the paths of their
outputs differ, which is known before anything runs where a path names the index or the item.
"""

from collections.abc import Iterable, Mapping
from posixpath import normpath
from typing import Any

from roost.executors.template import IndexHole, ItemHole, OwnInputs, Parts, fill, parse
from roost.model.errors import InvalidInput
from roost.model.limits import OUTPUT_ITEMS_COMPARED_MAX
from roost.model.ranges import RangeSet
from roost.model.task import Command, EdgeKind


def check_output_places(
    command: Command, elements: RangeSet | None, items: Iterable[Any] | None, ports: Mapping[str, EdgeKind]
) -> None:
    """Raise InvalidInput if two elements would leave an output in the same place.

    ``elements`` is None in a pool, which may have any number of them. ``items`` are those of the elements, in order.
    """
    shares_folder = command.cwd is not None or bool(command.program)
    if not command.outputs or not shares_folder or (elements is not None and len(elements) <= 1):
        return
    given = None if items is None else list(items)
    compared = _compared(elements, given)
    taken: set[str] = set()
    for name, path in command.outputs.items():
        # A program of the programs' folder runs there, whatever the command says.
        folder = "" if command.program or command.cwd is None else f"{command.cwd}/"
        parts = parse(f"{folder}{path}", given is not None, ports)
        places = _places(parts, compared, items_are_known=given is None or len(given) == len(compared))
        if places is None or not taken.isdisjoint(places):
            raise InvalidInput(_refusal(command, name, path))
        taken |= places


def _compared(elements: RangeSet | None, items: list[Any] | None) -> list[OwnInputs]:
    """Return the elements that are compared: all, or the first of very many, or of a pool."""
    indices = range(OUTPUT_ITEMS_COMPARED_MAX) if elements is None else elements.take(OUTPUT_ITEMS_COMPARED_MAX)
    if items is None:
        return [OwnInputs(index, None) for index in indices]
    return [OwnInputs(index, item) for index, item in zip(indices, items, strict=False)]


def _places(parts: Parts, compared: list[OwnInputs], *, items_are_known: bool) -> set[str] | None:
    """Return where the elements leave an output; None if two of them may leave it in one place."""
    by_index = any(isinstance(part, IndexHole) for part in parts)
    by_item = any(isinstance(part, ItemHole) for part in parts)
    if not by_index and not (by_item and items_are_known):
        return None
    # What arrives is not known yet, and may be the same for all.
    known = tuple(part for part in parts if isinstance(part, str | ItemHole | IndexHole))
    places = {normpath(fill(known, element)) for element in compared}
    return places if len(places) == len(compared) else None


def _refusal(command: Command, name: str, path: str) -> str:
    where = "the programs' folder" if command.program else f"the folder '{command.cwd}'"
    own = "" if command.program else "leave out the folder (cwd), so that each runs in one of its own, or "
    wrong = f"its elements share {where}, and several would write the output '{name}' to one file there, '{path}'"
    return f"{wrong}; {own}put {{i}} into the path"
