"""The port of the medium: how the nodes of a cluster agree on who runs what, and on which result counts.

A node is a queue, a medium and a policy. The medium hears other nodes, if it knows any, and says what changes here. It
decides what this node may take, when a submission is safe, and when a result is accepted. The queue changes by
``applying`` alone, whoever decided.

Rules
- A medium does what it is asked in the turn in which it is asked, or later, in a turn of its own: all answers are
  changes of the queue, actions, and what ``claimed`` says.
- Between won and leased an element is *claimed*. The answer to a claim is yes, no, or unknown until it is read back; it
  may come at once, or much later. Only a yes is ``claimed``. What is refused is asked for again when something about it
  has changed, what is unknown not before it is settled. An answer that changes what is claimed stirs the node.
- Nothing is leased without a claim: the token of a lease comes from the medium, larger than any that its elements had.
- What is claimed and finds no lane is given back, and so is all that is claimed when this node drains.
- What it is given is on this disk already, or is written with what it persists itself. What it says of that leaves when
  it is flushed (actions.py).
- Who else is there it tells ``peers``. Nobody else may tell them. If it knows no names it says so: then a node is not
  alone although nobody is known. What others tell becomes part of the queue by merging.py, by whatever medium it comes.
- Without other nodes it costs nothing: no message, no wait, no copy.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from roost.core.actions import Reply
from roost.core.agreement.agreeing import Agreeing
from roost.core.clock_bounds import ClockBounds
from roost.core.data.fetcher import Fetcher
from roost.core.data.inventory import Inventory, Lacking
from roost.core.data.re_replication import ReReplication
from roost.core.events import Heard, Leaving, Moved
from roost.core.facts import Fact, FailureNoted, RunForgotten, RunMerged, StatesMerged
from roost.core.peers import Peers
from roost.core.queue.attempts import Attempts
from roost.core.queue.draining import Draining
from roost.core.queue.queue import Queue
from roost.core.quorum.quorum import Quorum
from roost.core.staying import Staying
from roost.core.tickets import Keeping, Learnt, ResultOffer, Submission
from roost.core.turn import Turn
from roost.model.chance import Chance
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord
from roost.model.token import Token
from roost.model.tombstones import Tombstone
from roost.policy.choose import Policy, Repeat
from roost.policy.fairness import Fairness
from roost.wire.messages import Facts

#: What is told to all others.
Published: TypeAlias = StatesMerged | RunMerged | FailureNoted | RunForgotten


class Below(NamedTuple):
    """What a medium stands on."""

    turn: Turn
    clocks: ClockBounds
    peers: Peers
    queue: Queue
    draining: Draining
    staying: Staying
    attempts: Attempts
    inventory: Inventory
    fetcher: Fetcher
    re_replication: ReReplication
    quorum: Quorum
    agreeing: Agreeing
    chance: Chance
    #: What the owner has chosen; ``policy`` follows it already.
    fairness: Fairness
    policy: Policy


class Above(NamedTuple):
    """What follows from what is heard, in rooms above."""

    #: Elements of a task need these results, and no node that is there has them.
    nobody_has: Callable[[TaskId, Lacking], None]
    #: Another node has suspended, resumed or sealed a run.
    run_switched: Callable[[RunRecord, RunRecord], None]
    #: Another node has forgotten runs.
    forgotten: Callable[[tuple[Tombstone, ...]], None]


class Medium(Protocol):
    # Its life.

    def start(self, expected: Sequence[NodeId]) -> None:
        """Begin. ``expected`` are those who were there in the last life."""

    def place_changed(self, event: Moved | Leaving) -> None:
        """This node can be reached elsewhere now, or is about to go."""

    def heard(self, event: Heard) -> None:
        """Another node said something."""

    def looked_up(self, about: Heard | None) -> None:
        """Records that were asked for are back in memory: those that a message names, or others."""

    def tick(self) -> None:
        """Do what is due."""

    def next_deadline(self) -> float | None:
        """Return when ``tick`` should come."""

    def end_turn(self) -> None:
        """An event was handled: say what has changed by it."""

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return the tables that others can fill, each with its size and its limit."""

    def check(self) -> None:
        """Raise InvariantViolated if what is kept twice differs."""

    # Who runs what.

    def look(self) -> None:
        """Something has changed by which this node chooses: ask for what its policy wants."""

    def claimed(self, task: TaskId) -> RangeSet:
        """Return the elements of a task that this node has been granted and may lease now: their data is here.

        They can all be leased under one token, those of one edition; what was granted under another comes after them.
        """

    def claimed_ahead(self, task: TaskId) -> RangeSet:
        """Return what this node may have of a task that waits for nothing but what one of its lanes makes now."""

    def unanswered(self, task: TaskId) -> RangeSet:
        """Return what this node has asked for, and does not know whether it has it."""

    def token(self, task: TaskId, ranges: RangeSet) -> Token:
        """Return the token under which claimed elements of one edition are leased."""

    def won(self) -> list[TaskId] | None:
        """Return the tasks of which something was won, the first to take first; None if whatever is ready may be."""

    def why(self, task: TaskId) -> str | None:
        """Return why this node wants a task, as its policy says; None if it does not, or takes whatever is ready."""

    def why_lost(self, task: TaskId) -> str | None:
        """Return who got what this node has asked for last of a task, and why; None if nobody did."""

    def why_abstains(self) -> str | None:
        """Return why this node leaves everything for now, as its policy says; None if it does not."""

    def leave_the_rest(self) -> None:
        """What could be leased has been: what is left of what was claimed found no room, and others may have it."""

    def leased(self, task: TaskId, ranges: RangeSet) -> None:
        """This node has leased elements to itself."""

    def repeats(self) -> Sequence[Repeat]:
        """Return what this node is to attempt beside others now, as its policy wants it; it is asked for once."""

    # What counts.

    def keep(self, change: Submission, reply: Reply) -> None:
        """A submission is on this disk: answer it when it is safe."""

    def keep_answer(self, facts: Facts, reply: Reply) -> None:
        """A person's answer is on this disk: confirm it when it is safe."""

    def accept(self, offer: ResultOffer, facts: Sequence[Fact]) -> None:
        """Elements are finished: write ``facts``, which hold their results, and have the results accepted."""

    def apply(self, change: ResultOffer | Keeping | Learnt) -> None:
        """Something that the medium had written is on disk."""

    # What others hear.

    def publish(self, fact: Published, *, hurried: bool = False) -> None:
        """Tell all others; ``hurried``: before it is on disk, because no promise rests on it."""

    # Forgetting.

    def forget(self, task: TaskId) -> None:
        """A task leaves memory."""

    def abandon(self, run: RunId) -> None:
        """Nobody needs to keep or to know anything of a run any more."""

    def is_unanswered(self, run: RunId) -> bool:
        """Whether somebody who handed something of a run in here waits for the answer."""

    def remaining(self) -> int:
        """Return how many things are known to be on this disk only, though another node could hold them, too."""


class MakeMedium(Protocol):
    def __call__(self, below: Below, above: Above) -> Medium: ...
