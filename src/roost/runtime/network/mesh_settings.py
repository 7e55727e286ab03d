"""How a node looks for others, as its owner sets it."""

import re
from typing import NamedTuple

from roost.model.errors import InvalidInput
from roost.model.limits import ADDRESS_LENGTH_MAX, PEERS_MAX

#: Where all nodes listen for those whom they do not know yet.
MESH_PORT = 47_800
PORT_MAX = 65_535

_PEER = re.compile(r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::(?P<port>[0-9]{1,5}))?")


class MeshSettings(NamedTuple):
    #: The port of MESH_PORT's purpose, the same on all nodes.
    udp_port: int = MESH_PORT
    #: Machines, by name or number, on which a node may be, and the port at which it listens.
    peers: tuple[tuple[str, int], ...] = ()


def parse_peers(text: str, default_port: int) -> tuple[tuple[str, int], ...]:
    """Read a list of host or host:port with commas between; raise InvalidInput for what is none."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if len(entries) > PEERS_MAX:
        raise InvalidInput(f"{len(entries)} peers are more than {PEERS_MAX}; a few suffice, they tell of the others")
    return tuple(dict.fromkeys(_parse(entry, default_port) for entry in entries))


def _parse(entry: str, default_port: int) -> tuple[str, int]:
    match = _PEER.fullmatch(entry) if len(entry) <= ADDRESS_LENGTH_MAX else None
    port = int(match["port"]) if match is not None and match["port"] else default_port
    if match is None or not 0 < port <= PORT_MAX:
        example = f"write a name or 10.0.0.5, and perhaps a port as in 10.0.0.5:{default_port}"
        raise InvalidInput(f"'{entry[:80]}' is not the address of a machine; {example}")
    return match["host"], port
