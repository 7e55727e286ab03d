"""`roost join`: become a member of another machine's cluster."""

import asyncio
import os

import click

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.config import read_config
from roost.client.control import this_home
from roost.model.errors import InvalidInput, Unavailable
from roost.runtime.naming import rename, settled_name
from roost.runtime.pairing.pairing import join
from roost.runtime.pairing.search import find_inviters
from roost.runtime.trust.key_file import KeyStore
from roost.wire.trust.invitations import InvitationCode, read_code
from roost.wire.trust.pairing_words import Admission, Introduction


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
    store, name = KeyStore(home), settled_name(home, read_config(home.config, os.environ).node_name)
    before = store.load()
    introduction = Introduction(name) if before is None else Introduction(name, before.cluster)
    admission = asyncio.run(_join(known, introduction, at))
    if admission.name != name:
        rename(home, admission.name)
    store.adopt(admission.keyring)
    if as_json:
        emit_json(
            {
                "node": admission.name,
                "cluster": admission.keyring.name,
                "inviter": admission.inviter,
                "addresses": admission.addresses,
            }
        )
        return
    if admission.name != name:
        hint(f"a node called {name} is in that cluster already, so this one is called {admission.name} from now on")
    click.echo(f"this machine belongs to the cluster of {admission.inviter} now; 'roost up' starts its node")
    if at is not None and admission.addresses:
        hint(f"if they do not find each other: roost config set peers {','.join(admission.addresses)}")


async def _join(code: InvitationCode, introduction: Introduction, at: str | None) -> Admission:
    candidates = [_endpoint(at)] if at is not None else await find_inviters(code.number)
    return await join(code, introduction, candidates)


def _endpoint(at: str) -> tuple[str, int]:
    host, _, port = at.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise InvalidInput(f"'{at[:60]}' is not an address; write HOST:PORT as 'roost invite' shows it")
    return host, int(port)
