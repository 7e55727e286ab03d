"""Which data of tasks a disk holds, as a node that starts is told, and which data a message brought."""

import msgspec

from roost.model.ballots import Vote
from roost.model.ids import BlobHash, NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.token import Token


class Holdings(msgspec.Struct, frozen=True):
    """The data of one task that a disk holds."""

    task: TaskId
    items: RangeSet = EMPTY
    results: tuple[tuple[Token, NodeId, RangeSet], ...] = ()
    #: What this node has said as a voter of the task.
    votes: tuple[Vote, ...] = ()
    #: Whether some of that cannot be read any more.
    votes_lost: bool = False


class Brought(msgspec.Struct, frozen=True):
    """What one message of another node brought that was not here before."""

    items: tuple[tuple[TaskId, RangeSet], ...] = ()
    results: tuple[tuple[TaskId, Token, NodeId, RangeSet], ...] = ()
    blobs: tuple[BlobHash, ...] = ()
