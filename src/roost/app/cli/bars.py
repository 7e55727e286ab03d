"""A bar for each run that is waited for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from roost.app.cli.draw import console
from roost.app.cli.selecting import Run
from roost.app.drawing.wording import taken_over

Show = Callable[[list[Run]], None]


@contextmanager
def bars(went_wrong: Callable[[Run], int], screen: Console | None = None) -> Iterator[Show]:
    """Give a function that shows runs as bars, drawn on stderr so that stdout stays data."""
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[reused]}", markup=False),
        TextColumn("{task.fields[left]}", markup=False),
        TextColumn("{task.fields[note]}", style="red"),
        console=screen or console(err=True),
    )
    bar_of: dict[str, TaskID] = {}

    def show(runs: list[Run]) -> None:
        for run in runs:
            name = f"{run['run']} {run['name']}"
            if run["run"] not in bar_of:
                bar_of[run["run"]] = progress.add_task(name, total=None, note="", left="", reused="")
            bad = went_wrong(run)
            progress.update(
                bar_of[run["run"]],
                completed=run["counts"]["done"] + bad,
                total=run["counts"]["total"],
                note=f"{bad:,} went wrong" if bad else "",
                left=run.get("left", ""),
                reused=taken_over(run),
            )

    with progress:
        yield show
