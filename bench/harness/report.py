"""Turns what was measured into tables for people and a file for later."""

import statistics

from harness.measures import Measure
from harness.rounds import Taken
from harness.targets import Verdict

HEADINGS = ("", "best", "median", "roost is", "")


def best_figures(measures: list[Measure], taken: Taken) -> dict[str, dict[str, float]]:
    """Return the best figure of each peer for each measure, the form that targets are judged on."""
    best = {
        measure.name: {peer: measure.better(taken.values(measure.name, peer)) for peer in taken.figures[measure.name]}
        for measure in measures
        if measure.name in taken.figures
    }
    if "idle" in taken.figures:
        idle = taken.figures["idle"]
        best["idle_cpu"] = {peer: min(figures["cpu_seconds"] for figures in idle[peer]) for peer in idle}
    return best


def table(measure: Measure, taken: Taken, verdicts: list[Verdict]) -> str:
    """Return one measure as a table: the best peer first, Roost's advantage over each, the targets below."""
    rows = [HEADINGS, *_rows(measure, taken)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [f"{measure.title} ({measure.unit})"]
    lines += ["  " + "  ".join(_cells(row, widths)).rstrip() for row in rows]
    lines += [f"  {peer}: no figure: {why}" for peer, why in taken.failures.get(measure.name, {}).items()]
    lines += [f"  target: {_verdict(verdict)}" for verdict in verdicts]
    return "\n".join(lines)


def _rows(measure: Measure, taken: Taken) -> list[tuple[str, ...]]:
    figures = taken.figures.get(measure.name, {})
    ranked = sorted(figures, key=lambda peer: measure.better(taken.values(measure.name, peer)))
    ours = taken.values(measure.name, "roost")
    rows = []
    for peer in reversed(ranked) if measure.higher_is_better else ranked:
        values = taken.values(measure.name, peer)
        advantage = ""
        if ours and peer != "roost":
            advantage = f"x {measure.advantage(measure.better(ours), measure.better(values)):,.2f}"
        median = statistics.median(values)
        rows.append((peer, _figure(measure.better(values)), _figure(median), advantage, _detail(figures[peer][-1])))
    return rows


def _cells(row: tuple[str, ...], widths: list[int]) -> list[str]:
    name, *numbers, detail = row
    padded = [cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True)]
    return [name.ljust(widths[0]), *padded, detail]


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _detail(figures: dict) -> str:
    if "microseconds" in figures:
        return "us an element: " + ", ".join(f"{int(n):,}: {cost:.1f}" for n, cost in figures["microseconds"].items())
    if "cpu_seconds" in figures:
        return f"{figures['cpu_seconds']:.2f} CPU s, {figures['processes']} processes"
    return f"p95 {figures['p95']:.2f}" if "p95" in figures else ""


def _verdict(verdict: Verdict) -> str:
    word = {True: "MET", False: "NOT MET", None: "OPEN"}[verdict.met]
    return f"{word:8} {verdict.asked} (came out: {verdict.came})"
