"""The data of a task that a disk holds, as a node that starts is told."""

import msgspec

from roost.model.ballots import Vote
from roost.model.ids import NodeId, TaskId, Token
from roost.model.ranges import EMPTY, RangeSet


class Holdings(msgspec.Struct, frozen=True):
    """The data of one task that a disk holds."""

    task: TaskId
    items: RangeSet = EMPTY
    results: tuple[tuple[Token, NodeId, RangeSet], ...] = ()
    #: What this node has said as a voter of the task.
    votes: tuple[Vote, ...] = ()
    #: Whether some of that cannot be read any more.
    votes_lost: bool = False
