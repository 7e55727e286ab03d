"""From bytes and query strings to typed requests, or one sentence that says which field of which task is wrong."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from roost.languages.memory import collector_paused
from roost.model.errors import InvalidInput
from roost.model.visible import quoted

T = TypeVar("T")

_PROBLEM = re.compile(r"(?P<problem>.*?)(?: - at `\$(?P<place>.*)`)?", re.DOTALL)
_TASK_PLACE = re.compile(r"\.tasks\[(?P<number>\d+)\]\.?(?P<field>.*)", re.DOTALL)
_FIELD_PROBLEM = re.compile(r"Object (?P<what>missing required|contains unknown) field `(?P<field>.*)`", re.DOTALL)
_QUOTED = re.compile(r"`([^`]*)`")
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


def read_body(data: bytes, kind: type[T]) -> T:
    """Decode a JSON body; an empty one counts as ``{}``. Raise InvalidInput if it does not fit."""
    try:
        with collector_paused():
            return msgspec.json.decode(data or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise InvalidInput(_sentence(str(error), data)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"the request is not JSON: {_lower_first(str(error))}") from None
    except RecursionError:
        raise InvalidInput("the request nests lists or objects too deeply") from None


def read_query(given: Mapping[str, str], kind: type[T]) -> T:
    """Convert query parameters; numbers are written as text there."""
    try:
        return msgspec.convert(dict(given), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(_sentence(str(error), b"")) from None


def _sentence(told: str, data: bytes) -> str:
    """Turn a message such as "Expected `int`, got `str` - at `$.tasks[0].cpus`" into words with the task's name."""
    match = _PROBLEM.fullmatch(told)
    assert match is not None, "the pattern matches any text"
    problem, place = match["problem"], match["place"] or ""
    where = []
    in_task = _TASK_PLACE.fullmatch(place)
    if in_task:
        where.append(_task_words(data, int(in_task["number"])))
    field = in_task["field"] if in_task else place.removeprefix(".")
    if field:
        where.append(f"field {quoted(field)}")
    text = _problem_words(problem)
    return f"{', '.join(where)}: {text}" if where else f"the request is not valid: {text}"


def _problem_words(problem: str) -> str:
    match = _FIELD_PROBLEM.fullmatch(problem)
    if match is None:
        text = _QUOTED.sub(lambda found: " or ".join(_WORDS.get(word, word) for word in found[1].split(" | ")), problem)
        return _lower_first(text.replace(", got", " but got"))
    if match["what"] == "contains unknown":
        return f"there is no field {quoted(match['field'])}"
    return f"the field {quoted(match['field'])} is missing"


def _task_words(data: bytes, number: int) -> str:
    """Name the task as the person did, if it has a name and the rest of the request can be read at all."""
    try:
        task: Any = msgspec.json.decode(data)["tasks"][number]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        task = None
    name = task.get("name") if isinstance(task, dict) else None
    return f"task {quoted(name)}" if isinstance(name, str) else f"task number {number + 1}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
