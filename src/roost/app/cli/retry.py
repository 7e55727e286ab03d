"""`roost retry`: run again what failed or was cancelled."""

import click

from roost.app.cli.acts import act
from roost.app.cli.common import elements_option, json_option, task_option
from roost.app.cli.selecting import runs_argument


@click.command("retry")
@runs_argument(required=True)
@task_option
@elements_option
@json_option
def command(runs: tuple[str, ...], task: str | None, elements: str | None, as_json: bool) -> int:
    """Run again what failed or was cancelled, and then what was aborted because of it. What is done stays done.

    \b
    Example:
      roost retry last
      roost retry 5 --task resize --elements 7
    """
    return act("retry", "will run again:", runs, task, elements, as_json)
