"""Each counter counts once: a window slides over the counters of one session.

Datagrams may come late, twice and in any order. Whether a counter was there already is known for the last
REPLAY_WINDOW of them; what comes from further behind is refused, because nothing is known of it.
"""

from roost.model.limits import REPLAY_WINDOW

_ALL = (1 << REPLAY_WINDOW) - 1


class ReplayWindow:
    """The counters of one session from ``floor`` on; earlier ones never count."""

    __slots__ = ("_floor", "_highest", "_seen")

    def __init__(self, floor: int = 0) -> None:
        self._floor = floor
        self._highest = floor - 1
        # Bit n stands for the counter that is n behind the highest.
        self._seen = 0

    def accept(self, counter: int) -> bool:
        """Tell whether this counter is new and near enough; from now on it is not."""
        ahead = counter - self._highest
        if ahead > 0:
            # A leap beyond the window leaves nothing of it; shifting by the leap itself could exhaust memory.
            self._seen = ((self._seen << ahead) | 1) & _ALL if ahead < REPLAY_WINDOW else 1
            self._highest = counter
            return True
        if ahead <= -REPLAY_WINDOW or counter < self._floor:
            return False
        bit = 1 << -ahead
        fresh = not self._seen & bit
        self._seen |= bit
        return fresh
