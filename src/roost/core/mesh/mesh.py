"""The mesh: it puts together what nodes on a local network do with each other, and hears them.

Rules
- Alone, or without a network at all, nothing of this costs anything: no copy, no bid, no waiting.
- Every message is taken for what it says, whenever it comes (wire/messages.py). What it names and has left memory is
  looked up on disk first; what was never heard of is asked for (anti_entropy/unknown_tasks.py).
- A newcomer asks the coordinator for everything; if nobody answers, anti-entropy (digests.py) brings it all the same.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from roost.core.actions import Deliver, LookUp, Send
from roost.core.clock_bounds import ClockBounds
from roost.core.data.fetcher import Fetcher
from roost.core.data.inventory import Inventory, Lacking
from roost.core.data.re_replication import OpenAudit, ReReplication
from roost.core.events import Heard
from roost.core.facts import NeighboursMet
from roost.core.mesh.anti_entropy.comparing import Comparing
from roost.core.mesh.anti_entropy.digests import Digests
from roost.core.mesh.anti_entropy.finished_tasks import FinishedTasks
from roost.core.mesh.anti_entropy.forgotten_runs import ForgottenRuns
from roost.core.mesh.anti_entropy.questions import Questions
from roost.core.mesh.anti_entropy.unknown_tasks import Strategy, UnknownTasks
from roost.core.mesh.broadcasting import Broadcasting
from roost.core.mesh.contest.bidding import Bidding
from roost.core.mesh.contest.direct_placement import DirectPlacement
from roost.core.mesh.contest.lease_expiry import LeaseExpiry
from roost.core.mesh.election import Elected, Election, SteppedDown
from roost.core.mesh.in_hand import InHand
from roost.core.mesh.keepers import Keepers
from roost.core.mesh.membership.members import Died, Joined, Left, Refuted, Restarted, Returned, Suspected
from roost.core.mesh.membership.membership import Answer as Told
from roost.core.mesh.membership.membership import BeatDue, Membership, Superseded
from roost.core.mesh.merging import Merging
from roost.core.mesh.named_records import not_in_memory
from roost.core.mesh.overruled import Overruled
from roost.core.mesh.quorum.quorum import Quorum
from roost.core.mesh.replication import Replication
from roost.core.peers import Peers
from roost.core.queue.draining import Draining
from roost.core.queue.queue import Queue
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.chance import Chance
from roost.model.clock import soonest
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.limits import (
    BIDS_MAX,
    FINISHED_TASKS_MAX,
    GONE_MAX,
    HOLDS_WANTED_MAX,
    MEMBERS_MAX,
    UNKNOWN_TASKS_MAX,
)
from roost.model.record import RunRecord
from roost.model.tombstones import Tombstone
from roost.policy.window import WINDOW_DELIVERIES, WINDOW_UNKNOWN_S
from roost.wire.ballots import Held, Hold, Outvoted, Prepare, Promised
from roost.wire.messages import (
    AlreadyFinished,
    Audit,
    Bid,
    BucketDigests,
    Candidacy,
    Delivery,
    DoYouKnow,
    Facts,
    Fetch,
    Forgotten,
    Heartbeat,
    Hello,
    Keep,
    Kept,
    Members,
    Message,
    NewMaster,
    Purpose,
    RunDigests,
    StartElection,
    TaskDigests,
    TasksTransfer,
    WhoIsMaster,
)


class Surroundings(msgspec.Struct, frozen=True):
    """What a node on a network starts with."""

    chance: Chance
    #: Where others can reach it.
    address: str = ""
    #: How it behaved in earlier lives; the fewer failures, the better (LAN 3.6.1).
    reputation: int = 0
    #: Whether it asks about tasks that it has never heard of.
    strategy: Strategy = Strategy.ALWAYS


class Above(NamedTuple):
    """What follows from what is heard, in rooms above."""

    #: Elements of a task need these results, and no node that is there has them.
    nobody_has: Callable[[TaskId, Lacking], None]
    #: Another node has suspended, resumed or sealed a run.
    run_switched: Callable[[RunRecord, RunRecord], None]
    #: Another node has forgotten runs.
    forgotten: Callable[[tuple[Tombstone, ...]], None]


class _NoChance:
    """Where there is no network, nothing depends on chance."""

    def random(self) -> float:
        return 0.5


class Mesh:
    """Its machines are there for who puts a node together; to all others the node gives those that they use."""

    def __init__(
        self,
        turn: Turn,
        *,
        clocks: ClockBounds,
        peers: Peers,
        members: Membership | None,
        queue: Queue,
        draining: Draining,
        inventory: Inventory,
        surroundings: Surroundings | None,
        above: Above,
    ) -> None:
        self._turn = turn
        self._clocks = clocks
        self._peers = peers
        self.members = members
        self._replica = queue.replica
        self._lanes = queue.lanes
        self._readiness = queue.readiness
        self._draining = draining
        self._above = above
        #: Who was there, by what was written last.
        self._neighbours: tuple[NodeId, ...] = ()
        self._chance = _NoChance() if surroundings is None else surroundings.chance
        strategy = Strategy.ALWAYS if surroundings is None else surroundings.strategy
        reputation = 0 if surroundings is None else surroundings.reputation
        self._put_together_anti_entropy(queue, strategy)
        self._put_together_contest(queue, inventory)
        self._put_together_acceptance(queue, inventory)
        self._put_together_replication(queue, inventory)
        self.election = Election(
            turn.name, reputation, lambda _: turn.stamp(), window_s=WINDOW_DELIVERIES * WINDOW_UNKNOWN_S
        )

    def _put_together_anti_entropy(self, queue: Queue, strategy: Strategy) -> None:
        turn, replica = self._turn, queue.replica
        self.digests = Digests(replica)
        self.forgotten = ForgottenRuns(turn, self.digests)
        self.comparing = Comparing(turn, replica, self.digests, self.forgotten)
        self.finished_tasks = FinishedTasks()
        unknown_tasks = UnknownTasks(self._chance, self.finished_tasks, strategy, delivery_s=WINDOW_UNKNOWN_S)
        self.questions = Questions(turn, replica, queue.dataflow, self.comparing, self.forgotten, unknown_tasks)

    def _put_together_contest(self, queue: Queue, inventory: Inventory) -> None:
        turn, peers, replica = self._turn, self._peers, queue.replica
        self.fetcher = Fetcher(turn, peers, replica, inventory)
        self.bidding = Bidding(
            turn,
            peers=peers,
            replica=replica,
            dataflow=queue.dataflow,
            scheduler=queue.scheduler,
            readiness=queue.readiness,
            draining=self._draining,
            inventory=inventory,
            fetcher=self.fetcher,
        )
        self.direct_placement = DirectPlacement(
            turn.name, peers, replica, queue.scheduler, queue.readiness, self.bidding
        )

    def _put_together_acceptance(self, queue: Queue, inventory: Inventory) -> None:
        turn, peers, replica = self._turn, self._peers, queue.replica
        self.broadcasting = Broadcasting(turn, peers)
        self.re_replication = ReReplication(
            turn, peers, replica, queue.dataflow, inventory, self._draining, self.digests.runs, self._ask_to_keep
        )
        self.keepers = Keepers(
            turn, peers, replica, self._draining, self.re_replication, self.direct_placement, self.broadcasting
        )
        self.quorum = Quorum(
            turn,
            peers=peers,
            replica=replica,
            leases=queue.leases,
            inventory=inventory,
            re_replication=self.re_replication,
            forgotten=self.forgotten,
            questions=self.questions,
            chance=self._chance,
        )
        self.overruled = Overruled(turn, replica, queue.dataflow, queue.stopping, self.keepers.offered)

    def _put_together_replication(self, queue: Queue, inventory: Inventory) -> None:
        turn, replica = self._turn, queue.replica
        self.in_hand = InHand(queue.leases, queue.progress, self.keepers, self.quorum)
        self.lease_expiry = LeaseExpiry(
            turn, self._peers, replica, queue.leases, queue.stopping, queue.applying, self.bidding, self.in_hand.leases
        )
        self.merging = Merging(
            turn,
            replica=replica,
            dataflow=queue.dataflow,
            leases=queue.leases,
            applying=queue.applying,
            inventory=inventory,
            digests=self.digests,
            forgotten=self.forgotten,
            questions=self.questions,
            re_replication=self.re_replication,
        )
        self.replication = Replication(
            turn,
            replica=replica,
            applying=queue.applying,
            draining=self._draining,
            inventory=inventory,
            re_replication=self.re_replication,
            merging=self.merging,
            questions=self.questions,
            lease_expiry=self.lease_expiry,
            direct_placement=self.direct_placement,
            offered=self.keepers.offered,
            hear=self.heard,
            run_switched=self._above.run_switched,
        )

    def _ask_to_keep(self, run: RunId, home: NodeId, message: Audit, waiting: OpenAudit) -> None:
        self.keepers.ask_to_keep(run, home, message, waiting)

    def only_here(self) -> int:
        """Return how many things are known to be on this node's disk only, though another node could hold them, too.

        Alone, and among nodes that all drain, there is nobody to whom anything could be given.
        """
        waiting = len(self.keepers) + len(self.quorum) if self._peers.others else 0
        return waiting + (self.re_replication.left if self._peers.staying else 0)

    # Hearing.

    def start(self, expected: Sequence[NodeId] = ()) -> None:
        """Say hello. If others are ``expected``, because they were there in the last life, wait a little for them."""
        if self.members is not None:
            self._neighbours = tuple(expected)
            if expected:
                self._peers.expect()
            self._follow(self.members.start(self._turn.now))

    def leave(self) -> None:
        """Say goodbye to all."""
        if self.members is not None:
            self._follow(self.members.leave(self._turn.now))

    def move(self, address: str) -> None:
        """This node can be reached elsewhere now."""
        if self.members is not None:
            self._follow(self.members.move(address, self._turn.now))

    def heard(self, event: Heard, *, looked_up: bool = False) -> None:
        """Another node said something. ``looked_up``: what it names was sought on disk already."""
        if self.members is None or event.sender == self._turn.name:
            return
        event = Heard(event.sender, event.sent, self.forgotten.sift(event.message))
        if not looked_up and (wanted := not_in_memory(self._replica, self.digests, event.message)):
            self._turn.act(LookUp(*wanted, event, whole=isinstance(event.message, RunDigests | TaskDigests)))
            return
        if not self._heard_of_nodes(event) and not self._heard_of_work(event.sender, event.message):
            self._heard_of_coordinators(event)

    def _heard_of_nodes(self, event: Heard) -> bool:
        sender, message, now = event.sender, event.message, self._turn.now
        assert self.members is not None
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

    def _heard_of_work(self, sender: NodeId, message: Message) -> bool:
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
                self.quorum.heard(sender, message)
            case _:
                return self._heard_facts(sender, message)
        return True

    def _heard_facts(self, sender: NodeId, message: Message) -> bool:
        match message:
            case Facts(results=results):
                self.replication.told(sender, message)
                self.quorum.brought(results)
            case Forgotten(tombstones=tombstones):
                self._above.forgotten(tombstones)
            case Keep(facts=facts):
                self.replication.asked_to_keep(sender, message)
                self.quorum.brought(facts.results)
            case Audit():
                self.replication.audited(sender, message)
            case Kept():
                self.keepers.kept(sender, message)
            case Fetch():
                if message.purpose is Purpose.AUDIT:
                    self.keepers.is_fetching(sender, message.number)
                self._turn.act(Deliver(sender, message))
            case Delivery():
                self._delivered(sender, message)
            case _:
                return False
        return True

    def _delivered(self, sender: NodeId, delivery: Delivery) -> None:
        self.replication.delivered(sender, delivery)
        if delivery.purpose is Purpose.INPUTS:
            for task, denied in self.fetcher.answered(delivery, self.bidding.claimed):
                self._above.nobody_has(task, denied)
        self.quorum.brought(delivery.results)

    def _heard_of_coordinators(self, event: Heard) -> None:
        now = self._turn.now
        match event.message:
            case WhoIsMaster():
                self._elect(self.election.on_who_is_master(event.sender))
            case StartElection():
                self._elect(self.election.on_start_election(event.sent, now))
            case Candidacy() as candidacy:
                self._elect(self.election.on_candidacy(candidacy, now))
            case NewMaster() as master:
                self._elect(self.election.on_new_master(master, event.sender))
            case TasksTransfer():
                self.comparing.transfer(event.sender)
            case _:
                pass

    # Nodes that come and go.

    def _follow(self, answers: list[Told]) -> None:
        """Do what membership says, and let everything follow from who lives."""
        assert self.members is not None
        for answer in answers:
            match answer:
                case Send():
                    self._turn.act(answer)
                case BeatDue():
                    self._beat()
                case Joined(node=node) | Returned(node=node):
                    self._came(node)
                case Restarted(node=node, boot=boot):
                    self.lease_expiry.started_anew(node, boot)
                    self._came(node)
                case Died(node=node) | Left(node=node):
                    self._gone(node)
                case Suspected() | Refuted() | Superseded():
                    pass

    def _came(self, node: NodeId) -> None:
        assert self.members is not None
        was_alone = not self._peers.others
        self._regroup()
        self.election.member_alive(node)
        self.keepers.came(node)
        self.quorum.came(node)
        self._note_neighbours()
        if was_alone:
            self.keepers.keep_elsewhere()
            # What waits has to be won from now on, and what others lack is found out by digests.
            for task in self._replica.tasks:
                self._turn.touch(task)
            self._elect(self.election.need(self._turn.now))

    def _gone(self, node: NodeId) -> None:
        self._regroup()
        self.digests.forget(node)
        self._elect(self.election.member_died(node, self._turn.now))
        self.lease_expiry.gone(node)
        self._peers.said(node, drains=False)
        self.re_replication.gone(node)
        self._clocks.gone(node)
        self._note_neighbours()
        self.keepers.keep_elsewhere()
        if not self._peers.others:
            self.questions.left_alone()

    def _regroup(self) -> None:
        assert self.members is not None
        self._peers.regroup(self.members.others())
        self.questions.regrouped(1 + len(self._peers.others))

    def _note_neighbours(self) -> None:
        if self._peers.others != self._neighbours:
            self._neighbours = self._peers.others
            self._turn.persist(Note(()), NeighboursMet(self._neighbours))

    def _beat(self) -> None:
        assert self.members is not None
        closed = self._draining.on or self._readiness.trouble
        beat = self.members.heartbeat(
            self._turn.now,
            self._lanes.capacity,
            0.0 if closed else max(self._lanes.free.cpus, 0.0),
            self.in_hand.leases(),
            self.digests.total(),
            self.election.claim,
            draining=self._draining.on,
        )
        for neighbour in beat.to:
            self._turn.act(Send(neighbour, beat.heartbeat, promises=False))

    def _beat_heard(self, beat: Heartbeat) -> None:
        member = self.members.member(beat.node) if self.members is not None else None
        if member is None or member.heartbeat is not beat:
            return
        self._peers.said(beat.node, drains=beat.draining)
        self._elect(self.election.on_heartbeat(beat))
        compare = self.digests.heard(beat.node, beat.digest, self._turn.now)
        if compare is not None:
            self._send(beat.node, compare)
        self.lease_expiry.claims_heard(beat.node, beat.leases)

    def _elect(self, outcomes: list[Send | Elected | SteppedDown]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Send):
                self._turn.act(outcome)
            elif isinstance(outcome, Elected):
                if outcome.claim.node != self._turn.name:
                    self._send(outcome.claim.node, TasksTransfer())
                self.election.served()

    # Time.

    def tick(self) -> None:
        self.bidding.tick()
        self.lease_expiry.tick()
        self.quorum.tick()
        if self.members is None:
            return
        self._follow(self.members.tick(self._turn.now))
        delivery_s = self.members.delivery_s() or WINDOW_UNKNOWN_S
        self.election.window_s = WINDOW_DELIVERIES * delivery_s
        self.election.map_size = len(self._replica.tasks)
        self._elect(self.election.tick(self._turn.now))
        self.questions.tick(delivery_s)
        self.keepers.keep_elsewhere()
        self.re_replication.tick()
        self.fetcher.tick()

    def next_deadline(self) -> float | None:
        on_network = () if self.members is None else (self.members.next_deadline(), self.election.next_deadline())
        return soonest(
            *on_network,
            self.quorum.next_deadline(),
            self.bidding.next_deadline(),
            self.lease_expiry.next_deadline(),
            self.questions.next_deadline(),
            self.keepers.next_deadline(),
            self.re_replication.next_deadline(),
            self.fetcher.next_deadline(),
        )

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return the tables that others can fill, each with its size and its limit."""
        if self.members is None:
            return {}
        living, gone = self.members.sizes()
        return {
            "members": (living, MEMBERS_MAX),
            "gone": (gone, GONE_MAX),
            "bids": (self.bidding.size, BIDS_MAX),
            "finished": (len(self.finished_tasks), FINISHED_TASKS_MAX),
            "unknown": (self.questions.size, UNKNOWN_TASKS_MAX),
            "wanted": (self.quorum.size, HOLDS_WANTED_MAX),
        }

    def check(self) -> None:
        self.bidding.check()
        if self.members is not None:
            self.members.check()
            self.election.check()
            self.questions.check()

    def _send(self, to: NodeId, message: Message) -> None:
        self._turn.act(Send(to, message))
