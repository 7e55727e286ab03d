"""`roost convert`: a workflow file in another language."""

from pathlib import Path

import click

from roost.app.cli.common import emit_json, hint, json_option, pairs_of, say
from roost.app.cli.workflows import set_option
from roost.languages.read import read_workflow
from roost.languages.write import written
from roost.model.errors import InvalidInput

_Path = click.Path(path_type=Path)


@click.command("convert")
@click.argument("file", metavar="FILE", type=_Path)
@click.argument("out", metavar="OUT", type=_Path)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@set_option
@json_option
def command(file: Path, out: Path, force: bool, overrides: tuple[str, ...], as_json: bool) -> None:
    """Write a workflow file in another language, which the name of OUT tells.

    Flows (.yaml) have words for everything; WfFormat (.json), DAX (.dax), WEB and LAN (.xml) and lists of commands
    (.txt) for a part of it. What has no words there is told, and nothing is written. Jobs and values that WEB keeps in
    files of their own come to lie beside OUT.

    \b
    Example:
      roost convert montage.dax montage.yaml
      roost convert pi.xml pi.yaml
    """
    reading = read_workflow(file, pairs_of(overrides), to_run=False)
    files = written(reading, out)
    there = [path for path in files if path.exists()]
    if there and not force:
        raise InvalidInput(f"{there[0]} is there already; --force writes over it")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    names = [str(path) for path in files]
    if as_json:
        emit_json({"written": names, "warnings": list(reading.warnings)})
        return
    for warning in reading.warnings:
        hint(f"roost: {warning}")
    for name in names:
        say(name)
