"""Bidding: what this node asks for, among others, and which elements it may take.

Rules
- What it wants is the policy's choice (policy/choose.py). What is taken without a contest may be taken at once; what is
  bid for is won when the window has closed and no better bid was heard (contest.py).
- The policy is asked again when something has changed. One round of bids is open at a time.
- What was won is taken when its data is here; what cannot be had from anybody is left to others. So is what no lane
  has room for any more, and everything while this node drains (draining.py).
"""

from collections.abc import Collection, Sequence
from functools import partial

from msgspec.structs import replace

from roost.core.actions import Send
from roost.core.data.fetcher import Fetcher
from roost.core.data.inventory import Inventory
from roost.core.medium.elsewhere import Elsewhere
from roost.core.medium.view import NodeView, Performances
from roost.core.mesh.contest.contest import Contest, ContestOutcome
from roost.core.mesh.contest.repeating import Repeating
from roost.core.peers import Peers
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.draining import Draining
from roost.core.queue.policy_memory import PolicyMemory
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.queue.scheduler import Scheduler
from roost.core.turn import Turn
from roost.model.clock import soonest
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import TaskSpec
from roost.policy.bids import why_lost
from roost.policy.catalogue import DEFAULT_POLICY
from roost.policy.choose import Abstain, BidFor, Choice, Policy, Repeat, Take
from roost.wire.messages import Bid

#: Lost contests that are remembered, for whoever asks why.
LOST_KEPT = 1000


class Bidding:
    def __init__(
        self,
        turn: Turn,
        *,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        scheduler: Scheduler,
        readiness: Readiness,
        draining: Draining,
        inventory: Inventory,
        fetcher: Fetcher,
        elsewhere: Elsewhere,
        repeating: Repeating,
        memory: PolicyMemory,
        performances: Performances,
        policy: Policy,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._scheduler = scheduler
        self._readiness = readiness
        self._draining = draining
        self._inventory = inventory
        self._fetcher = fetcher
        self._repeating = repeating
        self._memory = memory
        self._policy = policy
        self._view = partial(
            NodeView,
            turn,
            peers,
            replica,
            dataflow,
            scheduler,
            fetcher,
            self._unclaimed,
            self._is_unhindered,
            memory=memory,
            elsewhere=elsewhere,
            performances=performances,
        )
        self._contest = Contest(turn.name)
        #: What was won and is not leased yet.
        self._won: dict[TaskId, RangeSet] = {}
        #: What others have handed to this node in this turn.
        self._handed: dict[TaskId, RangeSet] = {}
        #: Why this node wants a task, in words.
        self._why: dict[TaskId, str] = {}
        #: The last contests that were lost, by task.
        self._lost: dict[TaskId, ContestOutcome] = {}
        self._rank = 0
        #: How often in a row this node has abstained, why, and until when it does.
        self._abstained = 0
        self._abstains: Abstain | None = None

    def claimed(self, task: TaskId) -> RangeSet:
        """Return what was won of a task and may be leased now: it is still to be had, and its data is here."""
        mine = self.won_of(task)
        return self._inventory.startable(self._replica.tasks[task].spec, mine) if mine else mine

    @property
    def won(self) -> list[TaskId]:
        """The tasks of which something was won, in the order of the queue."""
        return self._scheduler.in_order(self._won)

    def won_of(self, task: TaskId) -> RangeSet:
        """Return what was won of a task and is still to be had, whether its data is here or not."""
        won = self._won.get(task)
        return won & self._readiness.ready_here(task) if won else EMPTY

    def leased(self, task: TaskId, ranges: RangeSet) -> None:
        """These elements have a holder, this node or another."""
        self._turn.stir()
        left = self._won.get(task, EMPTY) - ranges
        if left:
            self._won[task] = left
        else:
            self._won.pop(task, None)

    def taken_by_others(self, task: TaskId, ranges: RangeSet) -> None:
        self.leased(task, ranges)
        self._contest.taken(task, ranges)

    def heard(self, bid: Bid) -> None:
        self._turn.stir()
        self._contest.heard(bid, self._turn.now)

    def bid_of(self, node: NodeId, task: TaskId, index: int) -> Bid | None:
        """Return what a node has bid for an element, if that is still known."""
        return self._contest.bid_of(node, task, index)

    @property
    def size(self) -> int:
        """How many bids are known."""
        return self._contest.size

    def check(self) -> None:
        self._contest.check()

    def leave_the_rest(self) -> None:
        """What could be taken has been: what is left of it found no room, and others may have it."""
        for task in list(self._won):
            if task in self._replica.tasks:
                self.leased(task, self.claimed(task))

    def handed(self, task: TaskId, ranges: RangeSet) -> None:
        """Another node lets this one have these elements without a contest, if its policy wants them now."""
        self._turn.stir()
        self._handed[task] = self._handed.get(task, EMPTY) | ranges

    def forget(self, task: TaskId) -> None:
        self._won.pop(task, None)
        self._repeating.forget(task)
        self._why.pop(task, None)
        self._lost.pop(task, None)
        self._contest.forget(task)

    def tick(self) -> None:
        """Close the contests whose windows are over."""
        outcomes = self._contest.tick(self._turn.now)
        for outcome in outcomes:
            task = outcome.bid.task
            if outcome.won and task in self._replica.tasks:
                self._won[task] = self._won.get(task, EMPTY) | outcome.won
            self._remember(outcome)
        self._rank = max((outcome.rank for outcome in outcomes), default=self._rank)
        if self._abstains is not None and self._abstains.until <= self._turn.now:
            self._abstained, self._abstains = self._abstained + 1, None
            self._turn.stir()

    def next_deadline(self) -> float | None:
        if not self._peers.others:
            return None
        return soonest(self._contest.next_deadline(), None if self._abstains is None else self._abstains.until)

    def look(self) -> None:
        """Ask for more work if there is room for it; bring here what was won and lacks its data."""
        handed, self._handed = self._handed, {}
        if not self._peers.others or self._draining.on or self._readiness.trouble:
            self._won.clear()
            self._repeating.clear()
            return
        self._fetch_what_was_won()
        view = self._view(rank=self._rank, abstained=self._abstained, handed=handed)
        choices = self._policy(view)
        if choices or view.queue:
            self._ask_for(choices, view)

    def _ask_for(self, choices: Sequence[Choice], view: NodeView) -> None:
        abstains = None
        for choice in choices:
            match choice:
                case Take() | BidFor():
                    self._why[choice.task] = choice.why
                    if choice.past is not None:
                        self._memory.overtook(choice.past)
                    if isinstance(choice, Take):
                        self._take(choice)
                    else:
                        self._bid(choice, view.window_s)
                case Repeat():
                    self._repeating.ask(choice)
                case Abstain():
                    abstains = self._leave(choice, abstains)
                case _:
                    raise AssertionError(f"among others nobody may {choice}")
        if abstains is not None:
            # Others stir this node all the time, and yet it looks again when it wanted to first.
            self._abstains = _sooner(abstains, self._abstains)
        elif view.may_bid:
            self._abstained, self._abstains = 0, None
        self._fetch_what_was_won()

    def _leave(self, choice: Abstain, before: Abstain | None) -> Abstain:
        """Note what is left to others; return that with what this node abstains from already."""
        if choice.leaves is not None:
            self._scheduler.leave(choice.leaves, self._turn.now)
        return _sooner(choice, before)

    def _remember(self, outcome: ContestOutcome) -> None:
        """Keep what there is to tell of a contest, if it was lost."""
        self._lost.pop(outcome.bid.task, None)
        if outcome.beaten_by is not None and outcome.bid.task in self._replica.tasks:
            if len(self._lost) >= LOST_KEPT:
                del self._lost[next(iter(self._lost))]
            self._lost[outcome.bid.task] = outcome

    def _take(self, choice: Take) -> None:
        self._turn.stir()
        self._won[choice.task] = self._won.get(choice.task, EMPTY) | choice.ranges

    def _bid(self, choice: BidFor, window_s: float) -> None:
        priority = self._replica.tasks[choice.task].spec.priority
        bid = self._contest.bid(
            choice.task, choice.ranges, priority, choice.score, self._turn.stamp(), self._turn.now, window_s
        )
        self._turn.act(Send(None, bid, promises=False))

    def why(self, task: TaskId) -> str | None:
        """Say why this node wants a task, if it has won or bids for some of it."""
        return self._why.get(task) if task in self._won or task in self._contest.own_tasks() else None

    def why_lost(self, task: TaskId) -> str | None:
        """Say who won the last contest of this node for a task, and why, if it lost that and bids for it no more."""
        outcome = self._lost.get(task)
        if outcome is None or outcome.beaten_by is None or self.why(task) is not None:
            return None
        name = self._replica.tasks[task].spec.policy or DEFAULT_POLICY
        return why_lost(name, outcome.bid, outcome.beaten_by)

    def why_abstains(self) -> str | None:
        """Say why this node leaves all to others, if it does."""
        return None if self._abstains is None else self._abstains.why

    def _unclaimed(self, spec: TaskSpec, score: float) -> RangeSet:
        """Return what is ready of a task and nobody wants who has a better right to it than this score gives."""
        ready = self._readiness.ready_here(spec.id)
        return ready - self._contest.better_covering(spec.id, ready, spec.priority, score)

    def _fetch_what_was_won(self) -> None:
        self._repeating.fetch()
        for task in list(self._won):
            entry = self._replica.tasks.get(task)
            wanted = self.won_of(task) if entry is not None else EMPTY
            if entry is None or not wanted or self._fetcher.is_hopeless(task):
                del self._won[task]
            elif len(self._inventory.startable(entry.spec, wanted)) < len(wanted):
                self._fetcher.fetch(entry.spec, wanted)

    def _is_unhindered(self, waiting: Collection[TaskEntry]) -> bool:
        """Whether nothing that was won waits to be taken, and no bid is open."""
        if self._won:
            return False
        open_for = self._contest.own_tasks()
        return not open_for or not any(entry.spec.id in open_for for entry in waiting)


def _sooner(abstains: Abstain, before: Abstain | None) -> Abstain:
    """Return why a node abstains, and the first of both times until when."""
    return abstains if before is None or abstains.until <= before.until else replace(abstains, until=before.until)
