"""What a policy sees of a world of the what-if: plain values, and no node behind them (policy/choose.py).

Unlike in lab/worlds, tasks are arrays, nodes have several lanes and offer different things, and a node learns how long
elements take. All nodes are very stable and do as well as can be: whether their owners sit before them nobody knows.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from roost.lab.what_if.board import SUBMITTER, Entry
from roost.model.ids import NodeId, TaskId
from roost.model.limits import PERFORMANCE_MAX
from roost.model.online import OnlineLog
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.task import Needs, Priority
from roost.model.vitals import SOUND, NodeState
from roost.policy.batch import updated_mean
from roost.policy.bids import bid_size
from roost.policy.choose import Candidate, Neighbour, Underway
from roost.policy.company import Ability, Company


class Learnt:
    """How long elements of each task take on a node, as it has seen."""

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._mean_s: dict[int, float] = {}
        self._seen: dict[int, int] = {}

    def learn(self, at: int, seconds: float) -> None:
        seen = self._seen.get(at, 0)
        self._mean_s[at] = updated_mean(self._mean_s.get(at), seen, seconds, 1)
        self._seen[at] = seen + 1

    def seen(self, at: int) -> int:
        return self._seen.get(at, 0)

    def length_s(self, entry: Entry) -> float | None:
        """Return how long an element takes: as was seen, else as was stated."""
        learnt = self._mean_s.get(entry.at)
        if learnt is not None or entry.task.stated_s is None:
            return learnt
        return entry.task.stated_s / self._speed


class Living(NamedTuple):
    """Who lives, and what they tell of themselves; the same for all views while nobody comes or goes."""

    #: In their order.
    names: Sequence[NodeId]
    abilities: Mapping[NodeId, Ability]
    company: Company
    #: Whether a node offers, in all, what an element takes.
    is_capable: Callable[[NodeId, Needs], bool]


class Own(NamedTuple):
    """What a node knows of itself."""

    node: NodeId
    online: OnlineLog
    online_since: float
    speed: float
    finished: int
    aborted: int
    abstained: int
    #: How often it has passed over tasks, by their places.
    overtaken: Mapping[int, int]
    learnt: Learnt
    free: Capacity
    whole: Capacity


class PlainCandidate:
    """A task that waits, as one node sees it."""

    __slots__ = ("_entry", "_lanes", "_ready", "_view")

    left_since: float | None = None
    missing = 0
    is_hopeless = False
    waits_since_s = 0.0
    submitter: NodeId = SUBMITTER

    def __init__(self, view: "PlainView", entry: Entry) -> None:
        self._view = view
        self._entry = entry
        self._ready: RangeSet | None = None
        self._lanes = -1

    @property
    def task(self) -> TaskId:
        return self._entry.id

    @property
    def priority(self) -> Priority:
        return self._entry.task.priority

    @property
    def needs(self) -> Needs:
        return self._entry.task.needs

    @property
    def policy(self) -> str:
        return self._view.policy

    @property
    def elements(self) -> RangeSet:
        return self._entry.elements

    @property
    def maker(self) -> NodeId | None:
        maker = self._view.maker_of(self._entry)
        return maker if maker == self._view.node or maker in self._view.others else None

    @property
    def length_s(self) -> float | None:
        return self._view.own.learnt.length_s(self._entry)

    @property
    def stated_s(self) -> float | None:
        return self._entry.task.stated_s

    @property
    def ready(self) -> RangeSet:
        if self._ready is None:
            self._ready = self._entry.ready_for(0.0)
        return self._ready

    def ready_for(self, score: float) -> RangeSet:
        return self._entry.ready_for(score)

    @property
    def overtaken(self) -> int:
        return self._view.own.overtaken.get(self._entry.at, 0)

    @property
    def aborted(self) -> int:
        losses = self._entry.losses
        return losses.get(self._entry.waiting.first, 0) if losses and self._entry.waiting else 0

    def fits(self, node: NodeId) -> bool:
        return self._view.living.is_capable(node, self.needs)

    @property
    def is_pure(self) -> bool:
        return self._entry.task.is_pure

    @property
    def only_here(self) -> bool:
        return not any(map(self.fits, self._view.others))

    @property
    def free_lanes(self) -> int:
        if self._lanes < 0:
            self._lanes = self._view.lanes_for(self.needs)
        return self._lanes

    hungry_lanes = free_lanes

    @property
    def size(self) -> int:
        view, lanes = self._view, self.free_lanes
        previous = lanes * view.own.learnt.seen(self._entry.at)
        nodes = 1 + len(view.others)
        return bid_size(self.length_s, len(self.ready), lanes, nodes, previous, window_s=view.window_s)


class Running:
    """An element that another node runs, or will soon."""

    __slots__ = ("_entry", "_view", "attempts", "holder", "ranges", "running_s")

    wanted = 0
    is_first = False
    holder_state = NodeState.VERY_STABLE

    def __init__(
        self, view: "PlainView", entry: Entry, index: int, holder: NodeId, running_s: float | None, attempts: int
    ) -> None:
        self._view = view
        self._entry = entry
        self.ranges = RangeSet.span(index, index + 1)
        self.holder = holder
        self.running_s = running_s
        self.attempts = attempts

    @property
    def task(self) -> TaskId:
        return self._entry.id

    @property
    def policy(self) -> str:
        return self._view.policy

    @property
    def may_repeat(self) -> bool:
        return self._entry.task.may_repeat

    @property
    def is_pure(self) -> bool:
        return self._entry.task.is_pure

    @property
    def length_s(self) -> float | None:
        return self._view.own.learnt.length_s(self._entry)

    @property
    def free_lanes(self) -> int:
        return self._view.lanes_for(self._entry.task.needs)

    @property
    def lanes(self) -> int:
        return max(1, self._view.own.whole.times(self._entry.task.needs))


class Queue:
    """The tasks that wait, in their order, as one node sees them."""

    def __init__(self, view: "PlainView", entries: Sequence[Entry]) -> None:
        self._view = view
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Candidate]:
        return (PlainCandidate(self._view, entry) for entry in self._entries)


class PlainView:
    """All that a node of a world can know."""

    is_settled = True
    rank = attempting = 0
    condition = SOUND
    any_unstable = False
    performance = PERFORMANCE_MAX
    neighbours: Sequence[Neighbour] = ()
    handed: Sequence[Candidate] = ()
    may_bid = True
    lacking: Iterable[Underway] = ()

    def __init__(
        self,
        own: Own,
        now: float,
        entries: Sequence[Entry],
        living: Living,
        *,
        policy: str,
        window_s: float,
        maker_of: Callable[[Entry], NodeId | None],
        elsewhere: Callable[["PlainView"], Iterator[Underway]],
    ) -> None:
        self.own = own
        self.now = now
        self.queue = Queue(self, entries)
        self.living = living
        self.policy = policy
        self.window_s = window_s
        self.maker_of = maker_of
        self._elsewhere = elsewhere
        self.node = own.node
        self.online = own.online
        self.online_since = own.online_since
        self.speed = own.speed
        self.finished = own.finished
        self.aborted = own.aborted
        self.abstained = own.abstained
        self.others = [name for name in living.names if name != own.node]
        self.alone = not self.others
        self._lanes: dict[Needs, int] = {}

    @property
    def policies(self) -> Collection[str]:
        return (self.policy,) if self.policy else ()

    @property
    def abilities(self) -> Mapping[NodeId, Ability]:
        return self.living.abilities

    @property
    def company(self) -> Company:
        return self.living.company

    @property
    def elsewhere(self) -> Iterator[Underway]:
        return self._elsewhere(self)

    @property
    def begun_elsewhere(self) -> Iterator[Underway]:
        return (one for one in self.elsewhere if one.running_s is not None)

    @property
    def supers(self) -> Sequence[NodeId]:
        return self.others

    def state_of(self, node: NodeId) -> NodeState:  # noqa: ARG002 - all are alike in that
        return NodeState.VERY_STABLE

    def lanes_for(self, needs: Needs) -> int:
        """Return how many lanes could be opened now for what needs this; asked of every task that waits."""
        lanes = self._lanes.get(needs)
        if lanes is None:
            lanes = self._lanes[needs] = max(0, self.own.free.times(needs))
        return lanes
