"""HTC figure 3.6: availability by how often nodes fail and how soon they are back, without loss of data."""

from collections.abc import Sequence
from itertools import product

import msgspec

from roost.lab.availability.asking import Answer, Group, Network, cell_of
from roost.lab.experiment import Cell, Experiment, Report, Results, Row
from roost.lab.figure import Axis, Figure, Panel, Series

LEVELS = ("ONE", "QUORUM", "ALL")
REPLICAS = (3, 9, 27)


class Parameters(msgspec.Struct, frozen=True):
    #: Of failing and of returning alike, per second.
    rates: tuple[float, ...] = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4)


def _cell(parameters: Parameters, level: str, replicas: int) -> Cell[tuple[Answer, ...]]:
    groups = [
        Group(replicas=replicas, read=level, write=level, network=Network(fails, returns))
        for returns, fails in product(parameters.rates, parameters.rates)
    ]
    return cell_of(f"{level}, {replicas} copies", groups)


def cells(parameters: Parameters, _seed: int) -> Sequence[Cell[tuple[Answer, ...]]]:
    return [_cell(parameters, level, replicas) for level in LEVELS for replicas in REPLICAS]


def report(parameters: Parameters, _seed: int, results: Results) -> Report:
    found = {
        (level, replicas): _surface(parameters, results.of(_cell(parameters, level, replicas)))
        for level in LEVELS
        for replicas in REPLICAS
    }
    panels = tuple(_panel(parameters, level, replicas, surface) for (level, replicas), surface in found.items())
    figure = Figure(title="Steady-state availability, transient failures", panels=panels, columns=len(REPLICAS))
    return Report(rows=tuple(_rows(found)), figures=(figure,), findings=FINDINGS)


Surface = tuple[tuple[float, ...], ...]


def _surface(parameters: Parameters, answers: tuple[Answer, ...]) -> Surface:
    width = len(parameters.rates)
    available = [1 - answer.lacking for answer in answers]
    return tuple(tuple(available[at : at + width]) for at in range(0, len(available), width))


def _panel(parameters: Parameters, level: str, replicas: int, surface: Surface) -> Panel:
    shown = Series(name="availability", kind="surface", x=parameters.rates, y=parameters.rates, z=surface)
    return Panel(
        title=f"{level}, n = {replicas}",
        x=Axis("failures per second", is_log=True),
        y=Axis("returns per second", is_log=True),
        z=Axis("availability", span=(0.0, 1.0)),
        series=(shown,),
    )


def _rows(found: dict[tuple[str, int], Surface]) -> list[Row]:
    """Return what the text says of the figure: at equal rates, and where nodes are back ten times sooner."""
    rows = []
    for level, words in (
        ("ONE", "works in rather unstable systems, the better the larger the group"),
        ("QUORUM", "works where the rates are alike; size only makes the change steeper"),
        ("ALL", "falls with size; only for fairly stable systems"),
    ):
        for replicas in REPLICAS:
            surface = found[level, replicas]
            for what, value in (("as often back as gone", surface[0][0]), ("back ten times sooner", surface[1][0])):
                rows.append(
                    Row(
                        what=f"{level}, {replicas} copies, {what}",
                        published=words,
                        reproduced=value,
                        unit="availability",
                    )
                )
    return rows


FINDINGS = (
    (
        "The figure has no numbers, and what the text says of it holds. With ONE, a node that is away as long as it "
        "is there leaves 87.5 % with three copies and all but 7.5e-9 with 27. With QUORUM and an odd number of copies "
        "it is one half for any size, and from there size makes the change steeper: ten times sooner back is 97.7 % "
        "with three copies and 99.999998 % with 27. With ALL that is 75 % with three and 7.6 % with 27."
    ),
    (
        "Only the ratio of the two rates counts, so each surface is a curve drawn out along its diagonal; figure 3.15 "
        "shows that curve."
    ),
)
EXPERIMENT = Experiment(
    about=(
        "How available a group of 3, 9 or 27 copies is with ONE, QUORUM and ALL, for nodes that fail and come back "
        "at rates from 10^-8 to 10^-4 a second and keep their data. By the closed form (3.3)."
    ),
    full=Parameters(),
    quick=Parameters(),
    cells=cells,
    report=report,
)
