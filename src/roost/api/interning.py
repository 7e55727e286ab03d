"""A submission as it travels: what its tasks repeat stands there once, and they name it by its number.

The readers of workflows give every task its whole environment and source, which is plain to work with. A flow of a
hundred thousand tasks would be a larger request than a node takes.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any


def said_once(submission: Mapping[str, Any]) -> dict[str, Any]:
    """Return the submission with environments and sources of scripts in tables; what one task has alone stays there."""
    tasks, tables = submission["tasks"], {}
    for name, works, field in (("environments", ("command", "function"), "env"), ("codes", ("script",), "code")):
        found = [_found(task, works, field) for task in tasks]
        counts = Counter(key for _, key in found if key)
        numbers = {key: at for at, key in enumerate(key for key, count in counts.items() if count > 1)}
        if numbers:
            tasks = [
                {**task, work: {**task[work], field: numbers[key]}} if key in numbers else task
                for task, (work, key) in zip(tasks, found, strict=True)
            ]
            tables[name] = [dict(key) if isinstance(key, tuple) else key for key in numbers]
    return {**submission, "tasks": tasks, **tables}


def _found(task: Mapping[str, Any], works: tuple[str, ...], field: str) -> tuple[str, Any]:
    """Return the kind of work that a task does, if it has the field, and what stands there, as a key."""
    for work in works:
        if task.get(work) is not None:
            value = task[work].get(field)
            return work, tuple(value.items()) if isinstance(value, dict) else value
    return "", None
