"""``value`` and ``value_from``: tasks that run nothing and give a value that other tasks take."""

import codecs
from typing import Any

from msgspec import UNSET

from roost.languages.flow.elements import Room
from roost.languages.flow.fields import Fields, unquoted_placeholder
from roost.languages.flow.files import json_in, numbered_lines, path_inside, read_bytes, read_text
from roost.languages.flow.nodes import to_json
from roost.languages.problems import shown
from roost.model.errors import InvalidInput
from roost.model.limits import REQUEST_BYTES_MAX, VALUE_DEPTH_MAX


def read_constant(task: Fields, key: str, room: Room) -> Any:
    """Return the JSON value that stands at ``key``; UNSET after a mistake, which has been noted."""
    if key == "value":
        return _written(task)
    name = task.text(key, "a file's name, for example table.json")
    if name is None:
        return UNSET
    try:
        value, size = _in_file(task, name)
        room.take(0, size)
    except InvalidInput as error:
        task.wrong(key, f"'{key}' of {task.where}: {error}")
        return UNSET
    return value


def _written(task: Fields) -> Any:
    node = task.filled("value")
    assert node is not None, "the task has this key"
    placeholder = unquoted_placeholder(node)
    if placeholder is not None:
        task.wrong("value", f"{placeholder} in 'value' of {task.where} is only known when something runs; give a value")
        return UNSET
    return to_json(node)


def _in_file(task: Fields, name: str) -> tuple[Any, int]:
    """Return what a ``.json`` file says, the list of the lines of ``.jsonl``, or the text of another file."""
    path = path_inside(task.folder("value_from"), name)
    if not name.endswith((".json", ".jsonl")):
        text = read_text(path, name, REQUEST_BYTES_MAX)
        return text, len(text)
    data = read_bytes(path, name, REQUEST_BYTES_MAX)
    if name.endswith(".json"):
        return _json(data.removeprefix(codecs.BOM_UTF8), shown(name)), len(data)
    lines = numbered_lines(data, name)
    return [_json(line, f"line {number} of {shown(name)}") for number, line in lines], len(data)


def _json(text: str | bytes, what: str) -> Any:
    value = json_in(text, what)
    if _is_deeper(value, VALUE_DEPTH_MAX):
        raise InvalidInput(f"{what} is nested more than {VALUE_DEPTH_MAX} deep; make it flatter")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(one, levels - 1) for one in inner)
