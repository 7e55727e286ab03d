"""Peers: who else is there, as the machines of a node need to know it.

Rules
- The medium knows who lives, and tells it here. Without a network there is nobody, ever; unless it is a medium that
  knows no names, where others may be there all the same.
- Somebody may be expected who is not there yet: after a restart, or because he was heard before he is known. Until that
  time is over a node does not take itself for alone, and starts nothing: others may be at work on what its journal says
  was lost with its last life.
- How long others stay, and how fast they are, changes slowly. It is looked up now and then, and when somebody has come
  or gone, because a choice of work asks for all of them (policy/roost.py).
- Whether another node drains is in its heartbeats; what it has said since then counts more.
- In which state it is is in its heartbeats, which only neighbours hear: of all others nothing is known, so they are
  neither super-peers nor unstable.
"""

import math
from collections.abc import Mapping
from typing import Protocol

from roost.core.staying import ability_told
from roost.core.turn import Turn
from roost.model.ids import NodeId
from roost.model.vitals import SOUND, Condition, NodeState
from roost.policy.company import Ability, Company, company_of, ratios_of
from roost.policy.expected_length import Logs
from roost.policy.window import window_s
from roost.wire.messages import Heartbeat, Standing

#: How long a node waits for those who were there in its last life, or whom it has heard before it knows them, before it
#: starts anything, or promises what they should keep. Longer: a slow network costs no promise. Shorter: a machine that
#: was carried away is less slow for a moment.
EXPECT_S = 2.0
#: How long after somebody came or went all nodes have surely heard of it. Longer: large arrays begin with contests for
#: longer. Shorter: nodes that count differently take the same elements.
SETTLED_S = 1.0
#: How old what is known of the abilities of others may be. Longer: less is computed. Shorter: what a node has found out
#: of itself counts sooner.
ABILITIES_S = 5.0


class Peer(Protocol):
    """What is known of another node."""

    @property
    def standing(self) -> Standing: ...
    @property
    def heartbeat(self) -> Heartbeat | None: ...


class Network(Protocol):
    """Whom a node hears, and how long messages take."""

    def member(self, node: NodeId) -> Peer | None: ...
    def delivery_s(self) -> float: ...


class Peers:
    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._network: Network | None = None
        #: All other nodes that live, sorted.
        self.others: tuple[NodeId, ...] = ()
        #: Whether others may be there whom nobody can name. A medium that has no list of them says so.
        self.may_be_unnamed = False
        #: Since when they are these.
        self._since = 0.0
        #: Until then, nobody to be heard does not mean that nobody is there.
        self.alone_after = 0.0
        self._waits = False
        #: Nodes that said that they drain, since their last heartbeat.
        self._draining: dict[NodeId, None] = {}
        #: Nodes that are not very stable, as they said last.
        self._conditions: dict[NodeId, Condition] = {}
        self._living: frozenset[NodeId] = frozenset()
        #: Nodes that have begun something or attempt something, as they said last. Only neighbours say that: they are
        #: few in a large mesh.
        self._at_work: dict[NodeId, None] = {}
        self._abilities: Mapping[NodeId, Ability] = {}
        self._abilities_until = -math.inf
        self._company: tuple[Ability, Company] | None = None
        self._alike: dict[int, Logs] = {}

    def on(self, network: Network) -> None:
        """There may be others. The medium says so before anything happens."""
        self._network = network

    @property
    def on_network(self) -> bool:
        """Whether there can be others at all."""
        return self._network is not None

    def regroup(self, others: tuple[NodeId, ...]) -> None:
        """Somebody came or went."""
        before, self._living = self._living, frozenset(others)
        self.others = others
        for other in others:
            # Of who comes back counts what it said last.
            if other not in before and (beat := self.heartbeat_of(other)) is not None:
                self._note_work(beat)
        self._since = self._turn.now
        self._abilities_until = -math.inf
        self._turn.stir()

    def expect(self) -> None:
        """Somebody is there, or was in the last life, though nobody is known yet."""
        self.alone_after = max(self.alone_after, self._turn.now + EXPECT_S)
        self._waits = True

    @property
    def has_company(self) -> bool:
        """Whether somebody else is there, or is expected in a moment."""
        return bool(self.others) or self.may_be_unnamed or self.expects

    @property
    def expects(self) -> bool:
        """Whether nobody is there whom it knows, and somebody may come in a moment."""
        return not self.others and self.on_network and self._turn.now < self.alone_after

    def tick(self) -> None:
        """Those who were expected did not come: what waits may start."""
        if self._waits and self._turn.now >= self.alone_after:
            self._waits = False
            self._turn.stir()

    def next_deadline(self) -> float | None:
        return self.alone_after if self._waits else None

    def is_settled(self) -> bool:
        """Whether nobody has come or gone of late, so that all nodes count the same ones."""
        return self._turn.now - self._since >= SETTLED_S

    def window_s(self) -> float:
        """Return how long a bidder waits for the bids of others."""
        return window_s(None if self._network is None else self._network.delivery_s(), len(self.others))

    def heartbeat_of(self, node: NodeId, *, alive: bool = False) -> Heartbeat | None:
        """Return what another node said last, if it was heard; with ``alive``, unless it is suspected."""
        member = None if self._network is None else self._network.member(node)
        if member is None or (alive and member.standing is not Standing.ALIVE):
            return None
        return member.heartbeat

    # What others say of themselves.

    def heard(self, beat: Heartbeat) -> None:
        """Another node has beaten."""
        self.said(beat.node, drains=beat.draining)
        self._note_work(beat)
        told, before = beat.condition, self._conditions.get(beat.node)
        if told != before:
            if told is None:
                del self._conditions[beat.node]
            else:
                self._conditions[beat.node] = told
            if (told or SOUND).state is not (before or SOUND).state:
                self._turn.stir()

    def gone(self, node: NodeId) -> None:
        """Another node is gone; what it has said counts no more."""
        self.said(node, drains=False)
        self._conditions.pop(node, None)
        self._at_work.pop(node, None)

    # What they have begun.

    def is_other(self, node: NodeId) -> bool:
        """Whether this is another node that lives."""
        return node in self._living

    def at_work(self) -> list[Heartbeat]:
        """Return what those have said last who have begun something, or attempt something beside others."""
        beats = [self.heartbeat_of(node) for node in self._at_work if node in self._living]
        return [beat for beat in beats if beat is not None]

    def _note_work(self, beat: Heartbeat) -> None:
        if beat.attempts or any(lease.running_s is not None for lease in beat.leases):
            self._at_work[beat.node] = None
        else:
            self._at_work.pop(beat.node, None)

    # How stable they are.

    @property
    def any_unstable(self) -> bool:
        """Whether another node says that it is unstable, or worse."""
        return any(told.state >= NodeState.UNSTABLE for told in self._conditions.values())

    def state_of(self, node: NodeId) -> NodeState:
        """Return the state of another node, as far as is known; very stable if it has said nothing else."""
        return self._conditions.get(node, SOUND).state

    @property
    def supers(self) -> tuple[NodeId, ...]:
        """Return the other nodes that say that they are very stable, and do not drain."""
        others = [other for other in self.others if other not in self._conditions and not self.drains(other)]
        return tuple(other for other in others if self.heartbeat_of(other, alive=True) is not None)

    # How long they stay, and how fast they are.

    def abilities(self) -> Mapping[NodeId, Ability]:
        """Return what the other nodes tell of how long they stay and how fast they are."""
        if self._turn.now >= self._abilities_until:
            told = ((other, self.heartbeat_of(other)) for other in self.others)
            self._abilities = {
                other: ability_told(heartbeat.stay)
                for other, heartbeat in told
                if heartbeat is not None and heartbeat.stay is not None
            }
            self._abilities_until = self._turn.now + ABILITIES_S
            self._company = None
            self._alike = {}
        return self._abilities

    def alike(self, processor: int) -> Logs:
        """Return by how much work took longer than was stated on other nodes with this type of processor."""
        abilities = self.abilities() if processor else {}
        if processor not in self._alike:
            self._alike[processor] = ratios_of(processor, abilities.values())
        return self._alike[processor]

    def company(self, own: Ability) -> Company:
        """Return what all nodes are together, with what this node is good for itself."""
        abilities = self.abilities()
        if self._company is None or self._company[0] != own:
            silent = len(self.others) - len(abilities)
            self._company = own, company_of([own, *abilities.values()], silent)
        return self._company[1]

    # Who is about to go.

    def said(self, node: NodeId, *, drains: bool) -> None:
        """Another node said whether it drains."""
        if drains:
            self._draining[node] = None
        else:
            self._draining.pop(node, None)

    def drains(self, node: NodeId) -> bool:
        """Whether another node has said that it drains."""
        if node in self._draining:
            return True
        heartbeat = self.heartbeat_of(node)
        return heartbeat is not None and heartbeat.draining

    @property
    def staying(self) -> tuple[NodeId, ...]:
        """Return the other nodes that do not drain, as far as is known."""
        return tuple(other for other in self.others if not self.drains(other))
