"""`roost run`: a workflow from a flow file."""

from pathlib import Path

import click

from roost.app.cli.common import count_of, emit_json, hint, json_option, quiet_option, safe_option, say
from roost.app.cli.handing_in import hand_in
from roost.app.flows import read_flow
from roost.model.errors import InvalidInput


@click.command("run")
@click.argument("flow", metavar="FLOW.yaml", type=click.Path(path_type=Path))
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Another value for one of the flow's.")
@safe_option
@click.option("--wait", is_flag=True, help="Wait with a progress bar, then print the results.")
@click.option("--dry-run", is_flag=True, help="Check the file and say what would be submitted.")
@quiet_option
@json_option
def command(
    flow: Path, overrides: tuple[str, ...], safe: int | None, wait: bool, dry_run: bool, quiet: bool, as_json: bool
) -> int | None:
    """Run the workflow of a flow file. Prints the run's id. A node is started if none runs.

    \b
    Example:
      roost run flow.yaml --set frames=100 --wait
    """
    submission = read_flow(flow, _overrides(overrides)) | ({} if safe is None else {"safe": safe})
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


def _overrides(texts: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InvalidInput(f"--set {text}: write it as NAME=VALUE")
        pairs[name] = value
    return pairs
