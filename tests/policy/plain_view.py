"""A view made of plain values, as a laboratory makes it: no core is behind it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from roost.model.ids import NodeId, TaskId
from roost.model.limits import PERFORMANCE_MAX
from roost.model.online import NEVER_ONLINE, OnlineLog
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Needs, Priority
from roost.model.vitals import SOUND, Condition, NodeState
from roost.policy.choose import Neighbour
from roost.policy.company import Ability, Company, company_of
from roost.policy.rating import reliability_now

ASH, OAK = NodeId("ash"), NodeId("oak")


@dataclass
class PlainCandidate:
    task: TaskId
    ready: RangeSet
    priority: Priority = Priority.LOW
    needs: Needs = field(default_factory=Needs)
    policy: str = ""
    submitter: NodeId = OAK
    waits_since_s: float = 0.0
    elements: RangeSet = EMPTY
    maker: NodeId | None = None
    length_s: float | None = None
    stated_s: float | None = None
    overtaken: int = 0
    aborted: int = 0
    left_since: float | None = None
    #: Nodes that could never take it.
    too_large_for: Sequence[NodeId] = ()
    missing: int = 0
    is_hopeless: bool = False
    is_pure: bool = True
    only_here: bool = False
    free_lanes: int = 1
    hungry_lanes: int = 1
    size: int = 1
    #: What others bid, and for what.
    bids: Sequence[tuple[float, RangeSet]] = ()

    def ready_for(self, score: float) -> RangeSet:
        ready = self.ready
        for other, ranges in self.bids:
            ready -= ranges if other <= score else EMPTY
        return ready

    def fits(self, node: NodeId) -> bool:
        return node not in self.too_large_for


@dataclass
class PlainUnderway:
    task: TaskId
    ranges: RangeSet
    holder: NodeId = OAK
    running_s: float | None = None
    policy: str = ""
    attempts: int = 1
    wanted: int = 0
    is_first: bool = False
    may_repeat: bool = True
    is_pure: bool = False
    length_s: float | None = None
    free_lanes: int = 1
    lanes: int = 1
    holder_state: NodeState = NodeState.VERY_STABLE


@dataclass
class PlainView:
    queue: Sequence[PlainCandidate]
    node: NodeId = ASH
    now: float = 100.0
    online: OnlineLog = NEVER_ONLINE
    online_since: float = 0.0
    speed: float = 1.0
    abilities: Mapping[NodeId, Ability] = field(default_factory=dict)
    finished: int = 0
    aborted: int = 0
    others: Sequence[NodeId] = ()
    alone: bool = False
    condition: Condition = SOUND
    supers: Sequence[NodeId] = ()
    states: Mapping[NodeId, NodeState] = field(default_factory=dict)
    attempting: int = 0
    is_settled: bool = True
    window_s: float = 0.01
    rank: int = 0
    abstained: int = 0
    performance: int = PERFORMANCE_MAX
    neighbours: Sequence[Neighbour] = ()
    handed: Sequence[PlainCandidate] = ()
    policies: Collection[str] = ()
    may_bid: bool = True
    elsewhere: Sequence[PlainUnderway] = ()
    lacking: Sequence[PlainUnderway] = ()

    @property
    def begun_elsewhere(self) -> Sequence[PlainUnderway]:
        return [one for one in self.elsewhere if one.running_s is not None]

    @property
    def any_unstable(self) -> bool:
        return any(state >= NodeState.UNSTABLE for state in self.states.values())

    def state_of(self, node: NodeId) -> NodeState:
        return self.states.get(node, NodeState.VERY_STABLE)

    @property
    def company(self) -> Company:
        own = Ability(reliability_now(self)[0].lifetime, self.speed)
        return company_of([own, *self.abilities.values()], max(len(self.others) - len(self.abilities), 0))
