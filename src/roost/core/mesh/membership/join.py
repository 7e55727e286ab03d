"""Joining: how nodes find each other, and find each other again.

Rules
- A node that is alone says hello to all, at once and then with pauses that double from HELLO_PAUSE_MIN_S to
  HELLO_PAUSE_MAX_S. It says the first FIRST_HELLOS in any case, because some who should know it may not have heard one.
- In company all nodes together say about one hello to all in HELLO_PAUSE_MAX_S.
- About WELCOMERS of those who hear a hello, chosen by chance, answer it, each after a short pause of its own. If by
  chance nobody does, the next hello will be answered, or heartbeats come first.
- Every LOST_PAUSE_S, more or less, a hello goes to one of those who are remembered as dead or gone.
"""

from roost.core.mesh.membership.members import KnownMembers
from roost.model.chance import Chance
from roost.model.clock import soonest
from roost.model.ids import NodeId
from roost.model.limits import MEMBERS_ANSWER_MAX, WELCOMES_MAX
from roost.wire.messages import News

FIRST_HELLOS = 3
HELLO_PAUSE_MIN_S = 1.0
#: Longer: fewer words to an empty network. Shorter: a cable that is plugged in later is noticed sooner.
HELLO_PAUSE_MAX_S = 30.0
#: More: a newcomer hears of everybody although some answers are lost. Fewer: less traffic when many come at once.
WELCOMERS = 3
#: The time over which answers are spread.
WELCOME_SPREAD_S = 0.05
#: Longer: fewer words to machines that are switched off. Shorter: a healed cut is noticed sooner.
LOST_PAUSE_S = 3.0


class Joining:
    def __init__(self, roster: KnownMembers, chance: Chance) -> None:
        self._members = roster
        self._chance = chance
        self._pause_s = HELLO_PAUSE_MIN_S
        self._hello_at: float | None = None
        self._lost_at: float | None = None
        #: When each newcomer gets its answer.
        self._welcomes: dict[NodeId, float] = {}
        self._was_alone = True
        self._hellos_left = FIRST_HELLOS

    def begin(self, now: float) -> None:
        self._hello_at = now

    def follow(self, now: float) -> None:
        """Others have come or gone."""
        alone = not self._members.living
        if alone != self._was_alone:
            self._was_alone = alone
            self._meet_or_part(now, alone)
        if not self._members.gone:
            self._lost_at = None
        elif self._lost_at is None:
            self._lost_at = now + self._about(LOST_PAUSE_S)

    def may_welcome(self, newcomer: NodeId, now: float) -> None:
        """A hello was heard; decide by chance whether and when to answer it."""
        chosen = self._chance.random() * max(len(self._members.living), 1) < WELCOMERS
        if chosen and newcomer not in self._welcomes and len(self._welcomes) < WELCOMES_MAX:
            self._welcomes[newcomer] = now + self._chance.random() * WELCOME_SPREAD_S

    def welcomes_due(self, now: float) -> list[NodeId]:
        """Return the newcomers to answer now."""
        due = [node for node, at in self._welcomes.items() if at <= now]
        for node in due:
            del self._welcomes[node]
        return due

    def introductions(self, newcomer: NodeId) -> list[News]:
        """Return what a newcomer should know of the living: of all, or of as many as one answer holds."""
        others = [node for node in self._members.living if node != newcomer]
        start = int(self._chance.random() * len(others)) if len(others) >= MEMBERS_ANSWER_MAX else 0
        chosen = (others[start:] + others[:start])[: MEMBERS_ANSWER_MAX - 1]
        return [self._members.members[node].news for node in chosen]

    def hellos_due(self, now: float) -> list[NodeId | None]:
        """Return to whom to say hello now; None is everybody."""
        due: list[NodeId | None] = []
        if self._hello_at is not None and now >= self._hello_at:
            due.append(None)
            self._hello_at = now + self._next_pause()
        if self._lost_at is not None and now >= self._lost_at:
            gone = list(self._members.gone)
            due += gone[int(self._chance.random() * len(gone)) :][:1]
            self._lost_at = now + self._about(LOST_PAUSE_S) if gone else None
        return due

    def next_deadline(self) -> float | None:
        welcome_at = min(self._welcomes.values()) if self._welcomes else None
        return soonest(self._hello_at, self._lost_at, welcome_at)

    def _meet_or_part(self, now: float, alone: bool) -> None:
        if alone:
            self._pause_s = HELLO_PAUSE_MIN_S
            self._hello_at = now
        elif self._hellos_left <= 0:
            self._hello_at = now + self._pause_in_company()

    def _next_pause(self) -> float:
        self._hellos_left -= 1
        if self._members.living and self._hellos_left <= 0:
            return self._pause_in_company()
        pause_s = self._about(self._pause_s)
        self._pause_s = min(2 * self._pause_s, HELLO_PAUSE_MAX_S)
        return pause_s

    def _pause_in_company(self) -> float:
        return self._about(HELLO_PAUSE_MAX_S * (len(self._members.living) + 1))

    def _about(self, pause_s: float) -> float:
        """Spread a pause by chance, so that nodes that started together do not stay together."""
        return pause_s * (0.5 + self._chance.random())
