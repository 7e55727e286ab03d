"""HTC figures 3.11 and 3.12: transient failures, the closed form beside a simulated cluster."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import sqrt
from statistics import fmean, stdev

import msgspec

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.objects import ACCESSES, SHAPES
from roost.lab.availability.precision import exact
from roost.lab.availability.simulated_network import NetworkSeen, NetworkTrial, try_network
from roost.lab.availability.transient import Transient, unavailability
from roost.lab.experiment import Cell, Experiment, Report, Results, Row
from roost.lab.figure import Axis, Figure, Panel, Series

LEVELS = ("ONE", "QUORUM", "ALL")
#: Of Student's t with 19 degrees of freedom, for 95 %.
T_20 = 2.093
#: In figure 3.12 there is one size and level.
SECOND = "3 QUORUM"


class Parameters(msgspec.Struct, frozen=True):
    returns: tuple[float, ...] = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1)
    fails: float = 0.01
    io_rate: float = 0.1
    #: In figure 3.12.
    second_io_rate: float = 1.0
    replicas: tuple[int, ...] = (3, 5, 7)
    #: How long each of the 20 intervals is; the document does not say.
    interval_s: float = 1000.0


def _trial(parameters: Parameters, seed: int, returns: float, askers: str) -> NetworkTrial:
    return NetworkTrial(
        seed=seed,
        up_s=1 / parameters.fails,
        down_s=1 / returns,
        io_rate=parameters.io_rate,
        askers="nodes" if askers == "nodes" else "clients",
        replicas=parameters.replicas,
        levels=LEVELS,
        interval_s=parameters.interval_s,
    )


def _first(parameters: Parameters, seed: int, returns: float, askers: str) -> Cell[NetworkSeen]:
    return Cell(f"asked by {askers}, μ = {returns:g}", try_network, _trial(parameters, seed, returns, askers))


def _second(parameters: Parameters, seed: int, returns: float, lifetimes: str, access: str) -> Cell[NetworkSeen]:
    trial = msgspec.structs.replace(
        _trial(parameters, seed, returns, "nodes"),
        io_rate=parameters.second_io_rate,
        shapes=SHAPES[lifetimes],
        zipf=ACCESSES[access],
        replicas=(3,),
        levels=("QUORUM",),
    )
    return Cell(f"{lifetimes}, {access}, μ = {returns:g}", try_network, trial, cost=4.0)


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[NetworkSeen]]:
    first = [_first(parameters, seed, returns, asks) for asks in ("nodes", "clients") for returns in parameters.returns]
    second = [
        _second(parameters, seed, returns, lifetimes, access)
        for lifetimes, access in product(SHAPES, ACCESSES)
        for returns in parameters.returns
    ]
    return [*first, *second]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    first = {
        asks: [results.of(_first(parameters, seed, returns, asks)) for returns in parameters.returns]
        for asks in ("nodes", "clients")
    }
    second = {
        (lifetimes, access): [
            results.of(_second(parameters, seed, returns, lifetimes, access)) for returns in parameters.returns
        ]
        for lifetimes, access in product(SHAPES, ACCESSES)
    }
    rows: list[Row] = []
    for replicas, level in product(parameters.replicas, LEVELS):
        for asks, seen in first.items():
            rows.append(_gap(f"{replicas} copies, {level}, asked by {asks}", seen, f"{replicas} {level}", "a good fit"))
    for (lifetimes, access), seen in second.items():
        rows.append(_gap(f"{lifetimes}, {access}, 3 copies, QUORUM", seen, SECOND, SAID[lifetimes, access]))
    for (lifetimes, access), seen in second.items():
        name = f"{lifetimes}, {access}, 3 copies, QUORUM, only λ = μ"
        rows.append(_gap(name, seen[:1], SECOND, SAID[lifetimes, access]))
    for (lifetimes, access), seen in second.items():
        spread = fmean(stdev(one.availability[SECOND]) for one in seen)
        rows.append(
            Row(
                what=f"{lifetimes}, {access}: scatter between intervals",
                published=SAID[lifetimes, access],
                reproduced=spread,
            )
        )
    panels = tuple(
        _panel(parameters, f"{level}, n = {replicas}", first["nodes"], f"{replicas} {level}")
        for replicas, level in product(parameters.replicas, LEVELS)
    )
    others = tuple(
        _panel(parameters, f"{lifetimes}, {access}", seen, SECOND) for (lifetimes, access), seen in second.items()
    )
    figures = (
        Figure(title="Figure 3.11: measured availability, and the model", panels=panels, columns=3),
        Figure(title="Figure 3.12: other accesses and lifetimes", panels=others, columns=2),
    )
    return Report(rows=tuple(rows), figures=figures, findings=FINDINGS)


#: What the text says of each combination in figure 3.12.
SAID = {
    ("exponential", "uniform"): "a good fit",
    ("exponential", "zipf"): "slightly more variance, the same availability",
    ("weibull", "uniform"): "more variance, lower where λ and μ are alike",
    ("weibull", "zipf"): "lower, and more variance",
}


def _model(seen: NetworkSeen, name: str) -> float:
    """Return what the model says for the times that were seen, as in the document."""
    replicas, level = name.split()
    times = Transient(exact(seen.up_s), exact(seen.down_s))
    return 1 - float(unavailability(times, int(replicas), Consistency(level, level)))


def _gap(what: str, seen: Sequence[NetworkSeen], name: str, words: str) -> Row:
    """Return by how much the availability that was measured is above the model's, averaged over all μ."""
    gaps = [fmean(one.availability[name]) - _model(one, name) for one in seen]
    scatter = [stdev(one.availability[name]) / sqrt(len(one.availability[name])) for one in seen]
    error = T_20 * sqrt(sum(one**2 for one in scatter)) / len(seen)
    return Row(what=f"{what}: measured above the model by", published=words, reproduced=fmean(gaps), error=error)


def _panel(parameters: Parameters, title: str, seen: Sequence[NetworkSeen], name: str) -> Panel:
    return Panel(
        title=title,
        x=Axis("μ"),
        y=Axis("availability", span=(0.0, 1.0)),
        series=tuple(_series(parameters, seen, name)),
    )


def _series(parameters: Parameters, seen: Sequence[NetworkSeen], name: str) -> Iterator[Series]:
    for returns, one in zip(parameters.returns, seen, strict=True):
        sample = one.availability[name]
        yield Series(name="measured", kind="box", x=(returns,) * len(sample), y=sample)
    line = tuple(_model(one, name) for one in seen)
    yield Series(name="model", kind="line", x=parameters.returns, y=line, is_reference=True)


FINDINGS = (
    (
        "Clients that are no nodes measure what the closed form says, with all three sizes and levels: over the ten "
        "rates the average is within 0.1 points of it, and within the interval of 95 %."
    ),
    (
        "Nodes that ask, as in the document, measure up to 1.1 points more: more of them ask while more are there, "
        "and one that asks is itself there. The document's plots have no numbers by which that could be seen."
    ),
    (
        "With Weibull lifetimes of the same means the text sees less availability where nodes are away as long as "
        "there. In the long run there is none: a node is away for a share of its time that depends on its two means "
        "only, so (3.3) holds for all lifetimes. What is measured lies as far above it as with exponential ones, "
        "since nodes ask, also where λ = μ. What grows is the scatter between intervals, to twice as much; in a short "
        "experiment it looks like a difference. Zipf access adds a quarter to the scatter and changes nothing else."
    ),
)
EXPERIMENT = Experiment(
    about=(
        "Whether the closed form (3.3) tells what is measured: 30 nodes that come and go, 300 objects, 20 "
        "intervals, and the share of operations that find enough copies. Exponential and Weibull lifetimes of the "
        "same means, uniform and Zipf access. A simulated cluster stands for the real one of the document."
    ),
    full=Parameters(),
    quick=Parameters(returns=(0.01, 0.03, 0.1), interval_s=500.0),
    cells=cells,
    report=report,
)
