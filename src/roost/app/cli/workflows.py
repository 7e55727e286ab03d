"""Workflow files as commands take them: the options that say how to read them, and what can be said of one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from roost.app.cli.common import hint
from roost.app.drawing.wording import count_of
from roost.languages.outline import Reading
from roost.languages.read import read_workflow
from roost.languages.trace.simulation import Simulation
from roost.model.errors import InvalidInput
from roost.model.limits import SCALE_MAX
from roost.model.ranges import RangeSet

SUFFIXES = (".yaml", ".yml", ".json", ".xml", ".dax", ".txt")
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

set_option = click.option(
    "--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Another value for one of the flow's."
)


def simulation_options(command: _Decorated) -> _Decorated:
    """--simulate and its two scales, for recorded workflows."""
    for option in (
        click.option("--size-scale", type=click.FloatRange(min=0), help="With --simulate: times the recorded sizes."),
        click.option("--time-scale", type=click.FloatRange(min=0), help="With --simulate: times the recorded seconds."),
        click.option("--simulate", is_flag=True, help="Replay a recorded workflow (WfFormat, DAX) with placeholders."),
    ):
        command = option(command)
    return command


def simulation_of(simulate: bool, time_scale: float | None, size_scale: float | None) -> Simulation | None:
    if not simulate:
        if time_scale is not None or size_scale is not None:
            raise InvalidInput("--time-scale and --size-scale only mean something with --simulate")
        return None
    scales = {"--time-scale": time_scale, "--size-scale": size_scale}
    for option, scale in scales.items():
        # What is no number at all is not within any limits.
        if scale is not None and not 0 <= scale <= SCALE_MAX:
            raise InvalidInput(f"{option} is {scale:g}; use a number from 0 to {SCALE_MAX:,}")
    return Simulation(*(1.0 if scale is None else scale for scale in scales.values()))


def is_file_name(word: str) -> bool:
    """Whether a word means a workflow file, and no run."""
    return word.lower().endswith(SUFFIXES) or Path(word).is_file() or Path(word).is_fifo()


def read_and_warn(
    path: Path, overrides: dict[str, str], simulation: Simulation | None = None, *, to_run: bool = True
) -> Reading:
    """Read a workflow, and say on stderr what is untidy about it."""
    reading = read_workflow(path, overrides, simulation, to_run=to_run)
    for warning in reading.warnings:
        hint(f"roost: {warning}")
    return reading


def described(path: Path, reading: Reading) -> dict[str, Any]:
    """Return what there is to say of a workflow that can run."""
    tasks = reading.submission["tasks"]
    elements = [_elements(task) for task in tasks]
    return {
        "file": str(path),
        "language": reading.language,
        "name": reading.submission["name"],
        "steps": len(tasks),
        "kinds": dict(sorted(reading.kinds().items())),
        "links": sum(len(task.get("edges") or ()) for task in tasks),
        "elements": sum(count for count in elements if count is not None),
        #: Tasks that have as many elements as a list turns out to be long.
        "sized_at_run_time": sum(count is None for count in elements),
        "final": list(reading.submission.get("final") or ()),
        "warnings": list(reading.warnings),
    }


def summary_line(about: dict[str, Any]) -> str:
    """Say it in one line."""
    parts = [count_of(about["steps"], "step"), count_of(about["links"], "link")]
    elements = count_of(about["elements"], "element")
    if about["sized_at_run_time"]:
        elements += f" and those of {count_of(about['sized_at_run_time'], 'step')} whose number shows at run time"
    return f"{about['file']}: {about['language']} '{about['name']}', {', '.join(parts)}, {elements}"


def _elements(task: dict[str, Any]) -> int | None:
    """Return how many elements a task has; None if that is known only when it runs."""
    edges = task.get("edges") or ()
    if task.get("sized_by") is not None or any(edge["kind"] == "spread" for edge in edges):
        return None
    if task.get("array") is not None:
        return len(RangeSet.parse(task["array"]))
    return 1 if task.get("items") is None else len(task["items"])
