"""Where an array's items come from: lines, JSON, or values after ``:::`` as with GNU parallel."""

import itertools
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import REQUEST_BYTES_MAX
from roost.model.ranges import RangeSet

SEPARATOR = ":::"
#: ``{}`` or ``{2}``, but neither the shell's ``${2}`` nor the literal ``{{2}}``.
_NUMBERED = re.compile(r"(?<![${])\{(\d*)\}(?!\})")


def read_text(source: str) -> str:
    """Return the text of a file, or of standard input for ``-``."""
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except FileNotFoundError:
        raise NotFound(f"there is no file {source}; check its name") from None
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from error
    if len(data) > REQUEST_BYTES_MAX:
        raise InvalidInput(f"{source} is larger than {REQUEST_BYTES_MAX:,} bytes; split it")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{source} is not UTF-8 text (byte {error.start:,}); convert it first") from error


def lines_of(source: str) -> list[Any]:
    """Return the lines of a text that are not blank, without their ends, as ``items_from`` of a flow file does."""
    return [line for end in read_text(source).split("\n") if (line := end.removesuffix("\r")).strip()]


def json_of(source: str) -> list[Any]:
    """Return the entries of a JSON array, or of JSON Lines (one value a line)."""
    text = read_text(source)
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return [_line_value(source, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return list(value) if isinstance(value, list) else [value]


def _line_value(source: str, number: int, line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise InvalidInput(
            f"{source}, line {number}: not JSON ({error}); the file holds one array, or one value a line"
        ) from error


def split_groups(words: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Split a command line at ``:::`` into the command and its groups of values."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word == SEPARATOR:
            parts.append([])
        else:
            parts[-1].append(word)
    if any(not group for group in parts[1:]):
        raise InvalidInput(f"there are no values after '{SEPARATOR}'; write for example {SEPARATOR} a b c")
    return parts[0], parts[1:]


def items_of_groups(groups: Sequence[Sequence[str]]) -> list[Any]:
    """One group gives its values; several give every combination, the last one turning fastest."""
    if len(groups) == 1:
        return list(groups[0])
    return [list(combination) for combination in itertools.product(*groups)]


def with_item_fields(argv: Sequence[str], group_count: int) -> list[str]:
    """Turn GNU parallel's ``{1}`` ``{2}`` into Roost's; without any placeholder the values become the last words.

    With one group this is what the node does anyway, so only ``{1}`` is left to do here.
    """
    fields = ["{item}"] if group_count == 1 else [f"{{item.{at}}}" for at in range(group_count)]

    def own_form(match: re.Match[str]) -> str:
        if not match[1]:
            return " ".join(fields)
        if not 1 <= int(match[1]) <= group_count:
            raise InvalidInput(f"'{match[0]}' stands for nothing; there are {group_count} groups of '{SEPARATOR}'")
        return fields[int(match[1]) - 1]

    if group_count > 1 and not any(_NUMBERED.search(word) or "{item" in word for word in argv):
        return [*argv, *fields]
    return [_NUMBERED.sub(own_form, word) for word in argv]


def checked_array(array: str | None, items: list[Any] | None) -> str | None:
    """Refuse an array whose size differs from its items'; return it as typed."""
    if array is None:
        return None
    size = len(RangeSet.parse(array))
    if items is not None and size != len(items):
        raise InvalidInput(f"--array has {size:,} elements and there are {len(items):,} items; leave --array out")
    return array
