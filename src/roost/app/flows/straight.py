"""A quick way through long flows of commands that only wait for each other, as programs write them.

Each task stands there as its name, the plain words of its command, the names of tasks above it, and what it takes::

    shrink7:
      command: convert {needs.fetch7} small-7.png
      needs: [fetch7]
      retries: 2

Tasks that take the same are of one kind. What a task becomes, the careful reader says for each kind, with all that
stands above the tasks in the file; those of a kind differ in their names, words and edges only. The first line that is
anything else ends the attempt, and the careful reader reads all of it: nobody else tells of mistakes. Both give the
same submission.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from roost.app.flows.names import NAME
from roost.app.flows.requirements import REQUIREMENT_KEYS
from roost.app.languages.outline import Reading
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_WORDS_MAX, EDGES_MAX, TASKS_MAX

#: YAML reads these as nothing, whatever they are to name.
_NOTHING: Final = frozenset({"null", "Null", "NULL"})
_NAME: Final = NAME.pattern
#: Letters and signs that mean nothing to YAML, to the reader of flows, or to a shell.
_MERE: Final = r"[A-Za-z0-9_./=,+@% -]*"
#: The words of a command: such signs, colons inside of words, and results that arrive.
_WORDS: Final = rf"[A-Za-z0-9_./=+]{_MERE}(?:(?::(?=[A-Za-z0-9_./])|\{{needs\.{_NAME}\}}){_MERE})*"
_RESULT: Final = re.compile(rf"\{{needs\.({_NAME})\}}")
_FIRST_TASK: Final = re.compile(rf"^tasks:\n(?: *(?:#[ -~]*)?\n)*( +){_NAME}:\n(\1 +)", re.MULTILINE)
#: Empty lines and comments, and what a text holds that has some.
_ASIDE: Final = re.compile(r"^ *(?:#[ -~]*)?\n", re.MULTILINE)
_SIGNS_OF_ASIDES: Final = ("#", "\n\n", " \n")
#: For each kind a small file is read carefully; where there are more, reading the whole takes less.
_KINDS_MAX: Final = 100


def read_straight(text: str, read_carefully: Callable[[str], Reading]) -> dict[str, Any] | None:
    """Return the submission of a flow that is straight, None of any other."""
    indents = _FIRST_TASK.search(text)
    if indents is None:
        return None
    outer, inner = indents.groups()
    head, written = text[: indents.start(1)], _without_asides(text[indents.start(1) :])
    found = _task_pattern(outer, inner).findall(written)
    if sum([len(task[0]) for task in found]) < len(written) or len(found) > TASKS_MAX:
        return None
    kinds = _Kinds(f"{head}{outer}x:\n{inner}command: x\n", read_carefully)
    try:
        return {**kinds.example(), "tasks": _tasks(found, kinds)}
    except (InvalidInput, _NotStraightError):
        return None


class _NotStraightError(Exception):
    """There is something that the careful reader has to look at."""


class _Kinds:
    """Knows what tasks become, by the lines of what they take."""

    def __init__(self, flow: str, read_carefully: Callable[[str], Reading]) -> None:
        """The flow has one task, to which such lines can be added."""
        self._flow = flow
        self._read_carefully = read_carefully
        self._tasks: dict[str, dict[str, Any]] = {}

    def example(self, takes: str = "") -> dict[str, Any]:
        """Return the submission of the flow of one task that takes this."""
        reading = self._read_carefully(self._flow + takes)
        # Whether a task leads to the flow's result, the example cannot tell.
        if reading.warnings or reading.submission["final"] or len(reading.submission["tasks"]) != 1:
            raise _NotStraightError
        return reading.submission

    def task(self, takes: str) -> dict[str, Any]:
        found = self._tasks.get(takes)
        if found is None:
            if len(self._tasks) == _KINDS_MAX:
                raise _NotStraightError
            found = self._tasks[takes] = self.example(takes)["tasks"][0]
        return found


def _without_asides(written: str) -> str:
    """Return the lines that say something, each with its end."""
    written = written if written.endswith("\n") else f"{written}\n"
    return _ASIDE.sub("", written) if any(sign in written for sign in _SIGNS_OF_ASIDES) else written


def _task_pattern(outer: str, inner: str) -> re.Pattern[str]:
    """Find a task in a file with these indentations: all of it, its name, and what stands around its words.

    That is, before and behind them: what it takes, the key and the names of what it waits for, and again what it takes.
    """
    names = rf" (?:\[ *{_NAME}(?: *, *{_NAME})* *\]|{_NAME})|(?:\n{inner}- {_NAME})+|(?:\n{inner}  - {_NAME})+"
    takes = rf"((?:{inner}(?:{'|'.join(REQUIREMENT_KEYS)}): [A-Za-z0-9.]+\n)*)"
    around = rf"{takes}(?:{inner}(after|needs):({names})\n{takes})?"
    return re.compile(rf"({outer}({_NAME}):\n{around}{inner}command: ({_WORDS})\n{around})")


def _tasks(found: list[tuple[str, ...]], kinds: _Kinds) -> list[dict[str, Any]]:
    """Return all tasks, each like the one of its kind."""
    tasks: list[dict[str, Any]] = []
    names_in, takes_before = NAME.findall, ""
    like = kinds.task(takes_before)
    #: The tasks so far, each with the edge to whoever only waits for it.
    above: dict[str, dict[str, str]] = {}
    for _, name, takes_1, key_1, names_1, takes_2, words, takes_3, key_2, names_2, takes_4 in found:
        takes = takes_1 + takes_2 + takes_3 + takes_4
        if takes != takes_before:
            takes_before, like = takes, kinds.task(takes)
        sources: list[str] = names_in(names_1 or names_2)
        distinct = set(sources)
        if not above.keys() >= distinct or len(distinct) < len(sources) or (key_1 and key_2):
            raise _NotStraightError
        if key_1 == "needs" or key_2 == "needs" or "{" in words:
            edges = _bringing_edges(sources, words, key_1 or key_2)
        else:
            edges = [above[source] for source in sources]
        tasks.append({**like, "name": name, "command": {**like["command"], "argv": words.split()}, "edges": edges})
        above[name] = {"source": name, "kind": "after", "port": ""}
    if len(above) < len(tasks) or not _NOTHING.isdisjoint(above) or not all(map(_can_be, tasks)):
        raise _NotStraightError
    return tasks


def _bringing_edges(sources: list[str], words: str, key: str) -> list[dict[str, str]]:
    """Return the edges over which results arrive, if those are among them that the words name."""
    if key != "needs" or not set(sources).issuperset(_RESULT.findall(words)):
        raise _NotStraightError
    return [{"source": source, "kind": "broadcast", "port": source} for source in sources]


def _can_be(task: dict[str, Any]) -> bool:
    argv = task["command"]["argv"]
    if len(argv) > COMMAND_WORDS_MAX or len(task["edges"]) > EDGES_MAX:
        return False
    return len(argv) > 1 or argv[0] not in _NOTHING
