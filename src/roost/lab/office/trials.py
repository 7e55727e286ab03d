"""What experiments run of LAN's protocol, as cells: a reading in all cells of the tables, over several draws."""

from collections.abc import Sequence
from statistics import fmean, stdev

import msgspec

from roost.lab.office.list_schedule import Workflow as Chain
from roost.lab.office.list_schedule import makespans
from roost.lab.office.protocol import Office
from roost.lab.office.readings import Reading
from roost.lab.office.workflows import TASK_S, Workflow, draw_workflows

#: Half of an interval of 95 %, in standard errors.
_NORMAL = 1.96


class Tested(msgspec.Struct, frozen=True):
    """A test with one number of nodes and workflows, averaged over draws of priorities and places."""

    make_span_min: float
    #: Half of the interval of 95 % of one draw: the document has made one.
    spread_min: float
    #: The smallest of all draws.
    least_min: float
    wait_min: float
    least_wait_min: float
    #: What a scheduler without overhead does with the same draws.
    floor_min: float
    executions: float


class Column(msgspec.Struct, frozen=True):
    """A column of the tables: so many workflows, by numbers of nodes, under a reading of the protocol."""

    reading: Reading
    workflows: int
    nodes: tuple[int, ...]
    draws: int
    seed: int


class Failures(msgspec.Struct, frozen=True):
    """A row of table 5.5: so many of the nodes fail during their first task."""

    reading: Reading
    workflows: int
    nodes: int
    failing: int
    #: For how long progress is missed before a task counts as failed.
    limit_s: float
    draws: int
    seed: int


def average_column(asked: Column) -> dict[int, Tested]:
    return {
        nodes: _test(asked.reading, asked.workflows, nodes, range(asked.seed, asked.seed + asked.draws))
        for nodes in asked.nodes
    }


def average_failures(asked: Failures) -> Tested:
    draws = range(asked.seed, asked.seed + asked.draws)
    return _test(asked.reading, asked.workflows, asked.nodes, draws, asked.failing, asked.limit_s)


def _test(
    reading: Reading, count: int, nodes: int, draws: Sequence[int], failing: int = 0, limit_s: float = 60.0
) -> Tested:
    outcomes, floors = [], []
    for draw in draws:
        workflows = draw_workflows(draw, count, nodes)
        outcomes.append(Office(reading, workflows, nodes, draw, failing=failing, limit_s=limit_s).run())
        floors.append(floor_min(workflows, nodes - failing))
    spans = [outcome.make_span_min for outcome in outcomes]
    waits = [outcome.wait_min for outcome in outcomes]
    return Tested(
        fmean(spans),
        _NORMAL * stdev(spans) if len(spans) > 1 else 0.0,
        min(spans),
        fmean(waits),
        min(waits),
        fmean(floors),
        fmean(outcome.executions for outcome in outcomes),
    )


def floor_min(workflows: Sequence[Workflow], nodes: int) -> float:
    """Return the average make-span of a list schedule of the same work, in minutes."""
    spans = makespans([Chain(0.0, workflow.interactive) for workflow in workflows], nodes, TASK_S)
    return fmean(spans) / 60.0
