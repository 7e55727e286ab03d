"""Fencing tokens: every lease of an element has a larger one than the lease before it.

A token is compared field by field. So whatever begins a later edition, life or round is above all that came before,
also above what whoever begins it has never heard of: a power cut took it, or a person speaks from afar.
"""

from struct import Struct
from typing import Annotated, Final, TypeAlias

import msgspec

from roost.model.errors import InvariantViolated
from roost.model.limits import ATTEMPT_MAX, BOOT_MAX, EDITION_MAX, ROUND_MAX

#: How often an element was sent back.
Edition: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=EDITION_MAX)]
#: How often a person asked for a retry in this edition.
Round: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=ROUND_MAX)]

#: Each field in four bytes, the largest byte first: such bytes are ordered as tokens are.
_STORED: Final = Struct(">4I")


class Token(msgspec.Struct, frozen=True, order=True, array_like=True, kw_only=True, gc=False, cache_hash=True):
    """Grows with every lease of an element; what comes back under an older one is refused once a newer is accepted."""

    edition: Edition = 0
    #: Which life of a node it was, at the most that its maker knew of (core/queue/lives.py).
    life: Annotated[int, msgspec.Meta(ge=0, le=BOOT_MAX)] = 0
    round: Round = 0
    attempt: Annotated[int, msgspec.Meta(ge=0, le=ATTEMPT_MAX)] = 0

    def __str__(self) -> str:
        return f"{self.edition}.{self.life}.{self.round}.{self.attempt}"

    def following(self) -> "Token":
        """Return the next larger token. If a field is at its limit, as no sound node says, the one before it grows."""
        if self.attempt < ATTEMPT_MAX:
            return Token(edition=self.edition, life=self.life, round=self.round, attempt=self.attempt + 1)
        if self.round < ROUND_MAX:
            return Token(edition=self.edition, life=self.life, round=self.round + 1)
        if self.life < BOOT_MAX:
            return Token(edition=self.edition, life=self.life + 1)
        if self.edition < EDITION_MAX:
            return Token(edition=self.edition + 1)
        raise InvariantViolated(f"no token is larger than {self}")

    def to_bytes(self) -> bytes:
        """Return it as bytes of one length, which are ordered as tokens are."""
        return _STORED.pack(self.edition, self.life, self.round, self.attempt)


#: That of what was never leased: smaller than all others.
NO_TOKEN: Final = Token()


def token_from_bytes(stored: object) -> Token:
    """Read what ``to_bytes`` gave; NO_TOKEN, under which nothing is made, if it is something else: disks decay."""
    if not isinstance(stored, bytes) or len(stored) != _STORED.size:
        return NO_TOKEN
    edition, life, round_, attempt = _STORED.unpack(stored)
    return Token(edition=edition, life=life, round=round_, attempt=attempt) if life <= BOOT_MAX else NO_TOKEN
