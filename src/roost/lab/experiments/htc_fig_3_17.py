"""HTC figure 3.17: how available something is that was written a while ago, while nodes lose data."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

import msgspec

from roost.lab.availability.asking import Disks
from roost.lab.availability.consistency import Consistency
from roost.lab.experiment import Cell, Experiment, Report, Results, Row
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.planning.group import Failures, Kind, outlook
from roost.lab.planning.points import points

LEVELS = ("ONE", "QUORUM", "ALL")
#: When it has settled and nothing is lost yet; see the findings for how long that lasts.
SETTLED_S = 1e4


class Parameters(msgspec.Struct, frozen=True):
    fails: float = 1e-4
    returns: float = 1e-2
    replicas: tuple[int, ...] = (3, 5, 7)
    #: From a second to beyond the time to failure of the largest group.
    times_s: tuple[float, ...] = tuple(10.0 ** (at / 8) for at in range(137))


class Asked(msgspec.Struct, frozen=True):
    disks: Disks
    replicas: int
    level: str
    times_s: tuple[float, ...]


class Decay(msgspec.Struct, frozen=True):
    #: The share of operations that fail, at each time.
    lacking: tuple[float, ...]
    mttf_s: float


def decay(asked: Asked) -> Decay:
    """Return how available a group is at times after all of it had the data."""
    failures = Failures(Kind.MEMORYLESS, disks=asked.disks.times, upkeep=asked.disks.upkeep)
    consistency = Consistency(asked.level, asked.level)
    lacking = points(failures, asked.replicas, consistency, [Decimal(at_s) for at_s in asked.times_s])
    return Decay(tuple(map(float, lacking)), float(outlook(failures, asked.replicas, consistency).mttf_s))


def _cell(parameters: Parameters, level: str, replicas: int) -> Cell[Decay]:
    disks = Disks(fails=parameters.fails, returns=parameters.returns)
    return Cell(f"{level}, {replicas} copies", decay, Asked(disks, replicas, level, parameters.times_s))


def cells(parameters: Parameters, _seed: int) -> Sequence[Cell[Decay]]:
    return [_cell(parameters, level, replicas) for level in LEVELS for replicas in parameters.replicas]


def report(parameters: Parameters, _seed: int, results: Results) -> Report:
    panels, rows = [], []
    for level in LEVELS:
        series = []
        for replicas in parameters.replicas:
            found = results.of(_cell(parameters, level, replicas))
            available = tuple(1 - one for one in found.lacking)
            series.append(Series(name=f"n = {replicas}", kind="line", x=parameters.times_s, y=available))
            rows += _rows(f"{level}, {replicas} copies", parameters.times_s, found)
        axis = Axis("availability", span=(0.0, 1.0))
        panels.append(Panel(title=level, x=Axis("s since the write", is_log=True), y=axis, series=tuple(series)))
    figure = Figure(title="Availability after a write, while disks fail", panels=tuple(panels), columns=3)
    return Report(rows=tuple(rows), figures=(figure,), findings=FINDINGS)


def _rows(what: str, times_s: Sequence[float], found: Decay) -> list[Row]:
    settled = next(one for at_s, one in zip(times_s, found.lacking, strict=True) if at_s >= SETTLED_S)
    return [
        Row(
            what=f"{what}: below 0.999 after",
            published="quite fast",
            reproduced=_reaches(times_s, found.lacking, 0.001),
            unit="s",
        ),
        Row(what=f"{what}: level that it keeps", published="stable for some time", reproduced=1 - settled),
        Row(
            what=f"{what}: below half after",
            published="depends on the replica size",
            reproduced=_reaches(times_s, found.lacking, 0.5),
            unit="s",
        ),
        Row(what=f"{what}: MTTF", published="grows with the replica size", reproduced=found.mttf_s, unit="s"),
    ]


def _reaches(times_s: Sequence[float], lacking: Sequence[float], level: float) -> float | None:
    """Return when so much is lacking, between the times that were looked at."""
    if lacking[0] >= level:
        return times_s[0]
    for (before_s, before), (after_s, after) in pairwise(zip(times_s, lacking, strict=True)):
        if after >= level:
            return float(before_s * (after_s / before_s) ** ((level - before) / (after - before)))
    return None


FINDINGS = (
    (
        "The text holds. Availability falls below 0.999 within 1 to 10 s, then keeps a level that depends on the "
        "consistency and hardly on the size with ONE (98.9 %), and that falls with size with QUORUM (97.9, 96.9 and "
        "95.9 %) and ALL (96.9, 94.9 and 93.0 %). It keeps it until data is lost: for 10 months, 3,700 years and 19 "
        "million years with 3, 5 and 7 copies."
    ),
    (
        "The level is lower than the share of nodes that are there (98.97 %), although one copy would do: an "
        "operation that asks one copy at random (3.11) meets one that is away or not mended. A client that asks "
        "another one then does better."
    ),
)
EXPERIMENT = Experiment(
    about=(
        "How available an object is that was written at t = 0, on 30 nodes that lose their data at a rate of 10^-4 "
        "and are back at 10^-2, with 3, 5 and 7 copies. The absorbing chain of 3.2.2 at a time, by squaring the "
        "matrix of a small step."
    ),
    full=Parameters(),
    quick=Parameters(),
    cells=cells,
    report=report,
)
