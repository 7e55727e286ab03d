"""The frames of the stream of changes (``/v1/events``)."""

from typing import TypeAlias

import msgspec

from roost.model.ids import NodeId, RunId, TaskId


class HelloEvent(msgspec.Struct, frozen=True, tag="hello"):
    """The first frame: changes from here on follow."""

    version: str
    node: NodeId
    boot: int


class TaskEvent(msgspec.Struct, frozen=True, tag="task"):
    """Elements of a task are now ``state``."""

    task: TaskId
    state: str
    elements: str


class RunEvent(msgspec.Struct, frozen=True, tag="run"):
    """A run is now ``state``: added with its tasks, suspended, resumed, sealed, finished."""

    run: RunId
    state: str


class ProgressEvent(msgspec.Struct, frozen=True, tag="progress"):
    """A running element says how far it is, 0 to 1."""

    task: TaskId
    index: int
    #: The index as people write it.
    path: str
    fraction: float
    note: str


StreamedEvent: TypeAlias = HelloEvent | TaskEvent | RunEvent | ProgressEvent
