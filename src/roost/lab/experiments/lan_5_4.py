"""LAN's table 5.4 and figure 5.3: how long a task waits from being ready to its start, by the number of nodes.

It is the same test as that of table 5.3, and so the same cells.
"""

from typing import Final

from roost.lab.experiment import Experiment, Report, Results, Row, Table
from roost.lab.experiments.lan_5_3 import Parameters, cells, column, day, has_mesh
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.meshes.office_days import DayResult
from roost.lab.office.accounts import AGREES_MIN, Gap, gaps
from roost.lab.office.published import NODES, WAIT_MIN, WORKFLOWS
from roost.lab.office.readings import OF_THE_LOG, WINDOW_S
from roost.lab.office.trials import Tested

#: The contest that every task but one that nobody else wants goes through.
_WINDOW_MIN: Final = WINDOW_S / 60.0
_FIVE: Final = (
    "With five workflows 2 to 2.9 minutes are missing over the five of them together, in every row from two nodes on: "
    "about one task of two minutes. So one workflow of the five probably had less than four tasks one after the other."
)


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    tested = {count: results.of(column(OF_THE_LOG, count, parameters, seed)) for count in WORKFLOWS}
    days = {
        (nodes, count): results.of(day(nodes, count, seed))
        for nodes in NODES
        for count in WORKFLOWS
        if has_mesh(parameters, nodes, count)
    }
    return Report(
        rows=tuple(_rows(tested, days)),
        figures=(_figure(tested, days),),
        tables=(_accounts(),),
        findings=tuple(_findings(tested)),
    )


def _rows(tested: dict[int, dict[int, Tested]], days: dict[tuple[int, int], DayResult]) -> list[Row]:
    rows: list[Row] = []
    for nodes in NODES:
        for at, count in enumerate(WORKFLOWS):
            one, published = tested[count][nodes], WAIT_MIN[nodes][at]
            what = f"{nodes} node{'s' * (nodes > 1)}, {4 * count} tasks"
            rows.append(
                Row(
                    what=f"{what}: LAN's protocol",
                    published=published,
                    reproduced=round(one.wait_min, 2),
                    unit="min",
                    # A chain's make-span is its waits and 8 min, so that a wait differs by a fourth of what that does.
                    tolerance=round(one.spread_min / 4, 2),
                    reading="the log's; the tolerance is what draws of priorities and places differ by, 95 %",
                )
            )
            if (nodes, count) in days:
                wait = round(days[nodes, count].wait_min, 3)
                rows.append(
                    Row(
                        what=f"{what}: Roost",
                        published=published,
                        reproduced=wait,
                        unit="min",
                        reading="a mesh of the real core",
                    )
                )
    return rows


def _accounts() -> Table:
    return Table(
        title="Tables 5.3 and 5.4 beside each other, minutes",
        columns=("nodes", "workflows", "make-span", "8 min and four waits", "gap", "agree"),
        rows=tuple(
            (
                gap.nodes,
                gap.workflows,
                gap.make_span_min,
                round(gap.of_waits_min, 2),
                round(gap.gap_min, 2),
                "yes" if gap.agrees else "no",
            )
            for gap in gaps()
        ),
    )


def _figure(tested: dict[int, dict[int, Tested]], days: dict[tuple[int, int], DayResult]) -> Figure:
    series: list[Series] = []
    for at, count in enumerate(WORKFLOWS):
        name = f"{4 * count} tasks"
        published = tuple(WAIT_MIN[nodes][at] for nodes in NODES)
        simulated = tuple(tested[count][nodes].wait_min for nodes in NODES)
        there = tuple(nodes for nodes in NODES if (nodes, count) in days)
        series += [
            Series(name=f"{name}, published", kind="line and points", x=NODES, y=published, is_reference=True),
            Series(name=name, kind="line and points", x=NODES, y=simulated),
        ]
        if there:
            waits = tuple(days[nodes, count].wait_min for nodes in there)
            series.append(Series(name=f"{name}, Roost", kind="line and points", x=there, y=waits))
    panel = Panel(x=Axis("number of server-nodes"), y=Axis("average wait of a task, min"), series=tuple(series))
    return Figure(title="Waiting by number of nodes (LAN, figure 5.3)", panels=(panel,))


def _findings(tested: dict[int, dict[int, Tested]]) -> list[str]:
    wrong: list[Gap] = [gap for gap in gaps() if not gap.agrees]
    named = "; ".join(f"{gap.nodes} nodes with {gap.workflows} workflows, {gap.gap_min:+.2f}" for gap in wrong)
    short = [
        f"{nodes} nodes with {4 * count} tasks ({WAIT_MIN[nodes][at]:g} min, least of the draws "
        f"{tested[count][nodes].least_wait_min:.2f})"
        for nodes in NODES
        for at, count in enumerate(WORKFLOWS)
        if WAIT_MIN[nodes][at] < tested[count][nodes].least_wait_min
    ]
    least = min(min(row) for row in WAIT_MIN.values())
    return [
        (
            "A chain lasts for 8 min and four waits. Within what rounding and a second for each start explain "
            f"({AGREES_MIN:.2f} min), {len(gaps()) - len(wrong)} of the {len(gaps())} cells of table 5.3 are what "
            f"table 5.4 makes of them. These are not (minutes that are too many or too few): {named}."
        ),
        _FIVE,
        f"No wait is shorter than the window of {_WINDOW_MIN:g} min; the least is {least:g} min.",
        f"Below all draws of the log's reading: {'; '.join(short) or 'no cell'}.",
    ]


EXPERIMENT = Experiment(
    about=(
        "The same test as that of table 5.3, looked at by how long a task waits from the moment at which it is ready. "
        "The two tables account for each other: the make-span of a chain is 8 minutes and four waits."
    ),
    full=Parameters(draws=200, draws_of_readings=40, combines_readings=True, mesh_nodes=9, mesh_workflows=15),
    quick=Parameters(draws=8, draws_of_readings=3, combines_readings=False, mesh_nodes=3, mesh_workflows=5),
    cells=cells,
    report=report,
)
