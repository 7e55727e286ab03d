"""What a workflow looks like whatever language it is written in: its nodes, their ports, and what leads to what.

Checkers and drawers work on this, so that a mistake has the same sentence in every language,
and every graph the same look.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from roost.languages.trace.trace import Trace

#: What a task of a submission may do.
_WORKS = ("command", "function", "script", "value", "manual")
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


class Reading:
    """A workflow file that was read without mistakes: what to hand in, what to draw, and what is merely untidy.

    The outline may come as a function that makes it: whoever runs a workflow of a hundred thousand tasks draws nothing.
    A recorded workflow that is not to be run comes with its ``trace``, which says more than a submission can.
    """

    def __init__(
        self,
        submission: dict[str, Any],
        outline: Outline | Callable[[], Outline],
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
        return self._outline if isinstance(self._outline, Outline) else self._outline()

    def kinds(self) -> Counter[str]:
        """Return how many nodes there are of each kind, without making an outline for that."""
        if isinstance(self._outline, Outline):
            return Counter(node.kind for node in self._outline.nodes)
        return Counter(map(kind_of, self.submission["tasks"]))
