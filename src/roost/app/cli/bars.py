"""A bar for each run that is waited for."""

from collections.abc import Callable
from contextlib import AbstractContextManager

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


class Bars(AbstractContextManager[Show]):
    """A bar for each run, drawn on stderr so that stdout stays data."""

    def __init__(self, went_wrong: Callable[[Run], int], screen: Console | None = None) -> None:
        self._went_wrong = went_wrong
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[reused]}", markup=False),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.fields[note]}", style="red"),
            console=screen or console(err=True),
        )
        self._bar_of: dict[str, TaskID] = {}

    def __enter__(self) -> Show:
        self._progress.start()
        return self._show

    def __exit__(self, *exc_info: object) -> None:
        self._progress.stop()

    def _show(self, runs: list[Run]) -> None:
        for run in runs:
            if run["run"] not in self._bar_of:
                self._bar_of[run["run"]] = self._progress.add_task(
                    f"{run['run']} {run['name']}", total=None, note="", left="", reused=""
                )
            counts = run["counts"]
            bad = self._went_wrong(run)
            self._progress.update(
                self._bar_of[run["run"]],
                completed=counts["done"] + bad,
                total=counts["total"],
                note=f"{bad:,} went wrong" if bad else "",
                left=run.get("left", ""),
                reused=taken_over(run),
            )
