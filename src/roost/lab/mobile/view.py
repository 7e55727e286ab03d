"""What a policy sees of a world of mobile devices: plain values (policy/choose.py).

Jobs are pure, alike, and tasks of one element; a device has one lane. There are no contests, because whoever looks at
the queue first has its lock (FAIR 3.1), and so no windows either.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from roost.model.ids import NodeId, RunId, TaskId, task_id
from roost.model.online import OnlineLog
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Needs, Priority
from roost.model.vitals import Condition, NodeState
from roost.policy.choose import Candidate, Neighbour, Underway
from roost.policy.company import Ability, Company, company_of

CLIENT: Final = NodeId("client")
_RUN: Final = RunId("mobile")
_NEEDS: Final = Needs()
_NOTHING_KNOWN: Final = OnlineLog()


class Job:
    """A job that waits, as one device looks at it."""

    policy = ""
    priority = Priority.LOW
    needs = _NEEDS
    submitter = CLIENT
    elements = ready = ONE
    maker: NodeId | None = None
    overtaken = aborted = missing = 0
    is_pure = True
    is_hopeless = only_here = False
    free_lanes = hungry_lanes = size = 1

    def __init__(self, number: int, since: float, takes_s: float, copy_of: "Job | None" = None) -> None:
        """``copy_of`` is the job that it processes redundantly, if it does that."""
        self.number = number
        self.task: TaskId = task_id(_RUN, f"job{number}" if copy_of is None else f"copy{number}")
        self.waits_since_s = since
        self.length_s: float | None = takes_s
        self.stated_s: float | None = takes_s
        self.original = self if copy_of is None else copy_of
        #: Since when whoever looks leaves it to others.
        self.left_since: float | None = None
        self.has_ended = False

    @property
    def is_copy(self) -> bool:
        return self.original is not self

    def ready_for(self, score: float) -> RangeSet:  # noqa: ARG002 - nobody bids
        return ONE

    def fits(self, node: NodeId) -> bool:  # noqa: ARG002 - all devices are alike in what they offer
        return True


class JobUnderway:
    """A job that another device has in hand."""

    policy = ""
    ranges = ONE
    wanted = 0
    is_first = False
    may_repeat = is_pure = True
    free_lanes = lanes = 1

    def __init__(self, job: Job, holder: NodeId, state: NodeState, running_s: float, attempts: int) -> None:
        self.task = job.task
        self.length_s = job.length_s
        self.holder = holder
        self.holder_state = state
        self.running_s: float | None = running_s
        self.attempts = attempts


class DeviceView:
    """All that a device of such a world can know."""

    alone = is_settled = False
    online = _NOTHING_KNOWN
    online_since = 0.0
    speed = 1.0
    window_s = 0.0
    rank = attempting = finished = aborted = 0
    abilities: Mapping[NodeId, Ability] = {}
    policies: Collection[str] = ()
    handed: Sequence[Candidate] = ()
    lacking: Iterable[Underway] = ()
    may_bid = True

    def __init__(
        self,
        node: NodeId,
        now: float,
        queue: Sequence[Job],
        *,
        others: Mapping[NodeId, NodeState],
        condition: Condition,
        performance: int,
        neighbours: Callable[[], Sequence[Neighbour]] = tuple,
        elsewhere: Callable[[], Sequence[JobUnderway]] = tuple,
        abstained: int = 0,
    ) -> None:
        """What takes time to find out is found out when the policy looks at it."""
        self.node = node
        self.now = now
        self.queue = queue
        self.condition = condition
        self.performance = performance
        self._find_neighbours = neighbours
        self._find_elsewhere = elsewhere
        self.abstained = abstained
        self._others = others

    @property
    def others(self) -> Sequence[NodeId]:
        return sorted(self._others)

    @cached_property
    def neighbours(self) -> Sequence[Neighbour]:
        return self._find_neighbours()

    @cached_property
    def elsewhere(self) -> Sequence[JobUnderway]:
        return self._find_elsewhere()

    @property
    def begun_elsewhere(self) -> Iterator[Underway]:
        return (one for one in self.elsewhere if one.running_s is not None)

    @property
    def company(self) -> Company:
        return company_of((), 1 + len(self._others))

    @property
    def supers(self) -> Sequence[NodeId]:
        return [other for other in self.others if self._others[other] is NodeState.VERY_STABLE]

    @property
    def any_unstable(self) -> bool:
        return any(state >= NodeState.UNSTABLE for state in self._others.values())

    def state_of(self, node: NodeId) -> NodeState:
        return self._others[node]
