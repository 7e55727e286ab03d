"""Nodes that bid against each other: the contest with as much of a node around it as a test needs."""

import heapq
from random import Random

from roost.core.mesh.contest.contest import Contest
from roost.model.clock import Stamp
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Priority
from roost.policy.bids import Offer, choose_places
from roost.wire.messages import Bid

TASK = TaskId("1-bababa/t")
LOW = Priority.LOW


def _piece(ready: RangeSet, rank: int) -> RangeSet:
    """Return the element that who was beaten by so many bids for."""
    return dict(choose_places([Offer(TASK, ready, 1)], rank)).get(TASK, ready)


def make_bid(node: str, ranges: str = "0", at: int = 0, *, score: float = 0.0, task: TaskId = TASK) -> Bid:
    return Bid(task, RangeSet.parse(ranges), LOW, score, Stamp(at, 0, NodeId(node)))


def rounds_until_all_have_work(nodes: int, tasks: int, *, with_rank: bool) -> int:
    """Let nodes that hear everything bid for single tasks, round by round, until each has one; return the rounds."""
    contests = {NodeId(f"node{number:03}"): Contest(NodeId(f"node{number:03}")) for number in range(nodes)}
    ranks = dict.fromkeys(contests, 0)
    ready, rounds = RangeSet.span(0, tasks), 0
    while ranks:
        rounds += 1
        now = float(rounds)
        bids = [
            contests[node].bid(TASK, _piece(ready, rank), LOW, 0.0, Stamp(rounds, 0, node), now, 0.1)
            for node, rank in ranks.items()
        ]
        for node in ranks:
            for bid in bids:
                contests[node].heard(bid, now)
        for node in list(ranks):
            [outcome] = contests[node].tick(now + 0.1)
            ranks[node] = outcome.rank if with_rank else 0
            if outcome.won:
                ready -= outcome.won
                del ranks[node]
        for contest in contests.values():
            contest.taken(TASK, RangeSet.span(0, tasks) - ready)
    return rounds


class Hall:
    """Nodes with one lane each, that bid for the elements of one array over a network with delays and losses."""

    def __init__(self, nodes: int, elements: int, seed: int, *, loss: float = 0.0, with_rank: bool = True) -> None:
        self._random = Random(seed)
        self._events: list[tuple[float, int, str, NodeId, object]] = []
        self._sequence = 0
        self._loss, self._with_rank = loss, with_rank
        self._names = [NodeId(f"node{number:03}") for number in range(nodes)]
        self._contests = {name: Contest(name) for name in self._names}
        self._ready = dict.fromkeys(self._names, RangeSet.span(0, elements))
        self.bids = 0
        #: What each node took.
        self.taken: dict[NodeId, RangeSet] = {}

    def run(self) -> None:
        """Let all nodes become free within a millisecond, and go on until each has an element or there is none."""
        for name in self._names:
            self._at(self._random.uniform(0, 0.001), "free", name, 0)
        while self._events:
            now, _, what, name, value = heapq.heappop(self._events)
            if isinstance(value, Bid):
                self._contests[name].heard(value, now)
            elif isinstance(value, RangeSet):
                self._ready[name] -= value
                self._contests[name].taken(TASK, value)
            elif isinstance(value, int):
                (self._try if what == "free" else self._close)(name, value, now)

    def _try(self, name: NodeId, rank: int, now: float) -> None:
        contest, ready = self._contests[name], self._ready[name]
        contest.tick(now)
        free = ready - contest.better_covering(TASK, ready, LOW, 0.0)
        if not free:
            again = contest.next_deadline()
            if again is not None:
                self._at(again, "free", name, rank)
            return
        self.bids += 1
        stamp = Stamp(int(now * 1000), self.bids, name)
        bid = contest.bid(TASK, _piece(free, rank), LOW, 0.0, stamp, now, 0.009)
        self._broadcast(name, bid, now)
        self._at(now + 0.009, "close", name, 0)

    def _close(self, name: NodeId, _: int, now: float) -> None:
        for outcome in self._contests[name].tick(now):
            if outcome.won:
                self.taken[name] = outcome.won
                self._ready[name] -= outcome.won
                self._broadcast(name, outcome.won, now)
            else:
                self._try(name, outcome.rank if self._with_rank else 0, now)
        self._contests[name].check()

    def _broadcast(self, sender: NodeId, value: object, now: float) -> None:
        for name in self._names:
            if name != sender and self._random.random() >= self._loss:
                self._at(now + self._random.uniform(0.0005, 0.003), "hear", name, value)

    def _at(self, when: float, what: str, name: NodeId, value: object) -> None:
        self._sequence += 1
        heapq.heappush(self._events, (when, self._sequence, what, name, value))
