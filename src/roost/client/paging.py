"""Answers that may be long, fetched page by page: results, failures, commands and inputs of a run."""

from collections.abc import Iterator
from typing import Any

from roost.client.control import Control, run_path

#: Elements asked for at once: enough to make the asking cheap, few enough to hold.
PAGE = 500

Result = dict[str, Any]
Failure = dict[str, Any]


def results_of(control: Control, run: str, task: str | None, elements: str | None) -> Iterator[Result]:
    """Yield the results of the done elements of a task, else of the run's final tasks, however many there are."""
    yield from _pages(control, run, "results", task, elements)


def failures_of(control: Control, run: str, task: str | None = None, elements: str | None = None) -> Iterator[Failure]:
    """Yield the last failure of each element that has one."""
    yield from _pages(control, run, "failures", task, elements)


def commands_of(control: Control, run: str) -> Iterator[dict[str, Any]]:
    """Yield the commands of a run's tasks, with their placeholders."""
    yield from _pages(control, run, "commands", None, None)


def inputs_of(control: Control, run: str) -> Iterator[dict[str, Any]]:
    """Yield the items that elements of the run's commands were handed in with, as far as the node has them."""
    yield from _pages(control, run, "inputs", None, None)


def _pages(control: Control, run: str, part: str, task: str | None, elements: str | None) -> Iterator[dict[str, Any]]:
    begin: dict[str, Any] = {}
    while True:
        page = control.get(run_path(run, part), task=task, elements=elements, limit=PAGE, **begin)
        yield from page[part]
        if page.get("next") is None:
            return
        begin = {"start": page["next"], "start_task": page.get("next_task")}
