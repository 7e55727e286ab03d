"""The membership: which nodes there are, whether they live, and how a node finds the others and is found.

Rules
- Every HEARTBEAT_S a node beats to its neighbours on the ring. Whoever suspects one, or holds it dead, says so to all;
  heartbeats pass such news on.
- A node never believes itself dead. Hearing that it is suspected, dead or gone, it raises its incarnation and says so
  to all. Whoever hears a node of which it believes the worse tells it; an overruled word is answered with the newer.
- Whoever was paused excuses the silence of all others, and speaks up before they ask.
- A newcomer says hello to all, again and again while it is alone; a few by chance answer with the members they know.
- Every so often a hello goes to one of those who are gone, and, rarely, to all: so the halves of a mesh that was cut
  find each other again.

Contract: ``start`` first; then whatever is heard, and ``tick`` when ``next_deadline`` has come. Each returns Sends,
Changes and, when it is time for a heartbeat, BeatDue; the caller then calls ``heartbeat`` at once and sends it.
members.py has the order of words, failure_detector.py the judgement, gossip.py the passing on, join.py the finding and
heartbeat.py the clock.
"""

from collections.abc import Iterable
from itertools import islice
from typing import TypeAlias

import msgspec

from roost.core.actions import Send
from roost.core.mesh.membership.failure_detector import FailureDetector
from roost.core.mesh.membership.gossip import Gossip
from roost.core.mesh.membership.heartbeat import Heartbeats
from roost.core.mesh.membership.incarnation import Hearing, Incarnation
from roost.core.mesh.membership.join import Joining
from roost.core.mesh.membership.members import Change, KnownMembers, Member, is_sound, overrules
from roost.core.mesh.membership.round_trips import RoundTrips
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.chance import Chance
from roost.model.clock import soonest
from roost.model.ids import NodeId
from roost.model.limits import BEATS_PER_BOOT, MEMBERS_ANSWER_MAX
from roost.model.resources import Capacity
from roost.model.vitals import SOUND, Condition, NodeState
from roost.wire.messages import Claim, Echo, Heartbeat, Hello, Members, Message, News, RunningLease, Standing, Stay

#: The least time between two words to a node about what is believed of it: a few in the time that a suspicion lasts.
ACCUSE_S = 0.2
#: An echo that was held longer vouches for nobody; an honest one is held for at most a beat.
VOUCH_S_MAX = 2 * HEARTBEAT_S
#: After such an absence others may hold this node dead, and have stopped to beat to it.
PAUSE_S = 1.0


class BeatDue(msgspec.Struct, frozen=True):
    """It is time for the next heartbeat."""


class Superseded(msgspec.Struct, frozen=True):
    """Others know a later life of this node: it was restored from an old copy, or runs twice. Nobody listens to it."""

    boot: int


Answer: TypeAlias = Send | Change | BeatDue | Superseded


class Beat(msgspec.Struct, frozen=True):
    """A heartbeat, and those to whom it goes."""

    heartbeat: Heartbeat
    to: tuple[NodeId, ...]


class Membership:
    def __init__(self, me: NodeId, boot: int, address: str, chance: Chance) -> None:
        self.me = me
        self._chance = chance
        self._own = Incarnation(me, boot, address)
        self._round_trips = RoundTrips()
        self._heartbeats = Heartbeats(boot, self._round_trips)
        self._members = KnownMembers()
        self._detector = FailureDetector(me, self._members)
        self._gossip = Gossip(self._members)
        self._joining = Joining(self._members, chance)
        self._superseded_by = boot
        self._answers: list[Answer] = []

    # What happens.

    def start(self, now: float) -> list[Answer]:
        """Begin to look for others."""
        self._joining.begin(now)
        return self.tick(now)

    def tick(self, now: float) -> list[Answer]:
        """Do what is due. Calling it early does no harm."""
        at = self._begin(now)
        if self.has_left:
            return self._answers
        for member, verdict in self._detector.due(at):
            self._pronounce(member, verdict, at)
        for suspect in self._detector.suspects():
            self._accuse(suspect, at)
        for node in self._joining.welcomes_due(at):
            self._send(node, Members((self._own.news, *self._joining.introductions(node))))
        for to in self._joining.hellos_due(at):
            self._send(to, Hello(self._own.news))
        self._members.forget(at)
        if self._heartbeats.due_at is not None and at >= self._heartbeats.due_at:
            self._answers.append(BeatDue())
        return self._answers

    def on_heartbeat(self, heartbeat: Heartbeat, now: float) -> list[Answer]:
        at, sender = self._begin(now), heartbeat.node
        word = News(sender, heartbeat.boot, heartbeat.incarnation, Standing.ALIVE, heartbeat.address)
        if sender == self.me or not is_sound(word) or heartbeat.beat // BEATS_PER_BOOT != heartbeat.boot:
            return self._answers
        if self.has_left:
            self._send(sender, Members((self._own.news,)))
            return self._answers
        known = self._members.members.get(sender)
        if known is not None and heartbeat.boot == known.news.boot and heartbeat.beat <= known.beat_heard:
            return self._answers
        self._hear_word(sender, word, at)
        member = self._members.members.get(sender)
        if member is not None:
            self._take_beat(member, heartbeat, now)
        return self._answers

    def on_hello(self, sender: NodeId, hello: Hello, now: float) -> list[Answer]:
        at = self._begin(now)
        if sender == self.me or hello.news.node != sender or self.has_left:
            return self._answers
        if is_sound(hello.news):
            self._hear_word(sender, hello.news, at)
        self._hear_from(sender, at)
        if sender in self._members.members and self._members.members[sender].lives:
            self._joining.may_welcome(sender, at)
        return self._answers

    def on_members(self, sender: NodeId, members: Members, now: float) -> list[Answer]:
        at = self._begin(now)
        if sender == self.me:
            return self._answers
        if self.has_left:
            words = [word for word in members.news if word.node == self.me]
            self._hear_words(sender, words, at)
            return self._answers
        self._hear_words(sender, members.news, at)
        self._hear_from(sender, at)
        return self._answers

    def heard(self, sender: NodeId, now: float) -> list[Answer]:
        """Any other message of a node came in: it lives, and if that is not what is believed, it should say so."""
        at = self._begin(now)
        if not self.has_left:
            self._hear_from(sender, at)
        return self._answers

    def heartbeat(
        self,
        now: float,
        offers: Capacity,
        free_cpus: float,
        leases: tuple[RunningLease, ...] = (),
        digest: bytes = b"",
        coordinator: Claim | None = None,
        *,
        draining: bool = False,
        attempts: tuple[RunningLease, ...] = (),
        stay: Stay | None = None,
        condition: Condition = SOUND,
    ) -> Beat:
        """Make the next own heartbeat. Every call is a new one, so send what you get."""
        echoes = self._heartbeats.next(now)
        told = self._gossip.take(self._chance.random())
        beat = Heartbeat(
            self.me,
            self._own.news.boot,
            self._own.news.incarnation,
            self._heartbeats.number,
            offers,
            free_cpus,
            leases,
            digest,
            echoes,
            tuple(self._members.members[node].news for node in told),
            coordinator,
            self._own.news.address,
            draining,
            attempts,
            stay,
            None if condition.state is NodeState.VERY_STABLE else condition,
        )
        return Beat(beat, self._detector.neighbours)

    def move(self, address: str, now: float) -> list[Answer]:
        """This node can now be reached elsewhere."""
        self._begin(now)
        self._own.renew(address=address)
        self._tell_all()
        return self._answers

    def leave(self, now: float) -> list[Answer]:
        """Say goodbye. Afterwards there is nothing to do but to repeat it to those who have not heard."""
        self._begin(now)
        self._own.leave()
        for to in (None, *self._detector.neighbours):
            self._send(to, Members((self._own.news,)))
        return self._answers

    # Questions.

    @property
    def has_left(self) -> bool:
        return self._own.has_left

    @property
    def incarnation(self) -> int:
        return self._own.news.incarnation

    @property
    def news(self) -> News:
        """What this node says of itself now."""
        return self._own.news

    def next_deadline(self) -> float | None:
        """Return when ``tick`` should be called, if nothing happens before."""
        if self.has_left:
            return None
        due_at = soonest(
            self._heartbeats.due_at,
            self._detector.next_deadline(),
            self._joining.next_deadline(),
            self._members.forgets_at(),
            *[suspect.accused_at + ACCUSE_S for suspect in self._detector.suspects()],
        )
        return None if due_at is None else due_at + self._heartbeats.absent_s

    def alive(self) -> tuple[NodeId, ...]:
        """Return all nodes that live, suspects and this one among them, sorted."""
        return tuple(sorted((self.me, *self._members.living)))

    def others(self) -> tuple[NodeId, ...]:
        """Return all other nodes that live, sorted."""
        return tuple(self._members.living)

    def member(self, node: NodeId) -> Member | None:
        """Return what is known of another node, which may be gone: its news and address, its last heartbeat."""
        return self._members.members.get(node)

    def members(self) -> tuple[Member, ...]:
        """Return everybody else who is known, the gone among them, sorted."""
        return tuple(self._members.members[node] for node in sorted(self._members.members))

    def sizes(self) -> tuple[int, int]:
        """Return how many others live, and how many are remembered as gone."""
        return len(self._members.living), len(self._members.gone)

    def delivery_s(self) -> float:
        """Return how long a message to all takes, with few exceptions; alone, nothing."""
        return self._round_trips.delivery_s(self._detector.neighbours) if self._members.living else 0.0

    def round_trip_s(self, node: NodeId) -> float | None:
        return self._round_trips.round_trip_s(node)

    def check(self) -> None:
        self._members.check()
        self._detector.check()

    def _begin(self, now: float) -> float:
        """Begin a reaction; return the time by the clock that stands still while this node does not run."""
        self._answers = []
        absent_s = self._heartbeats.notice(now)
        if absent_s:
            self._detector.listen(self._heartbeats.time(now))
        if absent_s > PAUSE_S and not self.has_left:
            self._detector.excuse(self._heartbeats.time(now))
            self._own.renew()
            self._tell_all()
        return self._heartbeats.time(now)

    # Words.

    def _hear_words(self, sender: NodeId, words: Iterable[News], at: float) -> None:
        """Take words of others, and answer those that are overruled by what is known here."""
        newer: list[News] = []
        for word in islice(words, MEMBERS_ANSWER_MAX):
            better = self._hear_word(sender, word, at) if is_sound(word) else None
            if better is not None:
                newer.append(better)
        if newer:
            self._send(sender, Members(tuple(newer)))

    def _hear_word(self, sender: NodeId, word: News, at: float) -> News | None:
        """Take a word; return the one that overrules it, if there is one."""
        if word.node == self.me:
            return self._hear_of_self(sender, word)
        known = self._members.members.get(word.node)
        if known is not None and known.news == word:
            return None
        if known is not None and overrules(known.news, word):
            return known.news
        if known is not None and known.lives and word.standing is Standing.DEAD:
            self._doubt(known, word, at)
        else:
            self._learn(word, at)
        return None

    def _hear_of_self(self, sender: NodeId, word: News) -> News | None:
        hearing = self._own.hear(word)
        if hearing is Hearing.REFUTED:
            self._tell_all()
            if sender not in self._members.living:
                self._send(sender, Members((self._own.news,)))
        elif hearing is Hearing.SUPERSEDED and word.boot > self._superseded_by:
            self._superseded_by = word.boot
            self._answers.append(Superseded(word.boot))
        return self._own.news if hearing is Hearing.OVERRULED else None

    def _learn(self, word: News, at: float) -> None:
        known = self._members.members.get(word.node)
        before = known.news if known is not None else None
        changes = self._members.learn(word, at)
        member = self._members.members.get(word.node)
        if member is not None and member.news != before:
            self._gossip.add(word.node, len(self._detector.neighbours))
        if changes:
            self._answers += changes
            self._follow(word.node, at)

    def _follow(self, node: NodeId, at: float) -> None:
        """Let everything follow from whether a node lives now."""
        self._detector.follow(node, at)
        self._heartbeats.follow(alone=not self._members.living, at=at)
        self._round_trips.keep(self._detector.neighbours)
        self._joining.follow(at)

    def _doubt(self, member: Member, word: News, at: float) -> None:
        """Others say that a node is dead which was not even suspect here, or was heard just now: ask it."""
        self._learn(msgspec.structs.replace(word, standing=Standing.SUSPECT), at)
        if self._detector.condemn(member, at):
            self._learn(msgspec.structs.replace(member.news, standing=Standing.DEAD), at)
        else:
            self._accuse(member, at)

    def _pronounce(self, member: Member, verdict: Standing, at: float) -> None:
        """Say to all that a node is suspect or dead."""
        watched = member.node in self._detector.neighbours
        self._learn(msgspec.structs.replace(member.news, standing=verdict), at)
        if watched:
            self._send(None, Members((member.news,)))
            member.accused_at = at

    def _accuse(self, member: Member, at: float) -> None:
        """Tell a node what is believed of it, so that it refutes; and who says so, in case it believes the same."""
        if at >= member.accused_at + ACCUSE_S:
            member.accused_at = at
            self._send(member.node, Members((member.news, self._own.news)))

    def _tell_all(self) -> None:
        self._send(None, Members((self._own.news,)))

    def _introduce_neighbours(self, member: Member, at: float) -> None:
        """A node beats to this one though others stand nearer: it does not know them."""
        if at >= member.accused_at + ACCUSE_S:
            member.accused_at = at
            news = (self._members.members[node].news for node in self._detector.neighbours)
            self._send(member.node, Members((self._own.news, *news)))

    def _hear_from(self, sender: NodeId, at: float) -> None:
        """A node lives; if that is not what is believed here, it should say so itself."""
        member = self._members.members.get(sender)
        if member is not None:
            member.seen(at)
            if member.standing is not Standing.ALIVE:
                self._accuse(member, at)

    def _take_beat(self, member: Member, heartbeat: Heartbeat, now: float) -> None:
        at = self._heartbeats.time(now)
        if heartbeat.boot != member.news.boot:
            self._accuse(member, at)
            return
        member.beat_heard = heartbeat.beat
        member.heartbeat = heartbeat
        member.beaten(heartbeat.beat, at, at)
        self._heartbeats.heard(member.node, heartbeat.beat, now)
        self._hear_from(member.node, at)
        for echo in heartbeat.echoes:
            self._hear_echo(member.node, echo, now)
        self._hear_words(member.node, heartbeat.news, at)
        if member.lives and member.node not in self._detector.neighbours:
            self._introduce_neighbours(member, at)

    def _hear_echo(self, sender: NodeId, echo: Echo, now: float) -> None:
        """An echo of an own beat tells the time of a round trip; one of another's vouches that it lives."""
        if echo.node == self.me:
            self._round_trips.echoed(sender, echo.beat, echo.held_s, now)
            return
        member = self._members.members.get(echo.node)
        if member is None or echo.beat <= member.beat_known:
            return
        if echo.beat // BEATS_PER_BOOT == member.news.boot and 0 <= echo.held_s <= VOUCH_S_MAX:
            at = self._heartbeats.time(now)
            member.beaten(echo.beat, at - echo.held_s, at)

    def _send(self, to: NodeId | None, message: Message) -> None:
        self._answers.append(Send(to, message, promises=False))
