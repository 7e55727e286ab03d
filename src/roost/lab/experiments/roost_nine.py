"""The default beside the best published policy in HTC's nine scenarios, exponential and Weibull (docs/policies.md)."""

import math
import statistics
from collections.abc import Sequence

import msgspec

from roost.lab.experiment import Cell, Count, Experiment, Positive, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.worlds.comparison import Lasted, Tried, try_once
from roost.lab.worlds.lifetimes import Model
from roost.lab.worlds.scenarios import SCENARIOS, Scenario
from roost.policy.catalogue import DEFAULT_POLICY, POLICIES, known_policy

_PUBLISHED = tuple(name for name in POLICIES if name != DEFAULT_POLICY)


class Nine(msgspec.Struct, frozen=True):
    nodes: Count = 100
    #: How long each node would work, were there no failures.
    each_s: Positive = 1e5
    repetitions: Count = 6
    #: How wrong stated lengths are (HTC 4.6.1).
    k: Positive = 1.0
    published: tuple[str, ...] = _PUBLISHED


def _cell(parameters: Nine, seed: int, policy: str, scenario: Scenario, repetition: int) -> Cell[Lasted]:
    tried = Tried(policy, *scenario, parameters.nodes, parameters.each_s, 1000 * seed + repetition, parameters.k)
    label = f"{policy}, {scenario.model.value}, {scenario.name}, {repetition}"
    return Cell(label, try_once, tried, cost=parameters.nodes * parameters.each_s / 1e7)


def cells(parameters: Nine, seed: int) -> Sequence[Cell[Lasted]]:
    for name in parameters.published:
        known_policy(name)
    return [
        _cell(parameters, seed, policy, scenario, repetition)
        for scenario in SCENARIOS
        for policy in (DEFAULT_POLICY, *parameters.published)
        for repetition in range(parameters.repetitions)
    ]


def report(parameters: Nine, seed: int, results: Results) -> Report:
    rows, lines = [], []
    found: dict[str, dict[Scenario, list[float]]] = {}
    for policy in (DEFAULT_POLICY, *parameters.published):
        found[policy] = {
            scenario: [
                results.of(_cell(parameters, seed, policy, scenario, repetition)).make_span
                for repetition in range(parameters.repetitions)
            ]
            for scenario in SCENARIOS
        }
    for scenario in SCENARIOS:
        ours = found[DEFAULT_POLICY][scenario]
        best = min(parameters.published, key=lambda policy: statistics.fmean(found[policy][scenario]))
        theirs = found[best][scenario]
        lead = 100 * (1 - statistics.fmean(ours) / statistics.fmean(theirs))
        error = _error_of_difference(ours, theirs) * 100 / statistics.fmean(theirs)
        wins = "wins" if lead > error else "ties" if lead >= -error else "loses"
        name = f"{scenario.model.value}, {scenario.name}"
        rows.append(
            Row(
                what=f"{name}: the default is shorter than {best}, the best of the others, by",
                published="wins or ties",
                reproduced=round(lead, 2),
                unit="%",
                error=round(1.96 * error, 2),
                reading=f"{wins}, by one standard error of the difference for the same work and failures",
            )
        )
        lines.append((name, round(statistics.fmean(ours), 3), best, round(statistics.fmean(theirs), 3), wins))
    columns = ("scenario", DEFAULT_POLICY, "best of the others", "its make-span", "the default")
    table = Table(title="Make-span by the shortest there could be", columns=columns, rows=tuple(lines))
    return Report(rows=tuple(rows), figures=(_figure(parameters, found),), tables=(table,), findings=_FINDINGS)


_FINDINGS = (
    (
        "Nodes know thirty of their stays from before, and lifetimes are estimated as Roost does it, for all policies. "
        "Work is reduced: 100 nodes that would work for a little more than a day each, so that the end counts for more "
        "than in HTC's worlds."
    ),
)


def _error_of_difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the standard error of the mean difference, of pairs that met the same work and failures."""
    differences = [one - other for one, other in zip(ours, theirs, strict=True)]
    return statistics.stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0


def _figure(parameters: Nine, found: dict[str, dict[Scenario, list[float]]]) -> Figure:
    panels = []
    for model in Model:
        scenarios = [scenario for scenario in SCENARIOS if scenario.model is model]
        names = tuple(scenario.name for scenario in scenarios)
        series = tuple(
            Series(
                name=policy,
                kind="bars",
                x=names,
                y=tuple(statistics.fmean(found[policy][scenario]) for scenario in scenarios),
                is_reference=policy != DEFAULT_POLICY,
            )
            for policy in (DEFAULT_POLICY, *parameters.published)
        )
        y = Axis("make-span by the shortest there could be")
        panels.append(Panel(title=f"{model.value} failures", x=Axis("scenario"), y=y, series=series))
    return Figure(title="The default beside the published policies in HTC's scenarios", panels=tuple(panels))


EXPERIMENT = Experiment(
    about="Roost's default policy beside all published ones in HTC's nine scenarios, with exponential and with Weibull "
    "failures, in the plain world that asks the policies of real nodes.",
    full=Nine(),
    quick=Nine(20, 2e4, 3, published=("fcfs", "fr", "bfgc", "bfgce", "wqr-4")),
    cells=cells,
    report=report,
)
