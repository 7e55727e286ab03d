"""The work of a what-if: tasks with their elements, how long each takes, and what waits for what.

Lengths are those on a machine of speed 1, and are what nobody in the world knows; ``stated_s`` is what its nodes are
told. A description of work is ``1000 x 20m``, or ``500 x 5m-25m`` for lengths that are uniform between two; before it
may stand whose it is: ``anna: 1000 x 20m``. Then the mean length is stated.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, TypeAlias

import msgspec

from roost.model.errors import InvalidInput
from roost.model.limits import DURATION_S_MAX, WHAT_IF_ELEMENTS_MAX
from roost.model.ranges import RangeSet
from roost.model.resources import parse_duration
from roost.model.task import EdgeKind, Needs, Priority
from roost.model.visible import quoted

#: Whose work it is if nobody says.
NOBODY: Final = ""


class Measured(msgspec.Struct, frozen=True, tag="measured"):
    """How long each element takes, in the order of the indices."""

    seconds: tuple[float, ...]


class Uniform(msgspec.Struct, frozen=True, tag="uniform"):
    """Drawn anew for each world, evenly between the two; they may be the same."""

    low_s: float
    high_s: float


Lengths: TypeAlias = Measured | Uniform


class Link(msgspec.Struct, frozen=True):
    """A task waits for another one: its place among all, in which way, and how many pools lie between them.

    With EACH, so many that the source lies further out; with GATHER, further in.
    """

    source: int
    kind: EdgeKind
    pools: int = 0


class Task(msgspec.Struct, frozen=True):
    name: str
    #: Boundaries of the set of its indices.
    bounds: tuple[int, ...]
    lengths: Lengths
    links: tuple[Link, ...] = ()
    needs: Needs = Needs()
    #: Whether a node has to run it. What a person answers, or what was handed in, is there at once.
    is_run: bool = True
    stated_s: float | None = None
    owner: str = NOBODY
    is_pure: bool = False
    may_repeat: bool = True
    priority: Priority = Priority.LOW

    @property
    def elements(self) -> RangeSet:
        return RangeSet(self.bounds)


class Work(msgspec.Struct, frozen=True):
    """Tasks, each after those that it waits for."""

    tasks: tuple[Task, ...]

    @property
    def elements(self) -> int:
        return sum(len(task.elements) for task in self.tasks if task.is_run)

    @property
    def owners(self) -> list[str]:
        return list(dict.fromkeys(task.owner for task in self.tasks))


def joined(parts: Sequence[Work]) -> Work:
    """Return all of several works as one, that of the first before that of the others in the queue."""
    tasks: list[Task] = []
    for part in parts:
        before = len(tasks)
        for task in part.tasks:
            links = tuple(msgspec.structs.replace(link, source=link.source + before) for link in task.links)
            tasks.append(msgspec.structs.replace(task, links=links) if before else task)
    work = Work(tuple(tasks))
    if not work.elements:
        raise InvalidInput("there is nothing to run in that work; name some that has something to run")
    if work.elements > WHAT_IF_ELEMENTS_MAX:
        most = f"at most {WHAT_IF_ELEMENTS_MAX:,} are lived through"
        raise InvalidInput(f"the work has {work.elements:,} elements, and {most}; ask about a part of it")
    return work


_DESCRIPTION: Final = re.compile(r"(?:\s*([^\s:]+)\s*:)?\s*([0-9][0-9_,]*)\s*[x*]\s*([^-]+?)\s*(?:-\s*([^-]+?)\s*)?")
_EXAMPLE: Final = "write for example '1000 x 20m', '500 x 5m-25m' or 'anna: 100 x 1h'"


def described_work(text: str, at: int = 0, *, is_pure: bool = False, needs: Needs | None = None) -> Work:
    """Read a description; ``at`` is how many stand before it. Raise InvalidInput, with an example, for what is none."""
    read = _DESCRIPTION.fullmatch(text)
    if read is None:
        raise InvalidInput(f"--work {quoted(text)} is no description of work; {_EXAMPLE}")
    owner, count_text, low, high = read.groups()
    count = int(re.sub("[_,]", "", count_text))
    if not 0 < count <= WHAT_IF_ELEMENTS_MAX:
        raise InvalidInput(f"--work {quoted(text)}: use 1 to {WHAT_IF_ELEMENTS_MAX:,} elements")
    try:
        low_s = parse_duration(low)
        high_s = low_s if high is None else parse_duration(high)
    except InvalidInput as error:
        raise InvalidInput(f"--work {quoted(text)}: {error}") from None
    if low_s > high_s:
        raise InvalidInput(f"--work {quoted(text)}: the shorter length comes first; {_EXAMPLE}")
    stated_s = min((low_s + high_s) / 2, DURATION_S_MAX)
    task = Task(
        f"work{at + 1}",
        (0, count),
        Uniform(low_s, high_s),
        needs=needs or Needs(),
        stated_s=stated_s,
        owner=owner or NOBODY,
        is_pure=is_pure,
    )
    return Work((task,))


def draw_lengths(work: Work, seed: str) -> list[Mapping[int, float]]:
    """Return how long each element of each task takes in a world, by its index."""
    drawn: list[Mapping[int, float]] = []
    for at, task in enumerate(work.tasks):
        match task.lengths:
            case Measured(seconds=seconds):
                drawn.append(dict(zip(task.elements, seconds, strict=True)))
            case Uniform(low_s=low_s, high_s=high_s):
                rng = Random(f"{seed}/work/{at}")
                drawn.append({index: rng.uniform(low_s, high_s) for index in task.elements})
    return drawn
