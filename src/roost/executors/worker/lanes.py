"""The queues of the launcher: on each lane leases wait for their turn, and one element runs."""

from collections import deque

from roost.executors.template import Template
from roost.executors.worker.arrivals import Unstarted
from roost.executors.worker.element import Element
from roost.executors.worker.inputs import Shared, arrivals_of, unstarted_elements
from roost.executors.worker.messages import CommandLease
from roost.model.errors import InvalidInput
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet


class QueuedLease:
    """A lease on its lane, with what is the same for all its elements."""

    def __init__(self, message: CommandLease, shared: Shared, variables: dict[bytes, bytes]) -> None:
        self.lease = message.lease
        self.lane = message.lane
        self.task = TaskId(message.task)
        self.command = message.command
        self.time_limit_s = message.time_limit_s
        self.first_attempt = not message.again
        self.todo: deque[Unstarted] = unstarted_elements(message)
        self.held = False
        self.ports = arrivals_of(message, shared)
        self.is_mapped = message.is_mapped
        #: What ports give that are the same for all elements, as texts.
        self.texts: dict[str, list[str]] = {}
        self.variables = variables
        self.template = _template(message)


def _template(message: CommandLease) -> Template | InvalidInput:
    """A command that names what is not there was refused before; if not, each element says so."""
    kinds = {each.port: each.kind for each in message.each}
    kinds |= {shared.port: shared.kind for shared in message.shared}
    try:
        return Template(message.command, message.has_items, kinds)
    except InvalidInput as error:
        return error


class Lane:
    """Leases in the order of their arrival; of the first, one element may be running."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.leases: deque[QueuedLease] = deque()
        self.running: Element | None = None
        self.running_lease = -1

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


def give_back(todo: deque[Unstarted], ranges: RangeSet) -> RangeSet:
    """Remove elements from what has not begun, and return those that were there."""
    returned = RangeSet.of(entry[0] for entry in todo if entry[0] in ranges)
    kept = [entry for entry in todo if entry[0] not in returned]
    todo.clear()
    todo.extend(kept)
    return returned
