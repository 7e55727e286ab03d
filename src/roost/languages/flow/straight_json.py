"""The quick way of straight.py, through flows in JSON.

JSON is YAML, too, and so the careful reader takes it for that; here it is read as what it is. Whatever the two might
understand differently ends the attempt: escapes, letters beyond ASCII, keys that are repeated, numbers with exponents.
"""

import json
import re
from collections.abc import Callable
from itertools import starmap
from typing import Any, Final

from roost.languages.flow.alike import RESULT, WORDS, Kinds, NotAlikeError, Row, submission_of
from roost.languages.flow.names import NAME
from roost.languages.flow.requirements import REQUIREMENT_KEYS
from roost.languages.outline import Reading
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_BYTES_MAX

_WORDS: Final = re.compile(WORDS)
_DECIMAL: Final = re.compile(r"[0-9]+\.[0-9]+")
_REQUIREMENTS: Final = frozenset(REQUIREMENT_KEYS)
_EDGE_KEYS: Final = ("after", "needs")


def read_straight_json(text: str, read_carefully: Callable[[str], Reading]) -> dict[str, Any] | None:
    """Return the submission of a flow in JSON that is straight, None of any other."""
    if "\\" in text or "\x7f" in text or not text.isascii():
        return None
    try:
        flow = json.loads(text, object_pairs_hook=_without_doubles, parse_float=_decimal, parse_constant=_not_json)
        tasks = flow.pop("tasks", None) if type(flow) is dict else None
        if type(tasks) is not dict:
            return None
        kinds = Kinds(lambda takes: _example(flow, takes), read_carefully)
        return submission_of(list(tasks), starmap(_row, tasks.items()), kinds)
    except (ValueError, RecursionError, InvalidInput, NotAlikeError):
        return None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotAlikeError
    return found


def _decimal(text: str) -> float:
    if not _DECIMAL.fullmatch(text) or not _DECIMAL.fullmatch(repr(float(text))):
        raise NotAlikeError
    return float(text)


def _not_json(_: str) -> None:
    raise NotAlikeError


def _example(flow: dict[str, Any], takes: str) -> str:
    task = {"command": "x", **(json.loads(takes) if takes else {})}
    return json.dumps({**flow, "tasks": {"x": task}})


def _row(name: str, task: Any) -> Row:
    if type(task) is not dict or not NAME.fullmatch(name):
        raise NotAlikeError
    command = task.get("command")
    argv, results = _words(command) if type(command) is str else _listed_words(command)
    key = next((key for key in _EDGE_KEYS if key in task), "")
    sources = _sources(task[key]) if key else []
    takes = ""
    if len(task) > 1 + (key != ""):
        wanted = {other: said for other, said in task.items() if other not in ("command", key)}
        if not _REQUIREMENTS.issuperset(wanted):
            raise NotAlikeError
        takes = json.dumps(wanted)
    return name, takes, key, sources, argv, results


def _words(command: str) -> tuple[list[str], list[str]]:
    if len(command) > COMMAND_BYTES_MAX or not _WORDS.fullmatch(command):
        raise NotAlikeError
    return command.split(), RESULT.findall(command) if "{" in command else []


def _listed_words(words: Any) -> tuple[list[str], list[str]]:
    """Words in a list are not split, and a shell's signs mean nothing in them."""
    if type(words) is not list or not words or not all(type(word) is str for word in words) or not words[0]:
        raise NotAlikeError
    together = "\n".join(words)
    results = RESULT.findall(together)
    if together.count("{") > len(results) or "}}" in together or len(together) > COMMAND_BYTES_MAX:
        raise NotAlikeError
    return words, results


def _sources(named: Any) -> list[str]:
    sources = [named] if type(named) is str else named
    if type(sources) is not list or not all(type(source) is str for source in sources):
        raise NotAlikeError
    return sources
