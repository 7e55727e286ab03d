"""What a node and the processes that work for it say to each other: frames, each a list of these messages.

Ranges travel as their boundaries, segments as they are. Whatever is needed by many leases (functions, inputs that all
elements share) is sent once under a key, and the node decides what is forgotten: it alone knows what comes next.
"""

from typing import Final, TypeAlias

import msgspec

from roost.model.segments import Segment
from roost.model.task import Command, EdgeKind, Failure, PortType
from roost.model.token import Token


class EachPort(msgspec.Struct, frozen=True, array_like=True):
    """A port at which every element finds a result of its own, or, with GATHER, several packed into one."""

    port: str
    segments: tuple[Segment, ...]
    kind: EdgeKind = EdgeKind.EACH
    pick: str = ""
    type: PortType = PortType.ANY


class SharedPort(msgspec.Struct, frozen=True, array_like=True):
    """A port at which elements find what others find, too; the values were sent under ``key``."""

    port: str
    kind: EdgeKind
    key: str
    pick: str = ""
    type: PortType = PortType.ANY
    #: In a pool, if each block finds something else: how many pools further out that comes from, and the boundaries of
    #: the elements there, in whose order the values are.
    levels: int = 0
    parents: tuple[int, ...] = ()


class Keep(msgspec.Struct, frozen=True, tag="keep"):
    """Remember values under a key. Large ones come in several messages, of which the last says so."""

    key: str
    values: tuple[bytes, ...]
    last: bool = True


class Forget(msgspec.Struct, frozen=True, tag="forget"):
    """No lease after this one names these keys."""

    keys: tuple[str, ...]


class Lease(msgspec.Struct, frozen=True):
    """What leases of all kinds of work have in common."""

    lease: int
    task: str
    token: Token
    #: Whether an element of it was tried before, and may have left output behind.
    again: bool
    bounds: tuple[int, ...]
    items: tuple[Segment, ...]
    each: tuple[EachPort, ...]
    shared: tuple[SharedPort, ...]
    #: Whether a pool maps the results, so that their lengths are to be told.
    is_mapped: bool


class CommandLease(Lease, frozen=True, tag="command"):
    lane: int
    command: Command
    has_items: bool
    time_limit_s: float | None


class FunctionLease(Lease, frozen=True, tag="function"):
    """``code``, ``arguments``, ``initializer`` and ``variables`` are keys of what was sent before."""

    code: str
    arguments: str | None
    initializer: str | None
    #: If not 0: an earlier lease of one element, whose result arrives at all shared ports, whatever their keys.
    behind: int = 0
    variables: str | None = None


class ScriptLease(Lease, frozen=True, tag="script"):
    """``code`` and ``arguments`` are keys of what was sent before."""

    code: str
    entry: str
    name: str
    arguments: str | None
    memory_bytes: int
    returns: PortType = PortType.ANY


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """Give back elements (see StopMode). A worker answers each with Stopped; the launcher just does it."""

    lease: int
    bounds: tuple[int, ...]
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
    bounds: tuple[int, ...]
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
    bounds: tuple[int, ...]


ToChild: TypeAlias = Keep | Forget | CommandLease | FunctionLease | ScriptLease | Stop | Hold
FromChild: TypeAlias = Ready | Done | Failed | Returned | Progress | Stopped

ENCODER: Final = msgspec.msgpack.Encoder()
TO_CHILD: Final = msgspec.msgpack.Decoder(list[ToChild])
FROM_CHILD: Final = msgspec.msgpack.Decoder(list[FromChild])
