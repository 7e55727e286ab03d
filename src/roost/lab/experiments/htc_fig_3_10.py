"""HTC figure 3.10: how long data lasts, and how available it is, by how often a read repairs."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from roost.lab.availability.asking import Answer, Disks, Group, cell_of
from roost.lab.availability.lost_disks import Gossip
from roost.lab.experiment import Cell, Experiment, Report, Results, Row
from roost.lab.experiments.htc_fig_3_9 import drawn, ends


class Parameters(msgspec.Struct, frozen=True):
    fails: tuple[float, ...] = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1)
    back: float = 10.0
    #: How likely a read repairs.
    read_repair: tuple[float, ...] = (0.01, 0.1, 1.0)
    #: Reads per second and node: with 30 nodes and 300 objects, each object is read once a second.
    read_rate: float = 10.0
    anti_entropy_rate: float = 0.01
    replicas: int = 3


def _cell(parameters: Parameters, chance: float) -> Cell[tuple[Answer, ...]]:
    groups = [
        Group(
            replicas=parameters.replicas,
            disks=Disks(
                fails=fails,
                returns=parameters.back * fails,
                read_rate=parameters.read_rate,
                read_repair=chance,
                anti_entropy_rate=parameters.anti_entropy_rate,
                gossip=Gossip.NOTHING.value,
            ),
        )
        for fails in parameters.fails
    ]
    return cell_of(f"read repair chance {chance:g}", groups)


def cells(parameters: Parameters, _seed: int) -> Sequence[Cell[tuple[Answer, ...]]]:
    return [_cell(parameters, chance) for chance in parameters.read_repair]


def report(parameters: Parameters, _seed: int, results: Results) -> Report:
    found = {f"rr = {chance:g}": results.of(_cell(parameters, chance)) for chance in parameters.read_repair}
    rows = [*ends(parameters.fails, found), *_grows(parameters, found)]
    return Report(rows=tuple(rows), figures=(drawn(parameters.fails, found),), findings=FINDINGS)


def _grows(parameters: Parameters, found: Mapping[str, tuple[Answer, ...]]) -> list[Row]:
    """Return whether both measures grow with the chance at every rate of failures, as the text says."""
    curves = list(found.values())
    places = range(len(parameters.fails))
    steps = [(low[at], high[at]) for low, high in pairwise(curves) for at in places]
    available = sum(high.lacking < low.lacking for low, high in steps)
    lasting = sum((high.mttf_s or 0) > (low.mttf_s or 0) for low, high in steps)
    return [
        Row(
            what=f"steps of the chance at which the {what} grows, of {len(steps)}",
            published="clearly, both grow with rr",
            reproduced=float(count),
        )
        for what, count in (("availability", available), ("MTTF", lasting))
    ]


FINDINGS = (
    (
        "The figure has no numbers; what the text says of it holds at every rate of failures: availability and time "
        "to failure grow with the chance that a read repairs. From 0.01 to 1, data lasts 11 times longer at λ = 0.01 "
        "and 6.5 times at 0.1."
    ),
    (
        "A read that repairs with chance 0.01 where an object is read once a second is the chain of figure 3.9 where "
        "it is read every 100 s and each read repairs: the lowest curves of both figures are one."
    ),
)
EXPERIMENT = Experiment(
    about=(
        "How long the data of three copies lasts and how available it is with ONE, when nodes fail every 10 to 100 "
        "s and are back ten times sooner, by how likely a read repairs. By the absorbing chain of 3.2.2 with the "
        "rates as they are given, without gossip and booting."
    ),
    full=Parameters(),
    quick=Parameters(),
    cells=cells,
    report=report,
)
