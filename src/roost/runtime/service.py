"""What a running node offers to the HTTP API: ask for changes, look at state, read stored data, listen."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from roost.core.actions import Accepted, Change
from roost.core.facts import StoryTold
from roost.core.queue.draining import Remaining
from roost.core.requests.requests import Request
from roost.core.telling.network_views import KeyChange, NetworkReport, NodeView
from roost.core.telling.views import RunView, TaskView
from roost.core.telling.work_shared import WorkShared
from roost.model.attributes import Attributes
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, CauseId, LeaseId, NodeId, RunId, TaskId
from roost.model.online import NEVER_ONLINE, OnlineLog
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.segments import Segment
from roost.model.states import State
from roost.model.task import Failure, Needs, TaskSpec
from roost.model.vitals import SOUND, Condition
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.policy.reliability import Reliability
from roost.runtime.far.output import Piece
from roost.runtime.far.timelines import Timeline
from roost.wire.messages import OutputStream


class NodeFacts(msgspec.Struct, frozen=True):
    """Who this node is and how it does."""

    node: NodeId
    pid: int
    home: str
    capacity: Capacity
    free: Capacity
    boot: int
    uptime_s: float
    runs: int
    running: int
    #: Why nothing can be accepted now (a full disk), or None.
    trouble: str | None
    #: How many nodes of the cluster live, as far as this one knows; itself among them.
    nodes: int = 1
    #: Whether it takes no new work.
    draining: bool = False
    #: When it leaves work to others that do better.
    fairness: Fairness = NO_FAIRNESS
    #: When it was on line; the last stretch is this one.
    online: OnlineLog = NEVER_ONLINE
    #: How long it tends to stay; None if that is not looked at.
    reliability: Reliability | None = None
    #: How stable it is.
    condition: Condition = SOUND
    #: Who has done how much since it started, and for whom; None if that is not looked at.
    work: WorkShared | None = None

    @property
    def alone(self) -> bool:
        return self.nodes == 1


class NodeService(Protocol):
    """Queries answer at once from memory or disk; ``ask`` answers when the change is on disk."""

    def facts(self) -> NodeFacts: ...

    @property
    def policy(self) -> str:
        """The policy of runs that are handed in here and name none (policy/catalogue.py)."""

    def nodes(self) -> list[NodeView]:
        """Return all nodes that are known, this one first, those that are gone last."""

    async def attributes(self) -> Mapping[NodeId, Attributes]:
        """Return what this node and the others that live say of themselves, the long sets included."""
        ...

    async def why_nobody(self, needs: Needs) -> str | None:
        """Say what the nearest nodes lack if none that is here can run what needs this; None if one can."""

    def network(self) -> NetworkReport | None:
        """Say how others are found; None if this node does not look for any."""

    def new_cause(self, word: str) -> CauseId:
        """Return a fresh cause that starts with ``word`` (submit, cancel, ...)."""

    def new_run_id(self) -> RunId: ...

    def stamp(self) -> Stamp:
        """Return a stamp for something that happens now."""

    def ask(self, request: Request) -> asyncio.Future[Accepted]:
        """Hand a request to the core, now; its answer is awaited, or heard by a callback.

        That is InvalidInput, NotFound or Unavailable with the core's sentence if it refuses.
        """

    def run_ids(self) -> list[RunId]:
        """Return all runs, oldest first."""

    def mend(self, run: RunId) -> None:
        """Take up a run whose records are damaged, with what is left of them."""

    def forgotten_ids(self) -> list[RunId]:
        """Return the runs that were forgotten, as long as that is remembered."""

    def run_bytes(self, run: RunId) -> int:
        """Return about what the results, inputs and logs of a run take on this disk."""

    def unended_runs(self) -> list[RunId]:
        """Return the runs of which something has not ended."""

    def open_sessions(self) -> list[RunId]:
        """Return the sessions of this node's clients that are not sealed."""

    def run(self, run: RunId) -> RunView:
        """Raise NotFound if there is no such run."""

    def tasks(self, run: RunId) -> list[TaskView]:
        """Return the run's tasks in the order of their submission."""

    def task(self, task: TaskId) -> TaskView: ...

    def spec(self, task: TaskId) -> TaskSpec:
        """Return the part of a task that never changes. Raise NotFound if there is no such task."""

    async def explain(self, tasks: Sequence[TaskId], index: int | None) -> list[list[str]]:
        """Say of each task in words why it, or one element, is where it is; what is ready, for all nodes' reasons."""

    def has_run_of(self, workflow: str) -> bool:
        """Whether one of the last runs was one of this workflow."""
        ...

    def explain_reuse(self, task: TaskId, index: int | None) -> list[str]:
        """Say in words what of a task was taken over from earlier runs, and why the rest was not."""

    async def story(self, tasks: Sequence[TaskId]) -> list[StoryTold]:
        """Return the story of some tasks, at most EXPLAINED_TASKS_MAX, as all nodes that are there tell it."""

    async def timeline(self, run: RunId) -> Timeline:
        """Say who worked on a run and when, as all nodes that are there tell it."""

    def results(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        """Yield the accepted results within ``ranges``, all of which must be here, in order, in segments."""

    def inputs(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        """Return what these elements were handed in with, as far as it is here and sound."""

    def states(self, task: TaskId, ranges: RangeSet) -> list[tuple[State, RangeSet]]:
        """Return the states that occur within ``ranges``, as records have them, each with its part of them."""

    def absent(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return the done elements within ``ranges`` whose results are on other nodes only."""

    async def bring(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return the first of these done elements, as far as their results are here: at least one, brought if need be.

        Raise Unavailable with a sentence that says who has it if that cannot be.
        """

    async def bring_any(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Bring the results of some of these done elements here, and return them. Raise Unavailable if that fails."""

    def failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Failure]]:
        """Yield the last failure of each element within ``ranges`` that has one."""

    def unexplained(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return the elements within ``ranges`` that failed elsewhere, and of which it is not known here why."""

    async def bring_failures(self, task: TaskId, ranges: RangeSet) -> None:
        """Bring here why elements failed elsewhere, as far as anybody knows."""

    def known_blobs(self, blobs: Sequence[BlobHash]) -> Collection[BlobHash]:
        """Return those of these that are on this disk."""

    async def log(self, task: TaskId, index: int, stream: OutputStream, offset: int) -> Piece | None:
        """Return output of an element that was too long, or took too long, to travel with its result, from a place on.

        None if there is no such log. Raise Unavailable if the node that has it is away.
        """

    async def file(self, task: TaskId, index: int, content: str, size: int) -> Path:
        """Return where a file that an element left is; it is brought here if need be. Raise Unavailable if not."""

    async def take_file(self, pieces: AsyncIterator[bytes]) -> tuple[str, int]:
        """Keep a file that a person hands in; return the hash of its content, and its size.

        Raise InvalidInput if it is larger than HANDED_FILE_BYTES_MAX, and Unavailable if the disk refuses it.
        """

    async def take_value(self, pieces: AsyncIterator[bytes]) -> tuple[str, int]:
        """Keep a value here, and on another node's disk if there is one; return the hash of its content, and its size.

        Raise InvalidInput if it is larger than STORED_VALUE_BYTES_MAX, and Unavailable if the disk refuses it.
        """

    async def value(self, content: str, size: int) -> Path:
        """Return where a stored value is; it is brought here if need be. Raise NotFound if nobody has it."""

    async def keep_handed(self, run: RunId, content: str, size: int) -> None:
        """Have a file that was handed in on this disk, and on another node's if there is one.

        Raise NotFound if nobody has it.
        """

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``listener`` for every change, in order, until the returned function is called."""

    def note_wait(self, lease: LeaseId, index: int | None, *, begins: bool) -> None:
        """An element of a lease of this node waits for other work from now on, or waits no more."""

    def drain(self, *, on: bool, at_once: bool = False) -> Remaining:
        """Take no new work from now on, or work again; ``at_once``: what runs is given back."""

    def remaining(self) -> Remaining:
        """Say what keeps the node from being switched off."""

    def leave(self) -> None:
        """End the node soon, politely, and let it belong to no cluster any more."""

    async def change_key(self, without: NodeId | None = None) -> KeyChange:
        """Give all living nodes of the cluster a new key; all but one, if one is to be kept out."""

    def shut_down(self) -> None:
        """End the node soon, politely: running elements are stopped and run again at the next start."""
