"""LAN's task description (LAN 4.3, listing 4.1): an XML file that says what a task is called and what it needs.

The file comes from people, so it may define nothing of its own: a document type, and with it every entity and every
reference to another file, is refused. Whatever is wrong is said with its line.
"""

import re
from typing import Final
from xml.parsers import expat

import msgspec

from roost.model.errors import InvalidInput
from roost.model.limits import (
    LAN_DESCRIPTION_BYTES_MAX,
    LAN_DESCRIPTION_DEPTH_MAX,
    LAN_INPUTS_MAX,
    LAN_OUTPUTS_MAX,
    NAME_LENGTH_MAX,
)

_ORDINAL: Final = re.compile(r"([1-9][0-9]{0,5})(?:st|nd|rd|th)?", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\s<>&\"']+(?: [^\s<>&\"']+)*")
_TEXT_SHOWN_MAX: Final = 40


class DescribedInput(msgspec.Struct, frozen=True):
    """An input: the n-th output, counted from 1, of a task of this type."""

    task_type: str
    nth: int


class TaskDescription(msgspec.Struct, frozen=True):
    name: str
    #: What other descriptions call a task like this one.
    type: str
    inputs: tuple[DescribedInput, ...] = ()


def parse_description(data: bytes) -> TaskDescription:
    """Raise InvalidInput, with the line, for whatever is not as in listing 4.1."""
    if len(data) > LAN_DESCRIPTION_BYTES_MAX:
        raise InvalidInput(f"a task description of {len(data):,} bytes is too long; {LAN_DESCRIPTION_BYTES_MAX:,} is")
    root = _Reader().read(data)
    if root.tag != "task":
        raise root.wrong(f"a task description begins with <task>, not with <{root.tag}>")
    parts = root.parts("name", "type", "inputs")
    inputs = parts["inputs"].members() if "inputs" in parts else []
    if len(inputs) > LAN_INPUTS_MAX:
        raise parts["inputs"].wrong(f"it has {len(inputs):,} inputs; the limit is {LAN_INPUTS_MAX}")
    return TaskDescription(
        name=root.part(parts, "name").name(),
        type=root.part(parts, "type").name(),
        inputs=tuple(_input(child) for child in inputs),
    )


class _Element:
    """An element of the file, and where it stands."""

    def __init__(self, tag: str, line: int) -> None:
        self.tag = tag
        self.line = line
        self.text = ""
        self.children: list[_Element] = []

    def wrong(self, problem: str) -> InvalidInput:
        return InvalidInput(f"line {self.line}: {problem}")

    def members(self) -> list["_Element"]:
        if self.text.strip():
            raise self.wrong(f"<{self.tag}> holds other elements, not the text '{_shown(self.text)}'")
        return self.children

    def parts(self, *allowed: str) -> dict[str, "_Element"]:
        """Return the children by their names: each at most once, and no others."""
        found: dict[str, _Element] = {}
        for child in self.members():
            if child.tag not in allowed:
                expected = ", ".join(f"<{tag}>" for tag in allowed)
                raise child.wrong(f"<{child.tag}> has no place in <{self.tag}>; there may be {expected}")
            if child.tag in found:
                raise child.wrong(
                    f"<{self.tag}> has a second <{child.tag}>; the first is on line {found[child.tag].line}"
                )
            found[child.tag] = child
        return found

    def part(self, parts: dict[str, "_Element"], tag: str) -> "_Element":
        if tag not in parts:
            raise self.wrong(f"<{self.tag}> lacks <{tag}>; add <{tag}>...</{tag}>")
        return parts[tag]

    def content(self) -> str:
        if self.children:
            raise self.children[0].wrong(f"<{self.tag}> holds a text, not the element <{self.children[0].tag}>")
        return self.text.strip()

    def name(self) -> str:
        text = self.content()
        if not _NAME.fullmatch(text) or not text.isprintable() or len(text) > NAME_LENGTH_MAX:
            raise self.wrong(f"'{_shown(text)}' cannot be a <{self.tag}>; write 1 to {NAME_LENGTH_MAX} letters")
        return text


def _input(element: _Element) -> DescribedInput:
    if element.tag != "input":
        raise element.wrong(f"<{element.tag}> has no place in <inputs>; there may be <input>")
    parts = element.parts("other_task_type", "other_nth_output")
    nth = element.part(parts, "other_nth_output")
    task_type = element.part(parts, "other_task_type").name()
    try:
        return DescribedInput(task_type, parse_nth(nth.content()))
    except InvalidInput as error:
        raise error if str(error).startswith("line ") else nth.wrong(f"<{nth.tag}>: {error}") from None


class _Reader:
    """Makes elements of a file, and stops at the first thing that a description has no use for."""

    def __init__(self) -> None:
        # Said here, it counts whatever the file declares: no codec of the interpreter's is looked up for it.
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._open: list[_Element] = []
        self._root: _Element | None = None

    def read(self, data: bytes) -> _Element:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise InvalidInput(
                f"line {error.lineno}: this is not XML in UTF-8: {expat.ErrorString(error.code)}"
            ) from None
        assert self._root is not None, "expat refuses a document without an element"
        return self._root

    def _doctype(self, *_: object) -> None:
        raise InvalidInput(
            f"line {self._parser.CurrentLineNumber}: a task description has no document type; remove <!DOCTYPE ...>"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = _Element(tag[:NAME_LENGTH_MAX], self._parser.CurrentLineNumber)
        if attributes:
            raise element.wrong(f"<{element.tag}> has no attributes; remove {_shown(next(iter(attributes)))}")
        if len(self._open) >= LAN_DESCRIPTION_DEPTH_MAX:
            raise element.wrong(f"elements lie in each other more than {LAN_DESCRIPTION_DEPTH_MAX} deep")
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._open.pop()

    def _characters(self, text: str) -> None:
        self._open[-1].text += text


def parse_nth(text: str) -> int:
    """Read the number of an output: ``2`` or ``2nd`` (LAN table 4.1 writes it so)."""
    match = _ORDINAL.fullmatch(text)
    if match is None or int(match[1]) > LAN_OUTPUTS_MAX:
        raise InvalidInput(
            f"'{_shown(text)}' is not the number of an output; write 1 for the first, at most {LAN_OUTPUTS_MAX:,}"
        )
    return int(match[1])


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _TEXT_SHOWN_MAX else text[: _TEXT_SHOWN_MAX - 3] + "..."
