"""The accounts of the published tables: which of their cells do not agree with each other, or with their own protocol.

Arithmetic alone
- Four tasks of 2 min, each after a wait: a make-span is 8 min and four waits, but for what starting a task takes. With
  nodes that fail it is longer, by what ran in vain and by the time until that was seen.
- Two nodes are not more than twice as fast as one. A cell that lies below the one-node cell divided by its nodes needs
  an explanation.
- A system in which 8 of 9 nodes fail during their first task is one node with the same work, and some time lost.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from roost.lab.office.published import MAKE_SPAN_MIN, NODES, WAIT_MIN, WITH_FAILURES_MIN, WORKFLOWS
from roost.lab.office.workflows import TASK_S, TASKS

#: What two decimals hide, of one make-span and four waits, and a second for the start of each task.
AGREES_MIN: Final = 0.005 + TASKS * 0.005 + TASKS / 60.0


class Gap(NamedTuple):
    """A cell of table 5.3 beside what table 5.4 makes of it."""

    nodes: int
    workflows: int
    make_span_min: float
    #: 8 min and four waits.
    of_waits_min: float

    @property
    def gap_min(self) -> float:
        return self.make_span_min - self.of_waits_min

    @property
    def agrees(self) -> bool:
        return abs(self.gap_min) <= AGREES_MIN


def of_waits(wait_min: float) -> float:
    """Return the make-span of a chain whose tasks wait so long on average."""
    return TASKS * (TASK_S / 60.0 + wait_min)


def gaps() -> list[Gap]:
    return [
        Gap(nodes, count, MAKE_SPAN_MIN[nodes][at], of_waits(WAIT_MIN[nodes][at]))
        for nodes in NODES
        for at, count in enumerate(WORKFLOWS)
    ]


def faster_than_shared() -> Iterator[tuple[int, int, float]]:
    """Yield the cells, as nodes and workflows, that are faster than one node by more than their nodes; how much so."""
    for nodes in NODES:
        for at, count in enumerate(WORKFLOWS):
            times = MAKE_SPAN_MIN[1][at] / MAKE_SPAN_MIN[nodes][at]
            if times > nodes:
                yield nodes, count, times


def lost_per_failure_min(failing: int, workflows: int = WORKFLOWS[1]) -> float:
    """Return what each failure adds to the make-spans beside the waits, by table 5.5."""
    wait_min, make_span_min = WITH_FAILURES_MIN[failing]
    return (make_span_min - of_waits(wait_min)) * workflows / failing
