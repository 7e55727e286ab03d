"""Listens to what nodes say to all until its input has a line, and tells how often one was said to be suspect or dead.

Run as ``python -m bench.mesh.observer ADDRESS HOME``, with the address of its host and the home of a node, whose keys
it reads. Whatever is said of one incarnation of a node counts once, however many say it.
"""

import json
import select
import socket
import sys
from collections import Counter
from pathlib import Path

from roost.runtime.home import Home
from roost.runtime.network.mesh_settings import MESH_PORT
from roost.runtime.network.udp import MESH_GROUP
from roost.runtime.trust.key_file import KeyStore
from roost.wire.messages import Members, News, Standing, open_envelope
from roost.wire.trust.sealing import Forged, Opener

#: Before the payload of a datagram stands what kind it is (wire/trust/liveness.py); this one carries messages.
_DATA = b"\0"


def words_in(payload: bytes) -> list[News]:
    """Return what a payload says about nodes to all."""
    if not payload.startswith(_DATA):
        return []
    messages = open_envelope(payload[len(_DATA) :]).messages
    return [word for message in messages if isinstance(message, Members) for word in message.news]


def main() -> None:
    address, home = sys.argv[1:]
    keyring = KeyStore(Home(Path(home))).load()
    assert keyring is not None
    opener = Opener(keyring.keys)
    ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    ear.bind((MESH_GROUP, MESH_PORT))
    group = socket.inet_aton(MESH_GROUP) + socket.inet_aton(address)
    ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    datagrams, words = 0, set[News]()
    while sys.stdin not in select.select([ear, sys.stdin], [], [])[0]:
        try:
            words.update(words_in(opener.open(ear.recv(65_536)).payload))
            datagrams += 1
        except Forged:
            continue
    said = Counter(word.standing for word in words)
    worse = {standing.value: said[standing] for standing in (Standing.SUSPECT, Standing.DEAD)}
    sys.stdout.write(json.dumps({"datagrams": datagrams, **worse}))


if __name__ == "__main__":
    main()
