"""How long a node may be silent before it is suspected, and how long a suspicion lasts before it means death.

Accrual: the threshold follows what was seen of this very node. Each time word of a new beat arrives, the silence that
it ended is a sample, and a node is suspected when the present silence is out of all proportion to the samples.

    allowed = mean + 6 deviations        in seconds, at most SILENCE_MAX_S
    lasts   = allowed / 2                in seconds, at most SUSPICION_MAX_S

In a calm mesh that is 0.5 + 6 * 0.125 = 1.25 s until suspicion and 0.6 s more until death: a killed node is known dead
within 1.9 s. A link that loses a tenth of its messages has a deviation near 0.18 s: 1.6 s and 0.75 s. Of a newcomer
nothing is believed yet, neither good nor bad: 2 s and 0.75 s.
"""

import math

import msgspec

#: Seconds from one heartbeat of a node to its next. Shorter: deaths are noticed sooner, and round trips measured more
#: often. Longer: less traffic and fewer wake-ups of idle machines. All other times here are in proportion to it.
HEARTBEAT_S = 0.5
#: How many deviations above the mean a silence must be. More: fewer false suspicions, each of which costs a broadcast
#: and its refutation. Fewer: less time until lost work is begun again.
DEVIATIONS = 6.0
#: The least deviation that is believed: a quarter of a beat, because a calm past promises nothing about the next stall
#: of a busy machine. Larger: such stalls pass unnoticed. Smaller: sooner knowledge of deaths.
DEVIATION_MIN_S = HEARTBEAT_S / 4
#: The same for a node of which little was heard yet: it is starting up, and its neighbours may not know it yet.
DEVIATION_UNKNOWN_S = HEARTBEAT_S / 2
#: Samples from which on the history is believed.
SAMPLES_MIN = 8
#: The weight of the newest sample: the history reaches about 16 beats, or 8 s, back. Larger: it follows a node that
#: becomes loaded at once, and forgets it as soon. Smaller: it remembers rare stalls, and adapts late.
WEIGHT_OF_NEWEST = 1 / 16
#: However irregular a node has been, a longer silence than this is suspicious. Longer: a machine that stalls for long
#: keeps its work. Shorter: work that it lost is begun again sooner.
SILENCE_MAX_S = 10.0
#: However long a silence was allowed, a suspect is asked often enough in this time to refute. Longer: fewer false
#: deaths of nodes that stall, or whose link loses most messages. Shorter: lost work is begun again sooner.
SUSPICION_MAX_S = 1.5 * HEARTBEAT_S
#: The least time between a suspicion and the belief in a death that others have declared: room for a few round trips,
#: in which a suspect can refute. Longer: fewer false deaths on slow networks. Shorter: sooner knowledge of true ones.
DOUBT_S = HEARTBEAT_S


class Arrivals(msgspec.Struct, frozen=True):
    """What is remembered of the times at which a node was heard: a running mean and variance of its silences."""

    count: int = 0
    mean_s: float = HEARTBEAT_S
    variance_s2: float = 0.0

    def after(self, silence_s: float) -> "Arrivals":
        """Return the history with one more silence that has ended."""
        silence_s = min(silence_s, SILENCE_MAX_S)
        weight = max(WEIGHT_OF_NEWEST, 1 / (self.count + 1))
        off = silence_s - self.mean_s
        mean_s = self.mean_s + weight * off
        variance_s2 = (1 - weight) * (self.variance_s2 + weight * off * off)
        return Arrivals(self.count + 1, mean_s, variance_s2)


def silence_allowed_s(arrivals: Arrivals) -> float:
    """Return the silence after which a node with this history is suspected."""
    if arrivals.count < SAMPLES_MIN:
        return HEARTBEAT_S + DEVIATIONS * DEVIATION_UNKNOWN_S
    deviation_s = max(math.sqrt(arrivals.variance_s2), DEVIATION_MIN_S)
    return min(max(arrivals.mean_s, HEARTBEAT_S) + DEVIATIONS * deviation_s, SILENCE_MAX_S)


def suspicion_lasts_s(arrivals: Arrivals) -> float:
    """Return how long a node with this history may stay suspect, and silent, before it counts as dead."""
    return min(silence_allowed_s(arrivals) / 2, SUSPICION_MAX_S)
