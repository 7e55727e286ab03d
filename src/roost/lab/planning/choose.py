"""The cheapest copies and consistency that fulfil a wish, with the reasons (HTC 3.4.1 and 3.4.2).

Rules
- Fewest copies first, since each costs disk and traffic; then fewest copies that an operation waits for, weighted by
  how many operations are reads; then the higher availability.
- No read is stale if r + w > n, where r copies answer a read and w a write.
- Durability is the chance to keep the data for a year: e^(-year / MTTF).
- The availability of a group whose disks fail is that until its data is lost, and one copy is available until then. So
  who wishes for an availability, and not for how long data lasts, also wishes to keep it for a year with that chance.
"""

from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Final, NamedTuple

from roost.lab.availability import both_failures
from roost.lab.availability.consistency import NAMED, Consistency
from roost.lab.availability.lost_disks import Fate
from roost.lab.availability.precision import NEVER, ONE, ZERO, percent, precisely
from roost.lab.planning.group import Failures, Kind, outlook
from roost.lab.planning.quantities import YEAR_S, time_words
from roost.model.errors import InvalidInput

#: More copies than these are not looked at: nobody keeps them, and who needs them has another problem.
REPLICAS_MAX: Final = 15


class Wish(NamedTuple):
    #: The share of operations that may fail; None: any.
    lacking: Decimal | None = None
    no_stale_reads: bool = False
    #: For how long data must last on average.
    mttf_s: Decimal = ZERO


class Candidate(NamedTuple):
    replicas: int
    consistency: Consistency
    fate: Fate

    @property
    def is_fresh(self) -> bool:
        return self.consistency.sees_last_write(self.replicas)

    @property
    def cost(self) -> tuple[int, Decimal, Decimal]:
        return self.replicas, self.consistency.nodes_asked(self.replicas), self.fate.unavailability

    @property
    def name(self) -> str:
        return f"reads at {self.consistency.read}, writes at {self.consistency.write}"


class Size(NamedTuple):
    """What came of a number of copies."""

    candidates: tuple[Candidate, ...]
    #: The cheapest that fulfils the wish.
    chosen: Candidate | None
    #: Why none does, or why it is this one.
    why: str


class Plan(NamedTuple):
    sizes: tuple[Size, ...]

    @property
    def chosen(self) -> Candidate | None:
        return self.sizes[-1].chosen


@precisely
def mttf_for(durability: Decimal) -> Decimal:
    """Return the mean time until data is lost that keeps it for a year with this chance."""
    if not 0 < durability < 1:
        raise InvalidInput("a durability is the chance to keep data for a year, above 0 and below 1, such as 99.999%")
    return Decimal(YEAR_S) / -durability.ln()


def whole_wish(failures: Failures, wish: Wish) -> Wish:
    """Return a wish with what it implies where disks fail."""
    if failures.kind is Kind.TRANSIENT or wish.mttf_s or wish.lacking is None:
        return wish
    return wish._replace(mttf_s=mttf_for(ONE - wish.lacking))


def choose(failures: Failures, wish: Wish, reads: Decimal, most: int = REPLICAS_MAX) -> Plan:
    """Look at one copy, two and so on, until one of the consistencies fulfils the wish."""
    if wish.mttf_s and failures.kind is Kind.TRANSIENT:
        raise InvalidInput(
            "no data is lost while nodes keep it; for a wish how long it lasts say how disks fail, with "
            "--failures memoryless or both"
        )
    wish = whole_wish(failures, wish)
    limit = min(most, failures.upkeep.nodes, both_failures.REPLICAS_MAX)
    sizes: list[Size] = []
    for replicas in range(1, limit + 1):
        candidates = tuple(_candidates(failures, replicas, reads))
        sizes.append(_size(candidates, wish))
        if sizes[-1].chosen is not None:
            break
    return Plan(tuple(sizes))


def fulfils(candidate: Candidate, wish: Wish) -> bool:
    return (
        (wish.lacking is None or candidate.fate.unavailability <= wish.lacking)
        and (candidate.is_fresh or not wish.no_stale_reads)
        and candidate.fate.mttf_s >= wish.mttf_s
    )


def _candidates(failures: Failures, replicas: int, reads: Decimal) -> Iterator[Candidate]:
    """Yield each consistency that asks other numbers of copies than those before it."""
    known = set()
    for read, write in product(NAMED, NAMED):
        consistency = Consistency(read, write, reads)
        asks = consistency.read_asks(replicas), consistency.write_asks(replicas)
        if asks not in known:
            known.add(asks)
            yield Candidate(replicas, consistency, outlook(failures, replicas, consistency))


def _size(candidates: tuple[Candidate, ...], wish: Wish) -> Size:
    fitting = [one for one in candidates if fulfils(one, wish)]
    if fitting:
        chosen = min(fitting, key=lambda one: one.cost)
        return Size(candidates, chosen, _why_chosen(chosen, wish))
    return Size(candidates, None, _why_none(candidates, wish))


def _why_chosen(chosen: Candidate, wish: Wish) -> str:
    words = [f"{percent(chosen.fate.unavailability)} of operations succeed"]
    if chosen.fate.mttf_s != NEVER:
        words.append(f"data lasts {time_words(chosen.fate.mttf_s)} on average")
    if wish.no_stale_reads:
        read, write = (ask(chosen.replicas) for ask in (chosen.consistency.read_asks, chosen.consistency.write_asks))
        words.append(f"no read is stale, as {read} + {write} > {chosen.replicas}")
    return "; ".join(words)


def _why_none(candidates: tuple[Candidate, ...], wish: Wish) -> str:
    """Say what the best of them lacks."""
    longest = max(candidates, key=lambda one: one.fate.mttf_s)
    if longest.fate.mttf_s < wish.mttf_s:
        return f"data lasts only {time_words(longest.fate.mttf_s)} on average, and not {time_words(wish.mttf_s)}"
    fresh = [one for one in candidates if one.is_fresh or not wish.no_stale_reads]
    best = min(fresh, key=lambda one: (one.fate.unavailability, one.cost))
    stale = " of those without stale reads" if wish.no_stale_reads else ""
    return f"the best{stale}, {best.name}, reaches only {percent(best.fate.unavailability)}"
