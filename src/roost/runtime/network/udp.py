"""Datagrams: to one machine, and to all neighbours on every network that this machine is in.

Rules
- Everything is sent from the node's own port, so that an answer finds it. Words to all go to the meeting port, by
  multicast and by broadcast on every interface: networks often let only one of the two pass.
- At the meeting port several nodes of one machine listen side by side; the kernel gives each of them what was said to
  all. What is said to the port of one machine alone, one of them gets.
- A turn of the loop takes at most DRAIN_MAX datagrams of a port, so that a flood slows this node down and nothing more.
- What has come in can be heard ahead of its turn (``hear``), by whoever is about to decide something.
- What cannot be sent is lost, and remembered as the trouble of that way; the next attempt may clear it.
"""

import asyncio
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum

from roost.model.limits import DATAGRAM_BYTES_MAX, INTERFACES_MAX
from roost.runtime.network.interfaces import Endpoint, Interface, interfaces, main_address
from roost.runtime.network.own_port import RECEIVE_BYTES, OwnPort

#: The group of all nodes.
MESH_GROUP = "239.255.47.80"
#: More: a flood costs fewer turns. Fewer: everything else waits less during one.
DRAIN_MAX = 64
#: How often the interfaces are looked at. Shorter: a new network is used sooner. Longer: fewer questions to the kernel.
LOOK_S = 5.0

#: How long a failure to send is worth a word.
RECENT_S = 60.0

#: Constants of Linux that the socket module lacks: tell where a datagram went to.
_IP_PKTINFO = 8
_PKTINFO = struct.Struct("=I4s4s")
_CONTROL_BYTES = socket.CMSG_SPACE(_PKTINFO.size)


class Cast(StrEnum):
    """To whom a datagram was sent."""

    MULTICAST = "multicast"
    BROADCAST = "broadcast"
    UNICAST = "unicast"


#: Gets a datagram, where it came from, and to whom it was sent.
Take = Callable[[bytes, Endpoint, Cast], None]


class Datagrams:
    """Make one, ``start`` it inside a running loop, ``close`` it. The own port stays its maker's."""

    def __init__(self, own: OwnPort, meeting_port: int) -> None:
        self._own = own
        self._meeting_port = meeting_port
        self._take: Take = lambda _datagram, _source, _cast: None
        self._buffer = bytearray(DATAGRAM_BYTES_MAX + 1)
        self._meeting: socket.socket | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._joined: dict[str, None] = {}
        self._broadcasts: set[bytes] = set()
        #: The last failure to send to one machine, and when that was.
        self._unsent: tuple[str, float] | None = None
        #: This machine's networks, as they were when last looked at.
        self.interfaces: list[Interface] = []
        #: Why words to all do not leave, or do not come in, by way.
        self.trouble: dict[Cast, str] = {}
        self.look()

    @property
    def address(self) -> Endpoint:
        """Where others reach this node."""
        return main_address(self.interfaces), self._own.number

    def start(self, take: Take) -> None:
        """Begin to hear, and give ``take`` whatever comes."""
        self._take = take
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._own.udp, self._drain_own)
        try:
            self._meeting = _meeting_socket(self._meeting_port)
        except OSError as error:
            sentence = f"port {self._meeting_port} cannot be used: {error.strerror}; another program may have it"
            self.trouble = {Cast.MULTICAST: sentence, Cast.BROADCAST: sentence}
            return
        self._loop.add_reader(self._meeting, self._drain_meeting)
        self._join_groups()

    def close(self) -> None:
        if self._loop is not None:
            self._loop.remove_reader(self._own.udp)
            if self._meeting is not None:
                self._loop.remove_reader(self._meeting)
                self._meeting.close()
                self._meeting = None

    def look(self) -> bool:
        """Look at the interfaces; tell whether they have changed."""
        found = interfaces()[:INTERFACES_MAX]
        if found == self.interfaces:
            return False
        self.interfaces = found
        self._broadcasts = {socket.inet_aton(interface.broadcast) for interface in found}
        if self._meeting is not None:
            self._join_groups()
        return True

    # Out.

    def send(self, datagram: bytes, endpoint: Endpoint) -> None:
        """Send to one machine. It is lost if the network is down or too much is on its way already."""
        try:
            self._own.udp.sendto(datagram, endpoint)
        except OSError as error:
            self._unsent = (f"{endpoint[0]} cannot be sent to: {error.strerror}", time.monotonic())

    def remarks(self) -> list[str]:
        """Say what could not be sent of late, if anything could not."""
        if self._unsent is None or time.monotonic() - self._unsent[1] > RECENT_S:
            return []
        return [self._unsent[0]]

    def send_to_all(self, datagram: bytes) -> None:
        """Send to all neighbours, once by multicast and once by broadcast on every network."""
        reached = {Cast.MULTICAST: False, Cast.BROADCAST: False}
        for interface in self.interfaces:
            for cast in reached:
                try:
                    self._send_by(cast, interface, datagram)
                    reached[cast] = True
                except OSError as error:
                    self.trouble[cast] = f"{interface.name} ({interface.address}) refuses it: {error.strerror}"
        if self._meeting is not None:
            for cast, sent in reached.items():
                if sent:
                    self.trouble.pop(cast, None)

    def _send_by(self, cast: Cast, interface: Interface, datagram: bytes) -> None:
        if cast is Cast.BROADCAST:
            self._own.udp.sendto(datagram, (interface.broadcast, self._meeting_port))
            return
        # Without this the group goes where the default route leads, and nowhere if there is none.
        at = socket.inet_aton(interface.address)
        self._own.udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, at)
        self._own.udp.sendto(datagram, (MESH_GROUP, self._meeting_port))

    # In.

    def hear(self) -> None:
        """Take what has come in by now."""
        if self._loop is not None:
            self._drain_own()
            self._drain_meeting()

    def _drain_own(self) -> None:
        for _ in range(DRAIN_MAX):
            try:
                size, source = self._own.udp.recvfrom_into(self._buffer)
            except OSError:
                # Nothing more is there; or an earlier datagram met a closed port, and that is its end.
                return
            self._take(bytes(memoryview(self._buffer)[:size]), source, Cast.UNICAST)

    def _drain_meeting(self) -> None:
        for _ in range(DRAIN_MAX):
            if self._meeting is None:
                return
            try:
                size, control, _, source = self._meeting.recvmsg_into([self._buffer], _CONTROL_BYTES)
            except OSError:
                return
            self._take(bytes(memoryview(self._buffer)[:size]), source, self._cast(control))

    def _cast(self, control: list[tuple[int, int, bytes]]) -> Cast:
        for level, kind, content in control:
            if (level, kind) == (socket.IPPROTO_IP, _IP_PKTINFO) and len(content) == _PKTINFO.size:
                target = _PKTINFO.unpack(content)[2]
                if target[0] >> 4 == 0xE:
                    return Cast.MULTICAST
                return Cast.BROADCAST if target in self._broadcasts else Cast.UNICAST
        return Cast.UNICAST

    def _join_groups(self) -> None:
        """Join the group on every interface; several addresses of one need it once."""
        assert self._meeting is not None
        present = {interface.address: None for interface in self.interfaces}
        # With an address that has gone, the kernel has forgotten the membership.
        self._joined = {address: None for address in self._joined if address in present}
        for address in present:
            if address not in self._joined:
                membership = socket.inet_aton(MESH_GROUP) + socket.inet_aton(address)
                try:
                    self._meeting.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
                except OSError as error:
                    self.trouble[Cast.MULTICAST] = f"{address} cannot join the group {MESH_GROUP}: {error.strerror}"
                    continue
                self._joined[address] = None


def _meeting_socket(port: int) -> socket.socket:
    meeting = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        meeting.setblocking(False)
        meeting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        meeting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        meeting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        # Where it is not known, all counts as unicast, which costs more words and no function.
        with suppress(OSError):
            meeting.setsockopt(socket.IPPROTO_IP, _IP_PKTINFO, 1)
        meeting.bind(("", port))
    except OSError:
        meeting.close()
        raise
    return meeting
