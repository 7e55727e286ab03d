"""The availability of a group at times after a write, where data can be lost (HTC 3.4.5). It needs numpy."""

from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from roost.lab.availability import both_failures, lost_disks
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.over_time import chances
from roost.lab.availability.precision import NEVER, ZERO, exact
from roost.lab.planning.group import Failures, Kind, refuse_size, transient_points
from roost.model.errors import InvalidInput

S = TypeVar("S", bound=Hashable)
#: A matrix of more states than a group of these has is large.
REPLICAS_MAX = 30
BOTH_REPLICAS_MAX = 11


def points(failures: Failures, replicas: int, consistency: Consistency, times_s: Sequence[Decimal]) -> list[Decimal]:
    """Return the unavailability at each time after all nodes had the data; what is lost stays unavailable."""
    if failures.kind is Kind.TRANSIENT:
        return transient_points(failures, replicas, consistency, times_s)
    refuse_size(failures, replicas)
    if replicas > (BOTH_REPLICAS_MAX if failures.kind is Kind.BOTH else REPLICAS_MAX):
        raise InvalidInput(
            f"the availability at a time is known for at most {REPLICAS_MAX} copies, and for "
            f"{BOTH_REPLICAS_MAX} with both kinds of failures"
        )
    if failures.disks.up_s == NEVER and failures.kind is Kind.MEMORYLESS:
        return [ZERO for _ in times_s]
    # This refuses what cannot be.
    _ = lost_disks.fate(failures.disks, replicas, consistency, failures.upkeep)
    mends = failures.upkeep.read_repair_rate(consistency.read, replicas)
    read, write = consistency.read_asks(replicas), consistency.write_asks(replicas)
    if failures.kind is Kind.MEMORYLESS:
        rates = lost_disks.chain(failures.disks, replicas, failures.upkeep, mends)
        failing = {
            state: consistency.mixed(
                lost_disks.failing(replicas, read, *state), lost_disks.failing(replicas, write, *state)
            )
            for state in rates
        }
        return _expected(rates, failing, times_s, lost_disks.LOST)
    both = both_failures.chain(failures.network, failures.disks, replicas, failures.upkeep, mends)
    failing_both = {
        state: consistency.mixed(
            both_failures.failing(replicas, read, state), both_failures.failing(replicas, write, state)
        )
        for state in both
    }
    return _expected(both, failing_both, times_s, both_failures.LOST)


def _expected(
    rates: Mapping[S, Mapping[S, Decimal]], failing: Mapping[S, Decimal], times_s: Sequence[Decimal], lost: S
) -> list[Decimal]:
    share = {state: float(of) for state, of in failing.items()} | {lost: 1.0}
    found = chances(rates, [float(at_s) for at_s in times_s], lost)
    return [exact(sum(chance * share[state] for state, chance in at_time.items())) for at_time in found]
