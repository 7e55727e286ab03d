"""Values without their data: the core passes inputs, results and functions on unread, so nobody needs them to see why
it did what it did.

Data is the payload of every segment, and the bytes that stand beside the hash of a blob. Which fields may hold some
follows from their types.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from roost.model.ids import BlobHash
from roost.model.limits import FRAME_BYTES_MAX
from roost.model.segments import Segment, pack

T = TypeVar("T")

#: Makes other data of data; of a segment's, with the number of its values.
_Change: TypeAlias = Callable[[bytes, int | None], bytes]
_LENGTH_BYTES = 4
#: By type, as they were found out.
_FIELDS: dict[Any, tuple[str, ...]] = {}


def emptied(value: T) -> T:
    """Return a value without any trace of its data."""
    emptied_value: T = _changed(value, _nothing)
    return emptied_value


def measured(value: T) -> T:
    """Return a value with the lengths of its data in their place."""
    measured_value: T = _changed(value, _length)
    return measured_value


def filled(value: T) -> T:
    """Return a value that ``measured`` gave with zeros for data: as much of it, and as many values."""
    filled_value: T = _changed(value, _zeros)
    return filled_value


def _nothing(_data: bytes, _count: int | None) -> bytes:
    return b""


def _length(data: bytes, _count: int | None) -> bytes:
    return len(data).to_bytes(_LENGTH_BYTES)


def _zeros(length: bytes, count: int | None) -> bytes:
    size = min(int.from_bytes(length), FRAME_BYTES_MAX)
    if count is None or size < 2 * count:
        # No list of so many values, as it was none when it was recorded.
        return bytes(size)
    values = [b""] * count
    longest = size - len(pack(0, values).payload)
    if longest > 0 and values:
        # The lengths of values from 256 and 65,536 bytes on take one and three bytes more.
        values[0] = bytes(longest if longest < 256 else min(longest - 1, 65_535) if longest < 65_539 else longest - 3)
        values[-1] += bytes(size - len(pack(0, values).payload))
    return pack(0, values).payload


def _changed(value: Any, change: _Change) -> Any:
    kind = type(value)
    if kind is Segment:
        return Segment(value.start, value.count, change(value.payload, value.count))
    if kind is bytes:
        return change(value, None)
    if kind is tuple or kind is list:
        return kind([_changed(part, change) for part in value])
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _fields_with_data(kind)
    if not fields:
        return value
    changed = {name: _changed(held, change) for name in fields if (held := getattr(value, name))}
    return replace(value, **changed) if changed else value


def _fields_with_data(kind: Any) -> tuple[str, ...]:
    """Return the fields of a struct that may hold data; none of anything else."""
    known = _FIELDS.get(kind)
    if known is None:
        fields = msgspec.structs.fields(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else ()
        is_blob = any(field.type is BlobHash for field in fields)
        known = tuple(field.name for field in fields if _may_hold(field.type) or (is_blob and field.type is bytes))
        _FIELDS[kind] = known
    return known


def _may_hold(annotation: Any) -> bool:
    parts = get_args(annotation)
    if not parts:
        return annotation is Segment or bool(_fields_with_data(annotation))
    return (BlobHash in parts and bytes in parts) or any(map(_may_hold, parts))
