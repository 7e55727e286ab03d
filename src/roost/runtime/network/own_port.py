"""A node's own port, the same number for UDP and TCP: what it sends comes from there, so whoever hears it can answer.

The numbers that follow the meeting port are tried first, so that a firewall can be opened for them; any free one does.
"""

import socket
from contextlib import suppress
from typing import NamedTuple, Self

#: Own ports that are tried before any free one: so many nodes of one machine have predictable ones.
NUMBERED = 16
#: How often any free one is tried.
FREE_TRIES = 16
#: Bytes that may wait in the kernel until this node reads them: a tenth of a second of all that a busy mesh says.
RECEIVE_BYTES = 2 * 1024 * 1024


class OwnPort(NamedTuple):
    udp: socket.socket
    tcp: socket.socket
    number: int
    #: Whether no other node of this machine was there before.
    first_here: bool

    @classmethod
    def bind(cls, meeting_port: int) -> Self:
        """Raise OSError if this machine lets nobody listen at all."""
        numbered = [meeting_port + offset for offset in range(1, NUMBERED + 1) if meeting_port + offset < 65_536]
        for number in numbered:
            try:
                return cls._bind(number, first_here=number == numbered[0])
            except OSError:
                continue
        for _ in range(FREE_TRIES):
            # What is free for UDP may be taken for TCP.
            with suppress(OSError):
                return cls._bind(0, first_here=False)
        return cls._bind(0, first_here=False)

    @classmethod
    def _bind(cls, number: int, *, first_here: bool) -> Self:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            udp.setblocking(False)
            udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
            udp.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            udp.bind(("", number))
            number = udp.getsockname()[1]
            tcp = socket.create_server(("", number))
        except OSError:
            udp.close()
            raise
        tcp.setblocking(False)
        return cls(udp, tcp, number, first_here)

    def close(self) -> None:
        self.udp.close()
        self.tcp.close()
