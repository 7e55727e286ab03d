"""A small network of elections and repairs: clocks that are off, messages lost and doubled, cuts, deaths, returns.

Messages cross it as bytes, in envelopes. Membership is as plain as can be: every node beats, and who was not heard for
SILENCE_S is dead. Everything follows from the seed.
"""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from random import Random

from roost.core.actions import Send
from roost.core.mesh.anti_entropy.finished_tasks import FinishedTasks
from roost.core.mesh.anti_entropy.unknown_tasks import AnswerEverybody, AskEverybody, Known, Strategy, UnknownTasks
from roost.core.mesh.election import Elected, Election, Outcome, SteppedDown
from roost.model.clock import Stamp, observe, tick, zero
from roost.model.ids import NodeId, TaskId
from roost.model.resources import Capacity
from roost.model.task import TaskSpec
from roost.wire.messages import (
    MESH_VERSION,
    AlreadyFinished,
    Bid,
    Candidacy,
    DoYouKnow,
    Envelope,
    Facts,
    Heartbeat,
    Message,
    NewMaster,
    StartElection,
    TasksTransfer,
    WhoIsMaster,
    open_envelope,
    pack_envelope,
)

#: A message takes as long as this, and up to JITTER times as much again.
DELIVERY_S = 0.001
JITTER = 2.0
WINDOW_S = 6 * DELIVERY_S
BEAT_S = 0.1
SILENCE_S = 1.5
OFFERS = Capacity.of(1.0, 0, "3.11")


class Member:
    """One node in one life: its machines, and what they need to know of the world."""

    def __init__(self, name: NodeId, reputation: int, skew_s: float, seed: str) -> None:
        self.name = name
        self.skew_s = skew_s
        self.stamp = zero(name)
        self.election = Election(name, reputation, self._next_stamp, window_s=WINDOW_S)
        self.finished = FinishedTasks()
        self.repair = UnknownTasks(Random(seed), self.finished, Strategy.ALWAYS, delivery_s=2 * DELIVERY_S)
        self.tasks: dict[TaskId, TaskSpec] = {}
        #: When each node that is thought to live was last heard, in the world's time.
        self.heard: dict[NodeId, float] = {}
        self.beats = 0
        #: Whether it waits for the state of the others.
        self.joining = False
        #: The next time at which the machines are to be woken, in the world's time.
        self.wakes_at: float | None = None

    def _next_stamp(self, now: float) -> Stamp:
        self.stamp = tick(self.stamp, now)
        return self.stamp

    def beat(self, *, with_claim: bool) -> Heartbeat:
        claim = self.election.claim if with_claim else None
        return Heartbeat(self.name, 1, 1, self.beats, OFFERS, 1.0, coordinator=claim)

    def knows(self, task: TaskId) -> Known:
        return Known.OPEN if task in self.tasks else Known.NO


class Neighbourhood:
    def __init__(
        self,
        reputations: dict[str, int],
        *,
        seed: int = 0,
        loss: float = 0.0,
        doubling: float = 0.0,
        jitter: float = JITTER,
        skew_s: float = 0.0,
        claims_reach: int | None = None,
    ) -> None:
        """``claims_reach``: how many neighbours on the ring see the claims in a node's heartbeats; all by default."""
        self.time = 0.0
        self.loss, self.doubling, self.jitter = loss, doubling, jitter
        #: What was said, except heartbeats: when, by whom, to whom (None: all), what.
        self.said: list[tuple[float, NodeId, NodeId | None, Message]] = []
        self.story: list[str] = []
        self.members: dict[NodeId, Member] = {}
        self._seed = seed
        self._skew_s = skew_s
        self._claims_reach = claims_reach
        self._random = Random(f"{seed}/network")
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._sequence = 0
        self._side: dict[NodeId, int] = {}
        #: Nodes to which the next message that is no heartbeat is lost.
        self.deaf_once: set[NodeId] = set()
        for name, reputation in reputations.items():
            self.start(name, reputation)
        for member in self.members.values():
            for other in self.members:
                self._meet(member, other)

    # What happens to nodes.

    def start(self, name: str, reputation: int = 0) -> Member:
        """A node comes, or comes back with nothing in its memory."""
        node = NodeId(name)
        skew_s = 1000.0 + self._random.uniform(0, self._skew_s)
        self.members[node] = member = Member(node, reputation, skew_s, f"{self._seed}/{name}/{self.time}")
        self._at(self._random.uniform(0, BEAT_S), lambda: self._beat(member))
        return member

    def kill(self, name: str) -> None:
        del self.members[NodeId(name)]

    def cut(self, *groups: Iterable[str]) -> None:
        self._side = {NodeId(name): side for side, group in enumerate(groups) for name in group}

    def heal(self) -> None:
        self._side = {}

    def need(self, name: str) -> None:
        member = self.members[NodeId(name)]
        self._perform(member, member.election.need(self._now(member)))

    def join(self, name: str) -> None:
        """The node wants the state of the others (LAN 3.6.3)."""
        member = self.members[NodeId(name)]
        member.joining = True
        self.need(name)
        if member.election.claim is not None:
            self._send(member, member.election.claim.node, TasksTransfer())

    def enqueue(self, name: str, spec: TaskSpec) -> None:
        member = self.members[NodeId(name)]
        member.tasks[spec.id] = spec
        self._send(member, None, Facts(tasks=(spec,)), f"ENQUEUE {spec.id}")

    def broadcast(self, name: str, message: Message) -> None:
        self._send(self.members[NodeId(name)], None, message)

    # How it goes on.

    def run(self, seconds: float) -> None:
        until = self.time + seconds
        while self._heap and self._heap[0][0] <= until:
            self.time, _, happen = heappop(self._heap)
            happen()
        self.time = until

    def coordinators(self) -> set[NodeId | None]:
        """Return whom the nodes hold to be the coordinator; those in office count as holding themselves so."""
        believed = (member.election.claim for member in self.members.values())
        return {None if claim is None else claim.node for claim in believed}

    def in_office(self) -> list[NodeId]:
        return [name for name, member in self.members.items() if member.election.office]

    def _at(self, delay_s: float, happen: Callable[[], None]) -> None:
        self._sequence += 1
        heappush(self._heap, (self.time + delay_s, self._sequence, happen))

    def _now(self, member: Member) -> float:
        return self.time + member.skew_s

    def _lives(self, member: Member) -> bool:
        return self.members.get(member.name) is member

    # Membership.

    def _meet(self, member: Member, other: NodeId) -> None:
        if other != member.name:
            if other not in member.heard:
                member.election.member_alive(other)
            member.heard[other] = self.time
            member.repair.nodes = len(member.heard) + 1

    def _beat(self, member: Member) -> None:
        if not self._lives(member):
            return
        for other in [other for other, at in member.heard.items() if at + SILENCE_S < self.time]:
            del member.heard[other]
            self._perform(member, member.election.member_died(other, self._now(member)))
        member.beats += 1
        ring = sorted(self.members, key=lambda other: (other < member.name, other))
        near = ring[1:][: self._claims_reach]
        for other in self.members:
            self._deliver(member, other, member.beat(with_claim=other in near))
        self._at(BEAT_S, lambda: self._beat(member))

    # Messages.

    def _tell(self, what: str) -> None:
        self.story.append(f"at {1000 * self.time:<7.1f} {what}")

    def _send(self, sender: Member, to: NodeId | None, message: Message, words: str = "") -> None:
        self.said.append((self.time, sender.name, to, message))
        self._tell(f"{sender.name} to {to or 'all'}: {words or _words(message)}")
        for other in [to] if to else list(self.members):
            self._deliver(sender, other, message)

    def _deliver(self, sender: Member, to: NodeId, message: Message) -> None:
        stamp = sender._next_stamp(self._now(sender))
        data = pack_envelope(Envelope(MESH_VERSION, sender.name, NodeId(""), stamp, (message,)))
        for _ in range(1 if self._random.random() >= self.doubling else 2):
            lost = to == sender.name or self._side.get(sender.name) != self._side.get(to)
            if not isinstance(message, Heartbeat) and to in self.deaf_once:
                self.deaf_once.remove(to)
                lost = True
            if not lost and self._random.random() >= self.loss:
                delay_s = DELIVERY_S * (1 + self._random.random() * self.jitter)
                self._at(delay_s, lambda: self._arrive(to, open_envelope(data)))

    def _arrive(self, to: NodeId, envelope: Envelope) -> None:
        member = self.members.get(to)
        if member is None:
            return
        member.stamp = observe(member.stamp, envelope.sent)
        for message in envelope.messages:
            self._hear(member, message, envelope)

    def _hear(self, member: Member, message: Message, envelope: Envelope) -> None:
        election, now, sender = member.election, self._now(member), envelope.sender
        match message:
            case Heartbeat():
                self._meet(member, sender)
                self._perform(member, election.on_heartbeat(message))
            case NewMaster():
                self._perform(member, election.on_new_master(message, sender))
            case WhoIsMaster():
                self._perform(member, election.on_who_is_master(sender))
            case StartElection():
                self._perform(member, election.on_start_election(envelope.sent, now))
            case Candidacy():
                self._perform(member, election.on_candidacy(message, now))
            case _:
                self._hear_of_tasks(member, message, sender)
        self._wake_later(member)

    def _hear_of_tasks(self, member: Member, message: Message, sender: NodeId) -> None:
        now = self._now(member)
        match message:
            case DoYouKnow(task=task):
                member.repair.asked(task, now, member.knows(task))
            case AlreadyFinished(task=task):
                member.finished.remember(task, now)
                member.repair.answered(task, now)
            case TasksTransfer():
                for spec in member.tasks.values():
                    self._send(member, sender, Facts(tasks=(spec,)), f"ENQUEUE {spec.id}")
            case Facts(tasks=specs):
                for spec in specs:
                    member.tasks[spec.id] = spec
                    member.repair.answered(spec.id, now)
                claim = member.election.claim
                if member.joining and claim is not None and sender == claim.node:
                    member.joining = False
                    member.election.served()
            case Bid(task=task) if task not in member.tasks:
                member.repair.unknown(task, now)
            case _:
                pass

    # What machines want.

    def _perform(self, member: Member, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            match outcome:
                case Send(to=to, message=message):
                    self._send(member, to, message)
                case Elected(claim=claim):
                    self._tell(f"{member.name} has {claim.node} as coordinator")
                    if member.joining and claim.node != member.name:
                        self._send(member, claim.node, TasksTransfer())
                case SteppedDown():
                    self._tell(f"{member.name} steps down")
        self._wake_later(member)

    def _wake_later(self, member: Member) -> None:
        deadlines = (member.election.next_deadline(), member.repair.next_deadline())
        first = min((deadline for deadline in deadlines if deadline is not None), default=None)
        if first is None:
            return
        delay_s = max(0.0, first - self._now(member))
        if member.wakes_at is None or self.time + delay_s < member.wakes_at:
            member.wakes_at = self.time + delay_s
            self._at(delay_s, lambda: self._wake(member))

    def _wake(self, member: Member) -> None:
        if not self._lives(member):
            return
        member.wakes_at = None
        now = self._now(member)
        self._perform(member, member.election.tick(now))
        for saying in member.repair.tick(now):
            match saying:
                case AskEverybody(task=task):
                    self._send(member, None, DoYouKnow(task))
                case AnswerEverybody(task=task, finished=True):
                    self._send(member, None, AlreadyFinished(task))
                case AnswerEverybody(task=task):
                    self._send(member, None, Facts(tasks=(member.tasks[task],)))
        self._wake_later(member)


def _words(message: Message) -> str:
    """Return a message in the documents' words."""
    match message:
        case Candidacy(reputation=reputation, map_size=map_size):
            return f"TRY_TO_BE_MASTER reputation {reputation}, {map_size} tasks"
        case NewMaster(claim=claim):
            return f"NEW_MASTER {claim.node}"
        case WhoIsMaster():
            return "WHO_IS_MASTER"
        case StartElection():
            return "START_NEW_MASTER_ELECTION"
        case DoYouKnow(task=task):
            return f"DOYOUKNOWTHISELEMENT {task}"
        case AlreadyFinished(task=task):
            return f"ALREADYFINISHEDELEMENT {task}"
        case Facts(tasks=specs):
            return f"TAKEMYELEMENT {' '.join(spec.id for spec in specs)}"
        case TasksTransfer():
            return "TASKS_TRANSFER"
        case Bid(task=task):
            return f"TRY_DEQUEUE {task}"
        case _:
            return type(message).__name__
