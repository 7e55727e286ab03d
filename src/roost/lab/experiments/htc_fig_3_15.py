"""HTC figure 3.15: how much coming and going each consistency bears."""

from collections.abc import Sequence

import msgspec

from roost.lab.availability.asking import Answer, Group, Network, cell_of
from roost.lab.availability.precision import exact
from roost.lab.experiment import Cell, Experiment, Report, Results, Row
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.planning.questions import churn_borne

LEVELS = ("ONE", "QUORUM", "ALL")
#: What the text calls a high availability it does not say; this is the highest that ALL reaches at its ratio of 1000.
HIGH = 0.997


class Parameters(msgspec.Struct, frozen=True):
    replicas: tuple[int, ...] = (3, 5, 7)
    #: How many times longer than away a node is there: from a hundredth to a hundred thousand.
    ratios: tuple[float, ...] = tuple(10.0 ** (at / 4) for at in range(-8, 21))


def _cell(parameters: Parameters, level: str, replicas: int) -> Cell[tuple[Answer, ...]]:
    groups = [
        Group(replicas=replicas, read=level, write=level, network=Network(1.0, ratio)) for ratio in parameters.ratios
    ]
    return cell_of(f"{level}, {replicas} copies", groups)


def cells(parameters: Parameters, _seed: int) -> Sequence[Cell[tuple[Answer, ...]]]:
    return [_cell(parameters, level, replicas) for level in LEVELS for replicas in parameters.replicas]


def report(parameters: Parameters, _seed: int, results: Results) -> Report:
    series, rows = [], []
    for level in LEVELS:
        for replicas in parameters.replicas:
            answers = results.of(_cell(parameters, level, replicas))
            available = tuple(1 - answer.lacking for answer in answers)
            series.append(Series(name=f"{level}, n = {replicas}", kind="line", x=parameters.ratios, y=available))
            rows += _rows(level, replicas)
    panel = Panel(x=Axis("μ / λ", is_log=True), y=Axis("availability", span=(0.0, 1.0)), series=tuple(series))
    figure = Figure(title="Availability by how much longer than away nodes are there", panels=(panel,))
    return Report(rows=tuple(rows), figures=(figure,), findings=FINDINGS)


def _rows(level: str, replicas: int) -> list[Row]:
    words = {
        "ONE": "works where μ is very similar to λ",
        "QUORUM": "works where μ is very similar to λ",
        "ALL": "nodes have to be away at least 1000 times shorter",
    }
    rows = []
    for wish in (0.9, HIGH):
        borne = churn_borne(exact(1 - wish), replicas, level)
        ratio = None if borne.ratio is None else float(borne.ratio)
        what = f"{level}, {replicas} copies: least μ / λ for {wish:.1%}"
        rows.append(Row(what=what, published=words[level], reproduced=ratio))
    return rows


FINDINGS = (
    (
        "The text says what the figure shows in words, without saying which availability is enough; for 99.7 % it "
        "holds. There ONE needs nodes that are there 1.3 to 6 times as long as away, QUORUM 9 to 30 times, and ALL "
        "1000 times with three copies, as the text says. With five and seven copies ALL needs 1700 and 2300 times."
    ),
    ("More copies lower what ONE and QUORUM ask of nodes, and raise what ALL does."),
)
EXPERIMENT = Experiment(
    about=(
        "Which levels of churn permit which consistency: availability with ONE, QUORUM and ALL for 3, 5 and 7 "
        "copies, by how many times longer than away nodes are there. By the closed form (3.3)."
    ),
    full=Parameters(),
    quick=Parameters(),
    cells=cells,
    report=report,
)
