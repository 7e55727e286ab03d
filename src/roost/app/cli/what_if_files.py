"""The work of a what-if: a workflow file of any language, which is read as `roost run` reads it.

Rules
- A recorded workflow tells how long its tasks took; a flow may state it. Else a person says it once for all of them.
- Nodes are told what a flow states. Of a recorded workflow they are told nothing, as when it is replayed.
- How many elements a pool has shows when it runs. So a person says with how many to reckon.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from roost.app.cli.common import loaded
from roost.lab.what_if.work import Lengths, Link, Measured, Task, Uniform, Work
from roost.languages.outline import Reading, kind_of
from roost.languages.read import read_workflow
from roost.languages.trace.recorded import recorded_of
from roost.model.errors import InvalidInput
from roost.model.limits import WHAT_IF_ELEMENTS_MAX
from roost.model.order import in_order
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import ONE, RangeSet
from roost.model.recorded import Replayed
from roost.model.task import EdgeKind, Needs, Priority

Json = Mapping[str, Any]
_UNRUN: Final = frozenset({"value", "manual"})


class Guesses(msgspec.Struct, frozen=True):
    """What a person says of what the file leaves open."""

    length_s: float | None = None
    items: int | None = None
    is_pure: bool = False


def work_of_file(path: Path, overrides: Mapping[str, str], guesses: Guesses) -> tuple[Work, list[str]]:
    """Read a workflow; return its work, and what is untidy about it. Raise NotFound or InvalidInput."""
    reading = read_workflow(path, overrides, to_run=False)
    submission = reading.replay or reading.submission
    # Whether a recorded workflow could be run as it is matters to nobody here.
    warnings = reading.warnings if reading.trace is None else []
    try:
        loaded("roost.app.intake.rehearsal").rehearse(submission)
        return _Reader(submission["tasks"], _recorded(reading, submission), guesses).work(), warnings
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _recorded(reading: Reading, submission: Json) -> dict[str, float]:
    """Return how long tasks took that were recorded, by their names in the submission."""
    found = {}
    traced = reading.trace.tasks if reading.trace is not None else ()
    for task, trace in zip(submission["tasks"], traced, strict=False):
        recorded = recorded_of(task["command"])
        if isinstance(recorded, Replayed) and trace.seconds is not None:
            found[task["name"]] = recorded.seconds
    return found


class _Reader:
    def __init__(self, tasks: Sequence[Json], recorded: Mapping[str, float], guesses: Guesses) -> None:
        by_name = {task["name"]: task for task in tasks}
        waits = {name: [edge["source"] for edge in _edges(task)] for name, task in by_name.items()}
        self._tasks = [by_name[name] for name in in_order(waits)]
        self._recorded = recorded
        self._guesses = guesses
        self._places = {task["name"]: at for at, task in enumerate(self._tasks)}
        self._elements: list[RangeSet] = []
        #: How many pools each lies in.
        self._depths: list[int] = []

    def work(self) -> Work:
        return Work(tuple(self._task(task) for task in self._tasks))

    def _task(self, task: Json) -> Task:
        is_run = kind_of(task) not in _UNRUN
        elements, depth = self._sized(task)
        self._elements.append(elements)
        self._depths.append(depth)
        return Task(
            task["name"],
            elements.bounds,
            self._lengths(task, len(elements)) if is_run else Uniform(0.0, 0.0),
            tuple(self._link(edge, depth) for edge in _edges(task) if edge["source"] in self._places),
            Needs.of(task.get("cpus") or 1.0, task.get("memory_bytes") or 0, condition=task.get("require") or ""),
            is_run=is_run,
            stated_s=task.get("length_s"),
            is_pure=self._guesses.is_pure or task.get("reuse") is True,
            may_repeat=task.get("reuse") is not False,
            priority=Priority(task.get("priority") or Priority.LOW),
        )

    def _sized(self, task: Json) -> tuple[RangeSet, int]:
        """Return the elements of a task, and how many pools it lies in."""
        if task.get("array") is not None:
            return RangeSet.parse(task["array"]), 0
        if task.get("sized_by") is None:
            return (ONE if task.get("items") is None else RangeSet.span(0, len(task["items"]))), 0
        items = self._guesses.items
        if items is None:
            unknown = f"task '{task['name']}' has as many elements as the list of '{task['sized_by']}' has items"
            raise InvalidInput(f"{unknown}; say with --items how many to reckon with")
        mapper = self._places[task["sized_by"]]
        if len(self._elements[mapper]) * items > WHAT_IF_ELEMENTS_MAX:
            raise InvalidInput(f"--items {items} makes too many elements of task '{task['name']}'; use fewer")
        blocks = ((index * POOL_BLOCK, index * POOL_BLOCK + items) for index in self._elements[mapper])
        return RangeSet.of_spans(blocks), self._depths[mapper] + 1

    def _link(self, edge: Json, depth: int) -> Link:
        source = self._places[edge["source"]]
        return Link(source, EdgeKind(edge["kind"]), abs(depth - self._depths[source]))

    def _lengths(self, task: Json, count: int) -> Lengths:
        name = task["name"]
        seconds = self._recorded.get(name)
        if seconds is not None:
            return Measured((seconds,) * count)
        length_s = task.get("length_s") or self._guesses.length_s
        if length_s is None:
            raise InvalidInput(f"nobody says how long task '{name}' takes; say it in the file, or with --length 20m")
        return Uniform(length_s, length_s)


def _edges(task: Json) -> Sequence[Json]:
    edges: Sequence[Json] = task.get("edges") or ()
    return edges
