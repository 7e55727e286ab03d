"""The queues of the launcher: on each lane leases wait for their turn, and one element runs."""

from collections import deque

from roost.executors.order import Order
from roost.executors.template import Template
from roost.executors.worker.arrivals import Unstarted
from roost.executors.worker.element import Element
from roost.executors.worker.lease import GivenLease, Kept
from roost.model.errors import InvalidInput
from roost.model.task import Command


class QueuedLease(GivenLease):
    """A lease on its lane, with what is the same for all its elements."""

    def __init__(self, order: Order, kept: Kept, variables: dict[bytes, bytes]) -> None:
        super().__init__(order, kept)
        assert isinstance(order.spec.work, Command), "the launcher runs commands only"
        self.command = order.spec.work
        #: What ports give that are the same for all elements, as texts.
        self.texts: dict[str, list[str]] = {}
        self.variables = variables
        self.template = _template(order, self.command)


def _template(order: Order, command: Command) -> Template | InvalidInput:
    """A command that names what is not there was refused before; if not, each element says so."""
    kinds = {each.port: each.kind for each in order.each} | {shared.port: shared.kind for shared in order.shared}
    try:
        return Template(command, order.spec.has_items, kinds)
    except InvalidInput as error:
        return error


class Lane:
    """Leases in the order of their arrival; of the first, one element may be running."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.leases: deque[QueuedLease] = deque()
        self.running: Element | None = None

    def next(self) -> tuple[QueuedLease, Unstarted] | None:
        """Take the element that is to start now, if nothing runs and nothing holds the lane."""
        if self.running is not None:
            return None
        while self.leases:
            lease = self.leases[0]
            if lease.todo:
                return None if lease.held else (lease, lease.todo.popleft())
            self.leases.popleft()
        return None
