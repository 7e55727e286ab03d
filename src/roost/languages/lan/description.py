"""LAN's task description (LAN 4.3, listing 4.1): an XML file that says what a task is called and what it needs."""

import re
from pathlib import Path
from typing import Final

import msgspec

from roost.languages.problems import located, shown
from roost.languages.xml_tree import Element, read_xml
from roost.model.errors import InvalidInput
from roost.model.limits import LAN_DESCRIPTION_BYTES_MAX, LAN_INPUTS_MAX, LAN_OUTPUTS_MAX, NAME_LENGTH_MAX

_ORDINAL: Final = re.compile(r"([1-9][0-9]{0,5})(?:st|nd|rd|th)?", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\s<>&\"']+(?: [^\s<>&\"']+)*")


class DescribedInput(msgspec.Struct, frozen=True):
    """An input: the n-th output, counted from 1, of a task of this type."""

    task_type: str
    nth: int
    line: int


class TaskDescription(msgspec.Struct, frozen=True):
    name: str
    #: What other descriptions call a task like this one.
    type: str
    inputs: tuple[DescribedInput, ...]
    file: Path
    #: Where its name stands.
    line: int

    def wrong(self, line: int, sentence: str) -> InvalidInput:
        return InvalidInput(located(str(self.file), line, sentence))


def read_description(data: bytes, file: Path) -> TaskDescription:
    """Raise InvalidInput, with file and line, for whatever is not as in listing 4.1."""
    if len(data) > LAN_DESCRIPTION_BYTES_MAX:
        much = f"a task description of {len(data):,} bytes is too long; {LAN_DESCRIPTION_BYTES_MAX:,} is"
        raise InvalidInput(located(str(file), 1, much))
    return _Reader(file).read(read_xml(data, str(file)))


class _Reader:
    """Reads the elements of one file, and stops at the first thing that a description has no use for."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self, root: Element) -> TaskDescription:
        if root.tag != "task":
            raise self._wrong(root, f"a task description begins with <task>, not with {_tag(root)}")
        parts = self._parts(root, "name", "type", "inputs")
        inputs = self._members(parts["inputs"]) if "inputs" in parts else []
        if len(inputs) > LAN_INPUTS_MAX:
            raise self._wrong(parts["inputs"], f"it has {len(inputs):,} inputs; the limit is {LAN_INPUTS_MAX}")
        name, type_ = self._part(root, parts, "name"), self._part(root, parts, "type")
        return TaskDescription(
            self._name(name), self._name(type_), tuple(map(self._input, inputs)), self._file, name.line
        )

    def _input(self, element: Element) -> DescribedInput:
        if element.tag != "input":
            raise self._wrong(element, f"{_tag(element)} has no place in <inputs>; there may be <input>")
        parts = self._parts(element, "other_task_type", "other_nth_output")
        nth = self._part(element, parts, "other_nth_output")
        task_type = self._name(self._part(element, parts, "other_task_type"))
        text = self._content(nth)
        try:
            return DescribedInput(task_type, parse_nth(text), element.line)
        except InvalidInput as error:
            raise self._wrong(nth, f"<{nth.tag}>: {error}") from None

    def _parts(self, element: Element, *allowed: str) -> dict[str, Element]:
        """Return the children by their names: each at most once, and no others."""
        found: dict[str, Element] = {}
        for child in self._members(element):
            if child.tag not in allowed:
                expected = ", ".join(f"<{tag}>" for tag in allowed)
                raise self._wrong(child, f"{_tag(child)} has no place in <{element.tag}>; there may be {expected}")
            first = found.setdefault(child.tag, child)
            if first is not child:
                again = f"<{element.tag}> has a second <{child.tag}>; the first is on line {first.line}"
                raise self._wrong(child, again)
        return found

    def _part(self, element: Element, parts: dict[str, Element], tag: str) -> Element:
        if tag not in parts:
            raise self._wrong(element, f"<{element.tag}> lacks <{tag}>; add <{tag}>...</{tag}>")
        return parts[tag]

    def _members(self, element: Element) -> list[Element]:
        self._refuse_attributes(element)
        if element.text:
            raise self._wrong(element, f"<{element.tag}> holds other elements, not the text {shown(element.text)}")
        return element.children

    def _content(self, element: Element) -> str:
        self._refuse_attributes(element)
        for child in element:
            raise self._wrong(child, f"<{element.tag}> holds a text, not the element {_tag(child)}")
        return element.text

    def _name(self, element: Element) -> str:
        text = self._content(element)
        if not _NAME.fullmatch(text) or not text.isprintable() or len(text) > NAME_LENGTH_MAX:
            wrong = f"{shown(text)} cannot be a <{element.tag}>; write 1 to {NAME_LENGTH_MAX} letters"
            raise self._wrong(element, wrong)
        return text

    def _refuse_attributes(self, element: Element) -> None:
        for name in element.attributes:
            raise self._wrong(element, f"<{element.tag}> has no attributes; remove {name[:NAME_LENGTH_MAX]}")

    def _wrong(self, element: Element, problem: str) -> InvalidInput:
        return InvalidInput(located(str(self._file), element.line, problem))


def _tag(element: Element) -> str:
    return f"<{element.tag[:NAME_LENGTH_MAX]}>"


def parse_nth(text: str) -> int:
    """Read the number of an output: ``2`` or ``2nd`` (LAN table 4.1 writes it so)."""
    match = _ORDINAL.fullmatch(text)
    if match is None or int(match[1]) > LAN_OUTPUTS_MAX:
        raise InvalidInput(
            f"{shown(text)} is not the number of an output; write 1 for the first, at most {LAN_OUTPUTS_MAX:,}"
        )
    return int(match[1])
