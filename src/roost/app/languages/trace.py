"""A recorded workflow, whatever format it was recorded in: tasks, the files between them, and how long each took."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

#: What a mistake is about: the task's position, what of it, and which of several; the reader knows the line of that.
Place: TypeAlias = tuple[int, str, int]
#: Files that other tasks leave, each with the word that becomes the path under which it arrives.
Arriving: TypeAlias = dict[str, str]


class TraceTask(msgspec.Struct, gc=False):
    """One task. Its files and parents are named by the ids that the document gives them."""

    id: str
    #: What kind of task it is, for people.
    kind: str = ""
    #: The program and its arguments; None if the document does not say.
    argv: list[str] | None = None
    inputs: list[str] = []
    outputs: list[str] = []
    parents: list[str] = []
    #: None if it was not recorded.
    seconds: float | None = None
    cpus: float = 1.0
    #: Files of which one is its standard input, and others take its standard output and standard error.
    stdin: str = ""
    stdout: str = ""
    stderr: str = ""


@dataclass(slots=True)
class Trace:
    name: str
    tasks: list[TraceTask]
    #: Bytes of each file of which the document says how large it is; None: it says so of none.
    sizes: dict[str, int] | None
    #: Where programs and files of the outside are, if the document says so.
    found_at: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class TraceProblems:
    """Mistakes by place; lines are looked up for those that are told, because finding one means reading all again."""

    found: list[tuple[Place, str]] = field(default_factory=list)

    def add(self, place: Place, sentence: str) -> None:
        self.found.append((place, sentence))

    def __bool__(self) -> bool:
        return bool(self.found)


Locate: TypeAlias = Callable[[list[Place]], list[int]]
