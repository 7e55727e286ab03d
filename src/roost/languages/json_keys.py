"""Keys that stand twice in one map of a JSON text. Parsers that are fast take the last one and say nothing."""

import json
from typing import Any

from roost.languages.json_lines import TOKEN, key_of, line_at


class _Doubled(Exception):
    """There is such a key somewhere."""


def doubled_key(text: str) -> tuple[str, int, int] | None:
    """Return the first key that stands in its map again, its line and that of the other; None if there is none.

    Whoever parses the text tells what is wrong with it otherwise.
    """
    try:
        json.loads(text, object_pairs_hook=_refuse_doubled)
    except _Doubled:
        return _located(text)
    except (ValueError, RecursionError):
        return None
    return None


def _refuse_doubled(pairs: list[tuple[str, Any]]) -> None:
    """Look at one map, and keep nothing of it."""
    if len(dict(pairs)) < len(pairs):
        raise _Doubled


def _located(text: str) -> tuple[str, int, int] | None:
    #: The keys of each open map with their places, and None for a list.
    open_: list[dict[str, int] | None] = []
    is_key = False
    for match in TOKEN.finditer(text):
        first = match[0][0]
        if first in "{[":
            open_.append({} if first == "{" else None)
            is_key = first == "{"
        elif first in "}]":
            open_.pop()
            is_key = False
        elif first == ",":
            is_key = open_[-1] is not None
        elif is_key and (keys := open_[-1]) is not None:
            is_key = False
            key = key_of(match[0])
            if key in keys:
                return key, line_at(text, match.start()), line_at(text, keys[key])
            keys[key] = match.start()
    return None
