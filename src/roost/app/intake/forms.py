"""The form of a manual step: as the API tells it, and whether an answer fits it."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from roost.api.answers import Form
from roost.languages.problems import did_you_mean
from roost.model.errors import InvalidInput
from roost.model.limits import FILE_NAME_LENGTH_MAX, FORM_BYTES_MAX, HANDED_FILE_BYTES_MAX, KIB, NAME_LENGTH_MAX
from roost.model.resources import format_size
from roost.model.task import Field, FieldType, Manual
from roost.model.visible import quoted
from roost.wire.values import encode_item, handed_file

#: How many mistakes are told at once.
_PROBLEMS_SHOWN = 5
_CHOICES_SHOWN = 20


def form_of(manual: Manual) -> Form:
    return msgspec.convert(manual, Form, from_attributes=True)


def in_words(names: tuple[str, ...], conjunction: str = "or") -> str:
    """Return names as a part of a sentence."""
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}" if len(names) > 1 else "".join(names)


def check_person(manual: Manual, task: str, who: str) -> None:
    """Raise InvalidInput if this is nobody, or somebody who may not answer."""
    if not who.strip() or not who.isprintable():
        raise InvalidInput(f"field 'who': give the name of a person, in at most {NAME_LENGTH_MAX} characters")
    if manual.who and who not in manual.who:
        raise InvalidInput(f"{quoted(who)} may not answer {quoted(task)}; it is for {in_words(manual.who)}")


def checked_values(manual: Manual, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer: every field in the order of the form, null where an optional one was left out.

    Raise InvalidInput with a sentence for each field that is wrong.
    """
    problems = [*_unknown(manual, values), *_wrong(manual, values)]
    if problems:
        rest = len(problems) - _PROBLEMS_SHOWN
        more = [f"... and {rest} more like these"] if rest > 0 else []
        raise InvalidInput("\n".join([*problems[:_PROBLEMS_SHOWN], *more]))
    answer = {field.name: values.get(field.name) for field in manual.fields}
    size = len(encode_item(answer))
    if size > FORM_BYTES_MAX:
        limit = f"{FORM_BYTES_MAX // KIB:,} KiB"
        raise InvalidInput(
            f"the answer has {size:,} bytes; at most {limit} fit, so hand in a file instead (a field of type file)"
        )
    return answer


def check_handed_size(size: int) -> None:
    """Raise InvalidInput if a file is too large to be handed in."""
    if size > HANDED_FILE_BYTES_MAX:
        limit = format_size(HANDED_FILE_BYTES_MAX)
        raise InvalidInput(f"the file has {size:,} bytes; at most {limit} can be handed in with an answer")


def _unknown(manual: Manual, values: Mapping[str, Any]) -> Iterator[str]:
    names = [field.name for field in manual.fields]
    for name in values:
        if name not in names:
            known = f"; its fields are {in_words(tuple(names), 'and')}" if names else "; it has none"
            yield f"there is no field {quoted(name)}{did_you_mean(name, names) or known}"


def _wrong(manual: Manual, values: Mapping[str, Any]) -> Iterator[str]:
    for field in manual.fields:
        value = values.get(field.name)
        is_blank = isinstance(value, str) and field.type is FieldType.TEXT and not value.strip()
        if value is None or is_blank:
            if field.required:
                what = "empty" if is_blank else "missing"
                yield f"the field {quoted(field.name)} is {what}; it takes {wanted(field)}"
        elif not _fits(field, value):
            near = did_you_mean(value, field.choices) if isinstance(value, str) else ""
            yield f"the field {quoted(field.name)} takes {wanted(field)}, not {_shown(value)}{near}"


def wanted(field: Field) -> str:
    """Say what a field takes."""
    match field.type:
        case FieldType.TEXT:
            return "text"
        case FieldType.NUMBER:
            return "a number"
        case FieldType.BOOLEAN:
            return "true or false"
        case FieldType.CHOICE:
            shown = field.choices[:_CHOICES_SHOWN]
            more = (f"{len(field.choices) - len(shown)} more",) if len(field.choices) > len(shown) else ()
            return in_words((*shown, *more))
        case FieldType.FILE:
            return "a file"


def _fits(field: Field, value: object) -> bool:
    match field.type:
        case FieldType.TEXT:
            return isinstance(value, str)
        case FieldType.NUMBER:
            is_finite = isinstance(value, float) and math.isfinite(value)
            return is_finite or (isinstance(value, int) and not isinstance(value, bool))
        case FieldType.BOOLEAN:
            return isinstance(value, bool)
        case FieldType.CHOICE:
            return isinstance(value, str) and value in field.choices
        case FieldType.FILE:
            file = handed_file(value)
            return file is not None and file.bytes <= HANDED_FILE_BYTES_MAX and len(file.file) <= FILE_NAME_LENGTH_MAX


def _shown(value: object) -> str:
    return quoted(value) if isinstance(value, str) else quoted(encode_item(value).decode())[1:-1]
