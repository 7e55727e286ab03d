"""What the commands share: options that mean the same everywhere, and the two ways of speaking."""

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import msgspec

from roost.model.errors import InvalidInput
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
policy_option = click.option(
    "--policy", metavar="NAME", default="", help="By which policy nodes choose it; 'roost policies' lists them."
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no hints.")


def loaded(module: str) -> Any:
    """Load a module now: what only some uses of a command need should not slow down the others."""
    return importlib.import_module(module)


def wishes_of(safe: int | None, *, quorum: bool, policy: str = "") -> dict[str, Any]:
    """Return what a person wants of the nodes and their disks, as the fields of a submission."""
    disks = ({} if safe is None else {"safe": safe}) | ({"quorum": True} if quorum else {})
    return disks | ({"policy": policy} if policy else {})


def pairs_of(texts: Iterable[str], option: str = "--set") -> dict[str, str]:
    """Return NAME=VALUE options as a map; raise InvalidInput for what is none."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InvalidInput(f"{option} {text}: write it as NAME=VALUE")
        pairs[name] = value
    return pairs


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file, which gets its name when it is whole; until then it has another, and none if it ends before."""
    # No file that results are saved as has a name that begins with a dot.
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with unfinished.open("wb") as file:
            file.writelines(pieces)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def emit_json(value: object) -> None:
    """Print a value as JSON, at once: indented for a person at a terminal, else on one line."""
    data = carried_json(value)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    sys.stdout.write(f"{visible_json(data.decode())}\n")
    # A program that reads from a pipe may wait for just this line while the command goes on.
    sys.stdout.flush()


def emit_long_json(head: object, name: str, entries: Iterable[object]) -> None:
    """Print an object with one more field, a list, piece by piece, so that a million entries need no memory."""
    sys.stdout.write(f'{visible_json(carried_json(head)[:-1].decode())},"{name}":[')
    separator = "\n"
    for entry in entries:
        sys.stdout.write(separator + visible_json(carried_json(entry).decode()))
        separator = ",\n"
    sys.stdout.write("]}\n")


def tell(value: object, sentence: str, as_json: bool) -> None:
    """Say in a sentence what was done, or print it as JSON."""
    if as_json:
        emit_json(value)
    else:
        hint(sentence)


def say(text: str) -> None:
    """Print data: what the command was asked for. Nothing in it steers a terminal."""
    sys.stdout.write(f"{visible(text)}\n")


def hint(text: str) -> None:
    """Print everything that is not data: progress, warnings, what to do next."""
    sys.stdout.flush()
    click.echo(visible(text), err=True)
