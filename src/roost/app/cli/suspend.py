"""`roost suspend`: hold a run back."""

import click

from roost.app.cli.acts import act
from roost.app.cli.common import json_option
from roost.app.cli.selecting import runs_argument


@click.command("suspend")
@runs_argument(required=True)
@json_option
def command(runs: tuple[str, ...], as_json: bool) -> int:
    """Hold runs back: what runs is paused where it is, what waits does not start, until 'roost resume'.

    \b
    Example:
      roost suspend 5
    """
    return act("suspend", "suspended", runs, None, None, as_json)
