"""Reputation: how often a node has failed (LAN 3.6.1). The fewer failures, the better, and the node keeps count itself.

It starts at 0 and loses one for every time that the node comes back after a crash. A node that was shut down (`roost
down`, a leave) did not fail: LAN counts every return as one from a failure, because it has no other way to go.
"""

#: Of a node that has never failed.
SPOTLESS = 0
#: The worst reputation of a node: it has failed so often that more failures say nothing new.
REPUTATION_MIN = -1_000_000


def reputation_at_start(stored: int | None, *, shut_down: bool) -> int:
    """Return the reputation with which a node starts, to be on disk before anybody hears it.

    ``stored`` is what its last life left on disk, None at its first start; ``shut_down`` whether that life ended on
    purpose.
    """
    if stored is None:
        return SPOTLESS
    kept = min(max(stored, REPUTATION_MIN), SPOTLESS)
    return kept if shut_down else max(kept - 1, REPUTATION_MIN)
