"""Where an array's items come from: lines or JSON, from files or standard input."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import REQUEST_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.model.stray import carried


def read_bytes(source: str) -> bytes:
    """Return what a file holds, or standard input for ``-``."""
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except FileNotFoundError:
        raise NotFound(f"there is no file {source}; check its name") from None
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from error
    if len(data) > REQUEST_BYTES_MAX:
        raise InvalidInput(f"{source} is larger than {REQUEST_BYTES_MAX:,} bytes; split it")
    return data


def read_text(source: str) -> str:
    """Return the text of a file that must be text."""
    try:
        return read_bytes(source).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{source} is not UTF-8 text (byte {error.start:,}); convert it first") from error


def lines_of(source: str) -> list[Any]:
    """Return the lines of a file that are not blank, without their ends, as ``items_from`` of a flow file does."""
    return [line for end in all_lines_of(source) if (line := end.removesuffix("\r")).strip()]


def all_lines_of(source: str) -> list[str]:
    """Return all lines of a file, blank ones too; they may hold bytes that are no text, as names of files do."""
    lines = carried(read_bytes(source)).split("\n")
    wrong = next((number for number, line in enumerate(lines, 1) if "\0" in line), None)
    if wrong is not None:
        raise InvalidInput(f"{source}, line {wrong:,}: a zero byte, which no program can be given; remove it")
    return lines if lines[-1] else lines[:-1]


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


def checked_array(array: str | None, items: list[Any] | None) -> str | None:
    """Refuse an array whose size differs from its items'; return it as typed."""
    if array is None:
        return None
    size = len(RangeSet.parse(array))
    if items is not None and size != len(items):
        raise InvalidInput(f"--array has {size:,} elements and there are {len(items):,} items; leave --array out")
    return array
