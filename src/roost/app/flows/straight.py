"""A quick way through long flows of commands that only wait for each other, as programs write them.

Each task stands there as its name, the plain words of its command and the names of tasks above it::

    shrink7:
      command: convert 7.png small-7.png
      after: [fetch7]

What such a task becomes, the careful reader says for the first of them, with all that stands above it in the file; the
others differ from it in their names, words and edges only. The first line that is anything else ends the attempt, and
the careful reader reads all of it: nobody else tells of mistakes. Both give the same submission.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from roost.app.flows.names import NAME
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_WORDS_MAX, EDGES_MAX, TASKS_MAX

#: YAML reads these as nothing, whatever they are to name.
_NOTHING: Final = frozenset({"null", "Null", "NULL"})
#: Words that mean nothing to YAML, to the reader of flows, or to a shell.
_WORDS: Final = r"[A-Za-z0-9_./=+][A-Za-z0-9_./=,+@% -]*(?::(?=[A-Za-z0-9_./])[A-Za-z0-9_./=,+@% -]*)*"
_NAME: Final = NAME.pattern
#: The end of a line, with empty lines and comments below it.
_END: Final = r"(?:\n(?: *(?:#[ -~]*)?\n)*|\Z)"
_FIRST_TASK: Final = re.compile(rf"^tasks:\n+( +){_NAME}:\n(\1 +)", re.MULTILINE)


def read_straight(text: str, read_carefully: Callable[[str], dict[str, Any]]) -> dict[str, Any] | None:
    """Return the submission of a flow that is straight, None of any other."""
    indents = _FIRST_TASK.search(text)
    if indents is None:
        return None
    task, begin = _task_pattern(*indents.groups()), indents.start(1)
    first = task.match(text, begin)
    try:
        submission = None if first is None else read_carefully(text[: first.end()])
    except InvalidInput:
        return None
    if submission is None or len(submission["tasks"]) != 1:
        return None
    tasks = _tasks(task, text, begin, submission["tasks"][0])
    return None if tasks is None else {**submission, "tasks": tasks}


def _task_pattern(outer: str, inner: str) -> re.Pattern[str]:
    """Find a task in a file with these indentations: its name, its words, and before or behind them its ``after``."""
    one_line = rf" (?:\[ *{_NAME}(?: *, *{_NAME})* *\]|{_NAME})"
    below = rf"(?:\n{inner}- {_NAME})+|(?:\n{inner}  - {_NAME})+"
    after = rf"(?:{inner}after:({one_line}|{below}){_END})?"
    return re.compile(rf"{outer}({_NAME}):\n{after}{inner}command: ({_WORDS}){_END}{after}")


def _tasks(task: re.Pattern[str], text: str, begin: int, like: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return all tasks, each like the first; None if one of them is wrong, or something else stands between them."""
    work, names_in = like["command"], NAME.findall
    tasks: list[dict[str, Any]] = []
    above: set[str] = set()
    end = begin
    for found in task.finditer(text, begin):
        name, before, words, behind = found.groups()
        sources, argv = names_in(before or behind or ""), words.split()
        is_repeated = name in above or (before and behind) or len(set(sources)) < len(sources)
        if found.start() != end or is_repeated or not above.issuperset(sources) or not _fits(name, sources, argv):
            return None
        edges = [{"source": source, "kind": "after", "port": ""} for source in sources]
        tasks.append({**like, "name": name, "command": {**work, "argv": argv}, "edges": edges})
        above.add(name)
        end = found.end()
    return tasks if end == len(text) and len(tasks) <= TASKS_MAX else None


def _fits(name: str, sources: list[str], argv: list[str]) -> bool:
    if len(argv) > COMMAND_WORDS_MAX or len(sources) > EDGES_MAX:
        return False
    return name not in _NOTHING and (len(argv) > 1 or argv[0] not in _NOTHING)
