"""Bidding: when this node bids, for what, and which elements it may take.

Rules
- Alone, everything that is ready and has its data here may be taken; the rest waits for those who have its data. Among
  others only what was won in a contest, and what nobody has bid for of interactive work that this node has a free lane
  for and was handed itself (LAN 3.2: it runs at once where it was submitted) or by its submitter (direct_placement.py),
  of its own section of a large array and its own tasks of a long queue (policy/bids.py), if all have known each other
  for a while and so agree on what is whose, and the next step of a chain whose last step this node has made.
- A bid goes out when a lane is free or soon will be, before the last work ends, and asks for as much as fills all such
  lanes for a short time. One round is open at a time; its losers take their rank into the next (policy/bids.py).
- In a large mesh with little to do, a node that has room may hesitate and leave it to others (policy/bids.py).
- What was won is taken when its data is here; what cannot be had from anybody is left to others. So is what no lane
  has room for any more, and everything while this node drains (draining.py).
"""

from bisect import bisect_left

from roost.core.actions import Send
from roost.core.data.fetcher import Fetcher
from roost.core.data.inventory import Inventory
from roost.core.mesh.contest.contest import Contest
from roost.core.peers import Peers
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.draining import Draining
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.queue.scheduler import CHAIN_MAX, Scheduler
from roost.core.turn import Turn
from roost.model.clock import soonest
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.states import Done
from roost.model.task import Needs, Priority, TaskSpec
from roost.policy.bids import (
    EQUAL_SCORE,
    Offer,
    bid_size,
    choose_in_sections,
    choose_places,
    has_sections,
    hesitates,
    is_long,
    place_of_task,
    places_looked_at,
    section,
)
from roost.wire.messages import Bid

#: How long before the last work seems to end a bid goes out. Workers tell of short elements late, by up to 0.05 s, so
#: that less is left than it seems. Longer: no lane waits. Shorter: less is held that other nodes could do.
SOON_S = 0.1
#: ... and how many windows before, at least. More: no lane waits on a network that is slow at
#: times. Fewer: less is held that other nodes could do.
SOON_WINDOWS = 2


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
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._scheduler = scheduler
        self._readiness = readiness
        self._draining = draining
        self._inventory = inventory
        self._fetcher = fetcher
        self._contest = Contest(turn.name)
        #: What was won and is not leased yet.
        self._won: dict[TaskId, RangeSet] = {}
        self._rank = 0
        #: For how many windows this node has left to others what it could bid for, and when the next one ends.
        self._hesitated = 0
        self._looks_again_at: float | None = None

    def takeable(self, task: TaskId) -> RangeSet:
        """Return the elements that may be leased to this node now."""
        ready = self._readiness.ready_here(task)
        if not self._peers.on_network and self._inventory.is_whole:
            return ready
        mine = ready & self._claimed(task) if self._peers.others else ready
        return self._inventory.startable(self._replica.tasks[task].spec, mine) if mine else mine

    def _claimed(self, task: TaskId) -> RangeSet:
        return self._won.get(task, EMPTY)

    @property
    def won(self) -> list[TaskId]:
        """The tasks of which something was won."""
        return list(self._won)

    def claimed(self, task: TaskId) -> RangeSet:
        """Return what was won of a task and is still to be had, whether its data is here or not."""
        won = self._won.get(task)
        return won & self._readiness.ready_here(task) if won else EMPTY

    def leased(self, task: TaskId, ranges: RangeSet) -> None:
        """These elements have a holder, this node or another."""
        self._turn.stir()
        left = self._claimed(task) - ranges
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
                self.leased(task, self.takeable(task))

    def given(self, task: TaskId, ranges: RangeSet) -> None:
        """These elements may be taken at once, without a contest."""
        if ranges:
            self._turn.stir()
            self._won[task] = self._claimed(task) | ranges

    def forget(self, task: TaskId) -> None:
        self._won.pop(task, None)
        self._contest.forget(task)

    def tick(self) -> None:
        """Close the contests whose windows are over."""
        outcomes = self._contest.tick(self._turn.now)
        for outcome in outcomes:
            task = outcome.bid.task
            if outcome.won and task in self._replica.tasks:
                self._won[task] = self._claimed(task) | outcome.won
        self._rank = max((outcome.rank for outcome in outcomes), default=self._rank)
        if self._looks_again_at is not None and self._looks_again_at <= self._turn.now:
            self._hesitated, self._looks_again_at = self._hesitated + 1, None
            self._turn.stir()

    def next_deadline(self) -> float | None:
        if not self._peers.others:
            return None
        return soonest(self._contest.next_deadline(), self._looks_again_at)

    def look(self) -> None:
        """Bid for more work if there is room for it; bring here what was won and lacks its data."""
        if not self._peers.others or self._draining.on or self._readiness.trouble:
            self._won.clear()
            return
        waiting = self._scheduler.waiting()
        self._take_own_interactive(waiting)
        if self._won:
            self._fetch_what_was_won()
        if waiting and not self._won:
            self._bid(waiting)

    def _take_own_interactive(self, waiting: list[TaskEntry]) -> None:
        for entry in waiting:
            if entry.spec.priority is not Priority.INTERACTIVE:
                return
            if entry.spec.submitted.node == self._turn.name:
                lanes = self._scheduler.free_lanes(entry.spec)
                if lanes:
                    self.given(entry.spec.id, self._unclaimed(entry.spec).take(lanes))

    def _unclaimed(self, spec: TaskSpec) -> RangeSet:
        """Return what is ready of a task and nobody wants who has a better right to it."""
        ready = self._readiness.ready_here(spec.id)
        return ready - self._contest.better_covering(spec.id, ready, spec.priority, EQUAL_SCORE)

    def _fetch_what_was_won(self) -> None:
        for task in list(self._won):
            entry = self._replica.tasks.get(task)
            wanted = self.claimed(task) if entry is not None else EMPTY
            if entry is None or not wanted or self._fetcher.is_hopeless(task):
                del self._won[task]
            elif len(self._inventory.startable(entry.spec, wanted)) < len(wanted):
                self._fetcher.fetch(entry.spec, wanted)

    def _bid(self, waiting: list[TaskEntry]) -> None:
        window_s = self._peers.window_s()
        soon_s = max(SOON_S, SOON_WINDOWS * window_s)
        if not self._scheduler.has_room(soon_s) or self._round_is_open(waiting):
            return
        own = self._offers(self._own(waiting), soon_s, window_s, places=1)
        if own:
            self._give(choose_places(own, rank=0))
            return
        offers = self._offers(waiting, soon_s, window_s, places_looked_at(self._rank, 1 + len(self._peers.others)))
        if self._hesitates(offers):
            return
        for task, ranges in self._places(offers):
            spec = self._replica.tasks[task].spec
            if self._is_own_section(spec, ranges):
                self._give([(task, ranges)])
                return
            bid = self._contest.bid(
                task, ranges, spec.priority, EQUAL_SCORE, self._turn.stamp(), self._turn.now, window_s
            )
            self._turn.act(Send(None, bid, promises=False))

    def _round_is_open(self, waiting: list[TaskEntry]) -> bool:
        open_for = self._contest.own_tasks()
        return bool(open_for) and any(entry.spec.id in open_for for entry in waiting)

    def _offers(self, waiting: list[TaskEntry], soon_s: float, window_s: float, places: int) -> list[Offer]:
        """Return what could be bid for, from the beginning of the queue on, until it fills so many places."""
        offers: list[Offer] = []
        lanes = _HungryLanes(self._scheduler, soon_s)
        # A place may be filled by nearly twice as much as it has room for, since elements are whole.
        room = 2.0 * places
        for entry in waiting:
            spec = entry.spec
            hungry = lanes.of(spec)
            if not hungry or self._fetcher.is_hopeless(spec.id):
                continue
            ready = self._unclaimed(spec)
            if ready:
                offers.append(Offer(spec.id, ready, self._size(spec, ready, hungry, window_s)))
                room -= len(ready) / offers[-1].size
                if room <= 0.0 or len(offers) == places * CHAIN_MAX:
                    break
        return offers

    def _own(self, waiting: list[TaskEntry]) -> list[TaskEntry]:
        """Return the tasks that are first of all for this node, if they are as urgent as any."""
        position, nodes = self._position()
        if has_sections(self._sectioned(waiting[0].spec), nodes):
            return []
        is_shared = is_long(len(waiting), nodes) and self._peers.is_settled()
        urgency, own = waiting[0].spec.priority, list[TaskEntry]()
        for entry in waiting:
            maker = self._maker_of_input(entry.spec)
            is_own = maker == self._turn.name
            if maker is None and is_shared:
                is_own = place_of_task(entry.spec.id, nodes) == position
            if is_own and entry.spec.priority is urgency:
                own.append(entry)
        return own

    def _maker_of_input(self, spec: TaskSpec) -> NodeId | None:
        """Return the node, if it is here, that made the first input of a single step that follows a single step."""
        source = self._replica.tasks.get(spec.edges[0].source) if spec.edges and spec.elements == ONE else None
        state = source.elements.at(0) if source is not None and source.spec.elements == ONE else None
        if not isinstance(state, Done) or (state.node != self._turn.name and state.node not in self._peers.others):
            return None
        return state.node

    def _give(self, places: list[tuple[TaskId, RangeSet]]) -> None:
        for task, ranges in places:
            self.given(task, ranges)
        self._fetch_what_was_won()

    def _hesitates(self, offers: list[Offer]) -> bool:
        if not hesitates(offers, self._turn.name, 1 + len(self._peers.others), self._hesitated):
            self._hesitated, self._looks_again_at = 0, None
            return False
        if self._looks_again_at is None:
            self._looks_again_at = self._turn.now + self._peers.window_s()
        return True

    def _places(self, offers: list[Offer]) -> list[tuple[TaskId, RangeSet]]:
        """Return what to bid for: of a large array that is first in the queue, what is this node's part of it."""
        position, nodes = self._position()
        elements = self._sectioned(self._replica.tasks[offers[0].task].spec) if offers else EMPTY
        if has_sections(elements, nodes):
            task, ready, size = offers[0]
            return [(task, choose_in_sections(elements, ready, size, self._rank, position, nodes))]
        return choose_places(offers, self._rank)

    def _sectioned(self, spec: TaskSpec) -> RangeSet:
        """Return the elements that are shared out in sections: none while a pool may still grow."""
        if spec.mapper is None:
            return spec.elements
        return self._replica.tasks[spec.id].present if self._dataflow.is_whole(spec.mapper) else EMPTY

    def _is_own_section(self, spec: TaskSpec, ranges: RangeSet) -> bool:
        elements = self._sectioned(spec)
        position, nodes = self._position()
        return (
            self._peers.is_settled()
            and has_sections(elements, nodes)
            and ranges.issubset(section(elements, position, nodes))
        )

    def _position(self) -> tuple[int, int]:
        """Return which of all nodes this one is, in the order of their names, and how many there are."""
        others = self._peers.others
        return bisect_left(others, self._turn.name), 1 + len(others)

    def _size(self, spec: TaskSpec, ready: RangeSet, lanes: int, window_s: float) -> int:
        scheduler = self._scheduler
        # Of single tasks that do the same no lease is large, and yet it is known how long many of them took.
        nodes, previous = 1 + len(self._peers.others), lanes * scheduler.experience(spec)
        return bid_size(scheduler.mean_s(spec), len(ready), lanes, nodes, previous, window_s=window_s)


class _HungryLanes:
    """How many lanes could take more, while the queue is looked at; asked once for tasks that are alike in that."""

    def __init__(self, scheduler: Scheduler, soon_s: float) -> None:
        self._scheduler = scheduler
        self._soon_s = soon_s
        self._known: dict[tuple[type, Needs, bool], int] = {}

    def of(self, spec: TaskSpec) -> int:
        key = (type(spec.work), spec.needs, self._scheduler.mean_s(spec) is None)
        lanes = self._known.get(key)
        if lanes is None:
            lanes = self._known[key] = self._scheduler.hungry_lanes(spec, self._soon_s)
        return lanes
