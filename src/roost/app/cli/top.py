"""`roost top`: the node, live."""

import select
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from roost.app.cli.common import emit_json, json_option
from roost.app.cli.draw import bar, console, ended_of, notes_text, state_text, table_of, time_taken
from roost.app.cli.left import left_of
from roost.app.cli.selecting import Run, find_node
from roost.app.cli.waiting import has_ended, went_wrong
from roost.client.control import Control, run_path
from roost.model.resources import format_duration, format_size

PAUSE_S = 0.5
RUNS_SHOWN = 15
ELEMENTS_SHOWN = 20

Snapshot = dict[str, Any]


@click.command("top")
@click.option("--once", is_flag=True, help="Print one frame and end.")
@json_option
def command(once: bool, as_json: bool) -> None:
    """Watch the node live: what runs, how far it is, how the runs do. q or Ctrl-C ends it.

    \b
    Example:
      roost top
      roost top --once
      roost top --json | jq .elements
    """
    control = find_node()
    if as_json:
        emit_json(snapshot(control))
    elif once or not sys.stdout.isatty():
        console().print(frame(snapshot(control)))
    else:
        _live(control)


def snapshot(control: Control) -> Snapshot:
    """Ask for everything that a frame shows."""
    runs: list[Run] = control.get("/v1/runs", select="all", limit=RUNS_SHOWN)["runs"]
    elements = [
        {"run": run["run"], "task": step["name"], **element}
        for run in runs
        if not has_ended(run) and run["counts"]["running"]
        for step in control.get(run_path(run["run"]))["steps"]
        for element in step["running"]
    ]
    for run in runs:
        run["left"] = "" if has_ended(run) else left_of(control, run["run"])
    return {"status": control.get("/v1/status"), "runs": runs, "elements": elements}


def frame(taken: Snapshot) -> RenderableType:
    parts: list[RenderableType] = [_node_line(taken["status"]), Text()]
    if taken["elements"]:
        parts += [_elements_table(taken["elements"]), Text()]
    parts.append(_runs_table(taken["runs"]) if taken["runs"] else Text("no runs yet", "dim"))
    return Group(*parts)


def _node_line(status: dict[str, Any]) -> RenderableType:
    capacity, free = status["capacity"], status["free"]
    line = Text.assemble(
        (status["node"], "bold"),
        f"  cpus {capacity['cpus'] - free['cpus']:g} of {capacity['cpus']:g} busy",
        f"  memory {format_size(capacity['memory_bytes'] - free['memory_bytes'])}",
        f" of {format_size(capacity['memory_bytes'])} taken",
        f"  {status['running']:,} running  up {format_duration(status['uptime_s'])}",
    )
    if status["trouble"]:
        line.append(f"  {status['trouble']}", "bold red")
    return line


def _elements_table(elements: list[dict[str, Any]]) -> RenderableType:
    table = table_of("RUNNING", "ELEMENT", "NODE", "FOR", "", "NOTE", right=("ELEMENT", "FOR"))
    for element in elements[:ELEMENTS_SHOWN]:
        fraction = element["fraction"]
        table.add_row(
            f"{element['run']}/{element['task']}",
            element["path"],
            element["node"],
            "" if element["seconds"] is None else format_duration(element["seconds"]),
            bar(fraction) if fraction is not None else Text(),
            Text(element["note"]),
        )
    if len(elements) > ELEMENTS_SHOWN:
        table.add_row(Text(f"and {len(elements) - ELEMENTS_SHOWN:,} more", "dim"))
    return table


def _runs_table(runs: list[Run]) -> RenderableType:
    table = table_of("RUN", "NAME", "STATE", "", "ENDED", "WRONG", "TIME", "LEFT", "", right=("ENDED", "WRONG"))
    for run in reversed(runs):
        wrong = went_wrong(run)
        table.add_row(
            run["run"],
            Text(run["name"]),
            state_text(run["state"]),
            bar(run["progress"], failed=wrong > 0),
            f"{ended_of(run['counts']):,}/{run['counts']['total']:,}",
            f"{wrong:,}" if wrong else "",
            time_taken(run),
            run.get("left", ""),
            notes_text(run),
        )
    return table


def _live(control: Control) -> None:
    first = frame(snapshot(control))
    with (
        suppress(KeyboardInterrupt),
        _keys() as pressed,
        Live(first, console=console(), screen=True, auto_refresh=False) as live,
    ):
        live.refresh()
        while pressed(PAUSE_S) != "q":
            live.update(frame(snapshot(control)), refresh=True)


@contextmanager
def _keys() -> "Iterator[Any]":
    """Give a function that waits for a key, at most so many seconds; the terminal is as before afterwards."""
    if not sys.stdin.isatty():
        yield time.sleep
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield lambda seconds: sys.stdin.read(1) if select.select([sys.stdin], [], [], seconds)[0] else None
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
