"""The port of LAN's client protocol: it takes connections in, up to a limit, and ends them when the node stops."""

import asyncio
import socket
from contextlib import suppress
from typing import Final

from roost.app.lan.connection import Desk, LanConnection
from roost.app.lan.endpoint import Endpoint
from roost.app.lan.programs import Programs
from roost.app.lan.protocol import error, written
from roost.app.lan.trust import is_owner
from roost.model.limits import LAN_BACKLOG_BYTES_MAX, LAN_CONNECTIONS_MAX, LAN_LINE_BYTES_MAX
from roost.runtime.service import NodeService

#: A client that does not read for so long is dropped; it may come back and subscribe again.
PATIENCE_S: Final = 30.0
#: How long a client may take to close its side after the last answer.
_HANG_UP_S: Final = 1.0
#: How long clients may take to hear that the node stops.
_CLOSE_GRACE_S: Final = 1.0
_GOODBYE: Final = written(error("the node is stopping; connect again when it runs"))


class LanServer:
    """The port while it is open."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sessions: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.endpoint = Endpoint("", 0)

    @property
    def connections(self) -> int:
        return len(self._sessions)

    async def open(self, endpoint: Endpoint) -> None:
        """Listen; port 0 takes any that is free. Raise OSError if the address cannot be had."""
        self._server = await asyncio.start_server(self._welcome, endpoint.host, endpoint.port)
        self.endpoint = Endpoint(*self._server.sockets[0].getsockname()[:2])

    async def close(self) -> None:
        """Take no more connections and end those that there are."""
        if self._server is not None:
            self._server.close()
        for session in self._sessions:
            session.cancel()
        if self._sessions:
            await asyncio.wait(self._sessions, timeout=_CLOSE_GRACE_S)

    def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = asyncio.create_task(self._attend(reader, writer))
        self._sessions.add(session)
        session.add_done_callback(self._sessions.discard)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._talk(reader, writer)
        except (OSError, asyncio.CancelledError):
            # The client is gone, or the node is about to be; nobody waits for this session.
            pass
        finally:
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer, here = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
        if not peer or not here:
            # It was gone before anybody looked.
            return
        writer.transport.set_write_buffer_limits(high=LAN_BACKLOG_BYTES_MAX)
        link = writer.get_extra_info("socket")
        # So that a machine that was switched off is noticed one day.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # What a client does not read would otherwise take megabytes of the kernel's, too, before it is noticed.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LAN_BACKLOG_BYTES_MAX)
        session = LanConnection(self._desk, reader, writer, is_trusted=is_owner(peer[:2], here[:2]))
        if len(self._sessions) > LAN_CONNECTIONS_MAX:
            await session.send([error(f"{LAN_CONNECTIONS_MAX} clients are connected already; try again later")])
        else:
            try:
                await session.talk()
            except asyncio.CancelledError:
                writer.write(_GOODBYE)
                raise
        await _hang_up(reader, writer)


async def _hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """End the conversation so that the last answer arrives: what the client still sends is read, and means nothing.

    Closed with something unread, the connection would be reset, and the client might never see why.
    """
    if writer.transport.is_closing():
        return
    writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(_HANG_UP_S):
            while await reader.read(LAN_LINE_BYTES_MAX):
                pass


async def serve_lan(
    service: NodeService, endpoint: Endpoint, programs: Programs, token: str, *, patience_s: float = PATIENCE_S
) -> LanServer:
    """Open the port. Raise OSError if the address cannot be had, InvalidInput if the programs' folder will not do."""
    programs.prepare()
    server = LanServer(Desk(service, programs, token, patience_s))
    await server.open(endpoint)
    return server
