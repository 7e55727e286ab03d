"""Alone: the medium of a node without a network. It agrees with itself, at once, on its own disk.

Rules
- What the policy chooses (policy/choose.py) may be taken at once, if its data is here: nobody else could win it.
- A submission is safe, and a result accepted, when it is on this disk. What has voters is decided by those who are
  there (quorum.py): if this node is the only one, at once; else it waits for them.
- What others hold of earlier days, when there was a network, stays theirs until there is one again.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from roost.core.actions import Reply
from roost.core.events import Heard, Leaving, Moved
from roost.core.facts import Fact, StatesMerged
from roost.core.medium.elsewhere import Elsewhere
from roost.core.medium.pending_reply import PendingReply
from roost.core.medium.port import Above, Below, Medium, Published
from roost.core.medium.view import NodeView
from roost.core.tickets import Keeping, Learnt, Outcome, ResultOffer, Submission
from roost.model.clock import soonest
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Priority
from roost.model.token import Token
from roost.policy.choose import Abstain, BidFor, Choice, Repeat, Take, TakeAhead, TakeReady
from roost.wire.messages import Facts


class Alone(Medium):
    def __init__(self, below: Below, above: Above) -> None:
        self._turn = below.turn
        self._readiness = below.queue.readiness
        self._replica = below.queue.replica
        self._tokens = below.queue.tokens
        self._inventory = below.inventory
        self._quorum = below.quorum
        self._peers = below.peers
        self._scheduler = below.queue.scheduler
        self._policy = below.policy
        self._memory = below.queue.policy_memory
        self._view = partial(
            NodeView,
            below.turn,
            below.peers,
            below.queue.replica,
            below.queue.dataflow,
            below.queue.scheduler,
            below.fetcher,
            lambda spec, _: self._readiness.ready_here(spec.id),
            lambda _: True,
            memory=below.queue.policy_memory,
            elsewhere=Elsewhere(
                below.turn.name,
                below.peers,
                below.queue.replica,
                below.attempts,
                below.queue.findings,
                below.queue.scheduler,
                below.fetcher,
            ),
            alone=True,
        )
        #: What the policy has chosen last.
        self._choices: Sequence[Choice] | None = None
        #: What was chosen, by task; None if that is whatever is ready.
        self._chosen: dict[TaskId, Take | BidFor] | None = None
        #: Why lanes may have what is not ready yet; None if they may not.
        self._ahead: TakeAhead | None = None
        self._abstained = 0
        self._abstains: Abstain | None = None

    def start(self, expected: Sequence[NodeId]) -> None:
        """Nobody is expected."""

    def place_changed(self, event: Moved | Leaving) -> None:
        """Nobody asks where."""

    def heard(self, event: Heard) -> None:
        """Nobody is there; whatever it was, it is not from here."""

    def looked_up(self, about: Heard | None) -> None:
        """Nothing waits for records."""

    def tick(self) -> None:
        self._quorum.tick()
        self.tick_choice()

    def tick_choice(self) -> None:
        """Choose again if the time is over for which this node abstained."""
        if self._abstains is not None and self._abstains.until <= self._turn.now:
            self._abstained, self._abstains, self._choices = self._abstained + 1, None, None
            self._turn.stir()

    def next_deadline(self) -> float | None:
        return soonest(self._quorum.next_deadline(), self.next_choice())

    def next_choice(self) -> float | None:
        return None if self._abstains is None else self._abstains.until

    def end_turn(self) -> None:
        """Nobody is told."""

    def sizes(self) -> dict[str, tuple[int, int]]:
        return {}

    def check(self) -> None:
        """Nothing is kept twice."""

    def look(self) -> None:
        choices = self._policy(self._view(abstained=self._abstained))
        if choices is self._choices:
            # As a rule whatever is ready is taken, and nothing follows from hearing that again.
            return
        self._choices = choices
        chosen: dict[TaskId, Take | BidFor] = {}
        self._abstains = self._ahead = None
        self._chosen = chosen
        for choice in choices:
            match choice:
                case TakeReady():
                    self._chosen = None
                case TakeAhead():
                    self._ahead = choice
                case Abstain():
                    self._abstains = choice
                case Take() | BidFor():
                    chosen[choice.task] = choice
                case Repeat():
                    pass  # Nobody else runs anything.
        if self._abstains is None:
            self._abstained = 0

    def claimed(self, task: TaskId) -> RangeSet:
        ready = self._readiness.ready_here(task)
        if self._chosen is not None:
            choice = self._chosen.get(task)
            ready &= EMPTY if choice is None else choice.ranges
        if not ready or (self._inventory.is_whole and not self._peers.on_network):
            # Where there was never anybody else, whatever is known here was made or given here.
            return ready
        return self._inventory.startable(self._replica.tasks[task].spec, ready)

    def claimed_ahead(self, task: TaskId) -> RangeSet:
        """What waits here, nobody else can do."""
        return EMPTY if self._ahead is None else self._replica.tasks[task].pending

    def unanswered(self, task: TaskId) -> RangeSet:
        """Nothing: it answers itself, at once."""
        return EMPTY

    def token(self, task: TaskId, ranges: RangeSet) -> Token:
        return self._tokens.for_lease(self._replica.tasks[task], ranges)

    def won(self) -> list[TaskId] | None:
        if self._chosen is None:
            return None
        chosen = self._chosen
        tasks = self._replica.tasks

        # What is urgent to one user goes before nothing of another's.
        by_class = self._scheduler.users == 1

        def place(task: TaskId) -> tuple[bool, float]:
            return by_class and tasks[task].spec.priority is not Priority.INTERACTIVE, chosen[task].score

        return sorted(self._scheduler.in_order(chosen), key=place)

    def why(self, task: TaskId) -> str | None:
        choice: Take | BidFor | TakeAhead | None = None if self._chosen is None else self._chosen.get(task)
        if choice is None and not self._readiness.ready_here(task):
            choice = self._ahead
        return None if choice is None else choice.why

    def why_lost(self, task: TaskId) -> str | None:
        return None

    def why_abstains(self) -> str | None:
        return None if self._abstains is None else self._abstains.why

    def leave_the_rest(self) -> None:
        """Nobody else could have it."""

    def leased(self, task: TaskId, ranges: RangeSet) -> None:
        self._turn.stir()
        choice = self._chosen.get(task) if self._chosen else None
        if self._chosen is not None and choice is not None and choice.past is not None:
            self._memory.overtook(choice.past)
            self._chosen[task] = replace(choice, past=None)

    def repeats(self) -> Sequence[Repeat]:
        return ()

    def keep(self, change: Submission, reply: Reply) -> None:
        self._turn.act(PendingReply(change.event.run.id, reply, change.event.safe).on_disks(1))

    def keep_answer(self, facts: Facts, reply: Reply) -> None:
        self._turn.act(reply)

    def accept(self, offer: ResultOffer, facts: Sequence[Fact]) -> None:
        accepted = Outcome(offer.task, offer.delta, alone=True)
        self._turn.persist(accepted, StatesMerged(offer.task, offer.delta), *facts)

    def apply(self, change: ResultOffer | Keeping | Learnt) -> None:
        raise AssertionError(f"a node that is alone has nobody to keep {change} for or with")

    def publish(self, fact: Published, *, hurried: bool = False) -> None:
        """Nobody is told."""

    def forget(self, task: TaskId) -> None:
        """Nothing is kept of it here."""

    def abandon(self, run: RunId) -> None:
        """Nobody was asked to keep anything."""

    def is_unanswered(self, run: RunId) -> bool:
        return False

    def remaining(self) -> int:
        return 0
