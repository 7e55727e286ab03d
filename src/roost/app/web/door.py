"""The door of the API: whoever has not shown the token yet is a stranger, with few places and little time.

Rules
- A connection that has shown the token goes straight to the API from then on, and may stay and be silent.
- All others share the places of a waiting room (network/waiting_room.py), and none stays longer than STRANGER_S. So
  connections that only idle neither use up the node's files nor keep its owner out.
- What is no HTTP is answered by the library. The log gets one line about it now and then, and no traceback: it is
  somebody else's mistake, and may come a thousand times a second.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import cast

from aiohttp.http_exceptions import HttpProcessingError

from roost.model.limits import HTTP_STRANGERS_MAX
from roost.runtime.network.waiting_room import Seat, WaitingRoom

#: How long a connection may take to show the token: a large request may be on its way before its head is read.
STRANGER_S = 15.0
#: How often the log tells that there were requests which are none.
MALFORMED_EVERY_S = 60.0


class Door:
    """``open`` it, and let it make the protocols of a server: ``loop.create_server(door.protocol, ...)``."""

    def __init__(self) -> None:
        self._handler: Callable[[], asyncio.Protocol] | None = None
        self._room = WaitingRoom(HTTP_STRANGERS_MAX)
        self._strangers: dict[asyncio.BaseTransport, _Stranger] = {}

    def open(self, handler: Callable[[], asyncio.Protocol]) -> None:
        """``handler`` makes what speaks HTTP with one connection."""
        self._handler = handler

    def protocol(self) -> asyncio.Protocol:
        assert self._handler is not None, "open the door first"
        return _Stranger(self, self._handler())

    def trust(self, transport: asyncio.BaseTransport | None) -> None:
        """Who speaks over this connection has shown the token."""
        stranger = self._strangers.get(transport) if transport is not None else None
        if stranger is not None:
            stranger.let_in()

    def came(self, stranger: "_Stranger", transport: asyncio.Transport) -> Seat:
        self._strangers[transport] = stranger
        name = transport.get_extra_info("peername")
        return self._room.enter(str(name[0]) if name else "", transport.abort)

    def went(self, transport: asyncio.Transport, seat: Seat) -> None:
        self._room.leave(seat)
        self._strangers.pop(transport, None)


class _Stranger(asyncio.Protocol):
    """One connection before it has shown the token; all that comes is passed on."""

    def __init__(self, door: Door, handler: asyncio.Protocol) -> None:
        self._door = door
        self._handler = handler

    def let_in(self) -> None:
        self._leave()
        self._transport.set_protocol(self._handler)

    def _leave(self) -> None:
        self._timer.cancel()
        self._door.went(self._transport, self._seat)

    # Told by the loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do all that is asked of one, and are of no class that says so.
        self._transport = cast("asyncio.Transport", transport)
        self._timer = asyncio.get_running_loop().call_later(STRANGER_S, self._transport.abort)
        self._seat = self._door.came(self, self._transport)
        self._handler.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        self._handler.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._handler.data_received(data)

    def eof_received(self) -> bool | None:
        return self._handler.eof_received()

    def pause_writing(self) -> None:
        self._handler.pause_writing()

    def resume_writing(self) -> None:
        self._handler.resume_writing()


class Malformed(logging.Filter):
    """Keeps what the library says of malformed requests out of the log, and counts it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._count = 0
        self._told_at: float | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.exc_info or not isinstance(record.exc_info[1], HttpProcessingError):
            return True
        self._count += 1
        now = self._clock()
        if self._told_at is not None and now - self._told_at < MALFORMED_EVERY_S:
            return False
        were = "request was" if self._count == 1 else "requests were"
        record.msg, record.args = f"{self._count:,} malformed {were} refused", ()
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        record.exc_info = record.exc_text = None
        self._count, self._told_at = 0, now
        return True
