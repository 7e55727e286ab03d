"""What there is to see at one moment: the nodes, the steps, and who did how much; made from answers of the API."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from roost.model.paths import read_ranges
from roost.model.ranges import EMPTY, RangeSet


class NodeSeen(NamedTuple):
    name: str
    #: alive, suspect, dead or left, in the eyes of the node that was asked.
    standing: str
    #: What it runs now, e.g. "make 104".
    running: tuple[str, ...]
    #: How many accepted results it made.
    done: int


class StepSeen(NamedTuple):
    name: str
    elements: RangeSet
    done: RangeSet
    done_on: Mapping[str, int]
    #: How many ended in another way than well.
    wrong: int


class Scene(NamedTuple):
    nodes: tuple[NodeSeen, ...]
    steps: tuple[StepSeen, ...]

    @property
    def total(self) -> int:
        return sum(len(step.elements) for step in self.steps)

    @property
    def done(self) -> int:
        return sum(len(step.done) for step in self.steps)

    @property
    def wrong(self) -> int:
        return sum(step.wrong for step in self.steps)

    @property
    def ended(self) -> bool:
        return self.done + self.wrong >= self.total

    def node(self, name: str) -> NodeSeen:
        return next(node for node in self.nodes if node.name == name)

    def done_of(self, step: str) -> RangeSet:
        return next(seen.done for seen in self.steps if seen.name == step)


def scene_of(names: Sequence[str], nodes: Sequence[Mapping[str, Any]], run: Mapping[str, Any]) -> Scene:
    """Put together what a node says of the nodes with these names (/v1/nodes) and of a run (/v1/runs/RUN)."""
    steps = tuple(_step(step) for step in run["steps"])
    standing = {node["node"]: str(node["standing"]) for node in nodes}
    running = [(one["node"], f"{step['name']} {one['index']}") for step in run["steps"] for one in step["running"]]
    seen = (
        NodeSeen(
            name,
            standing.get(name, "unknown"),
            tuple(what for node, what in running if node == name),
            sum(step.done_on.get(name, 0) for step in steps),
        )
        for name in names
    )
    return Scene(tuple(seen), steps)


def begun_on(name: str, run: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """Return the elements that a node runs, as (step, index)."""
    return tuple(
        (step["name"], one["index"]) for step in run["steps"] for one in step["running"] if one["node"] == name
    )


def _step(step: Mapping[str, Any]) -> StepSeen:
    elements = EMPTY
    for ranges in step["ranges"].values():
        elements |= read_ranges(ranges)
    done = read_ranges(step["ranges"]["done"]) if "done" in step["ranges"] else EMPTY
    wrong = sum(step["counts"][state] for state in ("failed", "cancelled", "aborted"))
    return StepSeen(step["name"], elements, done, step["done_on"], wrong)
