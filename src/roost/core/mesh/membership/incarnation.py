"""Incarnation: the word of a node about itself, and how it answers to what others say of it.

Rules
- Only the node itself raises its incarnation. It does so whenever others say, of this life and an incarnation that is
  not past, that it is suspect, dead or gone: a node never believes itself dead.
- What is said of an earlier life or a past incarnation is overruled already.
- What is said of a later life cannot be refuted: the node was restored from an old copy, or runs twice.
- Goodbye is the last word.
"""

from enum import Enum

import msgspec

from roost.model.ids import NodeId
from roost.model.limits import INCARNATION_MAX
from roost.wire.messages import News, Standing


class Hearing(Enum):
    """What to make of a word about oneself."""

    AGREED = "agreed"
    #: The speaker does not know the newest word.
    OVERRULED = "overruled"
    #: It was believed worse, and there is a newer word now, which everybody should hear.
    REFUTED = "refuted"
    SUPERSEDED = "superseded"


class Incarnation:
    def __init__(self, me: NodeId, boot: int, address: str) -> None:
        self.news = News(me, boot, 0, Standing.ALIVE, address)

    @property
    def has_left(self) -> bool:
        return self.news.standing is Standing.LEFT

    def hear(self, word: News) -> Hearing:
        if word.boot > self.news.boot:
            return Hearing.SUPERSEDED
        if word == self.news:
            return Hearing.AGREED
        if word.boot < self.news.boot or word.incarnation < self.news.incarnation or self.has_left:
            return Hearing.OVERRULED
        if word.standing is not Standing.ALIVE:
            self.renew(word.incarnation)
            return Hearing.REFUTED
        self.news = msgspec.structs.replace(self.news, incarnation=word.incarnation)
        return Hearing.AGREED

    def renew(self, past: int = 0, address: str | None = None) -> None:
        """Raise the incarnation above the present and a past one; nothing that was said before holds any longer."""
        incarnation = min(max(past, self.news.incarnation) + 1, INCARNATION_MAX)
        place = self.news.address if address is None else address
        self.news = msgspec.structs.replace(self.news, incarnation=incarnation, address=place)

    def leave(self) -> None:
        self.news = msgspec.structs.replace(self.news, standing=Standing.LEFT)
