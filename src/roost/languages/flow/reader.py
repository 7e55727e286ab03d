"""Flow text to nodes: YAML's events, built up without recursion and under limits.

PyYAML only cuts the text into events. Depth, repeated keys, tags and what aliases copy are judged here, before
anything grows: an alias shares its node, and its size counts as if it were copied.
"""

import re
from dataclasses import dataclass, field

import yaml
from yaml.reader import Reader

from roost.languages.flow.nodes import ListNode, MapNode, Node, ScalarNode, list_node, map_node
from roost.languages.problems import located, shown
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_BYTES_MAX, FLOW_COPIES_MAX, FLOW_DEPTH_MAX, MIB

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_TEXT_TAG = "tag:yaml.org,2002:str"
_MERGE_KEY = "<<"
#: How much of a line is looked at for a hint.
_LINE_LENGTH_MAX = 500
_UNQUOTED = "put text that begins with '{', '[' or a quote wholly in quotes"
#: How the line looks at which PyYAML gave up, and what most likely happened.
_LINE_HINTS = (
    (re.compile(r" *\t"), "indent with spaces, not with tabs"),
    (re.compile(r".*(?::|-) +(?:\{[a-z]|\[[^]]*\] *\S|\"[^\"]*\" *\S)"), _UNQUOTED),
)
#: What PyYAML complains about, and what most likely happened.
_HINTS = (
    ("mapping values are not allowed", "put text that holds ': ' in quotes, and check the indentation"),
    ("could not find expected ':'", "write 'key: value', and check the indentation"),
    ("expected <block end>", _UNQUOTED),
    ("expected ',' or", "close every '[' and '{', and put text that holds them in quotes"),
    ("cannot start any token", "put the text in quotes"),
    ("end of stream", "close the quotes"),
)


def read_nodes(text: str, name: str, lines_before: int = 0) -> Node | None:
    """Return the document's value, None if it is empty; raise InvalidInput with the line of the first mistake.

    ``lines_before`` is added to the lines of all values.
    """
    _check_text(text, name)
    builder = _Builder(name, lines_before)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise InvalidInput(_malformed(error, text, name)) from None
    return builder.document


def _check_text(text: str, name: str) -> None:
    if len(text) > FLOW_BYTES_MAX:
        raise InvalidInput(f"{name} is larger than {FLOW_BYTES_MAX // MIB} MiB; read long lists with 'items_from'")
    strange = Reader.NON_PRINTABLE.search(text)
    if strange is not None:
        line = text.count("\n", 0, strange.start()) + 1
        raise InvalidInput(
            located(name, line, f"the character U+{ord(strange[0]):04X} cannot stand in a flow file; remove it")
        )


def _malformed(error: yaml.MarkedYAMLError, text: str, name: str) -> str:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    problem = error.problem or error.context or "something is wrong"
    return located(name, line, f"this is not YAML ({problem}); {_hint(problem, text, line)}")


def _hint(problem: str, text: str, line: int) -> str:
    written = "".join(text.splitlines()[line - 1 : line])[:_LINE_LENGTH_MAX]
    for shape, hint in _LINE_HINTS:
        if shape.match(written):
            return hint
    return next((hint for sign, hint in _HINTS if sign in problem), "check quotes and indentation around this line")


@dataclass(slots=True)
class _Open:
    """A list or map whose end has not come yet; a map's children are keys and values in turn."""

    line: int
    is_map: bool
    anchor: str | None
    children: list[Node] = field(default_factory=list)


class _Builder:
    def __init__(self, name: str, lines_before: int) -> None:
        self.document: Node | None = None
        self._name = name
        self._lines_before = lines_before
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._copied = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self._start_document(event)
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()

    def _start_document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._wrong(event, "a second document begins here; put each flow in a file of its own")

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if event.tag not in {None, "!", _TEXT_TAG}:
            raise self._wrong(event, f"the tag {shown(event.tag)} is not used in flow files; remove it")
        if "\0" in event.value or not encodable(event.value):
            raise self._wrong(event, "text cannot hold zero bytes or half characters; remove the escape")
        plain = event.implicit[0] and event.tag is None
        self._add(ScalarNode(self._line(event), event.value, plain=plain), event.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        node = self._anchors.get(event.anchor or "")
        if node is None:
            raise self._wrong(event, f"'*{event.anchor}' stands for nothing; put '&{event.anchor}' before it")
        self._copied += node.size
        if self._copied > FLOW_COPIES_MAX:
            raise self._wrong(event, "the aliases ('*name') of this file copy too much; write fewer of them")
        if len(self._stack) + node.height > FLOW_DEPTH_MAX:
            raise self._too_deep(event)
        self._add(node, None)

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        if event.tag not in {None, "!"}:
            raise self._wrong(event, f"the tag {shown(event.tag)} is not used in flow files; remove it")
        if len(self._stack) >= FLOW_DEPTH_MAX:
            raise self._too_deep(event)
        self._stack.append(_Open(self._line(event), isinstance(event, yaml.MappingStartEvent), event.anchor))

    def _close(self) -> None:
        done = self._stack.pop()
        node = self._map(done) if done.is_map else list_node(done.line, tuple(done.children))
        self._add(node, done.anchor)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self.document = node

    def _map(self, done: _Open) -> MapNode:
        entries: dict[str, Node] = {}
        key_lines: dict[str, int] = {}
        merged: list[MapNode] = []
        for key, value in zip(done.children[::2], done.children[1::2], strict=True):
            if not isinstance(key, ScalarNode):
                raise self._wrong_at(key.line, "a key must be a word, not a list or a map")
            if key.text == _MERGE_KEY and key.plain:
                merged += self._merged(value)
            elif key.text in entries:
                first = key_lines[key.text] - self._lines_before
                again = f"{shown(key.text)} stands here again, first on line {first}; remove one of the two"
                raise self._wrong_at(key.line, again)
            else:
                entries[key.text], key_lines[key.text] = value, key.line
        for other in merged:
            for name, value in other.entries.items():
                if name not in entries:
                    entries[name], key_lines[name] = value, other.key_lines[name]
        return map_node(done.line, entries, key_lines)

    def _merged(self, value: Node) -> list[MapNode]:
        parts = value.items if isinstance(value, ListNode) else (value,)
        maps = [part for part in parts if isinstance(part, MapNode)]
        if len(maps) != len(parts):
            raise self._wrong_at(value.line, "'<<' takes a map, or a list of maps, to merge in")
        return maps

    def _too_deep(self, event: yaml.Event) -> InvalidInput:
        return self._wrong(event, f"lists and maps are nested more than {FLOW_DEPTH_MAX} deep; make it flatter")

    def _wrong(self, event: yaml.Event, sentence: str) -> InvalidInput:
        return self._wrong_at(self._line(event), sentence)

    def _wrong_at(self, line: int, sentence: str) -> InvalidInput:
        return InvalidInput(located(self._name, line - self._lines_before, sentence))

    def _line(self, event: yaml.Event) -> int:
        return self._lines_before + (event.start_mark.line + 1 if event.start_mark is not None else 1)


def encodable(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8: an escape such as \\ud800 makes half of a pair."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
