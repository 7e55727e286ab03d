"""The values of a flow file, each with the line where it stands.

Plain words are read as YAML 1.2 reads them: only ``true`` and ``false`` are truth values, so that a country called
``no`` and a switch called ``on`` stay text. Numbers are decimal; digits that a number would change (``007``, more than
63 bits) stay text as well.
"""

import math
import re
from typing import Any, Final, TypeAlias

import msgspec

#: What a value costs beside its text when it is copied, in characters; it bounds what copies can add up to.
NODE_COST: Final = 64

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*(?:_[0-9]+)*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_WORDS: Final[dict[str, bool | None]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip

_NOTHING: Final = frozenset(word for word, value in _WORDS.items() if value is None)


class ScalarNode(msgspec.Struct, frozen=True, gc=False):
    """Text, a number, a truth value or nothing."""

    line: int
    text: str
    #: Whether it stands without quotes, so that it may be something else than text.
    plain: bool = False

    @property
    def size(self) -> int:
        return NODE_COST + len(self.text)

    @property
    def height(self) -> int:
        return 0

    @property
    def is_nothing(self) -> bool:
        """Whether there is no text, number or truth value."""
        return self.plain and self.text in _NOTHING

    @property
    def value(self) -> str | int | float | bool | None:
        return _resolve(self.text) if self.plain else self.text


class ListNode(msgspec.Struct, frozen=True, gc=False):
    line: int
    items: tuple["Node", ...]
    size: int = NODE_COST
    height: int = 1


class MapNode(msgspec.Struct, frozen=True, gc=False):
    line: int
    entries: dict[str, "Node"]
    #: Where each key stands, which may be before the line of its value.
    key_lines: dict[str, int]
    size: int = NODE_COST
    height: int = 1


Node: TypeAlias = ScalarNode | ListNode | MapNode


def list_node(line: int, items: tuple[Node, ...]) -> ListNode:
    return ListNode(line, items, NODE_COST + sum(item.size for item in items), 1 + _tallest(items))


def map_node(line: int, entries: dict[str, Node], key_lines: dict[str, int]) -> MapNode:
    size = NODE_COST + sum(len(key) + node.size for key, node in entries.items())
    return MapNode(line, entries, key_lines, size, 1 + _tallest(tuple(entries.values())))


def to_json(node: Node) -> Any:
    """Return the plain value; the reader's limit on depth bounds the recursion."""
    match node:
        case ScalarNode():
            return node.value
        case ListNode():
            return [to_json(item) for item in node.items]
        case MapNode():
            return {key: to_json(value) for key, value in node.entries.items()}


def kind_of(node: Node) -> str:
    """Name what stands there, in words for an error."""
    match node:
        case ListNode():
            return "a list"
        case MapNode():
            return "a map"
    match node.value:
        case None:
            return "nothing"
        case bool():
            return f"the truth value {node.text}"
        case int() | float():
            return f"the number {node.text}"
        case _:
            return "text"


def _tallest(nodes: tuple[Node, ...]) -> int:
    return max((node.height for node in nodes), default=0)


def _resolve(text: str) -> str | int | float | bool | None:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= 30 and _INTEGER.fullmatch(text):
        number = int(text)
        return number if -(2**63) <= number < 2**63 else text
    if len(text) <= 400 and _FLOAT.fullmatch(text):
        real = float(text)
        return real if math.isfinite(real) else text
    return text
