"""What the commands of the laboratory share: running with progress, and telling what came out."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from roost.app.cli import exits
from roost.app.cli.common import hint, loaded, say, write_whole
from roost.app.cli.draw import console
from roost.app.drawing.wording import count_of
from roost.lab.catalogue import NAMES, with_extra
from roost.lab.experiment import Cell, Report, Row
from roost.lab.reporting.markdown import markdown
from roost.lab.reporting.numbers import shown, shown_difference
from roost.lab.reporting.outcome import Outcome, json_text, outcome_of, verdict_of
from roost.lab.reporting.page import page_html
from roost.lab.running.asked import ALL, Asked
from roost.lab.running.kept import Kept
from roost.lab.running.runner import Done, kept_results, run
from roost.model.errors import InvalidInput
from roost.runtime.home import Home

#: Experiments of which each figure is shown on the terminal; of more, one line each.
SHOWN_WHOLE: Final = 3
TITLE: Final = "Roost's laboratory"
#: What a report can be, by the ending of its file's name, and what makes it.
KINDS: Final = {".html": page_html, ".json": json_text, ".md": markdown}


@contextmanager
def kept_at(environment: Mapping[str, str]) -> Iterator[Kept]:
    """Open what is kept of experiments: in the home that is named, else where caches of this system are."""
    home = Home.locate(environment)
    if home.is_named:
        folder = home.path / "laboratory"
    else:
        folder = Path(loaded("platformdirs").user_cache_dir("roost", appauthor=False)) / "laboratory"
    kept = Kept(folder / "results.sqlite", time.time())
    try:
        yield kept
    finally:
        kept.close()


class Experimenting:
    """Experiments that are run, and what came out of those that are whole, in the order of the question."""

    def __init__(self, asked: Sequence[Asked], kept: Kept, *, fresh: bool) -> None:
        self._asked = asked
        self._kept = kept
        self._done = Done()
        self._cells = [one.cells() for one in asked]
        everything = [cell for cells in self._cells for cell in cells]
        self._missing = _each_once(everything) if fresh else kept_results(everything, kept, self._done)

    @property
    def outcomes(self) -> list[Outcome]:
        whole = [one for one, cells in zip(self._asked, self._cells, strict=True) if self._done.has_all(cells)]
        return [outcome_of(one, one.report(self._done)) for one in whole]

    def run(self, jobs: int) -> int:
        """Run what is missing; return the exit code. What is done when a person interrupts it is kept."""
        total = sum(cell.cost for cell in self._missing)
        ran = 0
        with _bar() as progress:
            bar = progress.add_task("experiments", total=total, note="")

            def told(cell: Cell[Any]) -> None:
                nonlocal ran
                ran += 1
                progress.update(bar, advance=cell.cost, note=f"{ran:,} of {len(self._missing):,}: {cell.label}")

            try:
                run(self._missing, jobs, self._kept, self._done, told)
            except KeyboardInterrupt:
                hint(
                    f"roost: interrupted; {ran:,} of {count_of(len(self._missing), 'part')} are done and kept, and the "
                    "same command goes on with the others"
                )
                return exits.INTERRUPTED
        return exits.WELL


def _each_once(cells: Sequence[Cell[Any]]) -> list[Cell[Any]]:
    done, found = Done(), []
    for cell in cells:
        if not done.has_all([cell]):
            done.add(cell, None)
            found.append(cell)
    return found


def check_output(path: Path) -> None:
    """Raise what is wrong with the file that a report shall be written to, before anything is run for it."""
    if path.suffix not in KINDS:
        raise InvalidInput(f"-o {path}: a report is a file that ends in {', '.join(KINDS)}")
    if not path.parent.is_dir():
        raise InvalidInput(f"-o {path}: there is no folder {path.parent}; make it first")
    if path.suffix == ".html":
        with_extra("plotly")


def write_report(path: Path, outcomes: list[Outcome]) -> None:
    """Write a report of the kind that the file's name says (``check_output``)."""
    text = KINDS[path.suffix](outcomes, TITLE, _when(outcomes))
    write_whole(path, [text.encode()])


def _when(outcomes: Sequence[Outcome]) -> str:
    sizes = {outcome.is_quick for outcome in outcomes}
    size = {frozenset([True]): " --quick", frozenset([False]): ""}.get(frozenset(sizes), "")
    names = ALL if len(outcomes) == len(NAMES) else " ".join(outcome.name for outcome in outcomes)
    return f"{time.strftime('%Y-%m-%d')}, roost lab run {names}{size}"


def tell_outcomes(outcomes: Sequence[Outcome]) -> None:
    """Print what came out: each figure, or, of many experiments, one line each."""
    for outcome in outcomes:
        verdict = verdict_of(outcome.report.rows)
        judged = f"{verdict.holding} hold, {verdict.differing} differ" if verdict.holding + verdict.differing else ""
        counts = ", ".join(filter(None, [count_of(len(outcome.report.rows), "figure"), judged]))
        say(f"{outcome.name}: {outcome.title} ({counts})")
        if len(outcomes) <= SHOWN_WHOLE:
            tell_report(outcome.report)


def tell_report(report: Report) -> None:
    """Print figures, tables and findings."""
    console().print(_rows(report.rows))
    for table in report.tables:
        say("")
        say(table.title)
        drawn = Table(*table.columns, box=None, pad_edge=False)
        for row in table.rows:
            drawn.add_row(*(shown(cell) for cell in row))
        console().print(drawn)
    for finding in report.findings:
        say("")
        console().print(Text(finding))


def _rows(rows: Sequence[Row]) -> Table:
    drawn = Table(box=None, pad_edge=False)
    drawn.add_column("what")
    for name in ("published", "reproduced", "difference"):
        drawn.add_column(name, justify="right")
    drawn.add_column("")
    for row in rows:
        error = f" ± {shown(row.error)}" if row.error is not None else ""
        unit = f" {row.unit}" if row.unit else ""
        verdict = {True: "holds", False: "differs", None: ""}[row.holds]
        reproduced = f"{shown(row.reproduced)}{error}{unit}"
        drawn.add_row(row.what, shown(row.published), reproduced, shown_difference(row.difference), verdict)
    return drawn


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=console(err=True),
        transient=True,
    )
