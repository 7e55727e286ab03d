"""What is kept of an element so that its result can be found again, and so that it can be said why it was not."""

from hashlib import blake2b
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from roost.model.errors import PeerError

#: Of a key. Nobody finds two inputs with the same one, by chance or on purpose.
KEY_BYTES: Final = 16
#: Of the parts of a key that are kept beside it, only to tell which of them changed.
PART_BYTES: Final = 6
#: Parts that are kept of one element; what is more counts, but is not told apart.
PARTS_MAX: Final = 24
_NAME_LENGTH_MAX: Final = 200
#: Begins every key. Another number, if what keys are made of changes: then nothing old is found by mistake.
_VERSION: Final = b"roost key 2"

_ENCODER: Final = msgspec.msgpack.Encoder()


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """Of one element. A result that was taken over has no key of its own: the one that was made is found by it."""

    key: bytes = b""
    #: What can change without the description: "file analyse.py", "input counts"; the beginning of its digest.
    parts: dict[str, bytes] = {}
    #: The task and the element whose result was taken over.
    task: str = ""
    index: int = 0
    #: Why the result must not be found, if so.
    why: str = ""
    #: Whether that holds for the work itself, whatever its inputs.
    never: bool = False
    #: The node whose result was taken over, if it was another.
    node: str = ""
    #: How many other nodes were asked whether they have it, and which of them did not give it in time.
    asked: int = 0
    silent: tuple[str, ...] = ()


_DECODER: Final = msgspec.msgpack.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    return _ENCODER.encode(entry)


def decode_entry(data: bytes) -> Entry:
    """Raise PeerError if the bytes are no entry."""
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PeerError(f"these {len(data):,} bytes are no entry of the index: {error}") from None


def digest(*parts: bytes) -> bytes:
    """Return a digest of some bytes; where one part ends and the next begins matters."""
    marked = b"".join([piece for part in parts for piece in (b"%d:" % len(part), part)])
    return blake2b(marked, digest_size=KEY_BYTES).digest()


class Common(NamedTuple):
    """What the elements of an order have in common: its digest, and the parts that are kept of it."""

    digest: bytes
    kept: dict[str, bytes]


def common_of(work: bytes, parts: dict[str, bytes]) -> Common:
    """``work`` can be compared without an entry, the parts cannot."""
    return Common(digest(_VERSION, work, *_pieces(parts)), _kept(parts))


def entry_of(common: Common, place: bytes, own: dict[str, bytes]) -> Entry:
    """Return the entry of an element; ``own`` are the parts that others do not have."""
    key = digest(common.digest, place, *_pieces(own))
    if not own:
        return Entry(key, common.kept)
    return Entry(key, dict(islice((common.kept | _kept(own)).items(), PARTS_MAX)))


def _pieces(parts: dict[str, bytes]) -> list[bytes]:
    return [piece for name in sorted(parts) for piece in (name.encode(errors="replace"), parts[name])]


def _kept(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {name[:_NAME_LENGTH_MAX]: parts[name][:PART_BYTES] for name in sorted(parts)[:PARTS_MAX]}
