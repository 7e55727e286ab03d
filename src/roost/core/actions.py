"""Everything a node can do to the world. Imperatives; the core asks, the driver performs them in order.

The order is a promise: a Reply or Notify, or a Send that promises, leaves only when every Persist before it is on disk.
Every Start is answered, element by element, by ElementsDone, ElementFailed or ElementsReturned, come what may.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.core.events import Heard
from roost.core.facts import Fact
from roost.model.ids import CauseId, LeaseId, NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import TaskSpec
from roost.model.token import NO_TOKEN, Token
from roost.wire.messages import Fetch, Message


class Persist(msgspec.Struct, frozen=True):
    """Write these facts, all or none, then say Persisted or PersistFailed with the ticket."""

    ticket: int
    facts: tuple[Fact, ...]
    #: Whether somebody waits for it. If not, it may go to disk a little later, together with what follows.
    urgent: bool = True
    #: Whether Persisted comes only when they are flushed, and not already when they are written.
    flushed: bool = False


class Start(msgspec.Struct, frozen=True):
    """Run the elements of a lease, one after the other. Leases of one lane run in the order they were started."""

    lease: LeaseId
    lane: int
    spec: TaskSpec
    ranges: RangeSet
    token: Token
    #: Whether an element of it was tried before, and may have left output behind.
    again: bool = False
    #: If it was leased ahead: the lease before it in its lane, whose result it takes. Without that it is given back.
    behind: LeaseId = LeaseId(0)


class StopMode(StrEnum):
    #: Give back those that have not begun; one that runs goes on.
    UNSTARTED = "unstarted"
    #: End the process if the running element is among them, and give back all of them.
    KILL = "kill"


class Stop(msgspec.Struct, frozen=True):
    """Stop elements of a lease; those that were stopped come back as ElementsReturned."""

    lease: LeaseId
    ranges: RangeSet
    mode: StopMode


class Pause(msgspec.Struct, frozen=True):
    """Freeze the running element of a lease where it is."""

    lease: LeaseId


class Continue(msgspec.Struct, frozen=True):
    lease: LeaseId


class Accepted(msgspec.Struct, frozen=True, tag=True):
    """What was asked is on disk."""

    warnings: tuple[str, ...] = ()
    #: How many elements it touched, where that is a question.
    elements: int = 0


class Refused(msgspec.Struct, frozen=True, tag=True):
    """Nothing was changed; ``message`` is one sentence for the person. ``temporary``: trying later may help."""

    message: str
    temporary: bool = False


class Reply(msgspec.Struct, frozen=True):
    """Answer a request."""

    cause: CauseId
    outcome: Accepted | Refused


class TaskChanged(msgspec.Struct, frozen=True, gc=False, tag="task"):
    """Elements of a task are now ``state``: added, ready (again), done, failed or cancelled.

    Those that are aborted follow from these, and are told by nobody.
    """

    task: TaskId
    state: str
    ranges: RangeSet
    token: Token = NO_TOKEN
    #: How often a person has sent it back before.
    edition: int = 0


class RunChanged(msgspec.Struct, frozen=True, gc=False, tag="run"):
    """A run is now ``state``: added, suspended, resumed, sealed, forgotten; or it ended: done, failed, cancelled."""

    run: RunId
    state: str


class ProgressChanged(msgspec.Struct, frozen=True, gc=False, tag="progress"):
    task: TaskId
    index: int
    fraction: float
    note: str = ""


Change: TypeAlias = TaskChanged | RunChanged | ProgressChanged


class Notify(msgspec.Struct, frozen=True, gc=False):
    """Tell whoever listens."""

    change: Change
    #: Whether it speaks of what must be on disk first. Progress does not, and would come out of order if it waited.
    promises: bool = True


class Send(msgspec.Struct, frozen=True):
    """Say something to another node, or to all."""

    to: NodeId | None
    message: Message
    #: Whether it speaks of what must be on disk first, as a Reply does. Bids and heartbeats promise nothing.
    promises: bool = True


class Deliver(msgspec.Struct, frozen=True):
    """Send another node what this disk holds of what it asks for, as a Delivery."""

    to: NodeId
    fetch: Fetch


class LookUp(msgspec.Struct, frozen=True):
    """Look for these runs and tasks on disk, and say Recalled with what is there and with ``about``."""

    runs: tuple[RunId, ...]
    tasks: tuple[TaskId, ...]
    about: Heard | None
    #: Whether the runs are wanted with all their tasks.
    whole: bool = False


class Archive(msgspec.Struct, frozen=True):
    """These tasks have ended and left the core's memory; the journal has all of them."""

    tasks: tuple[TaskId, ...]


Action: TypeAlias = Persist | Start | Stop | Pause | Continue | Reply | Notify | Send | Deliver | LookUp | Archive
