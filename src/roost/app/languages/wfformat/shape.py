"""Where a document has not the shape that it should have.

The decoder is quick and says what is wrong, but not at which of a thousand tasks; that is found out here, afterwards.
"""

import re
from collections.abc import Iterator
from typing import Any

from roost.app.languages.json_lines import JsonPath

_MISTYPED = re.compile(r"Expected `(?P<expected>[^`]*)`, got `(?P<got>[^`]*)`(?: - at `\$(?P<path>.*)`)?")
_LACKING = re.compile(r"Object missing required field `(?P<field>[^`]*)`(?: - at `\$(?P<path>.*)`)?")
_PART = re.compile(r"\.([^.[\]]+)|(\[\.\.\.\])")
_WORDS = {
    "str": "text", "int": "a number", "float": "a number", "array": "a list", "object": "a map", "null": "nothing",
    "bool": "a truth value",
}  # fmt: skip


def mistake_in(document: Any, complaint: str) -> tuple[JsonPath, str]:
    """Return where the decoder's complaint holds first in the (untyped) document, and a sentence for it."""
    if lacking := _LACKING.match(complaint):
        field = lacking["field"]
        for path, value in _matching(document, lacking["path"] or ""):
            if isinstance(value, dict) and field not in value:
                return path, f"{_place(path)} has no '{field}'; add it"
    if mistyped := _MISTYPED.match(complaint):
        expected = mistyped["expected"].split(" | ")
        for path, value in _matching(document, mistyped["path"] or ""):
            if _kind(value) == mistyped["got"]:
                wanted = " or ".join(dict.fromkeys(_WORDS.get(kind, kind) for kind in expected if kind != "null"))
                return path, f"{_place(path)} is {_WORDS[_kind(value)]}; give {wanted}"
    return (), f"this is not a WfFormat document ({complaint}); mend it"


def _matching(document: Any, pattern: str) -> Iterator[tuple[JsonPath, Any]]:
    """Yield everything that a path with ``[...]`` for any position leads to."""
    found: Iterator[tuple[JsonPath, Any]] = iter([((), document)])
    for key, _ in _PART.findall(pattern):
        found = _stepped(found, key)
    return found


def _stepped(found: Iterator[tuple[JsonPath, Any]], key: str) -> Iterator[tuple[JsonPath, Any]]:
    for path, value in found:
        if key:
            if isinstance(value, dict) and key in value:
                yield (*path, key), value[key]
        elif isinstance(value, list):
            for position, item in enumerate(value):
                yield (*path, position), item


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case str():
            return "str"
        case int():
            return "int"
        case float():
            return "float"
        case list():
            return "array"
    return "object"


def _place(path: JsonPath) -> str:
    if not path:
        return "the document"
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return f"'{text.lstrip('.')}'"
