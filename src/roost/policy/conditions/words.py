"""The words of a condition, each with the column where it begins."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from roost.model.errors import InvalidInput
from roost.model.limits import CONDITION_LENGTH_MAX


class WordKind(StrEnum):
    NUMBER = "number"
    NAME = "name"
    TEXT = "text"
    SIGN = "sign"
    END = "end"


@dataclass(frozen=True, slots=True)
class Word:
    kind: WordKind
    #: As it stands there; of a text what it says, without the quotes.
    text: str
    column: int


_WORD: Final = re.compile(
    r"""
    (?P<number>[0-9][0-9A-Za-z_.]*)
    |(?P<name>[A-Za-z_][0-9A-Za-z_]*)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<sign>==|!=|<=|>=|&&|\|\||[<>()=!&|])
    """,
    re.ASCII | re.DOTALL | re.VERBOSE,
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_MEANT: Final = {"=": "==", "&&": "and", "&": "and", "||": "or", "|": "or", "!": "not"}


def words_of(text: str) -> Iterator[Word]:
    """Yield the words, and one at the end that says so. Raise InvalidInput, with the column, for what is no word."""
    if len(text) > CONDITION_LENGTH_MAX:
        raise wrong(
            CONDITION_LENGTH_MAX + 1,
            f"the condition has {len(text):,} characters; at most {CONDITION_LENGTH_MAX:,} are read",
        )
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _WORD.match(text, at)
        if match is None:
            raise _stray(text[at], at + 1)
        kind = WordKind(str(match.lastgroup))
        word = _said(match[0], at + 1) if kind is WordKind.TEXT else match[0]
        if word in _MEANT and kind is WordKind.SIGN:
            raise wrong(at + 1, f"'{word}' means nothing here; write '{_MEANT[word]}'")
        yield Word(kind, word, at + 1)
        at = match.end()
    yield Word(WordKind.END, "", len(text) + 1)


def _said(quoted: str, column: int) -> str:
    """Return what a text in quotes says."""
    inside = quoted[1:-1]
    for found in _ESCAPED.finditer(inside):
        if found[1] not in "\"'\\":
            raise wrong(
                column + 1 + found.start(), "a backslash stands before a quote or another backslash; write it twice"
            )
    said = _ESCAPED.sub(r"\1", inside)
    if not said.isprintable():
        raise wrong(column, "the text in quotes has characters that cannot be shown; leave them out")
    return said


def _stray(sign: str, column: int) -> InvalidInput:
    if sign in "\"'":
        return wrong(column, f"the text that begins here has no end; close it with {sign}")
    shown = f"'{sign}'" if sign.isprintable() else "a sign that cannot be shown"
    return wrong(column, f"{shown} means nothing here; remove it, or put text into quotes")


def wrong(column: int, sentence: str) -> InvalidInput:
    """Return the error to raise for what stands at a column."""
    return InvalidInput(f"column {column}: {sentence}")
