"""The answer to a what-if as a report of the laboratory (experiment.py), and in sentences."""

import math
from collections.abc import Sequence
from typing import Final

from roost.lab.experiment import Report, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.what_if.floor import Floor
from roost.lab.what_if.machines import Drawn, Machine, Replayed
from roost.lab.what_if.verdict import Mean, Measures, Verdict
from roost.lab.what_if.work import Work
from roost.model.resources import format_duration

#: What the model does without.
LEFT_OUT: Final = (
    "data that travel: inputs are there when an element begins",
    "failures of anything but machines, and second attempts at what failed",
    "owners who sit before their machines, batteries and links: every machine does as well as it can while it is there",
    "the time that a process takes to start, and that of messages beside the window of a contest",
    "work of anybody else",
)


def machines_in_words(machines: Sequence[Machine]) -> str:
    lanes = sum(machine.lanes for machine in machines)
    there = sum(machine.share_there * machine.lanes for machine in machines) / lanes
    kinds = {type(machine.life) for machine in machines}
    how = "which come and go as the log says" if Replayed in kinds else f"{there:.0%} of which are there on average"
    how = how if kinds & {Replayed, Drawn} else "which stay"
    return f"{len(machines):,} machine{'s' * (len(machines) != 1)} with {lanes:,g} lanes, {how}"


def work_in_words(work: Work, floor: Floor) -> str:
    elements = f"{work.elements:,} element{'s' * (work.elements != 1)}"
    tasks = sum(task.is_run for task in work.tasks)
    of = f" of {tasks:,} tasks" if tasks > 1 else ""
    return f"{elements}{of}; with machines that never leave, no less than {format_duration(floor.least_s)}"


def report_of(
    measures: Sequence[Measures], verdict: Verdict, machines: Sequence[Machine], work: Work, floor: Floor
) -> Report:
    """Return rows for each policy, a table and a figure of all, and what follows from them."""
    rows = [row for one in measures for row in _rows(one)]
    facts = f"{machines_in_words(machines)}. {work_in_words(work, floor)}."
    findings = [verdict.sentence] if verdict.sentence else []
    return Report(
        rows=tuple(rows),
        figures=(_figure(measures, floor),),
        tables=(_table(measures),),
        findings=(*findings, facts, f"Left out: {'; '.join(LEFT_OUT)}."),
    )


def _rows(one: Measures) -> list[Row]:
    told: list[tuple[str, Mean | None, str]] = [
        ("make-span", one.make_span_s, "s"),
        ("wasted share of the busy time", one.wasted, ""),
        ("variance of busy time among nodes", one.nodes_variance, "s²"),
        ("Jain's index of busy time among nodes", one.nodes_jain, ""),
        ("variance among users", one.users_variance, "s²"),
        ("Jain's index among users", one.users_jain, ""),
    ]
    some = "" if one.done == one.worlds else f"the work was done in {one.done} of {one.worlds} worlds"
    return [
        Row(
            what=f"{one.policy}: {what}",
            published=None,
            reproduced=mean.mean,
            unit=unit,
            error=mean.error if math.isfinite(mean.error) else None,
            reading=some,
        )
        for what, mean, unit in told
        if mean is not None
    ]


def _table(measures: Sequence[Measures]) -> Table:
    columns = ("policy", "make-span, s", "±", "wasted, %", "variance among nodes, s²", "Jain's index", "done in worlds")
    return Table(
        title="What each policy makes of it",
        columns=columns,
        rows=tuple(
            (
                one.policy,
                one.make_span_s.mean,
                one.make_span_s.error,
                100 * one.wasted.mean,
                _told(one.nodes_variance),
                _told(one.nodes_jain),
                f"{one.done} of {one.worlds}",
            )
            for one in measures
        ),
    )


def _told(mean: Mean | None) -> float | str:
    return "" if mean is None else mean.mean


def _figure(measures: Sequence[Measures], floor: Floor) -> Figure:
    names = tuple(one.policy for one in measures)
    hours = tuple(one.make_span_s.mean / 3600 for one in measures)
    error = tuple(one.make_span_s.error / 3600 if math.isfinite(one.make_span_s.error) else 0.0 for one in measures)
    least = (floor.least_s / 3600,) * len(names)
    spans = Panel(
        x=Axis("policy"),
        y=Axis("make-span, hours"),
        series=(
            Series(name="make-span", kind="bars", x=names, y=hours, error=error),
            Series(name="no machine ever leaves", kind="line", x=names, y=least, is_reference=True),
        ),
    )
    wasted = Panel(
        x=Axis("policy"),
        y=Axis("wasted, % of the busy time"),
        series=(Series(name="wasted", kind="bars", x=names, y=tuple(100 * one.wasted.mean for one in measures)),),
    )
    even = Panel(
        x=Axis("policy"),
        y=Axis("Jain's index among nodes", span=(0.0, 1.0)),
        series=(
            Series(
                name="evenness",
                kind="bars",
                x=names,
                y=tuple(0.0 if one.nodes_jain is None else one.nodes_jain.mean for one in measures),
            ),
        ),
    )
    return Figure(title="Policies on these machines with this work", panels=(spans, wasted, even), columns=3)
