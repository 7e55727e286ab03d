"""The pages that `roost plan --report FILE` writes."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from roost.app.cli.common import hint, write_whole
from roost.app.cli.plan_options import Told
from roost.app.cli.plan_words import plan_lines
from roost.lab.availability.lost_disks import Fate
from roost.lab.availability.precision import percent
from roost.lab.experiment import Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.planning.choose import Plan, Wish
from roost.lab.planning.page import page
from roost.lab.planning.quantities import time_words
from roost.lab.planning.questions import Borne, lacking_at

#: How many times longer than away nodes are there, in the plot of churn.
_RATIOS = tuple(Decimal(10) ** (Decimal(at) / 8) for at in range(-16, 41))
_DAY_S = 86_400


def write_choice(path: Path, told: Told, wish: Wish, plan: Plan) -> None:
    """Write why it is this group, with the availability of all that were looked at."""
    looked_at = [one for size in plan.sizes for one in size.candidates]
    names = {one.name: f"{one.consistency.read} / {one.consistency.write}" for one in looked_at}
    series = []
    for name, short in names.items():
        points = [(one.replicas, one.fate) for size in plan.sizes for one in size.candidates if one.name == name]
        lacking = tuple(float(fate.unavailability) for _, fate in points)
        copies = tuple(float(at) for at, _ in points)
        series.append(Series(name=short, kind="line and points", x=copies, y=lacking))
    if wish.lacking is not None:
        ends = (1.0, float(max(len(plan.sizes), 2)))
        series.append(Series(name="wish", kind="line", x=ends, y=(float(wish.lacking),) * 2, is_reference=True))
    panel = Panel(x=Axis("copies"), y=Axis("share of operations that fail", is_log=True), series=tuple(series))
    rows = tuple(
        (float(one.replicas), one.consistency.read, one.consistency.write, percent(one.fate.unavailability))
        for one in looked_at
    )
    table = Table(title="What was looked at", columns=("copies", "reads at", "writes at", "available"), rows=rows)
    figure = Figure(title="What fails, by copies and consistency of reads / writes", panels=(panel,))
    _write(path, "How many copies, and which consistency", plan_lines(told, wish, plan), [table], figure)


def write_churn(path: Path, borne: Sequence[Borne], lines: Sequence[str]) -> None:
    series = tuple(
        Series(
            name=f"{one.replicas} {one.level}",
            kind="line",
            x=tuple(float(ratio) for ratio in _RATIOS),
            y=tuple(1.0 - float(lacking_at(ratio, one.replicas, one.level)) for ratio in _RATIOS),
        )
        for one in borne
    )
    panel = Panel(x=Axis("there / away", is_log=True), y=Axis("availability", span=(0.0, 1.0)), series=series)
    _write(path, "How much churn is borne", lines, [], Figure(title="Availability by churn", panels=(panel,)))


def write_repair(path: Path, thetas: Sequence[Decimal], fates: Sequence[Fate], lines: Sequence[str]) -> None:
    x = tuple(float(theta) for theta in thetas)
    days = Series(name="MTTF", kind="line and points", x=x, y=tuple(float(fate.mttf_s) / _DAY_S for fate in fates))
    available = tuple(1.0 - float(fate.unavailability) for fate in fates)
    panels = (
        Panel(x=Axis("theta"), y=Axis("mean time to failure, days"), series=(days,)),
        Panel(
            x=Axis("theta"),
            y=Axis("availability"),
            series=(Series(name="availability", kind="line and points", x=x, y=available),),
        ),
    )
    rows = tuple(
        (f"{theta}", time_words(fate.mttf_s), percent(fate.unavailability))
        for theta, fate in zip(thetas, fates, strict=True)
    )
    table = Table(title="By how often it is run", columns=("theta", "lost after", "available"), rows=rows)
    figure = Figure(title="How often anti-entropy repair is run", panels=panels)
    _write(path, "How often to repair", lines, [table], figure)


def write_decay(
    path: Path, times_s: Sequence[Decimal], by_name: dict[str, list[Decimal]], lines: Sequence[str]
) -> None:
    x = tuple(float(at_s) for at_s in times_s)
    series = tuple(
        Series(name=name, kind="line", x=x, y=tuple(1.0 - float(one) for one in lacking))
        for name, lacking in by_name.items()
    )
    panel = Panel(
        x=Axis("seconds since the write", is_log=True), y=Axis("availability", span=(0.0, 1.0)), series=series
    )
    _write(path, "How long a write is there", lines, [], Figure(title="Availability after a write", panels=(panel,)))


def _write(path: Path, title: str, lines: Sequence[str], tables: Sequence[Table], figure: Figure) -> None:
    write_whole(path, [page(title, [line for line in lines if line], tables, [figure]).encode()])
    hint(f"the report is in {path}")
