"""HTC 2.5: a queue on an eventually consistent store, by load, length of tasks and number of nodes."""

from collections.abc import Sequence
from typing import Any

from roost.lab.experiment import Cell, Experiment, Report, Results, Table
from roost.lab.store_queue.figures import all_figures
from roost.lab.store_queue.findings import Found, cell_of
from roost.lab.store_queue.published import LOADS, table_2_4
from roost.lab.store_queue.rows import all_rows
from roost.lab.store_queue.settings import Parameters, Settings
from roost.lab.store_queue.words import all_findings


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    return [cell_of(setting) for setting in Settings(parameters, seed).every()]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    found = Found(Settings(parameters, seed), results)
    return Report(
        rows=tuple(all_rows(found)),
        figures=all_figures(found),
        tables=(_table_2_4(found),),
        findings=tuple(all_findings(found)),
    )


def _table_2_4(found: Found) -> Table:
    """Lay table 2.4 out as the document does, with its own figures in brackets."""
    sizes = found.parameters.sizes
    lines: list[tuple[float | str, ...]] = []
    for load in LOADS:
        line: list[float | str] = [load]
        for nodes in sizes:
            setting, published = found.settings.one(nodes, load), table_2_4(nodes, load)
            mean, deviation = found.utilisation(setting).mean, found.deviation(setting).mean
            line.append(f"{mean:.1f} ({published.mean:g})" if published else f"{mean:.1f}")
            line.append(f"{deviation:.2f} ({published.deviation:g})" if published else f"{deviation:.2f}")
        lines.append(tuple(line))
    columns = [word for nodes in sizes for word in (f"{nodes} nodes: mean", f"{nodes} nodes: deviation")]
    title = "Table 2.4: node utilisation in percent, and published"
    return Table(title=title, columns=("load", *columns), rows=tuple(lines))


EXPERIMENT = Experiment(
    about=(
        "Do workers share a queue on a store without transactions, how well does that keep them busy, and how often do "
        "two of them run one task? 10 to 80 nodes, 20 tasks for each, loads from 0.2 to 2.0, tasks of up to 2 to 150 "
        "s. Beside HTC's queue the same without its table of workers, and with conditional writes as Roost claims."
    ),
    full=Parameters(
        runs=10, size_runs=10, loads=LOADS, longest_s=(2.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0, 150.0)
    ),
    quick=Parameters(runs=3, size_runs=3, loads=(0.2, 0.6, 1.0, 1.4, 2.0), longest_s=(2.0, 20.0, 75.0, 150.0)),
    cells=cells,
    report=report,
)
