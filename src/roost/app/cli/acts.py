"""Cancel, suspend, resume, retry: four verbs, one way to ask for them."""

from typing import Any

from roost.app.cli import exits
from roost.app.cli.common import emit_json, hint
from roost.app.cli.selecting import checked_elements, choose, find_node
from roost.app.drawing.wording import count_of
from roost.client.control import run_path
from roost.model.errors import RoostError


def act(verb: str, past: str, runs: tuple[str, ...], task: str | None, elements: str | None, as_json: bool) -> int:
    """Ask for the change on every chosen run, and say how many elements it concerned."""
    body = {"task": task, "elements": checked_elements(elements)}
    control = find_node()
    chosen = choose(control, runs, task)
    body["task"] = chosen.task
    changed: list[dict[str, Any]] = []
    code = exits.WELL
    for run in chosen.runs:
        try:
            touched = control.post(run_path(run["run"], verb), body)
        except RoostError as error:
            # Of several runs, one that cannot be changed does not stop the others.
            if len(chosen.runs) == 1:
                raise
            hint(f"roost: {run['run']}: {error}")
            code = exits.code_of(error)
            continue
        changed.append({"run": run["run"], **touched})
    if as_json:
        emit_json({"changed": changed})
    else:
        _tell(verb, past, changed)
    return code


def _tell(verb: str, past: str, changed: list[dict[str, Any]]) -> None:
    """Name the runs that the act concerned; of many, most have ended long ago."""
    concerned = [change for change in changed if change["elements"]]
    for change in concerned:
        hint(f"{change['run']}: {past} {count_of(change['elements'], 'element')}")
    warnings = [warning for change in changed for warning in change["warnings"]]
    for warning in warnings:
        hint(warning)
    if changed and not concerned and not warnings:
        hint(f"there was nothing to {verb}")
