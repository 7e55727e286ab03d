"""`roost run`: a workflow from a file."""

import os
from pathlib import Path
from typing import Any

import click

from roost.app.cli.common import (
    emit_json,
    hint,
    json_option,
    pairs_of,
    policy_option,
    quiet_option,
    quorum_option,
    safe_option,
    say,
    wishes_of,
)
from roost.app.cli.handing_in import hand_in
from roost.app.cli.workflows import read_and_warn, set_option, simulation_of, simulation_options
from roost.app.drawing.wording import count_of
from roost.model.errors import InvalidInput


@click.command("run")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@set_option
@simulation_options
@safe_option
@click.option("--resume", is_flag=True, help="Take over what an earlier run of this workflow has done.")
@click.option("--fresh", is_flag=True, help="Do everything anew, also the steps that say 'reuse: true'.")
@quorum_option
@policy_option
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
    resume: bool,
    fresh: bool,
    quorum: bool,
    policy: str,
    wait: bool,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
) -> int | None:
    """Run the workflow of a file. Prints the run's id. A node is started if none runs.

    FILE is a flow (.yaml), a WfFormat trace (.json), a Pegasus DAX, a WeevilScout workflow or a LAN task (.xml),
    or a list of commands (.txt). Everything is run, except for what steps that say 'reuse: true' did before with the
    same inputs. With --resume each element takes over what the same element of the same step did in an earlier run of
    this workflow (the same name, from the same file), if nothing that it is made of changed; 'roost explain --cache'
    says what was taken over, and why the rest was not.

    \b
    Example:
      roost run flow.yaml --set frames=100 --wait
      roost run flow.yaml --resume
      roost run montage.json --simulate --time-scale 0.01
      roost run lottery.yaml --quorum
    """
    simulation = simulation_of(simulate, time_scale, size_scale)
    reading = read_and_warn(file, pairs_of(overrides), simulation)
    again = _again_of(file, reading.submission["name"], simulate=simulate, resume=resume, fresh=fresh)
    submission = reading.submission | again | wishes_of(safe, quorum=quorum, policy=policy)
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


def _again_of(file: Path, name: str, *, simulate: bool, resume: bool, fresh: bool) -> dict[str, Any]:
    """Return what is taken over from earlier runs, and kept for later ones, as the fields of a submission."""
    if resume and fresh:
        raise InvalidInput("--resume takes over what --fresh does anew; give one of them")
    if simulate:
        # A replay is about the time that it takes.
        if resume:
            raise InvalidInput("--resume has no meaning with --simulate, which always runs everything")
        return {}
    # What a program writes into a pipe has no name of its own.
    place = Path.cwd() if file.is_fifo() else file.resolve()
    workflow = f"{name} of {os.fsencode(place).decode(errors='backslashreplace')}"
    return {"workflow": workflow, "resume": resume, "fresh": fresh}
