"""The view of a node that chooses: its own queue, lanes and neighbours, as a policy sees them (policy/choose.py).

Whatever takes time to find out is found out when a policy looks at it, so a view is cheap to make. It holds for the
turn in which it was made.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Protocol, TypeAlias

from roost.core.data.fetcher import Fetcher
from roost.core.medium.elsewhere import Elsewhere
from roost.core.peers import Peers
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.policy_memory import PolicyMemory
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.queue.scheduler import Scheduler
from roost.core.turn import Turn
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.limits import PERFORMANCE_MAX
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.states import Done
from roost.model.task import Needs, Priority, TaskSpec
from roost.model.vitals import NodeState
from roost.policy.bids import bid_size, is_short
from roost.policy.choose import EQUAL_SCORE, Neighbour, Underway
from roost.policy.company import Ability, Company
from roost.policy.match import reasons_never
from roost.policy.rating import reliability_now

#: How long before the last work seems to end a node looks for more. Workers tell of short elements late, by up to
#: 0.05 s, so that less is left than it seems. Longer: no lane waits. Shorter: less is held that other nodes could do.
SOON_S = 0.1
#: ... and how many windows before, at least. More: no lane waits on a network that is slow at
#: times. Fewer: less is held that other nodes could do.
SOON_WINDOWS = 2


class Performances(Protocol):
    """How this node does, and those with which it compares itself."""

    @property
    def own(self) -> int: ...
    @property
    def neighbours(self) -> Sequence[Neighbour]: ...


NOTHING_HANDED: Final[Mapping[TaskId, RangeSet]] = {}
#: What is ready of a task and nobody wants who has a better right to it than a bid of this score has.
Unclaimed: TypeAlias = Callable[[TaskSpec, float], RangeSet]
#: Whether nothing stands in the way of a bid, now that these tasks wait.
Unhindered: TypeAlias = Callable[[Collection[TaskEntry]], bool]


class NodeView:
    def __init__(
        self,
        turn: Turn,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        scheduler: Scheduler,
        fetcher: Fetcher,
        unclaimed: Unclaimed,
        unhindered: Unhindered,
        *,
        memory: PolicyMemory,
        elsewhere: Elsewhere,
        performances: Performances | None = None,
        alone: bool = False,
        rank: int = 0,
        abstained: int = 0,
        handed: Mapping[TaskId, RangeSet] = NOTHING_HANDED,
    ) -> None:
        """``handed`` is what others have just handed to this node. ``alone``: nobody else could have it. That nobody is
        known does not say so: a medium may know no names. Without ``performances`` nobody is compared.
        """
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._scheduler = scheduler
        self._fetcher = fetcher
        self._memory = memory
        self._unclaimed = unclaimed
        self._unhindered = unhindered
        self._lanes: dict[tuple[type, Needs, bool, RunId | None], int] = {}
        self.node = turn.name
        self.now = turn.now
        self.online = turn.online
        self.online_since = turn.online_since
        self.others = peers.others
        self.condition = turn.condition
        self._elsewhere = elsewhere
        self._performances = performances
        self.alone = alone
        self.rank = rank
        self.abstained = abstained
        self._handed = handed

    @property
    def supers(self) -> Sequence[NodeId]:
        return self._peers.supers

    @property
    def any_unstable(self) -> bool:
        return self._peers.any_unstable

    def state_of(self, node: NodeId) -> NodeState:
        return self._peers.state_of(node)

    @property
    def attempting(self) -> int:
        return self._elsewhere.attempting

    @property
    def is_settled(self) -> bool:
        return self._peers.is_settled()

    @cached_property
    def window_s(self) -> float:
        return self._peers.window_s()

    @cached_property
    def may_bid(self) -> bool:
        # While processors are free, nobody needs to know how soon a lane will be.
        has_room = self._scheduler.has_processors() or self._scheduler.has_room_in(self._soon_s)
        return has_room and self._unhindered(self._waiting)

    @cached_property
    def queue(self) -> "QueueView":
        return QueueView(self, self._waiting)

    @property
    def handed(self) -> "list[_Candidate]":
        tasks = self._replica.tasks
        return [_Candidate(self, tasks[task].spec, ranges) for task, ranges in self._handed.items()]

    @cached_property
    def _waiting(self) -> Collection[TaskEntry]:
        return self._scheduler.waiting()

    @cached_property
    def _soon_s(self) -> float:
        return max(SOON_S, SOON_WINDOWS * self.window_s)

    @property
    def speed(self) -> float:
        return self._scheduler.speed

    @property
    def abilities(self) -> Mapping[NodeId, Ability]:
        return self._peers.abilities()

    @property
    def company(self) -> Company:
        known, _ = reliability_now(self)
        return self._peers.company(Ability(known.lifetime, self.speed))

    @property
    def finished(self) -> int:
        return self._memory.finished

    @property
    def aborted(self) -> int:
        return self._memory.aborted

    @property
    def performance(self) -> int:
        return PERFORMANCE_MAX if self._performances is None else self._performances.own

    @property
    def neighbours(self) -> Sequence[Neighbour]:
        return () if self._performances is None else self._performances.neighbours

    @property
    def policies(self) -> Collection[str]:
        return self._replica.policies.keys()

    @property
    def elsewhere(self) -> Iterator[Underway]:
        return iter(self._elsewhere)

    @property
    def begun_elsewhere(self) -> Iterator[Underway]:
        return self._elsewhere.begun()

    @property
    def lacking(self) -> Iterator[Underway]:
        return self._elsewhere.lacking()

    # What candidates are asked.

    def elements(self, spec: TaskSpec) -> RangeSet:
        if spec.mapper is None:
            return spec.elements
        return self._replica.tasks[spec.id].present if self._dataflow.is_whole(spec.mapper) else EMPTY

    def maker(self, spec: TaskSpec) -> NodeId | None:
        source = self._replica.tasks.get(spec.edges[0].source) if spec.edges and spec.elements == ONE else None
        state = source.elements.at(0) if source is not None and source.spec.elements == ONE else None
        if not isinstance(state, Done) or (state.node != self.node and state.node not in self.others):
            return None
        return state.node

    def ready(self, spec: TaskSpec, score: float = EQUAL_SCORE) -> RangeSet:
        return self._unclaimed(spec, score)

    def overtaken(self, task: TaskId) -> int:
        return self._memory.overtaken(task)

    def losses(self, task: TaskId) -> int:
        # As a rule nothing was lost, and what is pending need not be found out.
        pending = self._replica.tasks[task].pending if self._memory.has_lost(task) else EMPTY
        return self._memory.losses(task, pending.first) if pending else 0

    def length_s(self, spec: TaskSpec) -> float | None:
        return self._scheduler.length_s(spec)

    def left_since(self, task: TaskId) -> float | None:
        return self._scheduler.left_since(task)

    def fits(self, spec: TaskSpec, node: NodeId) -> bool:
        heartbeat = self._peers.heartbeat_of(node)
        return heartbeat is None or heartbeat.offers.covers(spec.needs)

    def is_only_here(self, spec: TaskSpec) -> bool:
        return not any(self._could_take(other, spec) for other in self.others)

    def _could_take(self, other: NodeId, spec: TaskSpec) -> bool:
        """Whether another node takes work, and this too, as far as is known."""
        beat = self._peers.heartbeat_of(other)
        if self._peers.drains(other) or self._peers.state_of(other) is NodeState.TOO_UNSTABLE:
            return False
        return beat is None or not reasons_never(spec, beat.offers)

    def missing(self, spec: TaskSpec) -> int:
        ready = self._replica.tasks[spec.id].pending.take(1)
        return self._fetcher.missing(spec, ready) if ready else 0

    def is_hopeless(self, task: TaskId) -> bool:
        return self._fetcher.is_hopeless(task)

    def free_lanes(self, spec: TaskSpec) -> int:
        return self._scheduler.free_lanes(spec)

    def hungry_lanes(self, spec: TaskSpec) -> int:
        """Return how many lanes could take more; asked once for tasks that are alike in that."""
        whose = spec.run if self._scheduler.users > 1 else None
        key = (type(spec.work), spec.needs, self._scheduler.mean_s(spec) is None, whose)
        lanes = self._lanes.get(key)
        if lanes is None:
            lanes = self._lanes[key] = self._scheduler.hungry_lanes(spec, self._soon_s)
        return lanes

    def size(self, spec: TaskSpec, ready: int) -> int:
        lanes, nodes = self.hungry_lanes(spec), 1 + len(self.others)
        users = self._scheduler.users
        if users > 1 and not is_short(self.length_s(spec)):
            # All lanes at once would be one user's for a long time.
            lanes = math.ceil(lanes / users)
        # Of single tasks that do the same no lease is large, and yet it is known how long many of them took.
        previous = lanes * self._scheduler.experience(spec)
        return bid_size(self.length_s(spec), ready, lanes, nodes, previous, window_s=self.window_s)


class QueueView:
    """The tasks that wait, in their order."""

    def __init__(self, view: NodeView, waiting: Collection[TaskEntry]) -> None:
        self._view = view
        self._waiting = waiting

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> "Iterator[_Candidate]":
        return (_Candidate(self._view, entry.spec) for entry in self._waiting)


class _Candidate:
    __slots__ = ("_ready", "_spec", "_view")

    def __init__(self, view: NodeView, spec: TaskSpec, ready: RangeSet | None = None) -> None:
        self._view = view
        self._spec = spec
        self._ready = ready

    @property
    def task(self) -> TaskId:
        return self._spec.id

    @property
    def priority(self) -> Priority:
        return self._spec.priority

    @property
    def needs(self) -> Needs:
        return self._spec.needs

    @property
    def policy(self) -> str:
        return self._spec.policy

    @property
    def submitter(self) -> NodeId:
        return self._spec.submitted.node

    @property
    def waits_since_s(self) -> float:
        return self._spec.submitted.wall_ms / 1000

    @property
    def elements(self) -> RangeSet:
        return self._view.elements(self._spec)

    @property
    def maker(self) -> NodeId | None:
        return self._view.maker(self._spec)

    @property
    def length_s(self) -> float | None:
        return self._view.length_s(self._spec)

    @property
    def stated_s(self) -> float | None:
        return self._spec.stated_s

    @property
    def ready(self) -> RangeSet:
        if self._ready is None:
            self._ready = self._view.ready(self._spec)
        return self._ready

    def ready_for(self, score: float) -> RangeSet:
        return self.ready if score == EQUAL_SCORE else self._view.ready(self._spec, score)

    @property
    def overtaken(self) -> int:
        return self._view.overtaken(self._spec.id)

    @property
    def aborted(self) -> int:
        return self._view.losses(self._spec.id)

    @property
    def left_since(self) -> float | None:
        return self._view.left_since(self._spec.id)

    def fits(self, node: NodeId) -> bool:
        return self._view.fits(self._spec, node)

    @property
    def missing(self) -> int:
        return self._view.missing(self._spec)

    @property
    def is_hopeless(self) -> bool:
        return self._view.is_hopeless(self._spec.id)

    @property
    def is_pure(self) -> bool:
        return self._spec.is_pure

    @property
    def only_here(self) -> bool:
        return self._view.is_only_here(self._spec)

    @property
    def free_lanes(self) -> int:
        return self._view.free_lanes(self._spec)

    @property
    def hungry_lanes(self) -> int:
        return self._view.hungry_lanes(self._spec)

    @property
    def size(self) -> int:
        return self._view.size(self._spec, len(self.ready))
