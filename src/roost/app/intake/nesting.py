"""Work that a running element hands in: it goes before the rest of that element's task, and not too deep."""

import msgspec

from roost.core.events import Submitted
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import TaskId
from roost.model.limits import NESTING_MAX
from roost.policy.order import turn_within
from roost.runtime.service import NodeService


def nested(event: Submitted, within: str, service: NodeService) -> Submitted:
    """Return a submission as that of an element of the task ``within``; "" is none, and so is a task of strangers.

    Raise InvalidInput if too many elements wait one behind the other already.
    """
    if not within:
        return event
    try:
        outer = service.spec(TaskId(within))
    except NotFound:
        return event
    if outer.nesting >= NESTING_MAX:
        raise InvalidInput(
            f"task '{within}' was itself handed in by an element, and so on {NESTING_MAX} times, which is the limit; "
            "does something call itself without end?"
        )
    tasks = tuple(
        msgspec.structs.replace(
            task, nesting=outer.nesting + 1, turn_ms=turn_within(task.submitted, task.priority, outer)
        )
        for task in event.tasks
    )
    return msgspec.structs.replace(event, tasks=tasks)
