"""A small world of nodes that come and go, in which policies are compared (HTC 4.4): deterministic, event by event.

Rules
- All work waits from the beginning. A node that lives runs one element at a time. The policy is asked with plain views
  (views.py), and is the very function that real nodes ask.
- Nodes with nothing to do compete in windows: a contest is held a window after the first of them has become idle, or
  something to do has come. Who is outbid chooses again, so that all have their places when it ends.
- A node that dies aborts its element, which goes back to its place in the queue. After so many attempts an element is
  given up, as in HTC, so that every experiment ends.
- Others may attempt what a node runs. Who ends first counts, and ends all others.
- When nodes come and go is drawn from the seed for each of them by itself: all policies meet the same failures.
- A node knows when it was on line, from a past that is drawn as the rest is. What it knows of how long others stay is
  what they knew when they last came.
"""

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from operator import attrgetter
from random import Random
from typing import Final, NamedTuple

from roost.lab.worlds.lifetimes import Presence
from roost.lab.worlds.scenarios import Work
from roost.lab.worlds.views import LOOK_MAX, Element, PlainView, Running, Waiting
from roost.model.ids import NodeId
from roost.model.online import OnlineLog, Stretch
from roost.policy.choose import Abstain, BidFor, Choice, Policy, Repeat, Take, Underway
from roost.policy.company import Ability, Company, company_of
from roost.policy.reliability import reliability_of

#: After so many attempts HTC gives an element up (4.4.1).
ATTEMPTS_MAX: Final = 100
#: How long a contest takes (HTC 4.4.1).
WINDOW_S: Final = 10.0
#: How often a node has come and gone before an experiment begins.
PAST: Final = 30


class Piece(NamedTuple):
    """One execution of an element, for pictures."""

    node: int
    element: int
    begin_s: float
    end_s: float
    #: Whether its result counted.
    is_done: bool


class Outcome(NamedTuple):
    #: When the last element had ended, and when 99.9 % of them had.
    make_span_s: float
    make_span_999_s: float
    #: Seconds of executions that a death has aborted, and of those that somebody else was quicker with.
    aborted_s: float
    repeated_s: float
    executions: int
    given_up: int
    #: What ran where, if that was asked for.
    pieces: tuple[Piece, ...]
    #: When each node was on line, for the same.
    online: tuple[tuple[Stretch, ...], ...]

    @property
    def wasted_s(self) -> float:
        return self.aborted_s + self.repeated_s


class _Execution:
    __slots__ = ("began_s", "element", "node")

    def __init__(self, element: Element, node: "_Node", began_s: float) -> None:
        self.element = element
        self.node = node
        self.began_s = began_s


class _Node:
    def __init__(self, at: int, presence: Presence, seed: str, past: int) -> None:
        self.at = at
        self.name = NodeId(f"node{at:04}")
        self.presence = presence
        self._rng = Random(f"{seed}/{at}")
        self.online = presence.past(past, self._rng)
        self.since_s = 0.0
        self.is_up = False
        self.running: _Execution | None = None
        self.finished = self.aborted = 0
        #: How often it has passed over elements.
        self.overtaken: dict[int, int] = {}
        self.abstained = 0
        self.abstains_until: float | None = None
        #: When it had nothing to do, of which state of the world that was true.
        self.idle_at = -1

    def stays_s(self, now: float) -> float:
        return self.presence.stays_s(now, self._rng)

    def is_away_s(self, now: float) -> float:
        return self.presence.is_away_s(now, self._rng)

    def ability(self, now: float) -> Ability | None:
        known = reliability_of(self.online, now, now)
        return Ability(known.lifetime, self.presence.speed) if known.is_known else None


class World:
    def __init__(
        self,
        policy: Policy,
        nodes: Sequence[Presence],
        work: Sequence[Work],
        seed: str,
        *,
        past: int = PAST,
        window_s: float = WINDOW_S,
        keeps_pieces: bool = False,
    ) -> None:
        self._policy = policy
        self._window_s = window_s
        self._now = 0.0
        self._nodes = [_Node(at, presence, seed, past) for at, presence in enumerate(nodes)]
        self._names = {node.name: node for node in self._nodes}
        #: What waits, in the order of the queue.
        self._waiting = [Element(at, one.stated_s, one.length_s) for at, one in enumerate(work)]
        self._tasks = {element.task: element for element in self._waiting}
        self._left = self._count = len(self._waiting)
        #: What runs, the holder's execution first.
        self._underway: dict[int, list[_Execution]] = {}
        #: Grows whenever a node that wanted nothing could want something.
        self._stirred = 0
        self._events: list[tuple[float, int, str, int, _Execution | None]] = []
        self._number = 0
        self._contest_at = math.inf
        self._living: list[NodeId] = []
        self._abilities: dict[NodeId, Ability] = {}
        #: What they are together, while nobody comes or goes.
        self._company: Company | None = None
        self._ends: list[float] = []
        self._aborted_s = self._repeated_s = 0.0
        self._executions = self._given_up = 0
        self._keeps_pieces = keeps_pieces
        self._pieces: list[Piece] = []
        self._online: list[list[Stretch]] = [[] for _ in self._nodes]

    def run(self) -> Outcome:
        """Live through it until everything has ended."""
        for node in self._nodes:
            first_s = node.presence.comes_first_s()
            if first_s > 0.0:
                self._at(first_s, "comes", node.at)
            else:
                self._comes(node)
        while self._left:
            self._now, _, kind, at, execution = heappop(self._events)
            match kind:
                case "contest":
                    self._contest()
                case "comes":
                    self._comes(self._nodes[at])
                case "dies":
                    self._dies(self._nodes[at])
                case "ends" if execution is not None and execution.node.running is execution:
                    self._ends_well(execution)
                case _:
                    pass  # It was aborted.
        return self._outcome()

    def _outcome(self) -> Outcome:
        for node in self._nodes:
            if node.is_up:
                self._online[node.at].append(Stretch(node.since_s, self._now))
        enough = self._ends[max(math.ceil(0.999 * self._count) - self._given_up, 1) - 1] if self._ends else 0.0
        return Outcome(
            self._now,
            enough,
            self._aborted_s,
            self._repeated_s,
            self._executions,
            self._given_up,
            tuple(self._pieces),
            tuple(map(tuple, self._online)),
        )

    # What happens.

    def _at(self, when: float, kind: str, node: int = -1, execution: _Execution | None = None) -> None:
        self._number += 1
        heappush(self._events, (when, self._number, kind, node, execution))

    def _call_contest(self, when: float) -> None:
        if when < self._contest_at:
            self._contest_at = when
            self._at(when, "contest")

    def _stir(self) -> None:
        """Something has changed by which idle nodes choose."""
        self._stirred += 1
        self._call_contest(self._now + self._window_s)

    def _comes(self, node: _Node) -> None:
        node.is_up, node.since_s, node.idle_at = True, self._now, -1
        node.abstained, node.abstains_until = 0, None
        ability = node.ability(self._now)
        if ability is not None:
            self._abilities[node.name] = ability
        insort(self._living, node.name)
        self._company = None
        self._at(self._now + node.stays_s(self._now), "dies", node.at)
        self._call_contest(self._now + self._window_s)

    def _dies(self, node: _Node) -> None:
        stretch = Stretch(node.since_s, self._now)
        node.is_up = False
        # What it has passed over it forgets, as real nodes do.
        node.overtaken = {}
        node.finished = 0
        node.aborted = 0 if node.running is None else 1
        node.online = OnlineLog((*node.online.stretches, stretch)[-256:])
        self._online[node.at].append(stretch)
        self._living.remove(node.name)
        self._abilities.pop(node.name, None)
        self._company = None
        self._at(self._now + node.is_away_s(self._now), "comes", node.at)
        if node.running is not None:
            self._abort(node.running)

    def _abort(self, execution: _Execution) -> None:
        element = execution.element
        executions = self._underway[element.at]
        was_holder = executions[0] is execution
        self._ended(execution, is_done=False)
        self._aborted_s += self._now - execution.began_s
        executions.remove(execution)
        if was_holder:
            element.aborted += 1
            if element.aborted >= ATTEMPTS_MAX:
                self._given_up += 1
                self._leaves(element)
            elif not executions:
                # Otherwise an attempt elsewhere goes on, and is that of record from now on.
                del self._underway[element.at]
                insort(self._waiting, element, key=attrgetter("at"))
        self._stir()

    def _ends_well(self, execution: _Execution) -> None:
        execution.node.finished += 1
        self._ended(execution, is_done=True)
        self._underway[execution.element.at].remove(execution)
        self._ends.append(self._now)
        self._leaves(execution.element)
        self._call_contest(self._now + self._window_s)

    def _leaves(self, element: Element) -> None:
        """An element has ended; so do all other attempts at it."""
        for other in self._underway.pop(element.at, []):
            self._repeated_s += self._now - other.began_s
            self._ended(other, is_done=False)
        self._left -= 1

    def _ended(self, execution: _Execution, *, is_done: bool) -> None:
        execution.node.running = None
        if self._keeps_pieces:
            piece = Piece(execution.node.at, execution.element.at, execution.began_s, self._now, is_done)
            self._pieces.append(piece)

    # Who does what.

    def _contest(self) -> None:
        """Let all that have nothing to do choose until each has what nobody else bids better for."""
        if self._contest_at > self._now:
            return
        self._contest_at = math.inf
        wins: dict[int, _Node] = {}
        looked = self._stirred
        asking = deque(node for node in self._nodes if self._may_ask(node))
        while asking:
            node = asking.popleft()
            for choice in self._policy(self._view(node)):
                if self._does(node, choice, wins, asking):
                    break
            else:
                node.idle_at = looked
                if node.abstains_until is None:
                    node.abstained = 0
        was_seen_whole = len(self._waiting) <= LOOK_MAX
        for at, node in sorted(wins.items()):
            self._start(self._tasks_at(at), node)
        if wins and not was_seen_whole:
            # Who found nothing among the first sees others now.
            self._stir()
        # A contest that was called for an earlier moment has taken the place of this one.
        idle = (node for node in self._nodes if node.is_up and node.running is None)
        later = min((node.abstains_until for node in idle if node.abstains_until is not None), default=math.inf)
        if later < math.inf:
            self._call_contest(later)

    def _may_ask(self, node: _Node) -> bool:
        if not node.is_up or node.running is not None:
            return False
        if node.abstains_until is not None and node.abstains_until <= self._now:
            node.abstains_until = None
            node.abstained += 1
            return True
        return node.idle_at < self._stirred

    def _does(self, node: _Node, choice: Choice, wins: dict[int, _Node], asking: "deque[_Node]") -> bool:
        """Do what a node has chosen; return whether it has something to do then."""
        match choice:
            case BidFor() | Take():
                element = self._tasks[choice.task]
                if choice.past is not None:
                    head = self._tasks[choice.past].at
                    node.overtaken[head] = node.overtaken.get(head, 0) + 1
                if element.at in wins:
                    asking.append(wins[element.at])
                wins[element.at] = node
                element.best_bid = choice.score
            case Repeat():
                self._execute(self._tasks[choice.task], node)
            case Abstain():
                node.abstains_until = choice.until
                self._call_contest(choice.until)
                return False
            case _:
                return False
        node.abstained = 0
        return True

    def _tasks_at(self, at: int) -> Element:
        return self._waiting[self._place_of(at)]

    def _place_of(self, at: int) -> int:
        return bisect_left(self._waiting, at, key=attrgetter("at"))

    def _start(self, element: Element, node: _Node) -> None:
        del self._waiting[self._place_of(element.at)]
        element.best_bid = None
        node.overtaken.pop(element.at, None)
        self._execute(element, node)

    def _execute(self, element: Element, node: _Node) -> None:
        execution = node.running = _Execution(element, node, self._now)
        node.idle_at = -1
        self._underway.setdefault(element.at, []).append(execution)
        self._executions += 1
        self._at(self._now + element.work_s / node.presence.speed, "ends", node.at, execution)
        if not self._waiting and len(self._underway[element.at]) == 1:
            # Others may want to repeat it.
            self._stir()

    def _view(self, node: _Node) -> PlainView:
        if self._company is None:
            silent = len(self._living) - len(self._abilities)
            self._company = company_of(self._abilities.values(), silent)
        others = [name for name in self._living if name != node.name]
        return PlainView(
            node.name,
            self._now,
            Waiting(self._waiting, node.overtaken, node.presence.speed),
            others=others,
            abilities=self._abilities,
            company=self._company,
            online=node.online,
            online_since=node.since_s,
            speed=node.presence.speed,
            finished=node.finished,
            aborted=node.aborted,
            abstained=node.abstained,
            window_s=self._window_s,
            elsewhere=self._elsewhere(node),
        )

    def _elsewhere(self, node: _Node) -> Iterator[Underway]:
        for executions in self._underway.values():
            first = executions[0]
            yield Running(
                first.element, first.node.name, self._now - first.began_s, len(executions), node.presence.speed
            )
