"""HTC 3.6 and 5.2: transient failures and lost disks in one chain, which the document leaves to future work."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev

import msgspec

from roost.lab.availability.asking import Answer, Disks, Group, Network, cell_of
from roost.lab.availability.lost_disks import Gossip, Upkeep
from roost.lab.availability.simulated_disks import DiskSeen, DiskTrial, cells_of, runs_of
from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series

LEVELS = ("ONE", "QUORUM", "ALL")
KINDS = ("network", "disks", "both")
#: So rarely that it never happens within the life of the other kind of failure.
NEVER = 1e-60


class Parameters(msgspec.Struct, frozen=True):
    #: The applications of tables 3.1 and 3.2, both at once.
    fails: float = 1e-6
    returns: float = 1e-3
    replicas: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)
    #: A cluster that fails often enough to be lived through.
    up_s: float = 50.0
    down_s: float = 5.0
    network_up_s: float = 40.0
    simulated_replicas: tuple[int, ...] = (2, 3, 4)
    repeats: int = 40


def _rates(parameters: Parameters, kind: str) -> tuple[Network, Disks]:
    network = parameters.fails if kind in ("network", "both") else NEVER
    disks = parameters.fails if kind in ("disks", "both") else NEVER
    return Network(network, parameters.returns), Disks(fails=disks, returns=parameters.returns)


def _model(parameters: Parameters, kind: str, level: str) -> Cell[tuple[Answer, ...]]:
    network, disks = _rates(parameters, kind)
    groups = [
        Group(replicas=replicas, read=level, write=level, network=network, disks=disks)
        for replicas in parameters.replicas
    ]
    return cell_of(f"both in one chain, {kind}, {level}", groups)


def _alone(parameters: Parameters, kind: str, level: str) -> Cell[tuple[Answer, ...]]:
    network, disks = _rates(parameters, kind)
    groups = [
        Group(replicas=replicas, read=level, write=level, network=network)
        if kind == "network"
        else Group(replicas=replicas, read=level, write=level, disks=disks)
        for replicas in parameters.replicas
    ]
    return cell_of(f"{kind} alone, {level}", groups)


def _simulated(parameters: Parameters, seed: int, replicas: int) -> list[Cell[tuple[DiskSeen, ...]]]:
    trial = DiskTrial(
        seed=seed,
        replicas=replicas,
        up_s=parameters.up_s,
        down_s=parameters.down_s,
        anti_entropy_s=float(1 / Upkeep().anti_entropy_rate(replicas)),
        network_up_s=parameters.network_up_s,
        network_down_s=parameters.down_s,
        askers="clients",
    )
    return cells_of(f"simulated, {replicas} copies", trial, parameters.repeats, cost=float(replicas**2))


def _of_simulated(parameters: Parameters) -> Cell[tuple[Answer, ...]]:
    network = Network(1 / parameters.network_up_s, 1 / parameters.down_s)
    disks = Disks(fails=1 / parameters.up_s, returns=1 / parameters.down_s, gossip=Gossip.NOTHING.value)
    groups = [Group(replicas=replicas, network=network, disks=disks) for replicas in parameters.simulated_replicas]
    return cell_of("both in one chain, as simulated", groups)


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[tuple[Answer, ...]] | Cell[tuple[DiskSeen, ...]]]:
    models = [_model(parameters, kind, level) for kind in KINDS for level in LEVELS]
    alone = [_alone(parameters, kind, level) for kind in ("network", "disks") for level in LEVELS]
    batches = [_simulated(parameters, seed, replicas) for replicas in parameters.simulated_replicas]
    simulated = [cell for cells_of_one in batches for cell in cells_of_one]
    return [*models, *alone, _of_simulated(parameters), *simulated]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    found = {(kind, level): results.of(_model(parameters, kind, level)) for kind in KINDS for level in LEVELS}
    rows = [*_degenerate(parameters, found, results), *_compared(parameters, found)]
    rows += _beside_simulated(parameters, seed, results)
    return Report(
        rows=tuple(rows),
        figures=(_figure(parameters, found),),
        tables=(_table(parameters, found),),
        findings=FINDINGS,
    )


Found = Mapping[tuple[str, str], tuple[Answer, ...]]


def _degenerate(parameters: Parameters, found: Found, results: Results) -> list[Row]:
    """Return how far the chain is from each model where the other kind of failure never happens."""
    rows = []
    for kind in ("network", "disks"):
        off = 0.0
        for level in LEVELS:
            alone = results.of(_alone(parameters, kind, level))
            for one, other in zip(found[kind, level], alone, strict=True):
                off = max(off, abs(one.lacking - other.lacking) / (other.lacking or 1.0))
        rows.append(
            Row(
                what=f"with {kind} alone: largest relative difference of what is lacking",
                published=0.0,
                reproduced=off,
                tolerance=1e-9,
                reading="the same model as without the other kind, as it has to be",
            )
        )
    return rows


def _compared(parameters: Parameters, found: Found) -> list[Row]:
    rows = []
    for at, replicas in enumerate(parameters.replicas):
        for level in LEVELS:
            lacking = {kind: found[kind, level][at].lacking for kind in KINDS}
            rows.append(
                Row(
                    what=f"{replicas} copies, {level}: lacking with both, over the sum of either alone",
                    published=None,
                    reproduced=lacking["both"] / (lacking["network"] + lacking["disks"]),
                )
            )
        lasts = {kind: found[kind, "ONE"][at].mttf_s or 0.0 for kind in ("disks", "both")}
        rows.append(
            Row(
                what=f"{replicas} copies: MTTF with both, over that with disks alone",
                published=None,
                reproduced=lasts["both"] / lasts["disks"],
            )
        )
    return rows


def _beside_simulated(parameters: Parameters, seed: int, results: Results) -> list[Row]:
    rows = []
    models = results.of(_of_simulated(parameters))
    for replicas, model in zip(parameters.simulated_replicas, models, strict=True):
        seen = runs_of(results, _simulated(parameters, seed, replicas))
        assert model.mttf_s is not None
        measures = (
            ("share of right reads", [one.right for one in seen], 1 - model.lacking),
            ("MTTF", [one.mttf_s for one in seen], model.mttf_s),
        )
        for name, sample, told in measures:
            rows.append(
                Row(
                    what=f"{replicas} copies, simulated: {name} over the chain's",
                    published=None,
                    reproduced=fmean(sample) / told,
                    error=2.0 * stdev(sample) / sqrt(len(sample)) / told,
                )
            )
    return rows


def _figure(parameters: Parameters, found: Found) -> Figure:
    copies = tuple(float(replicas) for replicas in parameters.replicas)
    panels = tuple(
        Panel(
            title=level,
            x=Axis("copies"),
            y=Axis("share of operations that fail", is_log=True),
            series=tuple(
                Series(name=kind, kind="line and points", x=copies, y=tuple(one.lacking for one in found[kind, level]))
                for kind in KINDS
            ),
        )
        for level in LEVELS
    )
    return Figure(title="What fails, by what goes wrong", panels=panels, columns=3)


def _table(parameters: Parameters, found: Found) -> Table:
    rows: list[tuple[float | str, ...]] = [
        (float(replicas), *(f"{found['both', level][at].percent:.6f}" for level in LEVELS), _mttf(found, at))
        for at, replicas in enumerate(parameters.replicas)
    ]
    columns = ("copies", *(f"{level}, %" for level in LEVELS), "MTTF, s")
    return Table(title="Both kinds of failure", columns=columns, rows=tuple(rows))


def _mttf(found: Found, at: int) -> str:
    return f"{found['both', 'ONE'][at].mttf_s:.4g}"


FINDINGS = (
    ("The chain is each of the two models where the other kind of failure never happens, to the last digit."),
    (
        "Where failures are rare, what is lacking with both kinds is the sum of what either lacks, within 0.5 %: two "
        "failures seldom meet. So the two models of the document may be asked one by one, and their lacks be added. "
        "Data lasts as long as with disks alone, and up to 0.7 % longer, because a disk is taken not to fail while "
        "its node is away."
    ),
    (
        "Lost disks decide: with the same rates for both, almost all that is lacking with ONE and QUORUM is due to "
        "disks. The document's reward (3.11) asks copies at random, those that are away among them, while (3.3) "
        "passes them by."
    ),
    (
        "In a simulated cluster that fails every few seconds the time to failure is the chain's, and the share of "
        "right reads 0.6 to 1.2 % above it. That is a choice of the chain: a node without data that goes away for a "
        "time counts there as one whose disk failed, so it is not passed by."
    ),
)
EXPERIMENT = Experiment(
    about=(
        "How available a group is, and how long its data lasts, if nodes are both cut off for a time and lose their "
        "data: the applications of tables 3.1 and 3.2 at once, in one chain of n^3 / 6 states. Beside it a "
        "simulated cluster that fails often."
    ),
    full=Parameters(),
    quick=Parameters(repeats=8, simulated_replicas=(2, 3)),
    cells=cells,
    report=report,
)
