"""A submission as it travels: what its tasks repeat stands there once, and they name it by its number.

The readers of workflows give every task its whole environment and source, which is plain to work with. A flow of a
hundred thousand tasks would be a larger request than a node takes.
"""

from collections.abc import Mapping
from typing import Any


def said_once(submission: Mapping[str, Any]) -> dict[str, Any]:
    """Return the submission with environments and sources of scripts in tables; what one task has alone stays there."""
    tasks, tables = submission["tasks"], {}
    for name, works, field in (("environments", ("command", "function"), "env"), ("codes", ("script",), "code")):
        table = _Table(works, field)
        table.look_at(tasks)
        if table.entries:
            tasks = [table.refer(task) for task in tasks]
            tables[name] = table.entries
    return {**submission, "tasks": tasks, **tables}


class _Table:
    """The values of one field that several tasks have."""

    def __init__(self, works: tuple[str, ...], field: str) -> None:
        self._works = works
        self._field = field
        self.entries: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._last: Any = None
        self._last_key: Any = None

    def look_at(self, tasks: list[dict[str, Any]]) -> None:
        seen: set[Any] = set()
        for task in tasks:
            value = self._found(task)[1]
            if not value:
                continue
            key = self._key(value)
            if key in seen and key not in self._numbers:
                self._numbers[key] = len(self.entries)
                self.entries.append(value)
            seen.add(key)

    def refer(self, task: dict[str, Any]) -> dict[str, Any]:
        work, value = self._found(task)
        number = self._numbers.get(self._key(value)) if value else None
        return task if number is None else {**task, work: {**task[work], self._field: number}}

    def _found(self, task: dict[str, Any]) -> tuple[str, Any]:
        """Return the kind of work that a task does, if it has the field, and what stands there."""
        for work in self._works:
            if task.get(work) is not None:
                return work, task[work].get(self._field)
        return "", None

    def _key(self, value: Any) -> Any:
        # Tasks that follow each other mostly have the same object.
        if value is not self._last:
            self._last = value
            self._last_key = tuple(value.items()) if isinstance(value, dict) else value
        return self._last_key
