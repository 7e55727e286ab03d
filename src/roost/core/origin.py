"""Where a change of a record comes from, and so who has to hear of it (applying.py)."""

from enum import Enum, auto
from typing import Final, NamedTuple


class Spread(Enum):
    """What other nodes are told."""

    #: Nothing: they know it, or it travels with something else, or they find it out as this node did.
    NO = auto()
    STATES = auto()
    LEASES = auto()


class Origin(NamedTuple):
    #: Whether listeners are told now; else they never are, or when it is on disk.
    told: bool = False
    spread: Spread = Spread.NO
    #: Whether it was decided here, so that it must not stay on this disk only.
    decided: bool = False


#: A person asked for it here.
PEOPLE: Final = Origin(told=True, spread=Spread.STATES, decided=True)
#: Another node's result, accepted here.
KEPT: Final = Origin(told=True, spread=Spread.STATES, decided=True)
#: A result or a failure of this node's own, accepted.
ACCEPTED: Final = Origin(told=True, spread=Spread.STATES)
#: The same, and whoever accepted it has told the others.
ACCEPTED_ELSEWHERE: Final = Origin(told=True)
#: The holder is dead, as every node finds out by itself.
HOLDER_LOST: Final = Origin(told=True)
#: The same, and who did not hear of the holder what this node has heard does not find out all of it.
HOLDER_TAKEN_DOWN: Final = Origin(told=True, spread=Spread.STATES)
#: This node no longer holds it.
GIVEN_BACK: Final = Origin(spread=Spread.STATES)
#: This node holds it.
LEASED: Final = Origin(spread=Spread.LEASES)
#: Another node said so; listeners are told when it is on disk.
HEARD: Final = Origin()
#: What was heard leaves a failure as it was, which the others may not know.
STILL_FAILED: Final = Origin(spread=Spread.STATES)
#: Values travel with the submission that they came in.
SUBMITTED: Final = Origin()
#: It follows from other records, on every node alike.
DERIVED: Final = Origin()
