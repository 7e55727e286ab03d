"""`roost resume`: let a suspended run go on."""

import click

from roost.app.cli.acts import act
from roost.app.cli.common import json_option
from roost.app.cli.selecting import runs_argument


@click.command("resume")
@runs_argument(required=True)
@json_option
def command(runs: tuple[str, ...], as_json: bool) -> int:
    """Let suspended runs go on where they were.

    \b
    Example:
      roost resume 5
    """
    return act("resume", "resumed", runs, None, None, as_json)
