"""On which line of a JSON text something stands, and keys that stand twice. Parsers that are fast say neither.

Only whoever has a mistake to tell asks for lines, so this may take seconds for a text of a hundred megabytes.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

#: The way to a value: keys and positions.
JsonPath: TypeAlias = tuple[str | int, ...]

#: A piece of a JSON text: a text in quotes, a sign, or a word.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{},:]|[^][{},:"\s]+', re.DOTALL)


class _Doubled(Exception):
    """There is such a key somewhere."""


def lines_of(text: str, paths: Iterable[JsonPath]) -> dict[JsonPath, int]:
    """Return the line of each path: of the key, or of the value if it is in a list.

    A path that leads beyond what is there has the line of the last part that is. The text must have been found to be
    JSON; for other text the lines are guesses.
    """
    wanted = set(paths)
    # Every beginning of a path is found as well, so that one which leads nowhere has a place to fall back on.
    places = {path[:length] for path in wanted for length in range(len(path) + 1)}
    deepest = max(map(len, places), default=0)
    offsets: dict[JsonPath, int] = {(): 0}
    for here, offset in _walk(text):
        if len(offsets) == len(places):
            break
        if len(here) <= deepest and tuple(here) in places:
            offsets[tuple(here)] = offset
    found: dict[JsonPath, int] = {}
    for path in wanted:
        known = next(path[:length] for length in range(len(path), -1, -1) if path[:length] in offsets)
        found[path] = _line_at(text, offsets[known])
    return found


def doubled_key(text: str) -> tuple[str, int, int] | None:
    """Return the first key that stands in its map again, its line and that of the other; None if there is none.

    Whoever parses the text tells what is wrong with it otherwise.
    """
    try:
        json.loads(text, object_pairs_hook=_refuse_doubled)
    except _Doubled:
        #: The keys of each open map and the positions of each open list, with their places.
        seen: list[dict[str | int, int]] = []
        for here, offset in _walk(text):
            del seen[len(here) :]
            if len(seen) < len(here):
                seen.append({})
            first = seen[-1].setdefault(here[-1], offset)
            if first != offset:
                return str(here[-1]), _line_at(text, offset), _line_at(text, first)
    except (ValueError, RecursionError):
        return None
    return None


def _refuse_doubled(pairs: list[tuple[str, Any]]) -> None:
    """Look at one map, and keep nothing of it."""
    if len(dict(pairs)) < len(pairs):
        raise _Doubled


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _walk(text: str) -> Iterator[tuple[list[str | int], int]]:
    """Yield the path of every key and of every item of a list, and where it begins; it is one list that changes."""
    # Of each open map the last key, of each open list a count.
    here: list[str | int] = []
    # Whether the next piece is a key, or an item of a list.
    begins = False
    for match in _TOKEN.finditer(text):
        first = match[0][0]
        if first in "}]":
            del here[-1:]
            begins = False
            continue
        if begins:
            if isinstance(here[-1], str):
                here[-1] = _key_of(match[0])
            yield here, match.start()
            begins = False
        if first in "{[":
            here.append("" if first == "{" else 0)
            begins = True
        elif first == "," and here:
            if isinstance(here[-1], int):
                here[-1] += 1
            begins = True


def _key_of(token: str) -> str:
    """Return the key that is written so."""
    if "\\" not in token:
        return token[1:-1]
    return re.sub(r"\\u([0-9a-fA-F]{4})|\\(.)", _unescaped, token[1:-1], flags=re.DOTALL)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(match[2], match[2])
