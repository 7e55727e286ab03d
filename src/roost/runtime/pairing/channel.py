"""Messages of a pairing over a connection, each no larger than it may be at its place in the conversation."""

import asyncio
from contextlib import suppress
from typing import TypeVar

from roost.model.errors import PeerError
from roost.model.limits import PAIRING_HELLO_BYTES_MAX
from roost.wire.trust.pairing_words import EXPLAINED, Message, Reason, Refused, decode_message, encode_message

_LENGTH_BYTES = 4
M = TypeVar("M", bound=Message)


class RefusedByInviter(PeerError):
    """The other side holds invitations, and does not let this one in."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(EXPLAINED[reason])
        self.reason = reason


class Channel:
    """One end of a connection; ``close`` it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, message: Message) -> None:
        data = encode_message(message)
        self._writer.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
        await self._writer.drain()

    async def receive(self, kind: type[M], bytes_max: int = PAIRING_HELLO_BYTES_MAX) -> M:
        """Raise PeerError if the other side refuses, leaves, or says anything else than this kind of message."""
        try:
            size = int.from_bytes(await self._reader.readexactly(_LENGTH_BYTES), "big")
            if size > bytes_max:
                raise PeerError(f"a message of {size:,} bytes is larger than the limit of {bytes_max:,}")
            message = decode_message(await self._reader.readexactly(size))
        except asyncio.IncompleteReadError:
            raise PeerError("the other side ended the conversation") from None
        if isinstance(message, Refused):
            raise RefusedByInviter(message.reason)
        if not isinstance(message, kind):
            raise PeerError(f"{kind.__name__} was expected, not {type(message).__name__}")
        return message

    async def close(self) -> None:
        self._writer.close()
        # It is closed, too, when the other side has cut it.
        with suppress(OSError):
            await self._writer.wait_closed()
