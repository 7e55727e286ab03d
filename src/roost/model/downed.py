"""The nodes that have gone down with an element, when it had just begun there: how many are too many, and why.

Who lays a death to an element is in core/mesh/contest/takedowns.py; the attempt carries the names (states.py).
"""

from typing import Annotated, Final, TypeAlias

import msgspec

from roost.model.ids import NodeId
from roost.model.limits import DOWNED_MAX, TAKEDOWNS_MAX

#: In the order of their names, of one round; None if the element is known to be innocent.
Downed: TypeAlias = Annotated[tuple[NodeId, ...], msgspec.Meta(max_length=DOWNED_MAX)] | None

#: What kills a node does so within this time.
YOUNG_S: Final = 30.0
#: Behind all that begins with a number.
_INNOCENT: Final = "innocent"


def joined(one: Downed, other: Downed) -> Downed:
    """Return the nodes of both; what is innocent stays so."""
    return None if one is None or other is None else tuple(sorted({*one, *other}))[:DOWNED_MAX]


def weight(downed: Downed) -> str:
    """Return what is larger for more nodes, and largest for an innocent element."""
    if downed is None:
        return _INNOCENT
    return f"{len(downed):03} {downed!r}" if downed else ""


def is_suspect(downed: Downed) -> bool:
    """Whether an element has failed when one more node goes down with it."""
    return len(downed or ()) >= TAKEDOWNS_MAX - 1


def has_failed(downed: Downed) -> bool:
    """Whether an element has taken down as many nodes as it may."""
    return len(downed or ()) >= TAKEDOWNS_MAX


def why_failed(downed: Downed) -> str:
    """Say why an element has failed that has taken down these nodes."""
    *others, last = downed or ("none",)
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"it has taken down {listed} within {YOUNG_S:.0f} s of its start"


def in_words(downed: Downed) -> str:
    """Say which nodes have gone down with an element so far, and what becomes of it with more."""
    names = downed or ()
    left = TAKEDOWNS_MAX - len(names)
    nodes, more = "its node" if len(names) == 1 else "its nodes", "one more" if left == 1 else f"{left} more"
    return f"{nodes} died when it had just begun: {', '.join(names)}; {more} and it has failed"
