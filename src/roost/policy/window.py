"""How long a bidder waits for the bids of others: a few delivery times, as they are measured.

DICE: "T varies accordingly to the time that Broadcast/Hop message takes to propagate in the network". LAN waits 15 s.

    window = WINDOW_DELIVERIES x delivery time (round_trips.py), between WINDOW_S_MIN and WINDOW_S_MAX; alone: 0

Why a few: whoever has heard our bid does not bid against it unless its own is better, and then at once. So the last
rival's bid leaves its node one delivery time after ours left here, and is here after two. The third is for busy nodes.

A window that is too short ends in two nodes that hold the same element, which contest/duplicate_resolution.py then
sorts out at the price of an element run twice; one that is too long is waited for by every free lane that has nothing
else to do.
"""

#: Longer: fewer elements are run twice when a message is slow. Shorter: work starts sooner.
WINDOW_DELIVERIES = 3
#: No network is so fast that the turns of two event loops do not count.
WINDOW_S_MIN = 0.002
#: Beyond this, waiting costs more than now and then running an element twice.
WINDOW_S_MAX = 1.0
#: The delivery time while nothing has been measured: that of a busy wireless network.
WINDOW_UNKNOWN_S = 0.05


def window_s(delivery_s: float | None, others: int) -> float:
    """Return the window of a node that sees ``others`` and measured this delivery time; None if it has not yet."""
    if others == 0:
        return 0.0
    return min(max(WINDOW_DELIVERIES * (delivery_s or WINDOW_UNKNOWN_S), WINDOW_S_MIN), WINDOW_S_MAX)
