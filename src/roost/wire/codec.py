"""Typed values to bytes and back, in MessagePack.

RangeSet and Elements travel as plain arrays: boundaries as differences (small numbers take one byte), states as their
tagged arrays. Decoding checks everything; bytes that mean nothing raise PeerError and nothing else.
"""

from itertools import accumulate
from typing import Any, TypeVar

import msgspec

from roost.model.elements import Elements
from roost.model.errors import InvalidInput, PeerError
from roost.model.ranges import RangeSet
from roost.model.states import State

T = TypeVar("T")


def ranges_to_wire(ranges: RangeSet) -> list[int]:
    bounds = ranges.bounds
    if len(bounds) == 2:
        # Most are one span, and every message and every row has some.
        return [bounds[0], bounds[1] - bounds[0]]
    return [bound - before for before, bound in zip((0, *bounds), bounds, strict=False)]


def ranges_from_wire(differences: list[int]) -> RangeSet:
    return RangeSet.from_bounds(accumulate(differences))


def _encode_special(value: Any) -> Any:
    if isinstance(value, RangeSet):
        return ranges_to_wire(value)
    if isinstance(value, Elements):
        return [(state, ranges_to_wire(ranges)) for state, ranges in value.items()]
    raise NotImplementedError(f"{type(value).__name__} does not travel")


def _decode_special(kind: type, value: Any) -> Any:
    if kind is RangeSet:
        return ranges_from_wire(msgspec.convert(value, list[int]))
    if kind is Elements:
        entries = msgspec.convert(value, list[tuple[State, list[int]]])
        # Joining, not collecting: a peer's sets may overlap, and ours never do.
        return Elements.join((state, ranges_from_wire(differences)) for state, differences in entries)
    raise NotImplementedError(f"{kind} does not travel")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_encode_special)
_DECODERS: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


def encode(value: Any) -> bytes:
    return _ENCODER.encode(value)


def encode_into(value: Any, buffer: bytearray) -> None:
    """Add a value to a buffer. If it cannot be encoded, that stays as it was."""
    before = len(buffer)
    try:
        _ENCODER.encode_into(value, buffer, -1)
    except Exception:
        del buffer[before:]
        raise


def decode(data: bytes | memoryview, kind: type[T]) -> T:
    """Read one value of this type; raise PeerError with the place of the first thing that does not fit."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgspec.msgpack.Decoder(kind, dec_hook=_decode_special)
    try:
        result: T = decoder.decode(data)
    except (msgspec.MsgspecError, InvalidInput, UnicodeDecodeError, RecursionError, OverflowError) as error:
        raise PeerError(f"these {len(data):,} bytes are not a {getattr(kind, '__name__', kind)}: {error}") from None
    return result
