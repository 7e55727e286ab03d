"""The executor port: what a node asks of whatever runs elements, and what it can rely on.

Promises of an executor:

- Every element of every lease is answered exactly once, by ElementsDone, ElementFailed or ElementsReturned, whatever
  happens to the processes behind it.
- Leases of one lane run one after the other, in the order of ``start``; their elements in the order of their indices.
- An element that raises, exits, hangs or crashes costs itself only: its neighbours are done or returned, never failed.
- What was stopped with ``KILL`` is dead, with all its children, before ElementsReturned is reported.
- A lease that is ``behind`` another takes its result and runs only if that was done; else it is returned.
- When the node process dies, in whatever way, everything it runs dies too.
"""

from collections.abc import Callable
from typing import Protocol

import msgspec

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.model.ids import BlobHash, LeaseId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment
from roost.model.task import EdgeKind, PortType, TaskSpec
from roost.model.token import Token

Report = Callable[[ElementsDone | ElementFailed | ElementsReturned | Progressed], None]


class EachInput(msgspec.Struct, frozen=True):
    """For every element of the lease the result of the source's element of the same index (EACH), or those of all
    elements that lie below it, packed (GATHER)."""

    port: str
    segments: tuple[Segment, ...]
    kind: EdgeKind = EdgeKind.EACH
    pick: str = ""
    type: PortType = PortType.ANY


class SharedInput(msgspec.Struct, frozen=True):
    """The same for many elements: all results of a source (ALL), or its only one (BROADCAST).

    In a pool also the result of the element outside in whose block they lie (EACH), or its items (SPREAD).
    """

    port: str
    kind: EdgeKind
    #: Equal keys mean equal values: a worker that has it is not sent it again.
    key: str
    values: tuple[bytes, ...]
    pick: str = ""
    type: PortType = PortType.ANY
    #: How many pools further out the values come from, and of which elements there, in order.
    levels: int = 0
    parents: RangeSet = EMPTY


class Order(msgspec.Struct, frozen=True):
    """A lease with everything that is needed to run it."""

    lease: LeaseId
    lane: int
    spec: TaskSpec
    ranges: RangeSet
    token: Token
    #: Whether an element of it was tried before, and may have left output behind.
    again: bool = False
    #: The elements' own inputs, if the task has items: segments that cover ``ranges`` exactly, in order.
    items: tuple[Segment, ...] = ()
    each: tuple[EachInput, ...] = ()
    shared: tuple[SharedInput, ...] = ()
    #: The blobs that the work names (a function's code, its initializer).
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()
    #: An earlier lease of the lane, of one element, whose result the shared inputs stand for; 0 if there is none.
    behind: LeaseId = LeaseId(0)


class Executor(Protocol):
    """All methods return at once and are called in the node's event loop; answers go to the report function."""

    def start(self, order: Order) -> None: ...

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None: ...

    def pause(self, lease: LeaseId) -> None: ...

    def resume(self, lease: LeaseId) -> None: ...

    async def close(self) -> None:
        """End all processes; nothing is reported any more."""
