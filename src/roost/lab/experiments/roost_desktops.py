"""All policies on desktop grids whose machines come and go as fits of measured ones do."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec

from roost.lab.experiment import Cell, Count, Experiment, Positive, Report, Results
from roost.lab.worlds.desktop_report import all_figures, all_rows, all_tables
from roost.lab.worlds.desktop_trials import Found, Trials
from roost.lab.worlds.desktop_words import all_findings
from roost.lab.worlds.desktops import LENGTHS
from roost.lab.worlds.populations import NAMES, Day, Family, Knobs
from roost.model.errors import InvalidInput
from roost.model.visible import quoted
from roost.policy.catalogue import POLICIES
from roost.sim.lifetimes import read_stays


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    nodes: Annotated[int, msgspec.Meta(ge=2)]
    tasks_per_node: Count
    #: Two at least, for without them nobody knows what chance does.
    seeds: Annotated[int, msgspec.Meta(ge=2)]
    populations: tuple[str, ...] = NAMES
    workloads: tuple[str, ...] = tuple(LENGTHS)
    policies: tuple[str, ...] = tuple(POLICIES)
    #: Which of the fits of the measured populations is drawn from.
    family: Family = "weibull"
    #: Of the population called knobs; scales in hours.
    up_shape: Positive = Knobs().up_shape
    up_scale: Positive = Knobs().up_scale
    down_shape: Positive = Knobs().down_shape
    down_scale: Positive = Knobs().down_scale
    #: Of the population called office: a file as ``roost sim --churn`` reads it, or nothing for the one that is built
    #: in; and for how many seconds one second of it stands.
    trace: str = ""
    trace_second_s: Positive = 60.0


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    return list(_trials(parameters, seed).cells())


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    found = Found(_trials(parameters, seed), results)
    return Report(
        rows=tuple(all_rows(found)),
        figures=tuple(all_figures(found)),
        tables=tuple(all_tables(found)),
        findings=tuple(all_findings(found)),
    )


def _trials(parameters: Parameters, seed: int) -> Trials:
    own = parameters
    return Trials(
        populations=_known(own.populations, NAMES, "population"),
        workloads=_known(own.workloads, tuple(LENGTHS), "workload"),
        policies=_known(own.policies, tuple(POLICIES), "policy"),
        nodes=own.nodes,
        tasks_per_node=own.tasks_per_node,
        seeds=own.seeds,
        seed=seed,
        knobs=Knobs(
            family=own.family,
            up_shape=own.up_shape,
            up_scale=own.up_scale,
            down_shape=own.down_shape,
            down_scale=own.down_scale,
        ),
        day=_day(_text_of(own.trace), own.trace_second_s),
    )


def _known(words: tuple[str, ...], known: tuple[str, ...], what: str) -> tuple[str, ...]:
    for word in words:
        if word not in known:
            raise InvalidInput(f"there is no {what} {quoted(word)}; there are {', '.join(known)}")
    return words


def _text_of(trace: str) -> str:
    if not trace:
        return files("roost.lab.worlds").joinpath("office_day.trace").read_text(encoding="utf-8")
    try:
        return Path(trace).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InvalidInput(f"the trace {quoted(trace)} cannot be read: {why}; name a text file") from None


def _day(text: str, second_s: float) -> Day:
    """Return the stays of each machine of a trace, of which one second stands for so many."""
    machines: dict[str, list[tuple[float, float]]] = {}
    for stay in read_stays(text):
        machines.setdefault(stay.machine, []).append((stay.begins * second_s, stay.ends * second_s))
    period_s = max(ends_s for stays in machines.values() for _, ends_s in stays)
    return Day(tuple(tuple(sorted(stays)) for stays in machines.values()), period_s)


EXPERIMENT = Experiment(
    about=(
        "Which policy is done soonest on machines as people have them? Populations whose times on line and away are "
        "fits of measured desktop grids, and a few that are assumed: laptops, machines that start anew each night, an "
        "office by the clock, and one by knobs (up-shape, up-scale, down-shape, down-scale; hours). Bags of short, "
        "medium and long tasks, by how long machines stay."
    ),
    full=Parameters(nodes=40, tasks_per_node=20, seeds=20),
    quick=Parameters(
        nodes=12,
        tasks_per_node=6,
        seeds=4,
        populations=("microsoft-1999", "notre-dame-2007", "mixed", "nightly", "office"),
    ),
    cells=cells,
    report=report,
)
