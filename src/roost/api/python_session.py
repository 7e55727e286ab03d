"""The messages between a Python client and its node, over one WebSocket (``/v1/session``).

A frame holds one message, or several of the node's together.

The client speaks first (Hello) and is answered with Welcome. After that every request carries a key that the client
chose, and is answered by exactly one message with that key; outcomes of watched tasks arrive in between, unasked.
Every request may be sent again after a broken connection without being done twice: the client names its tasks itself,
in a run whose id it asked for before (NameRun), so that a node recognises what it has accepted already.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.model.ids import BlobHash, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.task import USUAL_NEEDS, Edge, Failure, Needs, Priority, Reuse, RunKind, Work
from roost.wire.codec import decode, encode

#: Grows whenever a message changes its meaning; the two ends must agree.
SESSION_VERSION = 7


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The client says who it is. ``resumed``: it was connected before and may repeat what was accepted."""

    version: int
    #: Chosen at random, the same over all connections of a session.
    client: str
    owner: str
    host: str
    resumed: bool = False


class NameRun(msgspec.Struct, frozen=True, tag="name"):
    """Ask for the id of a run that will be submitted; nothing is kept of it until then."""

    key: int


class NewTask(msgspec.Struct, frozen=True):
    """A task to be added. The sources of its edges are full ids."""

    id: TaskId
    work: Work
    elements: RangeSet
    items: tuple[Segment, ...] = ()
    edges: tuple[Edge, ...] = ()
    needs: Needs = USUAL_NEEDS
    priority: Priority = Priority.LOW
    retries: int = 0
    #: In a pool, as in a TaskSpec.
    mapper: TaskId | None = None
    depth: int = 0
    is_mapped: bool = False
    #: The result of a value, as JSON: there is nothing to run.
    result: bytes | None = None
    reuse: Reuse = Reuse.OFF
    length_s: float | None = None


class Submit(msgspec.Struct, frozen=True, tag="submit"):
    """Hand in tasks of one run. A session's run stays open for more and is watched; a flow comes whole and is not."""

    key: int
    run: RunId
    name: str
    kind: RunKind
    tasks: tuple[NewTask, ...]
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()
    final: tuple[TaskId, ...] = ()
    #: Whether results are to count only when most of the nodes that are known then hold them.
    quorum: bool = False
    #: Of which workflow it is a run, as in a RunSpec.
    workflow: str = ""
    #: The task of the element that hands it in, if one does.
    within: str = ""
    #: By which policy nodes choose its tasks; that of the node if it is empty.
    policy: str = ""


class Watch(msgspec.Struct, frozen=True, tag="watch"):
    """Ask for the outcomes of elements, those that are there already included; None is all of the task's."""

    key: int
    task: TaskId
    ranges: RangeSet | None = None


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """Cancel elements of a task, or with ``ranges`` None all of a task or run."""

    key: int
    target: str
    ranges: RangeSet | None = None
    #: Whether what runs, or is about to, goes on.
    unleased: bool = False


class Look(msgspec.Struct, frozen=True, tag="look"):
    """Ask how a run is; with ``ended`` the answer comes when it has ended."""

    key: int
    run: RunId
    ended: bool = False


class LookAt(msgspec.Struct, frozen=True, tag="look_at"):
    """Ask in which state an element is."""

    key: int
    task: TaskId
    index: int


class Seal(msgspec.Struct, frozen=True, tag="seal"):
    """No more tasks will be added to this run."""

    key: int
    run: RunId


Request: TypeAlias = NameRun | Submit | Watch | Cancel | Look | LookAt | Seal
FromClient: TypeAlias = Hello | Request


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The node takes the session. ``python``: the minor version of its function workers."""

    version: int
    node: str
    python: str


class Named(msgspec.Struct, frozen=True, tag="named"):
    key: int
    run: RunId


class Taken(msgspec.Struct, frozen=True, tag="taken"):
    """What was asked is on disk."""

    key: int
    elements: int = 0
    warnings: tuple[str, ...] = ()


class Watched(msgspec.Struct, frozen=True, tag="watched"):
    """Outcomes of these elements follow. ``command``: the results are CommandResults, else pickles or JSON."""

    key: int
    ranges: RangeSet
    command: bool = False


class Seen(msgspec.Struct, frozen=True, tag="seen"):
    """How a run or an element is; see core/telling/views.py for the words."""

    key: int
    state: str
    counts: dict[str, int]
    #: How many of the done elements have results of earlier runs.
    taken_over: int = 0


class Blame(StrEnum):
    """Why a request was refused, as far as the client acts on it."""

    INVALID = "invalid"
    NOT_FOUND = "not_found"
    UNAVAILABLE = "unavailable"
    #: The run takes no more tasks: the client goes on in a new one.
    SEALED = "sealed"


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """Nothing was changed. The key is -1 if it is the session itself that is refused."""

    key: int
    blame: Blame
    message: str


class Results(msgspec.Struct, frozen=True, tag="results"):
    task: TaskId
    segments: tuple[Segment, ...]


class Failures(msgspec.Struct, frozen=True, tag="failures"):
    """Elements that failed for good."""

    task: TaskId
    failures: tuple[tuple[int, Failure], ...]


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """Elements that end without a result: ``state`` is cancelled or aborted."""

    task: TaskId
    state: str
    ranges: RangeSet


class Together(msgspec.Struct, frozen=True, tag="together"):
    """Several messages of the node, encoded, in their order; none of them is one of these."""

    messages: tuple[bytes, ...]


Answer: TypeAlias = Named | Taken | Watched | Seen | Refused
Outcome: TypeAlias = Results | Failures | Ended
FromNode: TypeAlias = Welcome | Answer | Outcome | Together


def together(messages: Sequence[bytes]) -> bytes:
    """Put encoded messages of a node into one."""
    return messages[0] if len(messages) == 1 else encode(Together(tuple(messages)))


def encode_message(message: FromClient | FromNode) -> bytes:
    return encode(message)


def decode_from_client(data: bytes) -> FromClient:
    """Raise PeerError if these bytes are no message of a client."""
    message: FromClient = decode(data, FromClient)  # type: ignore[arg-type]  # mypy has no type for "a union as a value"
    return message


def decode_from_node(data: bytes) -> FromNode:
    """Raise PeerError if these bytes are no message of a node."""
    message: FromNode = decode(data, FromNode)  # type: ignore[arg-type]  # mypy has no type for "a union as a value"
    return message
