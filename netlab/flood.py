"""A stranger on the network: garbage, forgeries and recordings of real datagrams, thousands a second.

Run as ``python -m netlab.flood ADDRESS RATE SECONDS TARGET...`` on a host, with its own address and the nodes' ports as
``HOST:PORT``. It says "recorded" when it has heard a real datagram, begins at a line on its input, and in the end says
how many it has sent in which time, as JSON: what a machine cannot reach is to be seen, not hidden.
"""

import json
import os
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple, Self

from netlab.lan import BROADCAST, Host
from netlab.namespaces import COMMAND_TIMEOUT_S
from netlab.processes import kill_entered
from netlab.programs import module_environment
from roost.runtime.network.mesh_settings import MESH_PORT
from roost.runtime.network.udp import MESH_GROUP
from roost.wire.trust.sealing import HEADER_BYTES, MAGIC

_DATAGRAM_BYTES_MAX: Final = 65_536
#: The newest recordings: a datagram of long ago is refused for its age, which proves less.
_RECORDED_MAX: Final = 1_000
#: A burst is sent without a look at the clock; the network's queues hold more than that.
_BURST: Final = 50
#: Where the key's name ends and the session's begins (wire/trust/sealing.py).
_SESSION_AT: Final = 8


class Sent(NamedTuple):
    """What a flood came to."""

    datagrams: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.datagrams / self.seconds


class Flood:
    """The stranger's process on a host, from ``with`` to its end."""

    def __init__(self, host: Host, targets: Sequence[str], rate: int, seconds: float) -> None:
        self._process = host.namespace.start(
            *(sys.executable, "-P", "-m", "netlab.flood", host.address, str(rate), str(seconds), *targets),
            environment=module_environment(),
            stdin=-1,
            stdout=-1,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        kill_entered(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def begin(self) -> None:
        """Wait until there is something to repeat, and let it loose."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"recorded\n"
        self._process.stdin.write(b"go\n")
        self._process.stdin.flush()

    @property
    def is_over(self) -> bool:
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def end(self) -> Sent:
        """Wait for its end."""
        assert self._process.stdout is not None
        sent = Sent(**json.loads(self._process.stdout.readline()))
        self._process.wait(COMMAND_TIMEOUT_S)
        return sent


class Stranger:
    """The sockets of one who hears what is said to all, and has no key."""

    def __init__(self, address: str, targets: Sequence[tuple[str, int]]) -> None:
        at = socket.inet_aton(address)
        self._targets = [*targets, (MESH_GROUP, MESH_PORT), (BROADCAST, MESH_PORT)]
        self._recorded: deque[bytes] = deque(maxlen=_RECORDED_MAX)
        self._ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._ear.bind((MESH_GROUP, MESH_PORT))
        self._ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(MESH_GROUP) + at)
        self._mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._mouth.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self._mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, at)
        self._mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)

    def record(self) -> None:
        """Wait for the first real datagram."""
        while not self._recorded:
            self._keep(self._ear.recv(_DATAGRAM_BYTES_MAX))

    def flood(self, rate: int, seconds: float) -> Sent:
        """Send so many a second, as far as this machine can, and go on recording."""
        began, sent = time.monotonic(), 0
        while (elapsed := time.monotonic() - began) < seconds:
            due = _BURST + int(rate * elapsed)
            for _ in range(min(_BURST, due - sent)):
                self._mouth.sendto(self._harm(sent), self._targets[sent % len(self._targets)])
                sent += 1
            pause_s = 0.0 if sent < due else _BURST / rate / 2
            if select.select([self._ear], [], [], pause_s)[0]:
                self._keep(self._ear.recv(_DATAGRAM_BYTES_MAX))
        return Sent(sent, elapsed)

    def _keep(self, datagram: bytes) -> None:
        if datagram.startswith(MAGIC):
            self._recorded.append(datagram)

    def _harm(self, number: int) -> bytes:
        real = self._recorded[number % len(self._recorded)]
        # By the round, so that every target gets every kind.
        kind = number // len(self._targets) % 4
        if kind == 0:
            return os.urandom(200)
        if kind == 1:
            return real[:HEADER_BYTES] + os.urandom(200)
        if kind == 2:
            # A session of its own, under a key that counts.
            return real[:_SESSION_AT] + os.urandom(HEADER_BYTES - _SESSION_AT) + real[HEADER_BYTES:]
        return real


def main() -> None:
    address, rate, seconds, *targets = sys.argv[1:]
    stranger = Stranger(address, [(host, int(port)) for host, _, port in (text.rpartition(":") for text in targets)])
    stranger.record()
    sys.stdout.write("recorded\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(json.dumps(stranger.flood(int(rate), float(seconds))._asdict()) + "\n")


if __name__ == "__main__":
    main()
