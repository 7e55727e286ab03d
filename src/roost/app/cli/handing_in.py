"""Handing a submission to the node, which is started if none runs; then either the id, or waiting and the results."""

from typing import Any

from roost.api.interning import said_once
from roost.app.cli import exits
from roost.app.cli.attach import wait_and_give
from roost.app.cli.common import emit_json, hint, say
from roost.app.cli.selecting import choose, find_node
from roost.client.control import Control, load_http, this_home
from roost.client.start import START_TIMEOUT_S, ensure_node
from roost.executors.worker.place import task_here


def hand_in(submission: dict[str, Any], *, wait: bool, quiet: bool, as_json: bool) -> int:
    """Submit, and return the exit code."""
    control = started_node(quiet)
    accepted = control.post("/v1/runs", said_once(submission) | {"within": task_here()})
    for warning in accepted["warnings"]:
        hint(f"roost: {warning}")
    if not wait:
        _tell(accepted, quiet, as_json)
        return exits.WELL
    if not quiet:
        hint(f"run {accepted['run']}")
    return wait_and_give(control, choose(control, (accepted["run"],)).runs, quiet, as_json)


def _tell(accepted: dict[str, Any], quiet: bool, as_json: bool) -> None:
    if as_json:
        emit_json(accepted)
        return
    say(accepted["run"])
    if not quiet:
        number = accepted["number"]
        hint(f"'roost wait {number}' waits for it, 'roost get {number}' prints its results")


def started_node(quiet: bool) -> Control:
    """Return the way to the node, after starting it if none runs."""
    home = this_home()
    if not quiet and not home.running() and not home.is_starting(START_TIMEOUT_S):
        hint("no node runs here; starting one ('roost down' stops it)")
    ensure_node(home, meanwhile=load_http)
    return find_node()
