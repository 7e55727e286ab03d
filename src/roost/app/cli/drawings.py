"""Drawings for ``show``: in the terminal, once or until the run has ended, or as an SVG file."""

import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from roost.app.cli.common import hint
from roost.app.cli.draw import console, counts_text, state_text
from roost.app.cli.left import EVERY_S, left_of
from roost.app.cli.waiting import has_ended
from roost.app.drawing.graph.graph import Graph
from roost.app.drawing.graph.sources import graph_of_outline, graph_of_run
from roost.app.drawing.graph.svg import svg_of
from roost.app.drawing.graph.text import drawn
from roost.client.control import Control, run_path
from roost.languages.outline import Outline

#: A program that reads gets what fits on most screens.
WIDTH_FOR_PROGRAMS = 100
PAUSE_S = 0.5


def show_outline(outline: Outline, svg: str | None) -> None:
    """Draw a workflow file."""
    graph = graph_of_outline(outline)
    if svg is not None:
        write_svg(graph, svg)
    else:
        console().print(*drawn(graph, _width()), sep="\n")


def show_run(control: Control, run: str, svg: str | None, *, follow: bool) -> None:
    """Draw a run; with ``follow``, until it has ended."""
    detail = control.get(run_path(run))
    if follow and not has_ended(detail):
        detail = _followed(control, detail)
    elif svg is None:
        console().print(_frame(detail, left_of(control, run, whole=True)))
    if svg is not None:
        write_svg(graph_of_run(detail), svg)


def write_svg(graph: Graph, out: str) -> None:
    picture = svg_of(graph)
    if out == "-":
        sys.stdout.write(picture)
        return
    Path(out).write_text(picture, encoding="utf-8")
    hint(f"wrote {out}")


def _followed(control: Control, detail: dict[str, Any]) -> dict[str, Any]:
    """Draw whenever something has changed, on a terminal in place; return the run as it ended."""
    screen = console()
    left, asked_at, drawn_last = left_of(control, detail["run"], whole=True), time.monotonic(), None
    with Live(_frame(detail, left), console=screen, auto_refresh=False, transient=False) as live:
        while True:
            seen = (detail["counts"], [step["counts"] for step in detail["steps"]], left)
            if seen != drawn_last:
                live.update(_frame(detail, left), refresh=screen.is_terminal)
                drawn_last = seen
            if has_ended(detail):
                return detail
            time.sleep(PAUSE_S)
            detail = control.get(run_path(detail["run"]))
            if has_ended(detail):
                left = ""
            elif time.monotonic() - asked_at >= EVERY_S:
                left, asked_at = left_of(control, detail["run"], whole=True), time.monotonic()


def _frame(detail: dict[str, Any], left: str) -> Group:
    head = Text.assemble((detail["run"], "bold"), f"  {detail['name']}  ", state_text(detail["state"]))
    counts = counts_text(detail["counts"])
    if left:
        counts.append(f"  {left}")
    return Group(head, counts, Text(), *drawn(graph_of_run(detail), _width()))


def _width() -> int:
    return console().width if sys.stdout.isatty() else WIDTH_FOR_PROGRAMS
