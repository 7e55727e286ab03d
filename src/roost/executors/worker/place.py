"""Where this process is: inside of an element of Roost, and of which, or nowhere.

A function asks its worker, which knows what it runs now. A command, and whatever a function has started, is told by its
environment; that is set once for a lease of functions, and therefore does not name the element.
"""

import os
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from roost.model.ids import TaskId, run_of
from roost.model.token import Token

LEASE_VARIABLE: Final = "ROOST_LEASE"
_TASK_VARIABLE: Final = "ROOST_TASK"
_INDEX_VARIABLE: Final = "ROOST_INDEX"


class ElementPlace(msgspec.Struct, frozen=True):
    """An element that runs, as its node knows it."""

    task: TaskId
    lease: int
    #: None if only the lease is known.
    index: int | None


_worker: Callable[[], ElementPlace | None] | None = None


def ask(worker: Callable[[], ElementPlace | None] | None) -> None:
    """Have ``here`` ask this worker; None is a process that is none."""
    global _worker  # noqa: PLW0603 -- a process runs one element at a time, and the function cannot know its worker
    _worker = worker


def here() -> ElementPlace | None:
    """Return the element that runs in this process, or that has started it; None if there is none."""
    return _worker() if _worker is not None else told_by(os.environ)


def task_here() -> str:
    """Return the task of the element that runs here, or ""."""
    at = here()
    return "" if at is None else at.task


def told_by(environment: Mapping[str, str]) -> ElementPlace | None:
    task, lease = environment.get(_TASK_VARIABLE), environment.get(LEASE_VARIABLE, "")
    if not task or not lease.isdecimal():
        return None
    index = environment.get(_INDEX_VARIABLE, "")
    return ElementPlace(TaskId(task), int(lease), int(index) if index.isdecimal() else None)


def variables(task: TaskId, token: Token, lease: int) -> dict[str, str]:
    """Return what the environment of an element says of its lease."""
    return {
        "ROOST_RUN": run_of(task),
        _TASK_VARIABLE: task,
        "ROOST_TOKEN": str(token),
        LEASE_VARIABLE: str(lease),
    }
