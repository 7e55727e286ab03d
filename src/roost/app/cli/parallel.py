"""GNU parallel's way of giving values: ``:::`` and its kin behind a command, and its words in braces.

=============  ===================================================================================
``::: a b``    a source: each value makes an element; several sources make every combination
``:::+ 1 2``   goes side by side with the source before it, as far as the shorter one goes
``:::: file``  the lines of a file, each file a source of its own; ``-`` is standard input
``::::+ f``    the lines of a file, side by side with the source before it
``{}``         the value; of several sources all values, each a word of its own
``{2}`` ``{-1}``  the value of the second source, of the last one
``{.}`` ``{/}`` ``{//}`` ``{/.}`` ``{2/.}``  parts of the value as a path (executors/template.py)
``{#}``        the number of the element, from 1
=============  ===================================================================================

Here no shell splits words. So ``{}`` inside a longer text is refused where several values stand for it, and what has no
meaning here, such as ``{%}``, is refused, too: none of it ever runs as text.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, Final, NamedTuple

from roost.app.cli.items import all_lines_of
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_ITEMS_MAX

_VALUES, _FILES = ":::", "::::"
_LINKED: Final = "+"
_MARKS: Final = frozenset({_VALUES, _FILES, _VALUES + _LINKED, _FILES + _LINKED})
#: What the node takes for braces, and what GNU parallel does.
_BRACES: Final = re.compile(
    r"""\{\{|\}\}|(?<!\$)(?:
    \{(?P<at>-?[0-9]{1,6})?(?P<form>//|/\.|/|\.)?\}|\{(?P<special>[#%])\}|\{=|\{(?P<own>i|item[A-Za-z0-9_./-]*)\}
    )""",
    re.VERBOSE,
)


class Source(NamedTuple):
    """Values that one mark gives."""

    values: list[str]
    #: Whether they go side by side with those of the source before.
    linked: bool


class Columns(NamedTuple):
    """The elements' items, and what was left out because a linked source was longer than the one beside it."""

    items: list[Any]
    left_out: int


def split_sources(words: Sequence[str]) -> tuple[list[str], list[Source]]:
    """Split a command line at the marks into the command and its sources."""
    command = list(itertools.takewhile(lambda word: word not in _MARKS, words))
    sources: list[Source] = []
    at = len(command)
    while at < len(words):
        mark = words[at]
        values = list(itertools.takewhile(lambda word: word not in _MARKS, words[at + 1 :]))
        sources += _sources_of(mark, values, is_first=not sources)
        at += 1 + len(values)
    return command, sources


def _sources_of(mark: str, values: list[str], is_first: bool) -> list[Source]:
    linked = mark.endswith(_LINKED)
    if linked and is_first:
        raise InvalidInput(f"'{mark}' goes side by side with the values before it; begin with '{mark[:-1]}'")
    if not values:
        example = "a b c" if mark.startswith(_VALUES) and not mark.startswith(_FILES) else "files.txt"
        raise InvalidInput(f"there is nothing after '{mark}'; write for example {mark} {example}")
    if not mark.startswith(_FILES):
        return [Source(values, linked)]
    sources = [Source(all_lines_of(file), linked) for file in values]
    for file, source in zip(values, sources, strict=True):
        if not source.values:
            raise InvalidInput(f"'{mark} {file}' gives no values, so there is nothing to run")
    return sources


def items_of_sources(sources: Sequence[Source]) -> Columns:
    """One source gives its values; several give every combination, the last one turning fastest."""
    if len(sources) == 1:
        return Columns(list(sources[0].values), 0)
    linked: list[list[list[str]]] = []
    for source in sources:
        if source.linked:
            linked[-1].append(source.values)
        else:
            linked.append([source.values])
    left_out = sum(len(column) - min(map(len, columns)) for columns in linked for column in columns)
    rows = [list(zip(*columns, strict=False)) for columns in linked]
    count = prod(map(len, rows))
    if count > FLOW_ITEMS_MAX:
        raise InvalidInput(f"the values have {count:,} combinations; at most {FLOW_ITEMS_MAX:,} are allowed")
    return Columns([list(itertools.chain(*combination)) for combination in itertools.product(*rows)], left_out)


class Placeholders:
    """Turns GNU parallel's words in braces into Roost's, for a command with so many sources."""

    def __init__(self, count: int) -> None:
        """``count`` is 0 if the command has an array and no items."""
        self._count = count
        #: Whether the item or a value of it, the number of the element, and its index are named.
        self.name_item = False
        self.name_number = False
        self.name_index = False

    def words(self, argv: Iterable[str]) -> list[str]:
        """Return the words of a command; one that is nothing but ``{}`` becomes a word for each source."""
        return [word for text in argv for word in self._word(text)]

    def all_values(self) -> list[str]:
        """Return what goes behind a command that names nothing."""
        return [self._hole(at, "") for at in range(self._count)]

    def text(self, text: str) -> str:
        """Return any other text of a command."""
        return _BRACES.sub(self._replaced, text) if "{" in text else text

    def _word(self, text: str) -> list[str]:
        whole = _BRACES.fullmatch(text)
        if self._count > 1 and whole is not None and _is_all(whole):
            self.name_item = True
            return [self._hole(at, whole["form"] or "") for at in range(self._count)]
        return [self.text(text)]

    def _replaced(self, match: re.Match[str]) -> str:
        if match[0] in {"{{", "}}"}:
            return match[0]
        if match["own"]:
            self.name_index = self.name_index or match["own"] == "i"
            self.name_item = self.name_item or match["own"] != "i"
            return match[0]
        if match["special"] == "#":
            self.name_number = True
            return "{i}"
        if match["special"] or match[0] == "{=":
            raise _refusal(match[0])
        if self._count == 0:
            return match[0]
        self.name_item = True
        if match["at"] is None:
            return self._unnumbered(match)
        return self._hole(self._place(match), match["form"] or "")

    def _unnumbered(self, match: re.Match[str]) -> str:
        if self._count == 1:
            return match[0]
        form, last = match["form"] or "", self._count
        each = f"{{1{form}}} to {{{last}{form}}}"
        raise InvalidInput(f"'{match[0]}' inside a longer text would stand for {last} values; name each, {each}")

    def _place(self, match: re.Match[str]) -> int:
        number = int(match["at"])
        place = number - 1 if number > 0 else self._count + number
        if number == 0 or not 0 <= place < self._count:
            have = "there is one source" if self._count == 1 else f"there are {self._count} sources"
            raise InvalidInput(f"'{match[0]}' stands for nothing, because {have} of values; {_literally(match[0])}")
        return place

    def _hole(self, at: int, form: str) -> str:
        if self._count == 1:
            return f"{{{form}}}" if form else "{item}"
        return f"{{item.{at}{form}}}"


def _is_all(match: re.Match[str]) -> bool:
    return match[0] == f"{{{match['form'] or ''}}}"


def _refusal(written: str) -> InvalidInput:
    why = "Roost has no numbered job slots" if written == "{%}" else "Roost runs no Perl"
    return InvalidInput(f"'{written}' is GNU parallel's, and {why}; leave it out, or {_literally(written)}")


def _literally(written: str) -> str:
    return f"write '{{{written}}}' if the braces are meant"
