"""`roost forget`: keep nothing of runs that have ended."""

import click

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.cli.selecting import find_node, runs_argument
from roost.app.drawing.wording import count_of
from roost.model.errors import InvalidInput
from roost.model.resources import format_size, parse_duration


@click.command("forget")
@runs_argument()
@click.option("--older", metavar="AGE", help="Only what ended longer ago, e.g. 30d; without RUN, of all runs.")
@click.option("--dry-run", is_flag=True, help="Say what would go, and change nothing.")
@json_option
def command(runs: tuple[str, ...], older: str | None, dry_run: bool, as_json: bool) -> None:
    """Keep nothing of runs that have ended: no results, logs, files or history, on no node of the cluster.

    This cannot be undone. What has not ended stays, and so does what another run builds on that stays.

    \b
    Example:
      roost forget 5
      roost forget --older 30d --dry-run
    """
    if not runs and older is None:
        raise InvalidInput("say which runs, or how old with --older; 'roost forget all' forgets all that have ended")
    wanted = {"select": ",".join(runs) or "all", "dry_run": dry_run}
    if older is not None:
        wanted["older_s"] = parse_duration(older)
    told = find_node().post("/v1/forget", wanted)
    if as_json:
        emit_json(told)
        return
    for kept in told["kept"]:
        hint(f"{kept['run']} stays: {kept['why']}")
    if told["dated_ahead"]:
        hint(_ahead(told["dated_ahead"]))
    for run in told["runs"] if dry_run else ():
        click.echo(f"{run['run']}  {format_size(run['bytes'])}  {run['name']}")
    words = "would be forgotten" if dry_run else "forgotten"
    hint(f"{count_of(len(told['runs']), 'run')} {words}, {format_size(told['bytes'])}" if told["runs"] else _NOTHING)


_NOTHING = "there was nothing to forget"
#: Runs whose age is not known that are named.
_AHEAD_NAMED = 5


def _ahead(runs: list[str]) -> str:
    named = ", ".join(runs[:_AHEAD_NAMED]) + (", ..." if len(runs) > _AHEAD_NAMED else "")
    stay, their = ("stays, because its", "it") if len(runs) == 1 else ("stay, because their", "them")
    way_out = f"a clock was wrong, and how old that is cannot be told; forget {their} by name"
    return f"{count_of(len(runs), 'run')} {stay} end is dated in the future ({named}): {way_out}"
