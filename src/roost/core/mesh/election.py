"""The coordinator: who it is, and how one is chosen when somebody needs one (LAN 3.6.1, 3.6.1.1, 3.6.3).

The coordinator (LAN: master) hands the state to nodes that join. It is a convenience: whoever turns to it must have a
way without it, too (anti-entropy between any two nodes), and must not wait for it for ever. Two coordinators, or none,
for a moment or for the length of a partition do no harm, so nothing here is written to disk or decided by a majority.

Rules
- There is none until one is needed. Who needs one asks WHO_IS_MASTER; without an answer within the window it starts an
  election. If the coordinator dies while it is needed, an election starts at once.
- In an election everybody broadcasts a candidacy and waits for the window; the best candidate then takes office and
  broadcasts NEW_MASTER. All compare alike (``merit``). Elections at the same time are one election.
- Who is in office does not take part: it says NEW_MASTER, and that ends the election for all who hear it.
- The newest claim of a living node stays. Every heartbeat carries the claim that its sender goes by, so that after a
  partition, or when a message of the election was lost, one coordinator is left; the older ones step down. Claims may
  come from third nodes, because a heartbeat reaches only some; a node that others still count on after it was
  restarted is in office again.
- A claim ends with the death of its node. A late message does not bring it back; the node itself does, by living on.
- What was said before an election was settled belongs to it and starts no other.
- Who needs a coordinator, and sees ELECTIONS_MAX elections without one, takes office itself. So every need ends after
  a bounded number of messages.

Candidacies and claims carry hybrid stamps, so a claim is newer than everything that its maker had heard of, however
wrong the clocks are.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.core.actions import Send
from roost.model.clock import Stamp, zero
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId
from roost.model.limits import ELECTORS_MAX
from roost.wire.messages import Candidacy, Claim, Heartbeat, Message, NewMaster, StartElection, WhoIsMaster

#: Elections that one need may start before the node in need takes office itself.
ELECTIONS_MAX = 3


class Elected(msgspec.Struct, frozen=True):
    """From now on the claim's node is the coordinator; it may be this one."""

    claim: Claim


class SteppedDown(msgspec.Struct, frozen=True):
    """This node had this claim, and gave way to a newer one."""

    claim: Claim


Outcome: TypeAlias = Send | Elected | SteppedDown


class Stage(StrEnum):
    """What this node waits for, if anything."""

    IDLE = "idle"
    #: Somebody to answer WHO_IS_MASTER.
    ASKING = "asking"
    #: The window, in which candidacies arrive.
    CAMPAIGNING = "campaigning"
    #: The winner to say so.
    AWAITING = "awaiting"


def merit(candidacy: Candidacy) -> tuple[int, int, Stamp]:
    """Return what decides between candidates; the smallest wins (LAN 3.6.1).

    The higher reputation, then the larger map, then the older candidacy, then the host name that comes first (a stamp
    ends with it). Algorithm 3.1 forgets, among equal reputations, the case that the other map is larger: both
    candidates would win. The text of 3.6.1 names that case, and is followed here.
    """
    return (-candidacy.reputation, -candidacy.map_size, candidacy.at)


class Election:
    """This node's part in it. Methods return what to send, and what has changed, in order."""

    def __init__(
        self, me: NodeId, reputation: int, stamp: Callable[[float], Stamp], *, window_s: float, map_size: int = 0
    ) -> None:
        """``stamp`` ticks the node's hybrid clock, which has seen the stamp of every envelope that arrived."""
        self.me = me
        self.reputation = reputation
        self._stamp = stamp
        #: How long to wait for answers and candidacies: a few delivery times, set anew as those are measured.
        #: Too short: several nodes take office, and all but the newest step down. Too long: a joining node waits.
        self.window_s = window_s
        #: How many tasks this node knows; kept up to date from outside.
        self.map_size = map_size
        #: Of the coordinator, as far as this node knows. Every heartbeat of this node carries it.
        self.claim: Claim | None = None
        self._needed = False
        self._elections = 0
        self._stage = Stage.IDLE
        self._until: float | None = None
        self._candidacies: dict[NodeId, Candidacy] = {}
        self._living: dict[NodeId, None] = {}
        #: The newest claim that ended with its node's death.
        self._ended: Claim | None = None
        #: When the last election was over, as far as this node knows.
        self._settled = zero(me)

    @property
    def office(self) -> Claim | None:
        """The claim, if it is this node's own."""
        return self.claim if self.claim is not None and self.claim.node == self.me else None

    def next_deadline(self) -> float | None:
        return self._until

    def check(self) -> None:
        if (self._stage is Stage.IDLE) != (self._until is None):
            raise InvariantViolated(f"{self.me} is {self._stage} in an election and waits until {self._until}")
        if self.office is not None and self._stage is not Stage.IDLE:
            raise InvariantViolated(f"{self.me} is in office and {self._stage} in an election")

    # What this node wants of a coordinator.

    def need(self, now: float) -> list[Outcome]:
        """Somebody here needs a coordinator, until ``served``. ``claim`` says which; if it is None, Elected follows.

        If that names this node itself, there is nobody to turn to, and the need is to be met without.
        """
        self._needed = True
        if self.claim is not None or self._stage is not Stage.IDLE:
            return []
        self._enter(Stage.ASKING, now)
        return [_to_all(WhoIsMaster())]

    def served(self) -> None:
        """The coordinator has done what it was needed for, or it was done without one."""
        self._needed, self._elections = False, 0
        if self._stage is not Stage.CAMPAIGNING:
            self._rest()

    def unanswered(self, now: float) -> list[Outcome]:
        """The coordinator did not answer (LAN 3.6.1.1): choose another, unless it speaks up."""
        self._needed = True
        if self.office or self._stage in {Stage.CAMPAIGNING, Stage.AWAITING}:
            return []
        return self._elect(now)

    # What membership says.

    def member_alive(self, node: NodeId) -> None:
        """A node came, or came back."""
        if len(self._living) < ELECTORS_MAX:
            self._living[node] = None

    def member_died(self, node: NodeId, now: float) -> list[Outcome]:
        """A node died or left; to LAN that is the same (3.6.3)."""
        self._living.pop(node, None)
        self._candidacies.pop(node, None)
        if self.claim is None or self.claim.node != node:
            return []
        self._ended, self.claim = self.claim, None
        return self._elect(now) if self._needed and self._stage is not Stage.CAMPAIGNING else []

    # What other nodes say.

    def on_heartbeat(self, beat: Heartbeat) -> list[Outcome]:
        """A node lives, and goes by this claim. Only for beats that membership believed."""
        return [] if beat.coordinator is None else self._hear(beat.coordinator, beat.node)

    def on_new_master(self, message: NewMaster, sender: NodeId) -> list[Outcome]:
        return self._hear(message.claim, sender)

    def on_who_is_master(self, sender: NodeId) -> list[Outcome]:
        return [Send(sender, NewMaster(self.office), promises=False)] if self.office else []

    def on_start_election(self, sent: Stamp, now: float) -> list[Outcome]:
        """Somebody wants an election; ``sent`` is its envelope's stamp, which tells a late message from a new wish."""
        if self.office:
            return [_to_all(NewMaster(self.office))]
        if self._stage is Stage.CAMPAIGNING or sent <= self._settled:
            return []
        return self._campaign(now)

    def on_candidacy(self, candidacy: Candidacy, now: float) -> list[Outcome]:
        """A candidacy is an election's beginning, too, to those who missed that and know no coordinator."""
        if self.office:
            return [Send(candidacy.node, NewMaster(self.office), promises=False)]
        if candidacy.at <= self._settled:
            return []
        self._enter_candidate(candidacy)
        return self._campaign(now) if self.claim is None and self._stage is not Stage.CAMPAIGNING else []

    def tick(self, now: float) -> list[Outcome]:
        if self._until is None or now < self._until:
            return []
        return self._settle(now) if self._stage is Stage.CAMPAIGNING else self._elect(now)

    # The steps of an election.

    def _elect(self, now: float) -> list[Outcome]:
        self._elections += 1
        if self._elections > ELECTIONS_MAX:
            return self._take_office(now)
        return [_to_all(StartElection()), *self._campaign(now)]

    def _campaign(self, now: float) -> list[Outcome]:
        mine = Candidacy(self.reputation, self.map_size, self._stamp(now))
        self._enter_candidate(mine)
        self._enter(Stage.CAMPAIGNING, now)
        return [_to_all(mine)]

    def _enter_candidate(self, candidacy: Candidacy) -> None:
        """Note a candidate, of each node its last word; if there are too many, the worst goes."""
        known = self._candidacies.get(candidacy.node)
        if known is None or known.at < candidacy.at:
            self._candidacies[candidacy.node] = candidacy
        if len(self._candidacies) > ELECTORS_MAX:
            del self._candidacies[max(self._candidacies.values(), key=merit).node]

    def _settle(self, now: float) -> list[Outcome]:
        best = min(self._candidacies.values(), key=merit)
        self._candidacies.clear()
        self._settled = self._stamp(now)
        if best.node == self.me:
            return self._take_office(now)
        if self._needed:
            self._enter(Stage.AWAITING, now)
        else:
            self._rest()
        return []

    def _take_office(self, now: float) -> list[Outcome]:
        claim = Claim(self._stamp(now), self.me)
        return [*self._adopt(claim), _to_all(NewMaster(claim))]

    def _hear(self, claim: Claim, sender: NodeId) -> list[Outcome]:
        if not self._counts(claim, sender):
            return []
        if self.claim is None or claim > self.claim:
            return self._adopt(claim)
        if claim == self.claim and sender == claim.node:
            self._rest()
        return []

    def _counts(self, claim: Claim, sender: NodeId) -> bool:
        """Whether the claim's node lives: membership says so, or its own word does if it is no echo of a dead one."""
        if claim.node == self.me or claim.node in self._living:
            return True
        return sender == claim.node and (self._ended is None or claim > self._ended)

    def _adopt(self, claim: Claim) -> list[Outcome]:
        given_up = self.office if claim.node != self.me else None
        self.claim = claim
        self._settled = max(self._settled, claim.elected)
        self._elections = 0
        self._candidacies.clear()
        self._rest()
        return [SteppedDown(given_up), Elected(claim)] if given_up else [Elected(claim)]

    def _enter(self, stage: Stage, now: float) -> None:
        self._stage, self._until = stage, now + self.window_s

    def _rest(self) -> None:
        self._stage, self._until = Stage.IDLE, None


def _to_all(message: Message) -> Send:
    return Send(None, message, promises=False)
