"""Ballots and votes: what the voters of a task with a quorum keep (core/quorum/voting.py).

Ballots are totally ordered, and no two attempts to decide share one: a node never uses a number twice in one life, and
its lives are counted.
"""

from typing import Annotated

import msgspec

from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.limits import BALLOT_NUMBER_MAX
from roost.model.ranges import RangeSet


class Ballot(msgspec.Struct, frozen=True, order=True, array_like=True):
    """One attempt of a node to have results decided."""

    number: Annotated[int, msgspec.Meta(ge=0, le=BALLOT_NUMBER_MAX)]
    node: NodeId
    #: Which life of the node it is.
    boot: int


class Vote(msgspec.Struct, frozen=True, array_like=True):
    """A voter's word on elements of one edition. What was said before holds on where this says nothing larger."""

    edition: int
    ballot: Ballot
    #: Of these the voter heeds no smaller ballot any more.
    promised: RangeSet
    #: The results that it holds under this ballot, each as the state that it would have.
    held: Elements = Elements()
