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

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import Order
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet

Report = Callable[[ElementsDone | ElementFailed | ElementsReturned | Progressed], None]


class Executor(Protocol):
    """All methods return at once and are called in the node's event loop; answers go to the report function."""

    def start(self, order: Order) -> None: ...

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None: ...

    def pause(self, lease: LeaseId) -> None: ...

    def resume(self, lease: LeaseId) -> None: ...

    async def close(self) -> None:
        """End all processes; nothing is reported any more."""
