"""The lines of a ``commands.txt`` from the submission that was made of it: the way back."""

from collections.abc import Mapping
from typing import Any

from roost.languages.commands.reader import ARGV
from roost.model.errors import InvalidInput
from roost.model.ranges import RangeSet
from roost.model.stray import native


def write_commands(submission: Mapping[str, Any]) -> str:
    """Return the text; every command stands on the line that its index names. Raise InvalidInput for other runs.

    Bytes that are no UTF-8 stand in it as Python has them in names of files.
    """
    tasks = submission["tasks"]
    if len(tasks) != 1 or (tasks[0].get("command") or {}).get("argv") != list(ARGV) or not tasks[0].get("items"):
        raise InvalidInput("this run was not made of a file of commands; write it as a flow instead")
    items = tasks[0]["items"]
    numbers = RangeSet.parse(tasks[0]["array"]) if tasks[0].get("array") else RangeSet.span(1, len(items) + 1)
    lines = [""] * numbers.last
    for number, item in zip(numbers, items, strict=True):
        lines[number - 1] = native(item)
    return "\n".join([*lines, ""])
