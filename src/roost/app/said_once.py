"""A submission as it travels: what its tasks repeat stands there once, and they name it by its number.

The readers of workflows give every task its whole environment and source, which is plain to work with. A flow of a
hundred thousand tasks would be a larger request than a node takes.
"""

from collections.abc import Mapping
from typing import Any


def said_once(submission: Mapping[str, Any]) -> dict[str, Any]:
    """Return the submission with environments and sources of scripts in tables; what one task has alone stays there."""
    environments = _Table(submission["tasks"], "command", "env")
    codes = _Table(submission["tasks"], "script", "code")
    tasks = [codes.refer(environments.refer(task)) for task in submission["tasks"]]
    tables = {"environments": environments.entries, "codes": codes.entries}
    return {**submission, "tasks": tasks} | {name: entries for name, entries in tables.items() if entries}


class _Table:
    """The values of one field that several tasks have."""

    def __init__(self, tasks: list[dict[str, Any]], work: str, field: str) -> None:
        self._work = work
        self._field = field
        self.entries: list[Any] = []
        self._numbers: dict[Any, int] = {}
        seen: dict[Any, Any] = {}
        for task in tasks:
            value = self._value(task)
            key = _key(value)
            if value and key in seen and key not in self._numbers:
                self._numbers[key] = len(self.entries)
                self.entries.append(value)
            seen[key] = value

    def refer(self, task: dict[str, Any]) -> dict[str, Any]:
        number = self._numbers.get(_key(self._value(task))) if self._numbers else None
        return task if number is None else {**task, self._work: {**task[self._work], self._field: number}}

    def _value(self, task: dict[str, Any]) -> Any:
        work = task.get(self._work)
        return None if work is None else work.get(self._field)


def _key(value: Any) -> Any:
    return tuple(value.items()) if isinstance(value, dict) else value
