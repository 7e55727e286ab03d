"""The results of an element that a simulated disk holds."""

from roost.model.ids import TaskId
from roost.model.token import Token
from roost.sim.journal import Records


def stored_results(records: Records, task: TaskId, index: int) -> list[tuple[Token, bytes]]:
    """Return them, each with its token and each once."""
    found = {
        (token, segment.values()[index - segment.start]): None
        for (owner, token, _), segments in records.made.items()
        if owner == task
        for segment in segments
        if index in segment.ranges
    }
    return list(found)
