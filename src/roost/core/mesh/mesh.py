"""The mesh: it puts together what nodes on a local network do with each other, and hears them.

Rules
- While nobody else is there nothing of this costs anything: no copy, no bid, no waiting.
- Every message is taken for what it says, whenever it comes (wire/messages.py). What it names and has left memory is
  looked up on disk first; what was never heard of is asked for (anti_entropy/unknown_tasks.py).
- A newcomer asks the coordinator for everything; if nobody answers, anti-entropy (digests.py) brings it all the same.
"""

from collections.abc import Sequence

import msgspec

from roost.core.actions import LookUp, Reply, Send
from roost.core.events import Heard, Leaving, Moved
from roost.core.facts import Fact, FailureNoted, NeighboursMet, RunForgotten, RunMerged, StatesMerged
from roost.core.medium.alone import Alone
from roost.core.medium.elsewhere import Elsewhere
from roost.core.medium.merging import Merging
from roost.core.medium.port import Above, Below, Medium, Published
from roost.core.mesh.anti_entropy.comparing import Comparing
from roost.core.mesh.anti_entropy.digest_exchange import DigestExchange
from roost.core.mesh.anti_entropy.finished_tasks import FinishedTasks
from roost.core.mesh.anti_entropy.questions import Questions
from roost.core.mesh.anti_entropy.sifting import sift
from roost.core.mesh.anti_entropy.unknown_tasks import Strategy, UnknownTasks
from roost.core.mesh.broadcasting import Broadcasting
from roost.core.mesh.contest.bidding import Bidding
from roost.core.mesh.contest.direct_placement import DirectPlacement
from roost.core.mesh.contest.duels import Duels
from roost.core.mesh.contest.lease_expiry import LeaseExpiry
from roost.core.mesh.contest.repeating import Repeating
from roost.core.mesh.election import Elected, Election, SteppedDown
from roost.core.mesh.heard_facts import HeardFacts
from roost.core.mesh.in_hand import InHand
from roost.core.mesh.keepers import Keepers
from roost.core.mesh.membership.members import Died, Joined, Left, Restarted, Returned
from roost.core.mesh.membership.membership import Answer as Told
from roost.core.mesh.membership.membership import BeatDue, Membership
from roost.core.mesh.named_records import not_in_memory
from roost.core.mesh.overruled import Overruled
from roost.core.mesh.performance.performance_gossip import PerformanceGossip
from roost.core.mesh.replication import Replication
from roost.core.tickets import Keeping, Learnt, Note, Outcome, ResultOffer, Submission
from roost.model.clock import soonest
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.limits import (
    BIDS_MAX,
    FINDINGS_KNOWN_MAX,
    FINISHED_TASKS_MAX,
    GONE_MAX,
    HOLDS_WANTED_MAX,
    MEMBERS_MAX,
    PERFORMANCES_MAX,
    UNKNOWN_TASKS_MAX,
)
from roost.model.ranges import EMPTY, RangeSet
from roost.model.token import Token
from roost.policy.choose import Repeat
from roost.policy.window import WINDOW_DELIVERIES, WINDOW_UNKNOWN_S
from roost.wire.ballots import Held, Hold, Outvoted, Prepare, Promised
from roost.wire.messages import (
    AlreadyFinished,
    Bid,
    BucketDigests,
    Candidacy,
    DoYouKnow,
    Facts,
    FindingsTold,
    Heartbeat,
    Hello,
    Members,
    NewMaster,
    Performance,
    RunDigests,
    StartElection,
    TaskDigests,
    TasksTransfer,
    WhoIsMaster,
)


class Surroundings(msgspec.Struct, frozen=True):
    """What a node on a network starts with; it makes the medium (core/medium/port.py)."""

    #: Where others can reach it.
    address: str = ""
    #: How it behaved in earlier lives; the fewer failures, the better (LAN 3.6.1).
    reputation: int = 0
    #: Whether it asks about tasks that it has never heard of.
    strategy: Strategy = Strategy.ALWAYS

    def __call__(self, below: Below, above: Above) -> "Mesh":
        return Mesh(below, above, self)


class Mesh(Medium):
    """Its machines are there for who puts a node together, and for whoever looks on from outside."""

    def __init__(self, below: Below, above: Above, surroundings: Surroundings) -> None:
        self._below = below
        self._turn = turn = below.turn
        self._clocks = below.clocks
        self._peers = below.peers
        self._digests = below.queue.digests
        self._forgotten = below.queue.forgotten
        self._replica = below.queue.replica
        self._lanes = below.queue.lanes
        self._readiness = below.queue.readiness
        self._draining = below.draining
        self._fetcher = below.fetcher
        self._re_replication = below.re_replication
        self._quorum = below.quorum
        self._agreeing = below.agreeing
        self._above = above
        #: What it does while nobody else is there.
        self._alone = Alone(below, above)
        self.members = Membership(turn.name, turn.boot, surroundings.address, below.chance)
        self._peers.on(self.members)
        #: Who was there, by what was written last.
        self._neighbours: tuple[NodeId, ...] = ()
        self._put_together_anti_entropy(surroundings.strategy)
        self._put_together_contest()
        self._put_together_acceptance()
        self._put_together_replication()
        self.election = Election(
            turn.name, surroundings.reputation, lambda _: turn.stamp(), window_s=WINDOW_DELIVERIES * WINDOW_UNKNOWN_S
        )

    def _put_together_anti_entropy(self, strategy: Strategy) -> None:
        turn, replica = self._turn, self._replica
        self.digest_exchange = DigestExchange(self._digests)
        self.comparing = Comparing(turn, replica, self._digests, self.digest_exchange, self._forgotten)
        self.finished_tasks = FinishedTasks()
        unknown_tasks = UnknownTasks(self._below.chance, self.finished_tasks, strategy, delivery_s=WINDOW_UNKNOWN_S)
        dataflow = self._below.queue.dataflow
        self.questions = Questions(turn, replica, dataflow, self.comparing, self._forgotten, unknown_tasks)

    def _put_together_contest(self) -> None:
        turn, peers, replica, queue = self._turn, self._peers, self._replica, self._below.queue
        attempts, inventory, fetcher = self._below.attempts, self._below.inventory, self._fetcher
        self.repeating = Repeating(attempts, replica, inventory, fetcher)
        self.performance_gossip = PerformanceGossip(turn, peers, self._lanes, self._below.fairness)
        self.bidding = Bidding(
            turn,
            peers=peers,
            replica=replica,
            dataflow=queue.dataflow,
            scheduler=queue.scheduler,
            readiness=queue.readiness,
            draining=self._draining,
            inventory=inventory,
            fetcher=fetcher,
            elsewhere=Elsewhere(turn.name, peers, replica, attempts, queue.findings, queue.scheduler, fetcher),
            repeating=self.repeating,
            memory=queue.policy_memory,
            performances=self.performance_gossip,
            policy=self._below.policy,
        )
        self.direct_placement = DirectPlacement(turn, peers, replica, queue.scheduler, queue.readiness, self.bidding)

    def _put_together_acceptance(self) -> None:
        turn, peers, replica, queue = self._turn, self._peers, self._replica, self._below.queue
        self.broadcasting = Broadcasting(turn, peers)
        self.keepers = Keepers(
            turn,
            peers=peers,
            replica=replica,
            dataflow=queue.dataflow,
            applying=queue.applying,
            draining=self._draining,
            re_replication=self._re_replication,
            direct_placement=self.direct_placement,
            broadcasting=self.broadcasting,
        )
        self.overruled = Overruled(turn, replica, queue.dataflow, queue.stopping, self.keepers.offered)
        queue.applying.on(self.overruled.merged)
        self._re_replication.on(self.keepers.ask_to_keep)
        self._quorum.on(self.questions.ask_about)

    def _put_together_replication(self) -> None:
        turn, replica, queue = self._turn, self._replica, self._below.queue
        self.in_hand = InHand(queue.leases, queue.progress, self.keepers, self._quorum, self._agreeing)
        self.duels = Duels(
            turn,
            peers=self._peers,
            replica=replica,
            leases=queue.leases,
            tokens=queue.tokens,
            stopping=queue.stopping,
            applying=queue.applying,
            bidding=self.bidding,
        )
        held, memory, tell = self.in_hand.leases, queue.policy_memory, self.broadcasting.failed
        self.lease_expiry = LeaseExpiry(turn, self._peers, replica, queue.applying, memory, self.duels, held, tell)
        self.merging = Merging(
            turn,
            replica=replica,
            dataflow=queue.dataflow,
            leases=queue.leases,
            applying=queue.applying,
            inventory=self._below.inventory,
            digests=self._digests,
            forgotten=self._forgotten,
            unknown=self.questions,
            re_replication=self._re_replication,
        )
        self.replication = Replication(
            turn,
            replica=replica,
            applying=queue.applying,
            draining=self._draining,
            inventory=self._below.inventory,
            re_replication=self._re_replication,
            merging=self.merging,
            questions=self.questions,
            duels=self.duels,
            direct_placement=self.direct_placement,
            offered=self.keepers.offered,
            hear=self.heard,
            run_switched=self._above.run_switched,
        )
        self._heard_facts = HeardFacts(
            turn,
            replication=self.replication,
            keepers=self.keepers,
            quorum=self._quorum,
            fetcher=self._fetcher,
            bidding=self.bidding,
            repeating=self.repeating,
            above=self._above,
        )

    # Who runs what.

    def look(self) -> None:
        self.bidding.look()
        if not self._peers.has_company:
            self._alone.look()

    def claimed(self, task: TaskId) -> RangeSet:
        return self.bidding.claimed(task) if self._peers.has_company else self._alone.claimed(task)

    def claimed_ahead(self, task: TaskId) -> RangeSet:
        """In company somebody else may want it, once it is ready."""
        return EMPTY if self._peers.has_company else self._alone.claimed_ahead(task)

    def unanswered(self, task: TaskId) -> RangeSet:
        """Nothing, as if it were alone: when the window closes a node knows whether it has won."""
        return self._alone.unanswered(task)

    def token(self, task: TaskId, ranges: RangeSet) -> Token:
        return self._alone.token(task, ranges)

    def won(self) -> list[TaskId] | None:
        return self.bidding.won if self._peers.has_company else self._alone.won()

    def why(self, task: TaskId) -> str | None:
        return self.bidding.why(task) if self._peers.has_company else self._alone.why(task)

    def why_lost(self, task: TaskId) -> str | None:
        return self.bidding.why_lost(task) if self._peers.has_company else None

    def why_abstains(self) -> str | None:
        own = self.bidding.why_abstains() if self._peers.others else self._alone.why_abstains()
        return "others are expected in a moment, and may have it" if self._peers.expects else own

    def leave_the_rest(self) -> None:
        self.bidding.leave_the_rest()

    def leased(self, task: TaskId, ranges: RangeSet) -> None:
        (self.bidding if self._peers.has_company else self._alone).leased(task, ranges)

    def repeats(self) -> Sequence[Repeat]:
        return self.repeating.take() if self._peers.has_company else self._alone.repeats()

    # What counts.

    def keep(self, change: Submission, reply: Reply) -> None:
        self.keepers.submitted(change, reply)

    def keep_answer(self, facts: Facts, reply: Reply) -> None:
        self.keepers.answered(facts, reply)

    def accept(self, offer: ResultOffer, facts: Sequence[Fact]) -> None:
        """In company another node has to keep the results first, and accepts them."""
        if self._peers.has_company:
            self._turn.persist(offer, *facts)
        else:
            accepted = Outcome(offer.task, offer.delta, alone=True)
            self._turn.persist(accepted, StatesMerged(offer.task, offer.delta), *facts)

    def apply(self, change: ResultOffer | Keeping | Learnt) -> None:
        match change:
            case ResultOffer():
                self.keepers.offer(change)
            case Keeping():
                self.replication.keep(change)
            case Learnt(news=news):
                self.merging.tell(news)

    # What others hear.

    def publish(self, fact: Published, *, hurried: bool = False) -> None:
        match fact:
            case StatesMerged(task=task, delta=delta) if hurried:
                self.broadcasting.leased(task, delta)
            case StatesMerged(task=task, delta=delta):
                self.broadcasting.moved(task, delta)
            case RunMerged(record=record):
                self.broadcasting.run_changed(record)
            case FailureNoted():
                self.broadcasting.failed(fact)
            case RunForgotten(tombstone=tombstone):
                self.broadcasting.forgot(tombstone)

    def end_turn(self) -> None:
        self.lease_expiry.follow()
        self.broadcasting.speak()
        self.performance_gossip.end_turn()

    # Forgetting.

    def forget(self, task: TaskId) -> None:
        self.bidding.forget(task)
        self.finished_tasks.remember(task, self._turn.now)

    def abandon(self, run: RunId) -> None:
        self.questions.ask_no_more(run)
        self.keepers.abandon(run)

    def is_unanswered(self, run: RunId) -> bool:
        return self.keepers.is_unanswered(run)

    def remaining(self) -> int:
        """Alone, and among nodes that all drain, there is nobody to whom anything could be given."""
        left = self._re_replication.left if self._peers.staying else 0
        return left + (len(self.keepers) + len(self._quorum) if self._peers.others else 0)

    # Hearing.

    def start(self, expected: Sequence[NodeId]) -> None:
        """Say hello. If others are expected, wait a little for them."""
        self._neighbours = tuple(expected)
        if expected:
            self._peers.expect()
        self._follow(self.members.start(self._turn.now))

    def place_changed(self, event: Moved | Leaving) -> None:
        """Say where this node can be reached now, or goodbye to all."""
        members, now = self.members, self._turn.now
        self._follow(members.move(event.address, now) if isinstance(event, Moved) else members.leave(now))

    def heard(self, event: Heard) -> None:
        if event.sender == self._turn.name:
            return
        event = self._sifted(event)
        wanted = not_in_memory(self._replica, self._digests, self.digest_exchange, event.message)
        if wanted:
            self._turn.act(LookUp(*wanted, event, whole=isinstance(event.message, RunDigests | TaskDigests)))
        else:
            self._hear(event)

    def looked_up(self, about: Heard | None) -> None:
        if about is not None:
            self._hear(self._sifted(about))
        else:
            self.overruled.recalled()

    def _sifted(self, event: Heard) -> Heard:
        return Heard(event.sender, event.sent, sift(self._forgotten, event.message))

    def _hear(self, event: Heard) -> None:
        """What the message names is in memory, as far as it is here at all."""
        if not self._heard_of_nodes(event) and not self._heard_of_work(event):
            self._heard_of_coordinators(event)

    def _heard_of_nodes(self, event: Heard) -> bool:
        sender, message, now = event.sender, event.message, self._turn.now
        match message:
            case Heartbeat():
                self._follow(self.members.on_heartbeat(message, now))
                self._beat_heard(message)
            case Hello():
                self._follow(self.members.on_hello(sender, message, now))
            case Members():
                self._follow(self.members.on_members(sender, message, now))
            case _:
                if not self._peers.others:
                    # What came of his work is not for this disk only.
                    self._peers.expect()
                self._follow(self.members.heard(sender, now))
                return False
        return True

    def _heard_of_work(self, event: Heard) -> bool:
        sender, message = event.sender, event.message
        match message:
            case Bid():
                self.bidding.heard(message)
            case BucketDigests():
                self.comparing.buckets_heard(sender, message)
            case RunDigests():
                self.comparing.runs_heard(sender, message)
            case TaskDigests():
                self.comparing.tasks_heard(sender, message)
            case DoYouKnow(task=task):
                self.questions.asked(sender, task)
            case AlreadyFinished(task=task):
                self.questions.answered(task)
            case Prepare() | Promised() | Hold() | Held() | Outvoted():
                self._quorum.heard(sender, message)
            case FindingsTold():
                self._agreeing.heard(sender, message)
            case Performance():
                self.performance_gossip.heard(sender, event.sent, message)
            case _:
                return self._heard_facts.heard(sender, message)
        return True

    def _heard_of_coordinators(self, event: Heard) -> None:
        match event.message:
            case WhoIsMaster():
                self._elect(self.election.on_who_is_master(event.sender))
            case StartElection():
                self._elect(self.election.on_start_election(event.sent, self._turn.now))
            case Candidacy() as candidacy:
                self._elect(self.election.on_candidacy(candidacy, self._turn.now))
            case NewMaster() as master:
                self._elect(self.election.on_new_master(master, event.sender))
            case TasksTransfer():
                self.comparing.transfer(event.sender)

    # Nodes that come and go.

    def _follow(self, answers: list[Told]) -> None:
        """Do what membership says, and let everything follow from who lives: not from doubts about somebody."""
        for answer in answers:
            match answer:
                case Send():
                    self._turn.act(answer)
                case BeatDue():
                    self._beat()
                case Joined() | Returned() | Restarted():
                    self.lease_expiry.came(answer)
                    self._came(answer.node)
                case Died() | Left():
                    self._gone(answer.node, died=isinstance(answer, Died))

    def _came(self, node: NodeId) -> None:
        was_alone = not self._peers.others
        self._regroup()
        self.election.member_alive(node)
        self.keepers.came(node)
        self._quorum.came(node)
        self._agreeing.came()
        self._note_neighbours()
        if was_alone:
            self.keepers.keep_elsewhere()
            # What waits has to be won from now on, and what others lack is found out by digests.
            for task in self._replica.tasks:
                self._turn.touch(task)
            self._elect(self.election.need(self._turn.now))

    def _gone(self, node: NodeId, *, died: bool) -> None:
        self._regroup()
        self.digest_exchange.forget(node)
        self._elect(self.election.member_died(node, self._turn.now))
        self.lease_expiry.gone(node, died=died)
        self._peers.gone(node)
        self._re_replication.gone(node)
        self._clocks.gone(node)
        self._note_neighbours()
        self.keepers.keep_elsewhere()
        if not self._peers.others:
            self.questions.left_alone()

    def _regroup(self) -> None:
        self._peers.regroup(self.members.others())
        self.questions.regrouped(1 + len(self._peers.others))

    def _note_neighbours(self) -> None:
        if self._peers.others != self._neighbours:
            self._neighbours = self._peers.others
            self._turn.persist(Note(()), NeighboursMet(self._neighbours))

    def _beat(self) -> None:
        closed = self._draining.on or self._readiness.trouble
        beat = self.members.heartbeat(
            self._turn.now,
            self._lanes.capacity.in_brief,
            0.0 if closed else max(self._lanes.free.cpus, 0.0),
            self.in_hand.leases(),
            self._digests.total(),
            self.election.claim,
            draining=self._draining.on,
            attempts=self.in_hand.attempts(),
            stay=self._below.staying.stay,
            condition=self._turn.condition,
        )
        for to in dict.fromkeys((*beat.to, *self.duels.beats_to())):
            self._turn.act(Send(to, beat.heartbeat, promises=False))

    def _beat_heard(self, beat: Heartbeat) -> None:
        if (member := self.members.member(beat.node)) is None or member.heartbeat is not beat:
            return
        self._peers.heard(beat)
        self._elect(self.election.on_heartbeat(beat))
        if (compare := self.digest_exchange.heard(beat.node, beat.digest, self._turn.now)) is not None:
            self._turn.act(Send(beat.node, compare))
        self.lease_expiry.claims_heard(beat)
        self.duels.beat_heard(beat.node, beat.leases)

    def _elect(self, outcomes: list[Send | Elected | SteppedDown]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Send):
                self._turn.act(outcome)
            elif isinstance(outcome, Elected):
                if outcome.claim.node != self._turn.name:
                    self._turn.act(Send(outcome.claim.node, TasksTransfer()))
                self.election.served()

    # Time.

    def tick(self) -> None:
        self.bidding.tick()
        if not self._peers.has_company:
            self._alone.tick_choice()
        for machine in (self._peers, self.lease_expiry, self.duels, self._quorum, self._agreeing):
            machine.tick()
        self.performance_gossip.tick()
        self._follow(self.members.tick(self._turn.now))
        delivery_s = self.members.delivery_s() or WINDOW_UNKNOWN_S
        self.election.window_s = WINDOW_DELIVERIES * delivery_s
        self.election.map_size = len(self._replica.tasks)
        self._elect(self.election.tick(self._turn.now))
        self.questions.tick(delivery_s)
        self.keepers.keep_elsewhere()
        self._re_replication.tick()
        self._fetcher.tick()

    def next_deadline(self) -> float | None:
        return soonest(
            self.members.next_deadline(),
            self._peers.next_deadline(),
            self.election.next_deadline(),
            self._quorum.next_deadline(),
            self._agreeing.next_deadline(),
            self.bidding.next_deadline() if self._peers.others else self._alone.next_choice(),
            self.lease_expiry.next_deadline(),
            self.duels.next_deadline(),
            self.questions.next_deadline(),
            self.keepers.next_deadline(),
            self._re_replication.next_deadline(),
            self._fetcher.next_deadline(),
            self.performance_gossip.next_deadline(),
        )

    def sizes(self) -> dict[str, tuple[int, int]]:
        living, gone = self.members.sizes()
        performances, listeners = self.performance_gossip.sizes
        return {
            "members": (living, MEMBERS_MAX),
            "gone": (gone, GONE_MAX),
            "bids": (self.bidding.size, BIDS_MAX),
            "finished": (len(self.finished_tasks), FINISHED_TASKS_MAX),
            "unknown": (self.questions.size, UNKNOWN_TASKS_MAX),
            "wanted": (self._quorum.size, HOLDS_WANTED_MAX),
            "findings": (self._agreeing.size, FINDINGS_KNOWN_MAX),
            "performances": (performances, PERFORMANCES_MAX),
            "listeners": (listeners, PERFORMANCES_MAX),
        }

    def check(self) -> None:
        self.bidding.check()
        self.members.check()
        self.election.check()
        self.questions.check()
