"""What is written to disk, and replicated: facts that only ever add up.

A node's durable state is the merge of its facts in any order. After a restart it is read back as ``Restored``.
"""

from typing import TypeAlias

import msgspec

from roost.model.ballots import Vote
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.happenings import Happening
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord
from roost.model.segments import Segment
from roost.model.spans import Span
from roost.model.task import Failure, TaskSpec
from roost.model.token import Token
from roost.model.tombstones import Tombstone


class RunMerged(msgspec.Struct, frozen=True, gc=False):
    """A run is known, or a switch of it was turned."""

    record: RunRecord


class RunFinished(msgspec.Struct, frozen=True, gc=False):
    """Everything in a run has ended. A retry may open it again; then a later one of these replaces this."""

    run: RunId
    at: Stamp
    #: done, failed or cancelled
    state: str
    #: Elements by the state that people see, and those that were taken over (core/telling/views.py).
    counts: dict[str, int]
    task_count: int
    #: Of all its tasks (core/queue/digests.py).
    digest: bytes = b""


class RunForgotten(msgspec.Struct, frozen=True, gc=False):
    """Nothing of a run is kept but this. Whatever is written of it later came back from others (core/tombstones.py)."""

    tombstone: Tombstone


class TaskAdded(msgspec.Struct, frozen=True, gc=False):
    spec: TaskSpec


class BlobStored(msgspec.Struct, frozen=True, gc=False):
    hash: BlobHash
    content: bytes


class ItemsStored(msgspec.Struct, frozen=True, gc=False):
    """The inputs of some elements of an array."""

    task: TaskId
    segment: Segment


class StatesMerged(msgspec.Struct, frozen=True, gc=False):
    """Elements changed their state; ``delta`` holds just those that did."""

    task: TaskId
    delta: Elements


class ResultsStored(msgspec.Struct, frozen=True, gc=False):
    """Results that ``node`` made under ``token``. They count where the element's state is Done with the same two."""

    task: TaskId
    token: Token
    node: NodeId
    segment: Segment


class KeysNoted(msgspec.Struct, frozen=True):
    """By which keys results can be found again that ``node`` made under ``token``. Losing one costs work, no more."""

    task: TaskId
    token: Token
    node: NodeId
    segment: Segment


class VoteKept(msgspec.Struct, frozen=True):
    """This node, a voter of the task, has promised or holds something; the results are on disk by then."""

    task: TaskId
    vote: Vote


class FailureNoted(msgspec.Struct, frozen=True, gc=False):
    task: TaskId
    index: int
    token: Token
    failure: Failure


class NeighboursMet(msgspec.Struct, frozen=True, gc=False):
    """The other nodes that are there; the last fact of this kind counts. A node that starts again expects them."""

    nodes: tuple[NodeId, ...]


class LivesHeard(msgspec.Struct, frozen=True, gc=False):
    """A token is known that belongs to this life of some node; the next life of this one has a larger number."""

    life: int


#: Causes of what is told: a node that fell silent, and one that was restarted, with what they held.
NODE_LOST, NODE_RESTARTED = CauseId("failure"), CauseId("restart")
#: Of results in whose place another counts, and of what was made of them (overruled.py).
DROPPED, MADE_OF_DROPPED = CauseId("overruled"), CauseId("made of overruled")


class StoryTold(msgspec.Struct, frozen=True, gc=False):
    """One line of a task's story: what happened to which elements, when, and because of what.

    A line under the id of a run is about all its tasks, with all elements that they have from the beginning.
    """

    task: TaskId
    at: Stamp
    ranges: RangeSet
    what: Happening
    cause: CauseId


class Worked(msgspec.Struct, frozen=True, gc=False):
    """A lane of a node worked on elements of a task. Losing it costs a piece of the timeline, and nothing else."""

    span: Span


Fact: TypeAlias = (
    RunMerged
    | RunFinished
    | RunForgotten
    | TaskAdded
    | BlobStored
    | ItemsStored
    | StatesMerged
    | ResultsStored
    | KeysNoted
    | VoteKept
    | FailureNoted
    | StoryTold
    | Worked
    | NeighboursMet
    | LivesHeard
)
