"""A recorded workflow, whatever format it was recorded in: tasks, the files between them, and how long each took."""

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
    #: Variables of its own.
    env: dict[str, str] | None = None


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
    #: Whether what keeps tasks from being run as they are is a mistake. Whoever only looks at a workflow is warned.
    to_run: bool = True
    #: What is untidy and done without: of each kind the first, and how many there are.
    warned: dict[str, tuple[Place, str, int]] = field(default_factory=dict)

    def add(self, place: Place, sentence: str) -> None:
        self.found.append((place, sentence))

    def warn(self, kind: str, place: Place, sentence: str) -> None:
        """Note what is untidy. Documents have it thousands of times if they have it once, so one of a kind is told."""
        first, told, count = self.warned.get(kind, (place, sentence, 0))
        self.warned[kind] = (first, told, count + 1)

    def hinder(self, kind: str, place: Place, sentence: str) -> None:
        """Note what keeps a task from being run as it is, though the workflow may still be replayed."""
        if self.to_run:
            self.add(place, sentence)
        else:
            self.warn(kind, place, sentence)

    def warnings(self) -> list[tuple[Place, str]]:
        return [
            (place, f"{sentence} ({count - 1:,} more like this)" if count > 1 else sentence)
            for place, sentence, count in self.warned.values()
        ]

    def __bool__(self) -> bool:
        return bool(self.found)
