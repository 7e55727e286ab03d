"""`roost version`: which Roost, on which Python."""

import platform

import click

from roost.app.cli.common import emit_json, json_option, say
from roost.version import VERSION


@click.command("version")
@json_option
def command(as_json: bool) -> None:
    """Print the version of Roost and of the Python that runs it.

    \b
    Example:
      roost version --json
    """
    if as_json:
        emit_json({"version": VERSION, "python": platform.python_version()})
    else:
        say(f"roost {VERSION} (Python {platform.python_version()})")
