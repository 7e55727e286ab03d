"""How fast a step goes: what can be said of its elements from the spans in which they ran."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from roost.model.spans import Span

#: The last while: as long as this many elements take, within these bounds.
_ELEMENTS_LOOKED_AT = 20
SHORTEST_LOOK_S, LONGEST_LOOK_S = 5.0, 600.0
#: Until two answers tell how unlike elements are, they are taken to differ by this much of their mean.
_SPREAD_AT_FIRST = 0.5


class Pace(NamedTuple):
    """Finished attempts of one step."""

    finished: int
    mean_s: float
    #: The standard deviation of an element's time, as far as it shows.
    spread_s: float
    #: Elements a second over the last while.
    rate_per_s: float


def pace_of(spans: Sequence[Span], now: float) -> Pace | None:
    """Return the pace of a step; None before anything has finished.

    Executors answer for several short elements at once, with the sum of their times. The variance of single elements
    follows from those sums: answers of n elements scatter by 1/n of it around the mean.
    """
    elements = sum(span.elements for span in spans)
    if not elements:
        return None
    answers = sum(span.answers for span in spans)
    mean_s = sum(span.busy_s for span in spans) / elements
    if answers > 1:
        variance = max(0.0, sum(span.squares for span in spans) - elements * mean_s**2) / (answers - 1)
        spread_s = variance**0.5
    else:
        spread_s = mean_s * _SPREAD_AT_FIRST
    look_s = looked_back_s(mean_s)
    begin = max(now - look_s, min(span.start for span in spans))
    recent = sum(span.elements * share_since(span, begin) for span in spans)
    return Pace(elements, mean_s, spread_s, recent / max(now - begin, 1e-9) if now > begin else 0.0)


def looked_back_s(mean_s: float) -> float:
    """Return how long the last while is for elements of this length."""
    return min(max(_ELEMENTS_LOOKED_AT * mean_s, SHORTEST_LOOK_S), LONGEST_LOOK_S)


def share_since(span: Span, begin: float) -> float:
    """Return which part of a span lies after ``begin``."""
    if span.start >= begin:
        return 1.0
    length = span.end - span.start
    return max(0.0, (span.end - begin) / length) if length > 0 else 0.0


def lanes_busy(spans: Iterable[Span], begin: float, now: float) -> float:
    """Return how many lanes were at work on average since ``begin``, by what has finished."""
    busy = sum(span.busy_s * share_since(span, begin) for span in spans)
    return busy / (now - begin) if now > begin else 0.0
