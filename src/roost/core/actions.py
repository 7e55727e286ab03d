"""Everything a node can do to the world. Imperatives; the core asks, the driver performs them in order.

The order is a promise: a Reply or Notify that follows a Persist leaves only when that Persist is on disk.
Every Start is answered, element by element, by ElementsDone, ElementFailed or ElementsReturned, come what may.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.core.facts import Fact
from roost.model.ids import CauseId, LeaseId, RunId, TaskId, Token
from roost.model.ranges import RangeSet
from roost.model.task import TaskSpec


class Persist(msgspec.Struct, frozen=True):
    """Write these facts, all or none, then say Persisted or PersistFailed with the ticket."""

    ticket: int
    facts: tuple[Fact, ...]
    #: Whether somebody waits for it. If not, it may go to disk a little later, together with what follows.
    urgent: bool = True


class Start(msgspec.Struct, frozen=True):
    """Run the elements of a lease, one after the other. Leases of one lane run in the order they were started."""

    lease: LeaseId
    lane: int
    spec: TaskSpec
    ranges: RangeSet
    token: Token
    #: Whether an element of it was tried before, and may have left output behind.
    again: bool = False


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


class TaskChanged(msgspec.Struct, frozen=True, tag="task"):
    """Elements of a task are now ``state``: added, ready (again), done, failed or cancelled.

    Those that are aborted follow from these, and are told by nobody.
    """

    task: TaskId
    state: str
    ranges: RangeSet
    token: Token = Token(0)


class RunChanged(msgspec.Struct, frozen=True, tag="run"):
    """A run is now ``state``: added, suspended, resumed, sealed; or it has ended: done, failed, cancelled."""

    run: RunId
    state: str


class ProgressChanged(msgspec.Struct, frozen=True, tag="progress"):
    task: TaskId
    index: int
    fraction: float
    note: str = ""


Change: TypeAlias = TaskChanged | RunChanged | ProgressChanged


class Notify(msgspec.Struct, frozen=True):
    """Tell whoever listens."""

    change: Change


class Archive(msgspec.Struct, frozen=True):
    """These tasks have ended and left the core's memory; the journal has all of them."""

    tasks: tuple[TaskId, ...]


Action: TypeAlias = Persist | Start | Stop | Pause | Continue | Reply | Notify | Archive
