"""What the commands share: options that mean the same everywhere, and the two ways of speaking."""

import importlib
import sys
from typing import Any

import click
import msgspec

from roost.model.limits import SAFE_MAX
from roost.model.stray import carried_json
from roost.model.visible import visible, visible_json

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON on standard output, and nothing else there."
)
task_option = click.option("--task", metavar="NAME", help="Only this task of the run.")
elements_option = click.option(
    "--elements", metavar="SET", help="Only these elements, e.g. 1-5 or 1,3,8-20 or, in a pool inside another, 2.0-9."
)
safe_option = click.option(
    "--safe",
    type=click.IntRange(2, SAFE_MAX),
    metavar="N",
    help="Answer when it is on the disks of N machines; otherwise of two, if there is another.",
)
quorum_option = click.option(
    "--quorum",
    is_flag=True,
    help="Results count when most of the machines that are there now hold them: never two of one element.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no hints.")


def loaded(module: str) -> Any:
    """Load a module now: what only some uses of a command need should not slow down the others."""
    return importlib.import_module(module)


def wishes_of(safe: int | None, *, quorum: bool) -> dict[str, Any]:
    """Return what a person wants of the nodes' disks, as the fields of a submission."""
    return ({} if safe is None else {"safe": safe}) | ({"quorum": True} if quorum else {})


def emit_json(value: object) -> None:
    """Print a value as JSON, at once: indented for a person at a terminal, else on one line."""
    data = carried_json(value)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    sys.stdout.write(f"{visible_json(data.decode())}\n")
    # A program that reads from a pipe may wait for just this line while the command goes on.
    sys.stdout.flush()


def say(text: str) -> None:
    """Print data: what the command was asked for. Nothing in it steers a terminal."""
    sys.stdout.write(f"{visible(text)}\n")


def hint(text: str) -> None:
    """Print everything that is not data: progress, warnings, what to do next."""
    sys.stdout.flush()
    click.echo(visible(text), err=True)
