"""`roost cancel`: stop elements."""

import click

from roost.app.cli.acts import act
from roost.app.cli.common import elements_option, json_option, task_option
from roost.app.cli.selecting import runs_argument


@click.command("cancel")
@runs_argument(required=True)
@task_option
@elements_option
@json_option
def command(runs: tuple[str, ...], task: str | None, elements: str | None, as_json: bool) -> int:
    """Stop elements: what runs is ended, what waits will not run. 'roost retry' changes that.

    \b
    Example:
      roost cancel 5
      roost cancel last --elements 100-200
    """
    return act("cancel", "cancelled", runs, task, elements, as_json)
