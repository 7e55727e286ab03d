"""How things look in a terminal: colours of states, tables, bars. Only what draws loads this, and rich with it."""

import sys
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from roost.app.drawing.graph.states import STYLE_OF_STATE
from roost.app.drawing.wording import taken_over
from roost.core.telling.views import ENDED, STATES
from roost.model.resources import format_duration
from roost.model.visible import visible

#: Wide enough that nothing is cut when a program reads the output.
_WIDTH_FOR_PROGRAMS = 4_000


class _Console(Console):
    """A console on which nothing that is drawn steers the terminal, whatever names and texts hold.

    All that rich draws goes through ``render``, also inside tables and what is redrawn; rich's own steering is marked.
    What a reader who stops early means is left to the door of the command line.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(err: bool = False) -> Console:
    """A console that draws for people and prints plain, uncut lines for programs (rich itself honours NO_COLOR)."""
    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else _WIDTH_FOR_PROGRAMS
    return _Console(file=stream, width=width, highlight=False, soft_wrap=width is not None, emoji=False)


def table_of(*columns: str, right: Sequence[str] = ()) -> Table:
    """An open table; the columns in ``right`` hold numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=column in right)
    return table


def state_text(state: str) -> Text:
    return Text(state, style=STYLE_OF_STATE.get(state, ""))


def counts_text(counts: dict[str, int]) -> Text:
    """Say how many elements are where, leaving out the empty states."""
    parts = [Text(f"{counts[state]:,} {state}", STYLE_OF_STATE[state]) for state in STATES if counts.get(state)]
    return Text(", ").join(parts) if parts else Text("no elements", "dim")


def people_text(run: dict[str, Any]) -> Text:
    """Say how many elements of a run wait for a person; nothing if none does."""
    return Text(f"{run['for_people']:,} for people", "bold yellow") if run["for_people"] else Text()


def notes_text(run: dict[str, Any]) -> Text:
    """Say what a person should know of a run beside its state: who is waited for, what was not made by it."""
    return Text("  ").join(note for note in (people_text(run), Text(taken_over(run))) if note)


def ended_of(counts: dict[str, int]) -> int:
    return sum(counts.get(state, 0) for state in ENDED)


def bar(fraction: float, width: int = 24, failed: bool = False) -> ProgressBar:
    return ProgressBar(1.0, fraction, width, complete_style="red" if failed else "green", finished_style="green")


def clock_text(at: float) -> str:
    """A time of today as the hour, an older one with its date."""
    moment = datetime.fromtimestamp(at).astimezone()
    today = datetime.now().astimezone().date()
    return moment.strftime("%H:%M:%S" if moment.date() == today else "%Y-%m-%d %H:%M")


def time_taken(run: dict[str, Any]) -> str:
    """From the submission to the end, or until now."""
    until = run["finished_at"] if run["finished_at"] is not None else time.time()
    return format_duration(max(0.0, until - run["submitted_at"]))
