"""A medium that keeps everything in a dictionary, which several nodes share (dictionary.py).

Rules
- A node reads what others have written every POLL_S, and before it asks for anything: what is claimed is leased by what
  is known of it here.
- A claim is one conditional write. It may be in doubt: whether it was done is known later, when it is read back. Until
  then it is neither taken nor made again; after PATIENCE_S it keeps the node from nothing else.
- A node may not reach the dictionary for a while: what runs goes on, and what it has to say waits. After DEAD_S it was
  buried, and has no claims any more.
- What this node runs and others have moved in the row ends.
"""

from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

from roost.core.actions import LookUp, Reply, StopMode
from roost.core.events import Heard, Leaving, Moved
from roost.core.facts import Fact, FailureNoted, RunForgotten, RunMerged, StatesMerged
from roost.core.medium.elsewhere import Elsewhere
from roost.core.medium.merging import Merging, Taken
from roost.core.medium.pending_reply import PendingReply
from roost.core.medium.port import Above, Below, Medium, Published
from roost.core.medium.view import NodeView
from roost.core.origin import ACCEPTED_ELSEWHERE
from roost.core.tickets import Keeping, Learnt, Note, ResultOffer, Submission
from roost.model.clock import soonest
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.model.task import TaskSpec
from roost.model.token import NO_TOKEN, Token
from roost.model.tombstones import Tombstone
from roost.policy.choose import Abstain, BidFor, Repeat, Take
from roost.wire.messages import Facts
from tests.conformance.dictionary import DEAD_S, Dictionary

#: How often a node beats, and reads what others have written.
POLL_S = 0.5
#: How long a node leaves to others what it did not get.
REFUSED_S = 1.0
#: How long a claim that is not answered keeps a node from asking for other work.
PATIENCE_S = 1.0
#: Claims that may be open at a time.
OPEN_MAX = 8


class _Claim:
    def __init__(self, number: int, task: TaskId, ranges: RangeSet, asked_at: float, known_at: float) -> None:
        self.number = number
        self.task = task
        self.ranges = ranges
        self.asked_at = asked_at
        self.known_at = known_at
        self.is_open = True
        #: What was granted and is not leased yet, and under which token, which names its edition.
        self.granted = EMPTY
        self.token = NO_TOKEN


class _Post(NamedTuple):
    """What is to be written, and what waits for that."""

    facts: Facts = Facts()
    run: RunId | None = None
    reply: PendingReply | None = None
    offer: ResultOffer | None = None
    tombstone: Tombstone | None = None


class DictionaryMedium(Medium):
    def __init__(self, below: Below, above: Above, *, shared: Dictionary) -> None:
        self._shared = shared
        self._above = above
        self._turn = below.turn
        self._replica = below.queue.replica
        self._digests = below.queue.digests
        self._applying = below.queue.applying
        self._leases = below.queue.leases
        self._stopping = below.queue.stopping
        self._scheduler = below.queue.scheduler
        self._readiness = below.queue.readiness
        self._draining = below.draining
        self._inventory = below.inventory
        self._policy = below.policy
        below.peers.may_be_unnamed = True
        self._merging = Merging(
            below.turn,
            replica=below.queue.replica,
            dataflow=below.queue.dataflow,
            leases=below.queue.leases,
            applying=below.queue.applying,
            inventory=below.inventory,
            digests=below.queue.digests,
            forgotten=below.queue.forgotten,
            unknown=self,
            re_replication=below.re_replication,
        )
        self._view = partial(
            NodeView,
            below.turn,
            below.peers,
            below.queue.replica,
            below.queue.dataflow,
            below.queue.scheduler,
            below.fetcher,
            self._unclaimed,
            lambda _: self._is_unhindered(),
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
        )
        self._numbers = count(1)
        self._claims: list[_Claim] = []
        self._refused: dict[TaskId, tuple[float, RangeSet]] = {}
        self._why: dict[TaskId, str] = {}
        self._abstained = 0
        self._abstains: Abstain | None = None
        self._outbox: list[_Post] = []
        #: The version up to which it has read, and when it last could.
        self._seen = 0
        self._reached_at = 0.0
        self._poll_at = 0.0
        #: What is being looked up on disk, so that it can be read.
        self._looks_up: tuple[tuple[RunId, ...], tuple[TaskId, ...]] | None = None

    # What rows name and nobody has heard of is in other rows.

    def ask_about(self, task: TaskId) -> None:
        raise InvariantViolated(f"a row names {task}, which is in no row before it")

    def answered(self, task: TaskId) -> None:
        """It was asked of nobody."""

    # Its life.

    def start(self, expected: Sequence[NodeId]) -> None:
        self._poll()

    def place_changed(self, event: Moved | Leaving) -> None:
        if isinstance(event, Leaving) and self._reaches:
            self._shared.leave(self._turn.name)

    def heard(self, event: Heard) -> None:
        """Nobody speaks: all write."""

    def looked_up(self, about: Heard | None) -> None:
        if self._looks_up is not None:
            found, self._looks_up = self._looks_up, None
            self._read(found)

    def tick(self) -> None:
        now = self._turn.now
        if now >= self._poll_at:
            self._poll()
        for claim in self._claims:
            if claim.is_open and claim.known_at <= now:
                self._settle(claim)
        self._refused = {task: (until, part) for task, (until, part) in self._refused.items() if until > now}
        if self._abstains is not None and self._abstains.until <= now:
            self._abstained, self._abstains = self._abstained + 1, None

    def next_deadline(self) -> float | None:
        open_claims = [claim.known_at for claim in self._claims if claim.is_open]
        refused = [until for until, _ in self._refused.values()]
        abstains = None if self._abstains is None else self._abstains.until
        return soonest(self._poll_at, *open_claims, *refused, abstains)

    def end_turn(self) -> None:
        self._post()

    def sizes(self) -> dict[str, tuple[int, int]]:
        return {"claims": (sum(claim.is_open for claim in self._claims), OPEN_MAX)}

    def check(self) -> None:
        mine: dict[TaskId, RangeSet] = {}
        for claim in self._claims:
            part = claim.ranges if claim.is_open else claim.granted
            if part & mine.get(claim.task, EMPTY):
                raise InvariantViolated(f"{claim.task}: {part} was asked for twice")
            mine[claim.task] = mine.get(claim.task, EMPTY) | part

    # Reading and writing.

    @property
    def _reaches(self) -> bool:
        return self._turn.name not in self._shared.cut_off

    def _poll(self) -> None:
        """Say that this node lives, write what waits and read what is new."""
        now = self._turn.now
        self._poll_at = now + POLL_S
        if self._reaches:
            self._shared.beat(self._turn.name, self._turn.boot, now)
            self._reached_at = now
            self._post()
            self._read()
        for claim in [claim for claim in self._claims if not claim.is_open]:
            if self._reaches:
                held, _ = self._shared.granted(claim.task, self._turn.name, claim.number)
                self._take_off(claim, claim.granted - held)
            elif now - self._reached_at > DEAD_S:
                # It was buried meanwhile, and knows it without being told.
                self._take_off(claim, claim.granted)

    def _read(self, looked_up: tuple[tuple[RunId, ...], tuple[TaskId, ...]] | None = None) -> None:
        """Take in what others wrote; what it is about and has left memory is looked up first."""
        if self._looks_up is not None or self._seen == self._shared.version:
            return
        news, tombstones = self._shared.read(self._seen)
        wanted = self._not_in_memory(news, tombstones)
        if any(wanted) and wanted != looked_up:
            self._looks_up = wanted
            self._turn.act(LookUp(*wanted, None))
            return
        self._seen = self._shared.version
        for facts in news:
            taken = self._merging.take(facts)
            if taken.facts:
                self._turn.persist(Learnt(taken.news(), taken.all_brought()), *taken.facts)
            self._follow(taken)
        if tombstones:
            self._above.forgotten(tombstones)

    def _not_in_memory(
        self, news: list[Facts], tombstones: Sequence[Tombstone]
    ) -> tuple[tuple[RunId, ...], tuple[TaskId, ...]]:
        named = [*(facts.runs[0].spec.id for facts in news if facts.runs), *(stone.run for stone in tombstones)]
        runs = [run for run in named if self._digests.knows(run) and run not in self._replica.runs]
        tasks = [spec.id for facts in news for spec in facts.tasks if self._digests.knows(spec.run)]
        return tuple(runs), tuple(task for task in tasks if task not in self._replica.tasks)

    def _follow(self, taken: Taken) -> None:
        """What this node runs and others have moved ends."""
        for before, after in taken.runs:
            self._above.run_switched(before or RunRecord(after.spec), after)
        for task, moved in taken.moved:
            for lease in [lease for lease in self._leases.active.values() if lease.spec.id == task]:
                for _, ranges in moved:
                    if part := (lease.outstanding & ranges) - lease.stopping:
                        self._stopping.stop(lease, part, StopMode.KILL)

    def _post(self) -> None:
        """Write what waits. Who knows all that others wrote knows all afterwards, too."""
        had_read_all = self._seen == self._shared.version
        while self._outbox and self._reaches:
            post = self._outbox.pop(0)
            self._shared.write(post.facts)
            if post.tombstone is not None:
                self._shared.forget(post.tombstone)
            if post.reply is not None:
                self._turn.act(post.reply.on_disks(2))
            if post.offer is not None:
                self._offer(post.offer)
        if had_read_all:
            self._seen = self._shared.version

    def _offer(self, offer: ResultOffer) -> None:
        at = self._turn.moment()
        accepted = self._shared.accept(offer, at)
        if accepted and self._applying.apply(offer.task, accepted, ACCEPTED_ELSEWHERE, at):
            self._turn.persist(Note((offer.task,), urgent=True), StatesMerged(offer.task, accepted))
        self._turn.landed(offer)

    # Who runs what.

    def look(self) -> None:
        if self._draining.on or self._readiness.trouble:
            for claim in list(self._claims):
                self._give_back(claim, claim.granted)
            return
        if not self._reaches:
            return
        self._post()
        if self._seen != self._shared.version or self._turn.now - self._reached_at > DEAD_S:
            # What is claimed is leased by what is known of it here.
            self._poll_at = self._turn.now
            return
        view = self._view(abstained=self._abstained)
        for choice in self._policy(view) if view.queue else ():
            match choice:
                case Take() | BidFor():
                    self._why[choice.task] = choice.why
                    self._ask_for(choice.task, choice.ranges)
                case Abstain():
                    self._abstains = self._abstains or choice
                case _:
                    raise AssertionError(f"where others may be, nobody may {choice}")
        if self._abstains is None:
            self._abstained = 0

    def _ask_for(self, task: TaskId, ranges: RangeSet) -> None:
        if sum(claim.is_open for claim in self._claims) >= OPEN_MAX:
            return
        now, shared = self._turn.now, self._shared
        doubt = shared.doubt(task, ranges)
        claim = _Claim(next(self._numbers), task, ranges, now, now if doubt is None else now + doubt.for_s)
        shared.asked.append((self._turn.name, task, ranges))
        self._claims.append(claim)
        if doubt is None or doubt.written:
            shared.claim(task, ranges, self._turn.name, claim.number)
        if doubt is None:
            self._settle(claim)

    def _settle(self, claim: _Claim) -> None:
        """Read a claim back: now it is known what was granted."""
        if not self._reaches:
            claim.known_at = self._turn.now + POLL_S
            return
        claim.is_open = False
        claim.granted, claim.token = self._shared.granted(claim.task, self._turn.name, claim.number)
        refused = claim.ranges - claim.granted
        if refused:
            self._refused[claim.task] = (self._turn.now + REFUSED_S, refused)
        self._take_off(claim, EMPTY)
        self._turn.stir()

    def _take_off(self, claim: _Claim, ranges: RangeSet) -> None:
        """These elements are leased, given back or lost; a claim of which nothing is left is over."""
        claim.granted -= ranges
        if not claim.is_open and not claim.granted:
            self._claims = [other for other in self._claims if other is not claim]

    def _give_back(self, claim: _Claim, ranges: RangeSet) -> None:
        if not claim.is_open and self._reaches:
            self._shared.give_back(claim.task, ranges, self._turn.name)
            self._take_off(claim, ranges)

    def _to_lease(self, claim: _Claim) -> RangeSet:
        entry = self._replica.tasks.get(claim.task)
        if entry is None or not claim.granted:
            return EMPTY
        mine = claim.granted & self._readiness.ready_here(claim.task)
        return self._inventory.startable(entry.spec, entry.in_edition(mine, claim.token.edition))

    def claimed(self, task: TaskId) -> RangeSet:
        mine = (self._to_lease(claim) for claim in self._claims if claim.task == task)
        return next((ranges for ranges in mine if ranges), EMPTY)

    def claimed_ahead(self, task: TaskId) -> RangeSet:
        """Nothing: others may want it once it is ready."""
        return EMPTY

    def unanswered(self, task: TaskId) -> RangeSet:
        asked = EMPTY
        for claim in self._claims:
            if claim.is_open and claim.task == task:
                asked |= claim.ranges
        return asked

    def token(self, task: TaskId, ranges: RangeSet) -> Token:
        for claim in self._claims:
            if claim.task == task and ranges.issubset(claim.granted):
                return claim.token
        raise InvariantViolated(f"{task}: {ranges} was not claimed")

    def won(self) -> list[TaskId] | None:
        return self._scheduler.in_order({claim.task: None for claim in self._claims if claim.granted})

    def why(self, task: TaskId) -> str | None:
        return self._why.get(task)

    def why_lost(self, task: TaskId) -> str | None:
        """Rows do not say who was first."""
        return None

    def why_abstains(self) -> str | None:
        return None if self._abstains is None else self._abstains.why

    def leave_the_rest(self) -> None:
        """What lacks its data is kept: it comes with what is read next."""
        for claim in [claim for claim in self._claims if claim.task in self._replica.tasks]:
            lacks_data = (claim.granted & self._readiness.ready_here(claim.task)) - self._to_lease(claim)
            self._give_back(claim, claim.granted - lacks_data)

    def leased(self, task: TaskId, ranges: RangeSet) -> None:
        self._turn.stir()
        for claim in [claim for claim in self._claims if claim.task == task]:
            self._take_off(claim, ranges)

    def repeats(self) -> Sequence[Repeat]:
        """Who runs what elsewhere has no names, so that nothing of it is repeated."""
        return ()

    def _unclaimed(self, spec: TaskSpec, score: float) -> RangeSet:
        ready = self._readiness.ready_here(spec.id)
        for claim in self._claims:
            if claim.task == spec.id:
                ready -= claim.ranges if claim.is_open else claim.granted
        return ready - self._refused.get(spec.id, (0.0, EMPTY))[1]

    def _is_unhindered(self) -> bool:
        now = self._turn.now
        return not any(claim.granted or (claim.is_open and now - claim.asked_at < PATIENCE_S) for claim in self._claims)

    # What counts.

    def keep(self, change: Submission, reply: Reply) -> None:
        run = change.event.run.id
        self._outbox.append(_Post(change.facts, run, PendingReply(run, reply, change.event.safe)))

    def keep_answer(self, facts: Facts, reply: Reply) -> None:
        run = run_of(facts.results[0][0])
        self._outbox.append(_Post(facts, run, PendingReply(run, reply)))

    def accept(self, offer: ResultOffer, facts: Sequence[Fact]) -> None:
        self._turn.persist(offer, *facts)

    def apply(self, change: ResultOffer | Keeping | Learnt) -> None:
        match change:
            case ResultOffer():
                self._outbox.append(_Post(run=run_of(change.task), offer=change))
            case Learnt(news=news):
                self._merging.tell(news)
            case Keeping():
                raise AssertionError("nobody asks for copies")

    # What others read.

    def publish(self, fact: Published, *, hurried: bool = False) -> None:
        match fact:
            case StatesMerged(task=task, delta=delta):
                self._outbox.append(_Post(Facts(states=((task, delta),), at=self._turn.moment()), run_of(task)))
            case RunMerged(record=record):
                self._outbox.append(_Post(Facts(runs=(record,)), record.spec.id))
            case FailureNoted(task=task, index=index, token=token, failure=failure):
                self._outbox.append(_Post(Facts(failures=((task, index, token, failure),)), run_of(task)))
            case RunForgotten(tombstone=tombstone):
                self._outbox.append(_Post(tombstone=tombstone))

    # Forgetting.

    def forget(self, task: TaskId) -> None:
        self._why.pop(task, None)
        self._refused.pop(task, None)
        for claim in [claim for claim in self._claims if claim.task == task]:
            self._give_back(claim, claim.granted)

    def abandon(self, run: RunId) -> None:
        over = [post for post in self._outbox if post.run == run]
        self._outbox = [post for post in self._outbox if post.run != run]
        for post in over:
            if post.reply is not None:
                self._turn.act(post.reply.on_disks(1))
            if post.offer is not None:
                self._turn.landed(post.offer)

    def is_unanswered(self, run: RunId) -> bool:
        return any(post.reply is not None and post.run == run for post in self._outbox)

    def remaining(self) -> int:
        return len(self._outbox)
