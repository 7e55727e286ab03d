"""`roost logs`: what elements wrote, also while they run."""

import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import click

from roost.api.encoding import encoded
from roost.app.cli.common import emit_json, json_option, task_option
from roost.app.cli.selecting import choose, find_node, runs_argument
from roost.client.control import PIECE_BYTES, Control, run_path
from roost.core.telling.views import ENDED
from roost.model.errors import InvalidInput, NotFound
from roost.model.paths import read_ranges, shown_index
from roost.model.ranges import RangeSet
from roost.model.visible import VisibleStream

#: How often a follower looks for more.
PAUSE_S = 0.1
#: States in which an element may have written something.
_WRITING = ("running", "suspended", "done", "failed", "cancelled")


class LogPlace(NamedTuple):
    """Whose output, and which stream."""

    run: str
    task: str
    element: int
    #: The element as people write it.
    path: str
    stream: str


@click.command("logs")
@runs_argument()
@task_option
@click.option("--element", "--elements", "elements", metavar="SET", help="Only these elements, e.g. 7 or 1-5 or 2.0-9.")
@click.option("--stderr", "stderr", is_flag=True, help="Standard error instead of standard output.")
@click.option("--raw", is_flag=True, help="The very bytes, also those that would steer your terminal.")
@click.option("-f", "--follow", is_flag=True, help="Go on printing until the element has ended.")
@json_option
def command(
    runs: tuple[str, ...],
    *,
    task: str | None,
    elements: str | None,
    stderr: bool,
    raw: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Print what elements wrote, also while they run and when they failed. Default: the last run, all its elements.

    What would steer a terminal (colours, the cursor, the title) and bytes that are not UTF-8 are printed as escapes
    such as \\x1b, and a carriage return begins a new line. With --raw all comes as it was written.

    \b
    Example:
      roost logs 5 --element 7 --stderr
      roost logs -f
    """
    control = find_node()
    chosen = choose(control, runs, task)
    stream = "stderr" if stderr else "stdout"
    places = [
        place for run in chosen.runs for place in _places(control, run["run"], chosen.task, elements, stream, follow)
    ]
    if follow and len(places) != 1:
        raise InvalidInput(f"-f follows one element, and that selects {len(places):,}; name one with --element N")
    for place in places:
        if as_json:
            text, encoding = encoded(b"".join(_written(control, place, follow)))
            emit_json({**place._asdict(), "text": text, "encoding": encoding})
        else:
            _print(control, place, follow, raw=raw, titled=len(places) > 1)


def _places(
    control: Control, run: str, task: str | None, elements: str | None, stream: str, follow: bool
) -> Iterator[LogPlace]:
    """Yield every element that was asked for and may have written; a follower also waits for one that has not begun."""
    asked = read_ranges(elements) if elements is not None else None
    steps = [step for step in control.get(run_path(run))["steps"] if task is None or step["name"] == task]
    if not steps:
        raise NotFound(f"run {run} has no task '{task}'; 'roost show {run}' lists them")
    if asked is not None:
        _check_elements(steps, asked)
    for step in steps:
        for index in _indices(step, asked, follow):
            yield LogPlace(run, step["name"], index, shown_index(index, step["parts"]), stream)


def _check_elements(steps: list[dict[str, Any]], asked: RangeSet) -> None:
    """Refuse elements that none of the tasks has, rather than print nothing for them."""
    missing = asked
    for step in steps:
        for ranges in step["ranges"].values():
            missing -= read_ranges(ranges)
    if missing:
        first = shown_index(missing.first, max(step["parts"] for step in steps))
        raise NotFound(f"there is no element {first} in {', '.join(step['name'] for step in steps)}")


def _indices(step: dict[str, Any], asked: RangeSet | None, follow: bool) -> RangeSet:
    wanted = RangeSet()
    for state, ranges in step["ranges"].items():
        if follow or state in _WRITING:
            wanted |= read_ranges(ranges)
    return wanted if asked is None else wanted & asked


def _print(control: Control, place: LogPlace, follow: bool, *, raw: bool, titled: bool) -> None:
    first, shown = True, VisibleStream()
    for piece in _written(control, place, follow):
        if first and titled:
            sys.stdout.write(f"==> {place.run}/{place.task} element {place.path} <==\n")
        first = False
        sys.stdout.flush()
        sys.stdout.buffer.write(piece if raw else shown.feed(piece).encode())
        sys.stdout.buffer.flush()
    sys.stdout.write(shown.feed(b"", final=True))


def _written(control: Control, place: LogPlace, follow: bool) -> Iterator[bytes]:
    """Yield the output piece by piece; a follower goes on until the element has ended and nothing more comes."""
    path = run_path(place.run, "logs")
    offset = 0
    while True:
        answer = control.read(
            path, task=place.task, element=place.element, stream=place.stream, offset=offset, limit=PIECE_BYTES
        )
        if answer.body:
            offset += len(answer.body)
            yield answer.body
        elif not follow or answer.headers.get("X-Roost-State") in ENDED:
            return
        else:
            time.sleep(PAUSE_S)
