"""Figures 4.5 to 4.7 and 4.9 to 4.11 of HTC: what nodes do with their time, and what tasks lose."""

from collections.abc import Callable, Iterator, Sequence

from roost.lab.compiled.nine_scenarios import SCENARIOS, SHOWN_POLICIES, Nine
from roost.lab.compiled.scenario_runs import KINDS, Measured, Spent
from roost.lab.experiment import Results, Row
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.worlds.scenarios import SYSTEMS

_SPENT = ("useful", "idle", "wasted", "offline")
#: Who of the nodes is looked at.
Who = Callable[[Measured], Spent]


def everybody(one: Measured) -> Spent:
    return one.everybody


def stable_nodes(one: Measured) -> Spent:
    return one.stable


def unstable_nodes(one: Measured) -> Spent:
    return one.unstable


def spent_figure(nine: Nine, results: Results, title: str, groups: Sequence[tuple[str, Who]]) -> Figure:
    """Draw stacked bars of shares of the make-span, one panel for each scenario and group of nodes."""
    panels = []
    for label, who in groups:
        for system, workload in SCENARIOS:
            name = f"{label}{system} system, {workload} tasks"
            panels.append(
                Panel(title=name, x=Axis("policy"), y=_SHARE, series=_stack(nine, results, who, system, workload))
            )
    return Figure(title=title, panels=tuple(panels), columns=3)


_SHARE = Axis("share of the time (%)", span=(0.0, 100.0))


def _stack(nine: Nine, results: Results, who: Who, system: str, workload: str) -> tuple[Series, ...]:
    return tuple(
        Series(
            name=what,
            kind="stacked bars",
            x=SHOWN_POLICIES,
            y=tuple(100 * share(nine, results, policy, (system, workload), who, what) for policy in SHOWN_POLICIES),
        )
        for what in _SPENT
    )


def share(nine: Nine, results: Results, policy: str, scenario: tuple[str, str], who: Who, what: str) -> float:
    return nine.mean(results, policy, scenario, lambda one: float(getattr(who(one), what))).mean


def spent_rows(nine: Nine, results: Results) -> Iterator[Row]:
    """Yield what the text says of all nodes together (HTC 4.5.2)."""
    for what, said, best in (("useful", "highest", max), ("wasted", "lowest", min)):
        count = 0
        for scenario in SCENARIOS:
            shares = {policy: share(nine, results, policy, scenario, everybody, what) for policy in SHOWN_POLICIES}
            count += best(shares, key=lambda policy: shares[policy]) == "bfgc"
        yield Row(what=f"BFGC has the {said} share of {what} time", published="yes", reproduced=f"in {count} of 9")
    for scenario in SCENARIOS:
        for policy in ("fcfs", "bfgc"):
            yield Row(
                what=f"{scenario[0]} system, {scenario[1]} tasks: useful time with {policy}",
                published=None,
                reproduced=round(100 * share(nine, results, policy, scenario, everybody, "useful"), 2),
                unit="%",
            )


def kinds_of_nodes_rows(nine: Nine, results: Results) -> Iterator[Row]:
    """Yield what the text says of stable and of unstable nodes."""
    for system in SYSTEMS:
        for policy in SHOWN_POLICIES:
            idle = [share(nine, results, policy, (system, workload), stable_nodes, "idle") for workload in KINDS]
            yield Row(
                what=f"{system} system: idle time of stable nodes with {policy}, at most",
                published="empty for sizable periods" if policy == "fcfs" else "useful time is close to 100 %",
                reproduced=round(100 * max(idle), 2),
                unit="%",
            )
    best = 0
    for scenario in SCENARIOS:
        shares = {policy: share(nine, results, policy, scenario, unstable_nodes, "useful") for policy in SHOWN_POLICIES}
        best += max(shares, key=lambda policy: shares[policy]) == "bfgc"
    yield Row(what="unstable nodes do most that is useful with BFGC", published="yes", reproduced=f"in {best} of 9")


def overheads_figure(nine: Nine, results: Results, title: str) -> Figure:
    """Draw the waiting time at the head of the queue on the time that was lost, per task."""
    panels = []
    for scenario in SCENARIOS:
        lost = [nine.mean(results, policy, scenario, _lost).mean for policy in SHOWN_POLICIES]
        waited = [nine.mean(results, policy, scenario, _waited).mean for policy in SHOWN_POLICIES]
        series = tuple(
            Series(name=name, kind="stacked bars", x=SHOWN_POLICIES, y=tuple(values))
            for name, values in (("wasted", lost), ("waiting", waited))
        )
        name = f"{scenario[0]} system, {scenario[1]} tasks"
        panels.append(Panel(title=name, x=Axis("policy"), y=Axis("time per task (s)"), series=series))
    return Figure(title=title, panels=tuple(panels), columns=3)


def overheads_rows(nine: Nine, results: Results) -> Iterator[Row]:
    for scenario in SCENARIOS:
        for policy in SHOWN_POLICIES:
            lost = nine.mean(results, policy, scenario, _lost)
            waited = nine.mean(results, policy, scenario, _waited)
            yield Row(
                what=f"{scenario[0]} system, {scenario[1]} tasks, {policy}: waiting by wasted time of a task",
                published="almost negligible",
                reproduced=round(waited.mean / lost.mean, 4) if lost.mean else None,
            )
    least = 0
    for scenario in SCENARIOS:
        means = {policy: nine.mean(results, policy, scenario, _lost).mean for policy in SHOWN_POLICIES}
        least += min(means, key=lambda policy: means[policy]) == "bfgc"
    yield Row(what="tasks lose least with BFGC", published="especially BFGC", reproduced=f"in {least} of 9 scenarios")


def _lost(one: Measured) -> float:
    return one.all_kinds.lost_s


def _waited(one: Measured) -> float:
    return one.all_kinds.wait_s
