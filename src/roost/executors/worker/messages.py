"""What a node and the processes that work for it say to each other: frames, each a list of these messages.

Ranges travel as their boundaries, segments as they are. A lease is an order without what many orders need (functions,
inputs that all elements share): that is sent once under a key, and the node decides what is forgotten: it alone knows
what comes next.
"""

from typing import Any, Final, TypeAlias

import msgspec

from roost.executors.order import Order
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.task import Failure


class Keep(msgspec.Struct, frozen=True, tag="keep"):
    """Remember values under a key. Many come in several messages."""

    key: str
    values: tuple[bytes, ...]


class Forget(msgspec.Struct, frozen=True, tag="forget"):
    """No lease after this one names these keys."""

    keys: tuple[str, ...]


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """Give back elements (see StopMode). A worker answers each with Stopped; the launcher just does it."""

    lease: int
    ranges: RangeSet
    mode: str


class Hold(msgspec.Struct, frozen=True, tag="hold"):
    """Freeze a lease, or let it go on."""

    lease: int
    on: bool


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The process has started well."""


class Done(msgspec.Struct, frozen=True, tag="done"):
    lease: int
    segments: tuple[Segment, ...]
    busy_s: float
    #: If a pool maps them: the index of each, and the length of its list.
    lengths: tuple[tuple[int, int], ...] = ()


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    lease: int
    index: int
    failure: Failure


class Returned(msgspec.Struct, frozen=True, tag="returned"):
    lease: int
    ranges: RangeSet
    #: If what they left could not be kept because the disk is full: that, in words.
    no_room: str = ""


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    lease: int
    index: int
    fraction: float
    note: str


class Stopped(msgspec.Struct, frozen=True, tag="stopped"):
    """A worker has given back what it could, and has sent all results. What is open then has begun and not ended."""

    lease: int
    ranges: RangeSet


ToChild: TypeAlias = Keep | Forget | Order | Stop | Hold
FromChild: TypeAlias = Ready | Done | Failed | Returned | Progress | Stopped


def _boundaries(ranges: Any) -> Any:
    return ranges.bounds


def _ranges(_kind: type, boundaries: Any) -> RangeSet:
    return RangeSet(tuple(boundaries))


#: Nothing else in a message needs a hook.
ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=_boundaries)
TO_CHILD: Final = msgspec.msgpack.Decoder(list[ToChild], dec_hook=_ranges)
FROM_CHILD: Final = msgspec.msgpack.Decoder(list[FromChild], dec_hook=_ranges)
