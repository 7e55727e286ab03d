"""On which line of a JSON text something stands. Parsers that are fast do not say, so the text is read again.

Only whoever has a mistake to tell asks, so this may take seconds for a text of a hundred megabytes.
"""

import re
from collections.abc import Iterable
from typing import TypeAlias

#: The way to a value: keys and positions.
JsonPath: TypeAlias = tuple[str | int, ...]

#: A piece of a JSON text: a text in quotes, a sign, or a word.
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{},:]|[^][{},:"\s]+', re.DOTALL)


def lines_of(text: str, paths: Iterable[JsonPath]) -> dict[JsonPath, int]:
    """Return the line of each path: of the key, or of the value if it is in a list.

    A path that leads beyond what is there has the line of the last part that is. The text must have been found to be
    JSON; for other text the lines are guesses.
    """
    wanted = set(paths)
    # Every beginning of a path is found as well, so that one which leads nowhere has a place to fall back on.
    places = dict.fromkeys(path[:length] for path in wanted for length in range(len(path) + 1))
    offsets = _offsets(text, set(places))
    found: dict[JsonPath, int] = {}
    for path in wanted:
        known = next(path[:length] for length in range(len(path), -1, -1) if path[:length] in offsets)
        found[path] = line_at(text, offsets[known])
    return found


def line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _offsets(text: str, places: set[JsonPath]) -> dict[JsonPath, int]:
    """Walk through the text with the path of where it is; lists and maps that hold nothing wanted are walked past."""
    offsets: dict[JsonPath, int] = {(): 0}
    # The path of each open list or map; None inside what is not wanted. A map's last part is its key, a list's a count.
    stack: list[list[str | int] | None] = []
    here: list[str | int] | None = []
    is_key = False
    for match in TOKEN.finditer(text):
        token = match[0]
        first = token[0]
        if first in "{[":
            stack.append(here)
            here = _entered(here, first, places)
            if here is not None and first == "[":
                _note(here, text, match.end(), places, offsets)
            is_key = first == "{"
        elif first in "}]":
            here = stack.pop() if stack else []
            is_key = False
        elif here is None or not stack:
            continue
        elif first == ",":
            last = here[-1]
            if isinstance(last, int):
                here[-1] = last + 1
                _note(here, text, match.end(), places, offsets)
            else:
                is_key = True
        elif first == '"' and is_key:
            here[-1] = key_of(token)
            is_key = False
            if (path := tuple(here)) in places:
                offsets[path] = match.start()
        if len(offsets) == len(places):
            break
    return offsets


def _entered(here: list[str | int] | None, bracket: str, places: set[JsonPath]) -> list[str | int] | None:
    if here is None or tuple(here) not in places:
        return None
    return [*here, "" if bracket == "{" else 0]


def _note(here: list[str | int], text: str, at: int, places: set[JsonPath], offsets: dict[JsonPath, int]) -> None:
    path = tuple(here)
    if path in places:
        following = TOKEN.search(text, at)
        offsets[path] = following.start() if following else at


def key_of(token: str) -> str:
    """Return the key that is written so."""
    if "\\" not in token:
        return token[1:-1]
    return re.sub(r"\\u([0-9a-fA-F]{4})|\\(.)", _unescaped, token[1:-1], flags=re.DOTALL)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(match[2], match[2])
