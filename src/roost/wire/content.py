"""What goes over a content stream: questions for parts of what a node has on its disk, and answers with their bytes.

Rules
- Content is named by the hash of all of it. It is asked for in chunks of CONTENT_CHUNK_BYTES, of which only the last
  may be shorter; what hashes they have to have is asked first, a few chunks at a time.
- Each question has one answer, and answers come in the order of the questions. An answer is a head and, right behind
  it, as many bytes as the head says.
- A log has no hash while it is written: it is asked for from a place on.
"""

from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from roost.model.errors import PeerError
from roost.model.ids import TaskId
from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_CHUNKS_MAX, CONTENT_HEAD_BYTES_MAX, SIZE_BYTES_MAX
from roost.wire.messages import OutputStream
from roost.wire.values import ContentHash

#: What TLS calls a content stream (ALPN); a stream of messages says nothing.
CONTENT_PROTOCOL: Final = "roost-content"
#: Bytes of a chunk's hash.
CHUNK_HASH_BYTES: Final = 32
#: The length of a head stands before it.
LENGTH_BYTES: Final = 2

#: A place in a log.
Offset: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=SIZE_BYTES_MAX)]
#: Which of a content's chunks.
ChunkIndex: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=CONTENT_CHUNKS_MAX)]


class HashesOf(msgspec.Struct, frozen=True, tag="hashes_of"):
    """The hashes of chunks, from one on, CONTENT_LISTED_CHUNKS at most."""

    content: ContentHash
    first: ChunkIndex


class ChunkOf(msgspec.Struct, frozen=True, tag="chunk_of"):
    """One chunk."""

    content: ContentHash
    index: ChunkIndex


class LogPart(msgspec.Struct, frozen=True, tag="log_part"):
    """What an element wrote to a stream, from a place on, CONTENT_CHUNK_BYTES at most."""

    task: TaskId
    index: int
    stream: OutputStream
    offset: Offset


class GivenHead(msgspec.Struct, frozen=True, tag="given"):
    """What stands before the bytes of an answer."""

    #: Of the whole content or log; None if it is not here.
    size: Annotated[int, msgspec.Meta(ge=0, le=SIZE_BYTES_MAX)] | None
    #: How many bytes follow.
    length: Annotated[int, msgspec.Meta(ge=0, le=CONTENT_CHUNK_BYTES)]


ContentQuestion: TypeAlias = HashesOf | ChunkOf | LogPart
ContentHead: TypeAlias = ContentQuestion | GivenHead


class Given(NamedTuple):
    """An answer: the size of the whole, None if it is not there, and the bytes."""

    size: int | None
    body: bytes | bytearray = b""


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(ContentHead)

#: Says that the sender does not have what it was asked for.
NOT_HERE: Final = Given(None)


def pack_head(head: ContentHead) -> bytes:
    packed = _ENCODER.encode(head)
    assert len(packed) <= CONTENT_HEAD_BYTES_MAX, "names and numbers are bounded"
    return len(packed).to_bytes(LENGTH_BYTES, "big") + packed


def head_length(data: bytes | bytearray) -> int:
    """Read the length of a head. Raise PeerError if none is so long."""
    length = int.from_bytes(data, "big")
    if not 0 < length <= CONTENT_HEAD_BYTES_MAX:
        raise PeerError(f"a head of {length:,} bytes is none; the limit is {CONTENT_HEAD_BYTES_MAX:,}")
    return length


def open_head(data: bytes | bytearray) -> ContentHead:
    """Read a head; raise PeerError if it is none."""
    try:
        head: ContentHead = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        raise PeerError(f"these {len(data):,} bytes are no head of content: {error}") from None
    return head
