"""`roost wait`: until runs have ended."""

import click

from roost.app.cli import exits
from roost.app.cli.common import emit_json, hint, json_option, quiet_option
from roost.app.cli.results import tell_failures
from roost.app.cli.selecting import Run, choose, find_node, runs_argument
from roost.app.cli.waiting import wait_for, went_wrong
from roost.app.drawing.wording import taken_over
from roost.client.control import Control


@click.command("wait")
@runs_argument()
@quiet_option
@json_option
def command(runs: tuple[str, ...], quiet: bool, as_json: bool) -> int:
    """Wait until runs, or a task of one, have ended. Default: the last run.

    The exit code is 1 if any element did not end well.

    \b
    Example:
      roost wait 5 && roost get 5
      roost wait 5/resize
    """
    control = find_node()
    chosen = choose(control, runs, counted=True)
    ended = wait_for(control, chosen.runs, quiet, chosen.task)
    if as_json:
        emit_json({"runs": ended})
    elif not quiet:
        tell_end(control, ended)
    return code_of(ended)


def code_of(runs: list[Run]) -> int:
    return exits.WORK_FAILED if any(went_wrong(run) for run in runs) else exits.WELL


def tell_end(control: Control, runs: list[Run]) -> None:
    """Say on stderr how the runs ended, and what to do about those that did not end well."""
    for run in runs:
        counts, reused = run["counts"], f" ({taken_over(run)})" if run["taken_over"] else ""
        if not went_wrong(run):
            hint(f"{run['run']}: all {counts['total']:,} done{reused}; 'roost get {run['number']}' prints the results")
            continue
        ends = [f"{counts[state]:,} {state}" for state in ("done", "failed", "cancelled", "aborted") if counts[state]]
        hint(f"{run['run']}: {', '.join(ends)} of {counts['total']:,}{reused}")
        tell_failures(control, run)
