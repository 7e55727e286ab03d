"""Values as JavaScript writes them: JSON, and what people write in its place inside an attribute.

``['a', 'b',]`` and ``{size: 3}`` are no JSON, but who has to put a list into double quotes of XML writes them so.
"""

import json
import math
import re
from typing import Any, Final, NoReturn

from roost.languages.flow.reader import encodable
from roost.languages.problems import shown
from roost.model.limits import VALUE_DEPTH_MAX

_TOKEN: Final = re.compile(
    r"""(?>\s+|//[^\n]*|/\*.*?\*/)*+
    (?P<word>
      [\[\]{}:,]
    | '(?:\\.|[^'\\\n])*' | "(?:\\.|[^"\\\n])*"
    | [+-]?(?:0[xX][0-9A-Fa-f]+ | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$])
    | [A-Za-z_$][\w$]*
    | $
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_WORDS: Final = {"true": True, "false": False, "null": None, "undefined": None}
#: Beyond this JavaScript's numbers are no longer exact. Below, 3.0 and 3 are the same number to it.
_WHOLE_MAX: Final = 2**53


class NoLiteral(ValueError):
    """The text is not a value; the message says why, as the end of a sentence."""


def read_literal(text: str) -> Any:
    """Return the value that ``text`` stands for, made of what JSON has. Raise NoLiteral if it is none."""
    text = text.strip().removesuffix(";")
    try:
        value = json.loads(text, parse_int=read_number, parse_float=read_number, parse_constant=_refuse)
    except NoLiteral:
        raise
    except (ValueError, RecursionError):
        value = _Reader(text).read()
    _check(value)
    return value


def read_number(text: str) -> int | float:
    """Read a number as JavaScript's ``Number(text)`` does. Raise NoLiteral for what is none, or has no end."""
    match = _TOKEN.fullmatch(text)
    digits = match["word"] if match else ""
    if not digits or digits[-1] not in "0123456789.abcdefABCDEF" or digits[0] not in "+-.0123456789":
        raise NoLiteral(f"{shown(text)} is not a number")
    number = float(int(digits, 16)) if "x" in digits.lower() else float(digits)
    if math.isinf(number):
        raise NoLiteral(f"{shown(text)} is too large a number")
    return int(number) if number.is_integer() and abs(number) <= _WHOLE_MAX else number


def _refuse(word: str) -> NoReturn:
    raise NoLiteral(f"{word} cannot travel between nodes")


def _check(value: Any) -> None:
    """Refuse what cannot travel: too deep lists, and halves of characters from escapes such as \\ud800."""
    waiting = [(value, 0)]
    while waiting:
        inner, depth = waiting.pop()
        if depth > VALUE_DEPTH_MAX:
            raise NoLiteral(f"it is nested more than {VALUE_DEPTH_MAX} deep")
        match inner:
            case list():
                waiting += [(item, depth + 1) for item in inner]
            case dict():
                waiting += [(key, depth + 1) for key in inner]
                waiting += [(item, depth + 1) for item in inner.values()]
            case str() if not encodable(inner):
                raise NoLiteral("it holds half a character")


class _Reader:
    """A value in JavaScript's own notation, read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def read(self) -> Any:
        value = self._value(self._next())
        rest = self._next()
        if rest:
            raise NoLiteral(f"{shown(rest)} follows after its end")
        return value

    def _next(self) -> str:
        """Return the next word or sign, empty at the end."""
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            raise NoLiteral(f"{shown(self._text[self._at :].strip(), 20)} is no part of a value")
        self._at = match.end()
        return match["word"]

    def _value(self, word: str) -> Any:
        self._depth += 1
        if self._depth > VALUE_DEPTH_MAX:
            raise NoLiteral(f"it is nested more than {VALUE_DEPTH_MAX} deep")
        value = self._parsed(word)
        self._depth -= 1
        return value

    def _parsed(self, word: str) -> Any:
        if not word:
            raise NoLiteral("it is cut off")
        if word == "[":
            return self._list()
        if word == "{":
            return self._object()
        if word[0] in "'\"":
            return _unquoted(word)
        if word in _WORDS:
            return _WORDS[word]
        if word[0] in "+-.0123456789":
            return read_number(word)
        raise NoLiteral(f"{shown(word)} is not a value; put text in quotes")

    def _list(self) -> list[Any]:
        items: list[Any] = []
        word = self._next()
        while word != "]":
            items.append(self._value(word))
            word = self._after_comma("]")
        return items

    def _object(self) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        word = self._next()
        while word != "}":
            key = _unquoted(word) if word[:1] in {"'", '"'} else word
            if not key or key in "[]{}:," or self._next() != ":":
                raise NoLiteral("an entry of an object is not written as key: value")
            entries[key] = self._value(self._next())
            word = self._after_comma("}")
        return entries

    def _after_comma(self, end: str) -> str:
        """Return what stands after a comma, which may be the end: a last comma too many changes nothing."""
        word = self._next()
        if word == end:
            return word
        if word != ",":
            raise NoLiteral("it is cut off" if not word else f"a comma is missing before {shown(word)}")
        return self._next()


def _unquoted(word: str) -> str:
    return _ESCAPE.sub(_meant, word[1:-1])


def _meant(escape: re.Match[str]) -> str:
    what = escape[1]
    if len(what) > 1:
        return chr(int(what[1:], 16))
    return _ESCAPED.get(what, what)
