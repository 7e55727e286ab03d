"""`roost check`: is a workflow file in order?"""

from pathlib import Path
from typing import Any

import click

from roost.app.cli import exits
from roost.app.cli.common import emit_json, hint, json_option, loaded, pairs_of, say
from roost.app.cli.workflows import described, set_option, summary_line
from roost.app.drawing.wording import count_of
from roost.client.control import node_of, this_home
from roost.languages.outline import Reading
from roost.languages.read import read_workflow
from roost.model.errors import InvalidInput, NotFound, Unavailable
from roost.model.limits import CONDITIONS_TOLD_MAX


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@set_option
@json_option
def command(files: tuple[Path, ...], overrides: tuple[str, ...], as_json: bool) -> int:
    """Check workflow files of any language and say what they are. Nothing is run, and no node is needed.

    Mistakes come with their lines. The exit code is 2 if a file has any, 3 if there is no such file.

    \b
    Example:
      roost check flow.yaml
      roost check *.xml --json | jq '.files[] | select(.error)'
    """
    values = pairs_of(overrides)
    told = [_checked(file, values) for file in files]
    if as_json:
        emit_json({"files": [about for about, _ in told]})
    else:
        for about, _ in told:
            _tell(about)
    codes = [code for _, code in told if code != exits.WELL]
    if len(files) > 1 and not as_json:
        hint(f"{count_of(len(files), 'file')}, {len(codes)} with mistakes")
    return min(codes, default=exits.WELL)


def _checked(file: Path, values: dict[str, str]) -> tuple[dict[str, Any], int]:
    """Return what there is to say of a file, and the exit code that it deserves."""
    try:
        return {**_about(file, read_workflow(file, values, to_run=False)), "error": None}, exits.WELL
    except (InvalidInput, NotFound) as error:
        return {"file": str(file), "warnings": [], "error": str(error)}, exits.code_of(error)


def _about(file: Path, reading: Reading) -> dict[str, Any]:
    """Return what there is to say of a workflow. Raise InvalidInput if a node would refuse it, or its replay."""
    submission = reading.replay or reading.submission
    try:
        loaded("roost.app.intake.rehearsal").rehearse(submission)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from None
    about = described(file, reading)
    if reading.trace is None:
        # Recorded workflows are warned of what is not here when they are read.
        about["warnings"] += loaded("roost.languages.presence").lacking(reading.submission)
    about["warnings"] += _misfits(submission)
    return about


def _misfits(submission: dict[str, Any]) -> list[str]:
    """Return what no node can run that is here, by what its author requires; nothing if there is no node to ask."""
    tasks = [task for task in submission["tasks"] if task.get("require")]
    keys = ("require", "cpus", "memory_bytes")
    needs = list(dict.fromkeys(tuple((key, task[key]) for key in keys if key in task) for task in tasks))
    if not needs:
        return []
    try:
        with node_of(this_home(), patience_s=0) as control:
            asked = [dict(one) for one in needs[:CONDITIONS_TOLD_MAX]]
            answers = control.post("/v1/fitting", {"needs": asked})["why_nobody"]
    except Unavailable:
        return []
    why = dict(zip(needs, answers, strict=False))
    found = ((task["name"], why.get(tuple((key, task[key]) for key in keys if key in task))) for task in tasks)
    return [f"task '{name}' would wait: {reason}" for name, reason in found if reason is not None]


def _tell(about: dict[str, Any]) -> None:
    if about["error"] is not None:
        hint(f"roost: {about['error']}")
        return
    for warning in about["warnings"]:
        hint(f"roost: {warning}")
    say(summary_line(about))
