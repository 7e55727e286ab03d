"""What a process inside of an element tells its node while it waits for other work, over a WebSocket of its own."""

from typing import Final

import msgspec

from roost.wire.codec import decode, encode

#: Where a node listens for it.
WAITING_PATH: Final = "/v1/waiting"


class Waiting(msgspec.Struct, frozen=True):
    """An element of a lease waits from now on, or waits no more. The end of the connection ends its waits, too."""

    lease: int
    #: None if it is not known which element of it.
    index: int | None
    waits: bool


def encode_waiting(message: Waiting) -> bytes:
    return encode(message)


def decode_waiting(data: bytes) -> Waiting:
    """Raise PeerError if these bytes are no such message."""
    return decode(data, Waiting)
