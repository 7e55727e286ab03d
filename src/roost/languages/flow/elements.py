"""The elements of a task: its indices, and the item of each."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roost.languages.flow.fields import Fields, unquoted_placeholder
from roost.languages.flow.files import json_in, numbered_lines, path_inside, read_bytes
from roost.languages.flow.names import NAME, NAME_RULE
from roost.languages.flow.nodes import ListNode, MapNode, to_json
from roost.languages.problems import shown
from roost.model.errors import InvalidInput
from roost.model.limits import ELEMENTS_MAX, FLOW_COPIES_MAX, FLOW_ITEMS_MAX, MIB, REQUEST_BYTES_MAX
from roost.model.ranges import RangeSet

ITEM_KEYS = ("items", "items_from", "matrix")
ELEMENT_KEYS = ("array", *ITEM_KEYS)


@dataclass(frozen=True, slots=True)
class Elements:
    """What a task says about its elements; what it leaves open comes from the tasks that it takes ``each`` of."""

    #: As written in ``array``.
    array: RangeSet | None = None
    items: list[Any] | None = None

    @property
    def indices(self) -> RangeSet | None:
        if self.array is not None or self.items is None:
            return self.array
        return RangeSet.span(0, len(self.items))

    @property
    def item_keys(self) -> frozenset[str] | None:
        """The keys that every item has, if all items are maps."""
        if not self.items or not all(isinstance(item, dict) for item in self.items):
            return None
        return frozenset.intersection(*(frozenset(item) for item in self.items))


class Room:
    """How many items, and how much text of them, the tasks of one file may still have together."""

    def __init__(self) -> None:
        self._items = FLOW_ITEMS_MAX
        self._characters = FLOW_COPIES_MAX

    def take(self, items: int, characters: int) -> None:
        """Raise InvalidInput if there is no room for so many."""
        self._items -= items
        self._characters -= characters
        if self._items < 0 or self._characters < 0:
            raise InvalidInput(
                f"the tasks of this file have more than {FLOW_ITEMS_MAX:,} items, or {FLOW_COPIES_MAX // MIB} MiB of "
                "them; split it"
            )


def read_elements(task: Fields, room: Room) -> Elements:
    given = [key for key in ITEM_KEYS if key in task]
    if len(given) > 1:
        task.wrong(given[1], f"{task.where} has both '{given[0]}' and '{given[1]}'; keep one of them")
        return Elements()
    array = _read_array(task)
    items = _read_items(task, given[0], room) if given else None
    if array is not None and items is not None and len(array) != len(items):
        wrong = f"{task.where} has {len(array):,} indices but {len(items):,} items"
        task.wrong("array", f"{wrong}; give as many of both, or leave 'array' out")
        return Elements()
    return Elements(array, items)


def _read_array(task: Fields) -> RangeSet | None:
    text = task.text("array", "the indices, for example 1-100")
    if text is None:
        return None
    try:
        array = RangeSet.parse(text)
    except InvalidInput as error:
        task.wrong("array", f"'array' of {task.where}: {error}")
        return None
    if len(array) > ELEMENTS_MAX:
        task.wrong("array", f"{task.where} has {len(array):,} elements; at most {ELEMENTS_MAX:,} are allowed")
        return None
    if text.strip().replace("_", "").isdigit():
        task.wrong("array", f"'array: {text}' of {task.where} is a single index; write 1-{text} for {text} elements")
        return None
    return array


def _read_items(task: Fields, key: str, room: Room) -> list[Any] | None:
    readers: dict[str, Callable[[], list[Any] | None]] = {
        "items": lambda: _listed_items(task, room),
        "items_from": lambda: _file_items(task, room),
        "matrix": lambda: _combinations(task, room),
    }
    try:
        items = readers[key]()
    except InvalidInput as error:
        task.wrong(key, f"'{key}' of {task.where}: {error}")
        return None
    if items is not None and not items:
        task.wrong(key, f"'{key}' of {task.where} is empty; an array needs at least one element")
        return None
    return items


def _listed_items(task: Fields, room: Room) -> list[Any] | None:
    node = task.filled("items")
    assert node is not None
    if not isinstance(node, ListNode):
        task.mistyped("items", node, "a list, for example [red, green]")
        return None
    for placeholder in filter(None, map(unquoted_placeholder, node.items)):
        raise InvalidInput(f"{placeholder} is only known when an element runs; items are plain values")
    room.take(len(node.items), 0)
    return [to_json(item) for item in node.items]


def _combinations(task: Fields, room: Room) -> list[Any] | None:
    """Return a map for every combination; the last name changes fastest, as in nested loops."""
    node = task.filled("matrix")
    assert node is not None
    if not isinstance(node, MapNode) or not node.entries:
        task.mistyped("matrix", node, "a map of lists, for example {size: [1, 2], colour: [red]}")
        return None
    axes: dict[str, ListNode] = {}
    for name, axis in node.entries.items():
        if not NAME.fullmatch(name):
            raise InvalidInput(f"{shown(name)} cannot be a name; {NAME_RULE}")
        if not isinstance(axis, ListNode):
            task.mistyped("matrix", axis, f"a list for '{name}'")
            return None
        axes[name] = axis
    count = math.prod(len(axis.items) for axis in axes.values())
    room.take(count, sum(axis.size * (count // max(1, len(axis.items))) for axis in axes.values()))
    chosen = itertools.product(*(to_json(axis) for axis in axes.values()))
    return [dict(zip(axes, values, strict=True)) for values in chosen]


def _file_items(task: Fields, room: Room) -> list[Any] | None:
    name = task.text("items_from", "a file's name, for example names.txt")
    if name is None:
        return None
    data = read_bytes(path_inside(task.folder("items_from"), name), name, REQUEST_BYTES_MAX)
    items = _items_in(data, name)
    room.take(len(items), len(data))
    return items


def _items_in(data: bytes, name: str) -> list[Any]:
    if name.endswith(".json"):
        items = json_in(data, shown(name), "mend it, or name it .txt for items by line")
        if not isinstance(items, list):
            raise InvalidInput(f"{shown(name)} holds no list; a JSON file of items is one list")
        return items
    lines = numbered_lines(data, name)
    if name.endswith(".jsonl"):
        return [json_in(line, f"line {number} of {shown(name)}") for number, line in lines]
    return [line for _, line in lines]
