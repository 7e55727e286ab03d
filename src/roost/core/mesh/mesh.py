"""The node among others: it hears them, follows who lives, and has its work kept by them.

Rules
- Alone, or without a network at all, nothing of this costs anything: no copy, no bid, no waiting.
- Every message is taken for what it says, whenever it comes (wire/messages.py). What it names and has left memory is
  looked up on disk first; what was never heard of is asked for (unknown_tasks.py).
- A submission is answered, and a result accepted, when another node keeps it, too (data/write_acknowledgement.py).
- A newcomer asks the coordinator for everything; if nobody answers, anti-entropy (digests.py) brings it all the same.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from roost.core.actions import Deliver, LookUp, Reply, Send
from roost.core.data.fetch import Fetching
from roost.core.data.re_replication import Audit, ReReplication
from roost.core.data.write_acknowledgement import Acknowledgements, Confirmed
from roost.core.events import Heard
from roost.core.facts import NeighboursMet
from roost.core.mesh.anti_entropy.comparing import Comparing
from roost.core.mesh.anti_entropy.finished_tasks import FinishedTasks
from roost.core.mesh.anti_entropy.unknown_tasks import AnswerEverybody, AskEverybody, Known, Strategy, UnknownTasks
from roost.core.mesh.contest.bidding import Bidding
from roost.core.mesh.contest.direct_placement import DirectPlacement
from roost.core.mesh.election import Elected, Election, SteppedDown
from roost.core.mesh.membership.members import Died, Joined, Left, Refuted, Restarted, Returned, Suspected
from roost.core.mesh.membership.membership import Answer as Told
from roost.core.mesh.membership.membership import BeatDue, Membership, Superseded
from roost.core.mesh.named_records import not_in_memory
from roost.core.mesh.pending_reply import PendingReply
from roost.core.mesh.quorum.quorum import Quorum
from roost.core.queue.draining import drains
from roost.core.queue.lease_progress import lease_running_s, progress_of
from roost.core.tickets import Note, Outcome, ResultOffer, Submission
from roost.model.chance import Chance
from roost.model.clock import soonest
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.limits import (
    BIDS_MAX,
    FINISHED_TASKS_MAX,
    GONE_MAX,
    HOLDS_WANTED_MAX,
    MEMBERS_MAX,
    UNKNOWN_TASKS_MAX,
)
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.model.task import TaskSpec
from roost.policy.window import WINDOW_DELIVERIES, WINDOW_UNKNOWN_S, window_s
from roost.wire.ballots import Held, Hold, Outvoted, Prepare, Promised
from roost.wire.messages import (
    AlreadyFinished,
    Bid,
    BucketDigests,
    Candidacy,
    DoYouKnow,
    Fetch,
    Heartbeat,
    Hello,
    Kept,
    Members,
    Message,
    NewMaster,
    Records,
    RunDigests,
    RunningLease,
    StartElection,
    TaskDigests,
    TasksTransfer,
    WhoIsMaster,
)

if TYPE_CHECKING:
    from roost.core.node import Node

#: How long a node waits for those who were there in its last life, or whom it has heard before it knows them, if it has
#: something that they should keep. Longer: a slow network costs no promise. Shorter: a machine that was carried away is
#: less slow for a moment.
EXPECT_S = 2.0
#: How long after somebody came or went all nodes have surely heard of it. Longer: large arrays begin with contests for
#: longer. Shorter: nodes that count differently take the same elements.
SETTLED_S = 1.0
#: What waits for a copy: the answer to a submission, elements that are to be accepted, data that may be here only.
_Waiting: TypeAlias = PendingReply | ResultOffer | Audit


class Surroundings(msgspec.Struct, frozen=True):
    """What a node on a network starts with."""

    chance: Chance
    #: Where others can reach it.
    address: str = ""
    #: How it behaved in earlier lives; the fewer failures, the better (LAN 3.6.1).
    reputation: int = 0
    #: Whether it asks about tasks that it has never heard of.
    strategy: Strategy = Strategy.ALWAYS


class Mesh:
    def __init__(self, node: "Node", surroundings: Surroundings | None) -> None:
        self._node = node
        #: All other nodes that live, sorted.
        self.others: tuple[NodeId, ...] = ()
        #: Since when they are these.
        self._others_since = 0.0
        self.acknowledgements: Acknowledgements[_Waiting] = Acknowledgements(node.name, node.boot)
        self.quorum = Quorum(node, None if surroundings is None else surroundings.chance)
        self.fetching = Fetching()
        self.re_replication = ReReplication(node)
        self.bidding = Bidding(node)
        self.comparing = Comparing(node)
        self.direct_placement = DirectPlacement(node)
        self.finished_tasks = FinishedTasks()
        #: Who was there, by what was written last.
        self._neighbours: tuple[NodeId, ...] = ()
        self.members: Membership | None = None
        if surroundings is not None:
            self._take_place(surroundings)

    def _take_place(self, surroundings: Surroundings) -> None:
        node = self._node
        self.members = Membership(node.name, node.boot, surroundings.address, surroundings.chance)
        self.unknown_tasks = UnknownTasks(
            surroundings.chance, self.finished_tasks, surroundings.strategy, delivery_s=WINDOW_UNKNOWN_S
        )
        self.election = Election(
            node.name, surroundings.reputation, lambda _: node.stamp(), window_s=WINDOW_DELIVERIES * WINDOW_UNKNOWN_S
        )

    @property
    def has_company(self) -> bool:
        """Whether somebody else is there, or is expected in a moment."""
        return bool(self.others) or (self.members is not None and self._node.now < self.acknowledgements.alone_after)

    def accepted_alone(self, run: RunId) -> None:
        """Something of this run is on this disk only, until somebody comes."""
        if self.members is not None:
            self.re_replication.audit(run)

    def is_settled(self) -> bool:
        """Whether nobody has come or gone of late, so that all nodes count the same ones."""
        return self._node.now - self._others_since >= SETTLED_S

    def window_s(self) -> float:
        """Return how long a bidder waits for the bids of others."""
        return window_s(None if self.members is None else self.members.delivery_s(), len(self.others))

    # Copies.

    def submitted(self, change: Submission, reply: Reply) -> None:
        """A submission is on this disk: tell all, and answer it when it is on another's."""
        handed = self.direct_placement.hand_on(change.event.tasks) if self.others else ()
        records = msgspec.structs.replace(change.records, handed=handed)
        waits = self._node.replication.submitted(records)
        run, safe = change.event.run.id, change.event.safe
        answer = PendingReply(run, reply, safe)
        self.ask_to_keep(run, self._node.name, records, answer, promises=waits, wanted=max(safe - 1, 1))

    def answered(self, records: Records, reply: Reply) -> None:
        """A person's answer is on this disk: confirm it when it is on another's."""
        run = run_of(records.results[0][0])
        self.ask_to_keep(run, self._node.name, records, PendingReply(run, reply))

    def offer(self, change: ResultOffer) -> None:
        """Elements are finished, and their results are on this disk: have another node keep and accept them."""
        spec = self._node.replica.tasks[change.task].spec
        self.ask_to_keep(spec.run, spec.submitted.node, change.records, change)

    def offered(self, task: TaskId) -> list[Elements]:
        """Return what this node has finished of a task and nobody has accepted yet."""
        return [
            waiting.delta
            for waiting in self.acknowledgements.waiting()
            if isinstance(waiting, ResultOffer) and waiting.task == task
        ]

    def ask_to_keep(
        self, run: RunId, home: NodeId, records: Records, waiting: _Waiting, *, promises: bool = True, wanted: int = 1
    ) -> None:
        """Have other nodes keep something, ``home`` if it is there; what waits for that goes on afterwards."""
        lasting, others = not isinstance(waiting, Audit), self.keepers(home)
        if len(others) < wanted:
            others = self.others
        if not lasting and self._node.draining.on:
            others = self.staying
        asked = self.acknowledgements.ask(
            run, home, records, waiting, others, self._node.now, lasting=lasting, wanted=wanted
        )
        if asked is None:
            self._nobody_keeps(waiting, 0)
        else:
            keepers, copy = asked
            for keeper in keepers:
                self._node.act(Send(keeper, copy, promises=promises))

    @property
    def staying(self) -> tuple[NodeId, ...]:
        """Return the other nodes that do not drain, as far as is known."""
        return tuple(other for other in self.others if not drains(self._node, other))

    def is_unanswered(self, run: RunId) -> bool:
        """Whether somebody who handed something of a run in here waits for the answer."""
        return any(
            isinstance(waiting, PendingReply) and waiting.run == run for waiting in self.acknowledgements.waiting()
        )

    def keepers(self, home: NodeId) -> tuple[NodeId, ...]:
        """Return whom to ask to keep something of a run that was handed in at ``home``, whose owner waits there.

        Who drains is about to go, and keeps nothing else while somebody stays.
        """
        staying = tuple(other for other in self.others if other == home or not drains(self._node, other))
        return staying or self.others

    def _nobody_keeps(self, waiting: _Waiting, keepers: int) -> None:
        """There is nobody else, or nobody but ``keepers``: that has to do. Or an audit is out of date."""
        if isinstance(waiting, Audit):
            self.re_replication.give_up(waiting)
        else:
            if isinstance(waiting, PendingReply) and not keepers:
                self.accepted_alone(waiting.run)
            self._goes_on(waiting, None, keepers)

    def _is_kept(self, keeper: NodeId, kept: Confirmed[_Waiting], word: Kept) -> None:
        self._node.draining.heard(keeper, drains=word.draining)
        self.re_replication.told(keeper, kept.records, stays=not word.draining)
        if isinstance(kept.waiting, Audit):
            self.re_replication.confirmed(keeper, kept.waiting, stays=not word.draining)
        elif kept.waiting is not None:
            self._goes_on(kept.waiting, word, kept.keepers)
        else:
            # More are wanted; perhaps there are no more.
            self._keep_elsewhere()

    def _goes_on(self, waiting: PendingReply | ResultOffer, word: Kept | None, keepers: int) -> None:
        """What waited for a keeper's ``word`` goes on; without one, because there are no more than so many."""
        if isinstance(waiting, PendingReply):
            self._node.act(waiting.on_disks(1 + keepers))
        elif word is None:
            self._node.offer_accepted(waiting, Outcome(waiting.task, waiting.delta, alone=True))
        else:
            accepted = waiting.delta.without(dict(word.refused).get(waiting.task, EMPTY))
            self._node.offer_accepted(waiting, Outcome(waiting.task, accepted, is_told=True, at=word.at))

    # Hearing.

    def start(self, expected: Sequence[NodeId] = ()) -> None:
        """Say hello. If others are ``expected``, because they were there in the last life, wait a little for them."""
        if self.members is not None:
            self._neighbours = tuple(expected)
            if expected:
                self.acknowledgements.alone_after = self._node.now + EXPECT_S
            self._follow(self.members.start(self._node.now))

    def leave(self) -> None:
        """Say goodbye to all."""
        if self.members is not None:
            self._follow(self.members.leave(self._node.now))

    def move(self, address: str) -> None:
        """This node can be reached elsewhere now."""
        if self.members is not None:
            self._follow(self.members.move(address, self._node.now))

    def heard(self, event: Heard, *, looked_up: bool = False) -> None:
        """Another node said something. ``looked_up``: what it names was sought on disk already."""
        if self.members is None or event.sender == self._node.name:
            return
        if isinstance(event.message, Records):
            event = Heard(event.sender, event.sent, self._node.tombstones.sift(event.message))
        if not looked_up and (wanted := not_in_memory(self._node, event.message)):
            self._node.act(LookUp(*wanted, event, whole=isinstance(event.message, RunDigests | TaskDigests)))
            return
        if not self._heard_of_nodes(event) and not self._heard_of_work(event.sender, event.message):
            self._heard_of_coordinators(event)

    def _heard_of_nodes(self, event: Heard) -> bool:
        sender, message, now = event.sender, event.message, self._node.now
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
                if not self.others:
                    # Somebody is there, though nobody is known yet: what came of his work is not for this disk only.
                    self.acknowledgements.alone_after = max(self.acknowledgements.alone_after, now + EXPECT_S)
                self._follow(self.members.heard(sender, now))
                return False
        return True

    def _heard_of_work(self, sender: NodeId, message: Message) -> bool:
        match message:
            case Records():
                self._node.tombstones.heard(message.forgotten)
                self._node.replication.take(sender, message)
                self._answered(message)
                self.quorum.brought(message)
            case Kept(number=number):
                kept = self.acknowledgements.kept(sender, number, self._node.now)
                if kept is not None:
                    self._is_kept(sender, kept, message)
            case Bid():
                self.bidding.heard(message)
            case Fetch(number=number):
                self.acknowledgements.is_fetching(sender, -number, self._node.now)
                self._node.act(Deliver(sender, message))
            case BucketDigests():
                self.comparing.buckets_heard(sender, message)
            case RunDigests():
                self.comparing.runs_heard(sender, message)
            case TaskDigests():
                self.comparing.tasks_heard(sender, message)
            case DoYouKnow(task=task):
                self._asked_about(sender, task)
            case AlreadyFinished(task=task):
                self.unknown_tasks.answered(task, self._node.now)
            case Prepare() | Promised() | Hold() | Held() | Outvoted():
                self.quorum.heard(sender, message)
            case _:
                return False
        return True

    def _heard_of_coordinators(self, event: Heard) -> None:
        now = self._node.now
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
                    self._node.act(answer)
                case BeatDue():
                    self._beat()
                case Joined(node=node) | Returned(node=node):
                    self._came(node)
                case Restarted(node=node, boot=boot):
                    self._node.lease_expiry.started_anew(node, boot)
                    self._came(node)
                case Died(node=node) | Left(node=node):
                    self._gone(node)
                case Suspected() | Refuted() | Superseded():
                    pass

    def _came(self, node: NodeId) -> None:
        assert self.members is not None
        was_alone = not self.others
        self._regroup()
        self.election.member_alive(node)
        self.acknowledgements.came(node)
        self.quorum.came(node)
        self._note_neighbours()
        if was_alone:
            self._keep_elsewhere()
            self._node.no_longer_alone()
            self._elect(self.election.need(self._node.now))

    def _gone(self, node: NodeId) -> None:
        self._regroup()
        self._node.digests.forget(node)
        self._elect(self.election.member_died(node, self._node.now))
        self._node.lease_expiry.gone(node)
        self._node.draining.heard(node, drains=False)
        self.re_replication.gone(node)
        self._node.clocks.gone(node)
        self._note_neighbours()
        self._keep_elsewhere()
        if not self.others:
            self.unknown_tasks.left_alone()

    def _regroup(self) -> None:
        assert self.members is not None
        self.others = self.members.others()
        self._others_since = self._node.now
        self._node.stir()
        self.unknown_tasks.nodes = 1 + len(self.others)

    def _note_neighbours(self) -> None:
        if self.others != self._neighbours:
            self._neighbours = self.others
            self._node.persist(Note(()), NeighboursMet(self.others))

    def _beat(self) -> None:
        assert self.members is not None
        node = self._node
        lanes = node.scheduler.lanes
        beat = self.members.heartbeat(
            node.now,
            lanes.capacity,
            0.0 if node.draining.on or node.trouble else max(lanes.free.cpus, 0.0),
            self.leases(),
            node.digests.total(),
            self.election.claim,
            draining=node.draining.on,
        )
        for neighbour in beat.to:
            node.act(Send(neighbour, beat.heartbeat, promises=False))

    def leases(self) -> tuple[RunningLease, ...]:
        """Return everything that this node has in hands: what runs, and what is finished and not accepted yet."""
        node = self._node
        held = []
        for lease in node.leases.active.values():
            lease.told, note = progress_of(node, lease)
            running_s = lease_running_s(node, lease)
            held.append(RunningLease(lease.spec.id, lease.token, lease.outstanding, lease.told, running_s, note))
        for waiting in self.acknowledgements.waiting():
            if isinstance(waiting, ResultOffer):
                for state, ranges in waiting.delta.items():
                    held.append(RunningLease(waiting.task, state.token, ranges, 1.0))
        return (*held, *self.quorum.leases())

    def _beat_heard(self, beat: Heartbeat) -> None:
        member = self.members.member(beat.node) if self.members is not None else None
        if member is None or member.heartbeat is not beat:
            return
        node = self._node
        node.draining.heard(beat.node, drains=beat.draining)
        self._elect(self.election.on_heartbeat(beat))
        compare = node.digests.heard(beat.node, beat.digest, node.now)
        if compare is not None:
            self._send(beat.node, compare)
        node.lease_expiry.claims_heard(beat.node, beat.leases)

    # Records that others lack.

    def ask_about(self, task: TaskId) -> None:
        """A message named a task that was never heard of here."""
        if self._node.tombstones.has_forgotten(run_of(task)):
            return
        self.unknown_tasks.unknown(task, self._node.now)

    def ask_no_more(self, run: RunId) -> None:
        """A run was forgotten, whatever others have said of it."""
        if self.members is not None:
            self.unknown_tasks.forget_run(run)

    def _asked_about(self, sender: NodeId, task: TaskId) -> None:
        forgotten = self._node.tombstones.answer(task)
        if forgotten is not None:
            self._send(sender, forgotten)
        else:
            self.unknown_tasks.asked(task, self._node.now, self._knows(task))

    def _knows(self, task: TaskId) -> Known:
        if task not in self._node.replica.tasks:
            return Known.NO
        return Known.ENDED if self._node.dataflow.has_ended(task) else Known.OPEN

    def _elect(self, outcomes: list[Send | Elected | SteppedDown]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Send):
                self._node.act(outcome)
            elif isinstance(outcome, Elected):
                if outcome.claim.node != self._node.name:
                    self._send(outcome.claim.node, TasksTransfer())
                self.election.served()

    # Data.

    def fetch(self, spec: TaskSpec, ranges: RangeSet) -> None:
        """Ask for what these elements need and this node has not."""
        node = self._node
        lacking = node.inventory.lacking(spec, ranges)
        likely = [spec.submitted.node]
        for source, _ in lacking.results:
            made = node.replica.tasks[source].elements.items()
            likely += [state.node for state, _ in made if isinstance(state, Done)]
        asked = self.fetching.want(spec.id, lacking, likely, self.others, node.now)
        if asked is not None:
            self._send(*asked)

    def _answered(self, records: Records) -> None:
        task = self.fetching.task_of(records.answers)
        if task is None:
            return
        node = self._node
        spec = node.replica.tasks[task].spec
        lacking = node.inventory.lacking(spec, self.bidding.claimed(task))
        asked = self.fetching.answered(records.answers, lacking, node.now, more=records.more)
        if asked is not None:
            self._send(*asked)
        for waiting, denied in self.fetching.take_denied():
            node.losses.nobody_has(waiting, denied)

    # Time.

    def tick(self) -> None:
        node = self._node
        self.bidding.tick()
        node.lease_expiry.tick()
        self.quorum.tick()
        if self.members is None:
            return
        self._follow(self.members.tick(node.now))
        delivery_s = self.members.delivery_s() or WINDOW_UNKNOWN_S
        self.unknown_tasks.delivery_s = delivery_s
        self.election.window_s = WINDOW_DELIVERIES * delivery_s
        self.election.map_size = len(node.replica.tasks)
        self._elect(self.election.tick(node.now))
        for saying in self.unknown_tasks.tick(node.now):
            self._say(saying)
        self._keep_elsewhere()
        self.re_replication.tick()
        for holder, fetch in self.fetching.tick(self.others, node.now):
            self._send(holder, fetch)

    def _say(self, saying: AskEverybody | AnswerEverybody) -> None:
        if isinstance(saying, AskEverybody):
            self._node.act(Send(None, DoYouKnow(saying.task), promises=False))
        elif saying.finished:
            self._node.act(Send(None, AlreadyFinished(saying.task)))
        else:
            for records in self.comparing.all_of(run_of(saying.task)):
                self._node.act(Send(None, records))

    def _keep_elsewhere(self) -> None:
        """Ask others to keep what a silent or dead keeper has not confirmed."""
        again, over = self.acknowledgements.tick(self.others, self._node.now)
        for keeper, records in again:
            self._send(keeper, records)
        for waiting, keepers in over:
            self._nobody_keeps(waiting, keepers)

    def next_deadline(self) -> float | None:
        if self.members is None:
            return soonest(
                self.bidding.next_deadline(), self._node.lease_expiry.next_deadline(), self.quorum.next_deadline()
            )
        return soonest(
            self.quorum.next_deadline(),
            self.bidding.next_deadline(),
            self._node.lease_expiry.next_deadline(),
            self.members.next_deadline(),
            self.election.next_deadline(),
            self.unknown_tasks.next_deadline(),
            self.acknowledgements.next_deadline(),
            self.re_replication.next_deadline(),
            self.fetching.next_deadline(),
        )

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return the tables that others can fill, each with its size and its limit."""
        if self.members is None:
            return {}
        living, gone = self.members.sizes()
        return {
            "members": (living, MEMBERS_MAX),
            "gone": (gone, GONE_MAX),
            "bids": (self.bidding.contest.size, BIDS_MAX),
            "finished": (len(self.finished_tasks), FINISHED_TASKS_MAX),
            "unknown": (self.unknown_tasks.size, UNKNOWN_TASKS_MAX),
            "wanted": (self.quorum.size, HOLDS_WANTED_MAX),
        }

    def check(self) -> None:
        self.bidding.contest.check()
        if self.members is not None:
            self.members.check()
            self.election.check()
            self.unknown_tasks.check()

    def _send(self, to: NodeId, message: Message) -> None:
        self._node.act(Send(to, message))
