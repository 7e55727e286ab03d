"""A world of the what-if: machines that come and go, work that waits, and the policy that real nodes ask.

As lab/worlds has it, with what real work and real machines have beside: arrays, what waits for what, several lanes,
different speeds, and tasks that do not fit everywhere.

Rules
- Nodes with room choose when something has changed, all at once; who is outbid chooses again, until each has what
  nobody else bids better for. Who bids first among equals is chance, as it is who hears of it first.
- What was bid for begins a window later, as on real nodes; what needs no contest, at once. Short elements have no wait:
  lanes compete for them before they are free.
- A node that dies aborts what it runs. Others notice that a while later; then it waits again. What another node
  attempts, too, goes on there.
- Who ends first counts, and ends all other attempts.
- Elements that a lane has taken together run one after the other.
- A world in which the work does not end, because nodes die over it again and again, is left after so many executions or
  so much time, and counts as not done.
- No data travel, nothing fails but machines, and people answer at once.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from random import Random
from typing import Final

from roost.lab.what_if.board import Board, Entry
from roost.lab.what_if.claims import Claims
from roost.lab.what_if.fitting import capabilities
from roost.lab.what_if.lives import life_of
from roost.lab.what_if.machines import Machine
from roost.lab.what_if.nodes import Lease, Node
from roost.lab.what_if.outcome import Outcome, Piece
from roost.lab.what_if.readiness import Readiness
from roost.lab.what_if.views import Living, PlainView, Running
from roost.lab.what_if.work import Work, draw_lengths
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.task import Needs
from roost.policy.bids import is_short
from roost.policy.catalogue import DEFAULT_POLICY
from roost.policy.choose import Abstain, BidFor, Choice, Repeat, Take, TakeReady, Underway
from roost.policy.company import company_of
from roost.policy.fairness_measures import jains_index, variance
from roost.policy.usual import USUAL
from roost.policy.window import window_s

#: How long a bidder waits for others where a message takes 5 ms, as in an office or a home.
WINDOW_S: Final = window_s(0.005, 1)
#: How long it takes in a calm mesh until a killed node is known dead (core/mesh/membership/suspicion.py).
NOTICED_S: Final = 1.9
#: Executions after which a world is left, for each element and beside that.
EXECUTIONS_MAX: Final = 20
EXECUTIONS_LEAST: Final = 1_000
#: The time after which it is left: a decade.
SPAN_MAX_S: Final = 10 * 365 * 86_400.0


class World:
    def __init__(
        self,
        policy: str,
        machines: Sequence[Machine],
        work: Work,
        seed: str,
        *,
        starts_at_s: float | None = None,
        keeps_pieces: bool = False,
    ) -> None:
        """``policy`` is the name of one; ``starts_at_s`` is where in the logs of machines the world begins."""
        self._policy = "" if policy == DEFAULT_POLICY else policy
        self._now = 0.0
        self._rng = Random(f"{seed}/contests")
        self._nodes = [Node(at, one, life_of(one, at, seed, starts_at_s)) for at, one in enumerate(machines)]
        self._places = {node.name: node.at for node in self._nodes}
        self._can_run = capabilities(machines, work)
        self._board = Board(work.tasks)
        self._readiness = Readiness(work.tasks)
        self._lengths = draw_lengths(work, seed)
        self._left = self._readiness.left
        self._executions_max = EXECUTIONS_MAX * self._left + EXECUTIONS_LEAST
        #: Who attempts what, the holder first, by the task and the element.
        self._underway: dict[tuple[int, int], list[Lease]] = {}
        #: Who made the result of a single step.
        self._makers: dict[int, NodeId] = {}
        #: Grows whenever a node that wanted nothing could want something.
        self._stirred = 0
        #: When; whether after all else of that instant; a number; and what.
        self._events: list[tuple[float, bool, int, str, object]] = []
        self._number = 0
        self._called: set[float] = set()
        self._living: Living | None = None
        self._aborted_s = self._repeated_s = 0.0
        self._executions = self._deaths = 0
        #: How much is left of each user's work, and what each has had.
        self._owners_left = dict.fromkeys(work.owners, 0)
        for task in work.tasks:
            self._owners_left[task.owner] += len(task.elements) if task.is_run else 0
        self._had_s = dict.fromkeys(work.owners, 0.0)
        self._shares: list[float] = []
        self._pieces: list[Piece] | None = [] if keeps_pieces else None

    @property
    def pieces(self) -> Sequence[Piece]:
        """What ran where, if that was asked for."""
        return self._pieces or ()

    def run(self) -> Outcome:
        """Live through it until all is done, or it is clear that it will not be."""
        for node in self._nodes:
            self._look_ahead(node)
        for at, ranges in self._readiness.first():
            self._board.add(at, ranges, self._now)
        self._stir()
        while self._left and self._events:
            self._now, _, _, kind, what = heappop(self._events)
            if self._now > SPAN_MAX_S or self._executions > self._executions_max:
                break
            self._happens(kind, what)
        return self._outcome()

    def _outcome(self) -> Outcome:
        for node in self._nodes:
            node.busy_s += sum(max(self._now - lease.began_s, 0.0) for lease in node.leases)
        busy = [node.busy_s for node in self._nodes]
        shares = self._shares if len(self._had_s) > 1 else []
        return Outcome(
            is_done=not self._left,
            make_span_s=self._now,
            busy_s=sum(busy),
            aborted_s=self._aborted_s,
            repeated_s=self._repeated_s,
            executions=self._executions,
            deaths=self._deaths,
            nodes_variance=variance(busy),
            nodes_jain=jains_index(busy),
            users_variance=variance(shares),
            users_jain=jains_index(shares),
        )

    # What happens.

    def _happens(self, kind: str, what: object) -> None:
        match kind, what:
            case "contest", _:
                self._called.discard(self._now)
                self._contest()
            case "changes", Node() as node:
                if node.is_up:
                    self._dies(node)
                else:
                    self._comes(node)
            case "ends", (Lease() as lease, float() as began_s):
                # Otherwise it was aborted, or somebody else was quicker.
                if lease.began_s == began_s:
                    self._ends_well(lease)
            case "begins", Lease() as lease:
                if lease.indices and lease in lease.node.leases:
                    self._runs(lease)
            case "noticed", (int() as at, RangeSet() as ranges):
                self._board.hold(self._board.entries[at], -len(ranges))
                self._board.add(at, ranges, self._now)
                self._stir()

    def _at(self, when: float, kind: str, what: object = None) -> None:
        self._number += 1
        heappush(self._events, (when, kind == "contest", self._number, kind, what))

    def _call_contest(self, when: float) -> None:
        if when not in self._called:
            self._called.add(when)
            self._at(when, "contest")

    def _stir(self) -> None:
        """Something has changed by which idle nodes choose."""
        self._stirred += 1
        self._call_contest(self._now)

    def _look_ahead(self, node: Node) -> None:
        when = next(node.changes, None)
        if when is not None:
            self._at(when, "changes", node)

    def _comes(self, node: Node) -> None:
        node.comes(self._now)
        self._living = None
        self._look_ahead(node)
        self._call_contest(self._now)

    def _dies(self, node: Node) -> None:
        self._deaths += 1
        self._living = None
        for lease in node.goes(self._now):
            self._abort(lease)
        self._look_ahead(node)
        self._stir()

    def _abort(self, lease: Lease) -> None:
        entry = lease.entry
        if lease.began_s < math.inf:
            self._aborted_s += self._spent(lease, is_done=False)
        lost = []
        for index in lease.indices:
            attempts = self._underway[entry.at, index]
            attempts.remove(lease)
            if not attempts:
                # Otherwise an attempt elsewhere goes on, and is that of record from now on.
                del self._underway[entry.at, index]
                lost.append(index)
        if lost:
            entry.losses[lost[0]] = entry.losses.get(lost[0], 0) + 1
            self._at(self._now + NOTICED_S, "noticed", (entry.at, RangeSet.of(lost)))
        lease.began_s = math.inf
        lease.indices.clear()

    def _spent(self, lease: Lease, *, is_done: bool) -> float:
        """Count what the first element of a lease has taken until now."""
        seconds = self._now - lease.began_s
        lease.node.busy_s += seconds
        self._had_s[lease.entry.task.owner] += seconds * lease.entry.task.needs.cpus
        if self._pieces is not None:
            name = lease.entry.task.name
            self._pieces.append(Piece(lease.node.name, name, lease.indices[0], lease.began_s, self._now, is_done))
        return seconds

    def _ends_well(self, lease: Lease) -> None:
        entry, index, node = lease.entry, lease.indices[0], lease.node
        seconds = self._spent(lease, is_done=True)
        node.finished += 1
        node.learnt.learn(entry.at, seconds)
        for other in self._underway.pop((entry.at, index)):
            if other is not lease:
                self._is_late(other, index)
        if entry.is_single:
            self._makers[entry.at] = node.name
        self._board.hold(entry, -1)
        self._board.used(entry, seconds * entry.task.needs.cpus, self._now)
        self._goes_on(lease)
        self._count_for(entry.task.owner)
        for at, ranges in self._readiness.ended(entry.at, index):
            self._board.add(at, ranges, self._now)
            self._stirred += 1

    def _is_late(self, lease: Lease, index: int) -> None:
        """Somebody else has done an element that this lease has, too."""
        if lease.indices[0] != index:
            lease.indices.remove(index)
            return
        if lease.began_s < math.inf:
            self._repeated_s += self._spent(lease, is_done=False)
        self._goes_on(lease)

    def _goes_on(self, lease: Lease) -> None:
        """The first element of a lease is over."""
        lease.indices.popleft()
        lease.began_s = math.inf
        if lease.indices:
            self._runs(lease)
        else:
            lease.node.close(lease)
            self._call_contest(self._now)

    def _count_for(self, owner: str) -> None:
        self._left -= 1
        self._owners_left[owner] -= 1
        if not self._owners_left[owner] and not self._shares:
            runs = [lease for node in self._nodes for lease in node.leases]
            had_s = dict(self._had_s)
            for lease in runs:
                had_s[lease.entry.task.owner] += max(self._now - lease.began_s, 0.0) * lease.entry.task.needs.cpus
            self._shares = list(had_s.values())

    # Who does what.

    def _contest(self) -> None:
        """Let all that have room choose until each has what nobody else bids better for."""
        looked = self._stirred
        nodes = [node for node in self._nodes if self._may_ask(node)]
        self._rng.shuffle(nodes)
        asking = deque(nodes)
        claims = Claims()
        while asking:
            node = asking.popleft()
            if not node.has_room:
                continue
            wanted = [self._does(node, choice, claims, asking) for choice in USUAL(self._view(node))]
            if any(wanted):
                node.abstained = 0
                asking.append(node)
            else:
                node.idle_at = looked
                if node.abstains_until is None:
                    node.abstained = 0
        for node, entry, ranges in claims.settle():
            self._start(node, entry, ranges, 0.0 if is_short(node.learnt.length_s(entry)) else WINDOW_S)

    def _may_ask(self, node: Node) -> bool:
        if not node.has_room:
            return False
        if node.abstains_until is not None and node.abstains_until <= self._now:
            node.abstains_until = None
            node.abstained += 1
            return True
        return node.idle_at < self._stirred

    def _does(self, node: Node, choice: Choice, claims: Claims, asking: deque[Node]) -> bool:
        """Do what a node has chosen; return whether it has more to do then."""
        match choice:
            case BidFor() | Take():
                entry = self._board.by_id[choice.task]
                lanes = node.free.times(entry.task.needs)
                ranges = choice.ranges & entry.ready_for(choice.score)
                if lanes < 1 or not ranges:
                    return False
                if choice.past is not None:
                    head = self._board.by_id[choice.past].at
                    node.overtaken[head] = node.overtaken.get(head, 0) + 1
                if isinstance(choice, BidFor):
                    asking.extend(claims.bid(node, entry, ranges, choice.score))
                else:
                    asking.extend(claims.give_up(entry, ranges))
                    self._start(node, entry, ranges, 0.0)
                return True
            case TakeReady():
                return self._takes_ready(node)
            case Repeat():
                return self._repeats(node, self._board.by_id[choice.task], choice.ranges)
            case Abstain():
                node.abstains_until = choice.until
                self._call_contest(choice.until)
        return False

    def _takes_ready(self, node: Node) -> bool:
        """A node that is alone takes what waits, in the order of the queue, while it has room."""
        has_taken = False
        for entry in self._entries_for(node):
            lanes = node.free.times(entry.task.needs)
            if lanes > 0:
                self._start(node, entry, entry.waiting.take(lanes), 0.0)
                has_taken = True
            if not node.has_room:
                break
        return has_taken

    def _repeats(self, node: Node, entry: Entry, ranges: RangeSet) -> bool:
        has_begun = False
        for index in ranges:
            attempts = self._underway.get((entry.at, index))
            if attempts and node.free.times(entry.task.needs) > 0:
                lease = Lease(entry, (index,), node)
                node.open(lease)
                attempts.append(lease)
                self._runs(lease)
                has_begun = True
        return has_begun

    def _start(self, node: Node, entry: Entry, ranges: RangeSet, delay_s: float) -> None:
        """Elements are a node's: share them out among its lanes that are free."""
        self._board.take(entry.at, ranges)
        self._board.hold(entry, len(ranges))
        node.overtaken.pop(entry.at, None)
        indices = list(ranges)
        lanes = min(max(node.free.times(entry.task.needs), 1), len(indices))
        for lane in range(lanes):
            lease = Lease(entry, indices[lane * len(indices) // lanes : (lane + 1) * len(indices) // lanes], node)
            node.open(lease)
            for index in lease.indices:
                self._underway[entry.at, index] = [lease]
            if delay_s:
                self._at(self._now + delay_s, "begins", lease)
            else:
                self._runs(lease)

    def _runs(self, lease: Lease) -> None:
        """The first element of a lease begins."""
        at, index = lease.entry.at, lease.indices[0]
        lease.began_s = self._now
        self._executions += 1
        took_s = self._lengths[at][index] / lease.node.speed
        self._at(self._now + took_s, "ends", (lease, lease.began_s))
        if self._board.is_empty and len(self._underway[at, index]) == 1:
            # Others may want to repeat it.
            self._stir()

    # What nodes see.

    def _entries_for(self, node: Node) -> Sequence[Entry]:
        """Return the first tasks of the queue that a node could run at all."""
        row = self._can_run[node.at]
        entries = self._board.first(self._now)
        return entries if all(row.values()) else [entry for entry in entries if row[entry.task.needs]]

    def _view(self, node: Node) -> PlainView:
        return PlainView(
            node.own,
            self._now,
            self._entries_for(node),
            self._living or self._who_lives(),
            policy=self._policy,
            window_s=WINDOW_S,
            maker_of=self._maker_of,
            elsewhere=self._elsewhere,
        )

    def _who_lives(self) -> Living:
        nodes = sorted((node for node in self._nodes if node.is_up), key=lambda node: node.name)
        told = {node.name: node.ability for node in nodes if node.ability is not None}
        company = company_of(told.values(), len(nodes) - len(told))
        self._living = Living([node.name for node in nodes], told, company, self._is_capable)
        return self._living

    def _is_capable(self, node: NodeId, needs: Needs) -> bool:
        return self._can_run[self._places[node]][needs]

    def _maker_of(self, entry: Entry) -> NodeId | None:
        links = entry.task.links
        return self._makers.get(links[0].source) if links and entry.is_single else None

    def _elsewhere(self, view: PlainView) -> Iterator[Underway]:
        for (at, index), attempts in self._underway.items():
            if any(lease.node.name == view.node for lease in attempts):
                continue
            first = attempts[0]
            is_running = first.indices[0] == index and first.began_s < math.inf
            running_s = self._now - first.began_s if is_running else None
            yield Running(view, self._board.entries[at], index, first.node.name, running_s, len(attempts))
