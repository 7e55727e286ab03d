"""`roost run`: a workflow from a file."""

from pathlib import Path

import click

from roost.app.cli.common import (
    count_of,
    emit_json,
    hint,
    json_option,
    quiet_option,
    quorum_option,
    safe_option,
    say,
    wishes_of,
)
from roost.app.cli.handing_in import hand_in
from roost.app.cli.workflows import pairs_of, read_and_warn, set_option, simulation_of, simulation_options


@click.command("run")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@set_option
@simulation_options
@safe_option
@click.option("--fresh", is_flag=True, help="Do everything anew, also what an earlier run has done already.")
@quorum_option
@click.option("--wait", is_flag=True, help="Wait with a progress bar, then print the results.")
@click.option("--dry-run", is_flag=True, help="Check the file and say what would be submitted.")
@quiet_option
@json_option
def command(
    file: Path,
    *,
    overrides: tuple[str, ...],
    simulate: bool,
    time_scale: float | None,
    size_scale: float | None,
    safe: int | None,
    fresh: bool,
    quorum: bool,
    wait: bool,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
) -> int | None:
    """Run the workflow of a file. Prints the run's id. A node is started if none runs.

    FILE is a flow (.yaml), a WfFormat trace (.json), a Pegasus DAX, a WeevilScout workflow or a LAN task (.xml),
    or a list of commands (.txt). What an earlier run did with the same program, parameters and inputs is not done
    again; 'roost explain --cache' says why something was. With --simulate nothing is reused.

    \b
    Example:
      roost run flow.yaml --set frames=100 --wait
      roost run flow.yaml --fresh
      roost run montage.json --simulate --time-scale 0.01
      roost run lottery.yaml --quorum
    """
    simulation = simulation_of(simulate, time_scale, size_scale)
    reading = read_and_warn(file, pairs_of(overrides), simulation)
    # A replay is about the time that it takes.
    reuse = "off" if simulate else "fresh" if fresh else "on"
    submission = reading.submission | {"reuse": reuse} | wishes_of(safe, quorum=quorum)
    if not dry_run:
        return hand_in(submission, wait=wait, quiet=quiet, as_json=as_json)
    if as_json:
        emit_json(submission)
        return None
    say(f"run      {submission['name']}: {count_of(len(submission['tasks']), 'task')}")
    for task in submission["tasks"]:
        say(f"task     {task['name']}")
    hint("nothing was submitted")
    return None
