"""Gossip about performances: a node that compares itself with its neighbours hears how they do (FAIR 3.2).

Rules
- Only a node whose owner wants fairness asks others, its group (policy/neighbour_group.py), every REFRESH_S. Whoever is
  asked tells its own performance, and tells that node again when it has changed, whether it compares itself or not.
  Where nobody asks nobody says anything, and nothing is worked out.
- What brings nothing new is not told. What changes is told once in TELL_S at most, and ever more seldom where it goes
  on to change, up to PAUSE_S_MAX; but for a fall, because others leave their work to whoever does better.
- A node goes by the number that it tells, and works it out anew only when its lanes or its machine have changed, or
  with what it tells next: so that of two nodes, both know the same which does better.
- What was told, and who has asked, is forgotten EXPIRES_S later.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from roost.core.actions import Send
from roost.core.mesh.performance.load import Load
from roost.core.peers import SETTLED_S, Peers
from roost.core.queue.lanes import Lanes
from roost.core.turn import Turn
from roost.model.clock import Stamp, soonest
from roost.model.ids import NodeId
from roost.model.limits import PERFORMANCE_MAX, PERFORMANCES_MAX
from roost.model.vitals import NodeState
from roost.policy.choose import Neighbour
from roost.policy.fairness import Fairness
from roost.policy.neighbour_group import group_of
from roost.policy.performance import performance
from roost.wire.messages import Performance

#: How often a node asks each of its group, and about how often it lets the past count less: FAIR's round. Longer:
#: fewer messages. Shorter: what got lost is made up for sooner, and the past counts more exactly.
REFRESH_S: Final = 30.0
#: When what a node told counts no more, and who has asked is told no more: after two messages that got lost.
EXPIRES_S: Final = 3 * REFRESH_S
#: The least time between two numbers that a node tells, and the least after it has changed over and over. Longer: fewer
#: messages. Shorter: of short jobs, one after the other, each goes to the node that is best.
TELL_S: Final = 1.0
PAUSE_S_MAX: Final = 8.0
#: A fall of so much is told as soon as may be: what others notice.
FALL: Final = PERFORMANCE_MAX // 50


class _Told(NamedTuple):
    """What another node has said."""

    value: int
    at: float
    sent: Stamp


class _Listener(msgspec.Struct):
    """Another node that has asked."""

    until: float
    #: What it was told last, and when.
    told: int = -1
    told_at: float = -math.inf


class PerformanceGossip:
    def __init__(self, turn: Turn, peers: Peers, lanes: Lanes, fairness: Fairness) -> None:
        self._turn = turn
        self._peers = peers
        self._load = Load(turn, lanes)
        self._fairness = fairness
        self._vitals = turn.vitals
        #: None: to be worked out.
        self._own: int | None = None
        self._worked_out_at = -math.inf
        #: What those who listen were told last, when, and how long they are told nothing after that.
        self._told = -1
        self._told_at = -math.inf
        self._pause_s = TELL_S
        self._listeners: dict[NodeId, _Listener] = {}
        self._known: dict[NodeId, _Told] = {}
        #: The other nodes for which this is the group, and when each was asked last.
        self._grouped: tuple[NodeId, ...] = ()
        self._group: tuple[NodeId, ...] = ()
        self._asked: dict[NodeId, float] = {}
        self._ask_at = math.inf

    # How nodes do.

    @property
    def own(self) -> int:
        """How this node does."""
        self._note()
        if self._own is None:
            self._vitals, self._worked_out_at = self._turn.vitals, self._turn.now
            self._own = performance(self._vitals, self._load.lanes, self._load.worked)
        return self._own

    @property
    def neighbours(self) -> Sequence[Neighbour]:
        """Those with which this node compares itself, as far as they have told of themselves and stay."""
        now, found = self._turn.now, []
        for node in self._group if self._peers.others else ():
            told = self._known.get(node)
            if told is not None and now - told.at < EXPIRES_S and self._takes_work(node):
                found.append(Neighbour(node, told.value, now - told.at))
        return found

    @property
    def known(self) -> Mapping[NodeId, int]:
        """How others do, as far as they have told this node of late."""
        now = self._turn.now
        return {node: told.value for node, told in self._known.items() if now - told.at < EXPIRES_S}

    @property
    def sizes(self) -> tuple[int, int]:
        """Return of how many others it is known how they do, and how many have asked."""
        return len(self._known), len(self._listeners)

    # What happens.

    def heard(self, sender: NodeId, sent: Stamp, message: Performance) -> None:
        if sender not in self._peers.others:
            return
        before = self._known.get(sender)
        if before is None or sent > before.sent:
            self._learn(sender, _Told(message.value, self._turn.now, sent))
            if self._fairness.is_on and (before is None or before.value != message.value):
                self._turn.stir()
        if message.asks:
            self._asked_by(sender)

    def end_turn(self) -> None:
        """An event was handled: note what lanes take now, and say what others should hear of that."""
        self._note()
        if self._listeners:
            self._tell_change()
        if self._fairness.is_on and self._peers.others is not self._grouped:
            self._regroup()

    def tick(self) -> None:
        if self._peers.others and self._ask_at <= self._turn.now:
            self._ask()
        if self._listeners:
            self._tell_change()

    def next_deadline(self) -> float | None:
        if not self._peers.others:
            return None
        asks_at = None if self._ask_at == math.inf else self._ask_at
        return soonest(asks_at, self._may_tell_at() if self._listeners and self.own != self._told else None)

    # Asking.

    def _regroup(self) -> None:
        """Others have come or gone. All of them do when a mesh starts, so they are asked a little later."""
        self._grouped = self._peers.others
        self._group = group_of(self._turn.name, self._grouped, self._fairness.group)
        self._ask_at = min(self._ask_at, self._turn.now + SETTLED_S)

    def _ask(self) -> None:
        now = self._turn.now
        self._refresh()
        last = {node: at for node, at in self._asked.items() if at + REFRESH_S > now + SETTLED_S}
        for node in self._group:
            if node not in last:
                self._tell(node, asks=True)
        self._asked = {node: last.get(node, now) for node in self._group}
        self._ask_at = min(self._asked.values(), default=math.inf) + REFRESH_S

    # Telling.

    def _asked_by(self, node: NodeId) -> None:
        now = self._turn.now
        listener = self._listeners.get(node)
        if listener is None:
            if len(self._listeners) >= PERFORMANCES_MAX:
                self._drop_silent()
            if len(self._listeners) >= PERFORMANCES_MAX:
                return
            listener = self._listeners[node] = _Listener(now)
        listener.until = now + EXPIRES_S
        if listener.told_at + REFRESH_S / 2 <= now:
            # Whoever would ask that node as well does so with its answer.
            asks = node in self._group
            if asks:
                self._asked[node] = now
            self._refresh()
            self._tell(node, asks=asks)

    def _tell_change(self) -> None:
        """Tell all who listen, if it is something new, and time."""
        own, now = self.own, self._turn.now
        if own == self._told or now < self._may_tell_at():
            return
        goes_on = now < self._told_at + 2 * self._pause_s
        self._pause_s = min(2 * self._pause_s, PAUSE_S_MAX) if goes_on else TELL_S
        self._told, self._told_at = own, now
        self._drop_silent()
        for node, listener in self._listeners.items():
            if listener.told != own:
                self._tell(node)

    def _may_tell_at(self) -> float:
        return self._told_at + (TELL_S if self.own <= self._told - FALL else self._pause_s)

    def _tell(self, node: NodeId, *, asks: bool = False) -> None:
        own = self.own
        self._turn.act(Send(node, Performance(own, asks), promises=False))
        listener = self._listeners.get(node)
        if listener is not None:
            listener.told, listener.told_at = own, self._turn.now

    # What is kept.

    def _takes_work(self, node: NodeId) -> bool:
        return not self._peers.drains(node) and self._peers.state_of(node) is not NodeState.TOO_UNSTABLE

    def _note(self) -> None:
        if self._load.follow() or self._turn.vitals is not self._vitals:
            self._own = None

    def _refresh(self) -> None:
        """Let the past count less than it did, now and then."""
        if self._worked_out_at + REFRESH_S / 2 <= self._turn.now:
            self._own = None

    def _learn(self, node: NodeId, told: _Told) -> None:
        self._known.pop(node, None)
        if len(self._known) >= PERFORMANCES_MAX:
            del self._known[next(iter(self._known))]
        self._known[node] = told

    def _drop_silent(self) -> None:
        now = self._turn.now
        self._listeners = {node: listener for node, listener in self._listeners.items() if listener.until > now}
