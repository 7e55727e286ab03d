"""A company of real nodes in one test: messages wait until the test delivers, doubles or loses them; time is its own.

Every member plays driver, disk and executor as a Bench does. What a node says in promise is held until its disk has
what was written before, as the driver does. Messages cross as bytes, so that nothing is shared by accident.

``settle`` and ``wait`` deliver everything in its order, except what ``lost`` says or a cut takes; by hand, look for
``letters`` and ``deliver`` or ``lose`` them. ``hold`` lets time pass while all letters stay where they are, ``flow``
while each arrives at a moment of its own. What else is to happen at some moment is said ``later``.
"""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from heapq import heappop, heappush
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from roost.core.actions import Accepted, Action, Deliver, LookUp, Notify, Refused, Reply, Send
from roost.core.completion import ARCHIVE_GROUP
from roost.core.events import DeadlineReached, Event, Heard, Leaving, Recalled
from roost.core.mesh.anti_entropy.unknown_tasks import Strategy
from roost.core.mesh.mesh import Surroundings
from roost.core.node import Node
from roost.model.clock import Stamp
from roost.model.ids import NodeId, RunId, name_of, task_id
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done, Leased, State
from roost.policy.choose import Policy
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.policy.fcfs import first_come_first_served
from roost.sim.recall import recall
from roost.wire.messages import (
    MESH_VERSION,
    Audit,
    Delivery,
    Envelope,
    Facts,
    Forgotten,
    Keep,
    Message,
    open_envelope,
    pack_envelope,
)
from tests.core.harness import RUN, START_S, Bench

#: Seconds within which nodes that hear each other have certainly met, elected a coordinator and fallen silent.
MEETING_S = 3.0
#: The window of a node whose network takes no measurable time, and a little more.
WINDOW_S = 0.16
#: Seconds after which a killed node is certainly known to be dead.
DEATH_S = 4.0
#: Seconds within which nodes that differ have certainly compared their digests.
REPAIR_S = 6.0
#: How often a node may want the same deadline again.
SPINS_MAX = 100
#: Sums of times are not exact; a deadline is kept this much later.
_GRACE_S = 1e-6

NO_POLICIES: Mapping[str, Policy] = MappingProxyType({})
NOBODY_FAIR: Mapping[str, Fairness] = MappingProxyType({})

#: All that tells of runs and tasks, or brings their data.
RECORDS = Facts | Forgotten | Keep | Audit | Delivery


class Letter(NamedTuple):
    """One message on its way to one node."""

    number: int
    sender: str
    to: str
    data: bytes
    message: Message
    sent_at: float


class Member(Bench):
    """One node of a company, with its disk and its executor."""

    def __init__(
        self,
        company: "Company",
        name: str,
        *,
        cpus: float,
        strategy: Strategy,
        policy: Policy = first_come_first_served,
        fairness: Fairness = NO_FAIRNESS,
        archive_group: int = ARCHIVE_GROUP,
    ) -> None:
        self._company = company
        self._policy = policy
        self._fairness = fairness
        self._unsaid: list[tuple[int, Action]] = []
        #: The last tickets that are written or refused, and that are flushed.
        self._settled = self._flushed = 0
        self._found: list[Recalled] = []
        self._strategy = strategy
        #: Whether the disk flushes what it writes.
        self.flushes = True
        self.alive = True
        super().__init__(cpus=cpus, archive_group=archive_group, name=NodeId(name))

    @property
    def name(self) -> str:
        return self.disk.node

    def boot(self) -> None:
        self._unsaid.clear()
        self._settled = self._flushed = 0
        self.alive = True
        super().boot()

    def make_node(self) -> Node:
        chance = Random(f"{self.name}/{self.disk.boot}")
        medium = Surroundings(self.name, strategy=self._strategy)
        return Node(
            self.disk.node,
            self._capacity,
            self.disk.restore(),
            medium,
            chance=chance,
            policy=self._policy,
            fairness=self._fairness,
            archive_group=self._archive_group,
        )

    def feed(self, event: Event) -> None:
        self.now = self._company.now
        super().feed(event)
        while self._found:
            self.feed(self._found.pop(0))

    def write(self) -> None:
        self._settled = ticket = self._tickets[0]
        super().write()
        self._flush(ticket)

    def refuse(self) -> None:
        self._settled = last = self._tickets[-1]
        super().refuse()
        self._flush(last)

    def _flush(self, ticket: int) -> None:
        """What was written up to this ticket is safe, and what was held behind it leaves."""
        if not self.flushes:
            return
        self._flushed = max(self._flushed, ticket)
        while self._unsaid and self._unsaid[0][0] <= self._flushed:
            self._leave(self._unsaid.pop(0)[1])

    def flush_all(self) -> None:
        self.flushes = True
        self._flush(self._settled)

    def _perform(self, action: Action) -> None:
        match action:
            case LookUp(runs=runs, tasks=tasks, about=about, whole=whole):
                self._found.append(recall(self.disk, self.node.queue.replica, runs, tasks, about=about, whole=whole))
            case Deliver(to=to, fetch=fetch):
                self._company.post(self, Send(to, self.disk.answer(fetch, self.node.queue.replica.tasks)))
            case Send(promises=False):
                self._leave(action)
            case Send() | Reply() | Notify() if self._behind > self._flushed:
                self._unsaid.append((self._behind, action))
            case _:
                self._leave(action)

    @property
    def _behind(self) -> int:
        """The ticket on which what is said now may rest."""
        return self._tickets[-1] if self._tickets else self._settled

    def _leave(self, action: Action) -> None:
        if isinstance(action, Send):
            self._company.post(self, action)
        else:
            super()._perform(action)

    def stamp(self) -> Stamp:
        """Return a stamp for something that is submitted here now."""
        return self.node.stamp_at(self._company.now)

    # Looking.

    def answer(self, word: str) -> Accepted | Refused | None:
        """Return the answer to the last request of this kind, if it was answered."""
        causes = [cause for cause in self.outcomes if cause.startswith(f"{word}-")]
        return self.outcomes[causes[-1]] if causes else None

    def others(self) -> list[str]:
        return list(self.node.peers.others)

    def runs(self) -> list[str]:
        """Return what this node's executors have in hands, as task[elements]."""
        leases = self.node.queue.leases.in_hand()
        return sorted(f"{name_of(lease.spec.id)}[{lease.outstanding}]" for lease in leases)

    def knows(self, name: str, run: RunId = RUN) -> bool:
        return task_id(run, name) in self.node.queue.replica.tasks

    def state(self, name: str, index: int = 0, run: RunId = RUN) -> State | None:
        """Return the state of an element in this node's memory."""
        return self.node.queue.replica.tasks[task_id(run, name)].elements.at(index)

    def state_on_disk(self, name: str, index: int = 0, run: RunId = RUN) -> State | None:
        return self.disk.tasks[task_id(run, name)].elements.at(index)

    def holders(self, name: str, run: RunId = RUN) -> dict[str, str]:
        """Return who has leased which elements, as this node knows it."""
        held: dict[str, RangeSet] = {}
        for state, members in self.node.queue.replica.tasks[task_id(run, name)].elements.items():
            if isinstance(state, Leased):
                held[state.node] = held.get(state.node, EMPTY) | members
        return {node: str(members) for node, members in held.items()}

    def has_result(self, name: str, index: int = 0, run: RunId = RUN) -> bool:
        """Whether the accepted result of an element is on this disk."""
        state = self.state_on_disk(name, index, run)
        if not isinstance(state, Done):
            return False
        held = {(token, maker): part for token, maker, part in self.disk.holdings(task_id(run, name)).results}
        return index in held.get((state.token, state.node), EMPTY)


class Company:
    def __init__(
        self,
        *names: str,
        cpus: float = 1.0,
        no_room: Collection[str] = (),
        strategy: Strategy = Strategy.ALWAYS,
        policies: Mapping[str, Policy] = NO_POLICIES,
        fairness: Mapping[str, Fairness] = NOBODY_FAIR,
        meet: bool = True,
    ) -> None:
        """Start nodes that offer ``cpus`` each, some of them nothing, and let them meet unless told otherwise.

        ``policies``: what those want that do not just come first and are served first. ``fairness``: what owners have
        chosen who want any.
        """
        self.now = START_S
        self._policies = policies
        self._fairness = fairness
        self.strategy = strategy
        self.waiting: list[Letter] = []
        #: Everything that was ever said: who, and what.
        self.said: list[tuple[str, Message]] = []
        #: Pairs (from, to) over which nothing passes.
        self.cuts: set[tuple[str, str]] = set()
        #: Says which letters never arrive.
        self.lost: Callable[[Letter], bool] = lambda _: False
        self._numbers = itertools.count()
        #: What happens beside letters and deadlines, earliest first.
        self._planned: list[tuple[float, int, Callable[[], None]]] = []
        #: How often in a row deadlines were kept at one moment, and at which.
        self._spins, self._spun_at = 0, 0.0
        self.members: dict[str, Member] = {}
        for name in names:
            self.add(name, cpus=0.0 if name in no_room else cpus)
        if meet:
            self.wait(MEETING_S)
            for member in self.members.values():
                assert member.others() == sorted(set(names) - {member.name})
                member.seen()
            self.said.clear()

    def __getitem__(self, name: str) -> Member:
        return self.members[name]

    def add(self, name: str, *, cpus: float = 1.0, archive_group: int = ARCHIVE_GROUP) -> Member:
        # The node speaks while it starts, and is heard only by those who are there.
        policy = self._policies.get(name, first_come_first_served)
        member = Member(
            self,
            name,
            cpus=cpus,
            strategy=self.strategy,
            policy=policy,
            fairness=self._fairness.get(name, NO_FAIRNESS),
            archive_group=archive_group,
        )
        self.members[name] = member
        return member

    def living(self) -> list[Member]:
        return [member for member in self.members.values() if member.alive]

    # Letters.

    def post(self, sender: Member, send: Send) -> None:
        stamp = sender.node.stamp_at(self.now)
        receiver = NodeId("") if send.to is None else send.to
        data = pack_envelope(Envelope(MESH_VERSION, NodeId(sender.name), receiver, stamp, (send.message,)))
        self.said.append((sender.name, send.message))
        targets = [send.to] if send.to is not None else [name for name in self.members if name != sender.name]
        for to in targets:
            self.waiting.append(Letter(next(self._numbers), sender.name, to, data, send.message, self.now))

    def letters(self, kind: Any = object, *, of: str | None = None, to: str | None = None) -> list[Letter]:
        """Return the letters of a kind that wait, from or to whom."""
        return [
            letter
            for letter in self.waiting
            if isinstance(letter.message, kind) and of in (None, letter.sender) and to in (None, letter.to)
        ]

    def deliver(self, letters: Iterable[Letter]) -> None:
        """Let these letters arrive, in the order in which they are given."""
        chosen = list(letters)
        self.lose(chosen)
        for letter in chosen:
            self.arrive(letter)

    def lose(self, letters: Iterable[Letter]) -> None:
        gone = {letter.number for letter in letters}
        self.waiting = [letter for letter in self.waiting if letter.number not in gone]

    def arrive(self, letter: Letter) -> None:
        """Let a letter arrive; it may do so again."""
        member = self.members.get(letter.to)
        if member is not None and member.alive:
            envelope = open_envelope(letter.data)
            for message in envelope.messages:
                member.feed(Heard(envelope.sender, envelope.sent, message))

    def settle(self) -> None:
        """Deliver everything, and what follows from it, in no time."""
        while self.waiting:
            self._take_its_way(self.waiting[0])

    def _take_its_way(self, letter: Letter) -> None:
        """Let a letter arrive, unless it is lost."""
        self.lose([letter])
        if (letter.sender, letter.to) not in self.cuts and not self.lost(letter):
            self.arrive(letter)

    def said_by(self, name: str, kind: Any) -> list[Any]:
        """Return everything of a kind that a node has said."""
        return [message for sender, message in self.said if sender == name and isinstance(message, kind)]

    # Time and faults.

    def wait(self, seconds: float) -> None:
        """Let time pass; all deadlines are kept, and all letters arrive at once."""
        self.flow(seconds, lambda letter: letter.sent_at)

    def hold(self, seconds: float) -> None:
        """Let time pass while no letter arrives."""
        self.flow(seconds, lambda _: math.inf)

    def flow(self, seconds: float, arrives_at: Callable[[Letter], float]) -> None:
        """Let time pass; each letter arrives when this says, at one moment in the order in which they were sent."""
        end = self.now + seconds
        while (step := self._next_step(arrives_at)) is not None and step[0] <= end:
            self.now = max(self.now, step[0])
            step[1]()
        self.now = max(end, self.now)

    def later(self, seconds: float, happens: Callable[[], None]) -> None:
        """Let something happen when this time has passed."""
        heappush(self._planned, (self.now + seconds, next(self._numbers), happens))

    def _next_step(self, arrives_at: Callable[[Letter], float]) -> tuple[float, Callable[[], None]] | None:
        """Return what happens next, and when. At one moment letters come first, and deadlines last."""
        steps: list[tuple[float, Callable[[], None]]] = []
        if self.waiting:
            letter = min(self.waiting, key=arrives_at)
            steps.append((arrives_at(letter), partial(self._take_its_way, letter)))
        if self._planned:
            steps.append((self._planned[0][0], self._happen))
        steps += [
            (time + _GRACE_S, partial(self._reach_deadline, member))
            for member in self.living()
            if (time := member.node.next_deadline()) is not None
        ]
        return min(steps, key=lambda step: step[0], default=None)

    def _happen(self) -> None:
        _, _, happens = heappop(self._planned)
        happens()

    def _reach_deadline(self, member: Member) -> None:
        self._spins = self._spins + 1 if self.now == self._spun_at else 0
        self._spun_at = self.now
        assert self._spins < SPINS_MAX, f"{member.name} wants the same deadline for ever"
        member.feed(DeadlineReached())

    def kill(self, name: str) -> None:
        """End a node without a word; what its disk had not written is lost."""
        self.members[name].alive = False

    def leave(self, name: str) -> None:
        """Let a node say goodbye, and end it."""
        self.members[name].feed(Leaving())
        self.members[name].alive = False

    def boot(self, name: str) -> None:
        self.members[name].now = self.now
        self.members[name].boot()

    def cut(self, *names: str) -> None:
        """Let these hear nobody outside, and nobody outside them."""
        outside = [name for name in self.members if name not in names]
        for one, other in itertools.product(names, outside):
            self.cuts |= {(one, other), (other, one)}

    def heal(self) -> None:
        self.cuts.clear()

    # Work.

    def finish_all(self, *, each_s: float = 0.01, rounds_max: int = 200) -> None:
        """Let everything that runs be done, and wait for what starts next, until nothing starts any more."""
        idle = 0
        for _ in range(rounds_max):
            self.wait(WINDOW_S)
            idle = 0 if self.runs() else idle + 1
            if idle > 3:
                return
            for member in self.living():
                member.finish_all(each_s=each_s)
        raise AssertionError("there is no end to it")

    # Looking.

    def agree(self) -> bool:
        """Whether all who live know the same of all runs."""
        return len({member.node.queue.digests.total() for member in self.living()}) == 1

    def runs(self) -> dict[str, list[str]]:
        """Return who runs what, without those who run nothing."""
        return {member.name: running for member in self.living() if (running := member.runs())}
