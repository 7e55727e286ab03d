"""Everything that can happen to a node. Facts in the past tense; the driver makes them, the core reacts.

The bytes inside (segments, blobs) pass through the core unread: it decides on ranges, never on data.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.core.holdings import Holdings
from roost.core.restored import Archived
from roost.model.clock import Stamp
from roost.model.happenings import ResultLost, ReusedFrom, SentBackBy
from roost.model.ids import BlobHash, CauseId, LeaseId, NodeId, RunId, TaskId
from roost.model.online import OnlineLog
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import TaskRecord
from roost.model.resources import Capacity
from roost.model.segments import Segment
from roost.model.task import Failure, RunSpec, TaskSpec
from roost.model.vitals import Vitals
from roost.wire.messages import Message


class Started(msgspec.Struct, frozen=True):
    """The driver is ready to perform actions. The first event of every life."""


class Submitted(msgspec.Struct, frozen=True):
    """A person hands in tasks: a new run, or more tasks for a session that is open."""

    cause: CauseId
    run: RunSpec
    tasks: tuple[TaskSpec, ...]
    items: tuple[tuple[TaskId, Segment], ...] = ()
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()
    #: Results that are known already, those of value nodes; each with the length of its list, if a pool maps it.
    given: tuple[tuple[TaskId, Segment, int], ...] = ()
    #: Whether more tasks will follow.
    open: bool = False
    #: On how many nodes' disks it is to be before it is answered; 0 is two, and nobody asks whether there are so many.
    safe: int = 0
    #: Whether results are to count only when most of the nodes that are known now hold them.
    quorum: bool = False


class Sealed(msgspec.Struct, frozen=True):
    """No more tasks will be added to this run."""

    cause: CauseId
    run: RunId


class CancelAsked(msgspec.Struct, frozen=True):
    """A person cancels elements of tasks; what is done stays done."""

    cause: CauseId
    tasks: tuple[tuple[TaskId, RangeSet], ...]
    #: Whether what is leased goes on: it runs, or is about to.
    unleased: bool = False


class RetryAsked(msgspec.Struct, frozen=True):
    """A person wants failed and cancelled elements tried again, with all their retries anew."""

    cause: CauseId
    tasks: tuple[tuple[TaskId, RangeSet], ...]


class ReopenAsked(msgspec.Struct, frozen=True):
    """A person sends finished work back: these elements, and all that was made of them, are to be done again."""

    cause: CauseId
    tasks: tuple[tuple[TaskId, RangeSet], ...]
    why: SentBackBy | ResultLost = SentBackBy()


class ForgetAsked(msgspec.Struct, frozen=True):
    """A person wants nothing of these runs kept any more, or the settings of his node say so."""

    cause: CauseId
    runs: tuple[RunId, ...]


class Answered(msgspec.Struct, frozen=True):
    """A person did an element of a manual task, or changes an answer that was given."""

    cause: CauseId
    task: TaskId
    index: int
    #: The answer, one value.
    result: Segment
    who: str


class SuspendAsked(msgspec.Struct, frozen=True):
    """A person suspends a run (``on``) or lets it go on."""

    cause: CauseId
    run: RunId
    on: bool


class Heard(msgspec.Struct, frozen=True):
    """Another node said something. It may have been said before, or long ago."""

    sender: NodeId
    sent: Stamp
    message: Message
    #: What the sender's own clock showed; 0 if that is not known.
    wall_ms: int = 0


class DamageFound(msgspec.Struct, frozen=True):
    """What was on this disk is not there any more as it was written."""

    #: In words, such as "the result of element 3".
    what: str
    run: RunId | None = None
    #: Whose data it was, and the elements as far as they are known; no task: the records of the run.
    task: TaskId | None = None
    ranges: RangeSet = EMPTY
    #: What is left of the task's data.
    holdings: Holdings | None = None
    blob: BlobHash | None = None


class Recalled(msgspec.Struct, frozen=True):
    """Records that had left memory are needed again; the driver read them back from the journal."""

    runs: tuple[Archived, ...]
    tasks: tuple[TaskRecord, ...]
    holdings: tuple[Holdings, ...] = ()
    #: The message for which they were looked up.
    about: Heard | None = None
    #: The runs that it, or a request, is about; those that are in memory already stay there for it.
    named: tuple[RunId, ...] = ()


class Persisted(msgspec.Struct, frozen=True):
    """The facts of this ticket are on disk; so are those of all earlier tickets."""

    ticket: int


class PersistFailed(msgspec.Struct, frozen=True):
    """The facts of this ticket could not be written, and none of them was."""

    ticket: int
    reason: str


class ElementsDone(msgspec.Struct, frozen=True):
    """An executor finished these elements of a lease well."""

    lease: LeaseId
    segments: tuple[Segment, ...]
    #: Time spent on them, for the next lease's size.
    busy_s: float
    #: If a pool maps them: the index of each, and the length of its list.
    lengths: tuple[tuple[int, int], ...] = ()
    #: By which keys they can be found again, for some of them (executors/reuse/entries.py).
    keys: tuple[Segment, ...] = ()
    #: If they were not made but taken over: from where.
    reused_from: ReusedFrom | None = None
    #: By what results are compared that have to agree, such as rounded values; without it by all their bytes.
    compared: tuple[Segment, ...] = ()


class ElementFailed(msgspec.Struct, frozen=True):
    """An executor's attempt at this element failed."""

    lease: LeaseId
    index: int
    failure: Failure


class ElementsReturned(msgspec.Struct, frozen=True):
    """An executor gives back elements that it has not finished: it was told to, or its process died under them."""

    lease: LeaseId
    ranges: RangeSet
    #: If this machine could not keep what they left, because its disk is full: that, in words.
    no_room: str = ""


class Progressed(msgspec.Struct, frozen=True):
    """A running element reports how far it is, between 0 and 1."""

    lease: LeaseId
    index: int
    fraction: float
    note: str = ""


class WaitBegan(msgspec.Struct, frozen=True):
    """The running element of a lease waits for other work from now on, and does nothing else (queue/lending.py)."""

    lease: LeaseId
    #: None if whoever waits does not know it: a program that the element has started.
    index: int | None


class WaitEnded(msgspec.Struct, frozen=True):
    """It goes on. Each WaitBegan has one; several parts of an element may wait at the same time."""

    lease: LeaseId
    index: int | None


class GiveWay(StrEnum):
    """What becomes of work that runs beyond what is offered (core/queue/yielding.py)."""

    #: The elements at hand end here.
    FINISH = "finish"
    #: They stop where they are, and go on when there is room.
    FREEZE = "freeze"
    #: They are ended, and run elsewhere from their beginning.
    GIVE_BACK = "give back"


class CapacityChanged(msgspec.Struct, frozen=True):
    """The node offers more or less than before: its owner has come or gone."""

    capacity: Capacity
    how: GiveWay = GiveWay.FINISH


class VitalsChanged(msgspec.Struct, frozen=True):
    """The machine's battery, the work of others on it or its link is not as it was, by more than a little."""

    vitals: Vitals


class DrainAsked(msgspec.Struct, frozen=True):
    """A person wants this node to take no new work (``on``), or to work again."""

    on: bool
    #: Whether what runs is given back at once instead of being ended here.
    at_once: bool = False


class Awoke(msgspec.Struct, frozen=True):
    """This machine slept, or its process stood still, and is back; ``past`` is when it was on line before."""

    past: OnlineLog


class Moved(msgspec.Struct, frozen=True):
    """This machine's address has changed; others reach the node there from now on."""

    address: str


class Leaving(msgspec.Struct, frozen=True):
    """The node stops in order: others need not find out by its silence."""


class DeadlineReached(msgspec.Struct, frozen=True):
    """The time that next_deadline() gave has come."""


Event: TypeAlias = (
    Started
    | Submitted
    | Sealed
    | CancelAsked
    | RetryAsked
    | ReopenAsked
    | ForgetAsked
    | Answered
    | SuspendAsked
    | Recalled
    | DamageFound
    | Persisted
    | PersistFailed
    | ElementsDone
    | ElementFailed
    | ElementsReturned
    | Progressed
    | WaitBegan
    | WaitEnded
    | CapacityChanged
    | VitalsChanged
    | DrainAsked
    | Awoke
    | Moved
    | Heard
    | Leaving
    | DeadlineReached
)
