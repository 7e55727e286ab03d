"""`roost join`: become a member of another machine's cluster."""

import asyncio
import platform

import click

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.control import this_home
from roost.model.errors import InvalidInput, Unavailable
from roost.model.ids import NodeId
from roost.model.invitations import InvitationCode, read_code
from roost.runtime.keys import KeyStore
from roost.runtime.pairing import join
from roost.runtime.pairing_search import find_inviters
from roost.wire.pairing import Admission


@click.command("join")
@click.argument("code")
@click.option("--at", metavar="HOST:PORT", help="Where the inviting machine is, if the search does not find it.")
@json_option
def command(code: str, at: str | None, as_json: bool) -> None:
    """Join the cluster of the machine on which 'roost invite' shows this code.

    This machine's node must be stopped. It belongs to one cluster: the key that it had before is replaced, its runs
    stay, and become known to the others.

    \b
    Example:
      roost down
      roost join 4821-kedovami-ributano
      roost up
    """
    home = this_home()
    home.create()
    known = read_code(code)
    if home.running():
        raise Unavailable("a node runs here with the key that it has; 'roost down', then join, then 'roost up'")
    admission = asyncio.run(_join(known, at))
    KeyStore(home).adopt(admission.keyring)
    if as_json:
        emit_json({"cluster": admission.keyring.name, "inviter": admission.inviter, "addresses": admission.addresses})
        return
    click.echo(f"this machine belongs to the cluster of {admission.inviter} now; 'roost up' starts its node")
    if at is not None and admission.addresses:
        hint(f"if they do not find each other: roost config set peers {','.join(admission.addresses)}")


async def _join(code: InvitationCode, at: str | None) -> Admission:
    candidates = [_endpoint(at)] if at is not None else await find_inviters(code.number)
    name = NodeId(platform.node().partition(".")[0].lower() or "node")
    return await join(code, name, candidates)


def _endpoint(at: str) -> tuple[str, int]:
    host, _, port = at.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise InvalidInput(f"'{at[:60]}' is not an address; write HOST:PORT as 'roost invite' shows it")
    return host, int(port)
