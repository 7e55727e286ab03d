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
    compared = None if items is None else list(items)
    for name, path in command.outputs.items():
        # A program of the programs' folder runs there, whatever the command says.
        folder = "" if command.program or command.cwd is None else f"{command.cwd}/"
        parts = parse(f"{folder}{path}", compared is not None, ports)
        if not _differ(parts, compared):
            raise InvalidInput(_refusal(command, name, path))


def _differ(parts: Parts, items: list[Any] | None) -> bool:
    """Whether a path is another one for each element."""
    if any(isinstance(part, IndexHole) for part in parts):
        return True
    if items is None or not any(isinstance(part, ItemHole) for part in parts):
        return False
    if len(items) > OUTPUT_ITEMS_COMPARED_MAX:
        return False
    # What arrives is not known yet, and may be the same for all.
    known = tuple(part for part in parts if isinstance(part, str | ItemHole))
    return len({normpath(fill(known, OwnInputs(0, item))) for item in items}) == len(items)


def _refusal(command: Command, name: str, path: str) -> str:
    where = "the programs' folder" if command.program else f"the folder '{command.cwd}'"
    own = "" if command.program else "leave out the folder (cwd), so that each runs in one of its own, or "
    wrong = f"its elements share {where}, and several would write the output '{name}' to one file there, '{path}'"
    return f"{wrong}; {own}put {{i}} into the path"
