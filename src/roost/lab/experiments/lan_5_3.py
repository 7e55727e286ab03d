"""LAN's table 5.3 and figure 5.2: the average make-span of workflows by the number of nodes."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final

import msgspec

from roost.lab.experiment import Cell, Count, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.meshes.office_days import DayResult, OfficeDay, live_through
from roost.lab.office.accounts import faster_than_shared
from roost.lab.office.published import MAKE_SPAN_MIN, NODES, WORKFLOWS
from roost.lab.office.readings import OF_THE_LOG, Reading, every, neighbours
from roost.lab.office.trials import Column, Tested, average_column, floor_min
from roost.lab.office.workflows import TASK_S, draw_workflows

_CHAIN: Final = (
    "Figure 5.1 is missing from the text. The workflow is a chain: the document's ideal is 8 minutes for four tasks of "
    "two minutes, and 8 minutes and four waits of table 5.4 give the make-spans of table 5.3 in 18 of 27 cells."
)
_ORDER: Final = (
    "The floor is a list schedule that takes interactive tasks first, and then what was handed in first, as Roost "
    "does. The log's reading queues by the time at which a task becomes ready, so that all workflows end late. So a "
    "part of the distance to the floor is order, and not overhead."
)


class Parameters(msgspec.Struct, frozen=True):
    #: Draws of priorities and places for the reading of the log, and for each other reading.
    draws: Count
    draws_of_readings: Count
    #: Whether all combinations of readings are tried, or only those that differ from the log's in one point.
    combines_readings: bool
    #: Up to how many nodes and workflows the test is also made on meshes of Roost's own nodes.
    mesh_nodes: int
    mesh_workflows: int


def readings(parameters: Parameters) -> tuple[Reading, ...]:
    return every() if parameters.combines_readings else neighbours()


def column(reading: Reading, count: int, parameters: Parameters, seed: int) -> Cell[dict[int, Tested]]:
    draws = parameters.draws if reading == OF_THE_LOG else parameters.draws_of_readings
    asked = Column(reading, count, NODES, draws, seed)
    return Cell(f"LAN's protocol, {count} workflows, {reading.words}", average_column, asked, 0.02 * draws)


def day(nodes: int, count: int, seed: int) -> Cell[DayResult]:
    workflows = draw_workflows(seed, count, nodes)
    asked = OfficeDay(nodes, tuple((one.node, one.interactive) for one in workflows), TASK_S, seed)
    return Cell(f"a mesh of {nodes} nodes, {count} workflows", live_through, asked, 0.1 * count * (nodes - 0.9))


def has_mesh(parameters: Parameters, nodes: int, count: int) -> bool:
    return nodes <= parameters.mesh_nodes and count <= parameters.mesh_workflows


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    protocol = [column(reading, count, parameters, seed) for reading in readings(parameters) for count in WORKFLOWS]
    meshes = [day(nodes, count, seed) for nodes in NODES for count in WORKFLOWS if has_mesh(parameters, nodes, count)]
    return [*protocol, *meshes]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    tested = {
        reading: {count: results.of(column(reading, count, parameters, seed)) for count in WORKFLOWS}
        for reading in readings(parameters)
    }
    days = {
        (nodes, count): results.of(day(nodes, count, seed))
        for nodes in NODES
        for count in WORKFLOWS
        if has_mesh(parameters, nodes, count)
    }
    errors = {reading: _error(by_count) for reading, by_count in tested.items()}
    return Report(
        rows=tuple(_rows(tested[OF_THE_LOG], days, seed)),
        figures=(_figure(tested[OF_THE_LOG], days, seed),),
        tables=(_table(tested, errors, days, seed), _readings(errors)),
        findings=tuple(_findings(tested, errors)),
    )


def _error(tested: dict[int, dict[int, Tested]]) -> float:
    """Return by how much a reading differs from what was published, on average over the cells."""
    return fmean(_row_error(tested, nodes) for nodes in NODES)


def _floor(nodes: int, count: int, seed: int) -> float:
    return floor_min(draw_workflows(seed, count, nodes), nodes)


def _rows(tested: dict[int, dict[int, Tested]], days: dict[tuple[int, int], DayResult], seed: int) -> list[Row]:
    rows: list[Row] = []
    for nodes in NODES:
        for at, count in enumerate(WORKFLOWS):
            one, published = tested[count][nodes], MAKE_SPAN_MIN[nodes][at]
            what = f"{nodes} node{'s' * (nodes > 1)}, {count} workflows"
            rows.append(
                Row(
                    what=f"{what}: LAN's protocol",
                    published=published,
                    reproduced=round(one.make_span_min, 2),
                    unit="min",
                    tolerance=round(one.spread_min, 2),
                    reading="the log's; the tolerance is what draws of priorities and places differ by, 95 %",
                )
            )
            if (nodes, count) in days:
                rows.append(
                    Row(
                        what=f"{what}: Roost",
                        published=published,
                        reproduced=round(days[nodes, count].make_span_min, 2),
                        unit="min",
                        reading=f"a mesh of the real core; without any overhead {_floor(nodes, count, seed):.2f} min",
                    )
                )
    return rows


def _table(
    tested: dict[Reading, dict[int, dict[int, Tested]]],
    errors: dict[Reading, float],
    days: dict[tuple[int, int], DayResult],
    seed: int,
) -> Table:
    nearest = min(errors, key=lambda reading: errors[reading])
    rows: list[tuple[float | str, ...]] = []
    for nodes in NODES:
        for at, count in enumerate(WORKFLOWS):
            mesh = days.get((nodes, count))
            rows.append(
                (
                    nodes,
                    count,
                    MAKE_SPAN_MIN[nodes][at],
                    round(tested[OF_THE_LOG][count][nodes].make_span_min, 2),
                    round(tested[OF_THE_LOG][count][nodes].least_min, 2),
                    round(tested[nearest][count][nodes].make_span_min, 2),
                    "" if mesh is None else round(mesh.make_span_min, 2),
                    round(_floor(nodes, count, seed), 2),
                )
            )
    heads = ("nodes", "workflows", "published", "the log's reading", "least of its draws", "nearest reading")
    return Table(title="Average make-span, minutes", columns=(*heads, "Roost", "floor"), rows=tuple(rows))


def _readings(errors: dict[Reading, float]) -> Table:
    ranked = sorted(errors, key=lambda reading: errors[reading])
    return Table(
        title="Readings of the protocol, by how far they are from table 5.3",
        columns=("looks", "queue by", "interactive", "losers", "begins", "off by, %"),
        rows=tuple((*msgspec.structs.astuple(one), round(100 * errors[one], 1)) for one in ranked),
    )


def _figure(tested: dict[int, dict[int, Tested]], days: dict[tuple[int, int], DayResult], seed: int) -> Figure:
    x, y = Axis("number of server-nodes"), Axis("average make-span of a workflow, min")
    document: list[Series] = []
    roost: list[Series] = []
    for at, count in enumerate(WORKFLOWS):
        name = f"{count} workflows"
        published = tuple(MAKE_SPAN_MIN[nodes][at] for nodes in NODES)
        simulated = tuple(tested[count][nodes].make_span_min for nodes in NODES)
        floors = tuple(_floor(nodes, count, seed) for nodes in NODES)
        there = tuple(nodes for nodes in NODES if (nodes, count) in days)
        document += [
            Series(name=f"{name}, published", kind="line and points", x=NODES, y=published, is_reference=True),
            Series(name=name, kind="line and points", x=NODES, y=simulated),
        ]
        roost.append(Series(name=f"{name}, floor", kind="line", x=NODES, y=floors, is_reference=True))
        if there:
            spans = tuple(days[nodes, count].make_span_min for nodes in there)
            roost.append(Series(name=name, kind="line and points", x=there, y=spans))
    panels = (
        Panel(title="LAN's protocol, published and simulated", x=x, y=y, series=tuple(document)),
        Panel(title="Roost, and a scheduler without overhead", x=x, y=y, series=tuple(roost)),
    )
    return Figure(title="Make-span by number of nodes (LAN, figure 5.2)", panels=panels, columns=2)


def _findings(tested: dict[Reading, dict[int, dict[int, Tested]]], errors: dict[Reading, float]) -> list[str]:
    nearest = min(errors, key=lambda reading: errors[reading])
    cells_of_table = [(nodes, at, count) for nodes in NODES for at, count in enumerate(WORKFLOWS)]
    below = [
        f"{nodes} nodes with {count} workflows ({MAKE_SPAN_MIN[nodes][at]:g} min, least of the draws "
        f"{tested[OF_THE_LOG][count][nodes].least_min:.2f})"
        for nodes, at, count in cells_of_table
        if MAKE_SPAN_MIN[nodes][at] < tested[OF_THE_LOG][count][nodes].least_min
    ]
    below_all = [
        f"{nodes} nodes with {count} workflows"
        for nodes, at, count in cells_of_table
        if MAKE_SPAN_MIN[nodes][at] < min(by_count[count][nodes].least_min for by_count in tested.values())
    ]
    shared = [f"{nodes} with {count} workflows ({times:.2f} times)" for nodes, count, times in faster_than_shared()]
    published = [MAKE_SPAN_MIN[1][at] / MAKE_SPAN_MIN[2][at] for at in range(len(WORKFLOWS))]
    largest = [
        max(by_count[count][1].make_span_min / by_count[count][2].make_span_min for by_count in tested.values())
        for count in WORKFLOWS
    ]
    first_rows = {reading: _row_error(by_count, 1) for reading, by_count in tested.items()}
    best_alone = min(first_rows, key=lambda reading: first_rows[reading])
    return [
        _CHAIN,
        (
            "The reading of the document's only log (listing 4.3: idle 60 s after a task, a contest as soon as "
            f"something is ready) is off by {100 * errors[OF_THE_LOG]:.1f} % on average over the 27 cells, and in the "
            f"row of one node, which takes 195 s for each task, by {100 * first_rows[OF_THE_LOG]:.1f} %. Of all "
            f"readings that row is given best by this one: {best_alone.words} ({100 * first_rows[best_alone]:.1f} %)."
        ),
        (
            f"Over all cells the nearest reading is off by {100 * errors[nearest]:.1f} %: {nearest.words}; in the row "
            f"of one node by {100 * first_rows[nearest]:.1f} %. No reading gives both that row and the next ones. From "
            f"one node to two the published make-spans shrink {_times(published)} times (5, 10 and 15 workflows); the "
            f"largest of all readings is {_times(largest)} times."
        ),
        (
            f"Faster than one node by more than the number of nodes: {'; '.join(shared) or 'none'}. Where each task "
            "costs what it costs alone, nodes do not make each other faster. So the row of one node had overheads that "
            "the others did not have, or the other tests had less to do."
        ),
        f"Below all draws of the log's reading: {'; '.join(below) or 'no cell'}.",
        f"Below all draws of all readings that were tried: {'; '.join(below_all) or 'no cell'}.",
        _ORDER,
    ]


def _row_error(tested: dict[int, dict[int, Tested]], nodes: int) -> float:
    return fmean(
        abs(tested[count][nodes].make_span_min / MAKE_SPAN_MIN[nodes][at] - 1) for at, count in enumerate(WORKFLOWS)
    )


def _times(ratios: Sequence[float]) -> str:
    return ", ".join(f"{ratio:.2f}" for ratio in ratios)


EXPERIMENT = Experiment(
    about=(
        "5, 10 and 15 chains of four tasks of exactly two minutes are handed in at once to 1 to 9 nodes. The "
        "document's protocol (a window of 15 s, looks every 60 s) is simulated in the readings that its text allows, "
        "Roost's own nodes do the same work in a simulated mesh, and a list schedule without overhead is the floor."
    ),
    full=Parameters(draws=200, draws_of_readings=40, combines_readings=True, mesh_nodes=9, mesh_workflows=15),
    quick=Parameters(draws=8, draws_of_readings=3, combines_readings=False, mesh_nodes=3, mesh_workflows=5),
    cells=cells,
    report=report,
)
