"""A lease in a process that works for the node, and what such a process was sent for many leases."""

from collections import deque
from itertools import repeat

import msgspec

from roost.executors.order import Order, SharedInput
from roost.executors.worker.arrivals import Arrivals, Unstarted
from roost.executors.worker.messages import Keep
from roost.model.ranges import RangeSet
from roost.model.segments import Segment


class Kept:
    """What was sent once for many leases, by its key."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[bytes, ...]] = {}

    def keep(self, message: Keep) -> None:
        self._values[message.key] = self._values.get(message.key, ()) + message.values

    def forget(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            self._values.pop(key, None)

    def filled(self, shared: SharedInput) -> SharedInput:
        return msgspec.structs.replace(shared, values=self._values[shared.key])

    def blob(self, key: str) -> bytes:
        return self._values[key][0]


class GivenLease:
    """A lease, and what of it has not begun. What it names is looked up when it arrives: forgetting does no harm."""

    def __init__(self, order: Order, kept: Kept) -> None:
        self.lease = order.lease
        self.task = order.spec.id
        self.spec = order.spec
        self.token = order.token
        self.is_mapped = order.spec.is_mapped
        self.first_attempt = not order.again
        # What stands for the result of a lease before it has no values yet.
        self.ports = Arrivals(order.each, order.shared if order.behind else tuple(map(kept.filled, order.shared)))
        self.todo = unstarted_elements(order)
        self.held = False

    def take_back(self, ranges: RangeSet) -> RangeSet:
        """Take out elements that have not begun, while another thread may take some, one by one from the left."""
        taken: list[Unstarted] = []
        try:
            while True:
                taken.append(self.todo.pop())
        except IndexError:
            pass
        self.todo.extend(element for element in reversed(taken) if element[0] not in ranges)
        return RangeSet.of(element[0] for element in taken if element[0] in ranges)


def unstarted_elements(order: Order) -> deque[Unstarted]:
    """Unpack an order into its elements, in the order of their indices."""
    items = _unpacked(order.items) if order.items else repeat(None)
    columns = [_unpacked(each.segments) for each in order.each]
    each = zip(*columns, strict=True) if columns else repeat(())
    return deque(zip(order.ranges, items, each, strict=False))


def _unpacked(segments: tuple[Segment, ...]) -> list[bytes]:
    return [value for segment in segments for value in segment.values()]
