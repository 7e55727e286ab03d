"""The data of neighbouring elements, packed together: inputs on the way in, results on the way out.

A segment is opaque to everything between the two ends: it is stored, sent and handed on as it is. Only where a lease
covers part of a segment is it unpacked and packed again.
"""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from roost.model.errors import PeerError
from roost.model.ranges import RangeSet

_PACK = msgspec.msgpack.Encoder()
_UNPACK = msgspec.msgpack.Decoder(list[bytes])


class Segment(msgspec.Struct, frozen=True, array_like=True):
    """The values of ``count`` elements from ``start`` on, one packed list of byte strings."""

    start: Annotated[int, msgspec.Meta(ge=0)]
    count: Annotated[int, msgspec.Meta(ge=0)]
    payload: bytes

    @property
    def stop(self) -> int:
        return self.start + self.count

    @property
    def ranges(self) -> RangeSet:
        return RangeSet.span(self.start, self.stop)

    def values(self) -> list[bytes]:
        """Unpack; raise PeerError if the payload is not what the header says."""
        try:
            values = _UNPACK.decode(self.payload)
        except msgspec.MsgspecError as error:
            raise PeerError(f"a segment's payload is not a list of values: {error}") from None
        if len(values) != self.count:
            raise PeerError(f"a segment announces {self.count:,} values and holds {len(values):,}")
        return values

    def cut(self, start: int, stop: int) -> "Segment":
        """Return the part from ``start`` to ``stop``, both within this segment."""
        assert self.start <= start <= stop <= self.stop, (self.start, start, stop, self.stop)
        if start == self.start and stop == self.stop:
            return self
        return pack(start, self.values()[start - self.start : stop - self.start])


def pack_runs(values: Iterable[tuple[int, bytes]]) -> tuple[Segment, ...]:
    """Pack values with their indices, which ascend, neighbours together."""
    runs: list[tuple[int, list[bytes]]] = []
    for index, value in values:
        if not runs or runs[-1][0] + len(runs[-1][1]) != index:
            runs.append((index, []))
        runs[-1][1].append(value)
    return tuple(pack(start, members) for start, members in runs)


def pack(start: int, values: list[bytes]) -> Segment:
    return Segment(start, len(values), _PACK.encode(values))
