"""`roost invite`: let another machine into the cluster of this one."""

import asyncio
import platform

import click

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.control import NodeGone, node_of, this_home
from roost.model.ids import NodeId
from roost.model.limits import ADDRESSES_MAX
from roost.runtime.home import Home
from roost.runtime.keys import KeyStore
from roost.runtime.pairing import Invitation
from roost.wire.pairing import Admission


@click.command("invite")
@json_option
def command(as_json: bool) -> None:
    """Show a code that lets one other machine into the cluster, and wait until it has joined.

    The code counts once, for ten minutes, and for three wrong tries. With --json the code is printed first, on a line
    of its own, and who joined after it.

    \b
    Example:
      roost invite
    """
    home = this_home()
    home.create()
    joined = asyncio.run(_invite(home, as_json=as_json))
    if as_json:
        emit_json({"joined": joined})
    else:
        hint(f"{joined} has joined; 'roost nodes' shows it when it is up")


async def _invite(home: Home, *, as_json: bool) -> NodeId:
    name = NodeId(platform.node().partition(".")[0].lower() or "node")
    addresses = _addresses(home)
    invitation = Invitation(lambda: Admission(KeyStore(home).ensure(name), name, addresses), note=hint)
    await invitation.open()
    try:
        if as_json:
            emit_json({"code": str(invitation.code), "port": invitation.port})
        else:
            click.echo(f"On the other machine, within 10 minutes:   roost join {invitation.code}")
            hint(f"if it does not find this one: roost join {invitation.code} --at {name}:{invitation.port}")
        return await invitation.outcome()
    finally:
        await invitation.close()


def _addresses(home: Home) -> tuple[str, ...]:
    """Return where the nodes of this cluster can be reached, as far as the node of this machine knows."""
    if not home.running():
        return ()
    try:
        with node_of(home) as control:
            nodes = control.get("/v1/nodes")["nodes"]
    except NodeGone:
        return ()
    return tuple(node["address"] for node in nodes if node["address"])[:ADDRESSES_MAX]
