"""The keys of one map of a flow file, read one by one, each with its type checked.

A reader that finds a mistake notes it and returns None, so that the other keys are still read.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from roost.languages.flow.habits import habit_hint
from roost.languages.flow.names import NAME, NAME_RULE
from roost.languages.flow.nodes import ListNode, MapNode, Node, ScalarNode, kind_of
from roost.languages.flow.values import Values
from roost.languages.placeholders import whole_placeholder
from roost.languages.problems import Problems, did_you_mean, shown
from roost.model.errors import InvalidInput

#: Numbers with units are short; what is longer is no number that a machine could mean.
_MEASURE_LENGTH_MAX = 40
_Read = TypeVar("_Read")


class Fields:
    """A map together with ``where`` it stands in words (``task 'resize'``), for the errors."""

    __slots__ = ("_node", "_problems", "_values", "where")

    def __init__(self, node: MapNode, where: str, values: Values, problems: Problems) -> None:
        self.where = where
        self._node = node
        self._values = values
        self._problems = problems

    @property
    def values(self) -> Values:
        return self._values

    def __contains__(self, key: str) -> bool:
        return key in self._node.entries

    @property
    def keys(self) -> Iterable[str]:
        return self._node.entries.keys()

    def line(self, key: str) -> int:
        return self._node.key_lines.get(key, self._node.line)

    def folder(self, key: str) -> Path:
        """Return the folder that names at ``key`` begin at: that of the file in which the key stands."""
        return self._problems.file_at(self.line(key)).folder

    def warn(self, key: str, sentence: str, line: int | None = None) -> None:
        """Note what can run and may not be what was meant."""
        self._problems.warn(line or self.line(key), sentence)

    def wrong(self, key: str, sentence: str, line: int | None = None) -> None:
        """Note a mistake at ``key``, or at a ``line`` of its own inside what stands there."""
        self._problems.add(line or self.line(key), sentence)

    def refuse_others(self, known: Iterable[str]) -> None:
        """Note every key that is not ``known``."""
        names = dict.fromkeys(known)
        for key in self.keys:
            if key not in names:
                hint = habit_hint(key, names) or did_you_mean(key, names) or f"; it may have {', '.join(names)}"
                self.wrong(key, f"{self.where} has no {shown(key)}{hint}")

    def raw(self, key: str) -> Node | None:
        return self._node.entries.get(key)

    def filled(self, key: str) -> Node | None:
        """Return what stands at ``key`` with the values put in place."""
        node = self.raw(key)
        return None if node is None else self._values.fill(node)

    def fill(self, node: Node) -> Node:
        return self._values.fill(node)

    def scalar(self, key: str, wanted: str) -> ScalarNode | None:
        """Return the scalar at ``key``; note a list, a map or nothing where ``wanted`` should stand."""
        if key not in self._node.entries:
            return None
        node = self.filled(key)
        if isinstance(node, ScalarNode) and not node.is_nothing:
            return node
        assert node is not None
        self.mistyped(key, node, wanted)
        return None

    def mistyped(self, key: str, node: Node, wanted: str) -> None:
        placeholder = unquoted_placeholder(node)
        if placeholder is not None:
            self.wrong(key, f"'{key}' of {self.where} holds {placeholder} without quotes; write \"{placeholder}\"")
        else:
            self.wrong(key, f"'{key}' of {self.where} is {kind_of(node)}; give {wanted}")

    def text(self, key: str, wanted: str = "text") -> str | None:
        node = self.scalar(key, wanted)
        return None if node is None else node.text

    def choice(self, key: str, allowed: Iterable[str]) -> str | None:
        names = list(allowed)
        text = self.text(key, f"one of {', '.join(names)}")
        if text is None or text in names:
            return text
        hint = did_you_mean(text, names) or f"; use {' or '.join(names)}"
        self.wrong(key, f"'{key}' of {self.where} cannot be {shown(text)}{hint}")
        return None

    def number_above_zero(self, key: str, largest: float) -> float | None:
        number = self._number(key, f"a number above zero, at most {largest:,}", lambda number: 0 < number <= largest)
        return None if number is None else float(number)

    def whole_number(self, key: str, largest: int) -> int | None:
        wanted = f"a whole number from 0 to {largest:,}"
        number = self._number(key, wanted, lambda number: isinstance(number, int) and 0 <= number <= largest)
        return None if number is None else int(number)

    def _number(self, key: str, wanted: str, fits: Callable[[int | float], bool]) -> int | float | None:
        node = self.scalar(key, wanted)
        if node is None:
            return None
        number = ScalarNode(node.line, node.text, plain=True).value
        if isinstance(number, int | float) and not isinstance(number, bool) and fits(number):
            return number
        self.wrong(key, f"'{key}' of {self.where} is {shown(node.text)}; give {wanted}")
        return None

    def measure(self, key: str, parse: Callable[[str], _Read], example: str) -> _Read | None:
        """Read a number with a unit; ``parse`` raises InvalidInput for what is none."""
        text = self.text(key, f"for example {example}")
        if text is None:
            return None
        if len(text) > _MEASURE_LENGTH_MAX:
            self.wrong(key, f"'{key}' of {self.where} is {shown(text)}; write for example {example}")
            return None
        try:
            return parse(text)
        except InvalidInput as error:
            self.wrong(key, f"'{key}' of {self.where}: {error}")
            return None

    def section(self, key: str, wanted: str) -> "Fields | None":
        """Return the map at ``key``, with its values not yet filled in."""
        if key not in self:
            return None
        node = self.raw(key)
        if isinstance(node, MapNode) and unquoted_placeholder(node) is None:
            return Fields(node, f"'{key}' of {self.where}", self._values, self._problems)
        assert node is not None
        self.mistyped(key, node, wanted)
        return None

    def named_texts(
        self, key: str, example: str, name_is: re.Pattern[str] = NAME, what: str = "a name", rule: str = NAME_RULE
    ) -> dict[str, str]:
        """Read a map from names to texts, such as ``outputs``."""
        section = self.section(key, f"a map, for example {example}")
        found: dict[str, str] = {}
        for name in section.keys if section is not None else ():
            assert section is not None
            if not name_is.fullmatch(name):
                section.wrong(name, f"{shown(name)} cannot be {what} in {section.where}; {rule}")
                continue
            text = section.text(name)
            if text is not None:
                found[name] = text
        return found

    def truth(self, key: str) -> bool | None:
        """Read true or false."""
        node = self.scalar(key, "true or false")
        if node is None or isinstance(node.value, bool):
            return None if node is None else bool(node.value)
        self.mistyped(key, node, "true or false")
        return None

    def words(self, key: str, wanted: str = "a task's name or a list of names") -> list[tuple[int, str]]:
        """Return the words of a list, or the only word, with their lines."""
        node = self.filled(key)
        words: list[tuple[int, str]] = []
        for item in node.items if isinstance(node, ListNode) else () if node is None else (node,):
            if isinstance(item, ScalarNode) and item.text and not item.is_nothing:
                words.append((item.line, item.text))
            else:
                self.mistyped(key, item, wanted)
        return words


def unquoted_placeholder(node: Node) -> str | None:
    """Return the placeholder that someone wrote without quotes: YAML reads {item} as a map with the key ``item``."""
    if not isinstance(node, MapNode) or len(node.entries) != 1:
        return None
    ((key, value),) = node.entries.items()
    empty = isinstance(value, ScalarNode) and value.plain and not value.text
    return f"{{{key}}}" if empty and whole_placeholder(f"{{{key}}}") else None
