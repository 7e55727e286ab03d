"""What nodes say to each other to decide results by a quorum (quorum/quorum.py): questions and answers under a ballot.

Each speaks of elements of one task and edition. An answer names the ballot that it is about, so that one that comes
late, twice or to a later life says nothing wrong.
"""

import msgspec

from roost.model.ballots import Ballot
from roost.model.elements import Elements
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.token import Token


class Prepare(msgspec.Struct, frozen=True, tag="prepare"):
    """Please promise to heed no smaller ballot for these elements, and say what you hold of them."""

    task: TaskId
    edition: int
    ballot: Ballot
    ranges: RangeSet


class Promised(msgspec.Struct, frozen=True, tag="promised"):
    """It is promised for these elements, on the sender's disk; the sender holds these results, under these ballots."""

    task: TaskId
    edition: int
    ballot: Ballot
    ranges: RangeSet
    held: tuple[tuple[Ballot, Elements], ...] = ()


class Hold(msgspec.Struct, frozen=True, tag="hold"):
    """Please hold these results under the ballot."""

    task: TaskId
    edition: int
    ballot: Ballot
    values: Elements
    #: Results of them, each with the token under which, and the node that, made it.
    results: tuple[tuple[Token, NodeId, Segment], ...] = ()
    #: Who has the results that are not among them.
    source: NodeId = NodeId("")


class Held(msgspec.Struct, frozen=True, tag="held"):
    """The results of these elements that came under the ballot are on the sender's disk, and so is its vote."""

    task: TaskId
    edition: int
    ballot: Ballot
    ranges: RangeSet


class Outvoted(msgspec.Struct, frozen=True, tag="outvoted"):
    """For some of the elements a larger ballot was promised, this one at the largest."""

    ballot: Ballot
    largest: Ballot
