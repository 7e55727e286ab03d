"""How long an element is expected to take: what its owner states, corrected by how right that was before (HTC 4.8).

How it is reckoned
- People are wrong by factors, not by seconds: who states 20 minutes for what takes 10 does so again with an hour. So
  logarithms of actual over stated are averaged, and the expected length is the one in the middle: half take longer.
- Before anything was seen here, a node is taken to be as fast as others with the same type of processor have found that
  they are (LAN ch. 6); each of them counts as one observation.
- An owner is taken to be right until seen to be wrong: what was observed counts like so many observations beside
  DOUBT others, which say that the stated length is right. One slip moves little, a habit shows after a few tasks.
- A name is taken to be like its owner in the same way, and a task like its name: each level begins with what the one
  above it says, so that a new task of a known owner has that owner's correction.
- The spread is learnt likewise. It is the factor by which an element in three is off, to either side.
This is a length before much is measured; when a whole run ends is prediction.py.
"""

import math
from typing import Final, NamedTuple

import msgspec

#: Observations as which the level above counts. More: slower to believe in a habit. Fewer: chance passes for one.
DOUBT: Final = 4.0
#: The same for the elements of one task, which are more alike than tasks.
DOUBT_WITHIN: Final = 1.0
#: How far stated lengths are off while nothing else is known: a third of them by more than this factor. HTC 4.6.1 tries
#: people who are off by up to 3.
SPREAD_AT_FIRST: Final = 2.0
#: What is off by more than this factor is taken to be off by this: something else was meant.
RATIO_MAX: Final = 1_000.0
#: Beyond so many, all that was observed is halved in weight, so that people who have learnt to state it better count as
#: they are now.
OBSERVED_MAX: Final = 64.0


class Logs(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Numbers that differ by factors: how many, the sum of their logarithms, and that of the squares of these."""

    count: float = 0.0
    total: float = 0.0
    squares: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def variance(self) -> float:
        return max(0.0, self.squares / self.count - self.mean**2) if self.count else 0.0

    def plus(self, log: float) -> "Logs":
        """Return these and one more."""
        kept = self if self.count < OBSERVED_MAX else Logs(self.count / 2, self.total / 2, self.squares / 2)
        return Logs(kept.count + 1, kept.total + log, kept.squares + log * log)

    def moved(self, old: float, new: float) -> "Logs":
        """Return the same, one of which is better known now."""
        return Logs(self.count, self.total + new - old, max(0.0, self.squares + new * new - old * old))


NOTHING_SEEN: Final = Logs()


class Learnt(msgspec.Struct, frozen=True, array_like=True):
    """The ratios of what an owner stated, of all tasks or of those of one name."""

    whose: tuple[str, ...]
    ratios: Logs


class Expected(NamedTuple):
    length_s: float
    #: Two elements in three take no less than the length by this, and no more than the length times this.
    spread: float

    @property
    def low_s(self) -> float:
        return self.length_s / self.spread

    @property
    def high_s(self) -> float:
        return self.length_s * self.spread


def log_ratio(actual_s: float, stated_s: float) -> float:
    """Return by how much a stated length was wrong: 0 if it was right, negative if it was too long."""
    bound = math.log(RATIO_MAX)
    return min(max(math.log(actual_s) - math.log(stated_s), -bound), bound)


def speed_of(everybody: Logs, alike: Logs = NOTHING_SEEN) -> float:
    """Return how fast a node is by the ratios of all lengths that were stated; 1 as long as little was seen.

    ``alike`` has the ratios of other nodes with such a processor. People tend to state too much, on all nodes alike, so
    that it tells something only beside the speeds of others.
    """
    return math.exp(-_learnt(_learnt(_AT_FIRST, alike, DOUBT), everybody, DOUBT).mean)


def expected_length(
    stated_s: float | None, owner: Logs, name: Logs, task: Logs, alike: Logs = NOTHING_SEEN
) -> Expected | None:
    """Return how long an element takes; None if nobody said, and nothing of its task was seen.

    ``alike`` has the ratios of other nodes with such a processor, one for each. ``owner`` and ``name`` have the ratios
    of what its owner stated before, of everything and of tasks of this name, one for each task; ``task`` has the
    lengths, in seconds, of those elements of its own task that have ended.
    """
    if stated_s is None:
        if not task.count:
            return None
        unit_s, belief = math.exp(task.mean), _AT_FIRST
    else:
        of_owner = _learnt(_learnt(_AT_FIRST, alike, DOUBT), owner, DOUBT)
        unit_s, belief = stated_s, _learnt(of_owner, name, DOUBT)
    belief = _learnt(belief, _over(task, unit_s), DOUBT_WITHIN)
    return Expected(unit_s * math.exp(belief.mean), math.exp(math.sqrt(belief.variance)))


class _Belief(NamedTuple):
    """A normal distribution of the logarithm of actual over stated."""

    mean: float
    variance: float


_AT_FIRST: Final = _Belief(0.0, math.log(SPREAD_AT_FIRST) ** 2)


def _learnt(before: _Belief, seen: Logs, doubt: float) -> _Belief:
    """Shrink what was seen towards what was believed before, which counts like ``doubt`` observations."""
    weight = doubt + seen.count
    mean = (doubt * before.mean + seen.total) / weight
    around = seen.squares - 2 * mean * seen.total + seen.count * mean * mean
    return _Belief(mean, (doubt * before.variance + max(around, 0.0)) / weight)


def _over(lengths: Logs, unit_s: float) -> Logs:
    """Return lengths in another unit."""
    log = math.log(unit_s)
    squares = lengths.squares - 2 * log * lengths.total + lengths.count * log * log
    return Logs(lengths.count, lengths.total - lengths.count * log, max(squares, 0.0))
