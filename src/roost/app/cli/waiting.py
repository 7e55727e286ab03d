"""Waiting for runs with something to look at: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TypeVar

import click

from roost.app.cli import exits
from roost.app.cli.common import hint, loaded
from roost.app.cli.left import Lefts
from roost.app.cli.reasons import Reasons
from roost.app.cli.selecting import Run
from roost.app.drawing.wording import taken_over
from roost.client.control import Control, NodeGone
from roost.client.lending import waiting
from roost.core.telling.views import ENDED

#: The node is asked again after a tenth of the time waited so far, within these bounds: short work is noticed at once,
#: and long work costs the node nothing.
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.5
#: A node that is being restarted comes back within this.
PATIENCE_S = 30.0
LINE_EVERY_S = 5.0
ASKED_AT_ONCE = 100

Show = Callable[[list[Run]], None]
_Answer = TypeVar("_Answer")


def has_ended(run: Run) -> bool:
    return bool(run["ended"])


def went_wrong(run: Run) -> int:
    """Return how many elements did not end well."""
    return sum(run["counts"][state] for state in ENDED if state != "done")


def wait_for(control: Control, runs: list[Run], quiet: bool = False, task: str | None = None) -> list[Run]:
    """Wait until all elements of the runs, or of one task of each, have ended; return the runs as they are then."""
    latest = runs
    try:
        with waiting(), _display(quiet) as show:
            for latest in _watch(control, runs, quiet, task):
                show(latest)
    except KeyboardInterrupt:
        numbers = ",".join(str(run["number"]) for run in runs)
        goes_on = "runs go on" if len(runs) > 1 else "run goes on"
        hint(f"\nstopped waiting; the {goes_on}, come back with 'roost wait {numbers}'")
        raise click.exceptions.Exit(exits.INTERRUPTED) from None
    return latest


def _watch(control: Control, runs: list[Run], quiet: bool, task: str | None) -> Iterator[list[Run]]:
    """Yield the runs again and again until all have ended; those that have are not asked for again."""
    latest = {run["run"]: run for run in runs}
    going_on = [run for run in runs if not has_ended(run)]
    reasons, lefts = Reasons(control), Lefts(control)
    ask_again = partial(_asked_again, control, task)
    begin = time.monotonic()
    while True:
        latest |= {run["run"]: lefts.told(run) for run in _patiently(ask_again, going_on)}
        yield list(latest.values())
        going_on = [run for run in latest.values() if not has_ended(run)]
        if not going_on:
            return
        if not quiet:
            _patiently(lefts.note, going_on)
            _patiently(reasons.tell, going_on)
        waited = time.monotonic() - begin
        time.sleep(min(LONGEST_PAUSE_S, max(SHORTEST_PAUSE_S, waited / 10)))


def _asked_again(control: Control, task: str | None, runs: list[Run]) -> list[Run]:
    """Ask for the runs as they are now, a few at a time, because a selector must fit into an address."""
    answers: list[Run] = []
    for at in range(0, len(runs), ASKED_AT_ONCE):
        select = ",".join(run["run"] for run in runs[at : at + ASKED_AT_ONCE])
        answers += control.get("/v1/runs", select=select, task=task)["runs"]
    return answers


def _patiently(ask: Callable[[list[Run]], _Answer], runs: list[Run]) -> _Answer:
    """Ask; a node that went away may be restarting, so ask for a while before giving up."""
    give_up = time.monotonic() + PATIENCE_S
    told = False
    while True:
        try:
            return ask(runs)
        except NodeGone:
            if time.monotonic() > give_up:
                raise
            if not told:
                hint("the node went away; waiting for it to come back (start it with 'roost up')")
                told = True
            time.sleep(LONGEST_PAUSE_S)


def _display(quiet: bool) -> AbstractContextManager[Show]:
    if quiet:
        return nullcontext(lambda _runs: None)
    if not sys.stderr.isatty():
        return nullcontext(_Lines().show)
    bars: AbstractContextManager[Show] = loaded("roost.app.cli.bars").bars(went_wrong)
    return bars


class _Lines:
    """A line for each run that got on, every few seconds, for logs and pipes."""

    def __init__(self) -> None:
        self._next = time.monotonic() + LINE_EVERY_S
        self._told: dict[str, str] = {}

    def show(self, runs: list[Run]) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_EVERY_S
            for run in runs:
                line = progress_line(run)
                if line != self._told.get(run["run"]):
                    self._told[run["run"]] = line
                    hint(line)


def progress_line(run: Run) -> str:
    counts = run["counts"]
    bad = went_wrong(run)
    rest = f", {bad:,} not" if bad else ""
    reused = f" ({taken_over(run)})" if run["taken_over"] else ""
    left = f", {run['left']}" if run.get("left") else ""
    done = f"{counts['done']:,} of {counts['total']:,} done{reused}{rest}"
    return f"{run['run']}: {done}, {counts['running']:,} running{left}"
