"""`roost attach`: back to a run, as if it had just been submitted with --wait."""

import click

from roost.app.cli.common import hint, json_option, quiet_option
from roost.app.cli.get import give
from roost.app.cli.selecting import Run, choose, find_node, runs_argument
from roost.app.cli.wait import code_of
from roost.app.cli.waiting import wait_for
from roost.app.drawing.wording import taken_over
from roost.client.control import Control


@click.command("attach")
@runs_argument()
@quiet_option
@json_option
def command(runs: tuple[str, ...], quiet: bool, as_json: bool) -> int:
    """Come back to a run: wait for it with a progress bar, then print its results. Default: the last run.

    It works from any terminal, also after the node was restarted.

    \b
    Example:
      roost attach 5
      roost attach 5/resize
    """
    control = find_node()
    chosen = choose(control, runs, counted=True)
    return wait_and_give(control, chosen.runs, quiet, as_json, chosen.task)


def wait_and_give(control: Control, runs: list[Run], quiet: bool, as_json: bool, task: str | None = None) -> int:
    """Wait for the runs, or a task of each, print the results, and return the exit code that says how they ended."""
    ended = wait_for(control, runs, quiet, task)
    for run in ended:
        give(control, run, task, None, None, as_json)
        if run["taken_over"] and not quiet:
            number = run["number"]
            hint(f"{run['run']}: {taken_over(run)} from earlier runs; 'roost explain {number} --cache' says from which")
    return code_of(ended)
