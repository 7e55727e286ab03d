"""Very many tasks that differ from one of their kind in their names, words and edges only.

What the one becomes, the careful reader says; the others are made after it. Whatever the quick readers of flows
(straight.py, straight_json.py) find goes through here, so that both know the same tasks.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from graphlib import CycleError
from typing import Any, Final, TypeAlias

from roost.languages.flow.names import NAME
from roost.languages.outline import Reading
from roost.model.limits import COMMAND_WORDS_MAX, EDGES_MAX, TASKS_MAX
from roost.model.order import in_order

#: YAML reads these as nothing, whatever they are to name.
NOTHING: Final = frozenset({"null", "Null", "NULL"})
#: Letters and signs that mean nothing to YAML, to the reader of flows, or to a shell.
_MERE: Final = r"[A-Za-z0-9_./=,+@% -]*"
#: The words of a command: such signs, colons inside of words, and results that arrive.
WORDS: Final = rf"[A-Za-z0-9_./=+]{_MERE}(?:(?::(?=[A-Za-z0-9_./])|\{{needs\.{NAME.pattern}\}}){_MERE})*"
#: A result that arrives.
RESULT: Final = re.compile(rf"\{{needs\.({NAME.pattern})\}}")
#: For each kind a small file is read carefully; where there are more, reading the whole takes less.
_KINDS_MAX: Final = 100


class NotAlikeError(Exception):
    """There is something that the careful reader has to look at."""


#: A task as it was found: its name; what it takes while it runs, as it is written; the key of what it waits for,
#: ``after`` or ``needs``, and the names of that; its words, which are not too long; and the results that they name.
Row: TypeAlias = tuple[str, str, str, list[str], list[str], Sequence[str]]


class Kinds:
    """Knows what tasks become, by what they take."""

    def __init__(self, example: Callable[[str], str], read_carefully: Callable[[str], Reading]) -> None:
        """The example is a flow of one task that takes this."""
        self._example = example
        self._read_carefully = read_carefully
        self._found: dict[str, dict[str, Any]] = {}

    def submission(self) -> dict[str, Any]:
        """Return what the flow becomes whose only task is the first that was asked for."""
        return next(iter(self._found.values()))

    def task(self, takes: str) -> dict[str, Any]:
        """Return what a task becomes that takes this. Raise NotAlikeError or InvalidInput if it is not plain."""
        if takes not in self._found:
            reading = self._read_carefully(self._example(takes))
            found = reading.submission
            # Whether a task leads to the flow's result, an example cannot tell.
            if reading.warnings or found["final"] or len(found["tasks"]) != 1 or len(self._found) == _KINDS_MAX:
                raise NotAlikeError
            self._found[takes] = found
        task: dict[str, Any] = self._found[takes]["tasks"][0]
        return task


def submission_of(names: Sequence[str], rows: Iterable[Row], kinds: Kinds) -> dict[str, Any]:
    """Return the submission of a flow of tasks with these names. Raise NotAlikeError if it is for the careful reader.

    Each row is taken and let go: all of them together are more than a processor has at hand.
    """
    if not 0 < len(names) <= TASKS_MAX or not NOTHING.isdisjoint(names):
        raise NotAlikeError
    tasks = _tasks(names, rows, kinds)
    return {**kinds.submission(), "tasks": tasks}


def _tasks(names: Sequence[str], rows: Iterable[Row], kinds: Kinds) -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = []
    takes_before, like, work = None, dict[str, Any](), dict[str, Any]()
    #: The edge to whoever only waits for a task.
    waiting = {name: {"source": name, "kind": "after", "port": ""} for name in names}
    if len(waiting) < len(names):
        raise NotAlikeError
    above, are_in_order = set[str](), True
    for name, takes, key, sources, argv, results in rows:
        if takes != takes_before:
            takes_before, like = takes, kinds.task(takes)
            work = like["command"]
        distinct = set(sources)
        if not above >= distinct:
            are_in_order = False
            if not waiting.keys() >= distinct:
                raise NotAlikeError
        if len(distinct) < len(sources) or (results and (key != "needs" or not distinct.issuperset(results))):
            raise NotAlikeError
        if len(argv) > COMMAND_WORDS_MAX or len(sources) > EDGES_MAX or (len(argv) == 1 and argv[0] in NOTHING):
            raise NotAlikeError
        if key == "needs":
            edges = [{"source": source, "kind": "broadcast", "port": source} for source in sources]
        else:
            edges = [waiting[source] for source in sources]
        tasks.append({**like, "name": name, "command": {**work, "argv": argv}, "edges": edges})
        above.add(name)
    if not are_in_order:
        _check_order(tasks)
    return tasks


def _check_order(tasks: list[dict[str, Any]]) -> None:
    """Tasks may stand above those that they wait for, as when a program sorts them, but not wait in a circle."""
    graph = {task["name"]: [edge["source"] for edge in task["edges"]] for task in tasks}
    try:
        in_order(graph)
    except CycleError:
        raise NotAlikeError from None
