"""`roost get`: results, printed or saved."""

from pathlib import Path

import click

from roost.app.cli import exits
from roost.app.cli.common import elements_option, emit_long_json, hint, json_option, task_option
from roost.app.cli.results import print_results, save_results, tell_failures
from roost.app.cli.selecting import Run, checked_elements, choose, find_node, runs_argument
from roost.app.cli.waiting import has_ended, progress_line, went_wrong
from roost.app.drawing.wording import count_of
from roost.client.control import Control
from roost.client.paging import results_of
from roost.model.errors import InvalidInput, Unavailable


@click.command("get")
@runs_argument()
@task_option
@elements_option
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Save into DIR/TASK/ELEMENT/: stdout, stderr, declared output files, a function's pickle.",
)
@json_option
def command(runs: tuple[str, ...], task: str | None, elements: str | None, folder: Path | None, as_json: bool) -> int:
    """Print results in the order of the indices: what commands wrote to stdout, what functions returned.

    Default: the last run. Only what is done has a result; the rest is told on stderr, and the exit code is 1 if
    anything in the run, or in the task that was named, did not end well.

    \b
    Example:
      roost get 5
      roost get last --elements 1-3 --json
      roost get 5 -o results
    """
    control = find_node()
    chosen = choose(control, runs, task, counted=True)
    checked_elements(elements)
    lost = sum(give(control, run, chosen.task, elements, folder, as_json) for run in chosen.runs)
    if lost:
        raise Unavailable(f"{count_of(lost, 'file')} could not be saved, as said above; all others are in {folder}")
    return exits.WORK_FAILED if any(went_wrong(run) for run in chosen.runs) else exits.WELL


def give(control: Control, run: Run, task: str | None, elements: str | None, folder: Path | None, as_json: bool) -> int:
    """Print or save the results of one run, and say what is missing; return how many files could not be saved."""
    lost = 0
    if folder is not None:
        try:
            number, lost = save_results(control, run, task, elements, folder)
        except OSError as error:
            raise InvalidInput(f"cannot save into {folder}: {error.strerror}; choose another folder") from error
        hint(f"saved {count_of(number, 'result')} of {run['run']} in {folder}")
    elif as_json:
        emit_long_json(run, "results", results_of(control, run["run"], task, elements))
    else:
        print_results(control, run, task, elements)
    if not has_ended(run):
        hint(f"not all has ended yet: {progress_line(run)}; 'roost wait {run['number']}' waits")
    if run["counts"]["failed"]:
        tell_failures(control, run, task, elements)
    return lost
