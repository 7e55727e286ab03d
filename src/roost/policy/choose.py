"""The port of policies: what a node wants of the work that is ready.

A policy is a pure function of a view, and a view holds only what its node can know. The core makes views of its queue,
the laboratory of its worlds; both ask the same function. A policy that wraps another takes it as an argument.

Rules
- Two nodes with equal views choose the same; ties go by name.
- A view is made when something has changed, and asked for little: whatever takes time to find out is found out when a
  policy looks at it. So it looks at the beginning of the queue first, and stops when it has enough.
- Every choice says why, for people who ask (``roost explain``).
- What is chosen is asked for and not yet had: the medium decides, alone at once. What is not chosen is not taken.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec

from roost.model.ids import NodeId, TaskId
from roost.model.online import OnlineLog
from roost.model.ranges import RangeSet
from roost.model.task import Needs, Priority
from roost.model.vitals import Condition, NodeState
from roost.policy.company import Ability, Company

#: What a choice says for itself beside its place in the queue. All are equal: first come, first served, as in LAN
#: 3.6.2. The policies that weigh nodes or tasks against each other put their numbers here; smaller is better.
EQUAL_SCORE: Final = 0.0


class Neighbour(NamedTuple):
    """What another node has told of how it does (performance.py)."""

    node: NodeId
    performance: int
    #: How long ago it has told that.
    age_s: float


class Candidate(Protocol):
    """A task with ready elements, as a policy sees it."""

    @property
    def task(self) -> TaskId: ...
    @property
    def priority(self) -> Priority: ...
    @property
    def needs(self) -> Needs: ...

    @property
    def policy(self) -> str:
        """The policy that its run asks for (catalogue.py); empty: none."""

    @property
    def submitter(self) -> NodeId:
        """The node where it was handed in."""

    @property
    def waits_since_s(self) -> float:
        """When it was handed in, in seconds of the wall clock."""

    @property
    def elements(self) -> RangeSet:
        """All of its elements, by which nodes share it out; none while it may still grow."""

    @property
    def maker(self) -> NodeId | None:
        """The node that made the only input of a single step, if it is there."""

    @property
    def length_s(self) -> float | None:
        """How long an element is expected to take: as seen here, else as stated and corrected (expected_length.py)."""

    @property
    def stated_s(self) -> float | None:
        """How long an element takes, as whoever handed it in states."""

    @property
    def ready(self) -> RangeSet:
        """What is ready of it and nobody wants who has a better right to it."""

    def ready_for(self, score: float) -> RangeSet:
        """What is ready of it and nobody bids better for, or as well and earlier, than this score."""

    @property
    def overtaken(self) -> int:
        """How often this node has chosen something behind it, although it came first (``past``)."""

    @property
    def aborted(self) -> int:
        """How often the first of its elements that are ready has lost its holder, as far as this node saw it."""

    @property
    def left_since(self) -> float | None:
        """Since when this node leaves it to others (``Abstain.leaves``), if something of it was ready all the time."""

    def fits(self, node: NodeId) -> bool:
        """Whether another node offers, in all, what an element takes; one that has not said what it offers may."""
        ...

    @property
    def missing(self) -> int:
        """How many pieces of what its next element needs have to come here: inputs, results, code."""

    @property
    def is_hopeless(self) -> bool:
        """Whether nobody had its data, a moment ago."""

    @property
    def is_pure(self) -> bool:
        """Whether it is said that its inputs alone decide its results; then it may run on several nodes at a time."""

    @property
    def only_here(self) -> bool:
        """Whether no other node that takes work has what it requires, as far as is known."""

    @property
    def free_lanes(self) -> int:
        """How many lanes of this node could begin with it now."""

    @property
    def hungry_lanes(self) -> int:
        """How many could begin with it now or very soon."""

    @property
    def size(self) -> int:
        """How many of its elements fill those lanes for a short time."""


class Underway(Protocol):
    """Elements of a task that another node holds, and that are alike in what is known of them."""

    @property
    def task(self) -> TaskId: ...

    @property
    def policy(self) -> str:
        """The policy that its run asks for; empty: none."""

    @property
    def ranges(self) -> RangeSet:
        """The elements; none of which this node has in hand itself."""

    @property
    def holder(self) -> NodeId: ...

    @property
    def holder_state(self) -> NodeState:
        """The state of its holder, as far as is known; very stable if it has said nothing else."""

    @property
    def running_s(self) -> float | None:
        """How long they had run when their holder was last heard; None if they have not begun, or it is not known.

        That it grows stirs nobody: a policy that waits for it abstains until it wants to look again.
        """

    @property
    def attempts(self) -> int:
        """How many attempts each has, that of its holder among them, as far as this node has heard."""

    @property
    def wanted(self) -> int:
        """How many more nodes have to find a result of each, beside those that are at work on it."""

    @property
    def is_first(self) -> bool:
        """Whether it goes before all that is ready here, in the order of the queue."""

    @property
    def may_repeat(self) -> bool:
        """Whether there may be further attempts at all."""

    @property
    def is_pure(self) -> bool:
        """Whether it is said that its inputs alone decide its results; then there may be further attempts."""

    @property
    def length_s(self) -> float | None:
        """How long an element is expected to take, as far as this node knows."""

    @property
    def free_lanes(self) -> int:
        """How many lanes of this node could begin with it now."""

    @property
    def lanes(self) -> int:
        """How many could if this node did nothing else; at least one."""


class Queue(Protocol):
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Candidate]: ...


class View(Protocol):
    """What a node can know when it chooses."""

    @property
    def node(self) -> NodeId: ...
    @property
    def now(self) -> float: ...

    @property
    def online(self) -> OnlineLog:
        """When this node was on line before; this time is not in it."""

    @property
    def online_since(self) -> float:
        """Since when it is on line this time."""

    @property
    def speed(self) -> float:
        """How much work this node does in a second, compared with what lengths are stated for; 1 if not known."""

    @property
    def abilities(self) -> Mapping[NodeId, Ability]:
        """What other nodes that live tell of how long they stay, as far as they know it, and of their speed."""

    @property
    def company(self) -> Company:
        """The same of all nodes together, this one among them."""

    @property
    def finished(self) -> int:
        """How many executions of elements this node has finished."""

    @property
    def aborted(self) -> int:
        """How many executions its deaths have aborted."""

    @property
    def others(self) -> Sequence[NodeId]:
        """The other nodes that live, by name."""

    @property
    def condition(self) -> Condition:
        """How stable this node is, and why (node_state.py)."""

    @property
    def supers(self) -> Sequence[NodeId]:
        """The others that say that they are very stable, and take work."""

    @property
    def any_unstable(self) -> bool:
        """Whether another one says that it is unstable, or worse."""

    def state_of(self, node: NodeId) -> NodeState:
        """Return the state of another node; very stable if it has said nothing else."""

    @property
    def attempting(self) -> int:
        """How many elements this node attempts beside their holders."""

    @property
    def alone(self) -> bool:
        """Whether nobody else could take any of it. Others may be there although no names are known."""

    @property
    def is_settled(self) -> bool:
        """Whether nobody has come or gone of late, so that all nodes count the same ones."""

    @property
    def window_s(self) -> float:
        """How long a bidder waits for the bids of others."""

    @property
    def rank(self) -> int:
        """By how many others this node was beaten in its last contest."""

    @property
    def abstained(self) -> int:
        """How often in a row this node has abstained, each time until its time was over."""

    @property
    def performance(self) -> int:
        """How this node does (performance.py), as it tells others."""

    @property
    def neighbours(self) -> Sequence[Neighbour]:
        """How those do with which this node compares itself, by name; nobody if its owner asks for no fairness."""

    @property
    def policies(self) -> Collection[str]:
        """The policies that tasks ask for which this node knows, those that wait and all others."""

    @property
    def queue(self) -> Queue:
        """The first tasks of the queue, in its order."""

    @property
    def handed(self) -> Sequence[Candidate]:
        """Tasks of which others have just handed this node something; what that is, is what is ready of them."""

    @property
    def may_bid(self) -> bool:
        """Whether a lane is free or soon will be, nothing that was won waits for it, and no bid is open."""

    @property
    def elsewhere(self) -> Iterable[Underway]:
        """What other nodes run, or will soon."""

    @property
    def begun_elsewhere(self) -> Iterable[Underway]:
        """That part of it of which is known how long it has run; in a large mesh this is much less."""

    @property
    def lacking(self) -> Iterable[Underway]:
        """That part of it whose results have to agree, and for which too few nodes are at work or have found one."""


class BidFor(msgspec.Struct, frozen=True):
    """Compete with others for these elements."""

    task: TaskId
    ranges: RangeSet
    why: str
    score: float = EQUAL_SCORE
    #: The task that it goes before, although that comes first in the queue; None if it does not.
    past: TaskId | None = None


class Take(msgspec.Struct, frozen=True):
    """Take these elements without a contest, because nobody else will want them now."""

    task: TaskId
    ranges: RangeSet
    why: str
    score: float = EQUAL_SCORE
    #: The task that it goes before, although that comes first in the queue; None if it does not.
    past: TaskId | None = None


class TakeReady(msgspec.Struct, frozen=True):
    """Take whatever is ready, in the order of the queue. Only where nobody else is there."""


class Repeat(msgspec.Struct, frozen=True):
    """Attempt these elements, which others run, in lanes that are free when all that is ready was taken."""

    task: TaskId
    ranges: RangeSet
    why: str
    #: Whether lanes that are free are for this before they are for what is ready.
    goes_first: bool = False


class TakeAhead(msgspec.Struct, frozen=True):
    """Let a lane that soon has nothing to do go on with what follows from what it makes, before that is ready.

    Only where nobody else is there. Which task that is the node finds out itself (core/queue/leasing_ahead.py): a chain
    of short steps would have to wait for a policy that looks at each.
    """

    why: str


class Abstain(msgspec.Struct, frozen=True):
    """Leave all that is ready to others, or to later: until ``until`` at most, or until something changes."""

    why: str
    until: float
    #: The task that this node could have begun with and leaves, if how long it has done so is to be remembered.
    leaves: TaskId | None = None


Choice: TypeAlias = BidFor | Take | TakeReady | TakeAhead | Repeat | Abstain
Policy: TypeAlias = Callable[[View], Sequence[Choice]]
