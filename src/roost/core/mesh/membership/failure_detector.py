"""The failure detector: whose silence this node notices, and when silence or hearsay becomes suspicion, then death.

Rules
- A node watches its neighbours on the ring of the living (membership/ring.py). It suspects one that has been silent for
  longer than its history allows (core/mesh/membership/suspicion.py), and holds it dead when the silence goes on.
- Silence is broken by any word from the node itself, and by any that says that another heard it.
- The word of others that a node is dead is first a suspicion, because the node may live beyond a cut that has just
  healed, or its accuser be deaf: it is believed after DOUBT_S, and not while the node is heard. A neighbour goes by the
  silence that it would allow itself, others by RECENT_S, because they hear of a node by chance only.
- Who did not run for a while first hears what has come in meanwhile, and judges after LISTEN_S. A verdict whose time
  has passed unnoticed shows as much as a late beat does.
- Those who are not neighbours of a suspect form no judgement of their own; they wait for the word of one who is.
"""

from bisect import bisect_left

from roost.core.mesh.membership.heartbeat import LATE_S
from roost.core.mesh.membership.members import KnownMembers, Member
from roost.core.mesh.membership.ring import neighbours, place
from roost.core.mesh.membership.suspicion import DOUBT_S, HEARTBEAT_S, suspicion_lasts_s
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId
from roost.wire.messages import Standing

#: Longer: a false word of death is believed by fewer. Shorter: a true one is believed sooner.
RECENT_S = 2 * HEARTBEAT_S
#: Longer: a busy node hears more before it judges. Shorter: it judges sooner.
LISTEN_S = 0.1


class FailureDetector:
    def __init__(self, me: NodeId, roster: KnownMembers) -> None:
        self._me = me
        self._members = roster
        self._ring = [place(me)]
        #: Those whom this node watches, and who watch it.
        self.neighbours: tuple[NodeId, ...] = ()
        self._watched: tuple[Member, ...] = ()
        #: Those whose death others declared, and of which this node is not convinced yet.
        self._condemned: dict[NodeId, None] = {}
        self._listens_until = float("-inf")

    def follow(self, node: NodeId, now: float) -> None:
        """Take over from the roster whether a node lives, of which something was heard."""
        spot, member = place(node), self._members.members.get(node)
        at = bisect_left(self._ring, spot)
        stands, lives = self._ring[at : at + 1] == [spot], member is not None and member.lives
        if lives and not stands:
            self._ring.insert(at, spot)
        elif stands and not lives:
            del self._ring[at]
        before = self.neighbours
        self.neighbours = self._nearest()
        self._watched = tuple(self._members.members[node] for node in self.neighbours)
        for member in self._watched:
            if member.node not in before:
                member.begin_watch(now)

    def condemn(self, member: Member, now: float) -> bool:
        """Others say that this suspect is dead; return whether that is believed at once."""
        member.condemned = True
        self._condemned[member.node] = None
        return self._convinced_at(member) <= now

    def listen(self, now: float) -> None:
        """This node did not run until now."""
        self._listens_until = now + LISTEN_S

    def due(self, now: float) -> list[tuple[Member, Standing]]:
        """Return the members of whom something worse must be believed now, and what."""
        due = [(at, member, verdict) for at, member, verdict in self._verdicts() if at <= now]
        if any(at < now - LATE_S for at, _, _ in due) and self._listens_until < now - LATE_S:
            self.listen(now)
        return [] if now < self._listens_until else [(member, verdict) for _, member, verdict in due]

    def next_deadline(self) -> float | None:
        if self._condemned or self.suspects():
            times = [at for at, _, _ in self._verdicts()]
        else:
            # As always, but for moments: all who are watched live.
            times = [member.heard_at + member.silence_allowed_s for member in self._watched]
        return max(min(times), self._listens_until) if times else None

    def suspects(self) -> list[Member]:
        """Return the suspects among the neighbours."""
        return [member for member in self._watched if member.news.standing is Standing.SUSPECT]

    def excuse(self, now: float) -> None:
        """This node did not listen for a while: nobody's silence counts until now."""
        for member in self._watched:
            member.seen(now)

    def check(self) -> None:
        ring = sorted(place(node) for node in (self._me, *self._members.living))
        if ring != self._ring or self._nearest() != self.neighbours:
            raise InvariantViolated(f"{self._me} watches {self.neighbours}, which does not follow from who lives")
        if self._watched != tuple(self._members.members[node] for node in self.neighbours):
            raise InvariantViolated(f"{self._me} looks at others than {self.neighbours}, whom it watches")

    def _nearest(self) -> tuple[NodeId, ...]:
        return tuple(node for _, node in neighbours(self._ring, bisect_left(self._ring, place(self._me))))

    def _verdicts(self) -> list[tuple[float, Member, Standing]]:
        """Return what will be believed of whom, and when, if nothing more is heard."""
        if self._condemned:
            self._condemned = {node: None for node in self._condemned if self._is_condemned(node)}
        found = [(self._convinced_at(self._members.members[node]), node, Standing.DEAD) for node in self._condemned]
        for node in self.neighbours:
            member = self._members.members[node]
            silent_at = member.heard_at + member.silence_allowed_s
            if member.standing is Standing.ALIVE:
                found.append((silent_at, node, Standing.SUSPECT))
            elif node not in self._condemned:
                lasts_s = suspicion_lasts_s(member.arrivals)
                found.append((max(member.since, silent_at) + lasts_s, node, Standing.DEAD))
        return [(at, self._members.members[node], verdict) for at, node, verdict in found]

    def _is_condemned(self, node: NodeId) -> bool:
        member = self._members.members.get(node)
        return member is not None and member.condemned and member.standing is Standing.SUSPECT

    def _convinced_at(self, member: Member) -> float:
        recent_s = member.silence_allowed_s if member.node in self.neighbours else RECENT_S
        return max(member.since + DOUBT_S, member.heard_at + recent_s)
