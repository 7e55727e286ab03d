"""Whether everything held: one accepted result for each element, and the same ones wherever one asks."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from examples.demo.scene import Scene
from roost.model.ranges import RangeSet

#: All results of a run as one node gives them: (step, index, what it made).
Given = list[tuple[str, int, object]]


def given(results: Iterable[Mapping[str, Any]]) -> Given:
    """Take results as the API lists them."""
    return [(one["task"].rpartition("/")[2], one["index"], one["pickle"] or one["stdout"]) for one in results]


def faults(before: Scene, after: Scene, answers: Mapping[str, Given]) -> list[str]:
    """Return a sentence for everything that did not hold; nothing if all did.

    ``before`` is what was handed in, as seen before the kill; ``answers`` are the results that each survivor gives.
    """
    found = []
    if after.done != before.total:
        found.append(f"{after.done:,} of {before.total:,} elements are done")
    unknown = [step.name for step in after.steps if sum(step.done_on.values()) != len(step.done)]
    found += [f"{name}: it is not known who made all results" for name in unknown]
    for node, results in answers.items():
        found += [f"{node}: {fault}" for fault in _counted(before, results)]
    first, *others = answers.values()
    if any(sorted(other, key=_place) != sorted(first, key=_place) for other in others):
        found.append("the survivors give different results")
    return found


def _counted(before: Scene, results: Given) -> list[str]:
    times = Counter((step, index) for step, index, _ in results)
    wrong = []
    for step in before.steps:
        missing = RangeSet.of(index for index in step.elements if times[step.name, index] == 0)
        twice = RangeSet.of(index for index in step.elements if times[step.name, index] > 1)
        if missing:
            wrong.append(f"{step.name} {missing} has no result")
        if twice:
            wrong.append(f"{step.name} {twice} has more than one result")
    expected = sum(len(step.elements) for step in before.steps)
    return wrong if wrong or len(times) == expected else ["there are results that nobody asked for"]


def _place(result: tuple[str, int, object]) -> tuple[str, int]:
    return result[0], result[1]
