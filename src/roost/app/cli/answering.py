"""What a person fills in: read from words, from a file, or asked for at the terminal, one field after the other."""

import math
import sys
from typing import Any

import click
import msgspec

from roost.app.cli.common import hint
from roost.app.cli.file_fields import path_of
from roost.app.cli.items import read_text
from roost.model.errors import InvalidInput
from roost.model.visible import visible_line
from roost.wire.values import handed_file

Field = dict[str, Any]
Values = dict[str, Any]

_YES = ("true", "yes", "y", "1")
_NO = ("false", "no", "n", "0")


def read_values(fields: list[Field], pairs: dict[str, str], source: str | None) -> Values:
    """Put together what a file says and what was typed, which wins. Names that the form lacks are left to the node."""
    values = {} if source is None else _of_file(source)
    by_name = {field["name"]: field for field in fields}
    for name, text in pairs.items():
        values[name] = typed(by_name[name], text) if name in by_name else text
    return values


def ask_for(fields: list[Field], values: Values, before: Values) -> Values:
    """Ask at a terminal for what is missing: everything if nothing was given, else what is required.

    ``before`` are values that stay if a person just presses return.
    """
    if not can_ask():
        return values
    asked = [field for field in fields if field["name"] not in values and (field["required"] or not values)]
    return values | {field["name"]: _ask(field, before.get(field["name"])) for field in asked}


def can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def typed(field: Field, text: str) -> Any:
    """Return what a person wrote as a value of the field's type. Raise InvalidInput if it is none."""
    match field["type"]:
        case "number":
            return _number(field, text)
        case "boolean":
            return _truth(field, text)
        case "file":
            return str(path_of(field, text))
        case _:
            return text


def type_words(field: Field) -> str:
    """Say in a word or two what a field takes."""
    match field["type"]:
        case "boolean":
            kind = "yes or no"
        case "choice":
            kind = ", ".join(field["choices"])
        case "file":
            kind = "the path of a file"
        case other:
            kind = str(other)
    return kind if field["required"] else f"{kind}; may stay empty"


def _ask(field: Field, before: Any) -> Any:
    question = visible_line(f"{field['label'] or field['name']} ({type_words(field)})")
    kept = _as_text(before)
    while True:
        offered = f"{question} [{visible_line(kept)}]" if kept else question
        text = click.prompt(offered, default=kept, show_default=False, err=True).strip()
        if kept and text == kept and field["type"] == "file":
            return before
        try:
            if text:
                return _checked(field, text)
        except InvalidInput as error:
            hint(str(error))
            continue
        if not field["required"]:
            return None
        hint(f"'{field['name']}' is needed")


def _checked(field: Field, text: str) -> Any:
    if field["type"] == "choice" and text not in field["choices"]:
        raise InvalidInput(f"'{text}' is none of {', '.join(field['choices'])}")
    return typed(field, text)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    file = handed_file(value)
    if file is not None:
        return file.file
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _number(field: Field, text: str) -> int | float:
    for kind in (int, float):
        try:
            number = kind(text)
        except (ValueError, OverflowError):
            continue
        if math.isfinite(number):
            return number
    raise InvalidInput(f"the field '{field['name']}' takes a number, not '{text[:60]}'")


def _truth(field: Field, text: str) -> bool:
    word = text.strip().lower()
    if word in _YES + _NO:
        return word in _YES
    raise InvalidInput(f"the field '{field['name']}' takes yes or no, not '{text[:60]}'")


def _of_file(source: str) -> Values:
    try:
        values = msgspec.json.decode(read_text(source))
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"{source} is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise InvalidInput(f'{source} holds no map; write the fields by their names, as in {{"verdict": "ok"}}')
    return values
