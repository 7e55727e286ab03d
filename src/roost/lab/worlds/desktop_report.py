"""The report of roost-desktops: rows, tables and figures, policies beside each other."""

from collections.abc import Callable, Iterator
from typing import Final

from roost.lab.experiment import Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.worlds.desktop_trials import PERCENT, Average, Bag, Found, make_span
from roost.lab.worlds.desktops import Lived
from roost.policy.catalogue import DEFAULT_POLICY

#: What the default is compared with beside the best of all others.
BASE: Final = "fcfs"


def all_rows(found: Found) -> Iterator[Row]:
    for bag in found.trials.bags():
        yield _soonest(found, bag)
        if DEFAULT_POLICY in found.trials.policies:
            yield from _of_default(found, bag)


def _soonest(found: Found, bag: Bag) -> Row:
    first, *others = found.by_make_span(bag, found.trials.policies)
    reading = "the only one"
    if others:
        ahead = found.later(bag, others[0], first)
        beyond = "beyond chance" if ahead.is_clear else "which chance explains"
        reading = f"{ahead.mean:.1f} % before {others[0]}, {beyond}"
    return Row(what=f"{bag.name}: done soonest", published=None, reproduced=first, reading=reading)


def _of_default(found: Found, bag: Bag) -> Iterator[Row]:
    for name, measure, unit in (
        ("make-span by the shortest", make_span, "times"),
        ("make-span of 99.9 %", _make_span_999, "times"),
        ("lost", _wasted, "%"),
        ("Jain's index of work by time on line", _jain_by_time, ""),
    ):
        yield _row(f"{bag.name}: {DEFAULT_POLICY}, {name}", found.mean(bag, DEFAULT_POLICY, measure), unit)
    rivals = [policy for policy in found.trials.policies if policy != DEFAULT_POLICY]
    if rivals:
        best = found.by_make_span(bag, rivals)[0]
        later = found.later(bag, DEFAULT_POLICY, best)
        yield _row(
            f"{bag.name}: make-span of {DEFAULT_POLICY} above that of the best other",
            later,
            "%",
            f"{best}; {verdict(later)}",
        )
    if BASE in rivals:
        later = found.later(bag, DEFAULT_POLICY, BASE)
        yield _row(f"{bag.name}: make-span of {DEFAULT_POLICY} above that of {BASE}", later, "%", verdict(later))


def verdict(later: Average) -> str:
    """Return what it says of a policy that it is done so much later than another."""
    if not later.is_clear:
        return "level, for chance explains the difference"
    return "later" if later.mean > 0.0 else "sooner"


def _row(what: str, value: Average, unit: str, reading: str = "") -> Row:
    return Row(what=what, published=None, reproduced=value.mean, unit=unit, error=value.error, reading=reading)


def _make_span_999(life: Lived) -> float:
    return life.make_span_999


def _wasted(life: Lived) -> float:
    return PERCENT * life.wasted


def _jain_by_time(life: Lived) -> float:
    return life.jain_by_time


def all_tables(found: Found) -> Iterator[Table]:
    """Yield a table for each population, with a row for each workload and policy."""
    measures: tuple[tuple[str, Callable[[Lived], float]], ...] = (
        ("99.9 %", _make_span_999),
        ("lost (%)", _wasted),
        ("Jain, work", lambda life: life.jain),
        ("Jain, work by time on line", _jain_by_time),
        ("variance of tasks", lambda life: life.variance),
        ("given up", lambda life: life.given_up),
    )
    for population in found.trials.populations:
        lines: list[tuple[float | str, ...]] = []
        for workload in found.trials.workloads:
            bag = Bag(population, workload)
            for policy in found.by_make_span(bag, found.trials.policies):
                span = found.mean(bag, policy, make_span)
                others = (round(found.mean(bag, policy, measure).mean, 3) for _, measure in measures)
                lines.append((workload, policy, round(span.mean, 3), round(span.error, 3), *others))
        columns = ("tasks", "policy", "make-span", "±", *(name for name, _ in measures))
        yield Table(title=f"{population}: all policies, the soonest first", columns=columns, rows=tuple(lines))


def all_figures(found: Found) -> Iterator[Figure]:
    for title, axis, measure in (
        ("Make-span by the shortest that there could be", "make-span", make_span),
        ("What was lost, by all the work that there was", "lost (%)", _wasted),
        ("How evenly nodes were used, by their time on line", "Jain's index", _jain_by_time),
    ):
        panels = tuple(_panel(found, population, axis, measure) for population in found.trials.populations)
        yield Figure(title=title, panels=panels, columns=2)


def _panel(found: Found, population: str, axis: str, measure: Callable[[Lived], float]) -> Panel:
    policies = found.trials.policies
    series = []
    for workload in found.trials.workloads:
        values = [found.mean(Bag(population, workload), policy, measure) for policy in policies]
        means, errors = tuple(value.mean for value in values), tuple(value.error for value in values)
        series.append(Series(name=workload, kind="bars", x=policies, y=means, error=errors))
    return Panel(title=population, x=Axis("policy"), y=Axis(axis), series=tuple(series))
