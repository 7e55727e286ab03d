"""`roost down`: stop the node and wait until it is gone."""

import time
from contextlib import suppress

import click
import psutil

from roost.app.cli.common import json_option, tell
from roost.client.control import NodeGone, node_of, this_home
from roost.client.start import START_TIMEOUT_S, await_node
from roost.model.errors import Unavailable
from roost.runtime.home import Home

#: Commands that run get their grace before they are killed; a node needs hardly more than that to leave.
PATIENCE_S = 60.0
_LOOK_EVERY_S = 0.01


@click.command("down")
@json_option
def command(as_json: bool) -> None:
    """Stop the node of this machine. Nothing is lost: what ran is run again at the next start.

    \b
    Example:
      roost down
    """
    home = this_home()
    stopped = _stop(home)
    ended = "the node has stopped; 'roost up' goes on where it was" if stopped else "no node runs here"
    tell({"stopped": stopped}, ended, as_json)


def _stop(home: Home) -> bool:
    """Ask the node to leave and wait until it has; return whether there was one."""
    if not home.running() and not home.is_starting(START_TIMEOUT_S):
        return False
    # One that is about to listen is asked when it does.
    await_node(home)
    node = home.holder()
    # It may leave between the two questions; the lock tells.
    with suppress(NodeGone), node_of(home) as control:
        control.post("/v1/shutdown")
    await_end(home, node)
    return True


def await_end(home: Home, node: int | None) -> None:
    """Wait until the node of a home, which had this pid, is gone."""
    give_up = time.monotonic() + PATIENCE_S
    while home.running() or (node is not None and _lives(node)):
        if time.monotonic() > give_up:
            raise Unavailable(f"the node (pid {node}) has not stopped after {PATIENCE_S:.0f} s; see {home.log}")
        time.sleep(_LOOK_EVERY_S)


def _lives(pid: int) -> bool:
    """Tell whether a process still does anything; one that only waits to be collected by its parent does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
