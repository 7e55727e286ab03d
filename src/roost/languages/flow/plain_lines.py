"""A quick way through flow files that are written plainly, as most long ones are: a key or an item on each line.

PyYAML makes three objects of every word, and takes seconds for a hundred thousand tasks. What is read here is a part of
YAML in which a line can be understood by itself: ``key: text``, ``key: [word, word]``, ``key:`` with what is below it
indented, ``- text``, comments on lines of their own. The first line that is anything else ends the attempt, and PyYAML
reads all of it. Both ways give the same nodes, and only PyYAML tells of mistakes.
"""

import re
from typing import Final

from roost.languages.flow.nodes import NODE_COST, ListNode, MapNode, Node, ScalarNode
from roost.model.limits import FLOW_DEPTH_MAX

_QUOTED: Final = r"(?:'[^'\t]*'|\"[^\"\\\t]*\")"
_LINE: Final = re.compile(
    r"( *)"
    r"(?:([A-Za-z_][A-Za-z0-9_.-]{0,99}):(?: +|$)|- +)"
    # Text that cannot be anything else; text that has to be looked at; words in brackets; text in quotes.
    r"(?:((?:[A-Za-z0-9_./~=<+$^;(]|-(?=[A-Za-z0-9.]))[^:#\t]*)"
    rf"|\[([A-Za-z0-9_., -]*(?:{_QUOTED}[A-Za-z0-9_., -]*)*)\] *"
    r"|'([^'\t]*)' *|\"([^\"\\\t]*)\" *|((?:[A-Za-z0-9_./~=<+$^;(]|-(?=[A-Za-z0-9.]))[^\t]*))?"
)
_WORDS: Final = re.compile(r" *[A-Za-z0-9_][A-Za-z0-9_.-]*(?: *, *[A-Za-z0-9_][A-Za-z0-9_.-]*)* *")
#: A word, or text in quotes, and whether it is the last of a list.
_ITEM: Final = re.compile(rf" *(?:([A-Za-z0-9_][A-Za-z0-9_.-]*)|({_QUOTED})) *(?:,|(\Z))")
_COMMENT: Final = re.compile(r" *(?:#.*)?")
#: Line ends that PyYAML knows beside the plain one.
_OTHER_LINE_ENDS: Final = re.compile("[\r\x85\u2028\u2029\ufeff]")


class _Block:
    """A list or a map whose end has not come yet."""

    __slots__ = ("entries", "height", "indent", "is_map", "items", "key", "key_lines", "line", "size")

    def __init__(self, indent: int, line: int, is_map: bool) -> None:
        self.indent = indent
        self.line = line
        self.is_map = is_map
        self.items: list[Node] = []
        self.entries: dict[str, Node] = {}
        self.key_lines: dict[str, int] = {}
        #: The key that waits for its value, which may be below it.
        self.key: str | None = None
        self.size = NODE_COST
        self.height = 0


class _NotPlain(Exception):
    """Something that PyYAML has to look at."""


def read_plain(text: str) -> MapNode | None:
    """Return the document if all of it is plain, None otherwise."""
    if _OTHER_LINE_ENDS.search(text):
        return None
    try:
        return _Reader().read(text)
    except _NotPlain:
        return None


class _Reader:
    def __init__(self) -> None:
        self._blocks = [_Block(0, 1, is_map=True)]

    def read(self, text: str) -> MapNode | None:
        match_line = _LINE.fullmatch
        block = self._blocks[-1]
        for number, written in enumerate(text.split("\n"), start=1):
            match = match_line(written)
            if match is None:
                if _COMMENT.fullmatch(written) is None:
                    raise _NotPlain
                continue
            spaces, key, plain, words, single, double, doubtful = match.groups()
            if len(spaces) != block.indent or (key is None) is block.is_map:
                block = self._block_for(len(spaces), number, is_map=key is not None)
            if plain is not None:
                node: Node | None = ScalarNode(number, plain.rstrip(" "), True)
            elif words is not None:
                node = _words(number, words)
            else:
                node = _value(number, single, double, doubtful)
            if key is None:
                _add_item(block, node)
            else:
                _add_entry(block, key, number, node)
        while len(self._blocks) > 1:
            self._close()
        root = _map(self._blocks[0])
        return root if root.entries else None

    def _block_for(self, indent: int, line: int, *, is_map: bool) -> _Block:
        """Return the block that a line belongs to, after closing those that it ends; a deeper line opens one."""
        blocks = self._blocks
        while indent < blocks[-1].indent:
            self._close()
        # A list may stand right below its key; the next key then ends it.
        if is_map and indent == blocks[-1].indent and not blocks[-1].is_map:
            self._close()
        block = blocks[-1]
        if indent == block.indent and block.is_map is is_map:
            return block
        if block.key is None or indent < block.indent or (is_map and indent == block.indent):
            raise _NotPlain
        if len(blocks) >= FLOW_DEPTH_MAX:
            raise _NotPlain
        blocks.append(_Block(indent, line, is_map))
        return blocks[-1]

    def _close(self) -> None:
        done = self._blocks.pop()
        block = self._blocks[-1]
        node: Node = _map(done) if done.is_map else ListNode(done.line, tuple(done.items), done.size, 1 + done.height)
        assert block.key is not None, "a block is opened below a key only"
        block.entries[block.key] = node
        block.key = None
        block.size += node.size
        block.height = max(block.height, node.height)


def _value(number: int, single: str | None, double: str | None, doubtful: str | None) -> Node | None:
    """Return the text behind a key or a dash; None if there is nothing."""
    quoted = double if single is None else single
    if quoted is not None:
        return ScalarNode(number, quoted)
    if doubtful is None:
        return None
    text = doubtful.rstrip(" ")
    if ": " in text or " #" in text or text.endswith(":"):
        raise _NotPlain
    return ScalarNode(number, text, True)


def _words(number: int, text: str) -> ListNode:
    if not text.strip(" "):
        return ListNode(number, ())
    if _WORDS.fullmatch(text) is None:
        return _quoted_words(number, text)
    words = text.replace(" ", "").split(",")
    size = NODE_COST * (1 + len(words)) + sum(map(len, words))
    return ListNode(number, tuple([ScalarNode(number, word, True) for word in words]), size)


def _quoted_words(number: int, text: str) -> ListNode:
    items: list[ScalarNode] = []
    end, is_last = 0, False
    while not is_last:
        found = _ITEM.match(text, end)
        if found is None:
            raise _NotPlain
        word, quoted, last = found.groups()
        items.append(ScalarNode(number, quoted[1:-1]) if word is None else ScalarNode(number, word, True))
        end, is_last = found.end(), last is not None
    size = NODE_COST * (1 + len(items)) + sum([len(item.text) for item in items])
    return ListNode(number, tuple(items), size)


def _add_item(block: _Block, node: Node | None) -> None:
    if node is None:
        raise _NotPlain
    block.items.append(node)
    block.size += node.size
    block.height = max(block.height, node.height)


def _add_entry(block: _Block, key: str, line: int, node: Node | None) -> None:
    if block.key is not None:
        _leave_empty(block)
    if key in block.key_lines:
        raise _NotPlain
    if not block.key_lines:
        block.line = line
    block.key_lines[key] = line
    block.size += len(key)
    if node is None:
        block.key = key
    else:
        block.entries[key] = node
        if type(node) is ScalarNode:
            block.size += NODE_COST + len(node.text)
        else:
            block.size += node.size
            block.height = max(block.height, node.height)


def _leave_empty(block: _Block) -> None:
    """Nothing came for the key."""
    assert block.key is not None
    block.entries[block.key] = ScalarNode(block.key_lines[block.key], "", True)
    block.size += NODE_COST
    block.key = None


def _map(block: _Block) -> MapNode:
    if block.key is not None:
        _leave_empty(block)
    return MapNode(block.line, block.entries, block.key_lines, block.size, 1 + block.height)
