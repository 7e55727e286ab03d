"""What a policy sees of a simulated world: plain values, and no node behind them (policy/choose.py).

Elements are tasks of one element, and nodes have one lane, as in HTC 4.4. What others bid in a contest is in the
elements, so that one object serves all views of an instant. HTC knows no states of nodes and no fairness among them:
all are very stable, and do as well as can be.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from roost.model.ids import NodeId, RunId, TaskId, task_id
from roost.model.limits import PERFORMANCE_MAX
from roost.model.online import OnlineLog
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.task import Needs, Priority
from roost.model.vitals import SOUND, NodeState
from roost.policy.choose import Candidate, Neighbour, Underway
from roost.policy.company import Ability, Company

#: How far nodes look into the queue, as real ones do (core/queue/scheduler.py).
LOOK_MAX: Final = 256
_NEEDS: Final = Needs()
_RUN: Final = RunId("lab")
_SUBMITTER: Final = NodeId("submitter")


class Element:
    """A task of one element: what all nodes know of it, and how this one looks at it."""

    __slots__ = ("aborted", "at", "best_bid", "length_s", "overtaken", "stated_s", "task", "work_s")

    policy = ""
    priority = Priority.LOW
    needs = _NEEDS
    submitter = _SUBMITTER
    waits_since_s = 0.0
    elements = ONE
    maker: NodeId | None = None
    missing = 0
    left_since: float | None = None
    is_pure = True
    is_hopeless = only_here = False
    free_lanes = hungry_lanes = size = 1

    def __init__(self, at: int, stated_s: float, work_s: float) -> None:
        #: Its place in the queue.
        self.at = at
        self.task: TaskId = task_id(_RUN, str(at))
        self.stated_s = stated_s
        #: How long it really takes on a node of speed 1.
        self.work_s = work_s
        self.aborted = 0
        #: The best bid in the contest that goes on; smaller is better.
        self.best_bid: float | None = None
        #: How often whoever looks has passed over it, and how long it would take there.
        self.overtaken = 0
        self.length_s: float | None = stated_s

    @property
    def ready(self) -> RangeSet:
        return self.ready_for(0.0)

    def ready_for(self, score: float) -> RangeSet:
        return ONE if self.best_bid is None or self.best_bid > score else EMPTY

    def fits(self, node: NodeId) -> bool:  # noqa: ARG002 - all nodes are alike in what they offer
        return True


class Running:
    """An element that another node runs."""

    __slots__ = ("attempts", "holder", "length_s", "running_s", "task")

    policy = ""
    ranges = ONE
    wanted = 0
    is_first = False
    may_repeat = is_pure = True
    free_lanes = lanes = 1
    holder_state = NodeState.VERY_STABLE

    def __init__(self, element: Element, holder: NodeId, running_s: float, attempts: int, speed: float) -> None:
        """``speed`` is that of the node that looks."""
        self.task = element.task
        self.length_s: float | None = element.stated_s / speed
        self.holder = holder
        self.running_s: float | None = running_s
        self.attempts = attempts


class Waiting:
    """The queue, as one node looks at it."""

    def __init__(self, elements: Sequence[Element], overtaken: Mapping[int, int], speed: float) -> None:
        self._elements = elements
        self._overtaken = overtaken
        self._speed = speed

    def __len__(self) -> int:
        return min(len(self._elements), LOOK_MAX)

    def __iter__(self) -> Iterator[Candidate]:
        for element in islice(self._elements, LOOK_MAX):
            element.overtaken = self._overtaken.get(element.at, 0)
            element.length_s = element.stated_s / self._speed
            yield element


class PlainView:
    """All that a node of a simulated world can know."""

    alone = False
    #: There are no sections: every element is a task of its own.
    is_settled = False
    rank = attempting = 0
    condition = SOUND
    any_unstable = False
    performance = PERFORMANCE_MAX
    neighbours: Sequence[Neighbour] = ()
    policies: Collection[str] = ()
    handed: Sequence[Candidate] = ()
    may_bid = True
    lacking: Iterable[Underway] = ()

    def __init__(
        self,
        node: NodeId,
        now: float,
        queue: Waiting,
        *,
        others: Sequence[NodeId],
        abilities: Mapping[NodeId, Ability],
        company: Company,
        online: OnlineLog,
        online_since: float,
        speed: float,
        finished: int,
        aborted: int,
        abstained: int,
        window_s: float,
        elsewhere: Iterable[Underway],
    ) -> None:
        self.node = node
        self.now = now
        self.queue = queue
        self.others = others
        self.abilities = abilities
        self.company = company
        self.online = online
        self.online_since = online_since
        self.speed = speed
        self.finished = finished
        self.aborted = aborted
        self.abstained = abstained
        self.window_s = window_s
        self.elsewhere = elsewhere

    @property
    def begun_elsewhere(self) -> Iterator[Underway]:
        return (one for one in self.elsewhere if one.running_s is not None)

    @property
    def supers(self) -> Sequence[NodeId]:
        return self.others

    def state_of(self, node: NodeId) -> NodeState:  # noqa: ARG002 - all are alike in that
        return NodeState.VERY_STABLE
