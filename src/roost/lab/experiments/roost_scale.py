"""How Roost grows, from 10 nodes to 10,000: make-span, what is said, and what a node costs."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from roost.lab.experiment import Cell, Count, Experiment, Positive, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.meshes.large import Crowd, Spanned, span_of
from roost.lab.meshes.scale import (
    Cost,
    Idle,
    Load,
    Quiet,
    Worked,
    be_quiet,
    cost_of_quiet,
    cost_of_work,
    work,
)

#: Meshes of real nodes that work, that stand idle, and plain worlds of the policy alone.
WORKING: Final = (10, 30, 100, 200)
STANDING: Final = (10, 30, 100, 200, 500)
PLAIN: Final = (10, 100, 1000, 3000, 10_000)
#: The smallest of each is always there.
Enough: TypeAlias = Annotated[int, msgspec.Meta(ge=10)]
MEASURED_S: Final = 5.0
#: What elements of plain worlds take, and how long their contests do: as on a network of some 10 ms.
PLAIN_LENGTH_S: Final = 1000.0
PLAIN_WINDOW_S: Final = 0.05


class Parameters(msgspec.Struct, frozen=True):
    #: The largest of each kind.
    working_nodes: Enough
    standing_nodes: Enough
    plain_nodes: Enough
    #: Elements for each node, and how long each takes in meshes of real nodes.
    per_node: Count
    length_s: Positive


def working(parameters: Parameters, nodes: int, seed: int) -> Cell[Worked]:
    load = Load(nodes, parameters.per_node, parameters.length_s, seed)
    return Cell(f"a mesh of {nodes} nodes at work", work, load, 0.0002 * parameters.per_node * nodes**2)


def standing(nodes: int, seed: int) -> Cell[Idle]:
    return Cell(f"an idle mesh of {nodes} nodes", be_quiet, Quiet(nodes, MEASURED_S, seed), 0.0003 * nodes**2)


def plain(parameters: Parameters, nodes: int, seed: int) -> Cell[Spanned]:
    crowd = Crowd(nodes, parameters.per_node, PLAIN_LENGTH_S, PLAIN_WINDOW_S, seed)
    return Cell(f"a plain world of {nodes} nodes", span_of, crowd, 1e-6 * nodes**2)


def costs(parameters: Parameters, seed: int) -> tuple[Cell[Cost], Cell[Cost]]:
    """What the smallest mesh costs on this machine: larger ones are a matter of the same events."""
    least = WORKING[0]
    load = Load(least, parameters.per_node, parameters.length_s, seed)
    quiet = Quiet(least, MEASURED_S, seed)
    return (
        Cell(f"what {least} nodes at work cost", cost_of_work, load, 1.0, is_measured=True),
        Cell(f"what {least} idle nodes cost", cost_of_quiet, quiet, 0.5, is_measured=True),
    )


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    return [
        *(working(parameters, nodes, seed) for nodes in _up_to(WORKING, parameters.working_nodes)),
        *(standing(nodes, seed) for nodes in _up_to(STANDING, parameters.standing_nodes)),
        *(plain(parameters, nodes, seed) for nodes in _up_to(PLAIN, parameters.plain_nodes)),
        *costs(parameters, seed),
    ]


def _up_to(sizes: Sequence[int], most: int) -> list[int]:
    return [nodes for nodes in sizes if nodes <= most]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    worked = {n: results.of(working(parameters, n, seed)) for n in _up_to(WORKING, parameters.working_nodes)}
    idle = {n: results.of(standing(n, seed)) for n in _up_to(STANDING, parameters.standing_nodes)}
    spans = {n: results.of(plain(parameters, n, seed)) for n in _up_to(PLAIN, parameters.plain_nodes)}
    at_work, at_rest = (results.of(cell) for cell in costs(parameters, seed))
    rows = [
        *(row for nodes, one in worked.items() for row in _rows_of_work(nodes, one)),
        *(row for nodes, one in idle.items() for row in _rows_of_idle(nodes, one)),
        *(_row_of_plain(nodes, one) for nodes, one in spans.items()),
        _row(f"{WORKING[0]} nodes at work: processor time for a second of a node", at_work.ms_per_node_second, "ms"),
        _row(f"{WORKING[0]} idle nodes: processor time for a second of a node", at_rest.ms_per_node_second, "ms"),
    ]
    return Report(
        rows=tuple(rows),
        figures=(_figure(worked, idle, spans),),
        tables=(_table(worked, idle),),
        findings=_findings(parameters, worked, idle),
    )


def _row(what: str, reproduced: float, unit: str, reading: str = "") -> Row:
    return Row(what=what, published=None, reproduced=round(reproduced, 3), unit=unit, reading=reading)


def _rows_of_work(nodes: int, one: Worked) -> list[Row]:
    what = f"{nodes} nodes at work"
    return [
        _row(f"{what}: make-span", one.make_span_s, "s", f"the real core; without any overhead {one.ideal_s:g} s"),
        _row(f"{what}: messages of a node in a second", one.messages, "", "a word to all counts once"),
        _row(f"{what}: bytes of a node in a second", one.bytes, "B", "a word to all counts once"),
        _row(f"{what}: bytes of a node in a second, unicast", one.copied_bytes, "B", "a copy for each other node"),
        _row(f"{what}: events and actions of a node for each element", one.steps_per_element, ""),
    ]


def _rows_of_idle(nodes: int, one: Idle) -> list[Row]:
    what = f"{nodes} idle nodes"
    return [
        _row(f"{what}: messages of a node in a second", one.messages, "", "the real core"),
        _row(f"{what}: bytes of a node in a second", one.bytes, "B"),
    ]


def _row_of_plain(nodes: int, one: Spanned) -> Row:
    reading = f"the policy alone, without messages; without any overhead {one.ideal_s:g} s"
    return _row(f"{nodes} nodes in a plain world: make-span", one.make_span_s, "s", reading)


def _table(worked: dict[int, Worked], idle: dict[int, Idle]) -> Table:
    return Table(
        title="What a node says and does in a second",
        columns=("nodes", "messages, idle", "bytes, idle", "messages, at work", "bytes, at work", "make-span / ideal"),
        rows=tuple(
            (
                nodes,
                round(idle[nodes].messages, 1) if nodes in idle else "",
                round(idle[nodes].bytes) if nodes in idle else "",
                round(worked[nodes].messages, 1) if nodes in worked else "",
                round(worked[nodes].bytes) if nodes in worked else "",
                round(worked[nodes].make_span_s / worked[nodes].ideal_s, 3) if nodes in worked else "",
            )
            for nodes in sorted({*worked, *idle})
        ),
    )


def _figure(worked: dict[int, Worked], idle: dict[int, Idle], spans: dict[int, Spanned]) -> Figure:
    x = Axis("nodes", is_log=True)
    mesh = tuple(one.make_span_s / one.ideal_s for one in worked.values())
    world = tuple(one.make_span_s / one.ideal_s for one in spans.values())
    return Figure(
        title="From 10 nodes to 10,000",
        columns=2,
        panels=(
            Panel(
                title="Make-span, compared with what all could do without overhead",
                x=x,
                y=Axis("make-span / ideal"),
                series=(
                    Series(name="the real core", kind="line and points", x=tuple(worked), y=mesh),
                    Series(name="the policy alone", kind="line and points", x=tuple(spans), y=world),
                ),
            ),
            Panel(
                title="What a node says",
                x=x,
                y=Axis("bytes in a second"),
                series=(
                    Series(
                        name="at work",
                        kind="line and points",
                        x=tuple(worked),
                        y=tuple(one.bytes for one in worked.values()),
                    ),
                    Series(
                        name="idle", kind="line and points", x=tuple(idle), y=tuple(one.bytes for one in idle.values())
                    ),
                ),
            ),
        ),
    )


def _findings(parameters: Parameters, worked: dict[int, Worked], idle: dict[int, Idle]) -> tuple[str, ...]:
    least, most = min(idle), max(idle)
    return (
        (
            f"Meshes of up to {max(worked)} nodes at work and {most} idle ones are the real core, to the last line: "
            "every node keeps every record. Meshes of thousands of real nodes are not simulated: each result is told "
            "to all, so that what has to be simulated grows with the square of the nodes."
        ),
        (
            f"Worlds of up to {parameters.plain_nodes} nodes are the default policy alone, and all know all at once: "
            "they say nothing of messages. Their nodes look at the first 256 waiting elements; of more idle nodes than "
            "that the others look again a window later, when these have begun."
        ),
        (
            f"An idle node says {idle[least].bytes:.0f} bytes in a second among {least} and {idle[most].bytes:.0f} "
            f"among {most}: heartbeats go to eight neighbours, however many there are."
        ),
        "Processor times are measured on this machine with what simulates around the core, and are shown only.",
    )


EXPERIMENT = Experiment(
    about=(
        "One array is handed in to meshes of Roost's own nodes of growing size, which then stand idle as well: "
        "make-span against the ideal one, messages and bytes of a node in a second, events of a node, processor time. "
        "For more nodes than that the default policy alone is tried in a plain world."
    ),
    full=Parameters(working_nodes=200, standing_nodes=500, plain_nodes=10_000, per_node=5, length_s=10.0),
    quick=Parameters(working_nodes=30, standing_nodes=30, plain_nodes=1000, per_node=3, length_s=1.0),
    cells=cells,
    report=report,
)
