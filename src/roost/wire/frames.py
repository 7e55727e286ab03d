"""Messages in a stream of bytes: each is preceded by its length as four bytes, most significant first."""

from roost.model.errors import PeerError
from roost.model.limits import FRAME_BYTES_MAX, KIB

_HEADER_BYTES = 4

#: What to ask a socket for at a time. The room for more would be taken from the system and given back with every read,
#: however little has arrived, which costs many times as much as the read itself.
READ_BYTES = 64 * KIB


def frame(message: bytes) -> bytes:
    if len(message) > FRAME_BYTES_MAX:
        raise PeerError(f"a message of {len(message):,} bytes is larger than the limit of {FRAME_BYTES_MAX:,}")
    return len(message).to_bytes(_HEADER_BYTES, "big") + message


class FrameReader:
    """Feed what arrived, in pieces of any size; take whole messages out."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the messages that are whole now. Raise PeerError if the stream announces one above the limit."""
        self._buffer += data
        messages = []
        at = 0
        while len(self._buffer) - at >= _HEADER_BYTES:
            size = int.from_bytes(self._buffer[at : at + _HEADER_BYTES], "big")
            if size > FRAME_BYTES_MAX:
                raise PeerError(f"a message of {size:,} bytes is larger than the limit of {FRAME_BYTES_MAX:,}")
            if len(self._buffer) - at - _HEADER_BYTES < size:
                break
            start = at + _HEADER_BYTES
            at = start + size
            with memoryview(self._buffer) as whole:
                messages.append(bytes(whole[start:at]))
        del self._buffer[:at]
        return messages
