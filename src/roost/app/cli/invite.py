"""`roost invite`: let another machine into the cluster of this one."""

import asyncio
import os

import click

from roost.app.cli.common import emit_json, hint, json_option, tell
from roost.app.config import read_config
from roost.client.control import NodeGone, node_of, this_home
from roost.model.ids import NodeId
from roost.model.limits import ADDRESSES_MAX
from roost.runtime.home import Home
from roost.runtime.naming import distinct, host_name, settled_name
from roost.runtime.pairing.pairing import Invitation
from roost.runtime.trust.key_file import KeyStore
from roost.wire.trust.pairing_words import Admission, Introduction


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
    tell({"joined": joined}, f"{joined} has joined; 'roost nodes' shows it when it is up", as_json)


async def _invite(home: Home, *, as_json: bool) -> NodeId:
    nodes = _nodes(home)
    addresses = tuple(node["address"] for node in nodes if node["address"])[:ADDRESSES_MAX]
    names = [NodeId(node["node"]) for node in nodes]

    def admit(newcomer: Introduction) -> Admission:
        keyring = KeyStore(home).ensure(names[0])
        comes_back = newcomer.cluster == keyring.cluster
        name = newcomer.node if comes_back else distinct(newcomer.node, names)
        return Admission(keyring, names[0], addresses, name)

    invitation = Invitation(admit, note=hint)
    await invitation.open()
    try:
        if as_json:
            emit_json({"code": str(invitation.code), "port": invitation.port})
        else:
            click.echo(f"On the other machine, within 10 minutes:   roost join {invitation.code}")
            hint(f"if it does not find this one: roost join {invitation.code} --at {host_name()}:{invitation.port}")
        return await invitation.outcome()
    finally:
        await invitation.close()


def _nodes(home: Home) -> list[dict[str, str]]:
    """Return the names and addresses of all nodes that are known here, this one first, also those that are away."""
    try:
        with node_of(home) as control:
            return [{"node": node["node"], "address": node["address"]} for node in control.get("/v1/nodes")["nodes"]]
    except NodeGone:
        chosen = read_config(home.config, os.environ).node_name
        return [{"node": settled_name(home, chosen), "address": ""}]
