"""`roost leave`: hand everything over, and leave the cluster for good."""

from contextlib import suppress

import click

from roost.app.cli.common import json_option, loaded, tell
from roost.app.cli.down import await_end
from roost.app.cli.drain import wait_until_drained
from roost.client.control import NodeGone, node_of, this_home
from roost.model.errors import Unavailable
from roost.runtime.home import Home


@click.command("leave")
@click.option("--now", "at_once", is_flag=True, help="Give what runs back to the others instead of ending it here.")
@click.option("--force", is_flag=True, help="Leave at once, although something may be only here.")
@json_option
def command(at_once: bool, force: bool, as_json: bool) -> None:
    """Drain this machine's node, say goodbye to the others, and leave their cluster.

    The key of the cluster is removed from this machine; at the next 'roost up' it is a cluster of its own, with another
    name. Results that are here stay readable here. What had not ended goes on with the others, and not here.

    \b
    Example:
      roost leave
    """
    home = this_home()
    running = home.running()
    if running:
        _hand_over(home, at_once=at_once, force=force)
    elif force:
        with home.locked():
            loaded("roost.runtime.leaving").leave_cluster(home)
    else:
        raise Unavailable(
            "no node runs here that could hand over what it has; 'roost up', then leave, or leave with --force"
        )
    left = "this machine has left its cluster; 'roost up' starts one of its own, 'roost join' brings it into another"
    tell({"left": True}, left, as_json)


def _hand_over(home: Home, *, at_once: bool, force: bool) -> None:
    """Let the node drain and leave, and wait until it has ended; if it may not leave, let it work again."""
    node = home.holder()
    with node_of(home) as control:
        told = control.post("/v1/drain", {"on": True, "at_once": at_once or force})
        try:
            if not force:
                wait_until_drained(control, told)
            # It may end before it has answered.
            with suppress(NodeGone):
                control.post("/v1/leave", {"force": force})
        except (Unavailable, KeyboardInterrupt):
            with suppress(NodeGone):
                control.post("/v1/drain", {"on": False})
            raise
    await_end(home, node)
