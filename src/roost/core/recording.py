"""A recording: all that a node's core was fed in one life, so that it can be played again (sim/player.py).

Rules
- What a node does follows from how it began and what it was fed since: its events, and the stamps that were taken of
  its clock. Chance is a seed. So these are recorded, from the first on; a part from the middle is worth nothing.
- Of what it did, the kinds of its actions are kept, and now and then a checksum of all that is in them: played again,
  it must do the same. Both together cost less than the actions.
- Data stays out of it (hollow.py): inputs, results and functions. Commands, names and what failed are in it.

A recording is MAGIC, then chunks: their length, their CRC-32, and frames, deflated. A file that ends within a chunk is
one of a node that was killed while it wrote.
"""

import zlib
from collections.abc import Callable, Iterator
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias, get_args

import msgspec

from roost.core.actions import Action
from roost.core.completion import ARCHIVE_GROUP
from roost.core.events import Event
from roost.core.hollow import emptied, filled, measured
from roost.core.medium.port import MakeMedium
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.chance import NO_CHANCE, Chance
from roost.model.clock import Stamp
from roost.model.errors import InvalidInput, PeerError
from roost.model.ids import NodeId
from roost.model.limits import RECORDED_CHUNK_BYTES_MAX
from roost.model.resources import Capacity
from roost.policy.choose import Policy
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.policy.usual import USUAL
from roost.wire.codec import decode, encode, encode_into

MAGIC: Final = b"roost recording 3\n"
_HEAD: Final = Struct("<II")
#: How MessagePack says that so many values follow.
_ARRAY: Final = Struct(">BI")
_ARRAY_CODE: Final = 0xDD
#: Quick, and most of what there is to gain.
_DEFLATED: Final = 1
#: Of the kinds of actions, in characters.
_SHOWN_MAX: Final = 200


class Beginning(msgspec.Struct, frozen=True):
    """All that makes a node what it is before its first event."""

    #: Roost's.
    version: str
    name: NodeId
    capacity: Capacity
    restored: Restored
    #: Where chance begins, and where others can reach it; no seed if it stays alone.
    seed: int | None = None
    address: str = ""
    archive_group: int = ARCHIVE_GROUP
    fairness: Fairness = NO_FAIRNESS

    def node(
        self,
        medium: MakeMedium,
        chance: Callable[[int], Chance],
        note: "Note | None" = None,
        policy: Policy = USUAL,
    ) -> Node:
        """Make the node; ``note`` gets what it is fed. ``chance`` makes a source of chance of a seed.

        A policy is a function, and no recording has it: whoever plays one gives the same again.
        """
        luck = NO_CHANCE if self.seed is None else chance(self.seed)
        if note is None:
            return Node(
                self.name,
                self.capacity,
                self.restored,
                medium,
                chance=luck,
                policy=policy,
                fairness=self.fairness,
                archive_group=self.archive_group,
            )
        return _Recorded(self, medium, luck, note, policy)


class Step(NamedTuple):
    """Something that the core was fed, and what it did."""

    now: float
    #: None: somebody outside took a stamp.
    event: Event | None
    #: Of its actions, in order; None: it raised an error.
    kinds: str | None
    checksum: int | None

    def difference(self, actions: list[Action]) -> str:
        """Say how other actions differ from its own, as far as that is recorded; nothing if they are the same."""
        kinds = _kinds_of(actions)
        if self.kinds is not None and self.kinds != kinds:
            return f"it does {_shown(kinds)}, and when it was recorded it did {_shown(self.kinds)}"
        if self.checksum not in (None, _checksum_of(actions)):
            return f"it does {_shown(kinds)}, as when it was recorded, but something else is in them"
        return ""


class Ending(msgspec.Struct, frozen=True):
    """Why there is no more. ``reason`` says it of a node that ended because Roost itself had failed."""

    reason: str = ""
    #: Whether the recording ended before its node.
    is_cut: bool = False


#: Gets what the core is fed: an event or None for a stamp, the time, and what came out, None if that was an error.
Note: TypeAlias = Callable[[Event | None, float, list[Action] | None], None]
_TYPES: Final[dict[str, type[Any]]] = {kind.__name__: kind for kind in (*get_args(Event), Beginning, Ending)}
_STAMP: Final = ""


class _Frame(msgspec.Struct, frozen=True, array_like=True):
    """A Step, a Beginning or an Ending."""

    kind: str
    now: float
    body: msgspec.Raw
    kinds: str | None
    checksum: int | None


class _Recorded(Node):
    def __init__(self, beginning: Beginning, medium: MakeMedium, chance: Chance, note: Note, policy: Policy) -> None:
        self._note = note
        super().__init__(
            beginning.name,
            beginning.capacity,
            beginning.restored,
            medium,
            chance=chance,
            policy=policy,
            fairness=beginning.fairness,
            archive_group=beginning.archive_group,
        )

    def handle(self, event: Event, now: float) -> list[Action]:
        try:
            actions = super().handle(event, now)
        except Exception:
            self._note(event, now, None)
            raise
        self._note(event, now, actions)
        return actions

    def stamp_at(self, now: float) -> Stamp:
        self._note(None, now, None)
        return super().stamp_at(now)


def _kinds_of(actions: list[Action]) -> str:
    return ", ".join([type(action).__name__ for action in actions])


def _shown(kinds: str) -> str:
    return kinds if 0 < len(kinds) <= _SHOWN_MAX else f"{kinds[:_SHOWN_MAX]}…" if kinds else "nothing"


def _checksum_of(actions: list[Action]) -> int:
    return zlib.crc32(encode(emptied(actions)))


# Writing.


class Frames:
    """Frames that gather until they are packed; encoded, because objects that are kept for long slow all else down."""

    def __init__(self) -> None:
        self._encoded = bytearray()
        self.count = 0

    def add(self, value: Beginning | Ending) -> None:
        self._add(type(value).__name__, 0.0, value, None, None)

    def add_step(self, event: Event | None, now: float, actions: list[Action] | None, *, summed: bool) -> None:
        """Add what a Note gets, with a checksum of the actions if they are to be ``summed``."""
        if event is None:
            self._add(_STAMP, now, None, None, None)
            return
        kinds = None if actions is None else _kinds_of(actions)
        checksum = _checksum_of(actions) if summed and actions is not None else None
        self._add(type(event).__name__, now, measured(event), kinds, checksum)

    def _add(self, kind: str, now: float, body: object, kinds: str | None, checksum: int | None) -> None:
        encode_into((kind, now, body, kinds, checksum), self._encoded)
        self.count += 1

    def chunk(self) -> bytes:
        """Pack them, to be put behind those that were packed before."""
        packed = zlib.compress(_ARRAY.pack(_ARRAY_CODE, self.count) + self._encoded, _DEFLATED)
        return _HEAD.pack(len(packed), zlib.crc32(packed)) + packed


# Reading.


def read_recording(read: Callable[[int], bytes], name: str) -> Iterator[Beginning | Step | Ending]:
    """Yield the beginning, every step, and why there is no more, as far as that was noted.

    ``read`` returns so many of the next bytes, fewer only at the end. Raise InvalidInput, with the name of the
    recording, for what no node has written.
    """
    if read(len(MAGIC)) != MAGIC:
        raise InvalidInput(
            f"{name} is no recording of a node; a node keeps its own in the folder recordings of its home"
        )
    version = ""
    for packed in _chunks(read, name):
        try:
            for frame in decode(packed, list[_Frame]):
                value = _value_of(frame)
                if isinstance(value, Beginning) == bool(version):
                    raise InvalidInput(f"{name} does not begin as a recording does")
                version = value.version if isinstance(value, Beginning) else version
                yield value
        except PeerError as error:
            whose = f"Roost {version}" if version else "another Roost"
            raise InvalidInput(f"{name} is of {whose}, and this one cannot read it: {error}") from None
    if not version:
        raise InvalidInput(f"{name} ends before it begins: its node was killed at once, or has only begun to write")


def _chunks(read: Callable[[int], bytes], name: str) -> Iterator[bytes]:
    while len(head := read(_HEAD.size)) == _HEAD.size:
        length, checksum = _HEAD.unpack(head)
        packed = read(min(length, RECORDED_CHUNK_BYTES_MAX))
        if len(packed) < length <= RECORDED_CHUNK_BYTES_MAX:
            return
        unpacking = zlib.decompressobj()
        try:
            frames = unpacking.decompress(packed, RECORDED_CHUNK_BYTES_MAX)
        except zlib.error:
            frames = b""
        if zlib.crc32(packed) != checksum or not unpacking.eof:
            raise InvalidInput(f"{name} is damaged; take another copy of it")
        yield frames


def _value_of(frame: _Frame) -> Beginning | Step | Ending:
    if frame.kind == _STAMP:
        return Step(frame.now, None, None, None)
    if frame.kind not in _TYPES:
        raise PeerError(f"it has {frame.kind[:40]}")
    value = decode(memoryview(frame.body), _TYPES[frame.kind])
    if isinstance(value, Beginning | Ending):
        return value
    return Step(frame.now, filled(value), frame.kinds, frame.checksum)
