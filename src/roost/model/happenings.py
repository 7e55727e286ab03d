"""What can happen to a task, as types that carry just their data. A line of its story tells one of them.

Rules
- Whoever wants to know who answered or which node was lost looks at the type. English is made of it at the edge, for
  people, and never read back (core/telling/story_words.py).
- What people did, nodes that were lost and results that were dropped are few and matter for long. Lines of each such
  kind lie in a drawer of their own, with a bound of its own: nothing else crowds them out.
- Texts inside are words of people, of executors or of the disk: nothing follows from them.
"""

from enum import StrEnum
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.token import Token

#: The tags. Scripts see them (``roost explain --json``): they stay.
Kind: TypeAlias = Literal[
    "submitted",
    "leased",
    "lease kept",
    "repeated",
    "found",
    "differ",
    "done",
    "taken over",
    "counts",
    "failed",
    "attempt failed",
    "given back",
    "node lost",
    "node restarted",
    "result dropped",
    "made of a dropped result",
    "damaged",
    "result lost",
    "cancelled",
    "tried again",
    "answered",
    "amended",
    "sent back",
    "left behind",
]


class SubmittedBy(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="submitted"):
    owner: str
    host: str


# What nodes do.


class LeasedBy(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="leased"):
    node: NodeId
    lane: int
    token: Token


class LeaseKept(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="lease kept"):
    """Others had taken it for lost; the node works on it still, and goes on."""

    node: NodeId


class RepeatedBy(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="repeated"):
    """A further attempt was begun beside that of the node that has leased it."""

    node: NodeId
    lane: int
    token: Token
    #: As the policy says it.
    why: str


class FoundOn(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="found"):
    """A node has made a result that counts when others find the same."""

    node: NodeId
    agreeing: int


class ResultsDiffer(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="differ"):
    """As many nodes as may have run it, and too few of them found the same; each with the beginning of its key."""

    found: tuple[tuple[NodeId, str], ...]
    agreeing: int


class DoneOn(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="done"):
    node: NodeId


class ReusedFrom(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The elements of an earlier task whose results were taken over."""

    task: TaskId
    elements: RangeSet
    #: Who gave them; None if they were here.
    giver: NodeId | None = None


class TakenOver(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="taken over"):
    node: NodeId
    source: ReusedFrom


class CountsByVote(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="counts"):
    """Most of this many voters hold the result."""

    voters: int


class FailedOn(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="failed"):
    node: NodeId
    #: As the executor says it.
    reason: str


class AttemptFailedOn(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="attempt failed"):
    """A further attempt failed, which changes nothing else."""

    node: NodeId
    #: As the executor says it.
    reason: str


class GivenBackBy(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="given back"):
    node: NodeId
    #: If its disk was full: that, in the executor's words.
    no_room: str = ""


# What befalls nodes and disks.


class HowLost(StrEnum):
    """Why a node counts as one that no longer holds what it had leased."""

    SILENT = "silent"
    RESTARTED = "restarted"
    #: It lives, and does not name the lease.
    WITHOUT_IT = "without it"
    NOT_THERE = "not there"


class NodeLost(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="node lost"):
    """Others found out that a node does not hold it any more."""

    node: NodeId
    how: HowLost
    #: All nodes so far that went down when it had just begun there, this one among them.
    downed: tuple[NodeId, ...] = ()


class NodeRestarted(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="node restarted"):
    """The node itself found, when it began to live again, that it had held it."""

    node: NodeId


class ResultDropped(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="result dropped"):
    """Two results were accepted while nodes did not hear each other: the first of these two gave way to the second."""

    maker: NodeId
    token: Token
    kept_maker: NodeId
    kept_token: Token


class MadeOfDropped(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="made of a dropped result"):
    """A result that stays was made of one of ``source`` that was dropped since."""

    maker: NodeId
    token: Token
    source: TaskId


class DataDamaged(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="damaged"):
    node: NodeId
    #: What it was, such as "the result of element 3".
    what: str


class ResultLost(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="result lost"):
    """No node that is there has the result, so it is made again: for a task, or because a person asked."""

    needed_by: TaskId | None = None


# What people do.


class CancelledByPerson(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="cancelled"):
    pass


class TriedAgain(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="tried again"):
    pass


class AnsweredBy(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="answered"):
    who: str


class AmendedBy(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="amended"):
    """A person changed the answer to ``task``. Also told of what was made of it, which is to be done again."""

    who: str
    task: TaskId


class SentBackBy(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="sent back"):
    """A person sent it back from a later step, with the reason; all are empty where nobody said."""

    who: str = ""
    step: str = ""
    why: str = ""


class LeftBehind(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="left behind"):
    """This machine has left the cluster, which goes on with it."""


Happening: TypeAlias = (
    SubmittedBy
    | LeasedBy
    | LeaseKept
    | RepeatedBy
    | FoundOn
    | ResultsDiffer
    | DoneOn
    | TakenOver
    | CountsByVote
    | FailedOn
    | AttemptFailedOn
    | GivenBackBy
    | NodeLost
    | NodeRestarted
    | ResultDropped
    | MadeOfDropped
    | DataDamaged
    | ResultLost
    | CancelledByPerson
    | TriedAgain
    | AnsweredBy
    | AmendedBy
    | SentBackBy
    | LeftBehind
)
#: Those that a run's report tells (``roost report``); each kind has a drawer.
ReportedKind: TypeAlias = Literal[
    "answered", "amended", "sent back", "node lost", "node restarted", "result dropped", "made of a dropped result"
]
REPORTED: Final[tuple[ReportedKind, ...]] = get_args(ReportedKind)
#: Where the lines of all other kinds lie together.
COMMON_DRAWER: Final = ""
_KINDS: Final[dict[type, Kind]] = {one: one.__struct_config__.tag for one in get_args(Happening)}
_REPORTED: Final[dict[type, ReportedKind]] = {
    one: kind for one, tag in _KINDS.items() for kind in REPORTED if kind == tag
}


def kind_of(happening: Happening) -> Kind:
    return _KINDS[type(happening)]


def reported_kind(happening: Happening) -> ReportedKind | None:
    return _REPORTED.get(type(happening))


def drawer_of(happening: Happening) -> str:
    """Return where a line that tells it lies; lines crowd out only older ones of the same task and drawer."""
    return reported_kind(happening) or COMMON_DRAWER
