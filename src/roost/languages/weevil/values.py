"""The values of value nodes: a text and the type that the document names for it (WEB 3.3.2, 3.4.1)."""

from typing import Any

from roost.executors.worker.taking import type_of
from roost.languages.problems import shown
from roost.languages.weevil.literals import NoLiteral, read_literal, read_number

_TRUTHS = {"true": True, "false": False}


def read_value(text: str, kind: str) -> Any:
    """Return the value of this type that ``text`` stands for, or raise NoLiteral with the reason."""
    match kind:
        case "String":
            return text
        case "Number":
            return read_number(text.strip())
        case "Boolean":
            if text.strip().lower() not in _TRUTHS:
                raise NoLiteral(f"{shown(text)} is neither true nor false")
            return _TRUTHS[text.strip().lower()]
        case "null" | "undefined":
            if text.strip() not in {"", "null", "undefined"}:
                raise NoLiteral(f"{shown(text)} is not {kind}")
            return None
        case "Array":
            return _array(text)
        case "Object":
            return _of_type(read_literal(text), "Object")
    return _guessed(text)


def _array(text: str) -> Any:
    if text.lstrip()[:1] in {"[", "{"}:
        return _of_type(read_literal(text), "Array")
    # A file with one value a line, or with commas between them, leaves no doubt either.
    lines = [line.strip().rstrip(",") for line in text.strip().splitlines()]
    return read_literal(f"[{','.join(line for line in lines if line)}]")


def _of_type(value: Any, kind: str) -> Any:
    if type_of(value) != kind:
        raise NoLiteral(f"it is of type {type_of(value)}")
    return value


def _guessed(text: str) -> Any:
    """Read a value whose type is not said: what looks like one of JavaScript's is one, all else is text."""
    try:
        return read_literal(text)
    except NoLiteral:
        return text
