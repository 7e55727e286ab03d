"""HTC chapter 4's world as the document has it, plainly: the policies that real nodes run, asked node by node.

It lives by a reading (reading.py), and is slow: lab/compiled lives the same lives a hundred times as fast, and tests
compare the two. What differs from world.py is what the document says or what its figures need: an aborted task goes to
the very head of the queue, lifetimes are estimated as in 4.4.1, nodes begin without a past, and who comes first takes.

Nodes know no names of others here, and look at the whole queue: nobody hesitates, as nobody does in the document.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from roost.lab.worlds.lifetimes import Churn
from roost.lab.worlds.reading import ATTEMPTS_MAX, Reading
from roost.lab.worlds.scenarios import Work
from roost.lab.worlds.views import Element, PlainView, Running, Waiting
from roost.lab.worlds.world import Piece
from roost.model.ids import NodeId
from roost.model.online import OnlineLog, Stretch
from roost.policy.choose import BidFor, Policy, Repeat, Take, Underway
from roost.policy.company import company_of
from roost.policy.competition import FR, competition
from roost.policy.fcfs import first_come_first_served
from roost.policy.groups import in_groups
from roost.policy.rating import (
    Luck,
    by_chance,
    by_lifetime_bound,
    by_published_corrected_fitness,
    by_published_fitness,
    by_published_survival,
)
from roost.policy.replication import with_replicas

#: The policies of HTC 4.4.2 and 4.6.1.
PUBLISHED: Final = ("fcfs", "ec", "bfc", "egc", "bfgc", "bfgce", "wqr-2", "wqr-4", "wqr-fa-2", "wqr-fa-4", "fr")
#: Those that have a central scheduler, which does not wait (HTC 4.3).
CENTRAL: Final = frozenset({"wqr-2", "wqr-4", "wqr-fa-2", "wqr-fa-4", "fr"})
_NOBODY: Final = company_of((), 1)


class Chance(NamedTuple):
    """What is drawn by chance, by what it is for: the same for all policies, and in any order."""

    #: How long a node stays, by its number and period: even ones on line, odd ones away.
    stay_s: Callable[[int, int], float]
    #: How lucky a node is with a task, and where it comes among equals at a time.
    luck: Callable[[int, int], float]
    among_equals: Callable[[int, int], float]


def published_policy(name: str, skips: int, group: int, luck: Luck) -> Policy:
    """Return a policy with lifetimes that are estimated as in HTC 4.4.1."""
    policies: dict[str, Policy] = {
        "fcfs": first_come_first_served,
        "ec": competition(by_published_survival),
        "bfc": competition(by_published_fitness),
        "egc": in_groups(by_published_survival, group, skips),
        "bfgc": in_groups(by_published_fitness, group, skips),
        "bfgce": in_groups(by_published_corrected_fitness, group, skips),
        "fr": FR,
        "wqr-2": with_replicas(lambda view: by_chance(view, luck), 2, luck),
        "wqr-4": with_replicas(lambda view: by_chance(view, luck), 4, luck),
        "wqr-fa-2": with_replicas(by_lifetime_bound, 2, luck),
        "wqr-fa-4": with_replicas(by_lifetime_bound, 4, luck),
    }
    return policies[name]


class _Node:
    def __init__(self, at: int, churn: Churn) -> None:
        self.at = at
        self.name = NodeId(str(at))
        self.speed = churn.speed
        self.turn = 0
        self.is_up = False
        self.since_s = self.began_s = self.idle_since_s = 0.0
        #: When it comes or goes, and when it does something if it is still there.
        self.changes_at = 0.0
        self.acts_at = math.inf
        self.looks = False
        self.element: Element | None = None
        self.online = OnlineLog()
        self.finished = self.aborted = 0

    @property
    def turn_key(self) -> tuple[float, bool, int]:
        acts = self.acts_at < self.changes_at
        return (self.acts_at if acts else self.changes_at, acts and self.looks, self.at)


class PublishedWorld:
    """The executions of a policy in a world; ``pieces`` has them when it has run."""

    def __init__(
        self,
        name: str,
        nodes: Sequence[Churn],
        work: Sequence[Work],
        reading: Reading,
        chance: Chance,
        *,
        group: int = 10,
    ) -> None:
        self._policy = published_policy(name, reading.skips, group, self._luck)
        self._reading, self._chance = reading, chance
        self._contests = name != "fcfs"
        self._window_s = 0.0 if name in CENTRAL else reading.window_s
        self._nodes = [_Node(at, churn) for at, churn in enumerate(nodes)]
        #: Those that have nothing to do, who has been idle for longest first.
        self._idle: list[_Node] = []
        self._waiting = [Element(at, one.stated_s, one.length_s) for at, one in enumerate(work)]
        self._elements = {element.task: element for element in self._waiting}
        self._skipped = dict.fromkeys(range(len(work)), 0)
        self._left = len(work)
        self._running: dict[int, list[_Node]] = {}
        self._returning: deque[tuple[float, Element]] = deque()
        self._contest_at = math.inf
        self._now = 0.0
        self.executions = self.dropped = 0
        self.pieces: list[Piece] = []

    @property
    def make_span_s(self) -> float:
        return self._now

    def run(self) -> None:
        for node in self._nodes:
            self._comes(node)
        while self._left:
            node = min(self._nodes, key=lambda one: one.turn_key)
            at = node.turn_key[0]
            if self._returning and self._returning[0][0] <= min(at, self._contest_at):
                self._now, element = self._returning.popleft()
                self._put_first(element)
            elif self._contest_at < at:
                self._now = self._contest_at
                self._hold_contest()
            else:
                self._now = at
                self._acts(node)

    def _acts(self, node: _Node) -> None:
        if not node.is_up:
            self._comes(node)
        elif node.acts_at >= node.changes_at:
            self._goes(node)
        elif node.element is not None:
            self._ends_well(node, node.element)
        else:
            self._look(node)

    # What happens to nodes and tasks.

    def _comes(self, node: _Node) -> None:
        node.is_up, node.since_s = True, self._now
        self._lives_on(node)
        self._becomes_idle(node)
        self._has_become_idle(node)

    def _lives_on(self, node: _Node) -> None:
        node.changes_at = self._now + self._chance.stay_s(node.at, node.turn)
        node.turn += 1

    def _goes(self, node: _Node) -> None:
        if self._reading.first_stay_counts or node.turn > 1:
            node.online = OnlineLog((*node.online.stretches, Stretch(node.since_s, self._now)))
        self._lives_on(node)
        node.is_up, node.acts_at = False, math.inf
        if node.element is not None:
            self._aborts(node, node.element)
        else:
            self._idle.remove(node)
            self._something_waits()

    def _aborts(self, node: _Node, element: Element) -> None:
        node.aborted += 1
        element.aborted += 1
        self._stops(node, is_done=False)
        if element.aborted >= ATTEMPTS_MAX:
            self.dropped += 1
            self._leaves(element)
        elif self._running.get(element.at):
            self._call_contest()
        elif self._reading.unseen_s > 0:
            self._returning.append((self._now + self._reading.unseen_s, element))
        else:
            self._put_first(element)

    def _put_first(self, element: Element) -> None:
        self._waiting.insert(0, element)
        self._something_waits()

    def _ends_well(self, node: _Node, element: Element) -> None:
        node.finished += 1
        self._stops(node, is_done=True)
        self._becomes_idle(node)
        self._leaves(element)
        self._has_become_idle(node)

    def _leaves(self, element: Element) -> None:
        """It has ended, and so have all other executions of it."""
        self._left -= 1
        for other in sorted(self._running.get(element.at, ()), key=lambda node: node.at):
            self._stops(other, is_done=False)
            self._becomes_idle(other)
            self._has_become_idle(other)

    def _stops(self, node: _Node, *, is_done: bool) -> None:
        assert node.element is not None
        self.pieces.append(Piece(node.at, node.element.at, node.began_s, self._now, is_done))
        self._running[node.element.at].remove(node)
        node.element = None

    def _execute(self, node: _Node, element: Element) -> None:
        self._idle.remove(node)
        node.element, node.began_s = element, self._now
        node.acts_at, node.looks = self._now + element.work_s / node.speed, False
        self._running.setdefault(element.at, []).append(node)
        self.executions += 1

    def _take_out(self, element: Element) -> None:
        if self._waiting[0] is not element:
            self._skipped[self._waiting[0].at] += 1
        self._waiting.remove(element)
        self._skipped[element.at] = 0
        element.best_bid = None

    # Who looks when.

    def _becomes_idle(self, node: _Node) -> None:
        node.idle_since_s = self._now
        self._idle.append(node)

    def _has_become_idle(self, node: _Node) -> None:
        node.acts_at = math.inf
        if self._contests:
            self._call_contest()
        elif self._waiting:
            node.acts_at = self._next_look(node) if self._reading.looks == "all" else self._now
            node.looks = True

    def _something_waits(self) -> None:
        if self._contests:
            self._call_contest()
        elif self._waiting and self._idle:
            node = min(self._idle, key=lambda one: (self._next_look(one), self._rank(one)))
            node.acts_at, node.looks = self._next_look(node), True

    def _next_look(self, node: _Node) -> float:
        base = node.idle_since_s if self._reading.looks == "own" else 0.0
        return base + math.ceil((self._now - base) / self._reading.poll_s) * self._reading.poll_s

    def _rank(self, node: _Node) -> float:
        place = self._idle.index(node)
        match self._reading.order:
            case "latest":
                return -place
            case "longest":
                return place
            case "number":
                return node.at
            case "random":
                return self._chance.among_equals(node.at, self.executions)

    def _look(self, node: _Node) -> None:
        node.acts_at = math.inf
        for choice in self._policy(self._view(node)) if self._waiting else ():
            if isinstance(choice, BidFor | Take):
                element = self._elements[choice.task]
                self._take_out(element)
                self._execute(node, element)
                self._something_waits()
                return

    # Contests.

    def _call_contest(self) -> None:
        may_repeat = self._window_s == 0.0
        if self._idle and (self._waiting or may_repeat):
            at = self._now + self._window_s
            if self._reading.looks == "all" and self._window_s > 0:
                at = math.ceil(self._now / self._reading.poll_s) * self._reading.poll_s
            self._contest_at = min(self._contest_at, at)

    def _hold_contest(self) -> None:
        self._contest_at = math.inf
        asked = self._in_order()
        wins: dict[int, _Node] = {}
        asking = deque(asked if self._waiting else ())
        while asking:
            node = asking.popleft()
            for choice in self._policy(self._view(node)):
                if isinstance(choice, BidFor | Take):
                    element = self._elements[choice.task]
                    if element.at in wins:
                        asking.appendleft(wins[element.at])
                    wins[element.at] = node
                    element.best_bid = choice.score
        won = {node.at: at for at, node in wins.items()}
        by_number = {element.at: element for element in self._waiting}
        for node in asked:
            if node.at in won:
                element = by_number[won[node.at]]
                self._take_out(element)
                self._execute(node, element)
        if self._waiting:
            self._call_contest()
        else:
            self._repeat_all()

    def _repeat_all(self) -> None:
        for node in self._in_order():
            for choice in self._policy(self._view(node)):
                if isinstance(choice, Repeat):
                    self._execute(node, self._elements[choice.task])
                    break

    def _in_order(self) -> list[_Node]:
        return list(self._idle) if self._reading.order == "longest" else self._idle[::-1]

    def _view(self, node: _Node) -> PlainView:
        return PlainView(
            node.name,
            self._now,
            Waiting(self._waiting, self._skipped, node.speed),
            others=(),
            abilities={},
            company=_NOBODY,
            online=node.online,
            online_since=node.since_s,
            speed=node.speed,
            finished=node.finished,
            aborted=node.aborted,
            abstained=0,
            window_s=self._window_s,
            elsewhere=() if self._waiting else self._elsewhere(node),
        )

    def _elsewhere(self, node: _Node) -> Iterator[Underway]:
        for executions in self._running.values():
            if executions:
                first = executions[0]
                assert first.element is not None
                yield Running(first.element, first.name, self._now - first.began_s, len(executions), node.speed)

    def _luck(self, work: str, node: NodeId) -> float:
        """``work`` is an element of a task, "lab/17/0"."""
        return self._chance.luck(int(work.split("/")[1]), int(node))
