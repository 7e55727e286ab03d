"""What people see: a picture that changes while the run goes on, or plain lines where there is no terminal."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from examples.demo.scene import Scene
from roost.app.cli.draw import bar, table_of

#: Where nothing can be drawn, a line says now and then how far it is.
LINE_EVERY_S = 2.0
_STYLE_OF_STANDING = {"alive": "green", "suspect": "yellow", "dead": "bold red", "left": "dim"}
_BAR_WIDTH = 40


class Screen(Protocol):
    def show(self, scene: Scene) -> None:
        """Show how it is now."""

    def tell(self, line: str) -> None:
        """Say what happened; it stays to be read."""


@contextmanager
def screen_on(console: Console) -> Iterator[Screen]:
    """Give the screen that fits: drawn on a terminal, else lines."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield _Picture(live)


class _Picture:
    def __init__(self, live: Live) -> None:
        self._live = live
        self._began = time.monotonic()

    def show(self, scene: Scene) -> None:
        self._live.update(picture(scene), refresh=True)

    def tell(self, line: str) -> None:
        self._live.console.print(Text(f"{time.monotonic() - self._began:5.1f} s  {line}", "bold"))


class _Lines:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = self._said = time.monotonic()

    def show(self, scene: Scene) -> None:
        if time.monotonic() >= self._said + LINE_EVERY_S:
            self._said = time.monotonic()
            self.tell(line_of(scene))

    def tell(self, line: str) -> None:
        self._console.print(f"{time.monotonic() - self._began:5.1f} s  {line}", markup=False)


def picture(scene: Scene) -> RenderableType:
    """The nodes with what they do, and a bar for each step."""
    return Group(Text(), _nodes_table(scene), Text(), _steps_table(scene))


def line_of(scene: Scene) -> str:
    """The same in one line."""
    steps = ", ".join(f"{step.name} {len(step.done):,}/{len(step.elements):,}" for step in scene.steps)
    nodes = ", ".join(f"{node.name} ({node.standing}) {node.done:,}" for node in scene.nodes)
    return f"{steps}; done on {nodes}"


def who_ran_what(scene: Scene) -> Table:
    """For each step and node, how many accepted results it made."""
    names = [node.name for node in scene.nodes]
    table = table_of("STEP", *names, "RESULTS", "OF", right=(*names, "RESULTS", "OF"))
    for step in scene.steps:
        made = [f"{step.done_on.get(name, 0):,}" for name in names]
        table.add_row(step.name, *made, f"{len(step.done):,}", f"{len(step.elements):,}")
    made = [f"{node.done:,}" for node in scene.nodes]
    table.add_row("all", *made, f"{scene.done:,}", f"{scene.total:,}", style="bold")
    return table


def _nodes_table(scene: Scene) -> Table:
    table = table_of("NODE", "STATE", "DONE", "", "RUNNING", right=("DONE",))
    for node in scene.nodes:
        gone = node.standing in ("dead", "left")
        table.add_row(
            Text(node.name, "dim" if gone else "bold"),
            Text(node.standing, _STYLE_OF_STANDING.get(node.standing, "")),
            f"{node.done:,}",
            bar(node.done / scene.total if scene.total else 0.0, _BAR_WIDTH),
            Text("" if gone else ", ".join(node.running), "blue"),
        )
    return table


def _steps_table(scene: Scene) -> Table:
    table = table_of("STEP", "", "DONE", "OF", right=("DONE", "OF"))
    for step in scene.steps:
        total = len(step.elements)
        drawn = bar(len(step.done) / total if total else 0.0, _BAR_WIDTH, failed=step.wrong > 0)
        table.add_row(step.name, drawn, f"{len(step.done):,}", f"{total:,}")
    return table
