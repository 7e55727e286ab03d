"""How long a bidder waits for the bids of others: a few delivery times, as they are measured.

DICE: "T varies accordingly to the time that Broadcast/Hop message takes to propagate in the network". LAN waits 15 s.

    window = WINDOW_DELIVERIES x quantile(QUANTILE, delivery times), between WINDOW_S_MIN and WINDOW_S_MAX; alone: 0

Why a few: whoever has heard our bid does not bid against it unless its own is better, and then at once. So the last
rival's bid leaves its node one delivery time after ours left here, and is here after two. The third is for busy nodes.

A window that is too short ends in two nodes that hold the same element, which contest/duplicate_resolution.py then
sorts out at the price of an element run twice; one that is too long is waited for by every free lane that has nothing
else to do.
"""

import math
from collections.abc import Sequence

#: Longer: fewer elements are run twice when a message is slow. Shorter: work starts sooner.
WINDOW_DELIVERIES = 3
#: The share of messages that arrive within the time that counts as the delivery time. Higher: one slow link makes
#: everybody wait. Lower: the bids of the slowest nodes come late, and lead to contests between holders.
QUANTILE = 0.95
#: No network is so fast that the turns of two event loops do not count.
WINDOW_S_MIN = 0.002
#: Beyond this, waiting costs more than now and then running an element twice.
WINDOW_S_MAX = 1.0
#: The window while nothing has been measured: that of a busy wireless network.
WINDOW_UNKNOWN_S = 0.05
#: Only so many of the newest delivery times count, so that the window follows the network.
DELIVERIES_COUNTED = 256


def window_s(delivery_s: Sequence[float], others: int) -> float:
    """Return the window of a node that sees ``others`` and measured these delivery times, newest last.

    A time that cannot be (negative, infinite, no number) is what a wrong clock or a wrong message says; it is left out.
    """
    if others == 0:
        return 0.0
    measured = sorted(time for time in delivery_s[-DELIVERIES_COUNTED:] if 0 <= time < math.inf)
    if not measured:
        return WINDOW_UNKNOWN_S
    usual = measured[math.ceil(QUANTILE * len(measured)) - 1]
    return min(max(WINDOW_DELIVERIES * usual, WINDOW_S_MIN), WINDOW_S_MAX)
