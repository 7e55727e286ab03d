"""Finding the machine that holds an invitation: a question to every network that this one is in, and its answer.

Both are plain: the number of an invitation is no secret, and whoever answers falsely does not know the words of the
code, which is what protects the rest. The question is no shorter than the answer, so that it cannot be abused to send
someone more than was asked.
"""

import asyncio
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from roost.model.limits import PAIRING_CANDIDATES_MAX
from roost.runtime.network.interfaces import Interface, interfaces

#: Where invitations are asked for, on every machine.
SEARCH_PORT = 47_811
SEARCH_GROUP = "239.255.47.81"
ASK_AGAIN_S = 0.4
#: After the first answer, how long others are waited for.
LINGER_S = 0.2

_QUESTION = re.compile(rb"roost: who holds invitation ([1-9][0-9]{3})\?")
_ANSWER = re.compile(rb"roost: ([1-9][0-9]{3}) at ([1-9][0-9]{0,4})")
_DATAGRAM_BYTES_MAX = 64
_PORT_MAX = 65_535


class Responder(asyncio.DatagramProtocol):
    """Answers for one invitation until it is closed."""

    def __init__(self, number: int, port: int) -> None:
        self._number = b"%d" % number
        self._answer = b"roost: %d at %d" % (number, port)
        self._transport: asyncio.DatagramTransport | None = None

    async def listen(self, search_port: int) -> None:
        """Begin to answer. Raise OSError if the port cannot be had; several invitations of one machine share it."""
        with _udp_socket() as listening:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            listening.bind(("", search_port))
            for interface in interfaces():
                _join_group(listening, interface.address)
            loop = asyncio.get_running_loop()
            self._transport, _ = await loop.create_datagram_endpoint(lambda: self, sock=listening)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        asked = _QUESTION.fullmatch(data) if len(data) <= _DATAGRAM_BYTES_MAX else None
        if asked is not None and asked[1] == self._number and self._transport is not None:
            self._transport.sendto(self._answer, addr)

    def error_received(self, exc: Exception) -> None:
        """An answer that could not be sent is asked for again."""


class _Asker(asyncio.DatagramProtocol):
    """Hears the answers that come to one interface."""

    def __init__(self, number: int, heard: Callable[[tuple[str, int]], None]) -> None:
        self._number = b"%d" % number
        self._heard = heard

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        answer = _ANSWER.fullmatch(data) if len(data) <= _DATAGRAM_BYTES_MAX else None
        if answer is not None and answer[1] == self._number and int(answer[2]) <= _PORT_MAX:
            self._heard((addr[0], int(answer[2])))

    def error_received(self, exc: Exception) -> None:
        """A network that refuses a question is asked again; others may answer meanwhile."""


async def find_inviters(number: int, *, patience_s: float = 3.0, port: int = SEARCH_PORT) -> list[tuple[str, int]]:
    """Ask for an invitation on every network, and return where it is said to be: (host, port), first answer first.

    Nothing is returned if nobody answers in time, which firewalls and guest networks bring about.
    """
    found: dict[tuple[str, int], None] = {}
    answered = asyncio.Event()

    def heard(candidate: tuple[str, int]) -> None:
        if len(found) < PAIRING_CANDIDATES_MAX:
            found[candidate] = None
        answered.set()

    endpoints = [endpoint for interface in interfaces() if (endpoint := await _endpoint(interface, number, heard))]
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while not answered.is_set():
                    _ask(endpoints, number, port)
                    await _within(ASK_AGAIN_S, answered)
                await asyncio.sleep(LINGER_S)
    finally:
        for endpoint in endpoints:
            endpoint.transport.close()
    return list(found)


class _Endpoint(NamedTuple):
    transport: asyncio.DatagramTransport
    broadcast: str


async def _endpoint(interface: Interface, number: int, heard: Callable[[tuple[str, int]], None]) -> _Endpoint | None:
    """Return a way to ask the neighbours of one address, or None if it went away meanwhile."""
    loop = asyncio.get_running_loop()
    try:
        with _udp_socket() as asking:
            asking.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface.address))
            asking.bind((interface.address, 0))
            transport, _ = await loop.create_datagram_endpoint(lambda: _Asker(number, heard), sock=asking)
    except OSError:
        return None
    return _Endpoint(transport, interface.broadcast)


def _ask(endpoints: list[_Endpoint], number: int, port: int) -> None:
    question = b"roost: who holds invitation %d?" % number
    for transport, broadcast in endpoints:
        for host in (broadcast, SEARCH_GROUP):
            transport.sendto(question, (host, port))


async def _within(seconds: float, event: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


@contextmanager
def _udp_socket() -> Iterator[socket.socket]:
    """Make a socket that is closed if what is done with it here fails; else it belongs to its transport."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    try:
        yield made
    except BaseException:
        made.close()
        raise


def _join_group(listening: socket.socket, address: str) -> None:
    membership = socket.inet_aton(SEARCH_GROUP) + socket.inet_aton(address)
    # Without multicast, or if two addresses share an interface, broadcast reaches it.
    with suppress(OSError):
        listening.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
