"""Known members: what this node believes of every other, and which word of it overrules which.

Rules
- Words about a node are ordered by (boot, incarnation, standing); the larger stays. So all that have heard the same
  words, in whatever order and however often, believe the same.
- Within one incarnation alive < suspect < dead < left. Only the node itself raises its incarnation, so what speaks of a
  past incarnation revives nobody.
- A higher boot is another life of the node: nothing that was known of the earlier one holds.
- The dead and those who left are remembered for GONE_S and up to GONE_MAX of them. Word that an unknown node is gone
  teaches nothing: otherwise the forgotten would be remembered anew for ever.

Times are the membership's own; they stand still while this node does not run.
"""

from bisect import bisect_left, insort
from typing import TypeAlias

import msgspec

from roost.core.mesh.membership.suspicion import Arrivals, silence_allowed_s
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId
from roost.model.limits import (
    ADDRESS_LENGTH_MAX,
    BOOT_MAX,
    GONE_MAX,
    INCARNATION_MAX,
    MEMBERS_MAX,
    NAME_LENGTH_MAX,
)
from roost.wire.messages import Heartbeat, News, Standing

#: How long a node that died or left is remembered. Longer: halves of a mesh that was cut find each other by address
#: after longer cuts. Shorter: fewer words to nodes that never return.
GONE_S = 3_600.0

_RANK = {Standing.ALIVE: 0, Standing.SUSPECT: 1, Standing.DEAD: 2, Standing.LEFT: 3}


class Joined(msgspec.Struct, frozen=True):
    """A node that was not known lives."""

    node: NodeId


class Restarted(msgspec.Struct, frozen=True):
    """A known node lives another life; what it had in the earlier one is lost, whether or not its death was noticed."""

    node: NodeId
    boot: int


class Suspected(msgspec.Struct, frozen=True):
    """A node is silent, or somebody says so. It still counts as living."""

    node: NodeId


class Refuted(msgspec.Struct, frozen=True):
    """A suspect lives after all."""

    node: NodeId


class Died(msgspec.Struct, frozen=True):
    node: NodeId


class Left(msgspec.Struct, frozen=True):
    """A node said goodbye."""

    node: NodeId


class Returned(msgspec.Struct, frozen=True):
    """A node that was believed dead was not: it was cut off or asleep, and may still have all that it had."""

    node: NodeId


Change: TypeAlias = Joined | Restarted | Suspected | Refuted | Died | Left | Returned


class Member:
    """One other node."""

    __slots__ = (
        "accused_at",
        "arrivals",
        "beat_heard",
        "beat_known",
        "beaten_at",
        "condemned",
        "heard_at",
        "heartbeat",
        "news",
        "silence_allowed_s",
        "since",
    )

    def __init__(self, news: News, now: float) -> None:
        #: The word of it that no other has overruled.
        self.news = news
        #: When that word came.
        self.since = now
        #: When it was told last what is believed of it.
        self.accused_at = float("-inf")
        self.begin_life(now)

    def begin_life(self, now: float) -> None:
        #: Its last heartbeat that came here.
        self.heartbeat: Heartbeat | None = None
        self.beat_heard = 0
        #: Its last beat that anybody is known to have heard, and when that was.
        self.beat_known = 0
        self.beaten_at = now
        #: When it was last known to live, by a beat or anything else; its silence counts from here.
        self.heard_at = now
        self.remember(Arrivals())
        #: Somebody says that it is dead, and there is doubt.
        self.condemned = False

    @property
    def node(self) -> NodeId:
        return self.news.node

    @property
    def standing(self) -> Standing:
        return self.news.standing

    @property
    def lives(self) -> bool:
        return self.news.standing in (Standing.ALIVE, Standing.SUSPECT)

    def begin_watch(self, now: float) -> None:
        """From now on its beats should come here, and nothing was learnt from those that came before."""
        self.beaten_at = now
        self.remember(Arrivals())
        self.seen(now)

    def remember(self, arrivals: Arrivals) -> None:
        self.arrivals = arrivals
        #: Asked for at every turn, so it is computed when it changes.
        self.silence_allowed_s = silence_allowed_s(arrivals)

    def seen(self, at: float) -> None:
        """It lived at this time: it said something, or another vouches for it."""
        self.heard_at = max(self.heard_at, at)

    def beaten(self, beat: int, at: float, now: float) -> None:
        """Word of a beat came now, and that was heard ``at``, here or by another; if it is new, a silence has ended."""
        if beat <= self.beat_known:
            return
        self.remember(self.arrivals.after(max(now - self.beaten_at, 0.0)))
        self.beat_known = beat
        self.beaten_at = max(self.beaten_at, at)
        self.seen(at)


def is_sound(word: News) -> bool:
    """Whether a word keeps the limits of what may come from outside."""
    return (
        0 < len(word.node) <= NAME_LENGTH_MAX
        and len(word.address) <= ADDRESS_LENGTH_MAX
        and 0 <= word.boot <= BOOT_MAX
        and 0 <= word.incarnation <= INCARNATION_MAX
    )


def overrules(new: News, old: News) -> bool:
    return (new.boot, new.incarnation, _RANK[new.standing]) > (old.boot, old.incarnation, _RANK[old.standing])


class KnownMembers:
    def __init__(self) -> None:
        #: Everybody who is known, by name.
        self.members: dict[NodeId, Member] = {}
        #: Those who live, suspects among them, sorted.
        self.living: list[NodeId] = []
        #: Those who died or left, the longest ago first.
        self.gone: dict[NodeId, None] = {}

    def learn(self, news: News, now: float) -> list[Change]:
        """Take a word about a node; return what it changed, which is nothing unless it overrules what is known."""
        member = self.members.get(news.node)
        if member is None:
            return self._meet(news, now)
        if not overrules(news, member.news):
            return []
        return self._replace(member, news, now)

    def forget(self, now: float) -> None:
        """Drop those who have been gone for long."""
        while self.gone:
            oldest = next(iter(self.gone))
            if len(self.gone) <= GONE_MAX and now < self.members[oldest].since + GONE_S:
                break
            del self.gone[oldest]
            del self.members[oldest]

    def forgets_at(self) -> float | None:
        return self.members[next(iter(self.gone))].since + GONE_S if self.gone else None

    def check(self) -> None:
        living = sorted(node for node, member in self.members.items() if member.lives)
        gone = {node for node, member in self.members.items() if not member.lives}
        if living != self.living or gone != set(self.gone):
            raise InvariantViolated(f"living {self.living} and gone {list(self.gone)} do not follow from the words")
        if len(self.living) > MEMBERS_MAX or len(self.gone) > GONE_MAX:
            raise InvariantViolated(f"{len(self.living)} living and {len(self.gone)} gone nodes are more than allowed")

    def _meet(self, news: News, now: float) -> list[Change]:
        if news.standing in (Standing.DEAD, Standing.LEFT) or len(self.living) >= MEMBERS_MAX:
            return []
        self.members[news.node] = Member(news, now)
        insort(self.living, news.node)
        suspected = [Suspected(news.node)] if news.standing is Standing.SUSPECT else []
        return [Joined(news.node), *suspected]

    def _replace(self, member: Member, news: News, now: float) -> list[Change]:
        before, restarted = member.standing, news.boot > member.news.boot
        if not member.lives and len(self.living) >= MEMBERS_MAX:
            return []
        if restarted:
            member.begin_life(now)
        if news.standing is Standing.ALIVE:
            member.seen(now)
        member.condemned = False
        member.news = msgspec.structs.replace(news, address=news.address or member.news.address)
        member.since = now
        self._file(member)
        self.forget(now)
        return _changes(news, before, restarted)

    def _file(self, member: Member) -> None:
        """Put a member among the living or, as the latest, among the gone."""
        at = bisect_left(self.living, member.node)
        listed = at < len(self.living) and self.living[at] == member.node
        self.gone.pop(member.node, None)
        if not member.lives:
            self.gone[member.node] = None
        if member.lives and not listed:
            self.living.insert(at, member.node)
        elif listed and not member.lives:
            del self.living[at]


def _changes(news: News, before: Standing, restarted: bool) -> list[Change]:
    node, was_gone = news.node, before in (Standing.DEAD, Standing.LEFT)
    match news.standing:
        case Standing.DEAD:
            return [] if was_gone else [Died(node)]
        case Standing.LEFT:
            return [Left(node)] if before is not Standing.LEFT else []
        case Standing.ALIVE | Standing.SUSPECT:
            changes: list[Change] = []
            if restarted:
                changes.append(Restarted(node, news.boot))
            elif was_gone:
                changes.append(Returned(node))
            elif before is Standing.SUSPECT and news.standing is Standing.ALIVE:
                changes.append(Refuted(node))
            if news.standing is Standing.SUSPECT and (before is not Standing.SUSPECT or restarted):
                changes.append(Suspected(node))
            return changes
