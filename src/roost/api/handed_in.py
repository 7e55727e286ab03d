"""Answers about what the commands of a run were handed in with: their words, and the items of their elements."""

from typing import Any

import msgspec

from roost.api.answers import Paged
from roost.model.ids import TaskId
from roost.model.recorded import Recorded


class TaskCommand(msgspec.Struct, frozen=True):
    """The command of a task as it was handed in, with its placeholders."""

    task: TaskId
    argv: list[str]
    #: Whether every element has an input of its own.
    has_items: bool
    cwd: str | None
    #: Its variables, without those of the submitter's environment that always go along.
    env: dict[str, str]
    stdin: str | None
    outputs: dict[str, str]
    #: What it was in a recorded workflow, if it was said to come from one.
    recorded: Recorded | None = None


class Commands(Paged, frozen=True):
    """A page of commands."""

    commands: list[TaskCommand]


class ElementInput(msgspec.Struct, frozen=True):
    """The item that an element of a command was handed in with."""

    task: TaskId
    index: int
    #: The index as people write it.
    path: str
    item: Any


class Inputs(Paged, frozen=True):
    """A page of items."""

    inputs: list[ElementInput]
