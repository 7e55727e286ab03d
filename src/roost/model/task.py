"""What a task is: an array of like elements, what to run for each, what it needs and what it waits for.

A single task is an array of one. The elements of an array *are* the indices the person gave (``--array 5-9`` has the
elements 5 to 9), so that nothing has to be translated between what is shown and what is kept.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.model.clock import Stamp
from roost.model.ids import BlobHash, RunId, TaskId
from roost.model.ranges import RangeSet


class Priority(StrEnum):
    """Interactive goes before low (LAN 3.3); inside one class first come, first served."""

    INTERACTIVE = "interactive"
    LOW = "low"


class EdgeKind(StrEnum):
    """How the elements of a source feed the elements of a task."""

    #: Element i waits for element i, and gets its result.
    EACH = "each"
    #: Every element waits for all of the source, and gets the list of its results in the order of the indices.
    ALL = "all"
    #: Every element waits for the source's only element, and gets its result.
    BROADCAST = "broadcast"
    #: Every element waits until the source has ended well, and gets nothing.
    AFTER = "after"


class Edge(msgspec.Struct, frozen=True, array_like=True):
    """A task waits for ``source``; its results arrive under the name ``port``."""

    source: TaskId
    kind: EdgeKind
    port: str = ""


class Protocol(StrEnum):
    """What a command's standard output means."""

    #: Output is output; lines ``::progress 40`` also report progress.
    PLAIN = "plain"
    #: LAN's line protocol (LAN 3.5): PROGRESS, TERMINATED, CANCEL, CANCELLED, ERROR.
    LAN = "lan"


class Command(msgspec.Struct, frozen=True, tag="command"):
    """Run a program once for each element. Words, paths and variables may hold placeholders (executors/template.py)."""

    argv: tuple[str, ...]
    #: Where it runs; None is a fresh folder of its own, which ends with it except for ``outputs``.
    cwd: str | None = None
    env: dict[str, str] = {}
    stdin: str | None = None
    protocol: Protocol = Protocol.PLAIN
    #: Files that the program must leave in its folder: name -> path relative to the folder.
    outputs: dict[str, str] = {}
    #: If not empty, a program of this name in the programs' folder of the node that runs it: it is run there, whatever
    #: ``cwd`` and the first word say, and only by a node that has it (LAN 4.2).
    program: str = ""


class Function(msgspec.Struct, frozen=True, tag="function"):
    """Call a Python function once for each element, in a persistent worker process."""

    code: BlobHash
    #: The minor version that pickled it, e.g. "3.11"; another one cannot load it safely.
    python: str
    #: How people know it.
    name: str = "function"
    #: The pickled (args, kwargs) of every element, if the elements have no items of their own. In both, a persistent id
    #: stands for what only the node knows: ("port", name) for the value that arrives there, ("index",) for the index.
    arguments: BlobHash | None = None
    #: A pickled callable without arguments, called once in each worker process before the first element.
    initializer: BlobHash | None = None


Work: TypeAlias = Command | Function


class Needs(msgspec.Struct, frozen=True):
    """What an element takes while it runs, and how long it may."""

    cpus: float = 1.0
    memory_bytes: int = 0
    time_limit_s: float | None = None


class TaskSpec(msgspec.Struct, frozen=True):
    """The part of a task that never changes."""

    id: TaskId
    run: RunId
    work: Work
    elements: RangeSet
    submitted: Stamp
    edges: tuple[Edge, ...] = ()
    needs: Needs = Needs()
    priority: Priority = Priority.LOW
    retries: int = 0
    #: Whether every element has an input of its own (a line, a value, pickled arguments) among the items.
    has_items: bool = False


class RunKind(StrEnum):
    """How a run came to be; it decides what ``get`` shows and when the run may end."""

    COMMAND = "command"
    FLOW = "flow"
    #: A Python session: tasks are added while it lives.
    SESSION = "session"


class RunSpec(msgspec.Struct, frozen=True):
    """The part of a run that never changes."""

    id: RunId
    name: str
    kind: RunKind
    owner: str
    host: str
    submitted: Stamp
    #: Tasks whose results are the run's result; empty means those that feed no other.
    final: tuple[TaskId, ...] = ()


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why an attempt failed, with all that a person needs to see what went wrong."""

    #: One sentence: "exit code 3", "killed by signal 9 (SIGKILL)", "ValueError: bad", "took longer than 5 s".
    reason: str
    exit_code: int | None = None
    signal: int | None = None
    peak_memory_bytes: int | None = None
    duration_s: float | None = None
    #: The traceback, or the last lines of output.
    detail: str = ""
    #: Whether trying again is useless (the program is not there, the function cannot be loaded).
    permanent: bool = False
