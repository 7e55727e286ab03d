"""What a workflow looks like whatever language it is written in: its nodes, their ports, and what leads to what.

Checkers and drawers work on this, so that a mistake has the same sentence in every language,
and every graph the same look.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from roost.executors.worker.taking import type_of
from roost.languages.trace.recorded import own_words, recorded_of
from roost.languages.trace.trace import Trace
from roost.model.recorded import Replayed

#: What a task of a submission may do.
_WORKS = ("command", "function", "script", "value", "manual")
#: How much is shown of what a task does.
_WHAT_LENGTH_MAX = 120
#: What a port may take and a node may give; an empty type is anything.
TYPES = ("Number", "String", "Boolean", "Array", "Object", "null", "undefined")


@dataclass(frozen=True, slots=True)
class OutlinePort:
    """An input of a node; line 0 is the node's own line."""

    name: str
    type: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class OutlineNode:
    name: str
    #: One of value, job, pool, manual, command, function, script.
    kind: str
    line: int
    #: What it does, in a few words: the value, the file, the command.
    what: str = ""
    ports: tuple[OutlinePort, ...] = ()
    #: The type of its result.
    gives: str = ""
    #: If it is in a pool, the name of the node whose list the pool goes over.
    pool: str = ""


@dataclass(frozen=True, slots=True)
class OutlineLink:
    """The source's result arrives at the target's port; an empty port is the only one there is."""

    source: str
    target: str
    port: str
    #: One of each, all, broadcast, spread, after; ``after`` brings nothing and needs no port.
    kind: str
    line: int
    #: The part of the result that arrives; empty for all of it.
    pick: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    name: str
    nodes: tuple[OutlineNode, ...]
    links: tuple[OutlineLink, ...]
    #: Nodes whose results are the run's; none named means those that feed no other.
    final: tuple[str, ...]
    #: Where the file names them.
    final_line: int = 1


def kind_of(task: Mapping[str, Any]) -> str:
    """Return the kind of node that a task of a submission is."""
    return next((kind for kind in _WORKS if task.get(kind) is not None), "job")


def outline_of(submission: Mapping[str, Any]) -> Outline:
    """Return nodes and links in the order of the submission; it knows no lines, so all are on line 1."""
    tasks = submission["tasks"]
    links = tuple(_link(task["name"], edge) for task in tasks for edge in task.get("edges") or ())
    nodes = tuple(map(_node, tasks))
    return Outline(submission.get("name") or "workflow", nodes, links, tuple(submission.get("final") or ()))


def _node(task: Mapping[str, Any]) -> OutlineNode:
    kind = kind_of(task)
    work = task.get(kind) or {}
    ports = tuple(_port(edge) for edge in task.get("edges") or () if edge.get("port"))
    return OutlineNode(task["name"], kind, 1, _what(kind, work), ports, _gives(kind, work), task.get("sized_by") or "")


def _port(edge: Mapping[str, Any]) -> OutlinePort:
    return OutlinePort(edge["port"], "Array" if edge["kind"] == "all" else edge.get("type") or "", 1)


def _gives(kind: str, work: Mapping[str, Any]) -> str:
    """Return the type of a task's result, empty if it is not known."""
    match kind:
        case "value":
            return str(type_of(work.get("json")))
        case "manual":
            return "Object"
        case "script":
            return work.get("returns") or work.get("declares") or ""
    return ""


def _link(target: str, edge: Mapping[str, Any]) -> OutlineLink:
    return OutlineLink(edge["source"], target, edge.get("port") or "", edge["kind"], 1, edge.get("pick") or "")


def _what(kind: str, work: Any) -> str:
    match kind:
        case "command":
            recorded = recorded_of(work)
            text = shlex.join(own_words(work["argv"], recorded))
            if isinstance(recorded, Replayed):
                text = f"waits {recorded.seconds:g} s"
        case "function":
            text = work["call"]
        case "script":
            text = work.get("entry") or ""
        case "value":
            text = repr(work.get("json"))
        case "manual":
            text = work.get("title") or ""
        case _:
            text = ""
    line = " ".join(text.split())
    return line if len(line) <= _WHAT_LENGTH_MAX else f"{line[: _WHAT_LENGTH_MAX - 1]}…"


class Reading:
    """A workflow file that was read without mistakes: what to hand in, what to draw, and what is merely untidy.

    Without an ``outline`` of its own it has that of its submission.
    A recorded workflow that is not to be run comes with its ``trace``, which says more than a submission can.
    """

    def __init__(
        self,
        submission: dict[str, Any],
        outline: Outline | None,
        warnings: list[str],
        trace: Trace | None = None,
        replay: Callable[[], dict[str, Any]] | None = None,
    ) -> None:
        self.submission = submission
        self.warnings = warnings
        self.trace = trace
        #: What it is written in, in words.
        self.language = "workflow"
        self._outline = outline
        self._replay = replay

    @cached_property
    def replay(self) -> dict[str, Any] | None:
        """What would be handed in to replay a recorded workflow; None of any other.

        Raise InvalidInput with the lines of what keeps it from being replayed.
        """
        return None if self._replay is None else self._replay()

    @cached_property
    def outline(self) -> Outline:
        return self._outline or outline_of(self.submission)

    def kinds(self) -> Counter[str]:
        """Return how many nodes there are of each kind, without making an outline for that."""
        if self._outline is not None:
            return Counter(node.kind for node in self._outline.nodes)
        return Counter(map(kind_of, self.submission["tasks"]))
