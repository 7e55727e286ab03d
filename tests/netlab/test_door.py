"""A port of this machine that leads to one of a host."""

import socket
import subprocess
import sys

import pytest

from netlab.bridge import BridgedLan
from netlab.door import Door
from netlab.marks import needs_network_lab
from netlab.processes import kill_entered

pytestmark = needs_network_lab
#: Tells each guest its own address and what the guest has said.
HOST = """
import socket
with socket.create_server(("127.0.0.1", 9300)) as door:
    print("listening", flush=True)
    while True:
        guest, _ = door.accept()
        with guest, guest.makefile("rb") as said:
            guest.sendall(socket.gethostname().encode() + b" heard " + said.read())
"""


def ask(port: int, text: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as guest, guest.makefile("rb") as answer:
        guest.sendall(text)
        guest.shutdown(socket.SHUT_WR)
        return answer.read()


def test_each_door_leads_to_its_own_host() -> None:
    with BridgedLan(2) as lan:
        servers = [host.namespace.start(sys.executable, "-c", HOST, stdout=subprocess.PIPE) for host in lan.hosts]
        for server in servers:
            assert server.stdout is not None
            assert server.stdout.readline() == b"listening\n"
        with Door(lan.host(1).namespace, 9300) as one, Door(lan.host(2).namespace, 9300) as two:
            assert ask(two.port, b"two") == b"host2 heard two"
            assert ask(one.port, b"x" * 1_000_000) == b"host1 heard " + b"x" * 1_000_000
        for server in servers:
            kill_entered(server)
            assert server.stdout is not None
            server.stdout.close()


def test_a_guest_is_turned_away_where_nobody_listens_and_when_the_door_is_closed() -> None:
    with BridgedLan(1) as lan:
        with Door(lan.host(1).namespace, 9300) as door, socket.create_connection(("127.0.0.1", door.port), 30) as guest:
            assert guest.recv(1) == b""
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", door.port), 30)
